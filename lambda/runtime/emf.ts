import type { Clock } from '../../lib/base/index.ts';
import { metricsNamespace } from '../../lib/topology/index.ts';
import type { Metrics } from './metrics.ts';
import { partsOf } from './parallel.ts';

/** CloudWatch user guide, embedded metric format specification: at most 100 values of a metric in a line. */
const valuesPerLine = 100;

const counts = [
  'processed',
  'failed',
  'duplicates',
  'deferred',
  'expired',
  'unwanted',
  'stale',
  'parked',
] as const;

/**
 * Metrics in CloudWatch's embedded metric format: one line for each invocation, and one for each reason for which
 * messages were dead-lettered. Only what is not zero is printed. The dimension is `subscriber` alone, so that alarms
 * name their metric without knowing a function.
 *
 * @param print - writes a line past `console`, which Lambda frames or prefixes: CloudWatch reads bare lines alone
 */
export function embeddedMetrics(
  clock: Clock,
  print: (line: string) => void = (line) => void process.stdout.write(`${line}\n`),
): Metrics {
  const printLine = (
    dimensions: Readonly<Record<string, string>>,
    values: Readonly<Record<string, number | readonly number[]>>,
  ) =>
    print(
      JSON.stringify({
        _aws: {
          Timestamp: clock.now(),
          CloudWatchMetrics: [
            {
              Namespace: metricsNamespace,
              Dimensions: [Object.keys(dimensions)],
              Metrics: Object.keys(values).map((Name) => ({
                Name,
                Unit: Name === 'handlerTime' ? 'Milliseconds' : 'Count',
              })),
            },
          ],
        },
        ...dimensions,
        ...values,
      }),
    );
  return {
    record(subscriber, measures) {
      const values: Record<string, number | readonly number[]> = {};
      for (const name of counts) if (measures[name] > 0) values[name] = measures[name];
      const [times, ...moreTimes] = partsOf(measures.handlerTimes, valuesPerLine);
      if (times !== undefined) values.handlerTime = times;
      if (Object.keys(values).length > 0) printLine({ subscriber }, values);
      for (const handlerTime of moreTimes) printLine({ subscriber }, { handlerTime });
      for (const [reason, deadLettered] of measures.deadLettered)
        printLine({ subscriber, reason }, { deadLettered });
    },
  };
}
