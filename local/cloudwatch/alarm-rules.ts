import type { MetricDataQuery, PutMetricAlarmCommandInput } from '@aws-sdk/client-cloudwatch';
import type { AlarmConfiguration } from './alarm-message.ts';
import type { AlarmRule, MissingData } from './alarm-state.ts';
import { invalid, invalidValue, missing } from './errors.ts';
import { refusedInAlarm } from './math/index.ts';
import { compileQueries, periodOf, type Queries, shapeIn } from './queries.ts';

/** An alarm's configuration, checked and ready to be evaluated. */
export interface CompiledAlarm {
  readonly queries: Queries;
  /** The query whose series is watched. */
  readonly watched: string;
  /** Milliseconds. */
  readonly period: number;
  readonly rule: AlarmRule;
  /** Periods end at full periods since the Unix epoch, not at the evaluation. */
  readonly wallClock: boolean;
}

// CloudWatch user guide and API reference, PutMetricAlarm.
const MOST_METRICS = 10;
const LONGEST_RANGE = 604_800;
const LONGEST_RANGE_UNDER_AN_HOUR = 86_400;
const MOST_ACTIONS = 5;

/** Comparisons with a fixed threshold. */
const COMPARISONS: Readonly<Record<string, (threshold: number) => (value: number) => boolean>> = {
  GreaterThanThreshold: (threshold) => (value) => value > threshold,
  GreaterThanOrEqualToThreshold: (threshold) => (value) => value >= threshold,
  LessThanThreshold: (threshold) => (value) => value < threshold,
  LessThanOrEqualToThreshold: (threshold) => (value) => value <= threshold,
};

const MISSING_DATA: readonly string[] = ['missing', 'ignore', 'breaching', 'notBreaching'];

/** Where the windows of an alarm end: at each evaluation, or at full periods of the clock. */
export type EvaluationWindow = 'sliding' | 'wallClock';

/**
 * Checks an alarm against CloudWatch's limits and compiles it.
 *
 * @param defaultWindow - the window of an alarm that names none
 * @throws ServiceError `ValidationException` or a parameter's own error
 */
export function compileAlarm(
  input: PutMetricAlarmCommandInput,
  defaultWindow: EvaluationWindow,
): CompiledAlarm {
  const { AlarmName: name, EvaluationPeriods: evaluated, ComparisonOperator: operator } = input;
  if (name === undefined || name === '') throw missing('AlarmName');
  if (name.length > 255) throw invalid(`AlarmName: 1 to 255 characters are allowed; found ${name.length}`);
  if (input.EvaluationCriteria !== undefined)
    throw invalid(`${name}: PromQL alarms (EvaluationCriteria) are not in the local model`);
  if (operator === undefined) throw missing('ComparisonOperator');
  const comparison = Object.hasOwn(COMPARISONS, operator) ? COMPARISONS[operator] : undefined;
  if (comparison === undefined || input.ThresholdMetricId !== undefined)
    throw invalid(
      `${name}: the local model compares with a fixed threshold (${Object.keys(COMPARISONS).join(', ')}); found ${operator}`,
    );
  if (input.Threshold === undefined) throw missing('Threshold');
  if (evaluated === undefined || !Number.isInteger(evaluated) || evaluated < 1)
    throw invalid(`${name}: EvaluationPeriods is a whole number from 1 on; found ${evaluated}`);
  const needed = input.DatapointsToAlarm ?? evaluated;
  if (!Number.isInteger(needed) || needed < 1 || needed > evaluated)
    throw invalid(
      `${name}: DatapointsToAlarm is from 1 to EvaluationPeriods (${evaluated}); found ${needed}`,
    );
  const treatment = input.TreatMissingData ?? 'missing';
  if (!MISSING_DATA.includes(treatment))
    throw invalidValue(`${name}: TreatMissingData is one of ${MISSING_DATA.join(', ')}; found ${treatment}`);
  checkActions(name, input);

  const queries = compileQueries(queriesOf(input));
  const watched = watchedQuery(name, queries);
  const { period } = queries.get(watched)!;
  checkRange(name, period / 1000, evaluated);
  // CloudWatch user guide: alarms on DynamoDB's metrics ignore missing data, whatever they say.
  const ignores = [...queries.values()].some(
    (query) => query.kind === 'metric' && query.namespace === 'AWS/DynamoDB',
  );
  return {
    queries,
    watched,
    period,
    rule: {
      evaluated,
      needed,
      missing: ignores ? 'ignore' : (treatment as MissingData),
      breaches: comparison(input.Threshold),
    },
    wallClock:
      input.EvaluationWindow === undefined
        ? defaultWindow === 'wallClock'
        : input.EvaluationWindow.WallClockWindow !== undefined,
  };
}

