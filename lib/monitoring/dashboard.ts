import type { Messaging, Subscriber, Topic } from '../topology/index.ts';
import { functionCost, functionTime, queueCost, topicCost } from './dashboard-cost.ts';
import { counter, type GraphDefinition, gauge, graph } from './dashboard-graph.ts';
import { overviewGraphs, sharedGraphs, subscribersInOverview } from './dashboard-overview.ts';
import {
  deadLetterReasons,
  functionMetrics,
  type MetricDefinition,
  queueMetrics,
  runtimeMetrics,
  topicMetrics,
} from './metrics.ts';

/**
 * One row of a dashboard: an overview, a topic's, or a subscriber's.
 *
 * @example
 * ```ts
 * const [first]: DashboardRow[] = dashboardOf(shop);
 * first?.graphs.map((graph) => graph.title);
 * ```
 */
export interface DashboardRow {
  readonly subject:
    | { readonly kind: 'overview'; readonly name: string }
    | { readonly kind: 'subscriber'; readonly name: string }
    | { readonly kind: 'topic'; readonly name: string };
  readonly title: string;
  readonly graphs: readonly GraphDefinition[];
}

/**
 * What a stack has of the things that a dashboard shows.
 *
 * @example
 * ```ts
 * const parts: DashboardParts = { subscribers: ['payments'], hasFunction: () => false };
 * ```
 */
export interface DashboardParts {
  /**
   * The subscribers that the stack holds, by name.
   *
   * @default - all that are declared
   */
  readonly subscribers?: readonly string[] | undefined;
  /**
   * Whether a Lambda function consumes for a subscriber; without one there is nothing that Lambda counts.
   *
   * @default - for each
   */
  readonly hasFunction?: ((subscriber: string) => boolean) | undefined;
}

/**
 * The dashboard of a stack as data: an overview, a row for each topic, then a row for each subscriber.
 *
 * @param parts - what of the declaration the stack has; everything unless said otherwise
 * @example
 * ```ts
 * dashboardOf(shop).map((row) => row.title);
 * ```
 */
export function dashboardOf(messaging: Messaging, parts: DashboardParts = {}): DashboardRow[] {
  const { hasFunction = () => true } = parts;
  const topics = Object.values(messaging.topics);
  const subscribers = Object.values<Subscriber>(messaging.subscribers).filter(
    ({ name }) => parts.subscribers?.includes(name) ?? true,
  );
  return [
    ...overviewRows(messaging.name, subscribers, topics),
    ...topics.map(topicRow),
    ...subscribers
      .map(subscriberRow)
      .map((row) => (hasFunction(row.subject.name) ? row : withoutFunction(row))),
  ];
}

function overviewRows(
  name: string,
  subscribers: readonly Subscriber[],
  topics: readonly Topic[],
): DashboardRow[] {
  const count = Math.max(1, Math.ceil(subscribers.length / subscribersInOverview));
  return Array.from({ length: count }, (_, index) => {
    const some = subscribers.slice(index * subscribersInOverview, (index + 1) * subscribersInOverview);
    return {
      subject: { kind: 'overview', name },
      title: count === 1 ? 'Overview' : `Overview: ${some[0]?.name} to ${some.at(-1)?.name}`,
      // The first shows what is of all subscribers.
      graphs: [
        ...overviewGraphs(some, index === 0 ? topics : []),
        ...(index === 0 ? sharedGraphs(topics) : []),
      ],
    };
  });
}

function topicRow(topic: Topic): DashboardRow {
  const { name, fifo, events } = topic;
  return {
    subject: { kind: 'topic', name },
    title: `Topic ${name} (${fifo ? 'FIFO' : 'standard'}): ${events.join(', ')}`,
    graphs: [
      graph(
        'Published and delivered',
        'messages a period',
        [
          counter('published', topicMetrics.published(name)),
          counter('delivered', topicMetrics.delivered(name)),
        ],
        { width: 8, height: 5 },
      ),
      graph(
        'Deliveries that failed',
        'messages a period',
        [counter('given up', topicMetrics.failed(name)), counter('lost', topicMetrics.failedToRedrive(name))],
        { width: 8, height: 5 },
      ),
      graph('Estimated cost', 'US$ an hour', [topicCost(topic)], { view: 'stacked', width: 8, height: 5 }),
    ],
  };
}

