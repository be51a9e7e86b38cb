/**
 * What CloudWatch takes of an alarm: CloudWatch user guide, "Using Amazon CloudWatch alarms" and "Using metric math";
 * API reference, PutMetricAlarm, PutCompositeAlarm and MetricDataQuery. November 2026.
 */

/** Metrics in one alarm. */
export const mostMetrics = 10;
/** Seconds of period x evaluation periods. */
export const longestRange = 604_800;
/** The same for periods under an hour. */
export const longestRangeUnderAnHour = 86_400;
/** Characters of an expression. */
export const longestExpression = 2_048;
/** Characters of an alarm's name. */
export const longestName = 255;
/** Characters of an alarm's description. */
export const longestDescription = 1_024;
/** Characters of a composite's rule. */
export const longestRule = 10_240;
/** Alarms that a composite's rule names. */
export const mostMembers = 100;
/** Alarms, parentheses, TRUE and FALSE of a composite's rule. */
export const mostElements = 500;