function queriesOf(input: PutMetricAlarmCommandInput): readonly MetricDataQuery[] {
  const name = input.AlarmName!;
  if (input.Metrics !== undefined && input.Metrics.length > 0) {
    if (input.MetricName !== undefined || input.Period !== undefined || input.Statistic !== undefined)
      throw invalid(`${name}: an alarm has either Metrics, or MetricName with Statistic and Period`);
    const metrics = input.Metrics.filter((query) => query.MetricStat !== undefined).length;
    if (metrics > MOST_METRICS)
      throw invalid(`${name}: an alarm takes ${MOST_METRICS} metrics; found ${metrics}`);
    return input.Metrics;
  }
  if (input.MetricName === undefined) throw missing('MetricName');
  if (input.Namespace === undefined) throw missing('Namespace');
  const stat = input.Statistic ?? input.ExtendedStatistic;
  if (stat === undefined) throw missing('Statistic');
  return [
    {
      Id: 'm1',
      MetricStat: {
        Metric: { Namespace: input.Namespace, MetricName: input.MetricName, Dimensions: input.Dimensions },
        Period: periodOf(input.Period, name),
        Stat: stat,
        Unit: input.Unit,
      },
    },
  ];
}

function watchedQuery(name: string, queries: Queries): string {
  const returned = [...queries.values()].filter((query) => query.returned);
  const [watched] = returned;
  if (watched === undefined || returned.length > 1)
    throw invalid(
      `${name}: exactly one query of an alarm has ReturnData true; found ${returned.map(({ id }) => id).join(', ') || 'none'}`,
    );
  const shapeOf = shapeIn(queries);
  for (const query of queries.values()) {
    const reason = query.kind === 'expression' ? refusedInAlarm(query.expression, shapeOf) : undefined;
    if (reason !== undefined) throw invalid(`${name}: error in expression '${query.id}': ${reason}`);
  }
  if (shapeOf(watched.id) !== 'series')
    throw invalid(`${name}: the expression '${watched.id}' must return one time series`);
  if (watched.kind === 'expression' && ![...queries.values()].some((query) => query.kind === 'metric'))
    throw invalid(`${name}: the expression of an alarm needs one metric at least`);
  return watched.id;
}

function checkRange(name: string, period: number, evaluated: number): void {
  const longest = period < 3_600 ? LONGEST_RANGE_UNDER_AN_HOUR : LONGEST_RANGE;
  if (period * evaluated > longest)
    throw invalid(
      `${name}: Period x EvaluationPeriods is ${period * evaluated} s; at most ${longest} s are allowed for a period of ${period} s`,
    );
}

/** Checks the actions of an alarm. */
export function checkActions(name: string, input: AlarmConfiguration): void {
  for (const kind of ['AlarmActions', 'OKActions', 'InsufficientDataActions'] as const) {
    const actions = input[kind] ?? [];
    if (actions.length > MOST_ACTIONS)
      throw invalid(`${name}: ${kind} takes ${MOST_ACTIONS} actions; found ${actions.length}`);
    for (const action of actions)
      if (!/^arn:[^:]+:sns:/.test(action))
        throw invalid(`${name}: the local model sends ${kind} to SNS topics only; found '${action}'`);
  }
}
