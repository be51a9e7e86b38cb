import type {
  DescribeAlarmsCommandOutput,
  GetMetricDataCommandOutput,
  ListMetricsCommandOutput,
  MetricDataQuery,
  MetricDataResult,
} from '@aws-sdk/client-cloudwatch';
import { type Milliseconds, milliseconds } from '../../../lib/base/index.ts';
import type { AwsModel } from '../../aws.ts';

/** What the page reads of a model. */
export type Source = Pick<AwsModel, 'cloudwatch' | 'context'>;

/** Calls the model's CloudWatch past the faults that are planned: a look must not use them up. */
async function ask<Answer>(source: Source, action: string, input: object): Promise<Answer> {
  return (await source.cloudwatch.operations[action]!(input as never, {})) as Answer;
}

/** The names of the deployed dashboards. */
export async function dashboardNames(source: Source): Promise<string[]> {
  const { DashboardEntries = [] } = await ask<{ DashboardEntries?: { DashboardName?: string }[] }>(
    source,
    'ListDashboards',
    {},
  );
  return DashboardEntries.map(({ DashboardName = '' }) => DashboardName);
}

/** The body of a dashboard. */
export async function dashboardBody(source: Source, name: string): Promise<unknown> {
  const { DashboardBody } = await ask<{ DashboardBody: string }>(source, 'GetDashboard', {
    DashboardName: name,
  });
  return JSON.parse(DashboardBody);
}

/** What is alarmed, by name. */
export async function alarmsNamed(source: Source, names: readonly string[]) {
  const found = await ask<DescribeAlarmsCommandOutput>(source, 'DescribeAlarms', {
    AlarmNames: names,
    AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
    MaxRecords: 100,
  });
  return { metric: found.MetricAlarms ?? [], composite: found.CompositeAlarms ?? [] };
}

/** The values that a dimension of a metric has. */
export async function dimensionValues(
  source: Source,
  namespace: string,
  metric: string | undefined,
  dimension: string,
): Promise<string[]> {
  const { Metrics = [] } = await ask<ListMetricsCommandOutput>(source, 'ListMetrics', {
    Namespace: namespace,
    ...(metric === undefined ? {} : { MetricName: metric }),
    Dimensions: [{ Name: dimension }],
  });
  const values = Metrics.flatMap(
    ({ Dimensions = [] }) => Dimensions.find(({ Name }) => Name === dimension)?.Value ?? [],
  );
  return [...new Set(values)].sort();
}

/** The points of one line. */
export interface Points {
  readonly id: string;
  readonly label: string;
  readonly start: Milliseconds;
  readonly step: Milliseconds;
  readonly values: readonly (number | null)[];
}

/** The data of queries from one moment to another, on the grid of each query's period. */
export async function pointsOf(
  source: Source,
  queries: readonly MetricDataQuery[],
  start: Milliseconds,
  end: Milliseconds,
): Promise<Points[]> {
  const results: MetricDataResult[] = [];
  let token: string | undefined;
  do {
    const answer: GetMetricDataCommandOutput = await ask(source, 'GetMetricData', {
      MetricDataQueries: queries,
      StartTime: new Date(start),
      EndTime: new Date(end),
      ScanBy: 'TimestampAscending',
      ...(token === undefined ? {} : { NextToken: token }),
    });
    for (const [index, result] of (answer.MetricDataResults ?? []).entries()) {
      // Each answer has every line, with the points that it has room for.
      const before = results[index];
      results[index] = {
        ...result,
        Timestamps: [...(before?.Timestamps ?? []), ...(result.Timestamps ?? [])],
        Values: [...(before?.Values ?? []), ...(result.Values ?? [])],
      };
    }
    token = answer.NextToken;
  } while (token !== undefined);
  return results.map(({ Id = '', Label = '', Timestamps = [], Values = [] }) => {
    const step = stepOf(queries, Id) * 1000;
    const first = Math.floor(start / step) * step;
    const values = new Array<number | null>(Math.ceil((end - first) / step)).fill(null);
    for (const [index, at] of Timestamps.entries()) {
      const place = Math.round((at.getTime() - first) / step);
      if (place >= 0 && place < values.length) values[place] = Values[index] ?? null;
    }
    return { id: Id, label: Label, start: milliseconds(first), step: milliseconds(step), values };
  });
}

/** Seconds between the points of a query: an expression has the period of the metrics that it names. */
function stepOf(
  queries: readonly MetricDataQuery[],
  id: string,
  seen: ReadonlySet<string> = new Set(),
): number {
  const query = queries.find(({ Id }) => Id === id);
  if (query?.MetricStat?.Period !== undefined) return query.MetricStat.Period;
  for (const name of query?.Expression?.match(/\b[a-z][A-Za-z0-9_]*\b/g) ?? [])
    if (!seen.has(name) && queries.some(({ Id }) => Id === name))
      return stepOf(queries, name, new Set([...seen, id]));
  return (
    queries.find(({ MetricStat }) => MetricStat !== undefined)?.MetricStat?.Period ?? query?.Period ?? 60
  );
}
