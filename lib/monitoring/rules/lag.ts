import { queueMetrics } from '../metrics.ts';
import { common, digits, fiveMinutes, type SubscriberRule } from './rule.ts';

const inFiveMinutes = (metric: ReturnType<typeof queueMetrics.age>) => ({ ...metric, period: fiveMinutes });
/** How far the forecast looks. */
const horizon = 1_800;

/** Whether the age of the oldest message is above the SLO: now, for long, soon, or close to the retention. */
export const lagRules: readonly SubscriberRule[] = [
  {
    id: 'A',
    name: 'lag',
    set: 'lean',
    make: ({ name, lag }) => ({
      ...common,
      title: `${name}: the oldest message waits longer than the SLO of ${lag} s`,
      severity: 'page',
      metrics: [queueMetrics.age(name)],
      expression: 'age',
      threshold: lag,
      datapointsToAlarm: 3,
      evaluationPeriods: 5,
      runbook: 'lag',
    }),
  },
  // An hour of many short breaches uses up the SLO as one long breach does. The short window ends the alarm soon.
  ...(
    [
      ['burn-long', 9, 60],
      ['burn-short', 1, 5],
    ] as const
  ).map(
    ([kind, points, periods]): SubscriberRule => ({
      id: 'A2',
      name: kind,
      set: 'full',
      make: ({ name, lag }) => ({
        ...common,
        title: `${name}: the lag was above the SLO of ${lag} s in ${points} of the last ${periods} minutes`,
        severity: 'page',
        metrics: [queueMetrics.age(name)],
        expression: `IF(FILL(age, 0) > ${digits(lag)}, 1, 0)`,
        datapointsToAlarm: points,
        evaluationPeriods: periods,
        runbook: 'burn-rate',
      }),
    }),
  ),
  {
    id: 'A2',
    name: 'burn',
    set: 'full',
    make: ({ name, lag }) => ({
      kind: 'composite',
      title: `${name}: the SLO of ${lag} s is broken again and again: 9 minutes of the last hour, and now`,
      severity: 'page',
      rule: { all: [`${name}-A2-burn-long`, `${name}-A2-burn-short`] },
      notifyOnOk: true,
      runbook: 'burn-rate',
    }),
  },
];

/** The lag as it will be, and against the end of a message's life. */
export const forecastRules: readonly SubscriberRule[] = [
  {
    id: 'C3',
    name: 'breach-ahead',
    set: 'full',
    make: ({ name, lag }) => ({
      ...common,
      title: `${name}: the lag grows so fast that it passes the SLO of ${lag} s within 30 minutes`,
      severity: 'ticket',
      metrics: [inFiveMinutes(queueMetrics.age(name))],
      // Below a fifth of the SLO a rise is the noise of batches.
      expression: `IF(FILL(age, 0) > ${digits(lag / 5)} AND DIFF(FILL(age, 0)) > 0, FILL(age, 0) + ${horizon} * DIFF(FILL(age, 0)) / PERIOD(age), 0)`,
      threshold: lag,
      period: fiveMinutes,
      datapointsToAlarm: 3,
      evaluationPeriods: 3,
      runbook: 'forecasts',
    }),
  },
  ...(
    [
      ['retention-half', 50, 'ticket'],
      ['retention-near', 75, 'page'],
    ] as const
  ).map(
    ([kind, percent, severity]): SubscriberRule => ({
      id: 'D',
      name: kind,
      set: 'full',
      make: ({ name, retention }) => ({
        ...common,
        title: `${name}: the oldest message has used ${percent} % of the ${retention} s after which SQS deletes it`,
        severity,
        metrics: [inFiveMinutes(queueMetrics.age(name))],
        expression: `100 * age / ${digits(retention)}`,
        threshold: percent,
        period: fiveMinutes,
        runbook: 'retention',
      }),
    }),
  ),
];
