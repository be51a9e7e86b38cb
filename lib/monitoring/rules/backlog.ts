import { type MetricDefinition, queueMetrics } from '../metrics.ts';
import { stallWindow } from '../stall.ts';
import { common, digits, fiveMinutes, type SubscriberRule } from './rule.ts';

const every = (period: typeof fiveMinutes, ...metrics: readonly MetricDefinition[]) =>
  metrics.map((metric) => ({ ...metric, period }));

/**
 * The drain time of a queue that does not drain. An expression has no infinity, and a longer SLO than this, 115 days, no
 * queue can have.
 */
const never = 10_000_000;
/** Messages that a queue gives out at once, standard and FIFO (SQS developer guide, quotas). */
const inFlightQuota = 120_000;
/** Receives for each completion. Healthy is 1; at 1.3 every third message or so is received once more. */
const redeliveryRatio = 1.3;
/** In fewer receives the ratio says nothing. */
const fewestReceives = 100;

/** Whether more comes in than goes out, and how long that will take. */
export const backlogRules: readonly SubscriberRule[] = [
  {
    id: 'B',
    name: 'growth',
    set: 'lean',
    make: ({ name, floor }) => ({
      ...common,
      title: `${name}: for 15 minutes more messages have come in than were completed, and more than ${floor} wait`,
      severity: 'ticket',
      metrics: every(
        fiveMinutes,
        queueMetrics.visible(name),
        queueMetrics.sent(name),
        queueMetrics.deleted(name),
      ),
      expression: `IF(vis > ${floor} AND DIFF(vis) > 0 AND FILL(sent, 0) > FILL(del, 0), 1, 0)`,
      period: fiveMinutes,
      datapointsToAlarm: 3,
      evaluationPeriods: 3,
      runbook: 'growth',
    }),
  },
  {
    id: 'C1',
    name: 'drain-time',
    set: 'full',
    make: ({ name, lag, floor }) => ({
      ...common,
      title: `${name}: at the present rates the backlog is not gone within the SLO of ${lag} s`,
      severity: 'ticket',
      metrics: every(
        fiveMinutes,
        queueMetrics.visible(name),
        queueMetrics.sent(name),
        queueMetrics.deleted(name),
      ),
      // What drains, by how much faster it goes out than comes in. A backlog that grows has no drain time: `never`.
      expression: `IF(vis > ${floor}, IF(FILL(del, 0) > FILL(sent, 0), vis * PERIOD(del) / (FILL(del, 0) - FILL(sent, 0)), ${never}), 0)`,
      threshold: lag,
      period: fiveMinutes,
      datapointsToAlarm: 3,
      evaluationPeriods: 3,
      runbook: 'forecasts',
    }),
  },
  {
    id: 'C2',
    name: 'expected-wait',
    set: 'full',
    make: ({ name, lag, floor }) => ({
      ...common,
      title: `${name}: a message that comes now waits longer than the SLO of ${lag} s`,
      severity: 'ticket',
      metrics: [queueMetrics.visible(name), queueMetrics.deleted(name)],
      // Little's law: what waits, by how fast it goes out.
      expression: `IF(vis > ${floor}, IF(FILL(del, 0) > 0, vis * PERIOD(del) / FILL(del, 0), ${never}), 0)`,
      threshold: lag,
      datapointsToAlarm: 5,
      evaluationPeriods: 5,
      runbook: 'forecasts',
    }),
  },
];

/** Whether the consumer does its work: quota, standstill, redelivery. */
export const consumerRules = {
  quota: {
    id: 'F',
    name: 'in-flight',
    set: 'full',
    make: ({ name }) => ({
      ...common,
      title: `${name}: more than 80 % of the ${inFlightQuota} messages are in flight that SQS gives out at once`,
      severity: 'page',
      metrics: [queueMetrics.inFlight(name)],
      expression: `100 * FILL(infl, 0) / ${inFlightQuota}`,
      threshold: 80,
      datapointsToAlarm: 3,
      evaluationPeriods: 5,
      runbook: 'in-flight',
    }),
  },
  stalled: {
    id: 'H',
    name: 'stalled',
    set: 'lean',
    make: ({ name, handlerTime }) => {
      const { period, periods, note } = stallWindow(handlerTime);
      const minutes = (period / 60) * periods;
      return {
        ...common,
        title: `${name}: messages wait and none was completed for ${minutes} minutes${note === undefined ? '' : ` (${note})`}`,
        severity: 'page',
        metrics: every(period, queueMetrics.visible(name), queueMetrics.deleted(name)),
        // Counters may be published only when something happened: FILL makes that a zero. The condition on `vis` stands
        // outside, so that a minute that SQS has not told of yet stays without a point. As a zero it would keep an alarm that
        // wants every point from ever firing (CloudWatch user guide, "Using metric math", on FILL in alarms).
        expression: 'IF(vis > 0, IF(FILL(del, 0) == 0, 1, 0), 0)',
        period,
        datapointsToAlarm: periods,
        evaluationPeriods: periods,
        runbook: 'stalled',
      };
    },
  },
  redelivery: {
    id: 'J',
    name: 'redelivery',
    set: 'lean',
    make: ({ name }) => ({
      ...common,
      title: `${name}: messages are received more than ${redeliveryRatio} times for each that is done`,
      severity: 'ticket',
      metrics: every(fiveMinutes, queueMetrics.received(name), queueMetrics.deleted(name)),
      expression: `IF(FILL(recv, 0) > ${fewestReceives}, FILL(recv, 0) / (FILL(del, 0) + 1), 0)`,
      threshold: redeliveryRatio,
      period: fiveMinutes,
      datapointsToAlarm: 2,
      evaluationPeriods: 3,
      runbook: 'redelivery',
    }),
  },
} as const satisfies Record<string, SubscriberRule>;

/** On FIFO: whether one group holds up itself, or everybody. */
export const groupRules: readonly SubscriberRule[] = [
  {
    id: 'I1',
    name: 'blocked-group',
    set: 'full',
    applies: ({ fifo }) => fifo,
    make: ({ name, lag }) => ({
      ...common,
      title: `${name}: the oldest message is older than the SLO of ${lag} s although the others go through: a group is blocked`,
      severity: 'ticket',
      metrics: [queueMetrics.age(name), queueMetrics.deleted(name), queueMetrics.visible(name)],
      // At its present pace the whole backlog would be gone within half the SLO; what is older does not move.
      expression: `IF(FILL(age, 0) > ${digits(lag)} AND FILL(del, 0) * ${digits(lag / 2)} > vis * PERIOD(del), 1, 0)`,
      datapointsToAlarm: 3,
      evaluationPeriods: 5,
      runbook: 'blocked-group',
    }),
  },
  {
    id: 'I2',
    name: 'hot-group',
    set: 'full',
    // A standard queue's consumers are never idle beside a backlog.
    applies: ({ fifo, concurrency }) => fifo && concurrency !== undefined,
    make: ({ name, floor, concurrency = 0 }) => ({
      ...common,
      title: `${name}: messages wait although most workers are idle: few message groups hold most of them`,
      severity: 'ticket',
      metrics: [queueMetrics.visible(name), queueMetrics.groupsInFlight(name)],
      // One group at work is a hot one for few workers too; a quarter of those would be less than one group.
      expression: `IF(vis > ${floor} AND FILL(grp, 0) > 0 AND FILL(grp, 0) < ${digits(Math.max(2, concurrency / 4))}, 1, 0)`,
      datapointsToAlarm: 10,
      evaluationPeriods: 15,
      runbook: 'hot-group',
    }),
  },
];
