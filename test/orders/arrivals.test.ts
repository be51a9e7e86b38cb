import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrivals, peakAt, peakFactor, rate, share } from '../../examples/orders/run/arrivals.ts';
import { seededRandom } from '../../lib/base/index.ts';

describe('orders arrive in a burst that comes early', () => {
  it('peaks above what the payment provider can take, in the full run', () => {
    expect((peakFactor * 40_000) / 90).toBeGreaterThan(900);
    expect(rate(peakAt)).toBeCloseTo(peakFactor);
    expect(rate(peakAt)).toBeGreaterThan(rate(peakAt * 0.9));
    expect(rate(peakAt)).toBeGreaterThan(rate(peakAt * 1.1));
  });

  it('has the mean rate in the mean, and the share is its integral', () => {
    let sum = 0;
    for (let step = 0; step < 10_000; step++) {
      sum += rate((step + 0.5) / 10_000) / 10_000;
      if (step === 4_999) expect(sum).toBeCloseTo(share(0.5), 6);
    }
    expect(sum).toBeCloseTo(1, 6);
    expect(share(0)).toBe(0);
    expect(share(1)).toBe(1);
  });

  it('follows the curve', () => {
    const due = arrivals(40_000, 90, seededRandom(3));
    const inPeakSecond = due.filter((at) => at >= 13_000 && at < 14_000).length;
    expect(inPeakSecond).toBeGreaterThan(1_000);
    expect(inPeakSecond).toBeLessThan(1_200);
    expect(due.filter((at) => at < 45_000).length / 40_000).toBeCloseTo(share(0.5), 1);
  });

  it('is ascending, within the time, and the same for the same seed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 100 }),
        fc.nat(),
        (count, seconds, seed) => {
          const due = arrivals(count, seconds, seededRandom(seed));
          expect(due).toHaveLength(count);
          expect(arrivals(count, seconds, seededRandom(seed))).toEqual(due);
          for (const [index, at] of due.entries()) {
            expect(at).toBeGreaterThanOrEqual(index === 0 ? 0 : (due[index - 1] as number));
            expect(at).toBeLessThanOrEqual(seconds * 1000);
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});
