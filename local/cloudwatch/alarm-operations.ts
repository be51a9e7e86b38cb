import type {
  CompositeAlarm,
  DeleteAlarmsCommandInput,
  DescribeAlarmHistoryCommandInput,
  DescribeAlarmsCommandInput,
  DisableAlarmActionsCommandInput,
  EnableAlarmActionsCommandInput,
  ListTagsForResourceCommandInput,
  MetricAlarm,
  PutCompositeAlarmCommandInput,
  PutMetricAlarmCommandInput,
  SetAlarmStateCommandInput,
  Tag,
  TagResourceCommandInput,
  UntagResourceCommandInput,
} from '@aws-sdk/client-cloudwatch';
import { ServiceError } from '../service.ts';
import type { Alarm, CompositeAlarmState, MetricAlarmState } from './alarm.ts';
import type { AlarmState } from './alarm-state.ts';
import type { Alarms } from './alarms.ts';
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

    PutCompositeAlarm(input: PutCompositeAlarmCommandInput) {
      alarms.putComposite(input);
      return {};
    },

    DescribeAlarms(input: DescribeAlarmsCommandInput) {
      const wanted = wantedOf(alarms, input);
      const size = input.MaxRecords ?? (input.AlarmNames === undefined ? DEFAULT_RECORDS : MOST_RECORDS);
      const { items, next } = page(wanted, input.NextToken, size);
      return {
        MetricAlarms: items.flatMap((alarm) => (alarm.kind === 'MetricAlarm' ? [describe(alarm)] : [])),
        CompositeAlarms: items.flatMap((alarm) =>
          alarm.kind === 'CompositeAlarm' ? [describeComposite(alarm)] : [],
        ),
        ...next,
      };
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

    ListTagsForResource({ ResourceARN: arn }: ListTagsForResourceCommandInput) {
      return { Tags: [...(byArn(alarms, arn).configuration.Tags ?? [])] };
    },

    TagResource({ ResourceARN: arn, Tags: added = [] }: TagResourceCommandInput) {
      const alarm = byArn(alarms, arn);
      const kept = (alarm.configuration.Tags ?? []).filter(
        ({ Key }) => !added.some((one) => one.Key === Key),
      );
      setTags(alarm, [...kept, ...added]);
      return {};
    },

    UntagResource({ ResourceARN: arn, TagKeys: keys = [] }: UntagResourceCommandInput) {
      const alarm = byArn(alarms, arn);
      setTags(
        alarm,
        (alarm.configuration.Tags ?? []).filter(({ Key }) => !keys.includes(Key!)),
      );
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

function wantedOf(alarms: Alarms, input: DescribeAlarmsCommandInput): readonly Alarm[] {
  const { AlarmNames: names, AlarmNamePrefix: prefix, StateValue: state, ActionPrefix: action } = input;
  if (input.ChildrenOfAlarmName !== undefined) {
    const parent = alarms.get(input.ChildrenOfAlarmName);
    const children = parent.kind === 'CompositeAlarm' ? parent.rule.children : [];
    return alarms.all().filter(({ name }) => children.includes(name));
  }
  if (input.ParentsOfAlarmName !== undefined) {
    const { name } = alarms.get(input.ParentsOfAlarmName);
    return alarms
      .all()
      .filter((alarm) => alarm.kind === 'CompositeAlarm' && alarm.rule.children.includes(name));
  }
  if (prefix !== undefined && names !== undefined && names.length > 0)
    throw invalid('DescribeAlarms takes either AlarmNames or AlarmNamePrefix; found both');
  // CloudWatch API reference, DescribeAlarms: metric alarms alone when no type is named.
  const kinds = input.AlarmTypes ?? ['MetricAlarm'];
  return alarms
    .all()
    .filter(
      (alarm) =>
        kinds.includes(alarm.kind) &&
        (names === undefined || names.length === 0 || names.includes(alarm.name)) &&
        (prefix === undefined || alarm.name.startsWith(prefix)) &&
        (state === undefined || alarm.state === state) &&
        (action === undefined || allActions(alarm).some((one) => one.startsWith(action))),
    );
}

function byArn(alarms: Alarms, arn: string | undefined): Alarm {
  const alarm = alarms.all().find((each) => each.arn === arn);
  if (alarm === undefined)
    throw new ServiceError('ResourceNotFoundException', `The resource ${arn} does not exist.`, {
      statusCode: 404,
    });
  return alarm;
}

function setTags(alarm: Alarm, Tags: Tag[]): void {
  if (alarm.kind === 'MetricAlarm') alarm.configuration = { ...alarm.configuration, Tags };
  else alarm.configuration = { ...alarm.configuration, Tags };
}

function setActions(alarms: Alarms, names: readonly string[], enabled: boolean): void {
  for (const alarm of alarms.all()) if (names.includes(alarm.name)) alarm.actionsEnabled = enabled;
}

const allActions = ({ configuration }: Alarm): readonly string[] => [
  ...(configuration.AlarmActions ?? []),
  ...(configuration.OKActions ?? []),
  ...(configuration.InsufficientDataActions ?? []),
];

function describe(alarm: MetricAlarmState): MetricAlarm {
  const { Tags: _, ...configuration } = alarm.configuration;
  return { ...configuration, ...common(alarm) };
}

function describeComposite(alarm: CompositeAlarmState): CompositeAlarm {
  const { Tags: _, ...configuration } = alarm.configuration;
  const by = alarm.suppression.by();
  return {
    ...configuration,
    ...common(alarm),
    ...(by === undefined
      ? {}
      : {
          ActionsSuppressedBy: by,
          ActionsSuppressedReason: `Actions suppressed by ${by}: ${configuration.ActionsSuppressor}`,
        }),
  };
}

function common(alarm: Alarm) {
  const changed = new Date(alarm.changedAt);
  const { configuration } = alarm;
  return {
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
