export type { AlarmChange, AlarmView } from './alarms.ts';
export { type CloudWatchModel, type CloudWatchOptions, createCloudWatch } from './cloudwatch.ts';
