import { seconds } from 'sluice';
import { describe, expect, it } from 'vitest';
import { announcing, subscriberAlarms, topicAlarms } from '../../lib/monitoring/index.ts';
import { cloudWatchOnVirtualClock, TOPIC } from '../model/cloudwatch/fixture.ts';
import { compositeInput, metricInput } from '../support/alarm-inputs.ts';

const definitions = [
  ...topicAlarms({ name: 'news', subscribers: ['it'], filtered: true }),
  ...subscriberAlarms({
    name: 'it',
    lag: seconds(300),
    retention: seconds(345_600),
    fifo: true,
    concurrency: 10,
    alarms: 'full',
  }),
];

/** What a minute looks like. Gauges are read at its end, counters are what happened in it. */
const healthy = {
  ...{ age: 2, vis: 5, infl: 20, grp: 8, dlq: 0, undel: 0 },
  ...{ sent: 60, recv: 61, del: 60 },
  ...{ invocations: 60, errors: 0, throttles: 0, recursion: 0 },
  ...{ failed: 0, lost: 0, invalid: 0, without: 0, replaying: 0 },
};
type Minute = typeof healthy;
/** What is otherwise in the n-th minute, counted from the fault. */
type Fault = (minute: number) => Partial<Minute>;

const sqs = (QueueName: string, name: string) => ['AWS/SQS', name, { QueueName }] as const;
const visible = 'ApproximateNumberOfMessagesVisible';
const gauges = {
  age: sqs('queue', 'ApproximateAgeOfOldestMessage'),
  vis: sqs('queue', visible),
  infl: sqs('queue', 'ApproximateNumberOfMessagesNotVisible'),
  grp: sqs('queue', 'ApproximateNumberOfGroupsWithInflightMessages'),
  dlq: sqs('deadLetterQueue', visible),
  undel: sqs('subscriptionDeadLetterQueue', visible),
} as const;
const lambda = (name: string) => ['AWS/Lambda', name, { FunctionName: 'function' }] as const;
const sns = (name: string) => ['AWS/SNS', `NumberOfNotifications${name}`, { TopicName: 'topic' }] as const;
const counters = {
  sent: sqs('queue', 'NumberOfMessagesSent'),
  recv: sqs('queue', 'NumberOfMessagesReceived'),
  del: sqs('queue', 'NumberOfMessagesDeleted'),
  invocations: lambda('Invocations'),
  errors: lambda('Errors'),
  throttles: lambda('Throttles'),
  recursion: lambda('RecursiveInvocationsDropped'),
  failed: sns('Failed'),
  lost: sns('FailedToRedriveToDlq'),
  invalid: sns('FilteredOut-InvalidAttributes'),
  without: sns('FilteredOut-NoMessageAttributes'),
  replaying: ['sluice', 'replaying', { subscriber: 'it' }],
} as const;

const calm = 70;

/** An hour of health, then the fault: the minute after the fault in which each alarm fired first, and what was sent. */
async function play(fault: Fault, minutes: number, queueCounters: 'sparse' | 'always' = 'sparse') {
  const model = cloudWatchOnVirtualClock({ queueCounters });
  const { metrics } = model.cloudwatch;
  const aloud = announcing(definitions);
  for (const alarm of definitions) {
    const actions = aloud.has(alarm.key)
      ? { AlarmActions: [TOPIC], ...(alarm.notifyOnOk ? { OKActions: [TOPIC] } : {}) }
      : {};
    if (alarm.kind === 'metric')
      model.call('PutMetricAlarm', { ...metricInput(alarm, ({ kind }) => kind), ...actions });
    else model.call('PutCompositeAlarm', { ...compositeInput(alarm), ...actions });
  }
  let now: Minute = healthy;
  for (const [name, [namespace, metric, dimensions]] of Object.entries(gauges))
    metrics.gauge(namespace, metric, dimensions, () => now[name as keyof typeof gauges]);
  await model.minutes(calm + minutes, (minute) => {
    now = { ...healthy, ...(minute < calm ? {} : fault(minute - calm)) };
    for (const [name, [namespace, metric, dimensions]] of Object.entries(counters)) {
      const value = now[name as keyof typeof counters];
      if (value > 0) metrics.count(namespace, metric, dimensions, value);
    }
  });
  model.cloudwatch.stop();
  const fired = new Map<string, number>();
  for (const { name, to, minute } of model.changes)
    if (to === 'ALARM' && !fired.has(name)) fired.set(name, minute - calm);
  // At their making alarms go from having no data to OK, and say so.
  const sent = model.sent
    .filter(({ message }) => message.OldStateValue !== 'INSUFFICIENT_DATA')
    .map(({ message }) => `${message.AlarmName} ${message.NewStateValue}`);
  return { fired, sent };
}

