import { defineMessaging, event, minutes, seconds } from 'sluice';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type AlarmDefinition,
  alarmName,
  alarmsOf,
  dimensionsOf,
  stallMinutes,
  topicAlarms,
} from '../../lib/monitoring/index.ts';

const schema = v.object({});
const shop = defineMessaging({
  name: 'shop',
  topics: { orders: { fifo: true }, 'side-news': {} },
  events: {
    placed: event({ topic: 'orders', schema }),
    told: event({ topic: 'side-news', schema }),
  },
  subscribers: {
    payments: { on: ['placed'], fifo: true, handler: 'p.ts', lag: seconds(45), timeout: seconds(10) },
    transcoder: { on: ['placed'], handler: 't.ts', lag: minutes(90), timeout: minutes(15) },
    previews: {
      on: ['placed'],
      handler: 'v.ts',
      lag: minutes(90),
      timeout: minutes(15),
      handlerTime: seconds(2),
    },
  },
});

const alarm = (key: string): AlarmDefinition => {
  const found = alarmsOf(shop).find((each) => each.key === key);
  expect(found, key).toBeDefined();
  return found as AlarmDefinition;
};

/** The names that an expression uses, functions and operators apart. */
const idsIn = (expression: string): string[] => [
  ...new Set(expression.match(/\b[a-z][A-Za-z0-9_]*\b/g) ?? []),
];

describe('A subscriber is watched by A, E, H, J and on FIFO I2, a topic by G1 and G2', () => {
  it('each under a key of its own that every deployment shares', () => {
    expect(alarmsOf(shop).map(({ key }) => key)).toEqual([
      'orders-G1-delivery-failed',
      'orders-G2-delivery-lost',
      'payments-A-lag',
      'payments-E-dead-letters',
      'payments-E-undelivered',
      'payments-H-stalled',
      'payments-I2-hot-group',
      'payments-J-redelivery',
      'transcoder-A-lag',
      'transcoder-E-dead-letters',
      'transcoder-E-undelivered',
      'transcoder-H-stalled',
      'transcoder-J-redelivery',
      'previews-A-lag',
      'previews-E-dead-letters',
      'previews-E-undelivered',
      'previews-H-stalled',
      'previews-J-redelivery',
    ]);
    expect(alarmName('Shop', alarm('payments-A-lag'))).toBe('Shop-payments-A-lag');
  });

  it('I2: messages wait while most of the workers that are allowed are idle, for 10 of 15 minutes', () => {
    expect(alarm('payments-I2-hot-group')).toMatchObject({
      severity: 'ticket',
      // A quarter of ten workers.
      expression: 'IF(vis > 100 AND FILL(grp, 0) > 0 AND FILL(grp, 0) < 2.5, 1, 0)',
      period: 60,
      datapointsToAlarm: 10,
      evaluationPeriods: 15,
    });
  });

  it('J: more than 1.3 receives for each completion, in two of three periods of five minutes', () => {
    const redelivery = alarm('payments-J-redelivery');
    expect(redelivery).toMatchObject({
      severity: 'ticket',
      expression: 'IF(FILL(recv, 0) > 100, FILL(recv, 0) / (FILL(del, 0) + 1), 0)',
      threshold: 1.3,
      period: 300,
      datapointsToAlarm: 2,
      evaluationPeriods: 3,
    });
    expect(redelivery.metrics.map(({ period }) => period)).toEqual([300, 300]);
  });

  it('a topic without subscribers cannot fail to deliver', () => {
    expect(topicAlarms(shop.topics['side-news']!)).toEqual([]);
  });

  it('A: the age is above the SLO in three of five minutes', () => {
    expect(alarm('payments-A-lag')).toMatchObject({
      id: 'A',
      severity: 'page',
      metrics: [
        {
          id: 'age',
          namespace: 'AWS/SQS',
          name: 'ApproximateAgeOfOldestMessage',
          target: { kind: 'queue', subscriber: 'payments' },
          statistic: 'Maximum',
        },
      ],
      expression: 'age',
      threshold: 45,
      period: 60,
      datapointsToAlarm: 3,
      evaluationPeriods: 5,
      treatMissingData: 'notBreaching',
    });
  });

  it('E: any dead letter, of the consumer or of the subscription, and the all-clear', () => {
    for (const [key, kind] of [
      ['payments-E-dead-letters', 'deadLetterQueue'],
      ['payments-E-undelivered', 'subscriptionDeadLetterQueue'],
    ] as const)
      expect(alarm(key)).toMatchObject({
        id: 'E',
        metrics: [{ name: 'ApproximateNumberOfMessagesVisible', statistic: 'Maximum', target: { kind } }],
        threshold: 0,
        datapointsToAlarm: 1,
        evaluationPeriods: 1,
        notifyOnOk: true,
      });
  });

  it('G1 and G2: the topic’s own counters', () => {
    expect(alarm('orders-G1-delivery-failed').metrics[0]).toMatchObject({
      name: 'NumberOfNotificationsFailed',
      statistic: 'Sum',
      target: { kind: 'topic', topic: 'orders' },
    });
    expect(alarm('orders-G2-delivery-lost').metrics[0]).toMatchObject({
      name: 'NumberOfNotificationsFailedToRedriveToDlq',
    });
  });

  it('H: as many minutes without a completion as two of the longest runs take, five at least', () => {
    expect(alarm('payments-H-stalled')).toMatchObject({
      expression: 'IF(vis > 0 AND FILL(del, 0) == 0, 1, 0)',
      datapointsToAlarm: 5,
      evaluationPeriods: 5,
    });
    expect(alarm('transcoder-H-stalled')).toMatchObject({ datapointsToAlarm: 30, evaluationPeriods: 30 });
    // A timeout far above what the handler needs does not delay the alarm once its p99 is declared.
    expect(alarm('previews-H-stalled')).toMatchObject({ datapointsToAlarm: 5, evaluationPeriods: 5 });
    expect([0, 149, 150, 151, 900].map((handlerTime) => stallMinutes(seconds(handlerTime)))).toEqual([
      5, 5, 5, 6, 30,
    ]);
  });
});

