import type { DescribeAlarmsCommandOutput } from '@aws-sdk/client-cloudwatch';
import {
  asBoolean,
  asNumber,
  asText,
  call,
  defined,
  has,
  type Made,
  type Properties,
  type ProviderContext,
  type ResourceProvider,
} from '../provider.ts';
import { refuseTaken, tagChanges, unlessGone } from './changes.ts';

const metricQuery = (query: Record<string, unknown>) =>
  defined({
    ...query,
    Period: asNumber(query.Period),
    ReturnData: asBoolean(query.ReturnData),
    MetricStat: query.MetricStat && {
      ...(query.MetricStat as object),
      Period: asNumber((query.MetricStat as Record<string, unknown>).Period),
    },
  });

/** Puts an alarm, which replaces the one of its name wholly: what is left out has its default again. */
async function putAlarm(
  AlarmName: string,
  properties: Properties,
  { services }: ProviderContext,
): Promise<void> {
  const metrics = properties.Metrics as Record<string, unknown>[] | undefined;
  await call(
    services.cloudwatch,
    'PutMetricAlarm',
    defined({
      ...properties,
      AlarmName,
      ActionsEnabled: asBoolean(properties.ActionsEnabled),
      DatapointsToAlarm: asNumber(properties.DatapointsToAlarm),
      EvaluationPeriods: asNumber(properties.EvaluationPeriods),
      Period: asNumber(properties.Period),
      Threshold: asNumber(properties.Threshold),
      Metrics: metrics?.map(metricQuery),
    }),
  );
}

/** Refuses the name of an alarm that exists: putting would change that one. */
const refuseAlarm = (type: string, name: string, { services }: ProviderContext) =>
  refuseTaken(type, name, [], async () => {
    const { MetricAlarms = [], CompositeAlarms = [] } = await call<DescribeAlarmsCommandOutput>(
      services.cloudwatch,
      'DescribeAlarms',
      { AlarmNames: [name], AlarmTypes: ['MetricAlarm', 'CompositeAlarm'] },
    );
    return MetricAlarms[0] ?? CompositeAlarms[0];
  });

/** Putting an alarm again leaves its tags (CloudWatch API reference, PutMetricAlarm). */
async function retag(
  made: Made,
  before: Properties,
  after: Properties,
  { services: { cloudwatch } }: ProviderContext,
): Promise<void> {
  const ResourceARN = made.attributes.Arn;
  const { list, drop } = tagChanges(before.Tags, after.Tags);
  if (drop.length > 0) await call(cloudwatch, 'UntagResource', { ResourceARN, TagKeys: drop });
  if (list.length > 0) await call(cloudwatch, 'TagResource', { ResourceARN, Tags: list });
}

/** AWS::CloudWatch::Alarm. */
export const alarm: ResourceProvider = {
  properties: [
    'ActionsEnabled',
    'AlarmActions',
    'AlarmDescription',
    'AlarmName',
    'ComparisonOperator',
    'DatapointsToAlarm',
    'Dimensions',
    'EvaluateLowSampleCountPercentile',
    'EvaluationPeriods',
    'ExtendedStatistic',
    'InsufficientDataActions',
    'MetricName',
    'Metrics',
    'Namespace',
    'OKActions',
    'Period',
    'Statistic',
    'Tags',
    'Threshold',
    'ThresholdMetricId',
    'TreatMissingData',
    'Unit',
  ],
  attributes: ['Arn'],
  needs: { cloudwatch: ['PutMetricAlarm', 'DeleteAlarms'] },
  replacedBy: ['AlarmName'],
  nameProperty: 'AlarmName',
  async create(properties, provider) {
    const AlarmName = String(properties.AlarmName ?? provider.name(255));
    if (properties.AlarmName !== undefined) await refuseAlarm('AWS::CloudWatch::Alarm', AlarmName, provider);
    await putAlarm(AlarmName, properties, provider);
    return { physicalId: AlarmName, attributes: { Arn: alarmArn(provider.context, AlarmName) } };
  },
  async update(made, before, after, provider) {
    await putAlarm(made.physicalId, after, provider);
    await retag(made, before, after, provider);
    return made;
  },
  async delete({ physicalId }, _properties, { services }) {
    await call(services.cloudwatch, 'DeleteAlarms', { AlarmNames: [physicalId] });
  },
};

