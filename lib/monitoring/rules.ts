import { type Seconds, type Subscriber, seconds, type Topic } from '../topology/index.ts';
import type { AlarmDefinition, AlarmId } from './alarm.ts';
import { queueMetrics, topicMetrics } from './metrics.ts';

type Watch = Omit<AlarmDefinition, 'id' | 'key' | 'subject'>;

/** A rule makes one alarm for each subscriber, or for each topic. */
export type AlarmRule = {
  readonly id: AlarmId /** Last part of the alarm's key. */;
  readonly name: string;
} & (
  | {
      readonly of: 'subscriber';
      /** Left out: every subscriber has it. */
      readonly applies?: (subscriber: Subscriber) => boolean;
      readonly make: (subscriber: Subscriber) => Watch;
    }
  | { readonly of: 'topic'; readonly make: (topic: Topic) => Watch }
);

const minute = seconds(60);
const fiveMinutes = seconds(300);

/** Fewer waiting messages, or receives in a period, are no backlog and no ratio worth a look. */
const floor = 100;
/** Receives for each completion. Healthy is 1; at 1.3 every third message or so is received once more. */
const redeliveryRatio = 1.3;

/** What most rules share: one-minute points, and silence (an idle queue publishes nothing) is health. */
const common = {
  comparison: 'GreaterThanThreshold',
  threshold: 0,
  period: minute,
  datapointsToAlarm: 1,
  evaluationPeriods: 1,
  treatMissingData: 'notBreaching',
  notifyOnOk: false,
} as const satisfies Partial<Watch>;

/**
 * How many minutes without a completion mean that a consumer stands still. A healthy one can be silent for two
 * of its longest runs, those beyond the p99 aside. Five minutes at least: the event source needs that long to come
 * back from a deployment.
 *
 * @param handlerTime - the handler's p99, as the subscriber's `handlerTime` has it
 * @example
 * ```ts
 * stallMinutes(minutes(15)); // 30
 * ```
 */
export const stallMinutes = (handlerTime: Seconds): number => Math.max(5, Math.ceil((2 * handlerTime) / 60));

/** The table of rules. To add an alarm is to add a row; constructs, model and dashboard take it from here. */
export const rules: readonly AlarmRule[] = [
  {
    id: 'A',
    name: 'lag',
    of: 'subscriber',
    make: (subscriber) => ({
      ...common,
      title: `${subscriber.name}: the oldest message waits longer than the SLO of ${subscriber.lag} s`,
      severity: 'page',
      metrics: [queueMetrics.age(subscriber.name)],
      expression: 'age',
      threshold: subscriber.lag,
      datapointsToAlarm: 3,
      evaluationPeriods: 5,
      notifyOnOk: true,
      runbook: 'lag',
    }),
  },
  {
    id: 'E',
    name: 'dead-letters',
    of: 'subscriber',
    make: (subscriber) => ({
      ...common,
      title: `${subscriber.name}: messages were given up and wait in the dead-letter queue`,
      severity: 'ticket',
      metrics: [queueMetrics.dead(subscriber.name)],
      expression: 'dlq',
      notifyOnOk: true,
      runbook: 'dead-letters',
    }),
  },
  {
    id: 'E',
    name: 'undelivered',
    of: 'subscriber',
    make: (subscriber) => ({
      ...common,
      title: `${subscriber.name}: messages that never reached the queue wait in the subscription's dead-letter queue`,
      severity: 'page',
      metrics: [queueMetrics.undelivered(subscriber.name)],
      expression: 'undel',
      notifyOnOk: true,
      runbook: 'undelivered',
    }),
  },
  {
    id: 'G1',
    name: 'delivery-failed',
    of: 'topic',
    make: (topic) => ({
      ...common,
      title: `${topic.name}: the topic gave up a delivery to a subscriber's queue`,
      severity: 'page',
      metrics: [topicMetrics.failed(topic.name)],
      expression: 'failed',
      runbook: 'delivery-failed',
    }),
  },
  {
    id: 'G2',
    name: 'delivery-lost',
    of: 'topic',
    make: (topic) => ({
      ...common,
      title: `${topic.name}: an undelivered message could not be put into the subscription's dead-letter queue and is lost`,
      severity: 'page',
      metrics: [topicMetrics.failedToRedrive(topic.name)],
      expression: 'lost',
      runbook: 'delivery-lost',
    }),
  },
  {
    id: 'H',
    name: 'stalled',
    of: 'subscriber',
    make: (subscriber) => {
      const periods = stallMinutes(subscriber.handlerTime);
      return {
        ...common,
        title: `${subscriber.name}: messages wait and none was completed for ${periods} minutes`,
        severity: 'page',
        metrics: [queueMetrics.visible(subscriber.name), queueMetrics.deleted(subscriber.name)],
        // Counters may be published only when something happened: FILL makes that a zero.
        expression: 'IF(vis > 0 AND FILL(del, 0) == 0, 1, 0)',
        datapointsToAlarm: periods,
        evaluationPeriods: periods,
        notifyOnOk: true,
        runbook: 'stalled',
      };
    },
  },
  {
    id: 'I2',
    name: 'hot-group',
    of: 'subscriber',
    // A standard queue's consumers are never idle beside a backlog.
    applies: ({ fifo }) => fifo,
    make: (subscriber) => ({
      ...common,
      title: `${subscriber.name}: messages wait although most workers are idle: few message groups hold most of them`,
      severity: 'ticket',
      metrics: [queueMetrics.visible(subscriber.name), queueMetrics.groupsInFlight(subscriber.name)],
      expression: `IF(vis > ${floor} AND FILL(grp, 0) > 0 AND FILL(grp, 0) < ${subscriber.concurrency / 4}, 1, 0)`,
      datapointsToAlarm: 10,
      evaluationPeriods: 15,
      runbook: 'hot-group',
    }),
  },
  {
    id: 'J',
    name: 'redelivery',
    of: 'subscriber',
    make: (subscriber) => ({
      ...common,
      title: `${subscriber.name}: messages are received more than ${redeliveryRatio} times for each that is done`,
      severity: 'ticket',
      metrics: [queueMetrics.received(subscriber.name), queueMetrics.deleted(subscriber.name)].map(
        (metric) => ({
          ...metric,
          period: fiveMinutes,
        }),
      ),
      expression: `IF(FILL(recv, 0) > ${floor}, FILL(recv, 0) / (FILL(del, 0) + 1), 0)`,
      threshold: redeliveryRatio,
      period: fiveMinutes,
      datapointsToAlarm: 2,
      evaluationPeriods: 3,
      runbook: 'redelivery',
    }),
  },
];
