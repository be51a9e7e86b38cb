import { backlogRules, consumerRules, groupRules } from './backlog.ts';
import { functionRules } from './function.ts';
import { forecastRules, lagRules } from './lag.ts';
import { letterRules } from './letters.ts';
import type { SubscriberRule } from './rule.ts';
import { togetherRules } from './together.ts';

export type { Watch } from './rule.ts';
export { topicRules } from './topic.ts';

/**
 * The rules of subscribers, by their ids; a composite comes after those it speaks for. To add an alarm is to add a row;
 * constructs, model and documentation take it from here.
 */
export const subscriberRules: readonly SubscriberRule[] = [
  ...lagRules,
  ...backlogRules,
  ...forecastRules,
  ...letterRules,
  consumerRules.quota,
  consumerRules.stalled,
  ...groupRules,
  consumerRules.redelivery,
  ...functionRules,
  ...togetherRules,
];
