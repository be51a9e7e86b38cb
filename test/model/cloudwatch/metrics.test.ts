import type {
  GetMetricDataCommandOutput,
  GetMetricStatisticsCommandOutput,
  ListMetricsCommandOutput,
} from '@aws-sdk/client-cloudwatch';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../../lib/base/index.ts';
import { cloudWatchOnVirtualClock, MINUTE } from './fixture.ts';

type Model = ReturnType<typeof cloudWatchOnVirtualClock>;

/** The points of a metric of queue `q` since the start, by minute. */
function pointsOf(
  model: Model,
  namespace: string,
  name: string,
  stat = 'Sum',
  dimension = 'QueueName',
  minutesBefore = 0,
) {
  const { MetricDataResults: results } = model.call<GetMetricDataCommandOutput>('GetMetricData', {
    StartTime: new Date(model.began - minutesBefore * MINUTE),
    EndTime: new Date(model.clock.now() + 1),
    ScanBy: 'TimestampAscending',
    MetricDataQueries: [
      {
        Id: 'm',
        MetricStat: {
          Metric: { Namespace: namespace, MetricName: name, Dimensions: [{ Name: dimension, Value: 'q' }] },
          Period: 60,
          Stat: stat,
        },
      },
    ],
  });
  const { Timestamps: times, Values: values } = results![0]!;
  return times!.map((time, index) => [(time.getTime() - model.began) / MINUTE, values![index]]);
}

