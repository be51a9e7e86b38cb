import type {
  DeleteAlarmsCommandInput,
  DescribeAlarmHistoryCommandInput,
  DescribeAlarmsCommandInput,
  DisableAlarmActionsCommandInput,
  EnableAlarmActionsCommandInput,
  MetricAlarm,
  PutMetricAlarmCommandInput,
  SetAlarmStateCommandInput,
} from '@aws-sdk/client-cloudwatch';
import type { AlarmState } from './alarm-state.ts';
import type { Alarm, Alarms } from './alarms.ts';
import { invalid, invalidValue, missing } from './errors.ts';
import type { AlarmHistory } from './history.ts';
import { page } from './page.ts';

const STATES: readonly string[] = ['OK', 'ALARM', 'INSUFFICIENT_DATA'];
// CloudWatch API reference: DescribeAlarms answers up to 100 alarms, 50 by default; DeleteAlarms takes 100.
const MOST_RECORDS = 100;
const DEFAULT_RECORDS = 50;

/** The actions on alarms. */
export function alarmOperations(alarms: Alarms, history: AlarmHistory) {
  return {
    PutMetricAlarm(input: PutMetricAlarmCommandInput) {
      alarms.put(input);
      return {};
    },

    DescribeAlarms(input: DescribeAlarmsCommandInput) {
      const { AlarmNames: names, AlarmNamePrefix: prefix, StateValue: state, ActionPrefix: action } = input;
      const found = alarms
        .all()
        .filter(
          (alarm) =>
            (names === undefined || names.length === 0 || names.includes(alarm.configuration.AlarmName!)) &&
            (prefix === undefined || alarm.configuration.AlarmName!.startsWith(prefix)) &&
            (state === undefined || alarm.state === state) &&
            (action === undefined || allActions(alarm).some((one) => one.startsWith(action))),
        );
      const wanted = input.AlarmTypes === undefined || input.AlarmTypes.includes('MetricAlarm') ? found : [];
      const size = input.MaxRecords ?? (names === undefined ? DEFAULT_RECORDS : MOST_RECORDS);
      const { items, next } = page(wanted, input.NextToken, size);
      return { MetricAlarms: items.map(describe), CompositeAlarms: [], ...next };
    },

    DescribeAlarmHistory: (input: DescribeAlarmHistoryCommandInput) => history.describe(input),

    DeleteAlarms({ AlarmNames: names }: DeleteAlarmsCommandInput) {
      if (names === undefined) throw missing('AlarmNames');
      if (names.length > MOST_RECORDS)
        throw invalidValue(`AlarmNames takes ${MOST_RECORDS} names; found ${names.length}`);
      alarms.delete(names);
      return {};
    },

    SetAlarmState(input: SetAlarmStateCommandInput) {
      const { AlarmName: name, StateValue: state, StateReason: reason, StateReasonData: data } = input;
      const alarm = alarms.get(name);
      if (state === undefined || !STATES.includes(state))
        throw invalid(`StateValue is one of ${STATES.join(', ')}; found '${state}'`);
      if (reason === undefined) throw missing('StateReason');
      alarms.setState(alarm, state as AlarmState, reason, data);
      return {};
    },

    EnableAlarmActions({ AlarmNames: names = [] }: EnableAlarmActionsCommandInput) {
      setActions(alarms, names, true);
      return {};
    },

    DisableAlarmActions({ AlarmNames: names = [] }: DisableAlarmActionsCommandInput) {
      setActions(alarms, names, false);
      return {};
    },
  };
}

function setActions(alarms: Alarms, names: readonly string[], enabled: boolean): void {
  for (const alarm of alarms.all())
    if (names.includes(alarm.configuration.AlarmName!)) alarm.actionsEnabled = enabled;
}

const allActions = ({ configuration }: Alarm): readonly string[] => [
  ...(configuration.AlarmActions ?? []),
  ...(configuration.OKActions ?? []),
  ...(configuration.InsufficientDataActions ?? []),
];

function describe(alarm: Alarm): MetricAlarm {
  const { Tags: _, ...configuration } = alarm.configuration;
  const changed = new Date(alarm.changedAt);
  return {
    ...configuration,
    AlarmArn: alarm.arn,
    AlarmConfigurationUpdatedTimestamp: new Date(alarm.configuredAt),
    ActionsEnabled: alarm.actionsEnabled,
    OKActions: configuration.OKActions ?? [],
    AlarmActions: configuration.AlarmActions ?? [],
    InsufficientDataActions: configuration.InsufficientDataActions ?? [],
    StateValue: alarm.state,
    StateReason: alarm.reason,
    StateReasonData: alarm.reasonData,
    StateUpdatedTimestamp: changed,
    StateTransitionedTimestamp: changed,
  };
}
