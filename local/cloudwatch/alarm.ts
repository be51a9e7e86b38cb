import type { PutCompositeAlarmCommandInput, PutMetricAlarmCommandInput } from '@aws-sdk/client-cloudwatch';
import { type Milliseconds, milliseconds } from '../../lib/base/index.ts';
import type { AlarmConfiguration } from './alarm-message.ts';
import type { CompiledAlarm } from './alarm-rules.ts';
import type { AlarmState } from './alarm-state.ts';
import type { CompositeRule } from './composite-rule.ts';
import type { Suppression } from './suppression.ts';

/**
 * An alarm as others see it.
 *
 * @example
 * ```ts
 * const ringing = aws.cloudwatch.alarms().filter(({ state }) => state === 'ALARM');
 * ```
 */
export interface AlarmView {
  readonly name: string;
  readonly arn: string;
  readonly state: AlarmState;
  readonly reason: string;
  /** Since when the alarm has been in its state, milliseconds since the Unix epoch. */
  readonly changedAt: Milliseconds;
}

/** A change of an alarm's state. */
export interface AlarmChange {
  readonly name: string;
  readonly from: AlarmState;
  readonly to: AlarmState;
  readonly at: Milliseconds;
  readonly reason: string;
}

interface AnyAlarm {
  readonly name: string;
  readonly arn: string;
  configuration: AlarmConfiguration;
  configuredAt: Milliseconds;
  state: AlarmState;
  reason: string;
  reasonData: string | undefined;
  changedAt: Milliseconds;
  actionsEnabled: boolean;
}

/** An alarm on a metric or an expression. */
export interface MetricAlarmState extends AnyAlarm {
  readonly kind: 'MetricAlarm';
  configuration: PutMetricAlarmCommandInput;
  compiled: CompiledAlarm;
}

/** An alarm on other alarms. */
export interface CompositeAlarmState extends AnyAlarm {
  readonly kind: 'CompositeAlarm';
  configuration: PutCompositeAlarmCommandInput;
  rule: CompositeRule;
  /** Holds its actions back. */
  suppression: Suppression;
  /** The alarm whose change led to the present state; `undefined` before the first. */
  cause: Alarm | undefined;
}

/** An alarm with its state. */
export type Alarm = MetricAlarmState | CompositeAlarmState;

/** Those actions that an alarm runs when it goes into a state. */
export function actionsOf(configuration: AlarmConfiguration, state: AlarmState): readonly string[] {
  if (state === 'ALARM') return configuration.AlarmActions ?? [];
  if (state === 'OK') return configuration.OKActions ?? [];
  return configuration.InsufficientDataActions ?? [];
}

/** An alarm as others see it. */
export const alarmView = (alarm: Alarm): AlarmView => ({
  name: alarm.name,
  arn: alarm.arn,
  state: alarm.state,
  reason: alarm.reason,
  changedAt: milliseconds(alarm.changedAt),
});
