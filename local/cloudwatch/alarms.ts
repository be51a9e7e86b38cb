import type { PutMetricAlarmCommandInput } from '@aws-sdk/client-cloudwatch';
import { type Milliseconds, milliseconds } from '../../lib/base/index.ts';
import { type ModelContext, ServiceError } from '../service.ts';
import { type AlarmTransition, alarmMessage, alarmSubject, stateReason } from './alarm-message.ts';
import { type CompiledAlarm, compileAlarm, type EvaluationWindow } from './alarm-rules.ts';
import { type AlarmState, EXTRA_PERIODS, judge } from './alarm-state.ts';
import { notFound } from './errors.ts';
import type { AlarmHistory } from './history.ts';
import type { Grid } from './math/index.ts';
import { createReader, singleSeries } from './queries.ts';
import type { MetricStore } from './store.ts';

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

/** An alarm with its state. */
export interface Alarm {
  readonly arn: string;
  configuration: PutMetricAlarmCommandInput;
  compiled: CompiledAlarm;
  configuredAt: Milliseconds;
  state: AlarmState;
  reason: string;
  reasonData: string | undefined;
  changedAt: Milliseconds;
  actionsEnabled: boolean;
}

/** Sends the message of an alarm's action to a topic. */
export type Notify = (topicArn: string, subject: string, message: string) => void;

/** The alarms of the account and their life. */
export interface Alarms {
  put(input: PutMetricAlarmCommandInput): void;
  delete(names: readonly string[]): void;
  get(name: string | undefined): Alarm;
  all(): readonly Alarm[];
  setState(alarm: Alarm, state: AlarmState, reason: string, reasonData?: string): void;
  /** Evaluates every alarm on what was published before `end`. */
  evaluate(end: number): void;
  onChange(listener: (change: AlarmChange) => void): () => void;
}

/** No alarms yet. */
export function createAlarms(
  context: Omit<ModelContext, 'metrics'>,
  store: MetricStore,
  history: AlarmHistory,
  notify: Notify,
  defaultWindow: EvaluationWindow,
): Alarms {
  const alarms = new Map<string, Alarm>();
  const listeners = new Set<(change: AlarmChange) => void>();

  const setState = (alarm: Alarm, to: AlarmState, reason: string, reasonData?: string) => {
    const from = alarm.state;
    alarm.reason = reason;
    alarm.reasonData = reasonData;
    if (from === to) return;
    const name = alarm.configuration.AlarmName!;
    const at = context.clock.now();
    alarm.state = to;
    alarm.changedAt = at;
    history.add(name, 'StateUpdate', `Alarm updated from ${from} to ${to}`, {
      oldState: { stateValue: from },
      newState: { stateValue: to, stateReason: reason, stateReasonData: parsed(reasonData) },
    });
    if (alarm.actionsEnabled) act(alarm, from, at);
    for (const listener of [...listeners]) listener({ name, from, to, at, reason });
  };

  const act = (alarm: Alarm, from: AlarmState, at: Milliseconds) => {
    const { configuration, configuredAt, arn, state: to, reason } = alarm;
    const name = configuration.AlarmName!;
    const transition: AlarmTransition = {
      arn,
      account: context.account,
      region: context.region,
      configuration,
      configuredAt,
      from,
      to,
      at,
      reason,
    };
    for (const action of actionsOf(configuration, to)) {
      try {
        notify(action, alarmSubject(transition), alarmMessage(transition));
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        // As on AWS: a failed action is told by the history, and does not stop the others.
        history.add(
          name,
          'Action',
          `Failed to execute action ${action}. Received error: "${error.message}"`,
          {
            actionState: 'Failed',
            notificationResource: action,
            error: error.message,
          },
        );
        continue;
      }
      history.add(name, 'Action', `Successfully executed action ${action}`, {
        actionState: 'Succeeded',
        notificationResource: action,
      });
    }
  };

  const evaluateOne = (alarm: Alarm, boundary: number) => {
    const { queries, watched, period, rule, wallClock } = alarm.compiled;
    const end = wallClock ? Math.floor(boundary / period) * period : boundary;
    const length = rule.evaluated + EXTRA_PERIODS;
    const grid: Grid = { start: end - length * period, period, length };
    const series = singleSeries(createReader(queries, store, grid, boundary)(watched), watched);
    const evaluation = judge(series, rule, alarm.state);
    if (evaluation.state === alarm.state) return;
    const timeOf = (index: number) => grid.start + index * period;
    setState(
      alarm,
      evaluation.state,
      stateReason(alarm.configuration, evaluation, alarm.state, rule.breaches, timeOf),
      JSON.stringify({
        version: '1.0',
        queryDate: new Date(boundary).toISOString().replace('Z', '+0000'),
        period: period / 1000,
        recentDatapoints: evaluation.points.map(({ value }) => value),
        threshold: alarm.configuration.Threshold,
      }),
    );
  };

  return {
    put(input) {
      const compiled = compileAlarm(input, defaultWindow);
      const name = input.AlarmName!;
      const now = context.clock.now();
      const existing = alarms.get(name);
      if (existing !== undefined) {
        existing.configuration = input;
        existing.compiled = compiled;
        existing.configuredAt = now;
        existing.actionsEnabled = input.ActionsEnabled ?? true;
        history.add(name, 'ConfigurationUpdate', `Alarm "${name}" updated`, { type: 'Update' });
        return;
      }
      alarms.set(name, {
        arn: `arn:aws:cloudwatch:${context.region}:${context.account}:alarm:${name}`,
        configuration: input,
        compiled,
        configuredAt: now,
        state: 'INSUFFICIENT_DATA',
        reason: 'Unchecked: Initial alarm creation',
        reasonData: undefined,
        changedAt: now,
        actionsEnabled: input.ActionsEnabled ?? true,
      });
      history.add(name, 'ConfigurationUpdate', `Alarm "${name}" created`, { type: 'Create' });
    },
    delete(names) {
      for (const name of names) {
        if (!alarms.delete(name)) continue;
        history.add(name, 'ConfigurationUpdate', `Alarm "${name}" deleted`, { type: 'Delete' });
      }
    },
    get(name) {
      const alarm = name === undefined ? undefined : alarms.get(name);
      if (alarm === undefined) throw notFound(`The alarm '${name}'`);
      return alarm;
    },
    all: () => [...alarms.values()],
    setState,
    evaluate(end) {
      for (const alarm of [...alarms.values()]) evaluateOne(alarm, end);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** An alarm as others see it. */
export const alarmView = (alarm: Alarm): AlarmView => ({
  name: alarm.configuration.AlarmName!,
  arn: alarm.arn,
  state: alarm.state,
  reason: alarm.reason,
  changedAt: milliseconds(alarm.changedAt),
});

function actionsOf(configuration: PutMetricAlarmCommandInput, state: AlarmState): readonly string[] {
  if (state === 'ALARM') return configuration.AlarmActions ?? [];
  if (state === 'OK') return configuration.OKActions ?? [];
  return configuration.InsufficientDataActions ?? [];
}

function parsed(data: string | undefined): unknown {
  if (data === undefined) return undefined;
  try {
    return JSON.parse(data);
  } catch {
    // SetAlarmState takes any text as its data.
    return data;
  }
}
