import type { Messaging, Subscriber, Topic } from '../topology/index.ts';
import {
  deadLetterReasons,
  functionMetrics,
  type MetricDefinition,
  queueMetrics,
  runtimeMetrics,
  topicMetrics,
} from './metrics.ts';

/** One line of a graph. */
export interface SeriesDefinition {
  readonly label: string;
  /** Metric math over the ids of the graph's metrics; the id alone where a metric is drawn as it is. */
  readonly expression: string;
}

/** A horizontal line with a meaning. */
export interface AnnotationDefinition {
  readonly label: string;
  readonly value: number;
}

/** One graph. */
export interface GraphDefinition {
  readonly title: string;
  /** What the axis counts, for example `seconds`. */
  readonly unit: string;
  readonly metrics: readonly MetricDefinition[];
  readonly series: readonly SeriesDefinition[];
  readonly annotations: readonly AnnotationDefinition[];
}

/**
 * One row of a dashboard: a topic's, or a subscriber's.
 *
 * @example
 * ```ts
 * const [first]: DashboardRow[] = dashboardOf(shop);
 * first?.graphs.map((graph) => graph.title);
 * ```
 */
export interface DashboardRow {
  readonly subject:
    | { readonly kind: 'subscriber'; readonly name: string }
    | { readonly kind: 'topic'; readonly name: string };
  readonly title: string;
  readonly graphs: readonly GraphDefinition[];
}

/**
 * The dashboard of a stack as data: a row for each topic, then a row for each subscriber.
 *
 * @example
 * ```ts
 * dashboardOf(shop).map((row) => row.title);
 * ```
 */
export function dashboardOf(messaging: Messaging): DashboardRow[] {
  return [
    ...Object.values(messaging.topics).map(topicRow),
    ...Object.values<Subscriber>(messaging.subscribers).map(subscriberRow),
  ];
}

function topicRow({ name, fifo, events }: Topic): DashboardRow {
  return {
    subject: { kind: 'topic', name },
    title: `Topic ${name} (${fifo ? 'FIFO' : 'standard'}): ${events.join(', ')}`,
    graphs: [
      graph('Published and delivered', 'messages', [
        counter('published', topicMetrics.published(name)),
        counter('delivered', topicMetrics.delivered(name)),
      ]),
      graph('Deliveries that failed', 'messages', [
        counter('given up', topicMetrics.failed(name)),
        counter('lost', topicMetrics.failedToRedrive(name)),
      ]),
    ],
  };
}

function subscriberRow({ name, lag, fifo, topic }: Subscriber): DashboardRow {
  return {
    subject: { kind: 'subscriber', name },
    title: `Subscriber ${name} (${fifo ? 'FIFO' : 'standard'}, topic ${topic})`,
    graphs: [
      graph(
        'Lag',
        'seconds',
        [gauge('age of the oldest message', queueMetrics.age(name))],
        [{ label: `SLO ${lag} s`, value: lag }],
      ),
      graph('Backlog', 'messages', [
        gauge('waiting', queueMetrics.visible(name)),
        gauge('in flight', queueMetrics.inFlight(name)),
      ]),
      graph('Arrivals and completions', 'messages', [
        counter('arrived', queueMetrics.sent(name)),
        counter('completed', queueMetrics.deleted(name)),
      ]),
      graph('Outcomes', 'messages', [
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
      graph('Function', 'invocations', [
        counter('errors', functionMetrics.errors(name)),
        counter('throttles', functionMetrics.throttles(name)),
        gauge('running at once', functionMetrics.concurrent(name)),
      ]),
      graph('Duration (p99)', 'milliseconds', [
        gauge('invocation', functionMetrics.duration(name)),
        gauge('handler', runtimeMetrics.handlerTime(name)),
      ]),
    ],
  };
}

type Line = SeriesDefinition & { readonly metric: MetricDefinition };

const gauge = (label: string, metric: MetricDefinition): Line => ({ label, expression: metric.id, metric });

// Counters may be published only when something happened (SQS and SNS developer guides disagree): a gap is a zero.
const counter = (label: string, metric: MetricDefinition): Line => ({
  label,
  expression: `FILL(${metric.id}, 0)`,
  metric,
});

const graph = (
  title: string,
  unit: string,
  lines: readonly Line[],
  annotations: readonly AnnotationDefinition[] = [],
): GraphDefinition => ({
  title,
  unit,
  metrics: lines.map((line) => line.metric),
  series: lines.map(({ label, expression }) => ({ label, expression })),
  annotations,
});
