import { metricsNamespace, type Seconds, seconds } from '../topology/index.ts';

/**
 * What a metric is about, by its name in the declaration. Whoever evaluates the metric resolves it to the
 * physical name: the constructs to a CloudFormation reference, the model of AWS to the deployed resource.
 */
export type MetricTarget =
  | { readonly kind: SubscriberTargetKind; readonly subscriber: string }
  | { readonly kind: 'topic'; readonly topic: string }
  /** The table of records, which all subscribers of a stack share. */
  | { readonly kind: 'records' }
  | {
      readonly kind: 'runtime';
      readonly subscriber: string;
      /** Only on `deadLettered`, which has a second dimension. */
      readonly reason?: string;
    };

/** The parts of a subscriber that AWS publishes metrics about. */
export type SubscriberTargetKind = 'queue' | 'deadLetterQueue' | 'subscriptionDeadLetterQueue' | 'function';

/** How the data points of a period become one value. */
export type Statistic = 'Sum' | 'Average' | 'Minimum' | 'Maximum' | 'SampleCount' | `p${number}`;

/** One CloudWatch metric: part of an alarm or of a graph. */
export interface MetricDefinition {
  /** The name in expressions: starts in lower case, unique within its alarm or graph. */
  readonly id: string;
  readonly namespace: string;
  /** The metric's name in CloudWatch. */
  readonly name: string;
  readonly target: MetricTarget;
  readonly statistic: Statistic;
  /** Seconds; a multiple of 60. */
  readonly period: Seconds;
}

/** SQS, SNS and Lambda publish one point a minute (their developer guides, "Monitoring"). */
const minute = seconds(60);

/**
 * Why the runtime puts a message aside: the values of the dimension `reason` of `deadLettered`.
 *
 * @example
 * ```ts
 * deadLetterReasons.map((reason) => runtimeMetrics.deadLettered('payments', reason));
 * ```
 */
export const deadLetterReasons = [
  'undecodable',
  'schema',
  'conflict',
  'permanent',
  'attempts',
  'crash',
  'unknown-outcome',
  'too-late',
] as const;

/**
 * The physical name that {@link dimensionsOf} needs; never asked for the runtime's own metrics, nor for the table of
 * records.
 *
 * @example
 * ```ts
 * const physicalName: PhysicalName = (target) =>
 *   target.kind === 'topic' ? stack.topic(target.topic).topicName : 'Shop-payments';
 * ```
 */
export type PhysicalName = (
  target: Exclude<MetricTarget, { readonly kind: 'runtime' | 'records' }>,
) => string;

/**
 * The CloudWatch dimensions of a metric.
 *
 * @param target - what the metric is about
 * @param physicalName - gives the name of a queue, topic or function as AWS knows it
 * @param recordsTable - the name of the table of records; needed by its metrics alone
 * @throws Error when the table of records is meant and no name of it was given
 * @example
 * ```ts
 * dimensionsOf({ kind: 'queue', subscriber: 'payments' }, () => 'shop-payments.fifo'); // { QueueName: 'shop-payments.fifo' }
 * ```
 */
export function dimensionsOf(
  target: MetricTarget,
  physicalName: PhysicalName,
  recordsTable?: string,
): Record<string, string> {
  switch (target.kind) {
    case 'records':
      if (recordsTable === undefined)
        throw new Error('A metric of the table of records needs the name of the table; none was given.');
      return { TableName: recordsTable };
    case 'runtime':
      return {
        subscriber: target.subscriber,
        ...(target.reason === undefined ? {} : { reason: target.reason }),
      };
    case 'topic':
      return { TopicName: physicalName(target) };
    case 'function':
      return { FunctionName: physicalName(target) };
    default:
      return { QueueName: physicalName(target) };
  }
}

const sqs =
  (kind: SubscriberTargetKind, id: string, name: string, statistic: Statistic) =>
  (subscriber: string): MetricDefinition => ({
    id,
    namespace: 'AWS/SQS',
    name,
    target: { kind, subscriber },
    statistic,
    period: minute,
  });

/**
 * Metrics of a subscriber's queues, by the minute. Gauges are read by Maximum: their Sum depends on how often they
 * are published. Ages are in seconds.
 *
 * @example
 * ```ts
 * queueMetrics.age('payments').name; // 'ApproximateAgeOfOldestMessage'
 * ```
 */
export const queueMetrics = {
  age: sqs('queue', 'age', 'ApproximateAgeOfOldestMessage', 'Maximum'),
  visible: sqs('queue', 'vis', 'ApproximateNumberOfMessagesVisible', 'Maximum'),
  inFlight: sqs('queue', 'infl', 'ApproximateNumberOfMessagesNotVisible', 'Maximum'),
  sent: sqs('queue', 'sent', 'NumberOfMessagesSent', 'Sum'),
  received: sqs('queue', 'recv', 'NumberOfMessagesReceived', 'Sum'),
  deleted: sqs('queue', 'del', 'NumberOfMessagesDeleted', 'Sum'),
  emptyReceives: sqs('queue', 'empty', 'NumberOfEmptyReceives', 'Sum'),
  groupsInFlight: sqs('queue', 'grp', 'ApproximateNumberOfGroupsWithInflightMessages', 'Maximum'),
  // NumberOfMessagesSent of a dead-letter queue leaves out what SQS itself moved there (SQS developer guide).
  dead: sqs('deadLetterQueue', 'dlq', 'ApproximateNumberOfMessagesVisible', 'Maximum'),
  undelivered: sqs('subscriptionDeadLetterQueue', 'undel', 'ApproximateNumberOfMessagesVisible', 'Maximum'),
} as const;

