import { equal, ok } from 'node:assert/strict';
import {
  GetMetricDataCommand,
  GetMetricStatisticsCommand,
  ListMetricsCommand,
  type MetricDataQuery,
} from '@aws-sdk/client-cloudwatch';
import { type ConformanceCase, group } from '../case.ts';
import { type Datum, metric, minuteAt, namespaceOf, publish, read, values } from './kit/cloudwatch.ts';
import { refused } from './kit/refusal.ts';

const putting = 'CloudWatch API reference, PutMetricData';
const getting = 'CloudWatch API reference, GetMetricData';
const statistics = 'CloudWatch user guide, "CloudWatch statistics definitions"';
const math = 'CloudWatch user guide, "Using metric math"';
const wrong = {
  name: [
    'InvalidParameterValueException',
    'InvalidParameterValue',
    'InvalidParameterCombinationException',
    'InvalidParameterCombination',
    'ValidationException',
    'ValidationError',
    'MissingRequiredParameterException',
    'MissingParameter',
  ],
} as const;

/** What a statistic makes of data of one minute. */
const statistic = (
  name: string,
  title: string,
  data: readonly Datum[],
  expected: Readonly<Record<string, number>>,
  says: string,
): ConformanceCase => ({
  name,
  title,
  source: { page: statistics, says },
  async run(world) {
    const namespace = namespaceOf(world);
    const Timestamp = minuteAt(world, -2);
    await publish(
      world,
      namespace,
      data.map((one) => ({ ...one, Timestamp })),
    );
    for (const [stat, value] of Object.entries(expected)) {
      const [found] = await values(world, [metric('a', namespace, stat)], 1);
      equal(found, value, `${stat} is ${found}, it should be ${value}.`);
    }
  },
});

/** A value that is refused. */
const refusal = (
  name: string,
  title: string,
  datum: Datum | readonly Datum[],
  says: string,
  namespace?: string,
): ConformanceCase => ({
  name,
  title,
  source: { page: putting, says },
  async run(world) {
    await refused(title.replace(/ is refused\.$/, ''), wrong, () =>
      publish(world, namespace ?? namespaceOf(world), [datum].flat()),
    );
  },
});

/** What an expression makes of `a` = 1, 2, 3 and `b` = 10, missing, 30 in three minutes. */
const expression = (
  name: string,
  title: string,
  Expression: string,
  expected: readonly number[],
  says: string,
  conflict?: string,
): ConformanceCase => ({
  name,
  title,
  source: { page: math, says, ...(conflict === undefined ? {} : { conflict }) },
  async run(world) {
    const namespace = namespaceOf(world);
    const datum = (MetricName: string, minutes: number, Value: number) => ({
      MetricName,
      Value,
      Timestamp: minuteAt(world, minutes),
    });
    await publish(world, namespace, [
      datum('a', -5, 1),
      datum('a', -4, 2),
      datum('a', -3, 3),
      datum('b', -5, 10),
      datum('b', -3, 30),
    ]);
    await values(world, [metric('a', namespace, 'Sum', { MetricName: 'a' })], 3);
    const queries: MetricDataQuery[] = [
      metric('a', namespace, 'Sum', { MetricName: 'a', ReturnData: false }),
      metric('b', namespace, 'Sum', { MetricName: 'b', ReturnData: false }),
      { Id: 'e', Expression, ReturnData: true },
    ];
    const { MetricDataResults = [] } = await world.cloudwatch.send(
      new GetMetricDataCommand({
        MetricDataQueries: queries,
        StartTime: minuteAt(world, -5),
        EndTime: minuteAt(world, -2),
        ScanBy: 'TimestampAscending',
      }),
    );
    equal(
      MetricDataResults.map(({ Id }) => Id).join(),
      'e',
      'Other results than that of the expression came.',
    );
    const found = MetricDataResults[0]?.Values?.join(', ');
    equal(
      found,
      expected.join(', '),
      `${Expression} gives ${found || 'nothing'}, not ${expected.join(', ')}.`,
    );
  },
});

/** Queries that are refused. */
const badQuery = (
  name: string,
  title: string,
  queries: (namespace: string) => readonly MetricDataQuery[],
  says: string,
): ConformanceCase => ({
  name,
  title,
  source: { page: getting, says },
  async run(world) {
    const namespace = namespaceOf(world);
    await refused(title.replace(/ (is|are) refused\.$/, ''), wrong, () => read(world, queries(namespace)));
  },
});

