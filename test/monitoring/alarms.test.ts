import { defineMessaging, event, hours, minutes, seconds } from 'sluice';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type AlarmDefinition,
  alarmName,
  alarmsOf,
  announcing,
  dimensionsOf,
  keepAlarms,
  monthlyPrice,
  ruleText,
  stallWindow,
  subscriberAlarms,
  topicAlarms,
  validateAlarms,
} from '../../lib/monitoring/index.ts';

const schema = v.object({});
const shop = defineMessaging({
  name: 'shop',
  topics: { orders: { fifo: true }, 'side-news': {}, news: {} },
  events: {
    placed: event({ topic: 'orders', schema }),
    told: event({ topic: 'side-news', schema }),
    printed: event({ topic: 'news', schema }),
    aired: event({ topic: 'news', schema }),
  },
  subscribers: {
    payments: {
      on: ['placed'],
      fifo: true,
      handler: 'p.ts',
      lag: seconds(45),
      timeout: seconds(10),
      alarms: 'full',
    },
    transcoder: { on: ['placed'], handler: 't.ts', lag: minutes(90), timeout: minutes(15) },
    previews: {
      on: ['printed'],
      handler: 'v.ts',
      lag: minutes(90),
      timeout: minutes(15),
      handlerTime: seconds(2),
      alarms: 'full',
      traffic: 20,
    },
  },
});

const alarm = (key: string): AlarmDefinition => {
  const found = alarmsOf(shop).find((each) => each.key === key);
  expect(found, key).toBeDefined();
  return found as AlarmDefinition;
};

const keysOf = (definitions: readonly AlarmDefinition[]) => definitions.map(({ key }) => key);

describe('Which alarms there are', () => {
  it('lean: lag, growth, dead letters of both kinds, standstill and redelivery', () => {
    expect(keysOf(subscriberAlarms(shop.subscribers.transcoder))).toEqual([
      'transcoder-A-lag',
      'transcoder-B-growth',
      'transcoder-E-dead-letters',
      'transcoder-E-undelivered',
      'transcoder-H-stalled',
      'transcoder-J-redelivery',
    ]);
  });

  it('full: all that lean has, forecasts, the function, and one page and one ticket for many', () => {
    expect(keysOf(subscriberAlarms(shop.subscribers.payments))).toEqual([
      'payments-A-lag',
      'payments-A2-burn-long',
      'payments-A2-burn-short',
      'payments-A2-burn',
      'payments-B-growth',
      'payments-C1-drain-time',
      'payments-C2-expected-wait',
      'payments-C3-breach-ahead',
      'payments-D-retention-half',
      'payments-D-retention-near',
      'payments-E-dead-letters',
      'payments-E-undelivered',
      'payments-E2-fresh-dead-letters',
      'payments-F-in-flight',
      'payments-H-stalled',
      'payments-I1-blocked-group',
      'payments-I2-hot-group',
      'payments-J-redelivery',
      'payments-K-throttled',
      'payments-K-recursion',
      'payments-K-errors',
      'payments-L-replay',
      'payments-L-page',
      'payments-L-ticket',
    ]);
    const lean = subscriberAlarms({ ...shop.subscribers.payments, alarms: 'lean' });
    expect(subscriberAlarms(shop.subscribers.payments)).toEqual(expect.arrayContaining(lean));
  });

  it('a standard queue has no groups to watch', () => {
    expect(keysOf(subscriberAlarms(shop.subscribers.previews)).filter((key) => /-I\d-/.test(key))).toEqual(
      [],
    );
  });

  it('each under a key of its own that every deployment shares', () => {
    const keys = keysOf(alarmsOf(shop));
    expect(new Set(keys).size).toBe(keys.length);
    expect(alarmName('Shop', alarm('payments-A-lag'))).toBe('Shop-payments-A-lag');
  });

  it('a topic: what it gave up and what it lost; with a filter behind it, what the filter could not read', () => {
    const ofTopic = (name: string) => keysOf(alarmsOf(shop)).filter((key) => key.startsWith(`${name}-G`));
    expect(ofTopic('orders')).toEqual(['orders-G1-delivery-failed', 'orders-G2-delivery-lost']);
    expect(ofTopic('news')).toEqual([
      'news-G1-delivery-failed',
      'news-G2-delivery-lost',
      'news-G3-filter-input',
    ]);
  });

  it('a topic without subscribers cannot fail to deliver', () => {
    expect(topicAlarms(shop.topics['side-news']!)).toEqual([]);
  });

  it('alarms on what is not there are left out', () => {
    const jobs = subscriberAlarms({
      name: 'jobs',
      lag: minutes(10),
      fifo: true,
      alarms: 'full',
      parts: ['queue'],
    });
    expect(new Set(jobs.map(({ id }) => id))).toEqual(
      new Set(['A', 'A2', 'B', 'C1', 'C2', 'C3', 'D', 'F', 'H', 'I1', 'J', 'L']),
    );
    // Nobody said how many workers there are: none of them can be idle.
    expect(keysOf(jobs)).not.toContain('jobs-I2-hot-group');
  });
});

