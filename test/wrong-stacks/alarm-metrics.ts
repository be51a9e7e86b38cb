import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

/** An alarm on the sum of so many metrics. */
const metrics = (count: number) => ({
  ...Object.fromEntries(
    ['Namespace', 'MetricName', 'Statistic', 'Dimensions', 'Period'].map((property) => [property, undefined]),
  ),
  Metrics: [
    { Id: 'sum', Expression: 'SUM(METRICS())' },
    ...Array.from({ length: count }, (_, index) => ({
      Id: `m${index}`,
      ReturnData: false,
      MetricStat: { Stat: 'Sum', Period: 60, Metric: { Namespace: 'AWS/SQS', MetricName: `Metric${index}` } },
    })),
  ],
});

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Alarm: metrics(11) }),
    mended: (stack) => plain(stack, { Alarm: metrics(10) }),
  },
};
