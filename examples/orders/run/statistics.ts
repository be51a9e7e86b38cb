/**
 * The value below or at which the part `quantile` (0 to 1) of the sorted values lies, by the nearest rank; 0 when
 * there are none.
 */
export function percentile(sorted: ArrayLike<number>, quantile: number): number {
  if (sorted.length === 0) return 0;
  return sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)] as number;
}

/** Percentiles of latencies as the report gives them, in milliseconds, to a hundredth. */
export function summarize(values: ArrayLike<number>): { p50: number; p99: number; max: number } {
  const sorted = Float64Array.from(values).sort();
  return {
    p50: round(percentile(sorted, 0.5)),
    p99: round(percentile(sorted, 0.99)),
    max: round(percentile(sorted, 1)),
  };
}

/** To a hundredth. */
export const round = (value: number): number => Math.round(value * 100) / 100;

/** Percentiles of a stream of latencies, to 2 %, without keeping the latencies. */
export interface Histogram {
  add(value: number): void;
  readonly count: number;
  summary(): { p50: number; p99: number; max: number };
}

/** Each bucket is 2 % wider than the one before; the first ends at a hundredth of a millisecond. */
const growth = Math.log(1.02);
const smallest = 0.01;

/** Makes an empty histogram. */
export function createHistogram(): Histogram {
  const buckets: number[] = [];
  let count = 0;
  let max = 0;
  const at = (quantile: number) => {
    let left = Math.ceil(quantile * count);
    for (const [index, size] of buckets.entries()) {
      left -= size ?? 0;
      if (left <= 0) return round(Math.min(max, smallest * Math.exp(index * growth)));
    }
    return round(max);
  };
  return {
    add(value) {
      const index = value <= smallest ? 0 : Math.ceil(Math.log(value / smallest) / growth);
      buckets[index] = (buckets[index] ?? 0) + 1;
      count += 1;
      max = Math.max(max, value);
    },
    get count() {
      return count;
    },
    summary: () => ({ p50: at(0.5), p99: at(0.99), max: round(max) }),
  };
}
