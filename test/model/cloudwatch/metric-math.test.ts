import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  emptySeries,
  evaluate,
  type Grid,
  parseExpression,
  type TimeSeries,
} from '../../../local/cloudwatch/math/index.ts';

const _ = Number.NaN;
const grid: Grid = { start: 0, period: 300_000, length: 4 };
const METRICS: Readonly<Record<string, readonly number[]>> = {
  vis: [10, 20, 20, 50],
  sent: [_, 100, 100, _],
  del: [50, _, 100, _],
  none: [_, _, _, _],
  age: [10, 70, 130, 400],
  infl: [1, _, 3, 120_000],
  grp: [_, 1, 2, 3],
  dlq: [0, 1, 1, 3],
  recv: [200, 200, 300, 50],
  inv: [1, _, _, 2],
  noattr: [_, _, 3, 4],
};

function run(text: string) {
  const series = (id: string): TimeSeries | undefined => {
    const values = METRICS[id];
    return values === undefined ? undefined : Float64Array.from(values);
  };
  const value = evaluate(
    parseExpression(text),
    {
      value: series,
      metrics: (filter) =>
        Object.keys(METRICS)
          .filter((id) => id.includes(filter))
          .map((id) => series(id)!),
    },
    grid,
  );
  return value instanceof Float64Array ? [...value] : value;
}