describe('metrics', () => {
  it('are points of one minute: counts add up, gauges are read at the end of the minute', async () => {
    const model = cloudWatchOnVirtualClock();
    let depth: number | undefined = 3;
    const end = model.cloudwatch.metrics.gauge('test', 'depth', { QueueName: 'q' }, () => depth);
    await model.minutes(4, (minute) => {
      model.cloudwatch.metrics.count('test', 'sent', { QueueName: 'q' }, 1);
      model.cloudwatch.metrics.count('test', 'sent', { QueueName: 'q' }, minute);
      depth = minute === 2 ? undefined : minute + 10;
      if (minute === 3) end();
    });
    expect(pointsOf(model, 'test', 'sent')).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
    ]);
    expect(pointsOf(model, 'test', 'depth', 'Maximum')).toEqual([
      [0, 10],
      [1, 11],
    ]);
  });

  it('times that the model itself publishes have percentiles', async () => {
    const model = cloudWatchOnVirtualClock();
    await model.minutes(1, () => {
      for (const time of [10, 20, 30, 400])
        model.cloudwatch.metrics.count('AWS/Lambda', 'Duration', { QueueName: 'q' }, time, 'Milliseconds');
    });
    expect(pointsOf(model, 'AWS/Lambda', 'Duration', 'p50')).toEqual([[0, 20]]);
    expect(pointsOf(model, 'AWS/Lambda', 'Duration', 'p99')).toEqual([[0, 400]]);
  });

  it('put by callers are found again as statistics, percentiles and expressions', () => {
    const model = cloudWatchOnVirtualClock();
    model.call('PutMetricData', {
      Namespace: 'app',
      MetricData: [
        { MetricName: 'time', Unit: 'Milliseconds', Values: [1, 2, 3, 100], Counts: [50, 40, 9, 1] },
        { MetricName: 'time', Value: 7, Timestamp: new Date(model.began - 60_000) },
        { MetricName: 'set', StatisticValues: { SampleCount: 4, Sum: 10, Minimum: 1, Maximum: 4 } },
      ],
    });
    const { Datapoints: points } = model.call<GetMetricStatisticsCommandOutput>('GetMetricStatistics', {
      Namespace: 'app',
      MetricName: 'time',
      StartTime: new Date(model.began),
      EndTime: new Date(model.began + 60_000),
      Period: 60,
      Statistics: ['Sum', 'Average', 'Minimum', 'Maximum', 'SampleCount'],
      ExtendedStatistics: ['p50', 'p99', 'p100'],
    });
    expect(points).toEqual([
      {
        Timestamp: new Date(model.began),
        Unit: 'Milliseconds',
        Sum: 257,
        Average: 2.57,
        Minimum: 1,
        Maximum: 100,
        SampleCount: 100,
        ExtendedStatistics: { p50: 1, p99: 3, p100: 100 },
      },
    ]);

    const stat = (Id: string, MetricName: string) => ({
      Id,
      ReturnData: false,
      MetricStat: { Metric: { Namespace: 'app', MetricName }, Period: 120, Stat: 'Sum' },
    });
    const { MetricDataResults: results } = model.call<GetMetricDataCommandOutput>('GetMetricData', {
      StartTime: new Date(model.began - 120_000),
      EndTime: new Date(model.began + 60_000),
      MetricDataQueries: [
        { Id: 'e', Expression: 'a + b', Label: 'both' },
        stat('a', 'time'),
        stat('b', 'set'),
      ],
    });
    expect(results).toEqual([
      {
        Id: 'e',
        Label: 'both',
        Timestamps: [new Date(model.began), new Date(model.began - 120_000)],
        Values: [267, 7],
        StatusCode: 'Complete',
      },
    ]);
  });

  it.each<[object, string]>([
    [{ Namespace: 'AWS/SQS', MetricData: [] }, "namespaces that start with 'AWS/'"],
    [
      { Namespace: 'app', MetricData: [{ MetricName: 'm' }] },
      'exactly one of Value, Values and StatisticValues',
    ],
    [{ Namespace: 'app', MetricData: [{ MetricName: 'm', Value: Number.NaN }] }, 'a finite number'],
    [
      { Namespace: 'app', MetricData: [{ MetricName: 'm', Values: [1], Counts: [1, 2] }] },
      'Counts has 2 entries',
    ],
    [{ Namespace: 'app', MetricData: [{ MetricName: 'm', Value: 1, Timestamp: new Date(0) }] }, 'two weeks'],
    [
      {
        Namespace: 'app',
        MetricData: [{ MetricName: 'm', Value: 1, Dimensions: [{ Name: 'a', Value: '' }] }],
      },
      'a name and a value',
    ],
    [
      { Namespace: 'app', MetricData: Array.from({ length: 1001 }, () => ({ MetricName: 'm', Value: 1 })) },
      'found 1001',
    ],
  ])('are refused as a whole: %#', (input, message) => {
    const model = cloudWatchOnVirtualClock();
    expect(() => model.call('PutMetricData', input)).toThrow(message);
    expect(model.call('ListMetrics', {})).toEqual({ Metrics: [] });
  });

  it('come in answers of MaxDatapoints points', async () => {
    const model = cloudWatchOnVirtualClock();
    await model.minutes(3, (minute) => model.cloudwatch.metrics.count('app', 'sent', {}, minute));
    const ask = (NextToken?: string) =>
      model.call<GetMetricDataCommandOutput>('GetMetricData', {
        StartTime: new Date(model.began),
        EndTime: new Date(model.clock.now()),
        ScanBy: 'TimestampAscending',
        MaxDatapoints: 2,
        NextToken,
        MetricDataQueries: [
          {
            Id: 'm',
            MetricStat: { Metric: { Namespace: 'app', MetricName: 'sent' }, Period: 60, Stat: 'Sum' },
          },
        ],
      });
    const first = ask();
    expect(first.MetricDataResults).toMatchObject([{ Values: [0, 1], StatusCode: 'PartialData' }]);
    const second = ask(first.NextToken);
    expect(second.MetricDataResults).toMatchObject([{ Values: [2], StatusCode: 'Complete' }]);
    expect(second.NextToken).toBeUndefined();
  });

  it('are listed by namespace, name and dimensions', () => {
    const model = cloudWatchOnVirtualClock();
    const put = (MetricName: string, Value: string) =>
      model.call('PutMetricData', {
        Namespace: 'app',
        MetricData: [{ MetricName, Value: 1, Dimensions: [{ Name: 'subscriber', Value }] }],
      });
    put('done', 'payments');
    put('done', 'email');
    put('failed', 'email');
    const list = (input: object) =>
      model
        .call<ListMetricsCommandOutput>('ListMetrics', input)
        .Metrics!.map(({ MetricName, Dimensions }) => `${MetricName} ${Dimensions![0]!.Value}`);
    expect(list({ Namespace: 'app', MetricName: 'done' })).toEqual(['done payments', 'done email']);
    expect(list({ Dimensions: [{ Name: 'subscriber', Value: 'email' }] })).toEqual([
      'done email',
      'failed email',
    ]);
    expect(list({ Dimensions: [{ Name: 'queue' }] })).toEqual([]);
  });

  it('end after 15 days', async () => {
    const model = cloudWatchOnVirtualClock();
    model.cloudwatch.stop();
    model.cloudwatch.metrics.count('test', 'sent', { QueueName: 'q' }, 1);
    await model.clock.advance(milliseconds(15 * 24 * 60 * MINUTE));
    model.cloudwatch.metrics.count('test', 'sent', { QueueName: 'q' }, 1);
    expect(pointsOf(model, 'test', 'sent')).toEqual([[15 * 24 * 60, 1]]);
  });
});

