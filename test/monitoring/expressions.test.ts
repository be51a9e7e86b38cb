import { seconds } from 'sluice';
import { describe, expect, it } from 'vitest';
import {
  type AlarmDefinition,
  type MetricAlarmDefinition,
  subscriberAlarms,
  topicAlarms,
} from '../../lib/monitoring/index.ts';
import { evaluate, parseExpression } from '../../local/cloudwatch/math/index.ts';

/** No point in that period. */
const _ = Number.NaN;

/** SLO 300 s, retention 1,000 s, 12 workers: floor 100, a quarter of the workers 3. */
const all: readonly AlarmDefinition[] = [
  ...topicAlarms({ name: 'news', subscribers: ['it'], filtered: true }),
  ...subscriberAlarms({
    name: 'it',
    lag: seconds(300),
    retention: seconds(1_000),
    fifo: true,
    concurrency: 12,
    alarms: 'full',
  }),
];
const onMetrics = all.filter((alarm): alarm is MetricAlarmDefinition => alarm.kind === 'metric');

/** What an alarm compares, by period. */
function points({ expression, period }: MetricAlarmDefinition, series: Readonly<Record<string, number[]>>) {
  const length = Math.max(...Object.values(series).map((values) => values.length));
  const value = evaluate(
    parseExpression(expression),
    {
      value: (id) => (series[id] === undefined ? undefined : Float64Array.from(series[id])),
      metrics: () => [],
    },
    { start: 0, period: period * 1_000, length },
  );
  return [...(value as Float64Array)];
}

/**
 * Each by hand from what the alarm is to say. Counters have no point where nothing happened.
 * key, series of its metrics, what is compared with the threshold, the threshold.
 */
const table: readonly (readonly [string, Record<string, number[]>, number[], number])[] = [
  ['news-G1-delivery-failed', { failed: [_, 2, _] }, [_, 2, _], 0],
  ['news-G2-delivery-lost', { lost: [_, 1, _] }, [_, 1, _], 0],
  ['news-G3-filter-input', { inv: [1, _, _], noattr: [2, 3, _] }, [3, 3, 0], 0],
  ['it-A-lag', { age: [299, 301, _] }, [299, 301, _], 300],
  ['it-A2-burn-long', { age: [300, 301, _] }, [0, 1, 0], 0],
  ['it-A2-burn-short', { age: [300, 301, _] }, [0, 1, 0], 0],
  // Grows; grows without a word from the counters; stands; does not grow although more came; below the floor.
  [
    'it-B-growth',
    {
      vis: [101, 120, 130, 130, 125, 100],
      sent: [50, 50, _, 50, 50, 50],
      del: [40, _, _, 40, 40, _],
    },
    [0, 1, 0, 0, 0, 0],
    0,
  ],
  // 200 messages by 50 more out than in within 300 s: 1,200 s. More in than out, or nothing out: never.
  [
    'it-C1-drain-time',
    { vis: [200, 200, 200, 100, 300, _], sent: [50, 150, _, 150, _, _], del: [100, 100, _, _, 100, 5] },
    [1_200, 10_000_000, 10_000_000, 0, 900, _],
    300,
  ],
  // 200 messages, 20 done in a minute: the last waits ten minutes.
  ['it-C2-expected-wait', { vis: [200, 200, 100, _], del: [20, _, _, 5] }, [600, 10_000_000, 0, _], 300],
  // From 70 to 100 s within 300 s: in another 1,800 s it is 180 s more. Below 60 s, or falling: no forecast.
  ['it-C3-breach-ahead', { age: [70, 100, 90, _, 60, 160] }, [0, 280, 0, 0, 0, 760], 300],
  ['it-D-retention-half', { age: [500, 510, _] }, [50, 51, _], 50],
  ['it-D-retention-near', { age: [750, 760, _] }, [75, 76, _], 75],
  ['it-E-dead-letters', { dlq: [0, 1, _] }, [0, 1, _], 0],
  ['it-E-undelivered', { undel: [0, 1, _] }, [0, 1, _], 0],
  // More than before, also across a gap; fewer after a redrive.
  ['it-E2-fresh-dead-letters', { dlq: [1, 1, 2, _, 5, 0] }, [_, 0, 1, _, 1, 0], 0],
  ['it-F-in-flight', { infl: [_, 60_000, 96_000, 108_000] }, [0, 50, 80, 90], 80],
  ['it-H-stalled', { vis: [0, 5, 5, 5, _], del: [_, _, 0, 1, _] }, [0, 1, 1, 0, _], 0],
  // 20 wait and 60 a minute are done: all of them in 20 s, below half of 300 s; 200 need 200 s.
  [
    'it-I1-blocked-group',
    { age: [301, 301, 300, 301, _], del: [60, 60, 60, _, 60], vis: [20, 200, 20, 20, 20] },
    [1, 0, 0, 0, 0],
    0,
  ],
  ['it-I2-hot-group', { vis: [101, 101, 101, 100, _], grp: [2, 3, _, 2, 2] }, [1, 0, 0, 0, 0], 0],
  ['it-J-redelivery', { recv: [150, 150, 100, _], del: [99, _, 10, 10] }, [1.5, 150, 0, 0], 1.3],
  ['it-K-throttled', { thr: [_, 3] }, [0, 3], 0],
  ['it-K-recursion', { rec: [_, 1] }, [_, 1], 0],
  ['it-K-errors', { err: [_, 5, 1, _], inv: [100, 50, _, _] }, [0, 10, 0, 0], 5],
  ['it-L-replay', { replaying: [_, 1] }, [_, 1], 0],
];

describe('What each alarm compares is what was computed by hand', () => {
  it.each(table)('%s', (key, series, expected, threshold) => {
    const alarm = onMetrics.find((each) => each.key === key)!;
    expect(alarm.metrics.map(({ id }) => id).sort()).toEqual(Object.keys(series).sort());
    expect(alarm.threshold).toBe(threshold);
    expect(points(alarm, series)).toEqual(
      expected.map((value) => (Number.isNaN(value) ? value : expect.closeTo(value, 9))),
    );
  });

  it('each alarm on metrics has its row', () => {
    expect(table.map(([key]) => key).sort()).toEqual(onMetrics.map(({ key }) => key).sort());
  });
});

describe('Metrics that come late', () => {
  const byTheMinute = onMetrics.filter(
    ({ period, evaluationPeriods }) => period === 60 && evaluationPeriods > 1,
  );

  // FILL puts a point where the newest minutes have none yet, and an alarm that wants all points never has them.
  it.each(byTheMinute)('$key fires although the two newest minutes are not told of yet', (alarm) => {
    const series = Object.fromEntries(alarm.metrics.map(({ id }) => [id, [5, _, _]]));
    const spare = alarm.evaluationPeriods - alarm.datapointsToAlarm;
    const healthy = points(alarm, series)
      .slice(1)
      .filter((value) => value <= alarm.threshold).length;
    expect(healthy).toBeLessThanOrEqual(spare);
  });
});