const always =
  (fault: Partial<Minute>): Fault =>
  () =>
    fault;
/** Messages that come in faster than they are done. */
const growing =
  (perMinute: number, more: Partial<Minute> = {}): Fault =>
  (minute) => ({ vis: 150 + perMinute * minute, sent: 60 + perMinute, ...more });

/** Fires between the two minutes after `fault`, and never at `almost`. */
const cases: readonly (readonly [string, Fault, readonly [number, number], Fault])[] = [
  ['news-G1-delivery-failed', always({ failed: 1 }), [1, 1], always({ lost: 1 })],
  ['news-G2-delivery-lost', always({ lost: 1 }), [1, 1], always({ failed: 1 })],
  ['news-G3-filter-input', always({ without: 1 }), [1, 5], always({ failed: 1 })],
  ['news-G3-filter-input', always({ invalid: 1 }), [1, 5], always({})],
  ['it-A-lag', always({ age: 301 }), [3, 3], (minute) => ({ age: minute % 3 === 0 ? 301 : 300 })],
  // Every seventh minute: nine of sixty.
  [
    'it-A2-burn-long',
    (minute) => ({ age: minute % 7 === 0 ? 301 : 2 }),
    [57, 57],
    (minute) => ({ age: minute % 8 === 0 ? 301 : 2 }),
  ],
  ['it-A2-burn-short', (minute) => ({ age: minute === 3 ? 301 : 2 }), [4, 4], always({ age: 300 })],
  [
    'it-A2-burn',
    (minute) => ({ age: minute % 7 === 0 ? 301 : 2 }),
    [57, 57],
    (minute) => ({ age: minute < 8 ? 301 : 2 }),
  ],
  ['it-B-growth', growing(10), [11, 20], always({ vis: 150, sent: 70 })],
  // Ten messages a minute faster than they come: 300 of them are gone after half an hour, 40 after four minutes.
  ['it-C1-drain-time', always({ vis: 300, del: 70 }), [11, 20], always({ vis: 300, del: 160 })],
  ['it-C1-drain-time', growing(10, { del: 0 }), [11, 20], always({ vis: 100, del: 0 })],
  ['it-C2-expected-wait', always({ vis: 301 }), [5, 5], always({ vis: 300 })],
  ['it-C2-expected-wait', always({ vis: 101, del: 0 }), [5, 5], always({ vis: 100, del: 0 })],
  // Ten seconds a minute are five minutes in half an hour.
  [
    'it-C3-breach-ahead',
    (minute) => ({ age: 50 + 10 * minute }),
    [10, 25],
    (minute) => ({ age: 50 + minute }),
  ],
  ['it-D-retention-half', always({ age: 172_801 }), [1, 1], always({ age: 172_800 })],
  ['it-D-retention-near', always({ age: 259_201 }), [1, 1], always({ age: 259_200 })],
  ['it-E-dead-letters', always({ dlq: 1 }), [1, 1], always({ undel: 1 })],
  ['it-E-undelivered', always({ undel: 1 }), [1, 1], always({ dlq: 1 })],
  // Not for those that lie there, but for more of them.
  [
    'it-E2-fresh-dead-letters',
    (minute) => ({ dlq: minute < 20 ? 0 : 5 }),
    [21, 21],
    (minute) => ({ undel: minute < 20 ? 0 : 5 }),
  ],
  ['it-F-in-flight', always({ infl: 96_001 }), [3, 3], always({ infl: 96_000 })],
  ['it-H-stalled', always({ del: 0 }), [5, 5], (minute) => ({ del: minute % 5 === 0 ? 1 : 0 })],
  // Thousands are done in the time that one of them waits.
  ['it-I1-blocked-group', always({ age: 301, vis: 20 }), [3, 3], always({ age: 301, vis: 151 })],
  ['it-I2-hot-group', always({ vis: 101, grp: 2 }), [10, 10], always({ vis: 101, grp: 3 })],
  ['it-J-redelivery', always({ recv: 79 }), [6, 11], always({ recv: 77 })],
  ['it-K-throttled', always({ throttles: 1 }), [3, 3], (minute) => ({ throttles: minute % 3 === 0 ? 1 : 0 })],
  ['it-K-recursion', always({ recursion: 1 }), [1, 1], always({ errors: 1 })],
  ['it-K-errors', always({ errors: 4 }), [3, 3], always({ errors: 3 })],
  ['it-L-replay', always({ replaying: 1 }), [1, 1], always({})],
  ['it-L-page', always({ del: 0 }), [5, 5], always({ errors: 60 })],
  ['it-L-ticket', always({ recv: 79 }), [6, 11], always({ recv: 77 })],
];

