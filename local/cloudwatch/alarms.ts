import type { PutCompositeAlarmCommandInput, PutMetricAlarmCommandInput } from '@aws-sdk/client-cloudwatch';
import type { Milliseconds } from '../../lib/base/index.ts';
import { type ModelContext, ServiceError } from '../service.ts';
import { type Alarm, type AlarmChange, actionsOf, type MetricAlarmState } from './alarm.ts';
import { type AlarmTransition, alarmMessage, alarmSubject, stateReason, trigger } from './alarm-message.ts';
import { compileAlarm, type EvaluationWindow } from './alarm-rules.ts';
import { type AlarmState, EXTRA_PERIODS, judge } from './alarm-state.ts';
import { compositeDetails, createComposites } from './composites.ts';
import { notFound } from './errors.ts';
import type { AlarmHistory } from './history.ts';
import type { Grid } from './math/index.ts';
import { createReader, singleSeries } from './queries.ts';
import type { MetricStore } from './store.ts';

/** Sends the message of an alarm's action to a topic, in the name of the alarm. */
export type Notify = (topicArn: string, subject: string, message: string, alarmArn: string) => void;

/** The alarms of the account and their life. */
export interface Alarms {
  put(input: PutMetricAlarmCommandInput): void;
  putComposite(input: PutCompositeAlarmCommandInput): void;
  delete(names: readonly string[]): void;
  get(name: string | undefined): Alarm;
  all(): readonly Alarm[];
  setState(alarm: Alarm, state: AlarmState, reason: string, reasonData?: string): void;
  /** Evaluates every alarm on what was published before `end`. */
  evaluate(end: number): void;
  onChange(listener: (change: AlarmChange) => void): () => void;
  /** Ends the waits of held actions. */
  stop(): void;
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
    const at = context.clock.now();
    alarm.state = to;
    alarm.changedAt = at;
    history.add(alarm, 'StateUpdate', `Alarm updated from ${from} to ${to}`, {
      oldState: { stateValue: from },
      newState: { stateValue: to, stateReason: reason, stateReasonData: parsed(reasonData) },
    });
    if (alarm.kind === 'CompositeAlarm') alarm.suppression.changed(from);
    else act(alarm, from);
    for (const listener of [...listeners]) listener({ name: alarm.name, from, to, at, reason });
    composites.changed(alarm);
  };

  const act = (alarm: Alarm, from: AlarmState) => {
    if (!alarm.actionsEnabled) return;
    const { configuration, configuredAt, arn, state: to, reason } = alarm;
    const transition: AlarmTransition = {
      arn,
      account: context.account,
      region: context.region,
      configuration,
      details:
        alarm.kind === 'MetricAlarm' ? { Trigger: trigger(alarm.configuration) } : compositeDetails(alarm),
      configuredAt,
      from,
      to,
      at: alarm.changedAt,
      reason,
    };
    for (const action of actionsOf(configuration, to)) {
      try {
        notify(action, alarmSubject(transition), alarmMessage(transition), arn);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        // As on AWS: a failed action is told by the history, and does not stop the others.
        history.add(
          alarm,
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
      history.add(alarm, 'Action', `Successfully executed action ${action}`, {
        actionState: 'Succeeded',
        notificationResource: action,
      });
    }
  };

  const composites = createComposites(context, alarms, setState, act);

  const evaluateOne = (alarm: MetricAlarmState, boundary: number) => {
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

  const configured = (alarm: Alarm, what: 'created' | 'updated') =>
    history.add(alarm, 'ConfigurationUpdate', `Alarm "${alarm.name}" ${what}`, {
      type: what === 'created' ? 'Create' : 'Update',
    });
  const initial = (name: string, now: Milliseconds, enabled: boolean | undefined) => ({
    name,
    arn: `arn:aws:cloudwatch:${context.region}:${context.account}:alarm:${name}`,
    configuredAt: now,
    state: 'INSUFFICIENT_DATA' as const,
    reason: 'Unchecked: Initial alarm creation',
    reasonData: undefined,
    changedAt: now,
    actionsEnabled: enabled ?? true,
  });

  return {
    put(input) {
      const compiled = compileAlarm(input, defaultWindow);
      const name = input.AlarmName!;
      const now = context.clock.now();
      const existing = alarms.get(name);
      if (existing?.kind === 'CompositeAlarm') throw composites.otherKind(existing);
      if (existing !== undefined) {
        // CloudWatch API reference, PutMetricAlarm: the tags of an alarm that exists are not changed by it.
        existing.configuration = { ...input, Tags: existing.configuration.Tags };
        existing.compiled = compiled;
        existing.configuredAt = now;
        existing.actionsEnabled = input.ActionsEnabled ?? true;
        return configured(existing, 'updated');
      }
      const alarm: Alarm = {
        kind: 'MetricAlarm',
        ...initial(name, now, input.ActionsEnabled),
        configuration: input,
        compiled,
      };
      alarms.set(name, alarm);
      configured(alarm, 'created');
    },
    putComposite(input) {
      const parts = composites.compile(input);
      const name = input.AlarmName!;
      const now = context.clock.now();
      let alarm = alarms.get(name);
      if (alarm?.kind === 'MetricAlarm') throw composites.otherKind(alarm);
      if (alarm === undefined) {
        alarm = {
          kind: 'CompositeAlarm',
          ...initial(name, now, input.ActionsEnabled),
          configuration: input,
          ...parts,
          cause: undefined,
        };
        alarms.set(name, alarm);
        configured(alarm, 'created');
      } else {
        alarm.suppression.stop();
        Object.assign(alarm, parts);
        alarm.configuration = { ...input, Tags: alarm.configuration.Tags };
        alarm.configuredAt = now;
        alarm.actionsEnabled = input.ActionsEnabled ?? true;
        configured(alarm, 'updated');
      }
      composites.evaluate(alarm, undefined);
    },
    delete(names) {
      composites.checkDeletion(names);
      for (const name of names) {
        const alarm = alarms.get(name);
        if (alarm === undefined) continue;
        if (alarm.kind === 'CompositeAlarm') alarm.suppression.stop();
        alarms.delete(name);
        history.add(alarm, 'ConfigurationUpdate', `Alarm "${name}" deleted`, { type: 'Delete' });
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
      for (const alarm of [...alarms.values()]) if (alarm.kind === 'MetricAlarm') evaluateOne(alarm, end);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop() {
      for (const alarm of alarms.values()) if (alarm.kind === 'CompositeAlarm') alarm.suppression.stop();
    },
  };
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
