import { arn, plain, ref } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Alarm: { AlarmActions: undefined } }),
    mended: (stack) =>
      plain(stack, {
        Alarm: { AlarmActions: undefined },
        Page: {
          Type: 'AWS::CloudWatch::CompositeAlarm',
          AlarmRule: { 'Fn::Join': ['', ['ALARM("', arn('Alarm'), '")']] },
          AlarmActions: [ref('AlarmTopic')],
        },
      }),
  },
};
