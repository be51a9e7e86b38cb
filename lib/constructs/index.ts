export {
  type AlarmDefinition,
  AlarmError,
  type AlarmFault,
  type AnnotationDefinition,
  type CompositeAlarmDefinition,
  type DashboardParts,
  type DashboardRow,
  dashboardOf,
  type GraphDefinition,
  type GraphView,
  type MetricAlarmDefinition,
  type PhysicalName,
  type SeriesDefinition,
  subscriberAlarms,
  topicAlarms,
  type Watched,
  type WatchedTopic,
  watchedTopic,
} from '../monitoring/index.ts';
export type { RuleId } from '../rules/index.ts';
export { AlarmTopic, type AlarmTopicProps, allowAlarms } from './alarm-topic.ts';
export { Alarms, type AlarmsProps } from './alarms.ts';
export { type CheckOptions, Sluice } from './check/index.ts';
export { ConstructError } from './construct-error.ts';
export {
  Consumer,
  type ConsumerBinding,
  type ConsumerOutlook,
  type ConsumerWork,
  type Provided,
} from './consumer.ts';
export { type AnyFunction, ConsumerFunction, type ConsumerFunctionProps } from './consumer-function.ts';
export { MessagingDashboard, type MessagingDashboardProps } from './dashboard.ts';
export {
  allowAlarmsOnKey,
  allowLogsOnKey,
  MessagingKey,
  type MessagingKeyProps,
} from './encryption.ts';
export type { HandlerFunctionOptions } from './handler-function.ts';
export type { Encryption } from './keys.ts';
export { MessagingStack } from './messaging-stack.ts';
export { QueueAlarms, type QueueAlarmsProps } from './queue-alarms.ts';
export { RecordsTable, type RecordsTableProps, type RecordsUse } from './records-table.ts';
export { StackError, type StackFault } from './stack-error.ts';
export type { MessagingStackProps, SubscriberOptions } from './stack-props.ts';
export type { Stage } from './stage.ts';
export { MessagingSubscriber, type MessagingSubscriberProps } from './subscriber.ts';
export { SubscriberQueue, type SubscriberQueueProps } from './subscriber-queue.ts';
export type { AlarmSet, Consumers } from './switches.ts';
export { MessagingTopic, type MessagingTopicProps } from './topic.ts';
export { TopicOwnerPolicy, type TopicOwnerPolicyProps } from './topic-owner-policy.ts';
