export type { AlarmDefinition, AlarmId, MissingData, Severity } from './alarm.ts';
export { alarmName, alarmsOf, subscriberAlarms, topicAlarms } from './alarms.ts';
export {
  type AnnotationDefinition,
  type DashboardRow,
  dashboardOf,
  type GraphDefinition,
  type SeriesDefinition,
} from './dashboard.ts';
export {
  deadLetterReasons,
  dimensionsOf,
  functionMetrics,
  type MetricDefinition,
  type MetricTarget,
  type PhysicalName,
  queueMetrics,
  runtimeMetrics,
  type Statistic,
  type SubscriberTargetKind,
  topicMetrics,
} from './metrics.ts';
export { stallMinutes } from './rules.ts';