function subscriberRow(subscriber: Subscriber): DashboardRow {
  const { name, lag, fifo, topic, concurrency } = subscriber;
  return {
    subject: { kind: 'subscriber', name },
    title: `Subscriber ${name} (${fifo ? 'FIFO' : 'standard'}, topic ${topic})`,
    graphs: [
      graph('Lag', 'seconds', [gauge('age of the oldest message', queueMetrics.age(name))], {
        annotations: [{ label: `SLO ${lag} s`, value: lag }],
      }),
      graph('Backlog', 'messages', [
        gauge('waiting', queueMetrics.visible(name)),
        gauge('in flight', queueMetrics.inFlight(name)),
        ...(fifo ? [gauge('groups in flight', queueMetrics.groupsInFlight(name))] : []),
      ]),
      graph('Arrivals and completions', 'messages a period', [
        counter('arrived', queueMetrics.sent(name)),
        counter('completed', queueMetrics.deleted(name)),
      ]),
      graph('Outcomes', 'messages a period', [
        counter('processed', runtimeMetrics.processed(name)),
        counter('failed', runtimeMetrics.failed(name)),
        counter('duplicates suppressed', runtimeMetrics.duplicates(name)),
        counter('deferred', runtimeMetrics.deferred(name)),
        counter('expired', runtimeMetrics.expired(name)),
        counter('not asked for', runtimeMetrics.unwanted(name)),
        counter('out of date', runtimeMetrics.stale(name)),
        counter('parked behind a dead letter', runtimeMetrics.parked(name)),
      ]),
      graph('Dead letters', 'messages', [
        gauge('in the dead-letter queue', queueMetrics.dead(name)),
        gauge('not delivered by the topic', queueMetrics.undelivered(name)),
        ...deadLetterReasons.map((reason) =>
          counter(`set aside: ${reason}`, runtimeMetrics.deadLettered(name, reason)),
        ),
      ]),
      graph('Function', 'invocations a period', [
        counter('errors', functionMetrics.errors(name)),
        counter('throttles', functionMetrics.throttles(name)),
      ]),
      graph('Concurrency', 'environments', [gauge('running at once', functionMetrics.concurrent(name))], {
        annotations: [{ label: `at most ${concurrency}`, value: concurrency }],
      }),
      graph('Duration (p99)', 'milliseconds', [
        gauge('invocation', functionMetrics.duration(name)),
        gauge('handler', runtimeMetrics.handlerTime(name)),
      ]),
      graph(
        'Cost drivers',
        'messages, receives, GB-s a period',
        [
          counter('sent', queueMetrics.sent(name)),
          counter('received', queueMetrics.received(name)),
          counter('deleted', queueMetrics.deleted(name)),
          counter('empty receives', queueMetrics.emptyReceives(name)),
          functionTime(subscriber),
        ],
        { width: 12, height: 5 },
      ),
      graph('Estimated cost', 'US$ an hour', [queueCost(subscriber), functionCost(subscriber)], {
        view: 'stacked',
        width: 12,
        height: 5,
      }),
    ],
  };
}

/** A row without the lines that need the function; a graph without a line is left out, and the others take its room. */
function withoutFunction(row: DashboardRow): DashboardRow {
  return {
    ...row,
    graphs: row.graphs.flatMap((each) => without(each, ({ target }) => target.kind === 'function')),
  };
}

/**
 * A graph without the metrics that are absent and the lines that name them; nothing when no line is left.
 *
 * @example
 * ```ts
 * row.graphs.flatMap((graph) => without(graph, ({ target }) => target.kind === 'function'));
 * ```
 */
export function without(
  graph: GraphDefinition,
  isAbsent: (metric: MetricDefinition) => boolean,
): GraphDefinition[] {
  const absent = graph.metrics.filter(isAbsent).map(({ id }) => id);
  const series = graph.series.filter(
    ({ expression }) => !absent.some((id) => new RegExp(`\\b${id}\\b`).test(expression)),
  );
  const metrics = graph.metrics.filter(({ id }) => !absent.includes(id));
  return series.length === 0 ? [] : [{ ...graph, metrics, series }];
}