describe('Thresholds come from the declaration', () => {
  it.each([
    ['payments-A-lag', { expression: 'age', threshold: 45, datapointsToAlarm: 3, evaluationPeriods: 5 }],
    [
      'payments-A2-burn-long',
      { expression: 'IF(FILL(age, 0) > 45, 1, 0)', datapointsToAlarm: 9, evaluationPeriods: 60 },
    ],
    [
      'payments-A2-burn-short',
      { expression: 'IF(FILL(age, 0) > 45, 1, 0)', datapointsToAlarm: 1, evaluationPeriods: 5 },
    ],
    [
      'payments-B-growth',
      {
        expression: 'IF(vis > 100 AND DIFF(vis) > 0 AND FILL(sent, 0) > FILL(del, 0), 1, 0)',
        period: 300,
        datapointsToAlarm: 3,
        evaluationPeriods: 3,
      },
    ],
    ['payments-C1-drain-time', { threshold: 45, period: 300 }],
    ['payments-C2-expected-wait', { threshold: 45, period: 60, datapointsToAlarm: 5 }],
    [
      'payments-C3-breach-ahead',
      {
        expression:
          'IF(FILL(age, 0) > 9 AND DIFF(FILL(age, 0)) > 0, FILL(age, 0) + 1800 * DIFF(FILL(age, 0)) / PERIOD(age), 0)',
        threshold: 45,
      },
    ],
    ['payments-D-retention-half', { expression: '100 * age / 345600', threshold: 50, severity: 'ticket' }],
    ['payments-D-retention-near', { expression: '100 * age / 345600', threshold: 75, severity: 'page' }],
    ['payments-F-in-flight', { expression: '100 * FILL(infl, 0) / 120000', threshold: 80 }],
    [
      'payments-I1-blocked-group',
      { expression: 'IF(FILL(age, 0) > 45 AND FILL(del, 0) * 22.5 > vis * PERIOD(del), 1, 0)' },
    ],
    // A quarter of ten workers.
    [
      'payments-I2-hot-group',
      {
        expression: 'IF(vis > 100 AND FILL(grp, 0) > 0 AND FILL(grp, 0) < 2.5, 1, 0)',
        datapointsToAlarm: 10,
        evaluationPeriods: 15,
      },
    ],
    [
      'payments-J-redelivery',
      {
        expression: 'IF(FILL(recv, 0) > 100, FILL(recv, 0) / (FILL(del, 0) + 1), 0)',
        threshold: 1.3,
        period: 300,
        datapointsToAlarm: 2,
        evaluationPeriods: 3,
      },
    ],
    // Half a minute of twenty messages a second is no backlog.
    ['previews-B-growth', { expression: expect.stringContaining('vis > 600 ') }],
    ['news-G3-filter-input', { expression: 'SUM([FILL(inv, 0), FILL(noattr, 0)])', period: 300 }],
  ])('%s', (key, expected) => {
    expect(alarm(key)).toMatchObject({ kind: 'metric', treatMissingData: 'notBreaching', ...expected });
  });

  it('the SLO may be as long as a queue keeps messages: what never drains is longer still', () => {
    const [drain] = subscriberAlarms({ name: 'it', lag: seconds(1_209_600), alarms: 'full' }).filter(
      ({ id }) => id === 'C1',
    );
    const longest = drain?.kind === 'metric' ? (drain.expression.match(/\d{7,}/)?.[0] ?? '') : '';
    expect(Number(longest)).toBeGreaterThan(1_209_600);
  });

  it('one group at work is hot beside two workers too', () => {
    const [hot] = subscriberAlarms({
      name: 'it',
      lag: seconds(60),
      fifo: true,
      concurrency: 2,
      alarms: 'full',
    }).filter(({ id }) => id === 'I2');
    expect(hot).toMatchObject({ expression: expect.stringContaining('FILL(grp, 0) < 2,') });
  });

  it('gauges are read by Maximum and counters by Sum, from the part that has them', () => {
    expect(alarm('payments-E-dead-letters')).toMatchObject({
      metrics: [
        {
          name: 'ApproximateNumberOfMessagesVisible',
          statistic: 'Maximum',
          target: { kind: 'deadLetterQueue' },
        },
      ],
    });
    expect(alarm('payments-E-undelivered')).toMatchObject({
      metrics: [{ target: { kind: 'subscriptionDeadLetterQueue' } }],
    });
    expect(alarm('orders-G1-delivery-failed')).toMatchObject({
      metrics: [
        { name: 'NumberOfNotificationsFailed', statistic: 'Sum', target: { kind: 'topic', topic: 'orders' } },
      ],
    });
    expect(alarm('orders-G2-delivery-lost')).toMatchObject({
      metrics: [{ name: 'NumberOfNotificationsFailedToRedriveToDlq' }],
    });
  });
});

