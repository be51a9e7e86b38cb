/**
 * A limit that AWS sets, and where it says so.
 *
 * @example
 * ```ts
 * const limit: Quota = quotas.functionTimeoutMost;
 * limit.value; // 900
 * ```
 */
export interface Quota {
  readonly value: number;
  readonly unit: string;
  /** The page of AWS that states it. */
  readonly source: string;
  /** The month in which it was read there. */
  readonly asOf: string;
}

const quota = (value: number, unit: string, source: string, asOf = '2026-11'): Quota => ({
  value,
  unit,
  source,
  asOf,
});

const sqs = 'SQS developer guide, "Amazon SQS quotas"';
const sqsAttributes = 'SQS API reference, "SetQueueAttributes"';
const sns = 'SNS developer guide, "Amazon SNS endpoints and quotas"';
const filterPolicies = 'SNS developer guide, "Filter policy constraints"';
const largeMessages = 'SNS developer guide, "Publishing large messages with Amazon SNS"';
const lambda = 'Lambda developer guide, "Lambda quotas"';
const lambdaSqs = 'Lambda developer guide, "Using Lambda with Amazon SQS"';
const lambdaScaling = 'Lambda developer guide, "Configuring scaling behavior for SQS event source mappings"';
const alarms = 'CloudWatch API reference, "PutMetricAlarm"';
const composites = 'CloudWatch API reference, "PutCompositeAlarm"';
const cloudWatch = 'CloudWatch user guide, "CloudWatch service quotas"';
const dynamoDb = 'DynamoDB developer guide, "Naming rules"';

// One constant for each: a bundle takes in only those that it reads.

export const visibilityMost = /* @__PURE__ */ quota(43_200, 'seconds', sqs);
export const retentionLeast = /* @__PURE__ */ quota(60, 'seconds', sqs);
export const retentionMost = /* @__PURE__ */ quota(1_209_600, 'seconds', sqs);
export const retentionDefault = /* @__PURE__ */ quota(345_600, 'seconds', sqsAttributes);
export const visibilityDefault = /* @__PURE__ */ quota(30, 'seconds', sqsAttributes);
export const delayMost = /* @__PURE__ */ quota(900, 'seconds', sqs);
export const receiveWaitMost = /* @__PURE__ */ quota(20, 'seconds', sqs);
export const messageBytesLeast = /* @__PURE__ */ quota(1024, 'bytes', sqsAttributes);
export const messageBytesMost = /* @__PURE__ */ quota(1_048_576, 'bytes', sqs);
export const inFlightMost = /* @__PURE__ */ quota(120_000, 'messages', sqs);
export const maxReceiveCountLeast = /* @__PURE__ */ quota(1, 'receives', sqsAttributes);
export const maxReceiveCountMost = /* @__PURE__ */ quota(1000, 'receives', sqsAttributes);
export const maxReceiveCountWithLambda = /* @__PURE__ */ quota(5, 'receives', lambdaSqs);
export const queueNameMost = /* @__PURE__ */ quota(80, 'characters', sqs);

export const topicNameMost = /* @__PURE__ */ quota(256, 'characters', 'SNS API reference, "CreateTopic"');
export const fifoSubscriptionsMost = /* @__PURE__ */ quota(100, 'subscriptions', sns);
export const filterPoliciesMost = /* @__PURE__ */ quota(200, 'filter policies on a topic', filterPolicies);
export const filterKeysMost = /* @__PURE__ */ quota(5, 'keys', filterPolicies);
export const filterCombinationsMost = /* @__PURE__ */ quota(150, 'combinations', filterPolicies);
export const topicMessageBytesLeast = /* @__PURE__ */ quota(1024, 'bytes', largeMessages);
export const topicMessageBytesMost = /* @__PURE__ */ quota(1_048_576, 'bytes', largeMessages);
/** Above this a topic delivers to few, and only to some kinds. */
export const topicMessageBytesDefault = /* @__PURE__ */ quota(262_144, 'bytes', largeMessages);
export const largeMessageSubscriptionsMost = /* @__PURE__ */ quota(100, 'subscriptions', largeMessages);
export const archiveDaysLeast = /* @__PURE__ */ quota(
  1,
  'days',
  'SNS developer guide, "Message archiving and replay"',
);
export const archiveDaysMost = /* @__PURE__ */ quota(
  365,
  'days',
  'SNS developer guide, "Message archiving and replay"',
);

