import type { Subscriber, Topic } from '../topology/index.ts';
import { recordsCost } from './dashboard-cost.ts';
import {
  counter,
  filled,
  type GraphDefinition,
  gauge,
  graph,
  type Line,
  numbered,
} from './dashboard-graph.ts';
import { type MetricDefinition, queueMetrics, recordsMetrics, topicMetrics } from './metrics.ts';

/**
 * How many subscribers one overview holds: more lines nobody tells apart, and an expression over all of them stays below
 * the 2,048 characters that CloudWatch takes (API reference, MetricDataQuery).
 */
export const subscribersInOverview = 50;

/** The graphs over many subscribers: who is in trouble, without a look at each. */
export function overviewGraphs(
  subscribers: readonly Subscriber[],
  topics: readonly Topic[],
): GraphDefinition[] {
  const ofEach = (metric: (name: string) => MetricDefinition) =>
    subscribers.map(({ name }, index) => numbered(metric(name), index));
  const ages = ofEach(queueMetrics.age);
  const part = subscribers.map(({ lag }, index) => `100 * ${ages[index]!.id} / ${lag}`);
  const waiting = ofEach(queueMetrics.visible);
  const dead = ofEach(queueMetrics.dead);
  const undelivered = ofEach(queueMetrics.undelivered);
  const sent = ofEach(queueMetrics.sent);
  const deleted = ofEach(queueMetrics.deleted);
  const failed = topics.map(({ name }, index) => numbered(topicMetrics.failed(name), index));
  const lines = (metrics: readonly MetricDefinition[]) =>
    metrics.map((metric, index) => gauge(subscribers[index]!.name, metric));
  const all = (
    label: string,
    metrics: readonly MetricDefinition[],
    reduce: string,
    text: readonly string[],
  ): Line => ({
    label,
    expression: `${reduce}([${text.join(', ')}])`,
    metrics,
  });
  const ids = (metrics: readonly MetricDefinition[]) => metrics.map(({ id }) => id);

  const graphs: GraphDefinition[] = [];
  if (subscribers.length > 0)
    graphs.push(
      graph(
        'Now',
        '',
        [
          all('worst lag, % of its SLO', ages, 'MAX', part),
          all('waiting', waiting, 'SUM', ids(waiting)),
          all('dead letters', dead, 'SUM', ids(dead)),
          all('not delivered by SNS', undelivered, 'SUM', ids(undelivered)),
          ...(failed.length === 0 ? [] : [all('deliveries failed', failed, 'SUM', failed.map(filled))]),
        ],
        { view: 'numbers', width: 24, height: 3 },
      ),
      graph(
        'Lag, as part of the SLO',
        '% of SLO',
        part.map((expression, index) => ({
          label: subscribers[index]!.name,
          expression,
          metrics: [ages[index]!],
        })),
        { annotations: [{ label: 'SLO', value: 100 }] },
      ),
      graph('Backlog', 'messages', lines(waiting)),
      graph('Arrivals and completions', 'messages a period', [
        all('arrived', sent, 'SUM', sent.map(filled)),
        all('completed', deleted, 'SUM', deleted.map(filled)),
      ]),
      graph('Dead letters', 'messages', lines(dead)),
    );
  return graphs;
}

/** The graphs of what all subscribers share. */
export function sharedGraphs(topics: readonly Topic[]): GraphDefinition[] {
  const { writeUnits, readUnits, writeThrottles } = recordsMetrics;
  return [
    ...(topics.length === 0
      ? []
      : [
          graph(
            'Deliveries that SNS gave up',
            'messages a period',
            topics.map(({ name }, index) => counter(name, numbered(topicMetrics.failed(name), index))),
            { width: 8, height: 5 },
          ),
        ]),
    graph(
      'Table of records',
      'units a period',
      [
        counter('written', writeUnits),
        counter('read', readUnits),
        counter('writes throttled', writeThrottles),
      ],
      { width: 8, height: 5 },
    ),
    graph('Estimated cost of records', 'US$ an hour', [recordsCost()], { width: 8, height: 5 }),
  ];
}
