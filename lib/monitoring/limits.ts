import {
  alarmDescriptionMost,
  alarmExpressionMost,
  alarmMetricsMost,
  alarmNameMost,
  alarmRangeMost,
  alarmRangeUnderAnHourMost,
  compositeElementsMost,
  compositeMembersMost,
  compositeRuleMost,
} from '../rules/index.ts';

/** What CloudWatch takes of an alarm. The numbers, with their sources, are those of lib/rules. */

/** Metrics in one alarm. */
export const mostMetrics = alarmMetricsMost.value;
/** Seconds of period x evaluation periods. */
export const longestRange = alarmRangeMost.value;
/** The same for periods under an hour. */
export const longestRangeUnderAnHour = alarmRangeUnderAnHourMost.value;
/** Characters of an expression. */
export const longestExpression = alarmExpressionMost.value;
/** Characters of an alarm's name. */
export const longestName = alarmNameMost.value;
/** Characters of an alarm's description. */
export const longestDescription = alarmDescriptionMost.value;
/** Characters of a composite's rule. */
export const longestRule = compositeRuleMost.value;
/** Alarms that a composite's rule names. */
export const mostMembers = compositeMembersMost.value;
/** Alarms, parentheses, TRUE and FALSE of a composite's rule. */
export const mostElements = compositeElementsMost.value;
