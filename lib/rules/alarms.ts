import type { Graph } from './graph.ts';
import { allows } from './policy.ts';
import * as quotas from './quotas.ts';
import { topicPolicies } from './resource-policies.ts';
import type { RuleTable } from './rule.ts';
import {
  boolean,
  isList,
  isObject,
  list,
  number,
  property,
  type Resource,
  text,
  type Value,
} from './value.ts';

export const metricAlarms = (graph: Graph): readonly Resource[] => graph.of('AWS::CloudWatch::Alarm');

export const allAlarms = (graph: Graph): readonly Resource[] => [
  ...metricAlarms(graph),
  ...graph.of('AWS::CloudWatch::CompositeAlarm'),
];

const actionKinds = ['AlarmActions', 'OKActions', 'InsufficientDataActions'] as const;

/** The topics that an alarm notifies, as far as they are part of the app. */
export const notified = (graph: Graph, alarm: Resource): ReadonlySet<Resource> =>
  new Set(
    actionKinds
      .flatMap((kind) => list(property(alarm.properties, kind)) ?? [])
      .flatMap((action) => graph.link(alarm, action)?.resource ?? [])
      .filter(({ type }) => type === 'AWS::SNS::Topic'),
  );

/** The metrics that an alarm reads; undefined when the list is not known. */
function metricsOf(alarm: Resource): number | undefined {
  const queries = list(property(alarm.properties, 'Metrics'));
  if (queries === undefined) return undefined;
  return queries.filter((each) => isObject(each) && property(each, 'MetricStat') !== null).length;
}

/** The longest period among the metrics of an alarm, which is that of its evaluation. */
function periodOf(alarm: Resource): number | undefined {
  const own = number(property(alarm.properties, 'Period'));
  if (own !== null) return own;
  const queries = property(alarm.properties, 'Metrics');
  if (!isList(queries)) return undefined;
  const periods = queries.flatMap((each: Value) => {
    const stat = property(each, 'MetricStat');
    return number(stat === null ? property(each, 'Period') : property(stat, 'Period')) ?? [];
  });
  return periods.length === 0 ? undefined : Math.max(...periods);
}

