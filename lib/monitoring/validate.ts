import type { AlarmDefinition, CompositeAlarmDefinition, MetricAlarmDefinition } from './alarm.ts';
import { alarmDescription, defaultRunbook, referencesOf } from './alarms.ts';
import { membersOf, ruleText } from './composite.ts';
import { readExpression } from './expression.ts';
import {
  longestDescription,
  longestExpression,
  longestName,
  longestRange,
  longestRangeUnderAnHour,
  longestRule,
  mostElements,
  mostMembers,
  mostMetrics,
} from './limits.ts';

/**
 * One thing about an alarm that CloudWatch refuses.
 *
 * @example
 * ```ts
 * const lines = alarmFaults(alarm).map(({ property, found }: AlarmFault) => `${property}: ${found}`);
 * ```
 */
export interface AlarmFault {
  /** The key of the alarm. */
  readonly alarm: string;
  readonly property: string;
  readonly found: string;
  readonly allowed: string;
  readonly remedy: string;
}

/**
 * Alarms that CloudWatch would refuse, with everything that is wrong with them.
 *
 * @example
 * ```ts
 * try {
 *   validateAlarm(alarm);
 * } catch (error) {
 *   if (error instanceof AlarmError) for (const { property } of error.faults) report(property);
 * }
 * ```
 */
export class AlarmError extends Error {
  override readonly name = 'AlarmError';
  readonly faults: readonly AlarmFault[];

  constructor(faults: readonly AlarmFault[]) {
    const lines = faults.map(
      ({ alarm, property, found, allowed, remedy }) =>
        `  - ${alarm}, ${property}: found ${found}; allowed: ${allowed}. ${remedy}`,
    );
    super(`CloudWatch does not take these alarms:\n${lines.join('\n')}`);
    this.faults = faults;
  }
}

/** How alarms will be named and described, as far as CloudWatch limits that. */
export interface AlarmNaming {
  /**
   * The physical name of an alarm.
   *
   * @default - its key
   */
  readonly nameOf?: ((key: string) => string) | undefined;
  /**
   * The address of the runbook.
   *
   * @default - {@link defaultRunbook}
   */
  readonly runbook?: string | undefined;
}

type Report = (property: string, found: unknown, allowed: string, remedy: string) => void;

/** The part of an alarm's ARN before its name, at its longest: composites name their members by ARN. */
const arnPrefix = 'arn:aws-us-gov:cloudwatch:ap-southeast-2:123456789012:alarm:';

/**
 * What CloudWatch refuses about an alarm, whatever other alarms there are.
 *
 * @example
 * ```ts
 * alarmFaults(alarm).length; // 0
 * ```
 */
export function alarmFaults(definition: AlarmDefinition, naming: AlarmNaming = {}): AlarmFault[] {
  const faults: AlarmFault[] = [];
  const report: Report = (property, found, allowed, remedy) =>
    faults.push({ alarm: definition.key, property, found: String(found), allowed, remedy });
  const { nameOf = (key) => key, runbook = defaultRunbook } = naming;
  const name = nameOf(definition.key);
  if (name.length === 0 || name.length > longestName)
    report(
      'name',
      `${name.length} characters`,
      `1 to ${longestName} characters`,
      'Shorten the name of the stack or the subscriber.',
    );
  const description = alarmDescription(definition, runbook).length;
  if (description > longestDescription)
    report('title', `a description of ${description} characters`, `${longestDescription}`, 'Shorten it.');
  if (definition.kind === 'metric') {
    checkMetrics(definition, report);
    checkWindow(definition, report);
  } else checkRule(definition, nameOf, report);
  return faults;
}

/**
 * Checks an alarm against CloudWatch's limits: ten metrics under ids that metric math takes, one series by functions that
 * alarms may use, period x evaluation periods, M of N; of a composite its rule's length and members.
 *
 * @throws {AlarmError} listing everything that CloudWatch would refuse
 * @example
 * ```ts
 * validateAlarm(alarm);
 * ```
 */
export function validateAlarm(definition: AlarmDefinition, naming?: AlarmNaming): void {
  const faults = alarmFaults(definition, naming);
  if (faults.length > 0) throw new AlarmError(faults);
}

/**
 * Checks the alarms of a stack, each and together: no key twice, and what a composite names comes before it.
 *
 * @throws {AlarmError} listing every fault of every alarm
 * @example
 * ```ts
 * validateAlarms(alarmsOf(shop), { nameOf: (key) => `Shop-${key}` });
 * ```
 */
