import { DeclarationError, days, defineMessaging, event, hours, minutes, seconds } from 'sluice';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';

const schema = v.object({ orderId: v.number() });

/** A declaration as JavaScript might write it: anything at all, so that the rules are asked and not the types. */
const declare = (declaration: {
  name?: unknown;
  topics?: Record<string, unknown>;
  events?: Record<string, unknown>;
  subscribers?: Record<string, unknown>;
  [other: string]: unknown;
}) =>
  defineMessaging({
    name: 'shop',
    topics: { orders: { fifo: true }, news: {} },
    events: {
      placed: event({ topic: 'orders', schema }),
      told: event({ topic: 'news', schema }),
      asked: event({ topic: 'news', schema }),
    },
    subscribers: {},
    ...declaration,
  } as Parameters<typeof defineMessaging>[0]);

/** One subscriber of the FIFO topic. */
const fifo = (subscriber: Record<string, unknown>) => ({
  subscribers: { it: { on: ['placed'], fifo: true, handler: 'it.ts', lag: 60, ...subscriber } },
});
/** One subscriber of the standard topic. */
const standard = (subscriber: Record<string, unknown>) => ({
  subscribers: { it: { on: ['told'], handler: 'it.ts', lag: 60, ...subscriber } },
});

function faultsOf(declaration: Parameters<typeof declare>[0]) {
  try {
    declare(declaration);
  } catch (error) {
    if (error instanceof DeclarationError) return error.faults;
    throw error;
  }
  return [];
}

