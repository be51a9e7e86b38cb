import { emptySeries, finite, type Grid, isList, mapSeries, type TimeSeries, type Value } from './values.ts';

/** What a function is given: its arguments, evaluated, and the grid they lie on. */
export type MathFunction = (values: readonly Value[], grid: Grid) => Value;

/** A wrong argument; the caller adds the name of the function. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}

/** How a hole is filled by FILL: by a value, the last point, or the line between the points beside it. */
export type Filling = number | TimeSeries | 'REPEAT' | 'LINEAR';

/** FILL: puts a value where there is no point. */
export function fill(series: TimeSeries, filling: Filling): TimeSeries {
  const result = series.slice();
  let previous = -1;
  for (let index = 0; index < series.length; index++) {
    if (!Number.isNaN(series[index]!)) {
      if (filling === 'LINEAR' && previous >= 0) {
        const step = (series[index]! - series[previous]!) / (index - previous);
        for (let hole = previous + 1; hole < index; hole++)
          result[hole] = series[previous]! + step * (hole - previous);
      }
      previous = index;
    } else if (typeof filling === 'number') result[index] = filling;
    else if (typeof filling === 'object') result[index] = filling[index]!;
    else if (filling === 'REPEAT' && previous >= 0) result[index] = series[previous]!;
  }
  return result;
}

/**
 * IF: picks point by point; where the condition has no point there is none. A series that has no point where the condition
 * holds counts as 0 there, and where it does not hold the point is dropped (CloudWatch user guide, "Using IF expressions").
 */
function choose([condition, whenTrue, whenFalse]: readonly Value[], grid: Grid): Value {
  if (condition === undefined || whenTrue === undefined || isList(condition))
    throw new ArgumentError('takes a condition, a value when it holds, and a value when it does not');
  if (isList(whenTrue) || (whenFalse !== undefined && isList(whenFalse)))
    throw new ArgumentError('takes numbers or single series as its values');
  const at = (value: number | TimeSeries | undefined, index: number) =>
    value === undefined ? Number.NaN : typeof value === 'number' ? value : value[index]!;
  if (typeof condition === 'number' && typeof whenTrue === 'number' && typeof whenFalse === 'number')
    return condition !== 0 ? whenTrue : whenFalse;
  const result = emptySeries(grid.length);
  for (let index = 0; index < grid.length; index++) {
    const holds = at(condition, index);
    if (Number.isNaN(holds)) continue;
    if (holds === 0) result[index] = at(whenFalse, index);
    else result[index] = Number.isNaN(at(whenTrue, index)) ? 0 : at(whenTrue, index);
  }
  return result;
}

/** Calls `change` with each point, the point before it, and the periods between the two. */
function steps(change: (value: number, before: number, periods: number) => number) {
  return onSeries((series) => {
    const result = emptySeries(series.length);
    let previous = -1;
    for (let index = 0; index < series.length; index++) {
      if (Number.isNaN(series[index]!)) continue;
      if (previous >= 0) result[index] = finite(change(series[index]!, series[previous]!, index - previous));
      previous = index;
    }
    return result;
  });
}

/** A function of one series, applied to each series of a list. */
function onSeries(change: (series: TimeSeries, grid: Grid) => TimeSeries): MathFunction {
  return (values, grid) => {
    const [value, ...more] = values;
    if (value === undefined || more.length > 0 || typeof value === 'number')
      throw new ArgumentError('takes one metric or a list of metrics');
    return isList(value) ? value.map((one) => change(one, grid)) : change(value, grid);
  };
}

/** A function of a number or of the points of a series. */
function onPoints(change: (value: number) => number): MathFunction {
  return (values, grid) =>
    typeof values[0] === 'number' && values.length === 1
      ? finite(change(values[0]))
      : onSeries((series) => mapSeries(series, change))(values, grid);
}

/** Of a list: a series of each period's points; of one series: a number. */
function reduce(combine: (points: readonly number[]) => number): MathFunction {
  return ([value, ...more], grid) => {
    if (value === undefined || more.length > 0 || typeof value === 'number')
      throw new ArgumentError('takes one metric or a list of metrics');
    if (!isList(value)) return finite(combine([...value].filter((point) => !Number.isNaN(point))));
    const result = emptySeries(grid.length);
    for (let index = 0; index < grid.length; index++) {
      const points = value.map((series) => series[index]!).filter((point) => !Number.isNaN(point));
      if (points.length > 0) result[index] = finite(combine(points));
    }
    return result;
  };
}

const sum = (points: readonly number[]) => points.reduce((total, point) => total + point, 0);
const average = (points: readonly number[]) => sum(points) / points.length;

/** The functions that depend on nothing but their values; FILL and METRICS look at names and live elsewhere. */
export const FUNCTIONS: Readonly<Record<string, MathFunction>> = {
  IF: choose,
  DIFF: steps((value, before) => value - before),
  PERIOD: ([value, ...more], grid) => {
    if (value === undefined || more.length > 0 || typeof value === 'number' || isList(value))
      throw new ArgumentError('takes one metric');
    return grid.period / 1000;
  },
  RATE: (values, grid) =>
    steps((value, before, periods) => (value - before) / ((periods * grid.period) / 1000))(values, grid),
  DIFF_TIME: (values, grid) => steps((_, __, periods) => (periods * grid.period) / 1000)(values, grid),
  ABS: onPoints(Math.abs),
  CEIL: onPoints(Math.ceil),
  FLOOR: onPoints(Math.floor),
  LOG: onPoints(Math.log),
  LOG10: onPoints(Math.log10),
  SUM: reduce(sum),
  AVG: reduce(average),
  MIN: reduce((points) => Math.min(...points)),
  MAX: reduce((points) => Math.max(...points)),
  STDDEV: reduce((points) => Math.sqrt(average(points.map((point) => (point - average(points)) ** 2)))),
  RUNNING_SUM: onSeries((series) => {
    let total = 0;
    return mapSeries(series, (value) => {
      total += value;
      return total;
    });
  }),
  DATAPOINT_COUNT: ([value]) => {
    if (value === undefined || typeof value === 'number' || isList(value))
      throw new ArgumentError('takes one metric');
    return [...value].filter((point) => !Number.isNaN(point)).length;
  },
  TIME_SERIES: ([value], grid) => {
    if (typeof value !== 'number') throw new ArgumentError('takes a number');
    return new Float64Array(grid.length).fill(value);
  },
};
