/** What an alarm can say. */
export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

/** How missing points count. */
export type MissingData = 'missing' | 'ignore' | 'breaching' | 'notBreaching';

/** When an alarm goes off: `needed` (M) of `evaluated` (N) points. */
export interface AlarmRule {
  readonly evaluated: number;
  readonly needed: number;
  readonly missing: MissingData;
  readonly breaches: (value: number) => boolean;
}

/** What came of an evaluation. */
export interface Evaluation {
  readonly state: AlarmState;
  /** The points that decided, oldest first, with their place in the range. */
  readonly points: readonly { readonly index: number; readonly value: number }[];
  /** How many missing points were counted in. */
  readonly filled: number;
}

/**
 * How many periods beyond N an alarm looks back for real points. AWS gives no number ("a higher number of data
 * points than specified"); the tables in its user guide show five points for N = 3.
 */
export const EXTRA_PERIODS = 2;

/**
 * Judges the points of an evaluation range: CloudWatch user guide, "Configuring how CloudWatch alarms treat
 * missing data".
 *
 * With N real points or more, the newest N of them decide, and the treatment of missing data plays no part.
 * With fewer, all real points count, and the missing rest up to N is filled as the treatment says:
 *
 *     points (3 of 3)   missing              ignore     breaching   notBreaching
 *     - - - - -         INSUFFICIENT_DATA    unchanged  ALARM       OK
 *     - - X - -         ALARM                unchanged  ALARM       OK
 *     - - - - 0         OK                   OK         OK          OK
 *
 * The second row is AWS's rule against alarms that come too early: when every real point breaches and the
 * oldest of them is at least M periods old, it is an alarm although M points are not there.
 *
 * @param range - values by period, oldest first, `NaN` where there is none
 * @param current - the state so far, for `ignore`
 */
export function judge(range: ArrayLike<number>, rule: AlarmRule, current: AlarmState): Evaluation {
  const real: { index: number; value: number }[] = [];
  for (let index = range.length - 1; index >= 0; index--) {
    const value = range[index]!;
    if (!Number.isNaN(value)) real.push({ index, value });
  }
  const deciding = real.slice(0, rule.evaluated);
  const filled = rule.evaluated - deciding.length;
  const breaching = deciding.filter(({ value }) => rule.breaches(value)).length;
  const result = (state: AlarmState): Evaluation => ({ state, points: deciding.reverse(), filled });

  if (breaching >= rule.needed) return result('ALARM');
  if (filled === 0 || rule.missing === 'notBreaching') return result('OK');
  if (rule.missing === 'breaching') return result(breaching + filled >= rule.needed ? 'ALARM' : 'OK');
  const oldest = deciding.at(-1);
  if (oldest === undefined) return result(rule.missing === 'ignore' ? current : 'INSUFFICIENT_DATA');
  const allBreach = breaching === deciding.length;
  const age = range.length - oldest.index;
  if (!allBreach || age < rule.needed) return result('OK');
  return result(rule.missing === 'ignore' ? current : 'ALARM');
}
