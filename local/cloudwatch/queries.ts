import type { Dimension, MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import type { Dimensions } from '../service.ts';
import { invalid, missing } from './errors.ts';
import {
  type Expression,
  ExpressionError,
  emptySeries,
  evaluate,
  type Grid,
  isList,
  namesIn,
  parseExpression,
  type Shape,
  shape,
  type TimeSeries,
  type Value,
} from './math/index.ts';
import { type Statistic, statisticOf } from './statistics.ts';
import { combine, type MetricStore, MINUTE } from './store.ts';

/** A metric as a query names it. */
export interface MetricQuery {
  readonly kind: 'metric';
  readonly id: string;
  readonly label: string;
  readonly returned: boolean;
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Dimensions;
  readonly statistic: Statistic;
  /** Only points of that unit count; `undefined` takes any. */
  readonly unit: string | undefined;
  /** Milliseconds. */
  readonly period: number;
}

/** An expression over other queries. */
export interface ExpressionQuery {
  readonly kind: 'expression';
  readonly id: string;
  readonly label: string;
  readonly returned: boolean;
  readonly expression: Expression;
  /** Milliseconds; of the metrics it names, or its own when it names none. */
  readonly period: number;
}

/** Queries by id, checked and parsed once. */
export type Queries = ReadonlyMap<string, MetricQuery | ExpressionQuery>;

// CloudWatch API reference, MetricDataQuery: an id starts with a lower-case letter.
const LEGAL_ID = /^[a-z][A-Za-z0-9_]*$/;

/** Dimensions as the SDK writes them, as a record. */
export const dimensionsOf = (list: readonly Dimension[] | undefined): Dimensions =>
  Object.fromEntries((list ?? []).map(({ Name, Value }) => [Name ?? '', Value ?? '']));

/**
 * Checks and parses the queries of GetMetricData or of an alarm.
 *
 * @throws ServiceError `ValidationException` that names the query at fault
 */
export function compileQueries(given: readonly MetricDataQuery[]): Queries {
  const queries = new Map<string, MetricQuery | ExpressionQuery>();
  const open: { readonly query: MetricDataQuery; readonly expression: Expression }[] = [];
  for (const query of given) {
    const id = query.Id;
    if (id === undefined || !LEGAL_ID.test(id))
      throw invalid(
        `The id of a query starts with a lower-case letter and has letters, digits and underscores; found '${id}'`,
      );
    if (given.some((other) => other !== query && other.Id === id))
      throw invalid(`The id '${id}' is used twice`);
    if ((query.MetricStat === undefined) === (query.Expression === undefined))
      throw invalid(`The query '${id}' needs either MetricStat or Expression`);
    if (query.MetricStat !== undefined) queries.set(id, compileMetric(id, query));
    else open.push({ query, expression: parse(query.Expression!) });
  }
  const metrics = [...queries.values()];
  const add = ({ query, expression }: (typeof open)[number], path: readonly string[]): ExpressionQuery => {
    const id = query.Id!;
    const done = queries.get(id);
    if (done?.kind === 'expression') return done;
    if (path.includes(id))
      throw invalid(`The expressions ${[...path, id].join(' -> ')} name each other in a circle`);
    const periods = new Set<number>();
    for (const name of namesIn(expression)) {
      const other = open.find((one) => one.query.Id === name);
      const named = other === undefined ? queries.get(name) : add(other, [...path, id]);
      if (named === undefined)
        throw invalid(`Error in expression '${id}': there is no query with the id '${name}'`);
      periods.add(named.period);
    }
    if (periods.size === 0) for (const metric of metrics) periods.add(metric.period);
    if (query.Period !== undefined && periods.size === 0) periods.add(query.Period * 1000);
    if (periods.size > 1)
      throw invalid(
        `The expression '${id}' names metrics of different periods (${[...periods].map((one) => one / 1000).join(', ')} s); the local model takes one period for each expression`,
      );
    const [period] = periods;
    if (period === undefined) throw invalid(`The expression '${id}' names no metric and has no Period`);
    const compiled: ExpressionQuery = {
      kind: 'expression',
      id,
      label: query.Label ?? id,
      returned: query.ReturnData ?? true,
      expression,
      period,
    };
    queries.set(id, compiled);
    return compiled;
  };
  for (const one of open) add(one, []);
  return queries;
}

function compileMetric(id: string, query: MetricDataQuery): MetricQuery {
  const { Metric: metric, Period: period, Stat: stat, Unit: unit } = query.MetricStat!;
  if (metric?.MetricName === undefined || metric.Namespace === undefined)
    throw missing(`MetricDataQueries.${id}.MetricStat.Metric`);
  const statistic = statisticOf(stat ?? '');
  if (statistic === undefined)
    throw invalid(
      `The query '${id}' asks for the statistic '${stat}'; the local model has Sum, Average, Minimum, Maximum, SampleCount and percentiles such as p99`,
    );
  return {
    kind: 'metric',
    id,
    label: query.Label ?? metric.MetricName,
    returned: query.ReturnData ?? true,
    namespace: metric.Namespace,
    name: metric.MetricName,
    dimensions: dimensionsOf(metric.Dimensions),
    statistic,
    unit,
    period: periodOf(period, `The query '${id}'`) * 1000,
  };
}

/**
 * Checks a period in seconds.
 *
 * @returns the period, a multiple of 60
 */
export function periodOf(period: number | undefined, whose: string): number {
  if (period === undefined) throw missing('Period');
  if (!Number.isInteger(period) || period < 60 || period % 60 !== 0)
    throw invalid(
      `${whose} has a period of ${period} s; the local model keeps one-minute points, so a multiple of 60 is allowed`,
    );
  return period;
}

function parse(text: string): Expression {
  try {
    return parseExpression(text);
  } catch (error) {
    throw asInvalid(error);
  }
}

/** The shape of a query by its id: what METRICS() and lists give are several series. */
export function shapeIn(queries: Queries): (id: string) => Shape {
  const shapeOf = (id: string): Shape => {
    const query = queries.get(id);
    return query?.kind === 'expression' ? shape(query.expression, shapeOf) : 'series';
  };
  return shapeOf;
}

/**
 * Reads metrics and evaluates expressions over a grid, each at most once.
 *
 * @param now - the moment of the reader, milliseconds: what is published later is not seen
 */
export function createReader(
  queries: Queries,
  store: MetricStore,
  grid: Grid,
  now: number,
): (id: string) => Value {
  const values = new Map<string, Value>();
  const read = (id: string): Value | undefined => {
    const known = values.get(id);
    if (known !== undefined) return known;
    const query = queries.get(id);
    if (query === undefined) return undefined;
    const value =
      query.kind === 'metric'
        ? readMetric(store, query, grid, now)
        : evaluate(query.expression, { value: read, metrics }, grid);
    values.set(id, value);
    return value;
  };
  const metrics = (filter: string): TimeSeries[] =>
    [...queries.values()].flatMap((query) => {
      const value = query.kind === 'metric' && query.id.includes(filter) ? read(query.id) : undefined;
      return value instanceof Float64Array ? [value] : [];
    });
  return (id) => {
    try {
      const value = read(id);
      if (value === undefined) throw invalid(`There is no query with the id '${id}'`);
      return value;
    } catch (error) {
      throw asInvalid(error);
    }
  };
}

/** The statistic of a metric at each period of a grid. */
export function readMetric(store: MetricStore, query: MetricQuery, grid: Grid, now: number): TimeSeries {
  const values = emptySeries(grid.length);
  const series = store.find(query.namespace, query.name, query.dimensions);
  if (series === undefined || (query.unit !== undefined && query.unit !== series.unit)) return values;
  const minutes = grid.period / MINUTE;
  const first = Math.floor(grid.start / MINUTE);
  for (let index = 0; index < grid.length; index++) {
    const point = combine(series, first + index * minutes, minutes, now);
    if (point !== undefined) values[index] = query.statistic(point) ?? Number.NaN;
  }
  return values;
}

/** The one series that a value is; a number or several series are refused. */
export function singleSeries(value: Value, id: string): TimeSeries {
  if (typeof value === 'number' || isList(value))
    throw invalid(
      `The expression '${id}' must return one time series; it returns ${typeof value === 'number' ? 'a number' : 'several'}`,
    );
  return value;
}

function asInvalid(error: unknown): unknown {
  return error instanceof ExpressionError ? invalid(error.message) : error;
}
