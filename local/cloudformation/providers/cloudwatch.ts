import { asBoolean, asNumber, asText, call, defined, has, type ResourceProvider } from '../provider.ts';

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
  async create(properties, { services, context, name }) {
    const AlarmName = String(properties.AlarmName ?? name(255));
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
    return { physicalId: AlarmName, attributes: { Arn: alarmArn(context, AlarmName) } };
  },
  async delete({ physicalId }, _properties, { services }) {
    await call(services.cloudwatch, 'DeleteAlarms', { AlarmNames: [physicalId] });
  },
};

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
  async create(properties, { services, context, name, warn }) {
    const AlarmName = String(properties.AlarmName ?? name(255));
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
    return { physicalId: AlarmName, attributes: { Arn: alarmArn(context, AlarmName) } };
  },
  async delete({ physicalId }, _properties, { services }) {
    if (!has(services.cloudwatch, 'PutCompositeAlarm')) return;
    await call(services.cloudwatch, 'DeleteAlarms', { AlarmNames: [physicalId] });
  },
};

/** AWS::CloudWatch::Dashboard. */
export const dashboard: ResourceProvider = {
  properties: ['DashboardBody', 'DashboardName'],
  attributes: [],
  needs: { cloudwatch: ['PutDashboard', 'DeleteDashboards'] },
  async create(properties, { services, name }) {
    const DashboardName = String(properties.DashboardName ?? name(255));
    const DashboardBody = asText(properties.DashboardBody);
    await call(services.cloudwatch, 'PutDashboard', { DashboardName, DashboardBody });
    return { physicalId: DashboardName, attributes: {} };
  },
  async delete({ physicalId }, _properties, { services }) {
    await call(services.cloudwatch, 'DeleteDashboards', { DashboardNames: [physicalId] });
  },
};

const alarmArn = ({ region, account }: { region: string; account: string }, name: string) =>
  `arn:aws:cloudwatch:${region}:${account}:alarm:${name}`;