export const functionTimeoutLeast = /* @__PURE__ */ quota(1, 'seconds', lambda);
export const functionTimeoutMost = /* @__PURE__ */ quota(900, 'seconds', lambda);
export const functionTimeoutDefault = /* @__PURE__ */ quota(
  3,
  'seconds',
  'Lambda API reference, "CreateFunction"',
);
export const managedInstanceTimeoutMost = /* @__PURE__ */ quota(5400, 'seconds', lambda);
export const functionMemoryLeast = /* @__PURE__ */ quota(128, 'MiB', lambda);
export const functionMemoryMost = /* @__PURE__ */ quota(10_240, 'MiB', lambda);
export const functionNameMost = /* @__PURE__ */ quota(
  64,
  'characters',
  'Lambda API reference, "CreateFunction"',
);
export const batchSizeDefault = /* @__PURE__ */ quota(10, 'messages', lambdaSqs);
export const batchSizeMost = /* @__PURE__ */ quota(10_000, 'messages', lambdaSqs);
export const fifoBatchSizeMost = /* @__PURE__ */ quota(10, 'messages', lambdaSqs);
export const batchWithoutWindowMost = /* @__PURE__ */ quota(10, 'messages', lambdaSqs);
export const batchWindowMost = /* @__PURE__ */ quota(300, 'seconds', lambdaSqs);
export const visibilityFactor = /* @__PURE__ */ quota(6, 'times the function’s timeout', lambdaSqs);
export const concurrencyLeast = /* @__PURE__ */ quota(2, 'invocations', lambdaScaling);
export const concurrencyMost = /* @__PURE__ */ quota(1000, 'invocations', lambdaScaling);
export const minimumPollersLeast = /* @__PURE__ */ quota(2, 'pollers', lambdaScaling);
export const minimumPollersMost = /* @__PURE__ */ quota(200, 'pollers', lambdaScaling);
export const maximumPollersDefault = /* @__PURE__ */ quota(200, 'pollers', lambdaScaling);
/** What one provisioned poller calls at once. */
export const pollerConcurrency = /* @__PURE__ */ quota(10, 'invocations', lambdaScaling);
export const maximumPollersMost = /* @__PURE__ */ quota(2000, 'pollers', lambdaScaling);

export const alarmMetricsMost = /* @__PURE__ */ quota(10, 'metrics', cloudWatch);
export const alarmActionsMost = /* @__PURE__ */ quota(5, 'actions for each state', alarms);
export const alarmRangeMost = /* @__PURE__ */ quota(604_800, 'seconds', alarms);
export const alarmRangeUnderAnHourMost = /* @__PURE__ */ quota(86_400, 'seconds', alarms);
export const alarmExpressionMost = /* @__PURE__ */ quota(
  2048,
  'characters',
  'CloudWatch API reference, "MetricDataQuery"',
);
export const alarmDescriptionMost = /* @__PURE__ */ quota(1024, 'characters', alarms);
export const compositeRuleMost = /* @__PURE__ */ quota(10_240, 'characters', composites);
export const compositeMembersMost = /* @__PURE__ */ quota(100, 'alarms in a rule', composites);
export const compositeElementsMost = /* @__PURE__ */ quota(500, 'elements of a rule', composites);
export const alarmNameMost = /* @__PURE__ */ quota(255, 'characters', alarms);
export const dashboardWidgetsMost = /* @__PURE__ */ quota(500, 'widgets', cloudWatch);
export const dashboardMetricsMost = /* @__PURE__ */ quota(500, 'metrics on a graph', cloudWatch);
export const dashboardMetricsOfAllMost = /* @__PURE__ */ quota(2500, 'metrics on a dashboard', cloudWatch);
export const dashboardAlarmsMost = /* @__PURE__ */ quota(
  100,
  'alarms in a widget',
  'CloudWatch API reference, "Dashboard Body Structure and Syntax"',
);
export const dashboardNameMost = /* @__PURE__ */ quota(
  255,
  'characters',
  'CloudWatch API reference, "PutDashboard"',
);

export const tableNameLeast = /* @__PURE__ */ quota(3, 'characters', dynamoDb);
export const tableNameMost = /* @__PURE__ */ quota(255, 'characters', dynamoDb);