describe('A declaration is completed with what can be computed', () => {
  it('from almost nothing', () => {
    const { subscribers, topics } = declare(standard({}));
    expect(subscribers.it).toEqual({
      name: 'it',
      topic: 'news',
      on: ['told'],
      handler: 'it.ts',
      fifo: false,
      lag: 60,
      alarms: 'lean',
      traffic: undefined,
      effects: 'exactlyOnceEffect',
      onDeadLetter: 'skip',
      onUnknownOutcome: 'retry',
      sequenceGuard: false,
      timeout: 30,
      handlerTime: 30,
      concurrency: 10,
      attempts: 5,
      backoff: { base: 1, cap: 300 },
      batchSize: 10,
      batchWindow: 0,
      memorySize: 256,
      lease: 30,
      visibilityTimeout: 180,
      retention: days(4),
      deadLetterRetention: days(14),
      deadLetterFifo: false,
      subscriptionDeadLetterFifo: false,
      maxReceiveCount: 100,
      replayMargin: days(7),
      recordLife: days(25),
      filter: true,
      queueName: undefined,
      deadLetterQueueName: undefined,
      subscriptionDeadLetterQueueName: undefined,
      functionName: undefined,
    });
    expect(topics.news).toEqual({
      name: 'news',
      fifo: false,
      topicName: undefined,
      events: ['told', 'asked'],
      subscribers: ['it'],
    });
  });

  it.each([
    ['visibility is six times the timeout', { timeout: 100 }, { visibilityTimeout: 600 }],
    ['and the window', { timeout: 100, batchWindow: 20 }, { visibilityTimeout: 620 }],
    [
      'a batch above ten is gathered for a second',
      { batchSize: 11 },
      { batchWindow: 1, visibilityTimeout: 181 },
    ],
    ['the lease is never longer than the visibility', { timeout: 1 }, { visibilityTimeout: 6, lease: 6 }],
    ['receives are the last net, far above the attempts', { attempts: 20 }, { maxReceiveCount: 400 }],
    ['but SQS counts to a thousand', { attempts: 100 }, { maxReceiveCount: 1000 }],
    [
      'a record outlives both retentions and the replay',
      { retention: 86_400 },
      { recordLife: days(1 + 14 + 7) },
    ],
    ['a message outlives its attempts', { attempts: 100, backoff: { cap: 5000 } }, { retention: 441_191 }],
    ['at most once is one attempt', { effects: 'atMostOnce' }, { attempts: 1 }],
    ['a cap keeps the default base', { backoff: { cap: 10 } }, { backoff: { base: 1, cap: 10 } }],
    ['no filter where every event is wanted', { on: ['told', 'asked'] }, { filter: false }],
    ['a filter where it is asked for', { on: ['told', 'asked'], filter: true }, { filter: true }],
  ])('%s', (_, declared, expected) => {
    expect(declare(standard(declared)).subscribers.it).toMatchObject(expected);
  });

  it.each([
    ['FIFO mates burn receives too', { attempts: 5, batchSize: 10 }, { maxReceiveCount: 200 }],
    ['with a floor', { attempts: 2, batchSize: 1 }, { maxReceiveCount: 100 }],
    ['a halted group is received again and again', { onDeadLetter: 'halt' }, { maxReceiveCount: 1000 }],
    ['no filter on a FIFO topic unless it is said', {}, { filter: false }],
    ['it is said', { filter: true }, { filter: true }],
  ])('%s', (_, declared, expected) => {
    const several = {
      events: { placed: event({ topic: 'orders', schema }), cancelled: event({ topic: 'orders', schema }) },
    };
    expect(declare({ ...several, ...fifo(declared) }).subscribers.it).toMatchObject(expected);
  });

  it('every computed value can be said instead', () => {
    const said = {
      alarms: 'full',
      traffic: 20,
      effects: 'transactional',
      onDeadLetter: 'skip',
      onUnknownOutcome: 'retry',
      sequenceGuard: true,
      fifo: false,
      timeout: 10,
      handlerTime: 2,
      concurrency: 7,
      attempts: 3,
      batchSize: 20,
      batchWindow: 3,
      memorySize: 512,
      lease: 12,
      visibilityTimeout: 44,
      retention: 3600,
      backoff: { base: 2, cap: 9 },
      deadLetterRetention: 7200,
      deadLetterFifo: false,
      subscriptionDeadLetterFifo: false,
      maxReceiveCount: 33,
      replayMargin: 60,
      recordLife: 99_999,
      filter: false,
      queueName: 'mine',
      deadLetterQueueName: 'mine-given-up',
      subscriptionDeadLetterQueueName: 'mine-undelivered',
      functionName: 'mine',
    };
    const { it: completed } = declare(standard(said)).subscribers;
    const must = { name: 'it', topic: 'news', on: ['told'], handler: 'it.ts', lag: 60 };
    // Equal and not only matching: a value that is computed and cannot be said would be one too many here.
    expect(completed).toEqual({ ...must, ...said });
    // And what was completed, said again, is the same: nothing is computed twice.
    const { name: _, topic: __, ...again } = completed!;
    expect(declare(standard(again)).subscribers.it).toEqual(completed);
  });

  it('the kinds of the dead-letter queues are those of what they serve', () => {
    expect(declare(fifo({})).subscribers.it).toMatchObject({
      deadLetterFifo: true,
      subscriptionDeadLetterFifo: true,
    });
    expect(declare(fifo({ fifo: false })).subscribers.it).toMatchObject({
      deadLetterFifo: false,
      subscriptionDeadLetterFifo: true,
    });
    const said = { deadLetterFifo: true, subscriptionDeadLetterFifo: true };
    expect(declare(fifo(said)).subscribers.it).toMatchObject(said);
  });
});

