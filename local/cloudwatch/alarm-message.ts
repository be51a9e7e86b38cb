import type { MetricDataQuery, PutMetricAlarmCommandInput } from '@aws-sdk/client-cloudwatch';
import type { AlarmState, Evaluation } from './alarm-state.ts';

/** What every kind of alarm is configured with. */
export type AlarmConfiguration = Pick<
  PutMetricAlarmCommandInput,
  'AlarmName' | 'AlarmDescription' | 'AlarmActions' | 'OKActions' | 'InsufficientDataActions'
>;

/** A change of state, as the message tells it. */
export interface AlarmTransition {
  readonly arn: string;
  readonly account: string;
  readonly region: string;
  readonly configuration: AlarmConfiguration;
  /** What the message says of this kind of alarm: its Trigger, or its rule and the children that set it off. */
  readonly details: object;
  /** Milliseconds since the Unix epoch, as all moments here. */
  readonly configuredAt: number;
  readonly from: AlarmState;
  readonly to: AlarmState;
  readonly at: number;
  readonly reason: string;
}

// AWS general reference, "CloudWatch endpoints": Regions by the names that alarm messages carry.
const REGION_NAMES: Readonly<Record<string, string>> = {
  'us-east-1': 'US East (N. Virginia)',
  'us-east-2': 'US East (Ohio)',
  'us-west-2': 'US West (Oregon)',
  'eu-central-1': 'EU (Frankfurt)',
  'eu-west-1': 'EU (Ireland)',
};

const regionName = (region: string) => REGION_NAMES[region] ?? region;
const timestamp = (at: number) => new Date(at).toISOString().replace('Z', '+0000');

/** The subject of the message that an alarm's action sends. */
export const alarmSubject = ({ to, configuration, region }: AlarmTransition): string =>
  // SNS takes 100 characters.
  `${to}: "${configuration.AlarmName}" in ${regionName(region)}`.slice(0, 100);

/** The JSON document that an alarm's action sends: CloudWatch user guide, "Notify users on alarm changes". */
export function alarmMessage(transition: AlarmTransition): string {
  const { configuration, from, to } = transition;
  return JSON.stringify({
    AlarmName: configuration.AlarmName,
    AlarmDescription: configuration.AlarmDescription ?? null,
    AWSAccountId: transition.account,
    AlarmConfigurationUpdatedTimestamp: timestamp(transition.configuredAt),
    NewStateValue: to,
    NewStateReason: transition.reason,
    StateChangeTime: timestamp(transition.at),
    Region: regionName(transition.region),
    AlarmArn: transition.arn,
    OldStateValue: from,
    OKActions: configuration.OKActions ?? [],
    AlarmActions: configuration.AlarmActions ?? [],
    InsufficientDataActions: configuration.InsufficientDataActions ?? [],
    ...transition.details,
  });
}

/** The Trigger of a metric alarm. */
export function trigger(configuration: PutMetricAlarmCommandInput): object {
  const common = {
    EvaluationPeriods: configuration.EvaluationPeriods,
    DatapointsToAlarm: configuration.DatapointsToAlarm ?? configuration.EvaluationPeriods,
    ComparisonOperator: configuration.ComparisonOperator,
    Threshold: configuration.Threshold,
    TreatMissingData: configuration.TreatMissingData ?? 'missing',
    EvaluateLowSampleCountPercentile: configuration.EvaluateLowSampleCountPercentile ?? '',
  };
  const { Metrics: metrics } = configuration;
  if (metrics !== undefined && metrics.length > 0) {
    const period = metrics.find((query) => query.MetricStat !== undefined)?.MetricStat?.Period;
    return { Period: period, ...common, Metrics: metrics.map(triggerMetric) };
  }
  const simple = configuration.Statistic !== undefined;
  return {
    MetricName: configuration.MetricName,
    Namespace: configuration.Namespace,
    StatisticType: simple ? 'Statistic' : 'ExtendedStatistic',
    ...(simple
      ? { Statistic: configuration.Statistic!.toUpperCase() }
      : { ExtendedStatistic: configuration.ExtendedStatistic }),
    Unit: configuration.Unit ?? null,
    Dimensions: dimensions(configuration.Dimensions),
    Period: configuration.Period,
    ...common,
  };
}

function triggerMetric(query: MetricDataQuery): object {
  const stat = query.MetricStat;
  return {
    Id: query.Id,
    ...(query.Expression === undefined ? {} : { Expression: query.Expression }),
    ...(query.Label === undefined ? {} : { Label: query.Label }),
    ...(stat === undefined
      ? {}
      : {
          MetricStat: {
            Metric: {
              Dimensions: dimensions(stat.Metric?.Dimensions),
              MetricName: stat.Metric?.MetricName,
              Namespace: stat.Metric?.Namespace,
            },
            Period: stat.Period,
            Stat: stat.Stat,
          },
        }),
    ReturnData: query.ReturnData ?? true,
  };
}

const dimensions = (list: PutMetricAlarmCommandInput['Dimensions']) =>
  (list ?? []).map(({ Name, Value }) => ({ value: Value, name: Name }));

const COMPARED: Readonly<Record<string, string>> = {
  GreaterThanThreshold: 'greater than',
  GreaterThanOrEqualToThreshold: 'greater than or equal to',
  LessThanThreshold: 'less than',
  LessThanOrEqualToThreshold: 'less than or equal to',
};

/**
 * Why an alarm is in its state, in CloudWatch's words.
 *
 * @param timeOf - the start of the period at a place of the range, milliseconds
 */
export function stateReason(
  configuration: PutMetricAlarmCommandInput,
  evaluation: Evaluation,
  from: AlarmState,
  breaches: (value: number) => boolean,
  timeOf: (index: number) => number,
): string {
  const { state, points, filled } = evaluation;
  const evaluated = configuration.EvaluationPeriods!;
  const needed = configuration.DatapointsToAlarm ?? evaluated;
  const treatment = configuration.TreatMissingData ?? 'missing';
  if (points.length === 0)
    return `${state === 'INSUFFICIENT_DATA' ? 'Insufficient Data' : 'Threshold Crossed'}: no datapoints were received for ${plural(evaluated, 'period')} and ${plural(filled, 'missing datapoint')} ${filled === 1 ? 'was' : 'were'} treated as [${treatment}].`;
  const telling = points.filter(({ value }) => breaches(value) === (state === 'ALARM'));
  const shown = (telling.length > 0 ? telling : points)
    .toReversed()
    .map(({ index, value }) => `${decimal(value)} (${day(timeOf(index))})`)
    .join(', ');
  const verb = telling.length === 1 ? 'was' : 'were';
  const least = state === 'ALARM' ? needed : evaluated - needed + 1;
  return (
    `Threshold Crossed: ${telling.length} out of the last ${plural(evaluated, 'datapoint')} [${shown}] ${verb} ` +
    `${state === 'ALARM' ? '' : 'not '}${COMPARED[configuration.ComparisonOperator!]} the threshold (${decimal(configuration.Threshold!)}) ` +
    `(minimum ${plural(least, 'datapoint')} for ${from} -> ${state} transition).` +
    (filled > 0 ? ` ${plural(filled, 'missing datapoint')} treated as [${treatment}].` : '')
  );
}

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
const decimal = (value: number) => (Number.isInteger(value) ? `${value}.0` : String(value));

/** `29/11/26 16:20:00`, as CloudWatch writes it. */
function day(at: number): string {
  const [date = '', time = ''] = new Date(at).toISOString().split('T');
  return `${date.slice(2).split('-').reverse().join('/')} ${time.slice(0, 8)}`;
}
