export type { AlarmChange, AlarmView } from './alarm.ts';
export { type CloudWatchModel, type CloudWatchOptions, createCloudWatch } from './cloudwatch.ts';
