import type { PutCompositeAlarmCommandInput, PutMetricAlarmCommandInput } from '@aws-sdk/client-cloudwatch';
import {
  type CompositeAlarmDefinition,
  dimensionsOf,
  type MetricAlarmDefinition,
  type PhysicalName,
  ruleText,
} from '../../lib/monitoring/index.ts';

/** An alarm on metrics as the API takes it; its name is its key. */
export const metricInput = (
  alarm: MetricAlarmDefinition,
  physicalName: PhysicalName,
): PutMetricAlarmCommandInput => ({
  AlarmName: alarm.key,
  ComparisonOperator: alarm.comparison,
  Threshold: alarm.threshold,
  EvaluationPeriods: alarm.evaluationPeriods,
  DatapointsToAlarm: alarm.datapointsToAlarm,
  TreatMissingData: alarm.treatMissingData,
  Metrics: [
    { Id: 'judged', Expression: alarm.expression, ReturnData: true },
    ...alarm.metrics.map(({ id, namespace, name, target, statistic, period }) => ({
      Id: id,
      ReturnData: false,
      MetricStat: {
        Metric: {
          Namespace: namespace,
          MetricName: name,
          Dimensions: Object.entries(dimensionsOf(target, physicalName)).map(([Name, Value]) => ({
            Name,
            Value,
          })),
        },
        Period: period,
        Stat: statistic,
      },
    })),
  ],
});

/** A composite as the API takes it. */
export const compositeInput = ({
  key,
  rule,
  suppressor,
}: CompositeAlarmDefinition): PutCompositeAlarmCommandInput => ({
  AlarmName: key,
  AlarmRule: ruleText(rule, (member) => member),
  ...(suppressor === undefined
    ? {}
    : {
        ActionsSuppressor: suppressor.key,
        ActionsSuppressorWaitPeriod: suppressor.wait,
        ActionsSuppressorExtensionPeriod: suppressor.extension,
      }),
});