async function putComposite(
  AlarmName: string,
  properties: Properties,
  { services, warn }: ProviderContext,
): Promise<void> {
  if (has(services.cloudwatch, 'PutCompositeAlarm')) {
    await call(
      services.cloudwatch,
      'PutCompositeAlarm',
      defined({
        ...properties,
        AlarmName,
        ActionsEnabled: asBoolean(properties.ActionsEnabled),
        ActionsSuppressorExtensionPeriod: asNumber(properties.ActionsSuppressorExtensionPeriod),
        ActionsSuppressorWaitPeriod: asNumber(properties.ActionsSuppressorWaitPeriod),
      }),
    );
  } else warn('it changes no state: the model evaluates no composite alarms');
}

/** AWS::CloudWatch::CompositeAlarm; a model of CloudWatch without them makes it a warning. */
export const compositeAlarm: ResourceProvider = {
  properties: [
    'ActionsEnabled',
    'ActionsSuppressor',
    'ActionsSuppressorExtensionPeriod',
    'ActionsSuppressorWaitPeriod',
    'AlarmActions',
    'AlarmDescription',
    'AlarmName',
    'AlarmRule',
    'InsufficientDataActions',
    'OKActions',
    'Tags',
  ],
  attributes: ['Arn'],
  replacedBy: ['AlarmName'],
  nameProperty: 'AlarmName',
  async create(properties, provider) {
    const AlarmName = String(properties.AlarmName ?? provider.name(255));
    if (properties.AlarmName !== undefined) {
      await refuseAlarm('AWS::CloudWatch::CompositeAlarm', AlarmName, provider);
    }
    await putComposite(AlarmName, properties, provider);
    return { physicalId: AlarmName, attributes: { Arn: alarmArn(provider.context, AlarmName) } };
  },
  async update(made, before, after, provider) {
    await putComposite(made.physicalId, after, provider);
    await retag(made, before, after, provider);
    return made;
  },
  async delete({ physicalId }, _properties, { services }) {
    if (!has(services.cloudwatch, 'PutCompositeAlarm')) return;
    await call(services.cloudwatch, 'DeleteAlarms', { AlarmNames: [physicalId] });
  },
};

const goneDashboard = ['DashboardNotFoundError'];

/** AWS::CloudWatch::Dashboard. */
export const dashboard: ResourceProvider = {
  properties: ['DashboardBody', 'DashboardName'],
  attributes: [],
  needs: { cloudwatch: ['PutDashboard', 'DeleteDashboards'] },
  replacedBy: ['DashboardName'],
  nameProperty: 'DashboardName',
  async create(properties, { services, name }) {
    const DashboardName = String(properties.DashboardName ?? name(255));
    if (properties.DashboardName !== undefined) {
      const find = () => call(services.cloudwatch, 'GetDashboard', { DashboardName });
      await refuseTaken('AWS::CloudWatch::Dashboard', DashboardName, goneDashboard, find);
    }
    const DashboardBody = asText(properties.DashboardBody);
    await call(services.cloudwatch, 'PutDashboard', { DashboardName, DashboardBody });
    return { physicalId: DashboardName, attributes: {} };
  },
  async update(made, _before, after, { services }) {
    const DashboardBody = asText(after.DashboardBody);
    await call(services.cloudwatch, 'PutDashboard', { DashboardName: made.physicalId, DashboardBody });
    return made;
  },
  async delete({ physicalId }, _properties, { services }) {
    const remove = () => call(services.cloudwatch, 'DeleteDashboards', { DashboardNames: [physicalId] });
    await unlessGone(goneDashboard, remove);
  },
};

const alarmArn = ({ region, account }: { region: string; account: string }, name: string) =>
  `arn:aws:cloudwatch:${region}:${account}:alarm:${name}`;