export const cloudwatchData = group(
  'cloudwatch-data',
  'Metrics: publishing and reading',
  ['cloudwatch'],
  [
    statistic(
      'statistics-of-single-values',
      'Single values of one minute are summed, averaged and counted.',
      [{ Value: 1 }, { Value: 2 }, { Value: 6 }],
      { Sum: 9, Average: 3, Minimum: 1, Maximum: 6, SampleCount: 3 },
      'the definitions of Sum, Average, Minimum, Maximum and SampleCount',
    ),
    statistic(
      'statistics-of-values-and-counts',
      'Values with counts count so many times.',
      [{ Values: [1, 10], Counts: [3, 1] }],
      { Sum: 13, Average: 3.25, Minimum: 1, Maximum: 10, SampleCount: 4 },
      'Counts says how often each of Values occurred',
    ),
    statistic(
      'statistics-of-statistic-sets',
      'Sets of statistics are joined.',
      [
        { StatisticValues: { Sum: 10, SampleCount: 4, Minimum: 1, Maximum: 5 } },
        { StatisticValues: { Sum: 2, SampleCount: 2, Minimum: 0, Maximum: 2 } },
      ],
      { Sum: 12, Average: 2, Minimum: 0, Maximum: 5, SampleCount: 6 },
      'statistic sets can be published instead of values',
    ),
    statistic(
      'percentiles',
      'Percentiles are taken from the values of the period.',
      [{ Values: [1, 100], Counts: [90, 10] }],
      { p50: 1, p80: 1, p95: 100, p100: 100 },
      'pNN is the value below which so many per cent lie',
    ),
    {
      name: 'period-of-several-minutes',
      title: 'A longer period joins its minutes.',
      source: { page: statistics, says: 'statistics are aggregations over the period that is asked for' },
      async run(world) {
        const namespace = namespaceOf(world);
        const five = 5 * 60_000;
        const start = new Date(Math.floor(world.now() / five) * five - five);
        const at = (minutes: number, Value: number) => ({
          Value,
          Timestamp: new Date(start.getTime() + minutes * 60_000),
        });
        await publish(world, namespace, [at(0, 1), at(2, 2), at(4, 6)]);
        await values(world, [metric('a', namespace, 'Sum')], 3);
        equal((await values(world, [metric('a', namespace, 'Sum', { Period: 300 })], 1)).join(), '9');
        equal((await values(world, [metric('a', namespace, 'Average', { Period: 300 })], 1)).join(), '3');
      },
    },
    {
      name: 'dimensions-make-another-metric',
      title: 'The same name with other dimensions is another metric, and none of them is the sum.',
      source: {
        page: 'CloudWatch user guide, "Metrics concepts"',
        says: 'each combination of dimensions is a metric of its own; custom metrics are not aggregated over them',
      },
      async run(world) {
        const namespace = namespaceOf(world);
        const Timestamp = minuteAt(world, -2);
        const of = (Value: string, value: number) => ({
          Value: value,
          Timestamp,
          Dimensions: [{ Name: 'queue', Value }],
        });
        await publish(world, namespace, [of('one', 1), of('two', 2)]);
        const [one] = await values(
          world,
          [metric('a', namespace, 'Sum', { Dimensions: { queue: 'one' } })],
          1,
        );
        equal(one, 1);
        const [without] = await read(world, [metric('a', namespace, 'Sum')]);
        equal(
          without?.Values?.length ?? 0,
          0,
          'A metric without dimensions has points that nobody published.',
        );
      },
    },
    expression(
      'math-series-with-number',
      'A number is applied to each point.',
      'a * 2 + 1',
      [3, 5, 7],
      'arithmetic',
    ),
    expression(
      'math-missing-counts-as-zero',
      'In arithmetic of two series a missing point counts as 0.',
      'a + b',
      [11, 2, 33],
      'missing values of a series are treated as 0 in arithmetic with another',
    ),
    expression(
      'math-division-by-zero-drops-the-point',
      'A division by 0 gives no point.',
      'a / (a - 2)',
      [-1, 3],
      'a point whose value would be no number is dropped',
    ),
    expression('math-fill', 'FILL puts a value where a point is missing.', 'FILL(b, 7)', [10, 7, 30], 'FILL'),
    expression(
      'math-if',
      'IF chooses by a comparison at each point.',
      'IF(a > 1, 100, 0)',
      [0, 100, 100],
      'comparisons give 1 and 0, IF(condition, trueValue, falseValue)',
    ),
    expression('math-diff', 'DIFF is the difference to the point before.', 'DIFF(a)', [1, 1], 'DIFF'),
    expression('math-sum-of-a-list', 'SUM of a list adds its series.', 'SUM([a, b])', [11, 2, 33], 'SUM'),
    expression(
      'math-max-of-a-list',
      'MAX of a list is the largest of its series.',
      'MAX([a, b])',
      [10, 2, 30],
      'MAX',
    ),
    expression('math-period', 'PERIOD is the period of a metric.', 'a * PERIOD(a)', [60, 120, 180], 'PERIOD'),
    expression(
      'math-and-or',
      'AND and OR join comparisons.',
      'IF(a > 1 AND a < 3, 1, 0)',
      [0, 1, 0],
      'logical operators',
    ),
    {
      name: 'order-of-time',
      title: 'Points come with the newest first, unless ScanBy says otherwise.',
      source: { page: getting, says: 'ScanBy: TimestampDescending is the default' },
      async run(world) {
        const namespace = namespaceOf(world);
        await publish(
          world,
          namespace,
          [-4, -3, -2].map((offset) => ({ Value: -offset, Timestamp: minuteAt(world, offset) })),
        );
        await values(world, [metric('a', namespace, 'Sum')], 3);
        const { MetricDataResults = [] } = await world.cloudwatch.send(
          new GetMetricDataCommand({
            MetricDataQueries: [metric('a', namespace, 'Sum')],
            StartTime: minuteAt(world, -10),
            EndTime: minuteAt(world, 0),
          }),
        );
        equal(MetricDataResults[0]?.Values?.join(), '2,3,4');
      },
    },
    {
      name: 'pages-of-points',
      title: 'MaxDatapoints cuts the answer, and its token leads to the rest.',
      source: { page: getting, says: 'NextToken when there is more than MaxDatapoints' },
      async run(world) {
        const namespace = namespaceOf(world);
        await publish(
          world,
          namespace,
          [-4, -3, -2].map((offset) => ({ Value: -offset, Timestamp: minuteAt(world, offset) })),
        );
        await values(world, [metric('a', namespace, 'Sum')], 3);
        const found: number[] = [];
        let NextToken: string | undefined;
        let pages = 0;
        do {
          const answer = await world.cloudwatch.send(
            new GetMetricDataCommand({
              MetricDataQueries: [metric('a', namespace, 'Sum')],
              StartTime: minuteAt(world, -10),
              EndTime: minuteAt(world, 0),
              MaxDatapoints: 2,
              NextToken,
            }),
          );
          pages += 1;
          found.push(...(answer.MetricDataResults?.[0]?.Values ?? []));
          NextToken = answer.NextToken;
        } while (NextToken !== undefined && pages < 5);
        equal(found.join(), '2,3,4');
        ok(pages >= 2, 'Three points came in one answer of two.');
      },
    },
    {
      name: 'statistics-of-the-old-action',
      title: 'GetMetricStatistics gives every statistic that it is asked for.',
      source: {
        page: 'CloudWatch API reference, GetMetricStatistics',
        says: 'Statistics and ExtendedStatistics',
      },
      async run(world) {
        const namespace = namespaceOf(world);
        await publish(world, namespace, [
          { Values: [1, 2, 3], Timestamp: minuteAt(world, -2), Unit: 'Seconds' },
        ]);
        await values(world, [metric('a', namespace, 'Sum')], 1);
        const { Datapoints = [], Label } = await world.cloudwatch.send(
          new GetMetricStatisticsCommand({
            Namespace: namespace,
            MetricName: 'm',
            StartTime: minuteAt(world, -10),
            EndTime: minuteAt(world, 0),
            Period: 60,
            Statistics: ['Sum', 'Maximum', 'SampleCount'],
          }),
        );
        const [point] = Datapoints;
        equal(`${point?.Sum} ${point?.Maximum} ${point?.SampleCount}`, '6 3 3');
        equal(`${Label} ${point?.Unit}`, 'm Seconds');
        equal(point?.Timestamp?.getTime(), minuteAt(world, -2).getTime(), 'The point has another time.');
      },
    },
    {
      name: 'listed-by-namespace-and-dimension',
      title: 'ListMetrics finds metrics by namespace, name and dimension.',
      source: {
        page: 'CloudWatch API reference, ListMetrics',
        says: 'the filters, and new metrics within 15 minutes',
      },
      async run(world) {
        const namespace = namespaceOf(world);
        await publish(world, namespace, [
          { Value: 1, Dimensions: [{ Name: 'queue', Value: 'one' }] },
          { Value: 1, Dimensions: [{ Name: 'queue', Value: 'two' }] },
        ]);
        const within = world.server === 'aws' ? 900 : 5;
        const list = (Dimensions?: { Name: string; Value?: string }[]) =>
          world.cloudwatch.send(
            new ListMetricsCommand({ Namespace: namespace, MetricName: 'm', Dimensions }),
          );
        await world.eventually('two metrics to be listed', within, async () =>
          (await list()).Metrics?.length === 2 ? true : undefined,
        );
        const { Metrics = [] } = await list([{ Name: 'queue', Value: 'two' }]);
        equal(Metrics.map((one) => one.Dimensions?.map(({ Value }) => Value).join()).join(), 'two');
        equal((await list([{ Name: 'queue' }])).Metrics?.length, 2, 'By the name of a dimension alone.');
      },
    },
    refusal(
      'namespace-of-aws',
      'A namespace that begins with AWS/ is refused.',
      { Value: 1 },
      'namespaces of AWS are reserved',
      'AWS/Mine',
    ),
    refusal(
      'value-that-is-no-number',
      'A value of NaN is refused.',
      { Value: Number.NaN },
      'special values such as NaN and infinity are not taken',
    ),
    refusal(
      'counts-of-another-length',
      'Counts of another length than Values is refused.',
      { Values: [1, 2], Counts: [1] },
      'Counts has as many entries as Values',
    ),
    refusal(
      'more-than-150-values',
      'More than 150 values of one metric is refused.',
      { Values: Array.from({ length: 151 }, (_, index) => index) },
      'Values has 150 entries at most',
    ),
    refusal(
      'more-than-a-thousand-metrics',
      'A call of more than 1,000 metrics is refused.',
      Array.from({ length: 1001 }, () => ({ Value: 1 })),
      '1,000 metrics in one call',
    ),
    refusal(
      'more-than-thirty-dimensions',
      'A metric of more than 30 dimensions is refused.',
      { Value: 1, Dimensions: Array.from({ length: 31 }, (_, index) => ({ Name: `d${index}`, Value: 'x' })) },
      '30 dimensions',
    ),
    {
      name: 'older-than-two-weeks',
      title: 'A time of more than two weeks ago is refused, and one of more than two hours ahead.',
      source: { page: putting, says: 'time stamps: from two weeks before to two hours after now' },
      async run(world) {
        for (const days of [-15, 0.125])
          await refused(`a time ${days} days from now`, wrong, () =>
            publish(world, namespaceOf(world), [
              { Value: 1, Timestamp: new Date(world.now() + days * 86_400_000) },
            ]),
          );
      },
    },
    {
      name: 'start-after-end',
      title: 'A start that is not before the end is refused.',
      source: { page: getting, says: 'StartTime is before EndTime' },
      async run(world) {
        await refused('a range that ends before it begins', wrong, () =>
          world.cloudwatch.send(
            new GetMetricDataCommand({
              MetricDataQueries: [metric('a', 'nothing', 'Sum')],
              StartTime: minuteAt(world, 0),
              EndTime: minuteAt(world, -5),
            }),
          ),
        );
      },
    },
    badQuery(
      'id-that-begins-upper-case',
      'An id that does not begin with a lower-case letter is refused.',
      (namespace) => [metric('A', namespace, 'Sum')],
      'Id begins with a lower-case letter',
    ),
    badQuery(
      'id-that-is-used-twice',
      'An id that is used twice is refused.',
      (namespace) => [metric('a', namespace, 'Sum'), metric('a', namespace, 'Maximum')],
      'Id is unique within a call',
    ),
    badQuery(
      'expression-with-an-unknown-id',
      'An expression with an unknown id is refused.',
      (namespace) => [metric('a', namespace, 'Sum'), { Id: 'e', Expression: 'a + nobody' }],
      'an expression refers to ids of the call',
    ),
    badQuery(
      'expression-that-cannot-be-parsed',
      'An expression that cannot be parsed is refused.',
      (namespace) => [metric('a', namespace, 'Sum'), { Id: 'e', Expression: 'a + (' }],
      'the syntax of metric math',
    ),
    badQuery(
      'period-of-45-seconds',
      'A period of 45 s is refused.',
      (namespace) => [metric('a', namespace, 'Sum', { Period: 45 })],
      'Period is 1, 5, 10, 20, 30 or a multiple of 60',
    ),
    badQuery(
      'unknown-statistic',
      'A statistic that does not exist is refused.',
      (namespace) => [metric('a', namespace, 'Typical')],
      'the statistics and extended statistics',
    ),
  ],
);
