import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type DashboardRow,
  dashboardLimits,
  dashboardOf,
  dashboardPages,
  type GraphDefinition,
  type MetricDefinition,
  periodChoices,
  prices,
  subscriberAlarms,
} from '../../lib/monitoring/index.ts';
import { defineMessaging, event, type Messaging, minutes, seconds } from '../../lib/topology/index.ts';

const schema = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

const shop = defineMessaging({
  name: 'shop',
  topics: { orders: { fifo: true }, 'side-news': {} },
  events: { placed: event({ topic: 'orders', schema }), told: event({ topic: 'side-news', schema }) },
  subscribers: {
    payments: {
      on: ['placed'],
      fifo: true,
      handler: 'p.ts',
      lag: seconds(45),
      timeout: seconds(10),
      concurrency: 7,
    },
    transcoder: { on: ['placed'], handler: 't.ts', lag: minutes(90), timeout: minutes(15), batchSize: 100 },
    previews: { on: ['placed'], handler: 'v.ts', lag: minutes(90) },
  },
});

/** As many subscribers as wanted, on one topic. */
const many = (count: number): Messaging =>
  defineMessaging({
    name: 'many',
    topics: { all: {} },
    events: { happened: event({ topic: 'all', schema }) },
    subscribers: Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `reader-${index}`,
        { on: ['happened' as const], handler: 'h.ts', lag: seconds(86_400) },
      ]),
    ),
  });

const rows = dashboardOf(shop);
const row = (name: string, of: readonly DashboardRow[] = rows): DashboardRow =>
  of.find(({ subject }) => subject.name === name)!;
const graphOf = (of: DashboardRow, title: string): GraphDefinition => {
  const found = of.graphs.find((graph) => graph.title === title);
  expect(found, title).toBeDefined();
  return found!;
};

/** The names that an expression uses, functions and operators apart. */
const idsIn = (expression: string): string[] => [
  ...new Set(expression.match(/\b[a-z][A-Za-z0-9_]*\b/g) ?? []),
];

describe('The dashboard has an overview, then a row for each topic and each subscriber', () => {
  it('in the order of the declaration, topics first', () => {
    expect(rows.map(({ subject }) => `${subject.kind} ${subject.name}`)).toEqual([
      'overview shop',
      'topic orders',
      'topic side-news',
      'subscriber payments',
      'subscriber transcoder',
      'subscriber previews',
    ]);
  });

  it('the overview tells who is in trouble: numbers, then a line for each subscriber', () => {
    expect(rows[0]!.graphs.map(({ title }) => title)).toEqual([
      'Now',
      'Lag, as part of the SLO',
      'Backlog',
      'Arrivals and completions',
      'Dead letters',
      'Deliveries that SNS gave up',
      'Table of records',
      'Estimated cost of records',
    ]);
    const lag = graphOf(rows[0]!, 'Lag, as part of the SLO');
    expect(lag.series).toEqual([
      { label: 'payments', expression: '100 * age0 / 45' },
      { label: 'transcoder', expression: '100 * age1 / 5400' },
      { label: 'previews', expression: '100 * age2 / 5400' },
    ]);
    expect(lag.annotations).toEqual([{ label: 'SLO', value: 100 }]);
    expect(graphOf(rows[0]!, 'Now').series[0]).toEqual({
      label: 'worst lag, % of its SLO',
      expression: 'MAX([100 * age0 / 45, 100 * age1 / 5400, 100 * age2 / 5400])',
    });
  });

  it('a subscriber’s shows lag, backlog, flow, outcomes, dead letters, its function and what it costs', () => {
    expect(row('payments').graphs.map(({ title }) => title)).toEqual([
      'Lag',
      'Backlog',
      'Arrivals and completions',
      'Outcomes',
      'Dead letters',
      'Function',
      'Concurrency',
      'Duration (p99)',
      'Cost drivers',
      'Estimated cost',
    ]);
  });

  it('the SLO of the alarm is the line in the graph, and the bound on environments too', () => {
    for (const subscriber of Object.values(shop.subscribers)) {
      const [lag] = row(subscriber.name).graphs;
      const alarm = subscriberAlarms(subscriber).find(({ id }) => id === 'A');
      const slo = alarm?.kind === 'metric' ? alarm.threshold : undefined;
      expect(lag?.annotations).toEqual([{ label: `SLO ${slo} s`, value: slo }]);
    }
    expect(graphOf(row('payments'), 'Concurrency').annotations).toEqual([{ label: 'at most 7', value: 7 }]);
  });

  it('a subscriber without a function has no graph of what Lambda counts, and keeps all others', () => {
    const worked = dashboardOf(shop, { hasFunction: (name) => name !== 'payments' });
    const metrics = row('payments', worked).graphs.flatMap((graph) => graph.metrics);
    expect(metrics.filter(({ target }) => target.kind === 'function')).toEqual([]);
    expect(row('payments', worked).graphs.map(({ title }) => title)).toEqual([
      'Lag',
      'Backlog',
      'Arrivals and completions',
      'Outcomes',
      'Dead letters',
      'Duration (p99)',
      'Cost drivers',
      'Estimated cost',
    ]);
    expect(graphOf(row('payments', worked), 'Estimated cost').series.map(({ label }) => label)).toEqual([
      'SQS',
    ]);
    expect(row('previews', worked)).toEqual(row('previews'));
  });

  it('a stack that holds some of the subscribers shows those', () => {
    const some = dashboardOf(shop, { subscribers: ['previews'] });
    expect(some.map(({ subject }) => subject.name)).toEqual(['shop', 'orders', 'side-news', 'previews']);
    expect(graphOf(some[0]!, 'Backlog').series.map(({ label }) => label)).toEqual(['previews']);
  });
});

