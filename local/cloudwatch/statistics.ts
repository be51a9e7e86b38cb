import type { Point } from './store.ts';

/** Reads one statistic from a point; `undefined` when the point does not hold it. */
export type Statistic = (point: Point) => number | undefined;

const PLAIN: Readonly<Record<string, Statistic>> = {
  Sum: (point) => point.sum,
  Average: (point) => point.sum / point.count,
  Minimum: (point) => point.minimum,
  Maximum: (point) => point.maximum,
  SampleCount: (point) => point.count,
};

/**
 * The statistic of that name: Sum, Average, Minimum, Maximum, SampleCount, or a percentile (`p50`, `p99.9`).
 * Percentiles are taken from values kept to three significant digits; a metric that came as sums only has none.
 *
 * @returns `undefined` for a name that the model does not know
 */
export function statisticOf(name: string): Statistic | undefined {
  if (Object.hasOwn(PLAIN, name)) return PLAIN[name];
  const percent = /^p(\d{1,2}(?:\.\d{1,10})?|100)$/.exec(name)?.[1];
  return percent === undefined ? undefined : (point) => percentile(point, Number(percent) / 100);
}

function percentile(point: Point, share: number): number | undefined {
  // One value only, or one and the same: every percentile is that value.
  if (point.minimum === point.maximum) return point.minimum;
  if (point.values === undefined) return undefined;
  const sorted = [...point.values].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, times]) => sum + times, 0);
  let rank = Math.max(1, Math.ceil(share * total));
  for (const [value, times] of sorted) {
    rank -= times;
    if (rank <= 0) return Math.min(Math.max(value, point.minimum), point.maximum);
  }
  return point.maximum;
}