describe('metric math gives what CloudWatch gives', () => {
  it.each<[string, unknown]>([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['-2 ^ 2', -4],
    ['10 - 4 - 3', 3],
    ['1e3 / .5', 2000],
    ['2 < 3 AND NOT_ZERO', undefined],
    ['vis + 1', [11, 21, 21, 51]],
    ['sent + 1', [_, 101, 101, _]],
    ['-sent', [_, -100, -100, _]],
    // Missing counts as 0 between two series, and both missing stay missing.
    ['sent + del', [50, 100, 200, _]],
    ['sent > del', [0, 1, 0, _]],
    ['sent == del', [0, 0, 1, _]],
    // A division by zero drops the point.
    ['vis / dlq', [_, 20, 20, 50 / 3]],
    ['vis / sent', [_, 0.2, 0.2, _]],
    ['vis / 0', [_, _, _, _]],
    ['vis > 10 AND vis < 50', [0, 1, 1, 0]],
    ['vis > 10 && vis < 50 || vis == 10', [1, 1, 1, 0]],
    ['vis != 20', [1, 0, 0, 1]],
    ['FILL(sent, 0)', [0, 100, 100, 0]],
    ['FILL(none, 0)', [0, 0, 0, 0]],
    ['FILL(del, REPEAT)', [50, 50, 100, 100]],
    ['FILL(grp, REPEAT)', [_, 1, 2, 3]],
    ['FILL(del, LINEAR)', [50, 75, 100, _]],
    ['FILL(sent, vis)', [10, 100, 100, 50]],
    // Where the condition holds, a point that is not there counts as 0; where it does not, there is none.
    ['IF(vis > 10, sent, 0)', [0, 100, 100, 0]],
    ['IF(vis > 10, 7, sent)', [_, 7, 7, 7]],
    ['IF(vis > 10, sent, del)', [50, 100, 100, 0]],
    ['IF(sent, del, 5)', [_, 0, 100, _]],
    ['IF(sent > 0, 1, 0)', [_, 1, 1, _]],
    ['IF(vis > 10, 7)', [_, 7, 7, 7]],
    ['IF(1 > 2, 3, 4)', 4],
    ['DIFF(vis)', [_, 10, 0, 30]],
    ['DIFF(del)', [_, _, 50, _]],
    ['DIFF_TIME(del)', [_, _, 600, _]],
    ['RATE(vis)', [_, 10 / 300, 0, 0.1]],
    ['RATE(del)', [_, _, 50 / 600, _]],
    ['PERIOD(vis)', 300],
    ['vis * PERIOD(vis)', [3000, 6000, 6000, 15000]],
    ['ABS(-vis)', [10, 20, 20, 50]],
    ['CEIL(vis / 3)', [4, 7, 7, 17]],
    ['FLOOR(vis / 3)', [3, 6, 6, 16]],
    ['SUM([sent, del])', [50, 100, 200, _]],
    ['MAX([sent, del])', [50, 100, 100, _]],
    ['MIN([vis, del])', [10, 20, 20, 50]],
    ['AVG([vis, del])', [30, 20, 60, 50]],
    ['SUM(METRICS("s"))', [10, 120, 120, 50]],
    ['SUM([FILL(sent, 0), FILL(del, 0)])', [50, 100, 200, 0]],
    ['MAX(vis)', 50],
    ['SUM(del)', 150],
    ['DATAPOINT_COUNT(del)', 2],
    ['TIME_SERIES(3)', [3, 3, 3, 3]],
    ['RUNNING_SUM(vis)', [10, 30, 50, 100]],
  ])('%s', (text, expected) => {
    if (expected === undefined)
      expect(() => run(text)).toThrow("no metric or expression with the id 'NOT_ZERO'");
    else expect(run(text)).toEqual(expected);
  });

  // Every expression of the stack's alarms, with S = 60, F = 15, R = 800, Cmax = 12.
  it.each<[string, readonly number[]]>([
    ['IF(FILL(age,0) > 60, 1, 0)', [0, 1, 1, 1]],
    ['IF(vis > 15 AND DIFF(vis) > 0 AND FILL(sent,0) > FILL(del,0), 1, 0)', [0, 1, 0, 0]],
    [
      'IF(vis > 15, IF(FILL(del,0) > FILL(sent,0), vis*PERIOD(del)/(FILL(del,0)-FILL(sent,0)), 1000000), 0)',
      [0, 1_000_000, 1_000_000, 1_000_000],
    ],
    [
      'IF(vis > 5, IF(FILL(del,0) > FILL(sent,0), vis*PERIOD(del)/(FILL(del,0)-FILL(sent,0)), 1000000), 0)',
      [60, 1_000_000, 1_000_000, 1_000_000],
    ],
    [
      'IF(vis > 15, IF(FILL(del,0) > 0, vis*PERIOD(del)/FILL(del,0), 1000000), 0)',
      [0, 1_000_000, 60, 1_000_000],
    ],
    [
      'IF(FILL(age,0) > 60/5 AND DIFF(FILL(age,0)) > 0, FILL(age,0) + 1800*DIFF(FILL(age,0))/PERIOD(age), 0)',
      [0, 430, 490, 2020],
    ],
    ['100*age/800', [1.25, 8.75, 16.25, 50]],
    ['IF(DIFF(dlq) > 0, 1, 0)', [_, 1, 0, 1]],
    ['100*FILL(infl,0)/120000', [1 / 1200, 0, 3 / 1200, 100]],
    ['SUM([FILL(inv,0), FILL(noattr,0)])', [1, 0, 3, 6]],
    ['IF(vis > 0, IF(FILL(del,0) == 0, 1, 0), 0)', [0, 1, 0, 1]],
    ['IF(FILL(age,0) > 60 AND FILL(del,0)*60/2 > vis*PERIOD(del), 1, 0)', [0, 0, 0, 0]],
    ['IF(vis > 15 AND grp > 0 AND grp < 12/4, 1, 0)', [0, 1, 1, 0]],
    ['IF(FILL(recv,0) > 100, FILL(recv,0)/(FILL(del,0)+1), 0)', [200 / 51, 200, 300 / 101, 0]],
  ])('alarm expression %s', (text, expected) => {
    expect(run(text)).toEqual(
      expected.map((value) => (Number.isNaN(value) ? value : expect.closeTo(value, 9))),
    );
  });

  it.each([
    ['1 +', 'found its end'],
    ['vis vis', "found 'vis', expected an operator or the end"],
    ['FILL(vis 0)', "expected ',' or ')'"],
    ['vis $ 2', "'$' is not understood"],
    ['NOSUCH(vis)', "The function 'NOSUCH' is not known"],
    ['FILL(3, 0)', 'FILL takes a metric'],
    ['PERIOD(3)', 'PERIOD takes one metric'],
    ['[vis] + [del]', 'does not combine two lists'],
    ['IF([vis], 1, 0)', 'IF takes a condition'],
    ['unknown + 1', "no metric or expression with the id 'unknown'"],
  ])('refuses %s with the place and the reason', (text, message) => {
    expect(() => run(text)).toThrow(message);
  });

  it('FILL leaves no hole and changes no point', () => {
    const values = fc.array(fc.oneof(fc.integer(), fc.constant(Number.NaN)), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(values, fc.integer(), (points, filling) => {
        const filled = evaluate(
          parseExpression(`FILL(m, ${filling})`),
          { value: () => Float64Array.from(points), metrics: () => [] },
          { start: 0, period: 60_000, length: points.length },
        );
        expect([...(filled as TimeSeries)]).toEqual(
          points.map((point) => (Number.isNaN(point) ? filling : point)),
        );
      }),
      { numRuns: 100 },
    );
    expect([...emptySeries(2)]).toEqual([_, _]);
  });
});
