import type {
  Datapoint,
  GetMetricDataCommandInput,
  GetMetricStatisticsCommandInput,
  ListMetricsCommandInput,
  MetricDataResult,
  MetricDatum,
  PutMetricDataCommandInput,
} from '@aws-sdk/client-cloudwatch';
import type { Clock } from '../../lib/base/index.ts';
import { invalid, invalidValue, missing } from './errors.ts';
import { type Grid, isList, type TimeSeries } from './math/index.ts';
import { page } from './page.ts';
import { compileQueries, createReader, dimensionsOf, periodOf } from './queries.ts';
import { statisticOf } from './statistics.ts';
import { addSample, addStatistics, combine, type MetricStore, MINUTE } from './store.ts';

// CloudWatch API reference, PutMetricData and its data types.
const MOST_DATA = 1_000;
const MOST_DIMENSIONS = 30;
const MOST_VALUES = 150;
const OLDEST = 14 * 24 * 60 * MINUTE;
const NEWEST = 2 * 60 * MINUTE;
// GetMetricData: 500 queries and 100,800 points; GetMetricStatistics: 1,440 points; ListMetrics: pages of 500.
const MOST_QUERIES = 500;
const MOST_POINTS = 100_800;
const MOST_STATISTICS = 1_440;
const METRICS_PAGE = 500;
const RECENTLY = 3 * 60;

/** The actions on metric data. */
export function dataOperations(clock: Clock, store: MetricStore) {
  return {
    PutMetricData({ Namespace: namespace, MetricData: data = [] }: PutMetricDataCommandInput) {
      if (namespace === undefined || namespace === '') throw missing('Namespace');
      if (namespace.startsWith('AWS/'))
        throw invalidValue(
          "The value AWS/ for parameter Namespace is invalid: namespaces that start with 'AWS/' belong to AWS services.",
        );
      if (data.length > MOST_DATA)
        throw invalidValue(`MetricData takes ${MOST_DATA} metrics in one call; found ${data.length}`);
      const now = clock.now();
      // A call is refused as a whole: everything is checked before anything is stored.
      for (const datum of data) checkDatum(datum, now);
      for (const datum of data) storeDatum(store, namespace, datum, now);
      return {};
    },

    GetMetricData(input: GetMetricDataCommandInput) {
      const { MetricDataQueries: given = [], StartTime: start, EndTime: end } = input;
      if (given.length > MOST_QUERIES)
        throw invalid(`MetricDataQueries takes ${MOST_QUERIES} queries; found ${given.length}`);
      const [from, to] = checkTimes(start, end);
      const queries = compileQueries(given);
      const results: MetricDataResult[] = [];
      for (const query of queries.values()) {
        if (!query.returned) continue;
        const grid = gridOf(from, to, query.period);
        const value = createReader(queries, store, grid, clock.now())(query.id);
        if (typeof value === 'number')
          throw invalid(`The expression '${query.id}' must return time series; it returns a number`);
        for (const series of isList(value) ? value : [value])
          results.push(toResult(query.id, query.label, series, grid, input.ScanBy === 'TimestampAscending'));
      }
      // In the order of the request, whatever order expressions were resolved in.
      const place = (id: string | undefined) => given.findIndex((one) => one.Id === id);
      results.sort((a, b) => place(a.Id) - place(b.Id));
      return { ...pageOfPoints(results, input.NextToken, input.MaxDatapoints ?? MOST_POINTS), Messages: [] };
    },

    GetMetricStatistics(input: GetMetricStatisticsCommandInput) {
      const { Namespace: namespace, MetricName: name } = input;
      if (namespace === undefined) throw missing('Namespace');
      if (name === undefined) throw missing('MetricName');
      const [from, to] = checkTimes(input.StartTime, input.EndTime);
      const grid = gridOf(from, to, periodOf(input.Period, name) * 1000);
      if (grid.length > MOST_STATISTICS)
        throw invalid(`The request asks for ${grid.length} points; at most ${MOST_STATISTICS} are allowed`);
      const plain = input.Statistics ?? [];
      const extended = input.ExtendedStatistics ?? [];
      if (plain.length + extended.length === 0) throw missing('Statistics or ExtendedStatistics');
      for (const one of [...plain, ...extended])
        if (statisticOf(one) === undefined)
          throw invalidValue(`The statistic '${one}' is not in the local model`);
      const found = store.find(namespace, name, dimensionsOf(input.Dimensions));
      const series = input.Unit === undefined || input.Unit === found?.unit ? found : undefined;
      const Datapoints: Datapoint[] = [];
      for (let index = 0; series !== undefined && index < grid.length; index++) {
        const at = grid.start + index * grid.period;
        const point = combine(series, Math.floor(at / MINUTE), grid.period / MINUTE, clock.now());
        if (point === undefined) continue;
        const percentiles = extended.map((one) => [one, statisticOf(one)!(point)] as const);
        Datapoints.push({
          Timestamp: new Date(at),
          Unit: series.unit as NonNullable<Datapoint['Unit']>,
          ...Object.fromEntries(plain.map((one) => [one, statisticOf(one)!(point)])),
          ...(extended.length === 0
            ? {}
            : {
                ExtendedStatistics: Object.fromEntries(
                  percentiles.filter((one): one is readonly [string, number] => one[1] !== undefined),
                ),
              }),
        });
      }
      return { Label: name, Datapoints };
    },

    ListMetrics(input: ListMetricsCommandInput) {
      const newest = Math.floor(clock.now() / MINUTE) - RECENTLY;
      const found = [...store.all()].filter(
        (series) =>
          series.points.size > 0 &&
          (input.Namespace === undefined || series.namespace === input.Namespace) &&
          (input.MetricName === undefined || series.name === input.MetricName) &&
          (input.RecentlyActive === undefined || series.newest >= newest) &&
          (input.Dimensions ?? []).every(({ Name, Value }) => {
            const value = series.dimensions[Name ?? ''];
            return value !== undefined && (Value === undefined || value === Value);
          }),
      );
      const { items, next } = page(found, input.NextToken, METRICS_PAGE);
      return {
        Metrics: items.map(({ namespace, name, dimensions }) => ({
          Namespace: namespace,
          MetricName: name,
          Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
        })),
        ...next,
      };
    },
  };
}

