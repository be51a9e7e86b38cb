export type {
  AlarmDefinition,
  AlarmFacts,
  AlarmId,
  CompositeAlarmDefinition,
  MetricAlarmDefinition,
  MissingData,
  Severity,
  Suppressor,
} from './alarm.ts';
export {
  alarmDescription,
  alarmName,
  alarmsOf,
  announcing,
  defaultRunbook,
  keepAlarms,
  subscriberAlarms,
  topicAlarms,
} from './alarms.ts';
export { type CompositeRule, membersOf, ruleText } from './composite.ts';
export { type DashboardParts, type DashboardRow, dashboardOf, without } from './dashboard.ts';
export type {
  AnnotationDefinition,
  GraphDefinition,
  GraphView,
  SeriesDefinition,
} from './dashboard-graph.ts';
export {
  type DashboardPage,
  dashboardLimits,
  dashboardPages,
  periodChoices,
} from './dashboard-pages.ts';
export { type DashboardView, type DashboardWidget, dashboardWidgets } from './dashboard-widgets.ts';
export {
  deadLetterReasons,
  dimensionsOf,
  functionMetrics,
  type MetricDefinition,
  type MetricTarget,
  operatorMetrics,
  type PhysicalName,
  queueMetrics,
  recordsMetrics,
  runtimeMetrics,
  type Statistic,
  type SubscriberTargetKind,
  topicMetrics,
} from './metrics.ts';
export { monthlyPrice } from './price.ts';
export { type Price, prices } from './prices.ts';
export { type StallWindow, stallWindow } from './stall.ts';
export {
  AlarmError,
  type AlarmFault,
  type AlarmNaming,
  alarmFaults,
  validateAlarm,
  validateAlarms,
} from './validate.ts';
export { type Watched, type WatchedTopic, watchedTopic } from './watched.ts';
