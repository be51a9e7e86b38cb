import type { PutCompositeAlarmCommandInput } from '@aws-sdk/client-cloudwatch';
import type { ModelContext, ServiceError } from '../service.ts';
import type { Alarm, CompositeAlarmState } from './alarm.ts';
import { checkActions } from './alarm-rules.ts';
import type { AlarmState } from './alarm-state.ts';
import { nameOf, parseRule } from './composite-rule.ts';
import { invalid, missing } from './errors.ts';
import { createSuppression } from './suppression.ts';

/**
 * The composite alarms among `alarms`: they change when an alarm of their rule does, at once.
 *
 * A rule of alarms that refer to each other in a circle is followed once around and no further (CloudWatch API
 * reference, PutCompositeAlarm: evaluation stops at a circle).
 */
export function createComposites(
  { clock }: Pick<ModelContext, 'clock'>,
  alarms: ReadonlyMap<string, Alarm>,
  setState: (alarm: Alarm, state: AlarmState, reason: string) => void,
  act: (alarm: Alarm, from: AlarmState) => void,
) {
  const evaluating = new Set<string>();
  const all = () =>
    [...alarms.values()].filter((alarm): alarm is CompositeAlarmState => alarm.kind === 'CompositeAlarm');
  // A child that was deleted together with another one of its rule is no longer in any state.
  const stateOf = (name: string): AlarmState => alarms.get(name)?.state ?? 'INSUFFICIENT_DATA';
  const suppressorOf = ({ configuration }: CompositeAlarmState): string | undefined =>
    configuration.ActionsSuppressor === undefined ? undefined : nameOf(configuration.ActionsSuppressor);
  const uses = (composite: CompositeAlarmState, name: string): boolean =>
    composite.rule.children.includes(name) || suppressorOf(composite) === name;

  const evaluate = (composite: CompositeAlarmState, cause: Alarm | undefined) => {
    if (evaluating.has(composite.name)) return;
    evaluating.add(composite.name);
    try {
      const state = composite.rule.holds(stateOf) ? 'ALARM' : 'OK';
      if (state === composite.state) return;
      composite.cause = cause;
      const reason =
        cause === undefined
          ? `The rule was evaluated: ${composite.configuration.AlarmRule}`
          : `${cause.arn} transitioned to ${cause.state} at ${new Date(cause.changedAt).toUTCString()}`;
      setState(composite, state, reason);
    } finally {
      evaluating.delete(composite.name);
    }
  };

  /** The parts of a composite alarm that its configuration makes. */
  const compile = (input: PutCompositeAlarmCommandInput) => {
    const { AlarmName: name, AlarmRule: text, ActionsSuppressor: suppressor } = input;
    if (name === undefined || name === '') throw missing('AlarmName');
    if (name.length > 255) throw invalid(`AlarmName: 1 to 255 characters are allowed; found ${name.length}`);
    if (text === undefined || text === '') throw missing('AlarmRule');
    checkActions(name, input);
    const rule = parseRule(text);
    const unknown = rule.children.filter((child) => child !== name && !alarms.has(child));
    if (unknown.length > 0)
      throw invalid(
        `Could not save the composite alarm as alarms [${unknown.join(', ')}] in the alarm rule do not exist`,
      );
    const wait = input.ActionsSuppressorWaitPeriod;
    const extension = input.ActionsSuppressorExtensionPeriod;
    if (suppressor === undefined) {
      if (wait !== undefined || extension !== undefined)
        throw invalid(`${name}: a wait and an extension period need an ActionsSuppressor`);
    } else {
      if (!alarms.has(nameOf(suppressor)))
        throw invalid(`The actions suppressor ${suppressor} of ${name} does not exist`);
      for (const [period, value] of Object.entries({ wait, extension }))
        if (value === undefined || !Number.isInteger(value) || value < 0)
          throw invalid(
            `${name}: with an ActionsSuppressor the ${period} period is needed, in whole seconds; found ${value}`,
          );
    }
    const self = () => alarms.get(name)!;
    const suppression = createSuppression(clock, {
      suppressing: () => suppressor !== undefined && stateOf(nameOf(suppressor)) === 'ALARM',
      wait: suppressor === undefined ? 0 : (wait ?? 0),
      extension: extension ?? 0,
      act: (from) => act(self(), from),
      current: () => self().state,
    });
    return { rule, suppression };
  };

  return {
    compile,
    evaluate,
    /** Follows the change of an alarm: into the composites of which it is a child, and those that it suppresses. */
    changed(alarm: Alarm): void {
      for (const composite of all()) {
        if (suppressorOf(composite) === alarm.name) composite.suppression.suppressorChanged();
        if (composite.rule.children.includes(alarm.name)) evaluate(composite, alarm);
      }
    },
    /**
     * @throws ServiceError when two of the names are composite alarms, or a composite alarm needs one of them: nothing
     * is deleted then (CloudWatch API reference, DeleteAlarms)
     */
    checkDeletion(names: readonly string[]): void {
      const composites = names.filter((name) => alarms.get(name)?.kind === 'CompositeAlarm');
      if (composites.length > 1)
        throw invalid(`One call deletes one composite alarm; found ${composites.join(', ')}`);
      const others = all().filter(({ name }) => !names.includes(name));
      const needed = names.filter((name) => alarms.has(name) && others.some((each) => uses(each, name)));
      if (needed.length > 0)
        throw invalid(
          `Cannot delete ${needed.join(',')} as there are composite alarm(s) depending on ${needed.length === 1 ? 'it' : 'them'}.`,
        );
    },
    otherKind: ({ name, kind }: Alarm): ServiceError =>
      invalid(`${name} is a ${kind === 'MetricAlarm' ? 'metric' : 'composite'} alarm already`),
  };
}

/** What the message of a composite alarm's action tells of it. */
export const compositeDetails = ({ configuration, cause }: CompositeAlarmState): object => ({
  AlarmRule: configuration.AlarmRule,
  TriggeringChildren:
    cause === undefined
      ? []
      : [
          {
            Arn: cause.arn,
            State: {
              Value: cause.state,
              Timestamp: new Date(cause.changedAt).toISOString().replace('Z', '+0000'),
            },
          },
        ],
});
