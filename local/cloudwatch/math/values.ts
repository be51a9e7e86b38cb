/** The moments at which an expression has values: `length` periods from `start` on. */
export interface Grid {
  /** Milliseconds since the Unix epoch. */
  readonly start: number;
  /** Milliseconds. */
  readonly period: number;
  readonly length: number;
}

/** One value a period; `NaN` where there is no point. */
export type TimeSeries = Float64Array;

/** What an expression can be. */
export type Value = number | TimeSeries | readonly TimeSeries[];

/** True for several series, as `[m1, m2]` and `METRICS()` give them. */
export const isList = (value: Value): value is readonly TimeSeries[] => Array.isArray(value);

/** A series without points. */
export const emptySeries = (length: number): TimeSeries => new Float64Array(length).fill(Number.NaN);

/** Applies `change` to every point; a result that is no finite number drops the point. */
export function mapSeries(series: TimeSeries, change: (value: number) => number): TimeSeries {
  const result = emptySeries(series.length);
  for (let index = 0; index < series.length; index++) {
    const value = series[index]!;
    if (!Number.isNaN(value)) result[index] = finite(change(value));
  }
  return result;
}

/** Infinity, as a division by zero gives it, is no point. */
export const finite = (value: number): number => (Number.isFinite(value) ? value : Number.NaN);

type Operation = (left: number, right: number) => number;

const truth = (value: boolean) => (value ? 1 : 0);

const OPERATIONS: Readonly<Record<string, Operation>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '^': (left, right) => left ** right,
  '==': (left, right) => truth(left === right),
  '!=': (left, right) => truth(left !== right),
  '<': (left, right) => truth(left < right),
  '<=': (left, right) => truth(left <= right),
  '>': (left, right) => truth(left > right),
  '>=': (left, right) => truth(left >= right),
  AND: (left, right) => truth(left !== 0 && right !== 0),
  '&&': (left, right) => truth(left !== 0 && right !== 0),
  OR: (left, right) => truth(left !== 0 || right !== 0),
  '||': (left, right) => truth(left !== 0 || right !== 0),
};

/**
 * Applies an operator. Between two series a missing point counts as 0 unless both are missing; between a series
 * and a number it stays missing. A division by zero drops the point.
 *
 * @returns `undefined` when both sides are lists of series, which metric math does not combine
 */
export function operate(operator: string, left: Value, right: Value): Value | undefined {
  const operation = OPERATIONS[operator]!;
  if (isList(left)) {
    if (isList(right)) return undefined;
    return left.map((one) => operateOnSeries(operation, one, right));
  }
  if (isList(right)) return right.map((one) => operateOnSeries(operation, left, one));
  if (typeof left === 'number' && typeof right === 'number') return finite(operation(left, right));
  return operateOnSeries(operation, left, right);
}

function operateOnSeries(
  operation: Operation,
  left: number | TimeSeries,
  right: number | TimeSeries,
): TimeSeries {
  if (typeof left === 'number') {
    if (typeof right === 'number') throw new TypeError('a series was expected on one side at least');
    return mapSeries(right, (value) => operation(left, value));
  }
  if (typeof right === 'number') return mapSeries(left, (value) => operation(value, right));
  const result = emptySeries(left.length);
  for (let index = 0; index < left.length; index++) {
    const a = left[index]!;
    const b = right[index]!;
    if (Number.isNaN(a) && Number.isNaN(b)) continue;
    result[index] = finite(operation(Number.isNaN(a) ? 0 : a, Number.isNaN(b) ? 0 : b));
  }
  return result;
}
