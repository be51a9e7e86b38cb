import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { dimensionsOf, type MetricDefinition, type PhysicalName } from '../monitoring/index.ts';

/** A metric of `lib/monitoring` as the CDK knows it. */
export const metric = (
  definition: MetricDefinition,
  physicalName: PhysicalName,
  recordsTable?: string,
): Metric =>
  new Metric({
    namespace: definition.namespace,
    metricName: definition.name,
    dimensionsMap: dimensionsOf(definition.target, physicalName, recordsTable),
    statistic: definition.statistic,
    period: Duration.seconds(definition.period),
  });

/** An expression over metrics: the metric itself where the expression is no more than its id. */
export function expression(
  text: string,
  definitions: readonly MetricDefinition[],
  physicalName: PhysicalName,
  label?: string,
  recordsTable?: string,
): IMetric {
  const alone = definitions.find((definition) => definition.id === text);
  if (alone !== undefined) {
    const plain = metric(alone, physicalName, recordsTable);
    return label === undefined ? plain : plain.with({ label });
  }
  const used = definitions.filter((definition) => new RegExp(`\\b${definition.id}\\b`).test(text));
  const period = used[0]?.period;
  return new MathExpression({
    expression: text,
    usingMetrics: Object.fromEntries(
      used.map((definition) => [definition.id, metric(definition, physicalName, recordsTable)]),
    ),
    ...(period === undefined ? {} : { period: Duration.seconds(period) }),
    ...(label === undefined ? {} : { label }),
  });
}