function checkDatum(datum: MetricDatum, now: number): void {
  const name = datum.MetricName;
  if (name === undefined || name === '') throw missing('MetricData.MetricName');
  const dimensions = datum.Dimensions ?? [];
  if (dimensions.length > MOST_DIMENSIONS)
    throw invalidValue(`${name}: ${MOST_DIMENSIONS} dimensions are allowed; found ${dimensions.length}`);
  for (const { Name, Value } of dimensions)
    if (!Name || !Value)
      throw invalidValue(`${name}: a dimension needs a name and a value; found '${Name}'='${Value}'`);
  const kinds = [datum.Value, datum.Values, datum.StatisticValues].filter((one) => one !== undefined).length;
  if (kinds !== 1)
    throw invalidValue(
      `${name}: exactly one of Value, Values and StatisticValues is allowed; found ${kinds}`,
    );
  const values = datum.Values ?? [];
  if (values.length > MOST_VALUES)
    throw invalidValue(`${name}: ${MOST_VALUES} values are allowed; found ${values.length}`);
  if (datum.Counts !== undefined && datum.Counts.length !== values.length)
    throw invalidValue(`${name}: Counts has ${datum.Counts.length} entries for ${values.length} values`);
  const { Sum, SampleCount, Minimum, Maximum } = datum.StatisticValues ?? {};
  const set = [Sum, SampleCount, Minimum, Maximum].filter((one) => one !== undefined);
  for (const value of [...(datum.Value === undefined ? values : [datum.Value]), ...set])
    if (!Number.isFinite(value)) throw invalidValue(`${name}: a value is a finite number; found ${value}`);
  const at = datum.Timestamp?.getTime() ?? now;
  if (at < now - OLDEST || at > now + NEWEST)
    throw invalidValue(
      `${name}: the timestamp must be within the last two weeks and the next two hours; found ${datum.Timestamp?.toISOString()}`,
    );
}

function storeDatum(store: MetricStore, namespace: string, datum: MetricDatum, now: number): void {
  const series = store.series(namespace, datum.MetricName!, dimensionsOf(datum.Dimensions));
  if (datum.Unit !== undefined) series.unit = datum.Unit;
  const minute = Math.floor((datum.Timestamp?.getTime() ?? now) / MINUTE);
  const { StatisticValues: set } = datum;
  if (set !== undefined)
    addStatistics(series, minute, {
      sum: set.Sum ?? 0,
      count: set.SampleCount ?? 0,
      minimum: set.Minimum ?? 0,
      maximum: set.Maximum ?? 0,
    });
  else if (datum.Value !== undefined) addSample(series, minute, datum.Value);
  else
    for (const [index, value] of (datum.Values ?? []).entries())
      addSample(series, minute, value, datum.Counts?.[index] ?? 1);
}

function checkTimes(start: Date | undefined, end: Date | undefined): [number, number] {
  if (start === undefined) throw missing('StartTime');
  if (end === undefined) throw missing('EndTime');
  if (start >= end)
    throw invalid(`StartTime must be before EndTime; found ${start.toISOString()} and ${end.toISOString()}`);
  return [start.getTime(), end.getTime()];
}

/** Full periods since the Unix epoch, from the one that holds the start on. */
function gridOf(from: number, to: number, period: number): Grid {
  const start = Math.floor(from / period) * period;
  return { start, period, length: Math.ceil((to - start) / period) };
}

/** The points of one answer, result by result; a result that goes on in the next answer is `PartialData`. */
function pageOfPoints(
  results: readonly MetricDataResult[],
  token: string | undefined,
  size: number,
): { MetricDataResults: MetricDataResult[]; NextToken?: string } {
  const total = results.reduce((sum, { Values }) => sum + Values!.length, 0);
  if (token === undefined && total <= size) return { MetricDataResults: [...results] };
  const points = results.flatMap((result) => result.Values!.map((_, index) => ({ result, index })));
  const { items, next } = page(points, token, size);
  const MetricDataResults = results.map((result) => {
    const places = items.filter((item) => item.result === result).map(({ index }) => index);
    const from = places[0] ?? 0;
    const to = from + places.length;
    return {
      ...result,
      Timestamps: result.Timestamps!.slice(from, to),
      Values: result.Values!.slice(from, to),
      StatusCode: to < result.Values!.length ? ('PartialData' as const) : ('Complete' as const),
    };
  });
  return { MetricDataResults, ...next };
}

function toResult(
  id: string,
  label: string,
  series: TimeSeries,
  grid: Grid,
  ascending: boolean,
): MetricDataResult {
  const Timestamps: Date[] = [];
  const Values: number[] = [];
  for (let step = 0; step < grid.length; step++) {
    const index = ascending ? step : grid.length - 1 - step;
    const value = series[index]!;
    if (Number.isNaN(value)) continue;
    Timestamps.push(new Date(grid.start + index * grid.period));
    Values.push(value);
  }
  return { Id: id, Label: label, Timestamps, Values, StatusCode: 'Complete' };
}