describe('A wrong declaration is refused with all its faults at once', () => {
  it('also where a part of it, or all of it, is missing', () => {
    for (const nothing of [undefined, null, {}, 'shop', { topics: null }]) {
      const declaring = () => defineMessaging(nothing as never);
      expect(declaring).toThrow(DeclarationError);
      expect(declaring).toThrow(
        /\[topics\] declaration-shape: found .*\n.*\[events\] .*: found .*\n.*\[subscribers\] .*: found /,
      );
    }
  });

  it('from every part of it, each with what was found, what is allowed and what to do', () => {
    const faults = faultsOf({
      name: '9lives',
      topics: { orders: { fifo: true, topicName: 'orders' }, 'no way': {} },
      events: { placed: event({ topic: 'orders', schema }), 'sp ace': event({ topic: 'gone', schema }) },
      subscribers: {
        lost: { on: ['nothing'], handler: '', lag: 0, timeout: 901, concurrency: 1 },
        late: { on: ['placed'], handler: 'late.ts', lag: 60, fifo: true, batchSize: 11, batchWindow: 1 },
      },
    });
    expect(faults.map(({ property }) => property)).toEqual([
      'name',
      'topics.orders.topicName',
      'topics.no way',
      'events.sp ace',
      'events.sp ace.topic',
      'subscribers.lost.on',
      'subscribers.lost.handler',
      'subscribers.lost.timeout',
      'subscribers.lost.concurrency',
      'subscribers.lost.lag',
      'subscribers.late.batchSize',
      'subscribers.late.batchWindow',
    ]);
    for (const fault of faults) {
      expect(fault.found).not.toBe('');
      expect(fault.allowed).not.toBe('');
      expect(fault.remedy).toMatch(/\.$/);
    }
  });

  it('in a message that can be read', () => {
    expect(() => declare(standard({ timeout: 0, memorySize: 100 }))).toThrow(
      'The declaration "shop" has 2 faults:\n' +
        '  - [subscribers.it.timeout] function-timeout: found 0; allowed: a whole number from 1 to 900 (seconds, Lambda quotas). Choose a value in that range.\n' +
        '  - [subscribers.it.memorySize] function-memory: found 100; allowed: a whole number from 128 to 10240 (MiB, Lambda quotas). Choose a value in that range.',
    );
  });
});

