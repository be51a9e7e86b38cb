import type { PutMetricAlarmCommandInput } from '@aws-sdk/client-cloudwatch';
import { PutMetricAlarmCommand } from '@aws-sdk/client-cloudwatch';
import { alarmsOf, dimensionsOf, type PhysicalName } from '../../../lib/monitoring/index.ts';
import type { Messaging } from '../../../lib/topology/index.ts';
import type { Harness } from '../../../local/index.ts';

/** Puts the alarms of a declaration into the harness' CloudWatch, as the stack does; gives those that have fired. */
export async function watch<M extends Messaging>(
  harness: Harness<M>,
  messaging: M,
): Promise<readonly string[]> {
  const fired: string[] = [];
  const nameOf = (arn: string) => arn.slice(arn.lastIndexOf(':') + 1);
  const physicalName: PhysicalName = (target) => {
    if (target.kind === 'topic') return nameOf(harness.deployed.topicArns[target.topic] as string);
    const places = harness.deployed.subscribers[target.subscriber]!;
    return target.kind === 'function' ? places.functionName : nameOf(places[target.kind].arn);
  };
  for (const alarm of alarmsOf(messaging))
    await harness.tools.cloudwatch.send(
      new PutMetricAlarmCommand({
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
      } satisfies PutMetricAlarmCommandInput),
    );
  harness.aws.cloudwatch.onAlarmChange(({ name, to }) => {
    if (to === 'ALARM') fired.push(name);
  });
  return fired;
}
