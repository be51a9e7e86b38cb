import { describe, expect, it } from 'vitest';
import { cloudWatchOnVirtualClock } from './fixture.ts';
import { createQueue, type Traffic } from './queue.ts';

// The stack's alarms of a queue, with a lag of 300 s: A, E and H of one subscriber.
const FAULT = 60;
const ALARMS = {
  A: {
    Namespace: 'AWS/SQS',
    MetricName: 'ApproximateAgeOfOldestMessage',
    Dimensions: [{ Name: 'QueueName', Value: 'payments' }],
    Statistic: 'Maximum',
    Threshold: 300,
    EvaluationPeriods: 5,
    DatapointsToAlarm: 3,
    TreatMissingData: 'notBreaching',
  },
  E: {
    Namespace: 'AWS/SQS',
    MetricName: 'ApproximateNumberOfMessagesVisible',
    Dimensions: [{ Name: 'QueueName', Value: 'payments-dead' }],
    Statistic: 'Maximum',
    TreatMissingData: 'notBreaching',
  },
  H: {
    Namespace: undefined,
    MetricName: undefined,
    Statistic: undefined,
    Period: undefined,
    EvaluationPeriods: 5,
    Metrics: [
      { Id: 'stalled', Expression: 'IF(vis > 0, IF(FILL(del,0) == 0, 1, 0), 0)' },
      metric('vis', 'ApproximateNumberOfMessagesVisible', 'Maximum'),
      metric('del', 'NumberOfMessagesDeleted', 'Sum'),
    ],
  },
} as const;

function metric(id: string, name: string, stat: string) {
  return {
    Id: id,
    ReturnData: false,
    MetricStat: {
      Metric: {
        Namespace: 'AWS/SQS',
        MetricName: name,
        Dimensions: [{ Name: 'QueueName', Value: 'payments' }],
      },
      Period: 60,
      Stat: stat,
    },
  };
}

/** Minutes from the fault to the first ALARM of each alarm; alarms before the fault are negative. */
async function play(traffic: Traffic, minutes: number, queueCounters: 'sparse' | 'always') {
  const model = cloudWatchOnVirtualClock({ queueCounters });
  for (const [AlarmName, alarm] of Object.entries(ALARMS)) model.alarm({ AlarmName, ...alarm } as object);
  const queue = createQueue(model.cloudwatch.metrics, traffic);
  await model.minutes(minutes, () => queue.minute());
  model.cloudwatch.stop();
  const first = (name: string) => {
    const change = model.changes.find((one) => one.name === name && one.to === 'ALARM');
    return change === undefined ? undefined : change.minute - FAULT;
  };
  return { A: first('A'), E: first('E'), H: first('H') };
}

const after = (second: number) => second >= FAULT * 60;
const steady = () => 10;
const enough = () => 12;

interface Scenario {
  readonly name: string;
  readonly traffic: Traffic;
  readonly minutes?: number;
  /** From and to, in minutes after the fault. */
  readonly fires?: Partial<Record<'A' | 'E' | 'H', readonly [number, number]>>;
}

const scenarios: readonly Scenario[] = [
  { name: 'healthy', traffic: { arrivals: steady, capacity: enough } },
  {
    name: 'burst of three times the traffic for 3 minutes',
    traffic: {
      arrivals: (second) => (after(second) && second < (FAULT + 3) * 60 ? 30 : 10),
      capacity: () => 30,
    },
  },
  {
    name: 'ramp to 87 % of the capacity',
    traffic: { arrivals: (second) => Math.min(10.4, 5 + second / 600), capacity: enough },
  },
  {
    name: 'capacity 10 % below the arrivals',
    traffic: { arrivals: steady, capacity: (second) => (after(second) ? 9 : 12) },
    fires: { A: [51, 54] },
  },
  {
    name: 'consumer dead',
    traffic: { arrivals: steady, capacity: (second) => (after(second) ? 0 : 12) },
    fires: { A: [8, 8], H: [5, 6] },
  },
  {
    name: 'bad deploy: every message fails at once and is dead-lettered',
    // What fails fast is tried faster: nearly five tries for each of ten messages a second.
    traffic: {
      arrivals: steady,
      capacity: (second) => (after(second) ? 49 : 12),
      fails: (_, second) => after(second),
    },
    fires: { E: [6, 7], H: [5, 12] },
  },
  {
    name: '1 % poison',
    traffic: {
      arrivals: steady,
      capacity: enough,
      fails: (message, second) => after(second) && message % 100 === 0,
    },
    fires: { E: [6, 7] },
  },
  {
    name: 'hourly cron of 20,000 that drains in 17 minutes',
    traffic: { arrivals: (second) => (second === FAULT * 60 ? 20_000 : 0), capacity: () => 20 },
    fires: { A: [8, 8] },
  },
  {
    name: 'one message in 10 minutes, healthy',
    traffic: { arrivals: (second) => (second % 600 === 0 ? 1 : 0), capacity: enough },
  },
  {
    name: 'one message in 10 minutes, consumer dead',
    traffic: {
      arrivals: (second) => (second % 600 === 0 ? 1 : 0),
      capacity: (second) => (after(second) ? 0 : 12),
    },
    fires: { A: [7, 25], H: [5, 22] },
  },
];

describe.each(['sparse', 'always'] as const)('alarms A, E and H with %s counters', (counters) => {
  it.each(scenarios)('$name', async ({ traffic, minutes, fires = {} }) => {
    const fired = await play(traffic, minutes ?? FAULT + 60, counters);
    for (const id of ['A', 'E', 'H'] as const) {
      const expected = fires[id];
      if (expected === undefined) expect(fired[id], `${id} stays silent`).toBeUndefined();
      else {
        expect(fired[id], `${id} fires`).toBeGreaterThanOrEqual(expected[0]);
        expect(fired[id], `${id} fires`).toBeLessThanOrEqual(expected[1]);
      }
    }
  });
});

describe('alarms G1 and G2 on what SNS counts', () => {
  const notifications = { TopicName: 'orders' };
  const watch = (MetricName: string) => ({
    AlarmName: MetricName,
    Namespace: 'AWS/SNS',
    MetricName,
    Dimensions: [{ Name: 'TopicName', Value: 'orders' }],
    Statistic: 'Sum' as const,
    TreatMissingData: 'notBreaching',
  });

  it.each(['NumberOfNotificationsFailed', 'NumberOfNotificationsFailedToRedriveToDlq'])(
    '%s: one failure alarms within the minute, and is over when no more come',
    async (name) => {
      const model = cloudWatchOnVirtualClock();
      model.alarm(watch(name));
      await model.minutes(60, (minute) => {
        model.cloudwatch.metrics.count('AWS/SNS', 'NumberOfNotificationsDelivered', notifications, 1000);
        if (minute === 30) model.cloudwatch.metrics.count('AWS/SNS', name, notifications, 1);
      });
      expect(model.changes.map(({ to, minute }) => [to, minute])).toEqual([
        ['OK', 1],
        ['ALARM', 31],
        ['OK', 34],
      ]);
    },
  );

  it('both stay silent while every notification is delivered', async () => {
    const model = cloudWatchOnVirtualClock();
    model.alarm(watch('NumberOfNotificationsFailed'));
    model.alarm(watch('NumberOfNotificationsFailedToRedriveToDlq'));
    await model.minutes(60, () =>
      model.cloudwatch.metrics.count('AWS/SNS', 'NumberOfNotificationsDelivered', notifications, 1000),
    );
    expect(model.changes.map(({ to }) => to)).toEqual(['OK', 'OK']);
  });
});