/** Whether the rule of a composite names an alarm, by its name or ARN, in quotes or not. */
const isNamedIn = (rule: string, name: string): boolean =>
  rule
    .split(/[()"]/)
    .map((word) => word.trim())
    .some((word) => word === name || word.endsWith(`:alarm:${name}`));

/** Rules on alarms. */
export const alarmRules = {
  'alarm-datapoints': {
    severity: 'error',
    condition: 'An alarm waits for more data points than it looks at.',
    allowed: 'DatapointsToAlarm up to EvaluationPeriods',
    remedy: 'Lower datapointsToAlarm, or raise evaluationPeriods.',
    why: 'CloudWatch refuses the alarm in the middle of the deployment.',
    source: quotas.alarmRangeMost.source,
    subjects: ['stack'],
    *check(graph) {
      for (const at of metricAlarms(graph)) {
        const points = number(property(at.properties, 'DatapointsToAlarm'));
        const periods = number(property(at.properties, 'EvaluationPeriods'));
        if (typeof points === 'number' && typeof periods === 'number' && points > periods)
          yield { at, found: `${points} of ${periods}` };
      }
    },
  },
  'alarm-range': {
    severity: 'error',
    condition: 'An alarm looks back further than CloudWatch allows.',
    allowed: `Period x EvaluationPeriods up to ${quotas.alarmRangeMost.value} seconds, and up to ${quotas.alarmRangeUnderAnHourMost.value} when the period is under an hour`,
    remedy: 'Lower evaluationPeriods, or take a period of an hour or more.',
    why: 'CloudWatch refuses the alarm in the middle of the deployment.',
    source: quotas.alarmRangeMost.source,
    subjects: ['stack'],
    *check(graph) {
      for (const at of metricAlarms(graph)) {
        const period = periodOf(at);
        const periods = number(property(at.properties, 'EvaluationPeriods'));
        if (period === undefined || typeof periods !== 'number') continue;
        const most = period < 3600 ? quotas.alarmRangeUnderAnHourMost : quotas.alarmRangeMost;
        if (period * periods > most.value)
          yield {
            at,
            found: `${period} x ${periods} = ${period * periods} seconds`,
            allowed: `up to ${most.value}`,
          };
      }
    },
  },
  'alarm-metrics': {
    severity: 'error',
    condition: 'An alarm reads more metrics than CloudWatch allows.',
    allowed: `up to ${quotas.alarmMetricsMost.value} metrics`,
    remedy: 'Split the alarm, and put a composite over its parts.',
    why: 'CloudWatch refuses the alarm in the middle of the deployment.',
    source: quotas.alarmMetricsMost.source,
    subjects: ['stack'],
    *check(graph) {
      for (const at of metricAlarms(graph)) {
        const count = metricsOf(at);
        if (count !== undefined && count > quotas.alarmMetricsMost.value)
          yield { at, found: `${count} metrics` };
      }
    },
  },
  'alarm-actions': {
    severity: 'error',
    condition: 'An alarm has more actions for a state than CloudWatch allows.',
    allowed: `up to ${quotas.alarmActionsMost.value} actions for each state`,
    remedy: 'Notify one topic, and let that one spread it.',
    why: 'CloudWatch refuses the alarm in the middle of the deployment.',
    source: quotas.alarmActionsMost.source,
    subjects: ['stack'],
    *check(graph) {
      for (const at of allAlarms(graph))
        for (const kind of actionKinds) {
          const count = list(property(at.properties, kind))?.length ?? 0;
          if (count > quotas.alarmActionsMost.value) yield { at, found: `${count} ${kind}` };
        }
    },
  },
  'alarm-without-action': {
    severity: 'warning',
    condition: 'An alarm notifies nobody.',
    allowed: 'an alarm action, or a composite alarm over it that has one',
    remedy:
      'Give the alarms a topic (alarmTopic of MessagingStack), or silence the rule where a dashboard is watched.',
    why: 'It turns red and nobody hears; the messages themselves are safe.',
    source: 'CloudWatch user guide, "Notify users on alarm changes"',
    subjects: ['stack'],
    *check(graph) {
      const parts = graph
        .of('AWS::CloudWatch::CompositeAlarm')
        .flatMap((composite) =>
          ['AlarmRule', 'ActionsSuppressor'].flatMap((name) =>
            (list(property(composite.properties, name)) ?? [undefined]).map((part) => ({ composite, part })),
          ),
        );
      for (const at of allAlarms(graph)) {
        const on = boolean(property(at.properties, 'ActionsEnabled'), true);
        const actions = list(property(at.properties, 'AlarmActions'));
        if (on === undefined || actions === undefined || (on && actions.length > 0)) continue;
        const name = text(property(at.properties, 'AlarmName'));
        // The rule of a composite names alarms, by reference or in words; one that is not known may be about any.
        const within = parts.some(
          ({ composite, part }) =>
            part === undefined ||
            graph.link(composite, part)?.resource === at ||
            (typeof part === 'string' && typeof name === 'string' && isNamedIn(part, name)),
        );
        if (!within) yield { at, found: on ? 'no AlarmActions' : 'ActionsEnabled false' };
      }
    },
  },
  'alarm-topic-policy': {
    severity: 'error',
    condition: 'An alarm’s topic has a policy that does not let CloudWatch publish.',
    allowed: 'a topic policy with a statement for cloudwatch.amazonaws.com, or none at all',
    remedy: 'Allow cloudwatch.amazonaws.com to sns:Publish, under the condition aws:SourceAccount.',
    why: 'A policy replaces the default one: the alarm turns red, and the notification is dropped without a word.',
    source: 'CloudWatch user guide, "Notify users on alarm changes"',
    subjects: ['stack'],
    *check(graph) {
      for (const topic of new Set(allAlarms(graph).flatMap((alarm) => [...notified(graph, alarm)]))) {
        const policies = topicPolicies(graph).get(topic) ?? [];
        if (policies.length === 0) continue;
        const may = allows(graph, topic, policies, {
          service: 'cloudwatch.amazonaws.com',
          actions: ['sns:Publish'],
          on: topic,
        });
        if (may === false) yield { at: topic, found: 'no statement for cloudwatch.amazonaws.com' };
      }
    },
  },
} as const satisfies RuleTable;