describe('AWS would refuse it, so the declaration does', () => {
  it.each([
    ['a FIFO queue on a standard topic', standard({ fifo: true }), 'subscribers.it.fifo'],
    ['no event', standard({ on: [] }), 'subscribers.it.on'],
    ['no list of events', standard({ on: undefined }), 'subscribers.it.on'],
    ['one event twice', standard({ on: ['told', 'told'] }), 'subscribers.it.on'],
    ['an event that is not declared', standard({ on: ['tolt'] }), 'subscribers.it.on'],
    ['an event that is only a word of JavaScript', standard({ on: ['constructor'] }), 'subscribers.it.on'],
    ['events of two topics', standard({ on: ['told', 'placed'] }), 'subscribers.it.on'],
    ['no handler', standard({ handler: undefined }), 'subscribers.it.handler'],
    ['a timeout above 15 minutes', standard({ timeout: 901 }), 'subscribers.it.timeout'],
    ['a timeout of half seconds', standard({ timeout: 1.5 }), 'subscribers.it.timeout'],
    ['a timeout in words', standard({ timeout: '30' }), 'subscribers.it.timeout'],
    ['a concurrency of one', standard({ concurrency: 1 }), 'subscribers.it.concurrency'],
    ['a concurrency above 1,000', standard({ concurrency: 1001 }), 'subscribers.it.concurrency'],
    [
      'a large batch without a window',
      standard({ batchSize: 11, batchWindow: 0 }),
      'subscribers.it.batchWindow',
    ],
    ['a FIFO batch above ten', fifo({ batchSize: 11, batchWindow: 0 }), 'subscribers.it.batchSize'],
    ['a window on FIFO', fifo({ batchWindow: 1 }), 'subscribers.it.batchWindow'],
    ['little memory', standard({ memorySize: 127 }), 'subscribers.it.memorySize'],
    [
      'a visibility above 12 hours',
      standard({ visibilityTimeout: hours(12) + 1 }),
      'subscribers.it.visibilityTimeout',
    ],
    ['a retention above 14 days', standard({ retention: days(14) + 1 }), 'subscribers.it.retention'],
    ['receives without an end', standard({ maxReceiveCount: 1001 }), 'subscribers.it.maxReceiveCount'],
    ['a FIFO name without .fifo', fifo({ queueName: 'mine' }), 'subscribers.it.queueName'],
    ['a standard name with .fifo', standard({ queueName: 'mine.fifo' }), 'subscribers.it.queueName'],
    ['a name of 81 characters', standard({ queueName: 'a'.repeat(81) }), 'subscribers.it.queueName'],
    ['a name with a blank', standard({ queueName: 'my queue' }), 'subscribers.it.queueName'],
    ['a name that is none', standard({ queueName: 7 }), 'subscribers.it.queueName'],
    [
      'the name of a FIFO dead-letter queue without .fifo',
      fifo({ deadLetterQueueName: 'dead' }),
      'subscribers.it.deadLetterQueueName',
    ],
    [
      'the name of a standard dead-letter queue with .fifo',
      standard({ deadLetterQueueName: 'dead.fifo' }),
      'subscribers.it.deadLetterQueueName',
    ],
    [
      'a standard name for the dead-letter queue of a FIFO topic’s subscription',
      fifo({ fifo: false, subscriptionDeadLetterQueueName: 'undelivered' }),
      'subscribers.it.subscriptionDeadLetterQueueName',
    ],
    [
      'a name of 81 characters with .fifo',
      fifo({ deadLetterQueueName: `${'a'.repeat(76)}.fifo` }),
      'subscribers.it.deadLetterQueueName',
    ],
    [
      'a function of 65 characters',
      standard({ functionName: 'a'.repeat(65) }),
      'subscribers.it.functionName',
    ],
    ['a function with a dot', standard({ functionName: 'it.fifo' }), 'subscribers.it.functionName'],
    [
      'a standard dead-letter queue on FIFO',
      fifo({ deadLetterFifo: false }),
      'subscribers.it.deadLetterFifo',
    ],
    [
      'a FIFO dead-letter queue on standard',
      standard({ deadLetterFifo: true }),
      'subscribers.it.deadLetterFifo',
    ],
    [
      'a subscription’s dead-letter queue of another kind than the topic',
      fifo({ fifo: false, subscriptionDeadLetterFifo: false }),
      'subscribers.it.subscriptionDeadLetterFifo',
    ],
    ['a kind that is no switch', standard({ deadLetterFifo: 'no' }), 'subscribers.it.deadLetterFifo'],
    ['an unknown posture', standard({ effects: 'once' }), 'subscribers.it.effects'],
    ['an unknown policy for groups', fifo({ onDeadLetter: 'stop' }), 'subscribers.it.onDeadLetter'],
    ['a halt where there are no groups', standard({ onDeadLetter: 'halt' }), 'subscribers.it.onDeadLetter'],
    [
      'an unknown policy for unknown outcomes',
      standard({ onUnknownOutcome: 'ask' }),
      'subscribers.it.onUnknownOutcome',
    ],
    [
      'parking where the outcome is never unknown',
      standard({ onUnknownOutcome: 'park', effects: 'transactional' }),
      'subscribers.it.onUnknownOutcome',
    ],
    [
      'parking where repeats are allowed',
      standard({ onUnknownOutcome: 'park', effects: 'atLeastOnce' }),
      'subscribers.it.onUnknownOutcome',
    ],
    [
      'a sequence guard without a record',
      standard({ sequenceGuard: true, effects: 'atLeastOnce' }),
      'subscribers.it.sequenceGuard',
    ],
    [
      'a sequence guard on what is completed before it runs',
      standard({ sequenceGuard: true, effects: 'atMostOnce' }),
      'subscribers.it.sequenceGuard',
    ],
    ['a guard that is no switch', standard({ sequenceGuard: 'yes' }), 'subscribers.it.sequenceGuard'],
    [
      'two attempts at most once',
      standard({ effects: 'atMostOnce', attempts: 2 }),
      'subscribers.it.attempts',
    ],
    ['alarms that nobody knows', standard({ alarms: 'all' }), 'subscribers.it.alarms'],
    ['traffic below nothing', standard({ traffic: -1 }), 'subscribers.it.traffic'],
    ['traffic without end', standard({ traffic: Number.POSITIVE_INFINITY }), 'subscribers.it.traffic'],
    ['a run that the timeout ends', standard({ handlerTime: 31 }), 'subscribers.it.handlerTime'],
    ['a run that ends before it began', standard({ handlerTime: -1 }), 'subscribers.it.handlerTime'],
  ])('%s', (_, declaration, property) => {
    expect(faultsOf(declaration).map((fault) => fault.property)).toEqual([property]);
  });

  it('a queue name or a topic name given twice', () => {
    const two = {
      a: standard({ queueName: 'mine' }).subscribers.it,
      b: standard({ queueName: 'mine' }).subscribers.it,
    };
    expect(faultsOf({ subscribers: two }).map(({ property }) => property)).toEqual([
      'subscribers.b.queueName',
    ]);
    expect(
      faultsOf({ topics: { orders: {}, news: { topicName: 'x' }, old: { topicName: 'x' } } }).map(
        ({ property }) => property,
      ),
    ).toEqual(['topics.old.topicName']);
  });

  it('one name for two queues of any kind, or for two functions', () => {
    const { it: a } = standard({ queueName: 'x', deadLetterQueueName: 'x', functionName: 'f' }).subscribers;
    const { it: b } = standard({ subscriptionDeadLetterQueueName: 'x', functionName: 'f' }).subscribers;
    expect(faultsOf({ subscribers: { a, b } })).toMatchObject([
      { property: 'subscribers.a.deadLetterQueueName', allowed: expect.stringContaining('a.queueName') },
      { property: 'subscribers.b.subscriptionDeadLetterQueueName' },
      { property: 'subscribers.b.functionName', allowed: expect.stringContaining('a.functionName') },
    ]);
    // A queue and a function are not in each other's way.
    expect(faultsOf(standard({ queueName: 'x', functionName: 'x' }))).toEqual([]);
  });

  it('the longest names are accepted', () => {
    expect(
      faultsOf(
        fifo({
          queueName: `${'a'.repeat(75)}.fifo`,
          deadLetterQueueName: `${'b'.repeat(75)}.fifo`,
          subscriptionDeadLetterQueueName: `${'c'.repeat(75)}.fifo`,
          functionName: 'a'.repeat(64),
        }),
      ),
    ).toEqual([]);
  });

  it('names that become one in outputs, construct ids or variables', () => {
    const { it: one } = standard({}).subscribers;
    expect(faultsOf({ subscribers: { 'stock-mail': one, stockMail: one } })).toMatchObject([
      { property: 'subscribers.stockMail', allowed: expect.stringContaining('"stock-mail"') },
    ]);
    expect(faultsOf({ topics: { orders: {}, news: {}, News: {} } })).toMatchObject([
      { property: 'topics.News' },
    ]);
  });

  it('a hundred and one subscribers of a FIFO topic', () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, fifo({}).subscribers.it]));
    expect(faultsOf({ subscribers: many(101) })).toMatchObject([
      { property: 'topics.orders', found: '"101 subscribers"' },
    ]);
    expect(faultsOf({ subscribers: many(100) })).toEqual([]);
  });

  it('more filters than a topic, or values than a filter, may have', () => {
    const { it: one } = standard({}).subscribers;
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`s${index}`, one]));
    expect(faultsOf({ subscribers: many })).toMatchObject([{ property: 'topics.news' }]);
    const names = Array.from({ length: 152 }, (_, index) => `event${index}`);
    const events = Object.fromEntries(names.map((name) => [name, event({ topic: 'news', schema })]));
    const some = { topics: { news: {} }, events };
    expect(faultsOf({ ...some, ...standard({ on: names.slice(1) }) })).toMatchObject([
      { property: 'subscribers.it.on', found: '"151 events"' },
    ]);
    expect(faultsOf({ ...some, ...standard({ on: names }) })).toEqual([]);
  });
});

