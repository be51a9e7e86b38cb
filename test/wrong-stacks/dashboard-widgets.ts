import { TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

/** A dashboard of so many widgets, each of which names the queue. */
const board = (count: number) => ({
  Type: 'AWS::CloudWatch::Dashboard',
  DashboardBody: {
    'Fn::Join': [
      '',
      [
        '{"widgets":[',
        ...Array.from({ length: count }, (_, index) => [
          `${index === 0 ? '' : ','}{"type":"metric","properties":{"metrics":[["AWS/SQS","NumberOfMessagesSent","QueueName","`,
          { 'Fn::GetAtt': ['Queue', 'QueueName'] },
          '"]]}}',
        ]).flat(),
        ']}',
      ],
    ],
  },
});

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Board: board(501) }),
    mended: (stack) => plain(stack, { Board: board(500) }),
  },
  hatched: (stack) =>
    stack.dashboard.addWidgets(...Array.from({ length: 500 }, () => new TextWidget({ markdown: '# More' }))),
};
