import { GraphWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

/** A dashboard with one graph of so many metrics. */
const board = (count: number) => ({
  Type: 'AWS::CloudWatch::Dashboard',
  DashboardBody: JSON.stringify({
    widgets: [
      {
        type: 'metric',
        properties: { metrics: Array.from({ length: count }, (_, index) => ['shop', `metric${index}`]) },
      },
    ],
  }),
});

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Board: board(501) }),
    mended: (stack) => plain(stack, { Board: board(500) }),
  },
  hatched: (stack) => {
    const { queue } = stack.subscriber('payments');
    const left = Array.from({ length: 501 }, (_, index) => queue.metric(`metric${index}`));
    stack.dashboard.addWidgets(new GraphWidget({ left }));
  },
};