describe('Messages would be lost or repeated, so the declaration is refused', () => {
  it.each([
    ['a lag above the retention', standard({ lag: 3601, retention: 3600 }), 'subscribers.it.lag'],
    [
      'a visibility below the timeout',
      standard({ timeout: 60, visibilityTimeout: 59 }),
      ['subscribers.it.visibilityTimeout'],
    ],
    [
      'a visibility that ends while the batch is gathered',
      standard({ timeout: 60, batchWindow: 60, visibilityTimeout: 119 }),
      'subscribers.it.visibilityTimeout',
    ],
    ['a lease beyond the visibility', standard({ visibilityTimeout: 60, lease: 61 }), 'subscribers.it.lease'],
    ['a lease too short for three heartbeats', standard({ lease: 2 }), 'subscribers.it.lease'],
    [
      'a retention that ends before the attempts do',
      // 5 runs of 30 s and waits of 1, 2, 4 and 8 s need 165 s.
      standard({ retention: 164, deadLetterRetention: 200, lag: 10 }),
      'subscribers.it.retention',
    ],
    [
      'waits that no retention covers',
      standard({ attempts: 100, backoff: { base: hours(12), cap: hours(12) } }),
      'subscribers.it.backoff',
    ],
    [
      'standard dead letters that expire with their source',
      standard({ retention: days(4), deadLetterRetention: days(4) }),
      'subscribers.it.deadLetterRetention',
    ],
    [
      'receives that end before the attempts',
      standard({ attempts: 9, maxReceiveCount: 9 }),
      'subscribers.it.maxReceiveCount',
    ],
    [
      'fewer than five receives with Lambda',
      standard({ attempts: 1, maxReceiveCount: 4 }),
      'subscribers.it.maxReceiveCount',
    ],
    [
      'receives that FIFO mates of failing heads use up untried',
      fifo({ attempts: 5, batchSize: 10, maxReceiveCount: 49 }),
      'subscribers.it.maxReceiveCount',
    ],
    [
      'a record that a dead letter outlives',
      standard({ recordLife: days(4) + days(14) - 1 }),
      'subscribers.it.recordLife',
    ],
    [
      'more in flight than the queue hands out',
      standard({ batchSize: 10_000, concurrency: 13 }),
      'subscribers.it.concurrency',
    ],
    [
      'a wait above 12 hours, beyond which SQS hides no message',
      standard({ attempts: 2, backoff: { cap: hours(12) + 1 } }),
      'subscribers.it.backoff.cap',
    ],
    ['a replay before it is dead', standard({ replayMargin: -1 }), 'subscribers.it.replayMargin'],
    [
      'a first wait above the cap',
      standard({ backoff: { base: 11, cap: 10 } }),
      'subscribers.it.backoff.base',
    ],
  ])('%s', (_, declaration, property) => {
    expect(faultsOf(declaration).map((fault) => fault.property)).toEqual([property].flat());
  });

  it('what lies on the limit is accepted', () => {
    for (const declaration of [
      standard({ retention: 165, deadLetterRetention: 166, lag: 10 }),
      standard({ retention: days(14), deadLetterRetention: days(14) }),
      standard({ timeout: 60, batchWindow: 60, visibilityTimeout: 120 }),
      standard({ batchSize: 10_000, concurrency: 12 }),
      standard({ attempts: 9, maxReceiveCount: 10 }),
      fifo({ attempts: 5, batchSize: 10, maxReceiveCount: 50 }),
      fifo({ retention: days(4), deadLetterRetention: 60 }),
    ])
      expect(faultsOf(declaration)).toEqual([]);
  });

  it('a value that is no number is one fault, not many', () => {
    for (const property of ['timeout', 'attempts', 'batchSize', 'retention', 'visibilityTimeout', 'lag'])
      expect(faultsOf(standard({ [property]: Number.NaN })).map((fault) => fault.property)).toEqual([
        `subscribers.it.${property}`,
      ]);
  });
});