const sns =
  (id: string, name: string) =>
  (topic: string): MetricDefinition => ({
    id,
    namespace: 'AWS/SNS',
    name,
    target: { kind: 'topic', topic },
    statistic: 'Sum',
    period: minute,
  });

/**
 * Metrics of a topic over all its subscriptions, by the minute.
 *
 * @example
 * ```ts
 * topicMetrics.failed('orders').name; // 'NumberOfNotificationsFailed'
 * ```
 */
export const topicMetrics = {
  published: sns('pub', 'NumberOfMessagesPublished'),
  /** Bytes. */
  size: sns('size', 'PublishSize'),
  delivered: sns('deliv', 'NumberOfNotificationsDelivered'),
  failed: sns('failed', 'NumberOfNotificationsFailed'),
  failedToRedrive: sns('lost', 'NumberOfNotificationsFailedToRedriveToDlq'),
  /** Filtered out, since an attribute was no JSON or had a type that filters do not know. */
  filteredInvalid: sns('inv', 'NumberOfNotificationsFilteredOut-InvalidAttributes'),
  /** Filtered out, since the message had no attributes. */
  filteredWithout: sns('noattr', 'NumberOfNotificationsFilteredOut-NoMessageAttributes'),
} as const;

const lambda =
  (id: string, name: string, statistic: Statistic) =>
  (subscriber: string): MetricDefinition => ({
    id,
    namespace: 'AWS/Lambda',
    name,
    target: { kind: 'function', subscriber },
    statistic,
    period: minute,
  });

/**
 * Metrics of a subscriber's function, by the minute. Durations are in milliseconds.
 *
 * @example
 * ```ts
 * functionMetrics.duration('payments').statistic; // 'p99'
 * ```
 */
export const functionMetrics = {
  invocations: lambda('inv', 'Invocations', 'Sum'),
  errors: lambda('err', 'Errors', 'Sum'),
  throttles: lambda('thr', 'Throttles', 'Sum'),
  duration: lambda('dur', 'Duration', 'p99'),
  concurrent: lambda('conc', 'ConcurrentExecutions', 'Maximum'),
  recursionDropped: lambda('rec', 'RecursiveInvocationsDropped', 'Sum'),
  /** All durations together: what is paid for. */
  time: lambda('time', 'Duration', 'Sum'),
} as const;

const dynamodb = (id: string, name: string): MetricDefinition => ({
  id,
  namespace: 'AWS/DynamoDB',
  name,
  target: { kind: 'records' },
  statistic: 'Sum',
  period: minute,
});

/**
 * Metrics of the table of records, by the minute (DynamoDB developer guide, "DynamoDB metrics and dimensions").
 *
 * @example
 * ```ts
 * recordsMetrics.writeUnits.name; // 'ConsumedWriteCapacityUnits'
 * ```
 */
export const recordsMetrics = {
  writeUnits: dynamodb('wcu', 'ConsumedWriteCapacityUnits'),
  readUnits: dynamodb('rcu', 'ConsumedReadCapacityUnits'),
  writeThrottles: dynamodb('wthr', 'WriteThrottleEvents'),
} as const;

const runtime =
  (name: string, statistic: Statistic = 'Sum') =>
  (subscriber: string, reason?: string): MetricDefinition => ({
    id: reason === undefined ? name : `${name}_${reason.replace(/[^A-Za-z0-9]/g, '_')}`,
    namespace: metricsNamespace,
    name,
    target: { kind: 'runtime', subscriber, ...(reason === undefined ? {} : { reason }) },
    statistic,
    period: minute,
  });

/**
 * Metrics that the runtime writes to its log in the embedded metric format, by the minute. Times are in
 * milliseconds; `deadLettered` needs the reason.
 *
 * @example
 * ```ts
 * runtimeMetrics.processed('payments').namespace; // 'sluice'
 * ```
 */
export const runtimeMetrics = {
  processed: runtime('processed'),
  failed: runtime('failed'),
  duplicates: runtime('duplicates'),
  deferred: runtime('deferred'),
  expired: runtime('expired'),
  unwanted: runtime('unwanted'),
  stale: runtime('stale'),
  parked: runtime('parked'),
  deadLettered: runtime('deadLettered'),
  handlerTime: runtime('handlerTime', 'p99'),
} as const;

/**
 * Metrics that operators and their tools publish, with the dimension `subscriber`.
 *
 * @example
 * ```ts
 * operatorMetrics.replaying('payments').name; // 'replaying'
 * ```
 */
export const operatorMetrics = {
  /** Above zero while somebody replays old messages to the subscriber: the page waits. */
  replaying: runtime('replaying', 'Maximum'),
} as const;