describe('log lines in the embedded metric format', () => {
  const line = (at: number, more: object = {}) =>
    JSON.stringify({
      _aws: {
        Timestamp: at,
        CloudWatchMetrics: [
          {
            Namespace: 'sluice',
            Dimensions: [['subscriber'], ['subscriber', 'reason'], []],
            Metrics: [
              { Name: 'processed', Unit: 'Count' },
              { Name: 'handlerTime', Unit: 'Milliseconds' },
            ],
          },
        ],
      },
      subscriber: 'q',
      processed: 3,
      handlerTime: [10, 20, 30],
      ...more,
    });

  it('count once for every set of dimensions, arrays value by value', () => {
    const model = cloudWatchOnVirtualClock();
    expect(model.cloudwatch.ingestLogLine(line(model.began, { reason: 'schema' }))).toBe(true);
    expect(model.cloudwatch.ingestLogLine(line(model.began))).toBe(true);
    expect(pointsOf(model, 'sluice', 'processed', 'Sum', 'subscriber')).toEqual([[0, 6]]);
    expect(pointsOf(model, 'sluice', 'handlerTime', 'SampleCount', 'subscriber')).toEqual([[0, 6]]);
    expect(pointsOf(model, 'sluice', 'handlerTime', 'p50', 'subscriber')).toEqual([[0, 20]]);
    const { Metrics: metrics } = model.call<ListMetricsCommandOutput>('ListMetrics', {
      MetricName: 'processed',
    });
    expect(metrics!.map(({ Dimensions }) => Dimensions!.map(({ Name }) => Name))).toEqual([
      ['subscriber'],
      ['subscriber', 'reason'],
      [],
    ]);
  });

  it('count for the minute of their own timestamp; far away from now they are dropped', () => {
    const model = cloudWatchOnVirtualClock();
    expect(model.cloudwatch.ingestLogLine(line(model.began - 15 * 24 * 60 * MINUTE))).toBe(true);
    expect(model.cloudwatch.ingestLogLine(line(model.began + 3 * 60 * MINUTE))).toBe(true);
    expect(model.call('ListMetrics', {})).toEqual({ Metrics: [] });
    model.cloudwatch.ingestLogLine(line(model.began - 5 * MINUTE));
    expect(pointsOf(model, 'sluice', 'processed', 'Sum', 'subscriber', 10)).toEqual([[-5, 3]]);
  });

  it.each([
    'plain text',
    '{"level":"INFO","message":"hello"}',
    'a line that says "_aws" and is no JSON',
    '{"_aws":5}',
    '{"_aws":{"Timestamp":"now","CloudWatchMetrics":[]}}',
  ])('other lines are none: %s', (text) => {
    expect(cloudWatchOnVirtualClock().cloudwatch.ingestLogLine(text)).toBe(false);
  });
});