export function validateAlarms(definitions: readonly AlarmDefinition[], naming?: AlarmNaming): void {
  const before = new Set<string>();
  const faults = definitions.flatMap((definition) => {
    const found = alarmFaults(definition, naming);
    const report: Report = (property, value, allowed, remedy) =>
      found.push({ alarm: definition.key, property, found: String(value), allowed, remedy });
    if (before.has(definition.key))
      report('key', definition.key, 'each key once', 'Rename the subscriber or topic, or leave one out.');
    for (const key of referencesOf(definition))
      if (!before.has(key))
        report(
          'rule',
          key,
          'alarms that come before it',
          'Put that alarm first, or leave it out of the rule.',
        );
    before.add(definition.key);
    return found;
  });
  if (faults.length > 0) throw new AlarmError(faults);
}

function checkMetrics({ metrics, expression, period }: MetricAlarmDefinition, report: Report): void {
  if (metrics.length === 0 || metrics.length > mostMetrics)
    report('metrics', metrics.length, `1 to ${mostMetrics} metrics`, 'Watch fewer metrics in one alarm.');
  const ids = metrics.map(({ id }) => id);
  for (const id of new Set(ids)) {
    if (!/^[a-z]\w{0,254}$/.test(id))
      report(
        'metrics',
        `the id "${id}"`,
        'a lower-case letter, then letters, digits and underscores, up to 255',
        'Rename it.',
      );
    if (ids.indexOf(id) !== ids.lastIndexOf(id))
      report('metrics', `the id "${id}" twice`, 'each id once', 'Rename one.');
  }
  for (const metric of metrics)
    if (metric.period !== period)
      report(
        'metrics',
        `"${metric.id}" by ${metric.period} s`,
        `the alarm's period, ${period} s`,
        'Give both one period.',
      );
  if (expression.length > longestExpression)
    report('expression', `${expression.length} characters`, `${longestExpression}`, 'Shorten it.');
  const { names, refusals } = readExpression(expression);
  for (const refusal of refusals)
    report(
      'expression',
      `${expression} (${refusal})`,
      'one series by functions that alarms may use',
      'Rewrite it.',
    );
  for (const name of names)
    if (!ids.includes(name))
      report(
        'expression',
        `the id "${name}"`,
        `the ids of its metrics: ${ids.join(', ')}`,
        'Name one of them.',
      );
}

function checkWindow(definition: MetricAlarmDefinition, report: Report): void {
  const { threshold, period, evaluationPeriods, datapointsToAlarm } = definition;
  if (!Number.isFinite(threshold)) report('threshold', threshold, 'a number', 'Choose one.');
  if (!Number.isInteger(period) || period < 60 || period % 60 !== 0)
    report('period', period, 'a multiple of 60 s, since these metrics come by the minute', 'Choose one.');
  if (!Number.isInteger(evaluationPeriods) || evaluationPeriods < 1)
    report('evaluationPeriods', evaluationPeriods, 'a whole number from 1 on', 'Choose one.');
  if (!Number.isInteger(datapointsToAlarm) || datapointsToAlarm < 1 || datapointsToAlarm > evaluationPeriods)
    report(
      'datapointsToAlarm',
      datapointsToAlarm,
      `a whole number from 1 to evaluationPeriods, ${evaluationPeriods}`,
      'M of N: lower M, or raise N.',
    );
  const most = period < 3_600 ? longestRangeUnderAnHour : longestRange;
  if (period * evaluationPeriods > most)
    report(
      'evaluationPeriods',
      `${evaluationPeriods} x ${period} s`,
      `period x evaluationPeriods up to ${most} s for a period of ${period} s`,
      period < 3_600 ? 'Choose a period of an hour, or fewer periods.' : 'Choose fewer periods.',
    );
}

function checkRule(
  { key, rule, suppressor }: CompositeAlarmDefinition,
  nameOf: (key: string) => string,
  report: Report,
): void {
  const members = membersOf(rule);
  const text = ruleText(rule, (member) => `${arnPrefix}${nameOf(member)}`);
  const shorten = 'Join some of the alarms in a composite of their own.';
  if (members.length === 0 || text.includes('()'))
    report('rule', text, 'at least one alarm in each part', 'Name alarms, or leave it out.');
  if (members.length > mostMembers)
    report('rule', `${members.length} alarms`, `up to ${mostMembers}`, shorten);
  if (text.length > longestRule) report('rule', `${text.length} characters`, `up to ${longestRule}`, shorten);
  // Each ALARM("...") has its parentheses, and they are no elements of their own.
  const elements = text.match(/ALARM\("|(?<!ALARM)\(|(?<!")\)/g)?.length ?? 0;
  if (elements > mostElements)
    report('rule', `${elements} alarms and parentheses`, `up to ${mostElements}`, shorten);
  if (members.includes(key) || suppressor?.key === key)
    report('rule', `the alarm itself, ${key}`, 'other alarms', 'Leave it out.');
  for (const [property, value] of Object.entries({
    wait: suppressor?.wait,
    extension: suppressor?.extension,
  }))
    if (value !== undefined && (!Number.isInteger(value) || value < 0))
      report(`suppressor.${property}`, value, 'whole seconds, 0 or more', 'Choose some.');
}