describe('CloudWatch takes every alarm as it is', () => {
  it.each(alarmsOf(shop).map((each) => [each.key, each] as const))('%s', (_, definition) => {
    expect(idsIn(definition.expression).sort()).toEqual(definition.metrics.map(({ id }) => id).sort());
    expect(definition.metrics.length).toBeLessThanOrEqual(10);
    expect(definition.datapointsToAlarm).toBeLessThanOrEqual(definition.evaluationPeriods);
    // Alarms with periods under an hour may look back one day (CloudWatch user guide, "Using alarms").
    expect(definition.period * definition.evaluationPeriods).toBeLessThanOrEqual(86_400);
    for (const metric of definition.metrics) {
      expect(metric.id).toMatch(/^[a-z][A-Za-z0-9_]*$/);
      expect(metric.period).toBe(definition.period);
    }
    expect(definition.title).not.toBe('');
    expect(definition.runbook).toMatch(/^[a-z-]+$/);
  });
});

describe('A metric is named by the declaration until somebody knows the physical name', () => {
  it.each([
    [{ kind: 'queue', subscriber: 'payments' }, { QueueName: 'physical' }],
    [{ kind: 'deadLetterQueue', subscriber: 'payments' }, { QueueName: 'physical' }],
    [{ kind: 'subscriptionDeadLetterQueue', subscriber: 'payments' }, { QueueName: 'physical' }],
    [{ kind: 'function', subscriber: 'payments' }, { FunctionName: 'physical' }],
    [{ kind: 'topic', topic: 'orders' }, { TopicName: 'physical' }],
    [{ kind: 'runtime', subscriber: 'payments' }, { subscriber: 'payments' }],
    [
      { kind: 'runtime', subscriber: 'payments', reason: 'schema' },
      { subscriber: 'payments', reason: 'schema' },
    ],
  ] as const)('%o', (target, expected) => {
    expect(dimensionsOf(target, () => 'physical')).toEqual(expected);
  });
});