describe('a queue without activity', () => {
  it('stops publishing after six hours, and its first points after that come late', async () => {
    const model = cloudWatchOnVirtualClock();
    const queue = { QueueName: 'q' };
    let visible = 0;
    model.cloudwatch.metrics.gauge('AWS/SQS', 'ApproximateNumberOfMessagesVisible', queue, () => visible);
    const known = () => pointsOf(model, 'AWS/SQS', 'ApproximateNumberOfMessagesVisible', 'Maximum');
    const hours = (count: number) => model.clock.advance(milliseconds(count * 60 * MINUTE));

    await hours(10);
    expect(known().at(-1)).toEqual([358, 0]);

    visible = 5;
    model.cloudwatch.metrics.count('AWS/SQS', 'NumberOfMessagesSent', queue, 5);
    let minutes = 0;
    for (; known().at(-1)![0] === 358; minutes++) await model.minutes(1);
    expect(minutes).toBeGreaterThan(1);
    expect(minutes).toBeLessThanOrEqual(16);
    // Late, but with the time at which they were taken.
    expect(known().slice(359, 361)).toEqual([
      [600, 5],
      [601, 5],
    ]);

    await hours(20);
    expect(known().at(-1)).toEqual([600 + minutes + 1200 - 1, 5]);
  });

  it.each([
    ['sparse', []],
    [
      'always',
      [
        [0, 0],
        [1, 0],
        [2, 0],
      ],
    ],
  ] as const)('with %s counters', async (queueCounters, expected) => {
    const model = cloudWatchOnVirtualClock({ queueCounters });
    model.cloudwatch.metrics.gauge(
      'AWS/SQS',
      'ApproximateNumberOfMessagesVisible',
      { QueueName: 'q' },
      () => 0,
    );
    await model.minutes(3);
    expect(pointsOf(model, 'AWS/SQS', 'NumberOfMessagesDeleted')).toEqual(expected);
  });
});

describe('dashboards', () => {
  const body = JSON.stringify({
    widgets: [{ type: 'metric', x: 0, y: 0, width: 24, height: 6, properties: { metrics: [] } }],
  });

  it('are kept as they were put', () => {
    const model = cloudWatchOnVirtualClock();
    expect(model.call('PutDashboard', { DashboardName: 'orders', DashboardBody: body })).toEqual({
      DashboardValidationMessages: [],
    });
    const DashboardArn = 'arn:aws:cloudwatch::123456789012:dashboard/orders';
    expect(model.call('GetDashboard', { DashboardName: 'orders' })).toEqual({
      DashboardName: 'orders',
      DashboardArn,
      DashboardBody: body,
    });
    expect(model.call('ListDashboards', {})).toEqual({
      DashboardEntries: [
        { DashboardName: 'orders', DashboardArn, LastModified: new Date(model.began), Size: body.length },
      ],
    });
    model.call('DeleteDashboards', { DashboardNames: ['orders'] });
    for (const action of ['GetDashboard', 'DeleteDashboards'])
      expect(() => model.call(action, { DashboardName: 'orders', DashboardNames: ['orders'] })).toThrow(
        expect.objectContaining({ name: 'DashboardNotFoundError', statusCode: 404 }),
      );
  });

  it.each([
    ['{', '/: The body is not valid JSON'],
    ['{}', '/widgets: The body needs a list of widgets'],
    ['{"widgets":[{"type":"graph","properties":{}}]}', '/widgets/0/type'],
    ['{"widgets":[{"type":"text"}]}', '/widgets/0/properties'],
    ['{"widgets":[{"type":"text","properties":{},"x":12,"width":13}]}', 'ends at 25'],
    ['{"widgets":[{"type":"text","properties":{},"y":-1}]}', '/widgets/0/y'],
  ])('with the body %s are refused with the place', (DashboardBody, message) => {
    const model = cloudWatchOnVirtualClock();
    expect(() => model.call('PutDashboard', { DashboardName: 'orders', DashboardBody })).toThrow(message);
  });
});