describe('A slip of the pen is a fault, not a silent default', () => {
  it.each([
    ['of a subscriber', standard({ timeOut: 60 }), 'subscribers.it.timeOut'],
    ['of a backoff', standard({ backoff: { bas: 2 } }), 'subscribers.it.backoff.bas'],
    ['of a topic', { topics: { orders: { FIFO: true }, news: {} } }, 'topics.orders.FIFO'],
    ['of an event', { events: { placed: { topic: 'orders', schema, keys: () => 1 } } }, 'events.placed.keys'],
    ['of the declaration', { subscriber: {} }, 'subscriber'],
  ])('%s', (_, declaration, property) => {
    expect(faultsOf(declaration)).toMatchObject([
      { property, found: '"a property that means nothing here"' },
    ]);
  });

  it('the name that was meant is said', () => {
    const remedies = (declaration: Parameters<typeof faultsOf>[0]) =>
      faultsOf(declaration).map(({ remedy }) => remedy);
    expect(remedies(standard({ batchsize: 5 }))[0]).toMatch(/^Did you mean "batchSize"\?/);
    expect(remedies({ topics: { orders: { fiffo: true }, news: {} } })[0]).toMatch(/^Did you mean "fifo"\?/);
    expect(remedies({ subscribes: {} })[0]).toMatch(/^Did you mean "subscribers"\?/);
    expect(remedies(standard({ retries: 5 }))[0]).toBe('Correct its name, or leave it out.');
  });

  it('what is no object is one fault, whatever could be read in it', () => {
    expect(faultsOf({ topics: { orders: 'fifo', news: {} } })).toMatchObject([
      { property: 'topics.orders', found: '"fifo"', allowed: 'an object' },
    ]);
    expect(faultsOf({ topics: { orders: undefined, news: {} } })).toMatchObject([
      { property: 'topics.orders', found: 'undefined' },
    ]);
    expect(faultsOf({ topics: ['orders'] as never })).toMatchObject([
      { property: 'topics', found: '["orders"]' },
    ]);
    expect(faultsOf({ events: { placed: () => 1 } }).map(({ property }) => property)).toEqual([
      'events.placed',
    ]);
    expect(faultsOf({ subscribers: { it: null } })).toMatchObject([{ property: 'subscribers.it' }]);
    expect(faultsOf(standard({ backoff: 5 }))).toMatchObject([{ property: 'subscribers.it.backoff' }]);
    expect(faultsOf(standard({ lag: {} }))).toMatchObject([{ found: 'an object' }]);
  });

  it('one event that is not in a list', () => {
    expect(faultsOf(standard({ on: 'placed' }))).toMatchObject([
      { property: 'subscribers.it.on', allowed: 'a list of events', remedy: "Write on: ['placed']." },
    ]);
  });

  it('what is no schema, no function, no switch', () => {
    expect(
      faultsOf({
        topics: { orders: { fifo: 'no' } },
        events: { placed: { topic: 'orders', schema: {}, key: 'orderId', group: 3 } },
      }).map(({ property }) => property),
    ).toEqual(['topics.orders.fifo', 'events.placed.schema', 'events.placed.key', 'events.placed.group']);
    expect(faultsOf(standard({ filter: 'yes' })).map(({ property }) => property)).toEqual([
      'subscribers.it.filter',
    ]);
    expect(faultsOf({ name: undefined }).map(({ property }) => property)).toEqual(['name']);
  });
});

describe('Lengths of time say their unit', () => {
  it('and are seconds in the declaration', () => {
    expect([seconds(90), minutes(1.5), hours(0.025), days(1 / 960)]).toEqual([90, 90, 90, 90]);
  });
});