describe('Costs are estimated from list prices, in dollars an hour whatever the period is', () => {
  const cost = (name: string, label: string) =>
    graphOf(row(name), 'Estimated cost').series.find((each) => each.label === label)?.expression;

  it('SQS by calls: a delivery each, receives and deletes in batches', () => {
    expect(cost('payments', 'SQS')).toBe(
      '3600 * ((FILL(sent, 0) + (FILL(recv, 0) + FILL(del, 0)) / 10 + FILL(empty, 0)) * 0.5 / 1000000) / PERIOD(sent)',
    );
    // A batch of 100 is gathered from calls of ten.
    expect(cost('transcoder', 'SQS')).toContain('/ 10 + FILL(empty, 0)) * 0.4 /');
  });

  it('Lambda by invocations and by memory held', () => {
    expect(cost('payments', 'Lambda')).toBe(
      `3600 * (FILL(inv, 0) * 0.2 / 1000000 + FILL(time, 0) * ${shop.subscribers.payments.memorySize} / 1024 / 1000 * 0.0000133334) / PERIOD(inv)`,
    );
  });

  it('SNS by publishes; FIFO by deliveries and size too', () => {
    expect(cost('side-news', 'SNS')).toBe('3600 * (FILL(pub, 0) * 0.5 / 1000000) / PERIOD(pub)');
    expect(cost('orders', 'SNS')).toContain('FILL(size, 0) * 0.017 / 1000000000');
  });

  it('each price says where it is from', () => {
    for (const [name, { value, unit, source, asOf }] of Object.entries(prices)) {
      expect(value, name).toBeGreaterThan(0);
      expect([unit, source], name).not.toContain('');
      expect(asOf, name).toMatch(/^20\d\d-\d\d$/);
    }
  });

  it('no number is written in a way that metric math does not read', () => {
    for (const { graphs } of rows)
      for (const { series } of graphs)
        for (const { expression } of series) expect(expression).not.toMatch(/\d[eE][-+]?\d/);
  });
});

