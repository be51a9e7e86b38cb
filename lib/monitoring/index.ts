export type { AlarmDefinition, AlarmId, MissingData, Severity } from './alarm.ts';
export { alarmName, alarmsOf, subscriberAlarms, topicAlarms } from './alarms.ts';
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
export {
  deadLetterReasons,
  dimensionsOf,
  functionMetrics,
  type MetricDefinition,
  type MetricTarget,
  type PhysicalName,
  queueMetrics,
  recordsMetrics,
  runtimeMetrics,
  type Statistic,
  type SubscriberTargetKind,
  topicMetrics,
} from './metrics.ts';
export { type Price, prices } from './prices.ts';
export { stallMinutes } from './rules.ts';
