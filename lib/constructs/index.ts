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
export { AlarmTopic, type AlarmTopicProps, allowAlarms } from './alarm-topic.ts';
export { Alarms, type AlarmsProps } from './alarms.ts';
export { ConsumerFunction, type ConsumerFunctionProps } from './consumer-function.ts';
export { MessagingDashboard, type MessagingDashboardProps } from './dashboard.ts';
export { MessagingStack, type MessagingStackProps } from './messaging-stack.ts';
export { QueueAlarms, type QueueAlarmsProps } from './queue-alarms.ts';
export { RecordsTable, type RecordsTableProps } from './records-table.ts';
export { MessagingSubscriber, type MessagingSubscriberProps } from './subscriber.ts';
export { SubscriberQueue, type SubscriberQueueProps } from './subscriber-queue.ts';
export type { AlarmSet, Consumers } from './switches.ts';
export { MessagingTopic, type MessagingTopicProps } from './topic.ts';