describe('H: as long without a completion as two of the longest runs take, five minutes at least', () => {
  it('by the minute', () => {
    expect(alarm('payments-H-stalled')).toMatchObject({
      expression: 'IF(vis > 0, IF(FILL(del, 0) == 0, 1, 0), 0)',
      datapointsToAlarm: 5,
      evaluationPeriods: 5,
    });
    expect(alarm('transcoder-H-stalled')).toMatchObject({ datapointsToAlarm: 30, evaluationPeriods: 30 });
    // A timeout far above what the handler needs does not delay the alarm once its p99 is declared.
    expect(alarm('previews-H-stalled')).toMatchObject({ datapointsToAlarm: 5, evaluationPeriods: 5 });
    expect([0, 149, 150, 151, 900].map((time) => stallWindow(seconds(time)).periods)).toEqual([
      5, 5, 5, 6, 30,
    ]);
  });

  it('twelve hours of work fit into the day that CloudWatch looks back by the minute', () => {
    expect(stallWindow(hours(12))).toEqual({ period: 60, periods: 1440 });
  });

  it('longer work is watched by the hour, up to a week, and what does not fit says why', () => {
    expect(stallWindow(seconds(43_201))).toEqual({ period: 3600, periods: 25 });
    expect(stallWindow(hours(84))).toEqual({ period: 3600, periods: 168 });
    expect(stallWindow(hours(85))).toMatchObject({
      period: 3600,
      periods: 168,
      note: expect.stringContaining('week'),
    });
    const jobs = subscriberAlarms({ name: 'jobs', lag: hours(100), handlerTime: hours(85), alarms: 'full' });
    expect(() => validateAlarms(jobs)).not.toThrow();
    expect(jobs.find(({ id }) => id === 'H')?.title).toContain('a healthy run can be told as well');
  });
});

describe('One page and one ticket', () => {
  const full = subscriberAlarms(shop.subscribers.payments);
  const rule = (key: string) => {
    const found = alarm(key);
    return found.kind === 'composite' ? ruleText(found.rule, (member) => member) : undefined;
  };

  it('page: the SLO is broken now or for long, or the consumer stands still', () => {
    expect(rule('payments-L-page')).toBe(
      '(ALARM("payments-A-lag") OR ALARM("payments-A2-burn") OR ALARM("payments-H-stalled"))',
    );
    expect(rule('payments-A2-burn')).toBe(
      '(ALARM("payments-A2-burn-long") AND ALARM("payments-A2-burn-short"))',
    );
  });

  it('ticket: a trend away from it', () => {
    expect(rule('payments-L-ticket')).toBe(
      '(ALARM("payments-B-growth") OR ALARM("payments-C3-breach-ahead") OR ALARM("payments-J-redelivery"))',
    );
  });

  it('what they speak for is silent, and so is the one that holds the page back', () => {
    expect(keysOf(full).filter((key) => !announcing(full).has(key))).toEqual([
      'payments-A-lag',
      'payments-A2-burn-long',
      'payments-A2-burn-short',
      'payments-A2-burn',
      'payments-B-growth',
      'payments-C3-breach-ahead',
      'payments-H-stalled',
      'payments-J-redelivery',
      'payments-L-replay',
    ]);
    const lean = subscriberAlarms(shop.subscribers.transcoder);
    expect([...announcing(lean)]).toEqual(keysOf(lean));
  });

  it('where a composite is left out, its members speak again and nothing is left that waits for it', () => {
    const single = keepAlarms(full, ({ kind }) => kind === 'metric');
    expect([...announcing(single)]).toEqual(keysOf(single));
    expect(keysOf(single)).not.toContain('payments-L-replay');
    const withoutStall = keepAlarms(full, ({ id }) => id !== 'H');
    expect(keysOf(withoutStall)).not.toContain('payments-L-page');
    expect(announcing(withoutStall).has('payments-A-lag')).toBe(true);
  });
});

describe('What a set costs', () => {
  it.each([
    ['lean', {}, 1],
    ['full', {}, 4.2],
    ['full', { fifo: true, concurrency: 10 }, 4.7],
  ] as const)('%s, %o: $%d a month', (alarms, more, price) => {
    expect(monthlyPrice(subscriberAlarms({ name: 'it', lag: seconds(60), alarms, ...more }))).toBe(price);
  });

  it('a metric of an alarm is ten cents, a composite fifty', () => {
    expect(monthlyPrice([alarm('payments-B-growth')])).toBe(0.3);
    expect(monthlyPrice([alarm('payments-L-page')])).toBe(0.5);
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
