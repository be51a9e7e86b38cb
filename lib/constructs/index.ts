export {
  type AlarmDefinition,
  type DashboardRow,
  dashboardOf,
  type PhysicalName,
  subscriberAlarms,
  topicAlarms,
} from '../monitoring/index.ts';
export { Alarms, type AlarmsProps } from './alarms.ts';
export {
  Consumer,
  type ConsumerBinding,
  type ConsumerOutlook,
  type ConsumerWork,
  type Provided,
} from './consumer.ts';
export { ConsumerFunction, type ConsumerFunctionProps } from './consumer-function.ts';
export { MessagingDashboard, type MessagingDashboardProps } from './dashboard.ts';
export type { HandlerFunctionOptions } from './handler-function.ts';
export { MessagingStack, type MessagingStackProps } from './messaging-stack.ts';
export { RecordsTable, type RecordsTableProps } from './records-table.ts';
export { MessagingSubscriber, type MessagingSubscriberProps } from './subscriber.ts';
export { SubscriberQueue, type SubscriberQueueProps } from './subscriber-queue.ts';
export type { AlarmSet, Consumers } from './switches.ts';
export { MessagingTopic, type MessagingTopicProps } from './topic.ts';