describe('Every graph is one that CloudWatch draws', () => {
  const graphs = [...rows, ...dashboardOf(many(200))].flatMap((each) => each.graphs);

  it('every line names metrics that the graph has, under ids that do not clash', () => {
    for (const { title, metrics, series } of graphs) {
      const ids = metrics.map(({ id }) => id);
      expect(new Set(ids).size, title).toBe(ids.length);
      for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9_]*$/);
      const named = new Set(series.flatMap(({ expression }) => idsIn(expression)));
      expect([...named].sort(), title).toEqual(ids.sort());
      expect(new Set(series.map(({ label }) => label)).size).toBe(series.length);
    }
  });

  it('no expression is longer than the 2,048 characters that CloudWatch takes', () => {
    for (const { series } of graphs)
      for (const { expression } of series) expect(expression.length).toBeLessThanOrEqual(2_048);
  });

  it('a gauge is not summed over time: its sum depends on how often it is published', () => {
    const gauges = graphs
      .flatMap(({ metrics }) => metrics)
      .filter(({ name }) => name.startsWith('Approximate') || name === 'ConcurrentExecutions');
    expect(new Set(gauges.map(({ statistic }) => statistic))).toEqual(new Set(['Maximum']));
  });

  it('every metric is one that somebody publishes', () => {
    // What AWS publishes, by the pages "Available CloudWatch metrics" of each service's developer guide.
    const published: Readonly<Record<string, readonly string[]>> = {
      'AWS/SQS': [
        'ApproximateAgeOfOldestMessage',
        'ApproximateNumberOfGroupsWithInflightMessages',
        'ApproximateNumberOfMessagesDelayed',
        'ApproximateNumberOfMessagesNotVisible',
        'ApproximateNumberOfMessagesVisible',
        'NumberOfEmptyReceives',
        'NumberOfMessagesDeleted',
        'NumberOfMessagesReceived',
        'NumberOfMessagesSent',
        'SentMessageSize',
      ],
      'AWS/SNS': [
        'NumberOfMessagesPublished',
        'NumberOfNotificationsDelivered',
        'NumberOfNotificationsFailed',
        'NumberOfNotificationsFailedToRedriveToDlq',
        'NumberOfNotificationsRedrivenToDlq',
        'PublishSize',
      ],
      'AWS/Lambda': ['ConcurrentExecutions', 'Duration', 'Errors', 'Invocations', 'Throttles'],
      'AWS/DynamoDB': ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits', 'WriteThrottleEvents'],
    };
    const runtime = readFileSync(new URL('../../lambda/runtime/emf.ts', import.meta.url), 'utf8');
    for (const { namespace, name } of graphs.flatMap(({ metrics }) => metrics))
      if (namespace === 'sluice') expect(runtime, name).toMatch(new RegExp(`['".\\s{]${name}\\b`));
      else expect(published[namespace], `${namespace} ${name}`).toContain(name);
  });

  it('the first period is that of the metrics, and each is one that CloudWatch has', () => {
    const periods = new Set(
      graphs.flatMap(({ metrics }) => metrics.map((each: MetricDefinition) => each.period)),
    );
    expect([...periods]).toEqual([periodChoices[0].period]);
    for (const { period } of periodChoices) expect(period % 60).toBe(0);
  });
});

describe('Many subscribers are spread over several dashboards', () => {
  const large = dashboardOf(many(200));
  const pages = dashboardPages(large, { alarms: 2_000 });

  it('each within the limits of CloudWatch', () => {
    expect(pages.length).toBeGreaterThan(1);
    for (const [index, page] of pages.entries()) {
      const graphs = page.lines.flat(2);
      const widgets = graphs.length + page.rows.length + 1 + (index === 0 ? 21 : 0);
      expect(widgets).toBeLessThanOrEqual(dashboardLimits.widgets);
      const metrics = graphs.reduce((sum, graph) => sum + graph.metrics.length, 0);
      expect(metrics).toBeLessThanOrEqual(dashboardLimits.metrics);
      for (const graph of graphs)
        expect(graph.metrics.length).toBeLessThanOrEqual(dashboardLimits.metricsOfWidget);
    }
  });

  it('and nothing is left out or shown twice', () => {
    expect(pages.flatMap((page) => page.rows)).toEqual(large);
  });

  it('one more widget or metric than there is room for begins another', () => {
    const graph = (metrics: number): GraphDefinition => ({
      title: 'g',
      unit: '',
      annotations: [],
      series: [],
      metrics: Array<MetricDefinition>(metrics).fill(row('payments').graphs[0]!.metrics[0]!),
    });
    const of = (name: string, metrics: number): DashboardRow => ({
      subject: { kind: 'topic', name },
      title: name,
      graphs: [graph(metrics), graph(metrics)],
    });
    // Links, then two rows of a heading and two graphs each.
    const count = (limits: Parameters<typeof dashboardPages>[1]) =>
      dashboardPages([of('a', 5), of('b', 5)], limits).length;
    expect(count({ limits: { widgets: 7, metrics: 20, metricsOfWidget: 5 } })).toBe(1);
    expect(count({ limits: { widgets: 6, metrics: 20, metricsOfWidget: 5 } })).toBe(2);
    expect(count({ limits: { widgets: 7, metrics: 19, metricsOfWidget: 5 } })).toBe(2);
    expect(() => count({ limits: { widgets: 7, metrics: 20, metricsOfWidget: 4 } })).toThrow(
      'The graph "g" of "a" has 5 metrics; a graph of CloudWatch has at most 4.',
    );
    expect(() => count({ limits: { widgets: 3, metrics: 20, metricsOfWidget: 5 } })).toThrow(
      'The row "a" has 3 widgets and 10 metrics; a dashboard of CloudWatch has at most 3 and 20.',
    );
  });

  it('the graphs of a row fill its lines to the last column', () => {
    for (const line of pages.flatMap((page) => page.lines.flat()))
      expect(line.reduce((sum, { width }) => sum + width, 0)).toBe(dashboardLimits.columns);
  });
});