describe.each(['sparse', 'always'] as const)('With counters of SQS that are %s', (queueCounters) => {
  it('nothing fires while all is well, and nothing while the queue is empty', async () => {
    const nothing = Object.fromEntries(Object.keys(healthy).map((name) => [name, 0])) as Minute;
    expect((await play(always({}), 120, queueCounters)).fired).toEqual(new Map());
    expect((await play(always(nothing), 120, queueCounters)).fired).toEqual(new Map());
  });

  it.each(cases)('%s fires when it should, and not a step before', async (key, fault, [from, to], almost) => {
    const { fired } = await play(fault, 65, queueCounters);
    expect(fired.get(key), `minutes after the fault: ${[...fired]}`).toBeGreaterThanOrEqual(from);
    expect(fired.get(key)).toBeLessThanOrEqual(to);
    expect([...(await play(almost, 65, queueCounters)).fired.keys()]).not.toContain(key);
  });
});

it('every alarm has its case', () => {
  expect([...new Set(cases.map(([key]) => key))].sort()).toEqual(definitions.map(({ key }) => key).sort());
});

describe('One page for all that says the same', () => {
  it('a consumer that stands still and falls behind pages once, and once more when it is over', async () => {
    const { fired, sent } = await play(
      (minute) => (minute < 30 ? { del: 0, age: 60 * minute, vis: 60 * minute, recv: 0 } : {}),
      60,
    );
    expect([...fired.keys()]).toEqual(expect.arrayContaining(['it-A-lag', 'it-H-stalled', 'it-A2-burn']));
    expect(sent.filter((text) => /-[AH]2?-|L-page/.test(text))).toEqual(['it-L-page ALARM', 'it-L-page OK']);
  });

  it('goes out in the minute in which the first of them turns', async () => {
    const { fired, sent } = await play(always({ del: 0 }), 5);
    expect(fired.get('it-H-stalled')).toBe(5);
    expect(sent).toContain('it-L-page ALARM');
  });

  it('while somebody replays, the page waits; other alarms do not', async () => {
    const replay: Fault = (minute) => ({
      age: minute < 30 ? 400_000 : 2,
      replaying: minute < 31 ? 1 : 0,
    });
    const { fired, sent } = await play(replay, 90);
    expect([...fired.keys()]).toContain('it-L-page');
    expect(sent.join()).not.toContain('L-page');
    expect(sent).toContain('it-D-retention-near ALARM');
  });

  it('a replay that nobody ends holds the page back for a quarter of an hour', async () => {
    const { sent } = await play((minute) => ({ age: 400, replaying: minute === 0 ? 1 : 0 }), 30);
    expect(sent).toContain('it-L-page ALARM');
    const early = await play((minute) => ({ age: 400, replaying: minute === 0 ? 1 : 0 }), 14);
    expect(early.sent).not.toContain('it-L-page ALARM');
  });
});
