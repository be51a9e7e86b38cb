export {
  type AlarmDefinition,
  type AnnotationDefinition,
  type DashboardParts,
  type DashboardRow,
  dashboardOf,
  type GraphDefinition,
  type GraphView,
  type PhysicalName,
  type SeriesDefinition,
  subscriberAlarms,
  topicAlarms,
} from '../monitoring/index.ts';
export { Alarms, type AlarmsProps } from './alarms.ts';
export { ConsumerFunction, type ConsumerFunctionProps } from './consumer-function.ts';
export { MessagingDashboard, type MessagingDashboardProps } from './dashboard.ts';
export { MessagingStack, type MessagingStackProps } from './messaging-stack.ts';
export { RecordsTable, type RecordsTableProps } from './records-table.ts';
export { MessagingSubscriber, type MessagingSubscriberProps } from './subscriber.ts';
export { SubscriberQueue, type SubscriberQueueProps } from './subscriber-queue.ts';
export type { AlarmSet, Consumers } from './switches.ts';
export { MessagingTopic, type MessagingTopicProps } from './topic.ts';
