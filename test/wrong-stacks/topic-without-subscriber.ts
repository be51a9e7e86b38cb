import { plain, ref } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Lonely: { Type: 'AWS::SNS::Topic' } }),
    mended: (stack) =>
      plain(stack, {
        Lonely: { Type: 'AWS::SNS::Topic' },
        Listener: {
          Type: 'AWS::SNS::Subscription',
          Protocol: 'email',
          TopicArn: ref('Lonely'),
          Endpoint: 'on-call@example.com',
        },
      }),
  },
};
