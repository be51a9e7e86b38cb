/**
 * The environment variables through which a stack tells its functions where things are: the contract between
 * the constructs, which set them, and the runtime, which reads them.
 *
 * @example
 * ```ts
 * process.env[environment.topicArn('stock-moves')]; // SLUICE_TOPIC_ARN_STOCK_MOVES
 * ```
 */
export const environment = {
  /** Name of the table of records. */
  recordsTable: 'SLUICE_RECORDS_TABLE',
  /** URL of the subscriber's queue. */
  queueUrl: 'SLUICE_QUEUE_URL',
  /** URL of the subscriber's dead-letter queue. */
  deadLetterQueueUrl: 'SLUICE_DEAD_LETTER_QUEUE_URL',
  /** ARN of a topic, for publishers: the topic's name in upper snake case is appended. */
  topicArn: (topic: string): string =>
    `SLUICE_TOPIC_ARN_${topic
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replace(/[^A-Za-z0-9]/g, '_')
      .toUpperCase()}`,
} as const;

/**
 * Names of the table of records: its partition key, the TTL attribute (epoch seconds), and the sparse index in which the
 * markers of message groups are found by their subscriber and the moment (epoch milliseconds) since which they stand.
 *
 * @example
 * ```ts
 * new Table(this, 'Records', {
 *   partitionKey: { name: recordsTable.partitionKey, type: AttributeType.STRING },
 *   timeToLiveAttribute: recordsTable.timeToLive,
 * });
 * ```
 */
export const recordsTable = {
  partitionKey: 'pk',
  timeToLive: 'ttl',
  groups: { indexName: 'groups', partitionKey: 'markedBy', sortKey: 'since' },
  /** Key of a group's marker. */
  groupKey: (subscriber: string, group: string): string => `group:${subscriber}#${group}`,
} as const;

/**
 * SNS message attribute that carries the event's type; raw delivery turns it into an SQS message attribute.
 *
 * @example
 * ```ts
 * const filterPolicy = { [typeAttribute]: ['order.placed'] };
 * ```
 */
export const typeAttribute = 'type';

/**
 * CloudWatch namespace of the runtime's own metrics.
 *
 * @example
 * ```ts
 * new Metric({ namespace: metricsNamespace, metricName: 'processed', dimensionsMap: { subscriber: 'payments' } });
 * ```
 */
export const metricsNamespace = 'sluice';
