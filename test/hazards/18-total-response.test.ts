import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { ConfigurationError, type LogFields, type Logger, RetryLater, type SqsEvent } from 'sluice/lambda';
import { describe, expect, it } from 'vitest';
import { milliseconds, type Seconds, seconds } from '../../lib/topology/index.ts';
import { again, createWorld, finish, message, recordOf, table } from '../runtime/support/world.ts';

describe('18: whatever handlers do and messages hold, the batch response acknowledges what is done and nothing else', () => {
  it('whatever handlers throw or return, it names exactly what is not done, once, by ids of the batch', async () => {
    const ends = fc.constantFrom<{ fails: boolean; run: () => unknown }[]>(
      { fails: false, run: () => undefined },
      { fails: false, run: () => null },
      { fails: false, run: () => 'text' },
      { fails: false, run: () => Promise.resolve({ batchItemFailures: [] }) },
      { fails: true, run: () => Promise.reject(undefined) },
      { fails: true, run: () => Promise.reject(null) },
      {
        fails: true,
        run: () => {
          throw undefined;
        },
      },
      {
        fails: true,
        run: () => {
          throw 'text';
        },
      },
      {
        fails: true,
        run: () => {
          throw Object.freeze({ name: 7 });
        },
      },
      {
        fails: true,
        run: () => Promise.reject(Object.assign(new Error('x'), { name: undefined, message: undefined })),
      },
      {
        fails: true,
        run: () => ({
          // biome-ignore lint/suspicious/noThenProperty: a thenable that fails is one of the things a handler returns
          then: (_: unknown, reject: (error: unknown) => void) => reject('thenable'),
        }),
      },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(ends, fc.constantFrom('a', 'b', 'c', 'd')), { minLength: 1, maxLength: 10 }),
        fc.constantFrom('payments' as const, 'email' as const),
        async (plan, subscriber) => {
          const world = createWorld();
          const worker = world.worker((event) => plan[Number(event.data.orderId)]![0].run() as undefined, {
            subscriber,
          });
          const records = plan.map(([, group], index) =>
            message(String(index), { messageId: `id${index}`, group }),
          );
          const response = await finish(world.clock, worker.start(records));

          const broken = new Set<string>();
          const expected = plan.flatMap(([{ fails }, group], index) => {
            if (fails) broken.add(group);
            return fails || (subscriber === 'payments' && broken.has(group)) ? [`id${index}`] : [];
          });
          expect(response.batchItemFailures.map((failure) => failure.itemIdentifier)).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('any bytes as a body end as a letter or are handled; nothing crashes and nothing is acknowledged in silence', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.json(),
          fc.constantFrom('null', '[]', '{}', '"x"', '['.repeat(20_000), '{"specversion":"0.3"}'),
          fc
            .record({
              id: fc.string(),
              source: fc.string(),
              type: fc.constant('order.placed'),
              data: fc.jsonValue(),
            })
            .map((value) => JSON.stringify({ specversion: '1.0', ...value })),
        ),
        async (body) => {
          const world = createWorld();
          let runs = 0;
          const worker = world.worker(() => void runs++);
          expect(await worker.run([message('1', { body })])).toEqual([]);
          const { processed, unwanted } = world.measures[0]!;
          expect(world.sqs.letters.length + processed + unwanted).toBe(1);
          expect(runs).toBe(processed);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('an invocation that is no batch fails as a whole: nothing is acknowledged', async () => {
    const world = createWorld();
    const worker = world.worker(() => undefined);
    for (const records of [undefined, null, 'x', [{}], [null], [{ messageId: '', body: '' }]])
      await expect(worker.start(records as unknown as SqsEvent['Records'])).rejects.toThrow(
        ConfigurationError,
      );
  });
});

/** What a handler can throw: a name for the report, and what is thrown. */
const thrown: readonly (readonly [name: string, make: () => unknown])[] = [
  ['undefined', () => undefined],
  ['null', () => null],
  ['zero', () => 0],
  ['empty text', () => ''],
  ['text', () => 'text'],
  ['bigint', () => 1n],
  ['symbol', () => Symbol('s')],
  ['function', () => () => undefined],
  ['frozen object', () => Object.freeze({ name: 7 })],
  ['object without prototype', () => Object.create(null)],
  ['frozen error', () => Object.freeze(new Error('frozen'))],
  ['error without a name', () => Object.assign(new Error('x'), { name: undefined, message: undefined })],
  ['error with a symbol as its name', () => Object.assign(new Error('x'), { name: Symbol('name') })],
  [
    'error with an object as its message',
    () => Object.assign(new Error('x'), { message: Object.create(null) }),
  ],
  ['error that is its own cause', () => cyclic()],
  ['AggregateError', () => new AggregateError([new Error('a'), undefined, cyclic()], 'many')],
  ['DOMException', () => new DOMException('gone', 'AbortError')],
  ['error of another realm', () => runInNewContext('new TypeError("elsewhere")') as unknown],
  ['very long message', () => new Error('m'.repeat(5_000_000))],
  ['message of half an emoji', () => new Error(`${'x'.repeat(1_010)}😀\ud83d`)],
  ['message of control characters', () => new Error('\u0000\u0007\uffff')],
  ['getters that throw', () => withGetters(new Error('x'), ['name', 'message', 'stack', 'cause', '$fault'])],
  ['permanent by a getter that throws', () => withGetters(new Error('x'), ['permanent', 'after', 'reason'])],
  ['a wait that cannot be read', () => withGetters(new RetryLater({ after: seconds(3) }), ['after'])],
  ['a wait that is none', () => new RetryLater({ after: Number.NaN as Seconds })],
  ['proxy whose traps throw', () => hostile(0)],
  ['proxy of a prototype', () => Object.create(hostile(0) as object)],
  ['revoked proxy', () => revoked()],
  ['promise', () => Promise.resolve('never looked at')],
];

/** What a handler can give back without having thrown: whether it fails, and what is given back. */
const returned: readonly (readonly [name: string, fails: boolean, make: () => unknown])[] = [
  ['nothing', false, () => undefined],
  ['null', false, () => null],
  ['text', false, () => 'text'],
  ['a batch response', false, () => Promise.resolve({ batchItemFailures: [{ itemIdentifier: 'mate-0' }] })],
  ['a hostile proxy', true, () => hostile(0)],
  ['an object with a `then` that is no function', false, () => thenable(7)],
  ['thenable that resolves', false, () => thenable((resolve: () => void) => resolve())],
  ['thenable that resolves, then rejects', false, () => thenable(settleTwice(false))],
  ['thenable that rejects, then resolves', true, () => thenable(settleTwice(true))],
  [
    'thenable that rejects',
    true,
    () => thenable((_: unknown, reject: (error: unknown) => void) => reject('no')),
  ],
  ['thenable that throws', true, () => thenable(raise)],
  [
    'thenable that throws after it resolved',
    false,
    () =>
      thenable((resolve: () => void) => {
        resolve();
        raise();
      }),
  ],
  ['getter of `then` that throws', true, () => Object.defineProperty({}, 'then', { get: raise })],
  ['thenable that never settles', true, () => thenable(() => undefined)],
  ['promise that never settles', true, () => new Promise(() => undefined)],
  [
    'promise with a `then` that lies',
    true,
    () => Object.defineProperty(Promise.reject(new Error('real')), 'then', { value: () => 'fine' }),
  ],
];

describe('18: whatever a handler throws is a failed try of its own message: tried again, then a letter, never a crash', () => {
  it.each(thrown)('%s', async (_, make) => {
    for (const how of ['throws', 'rejects'] as const)
      for (const subscriber of ['email', 'payments'] as const)
        await failsAlone(subscriber, () => {
          if (how === 'rejects') return Promise.reject(make());
          throw make();
        });
  });

  it('a proxy that throws at the n-th look', async () => {
    for (let looks = 0; looks < 40; looks++) await failsAlone('email', () => Promise.reject(hostile(looks)));
  });

  it.each(returned)('it gives back %s', async (_, fails, make) => {
    if (fails) return failsAlone('email', make);
    const world = createWorld();
    const worker = world.worker((event) =>
      event.data.orderId === 'odd' ? (make() as undefined) : undefined,
    );
    expect(await worker.run(batchOf('odd', 'mate-0', 'mate-1'))).toEqual([]);
    expect(recordOf(world, 'odd')?.state).toBe('COMPLETED');
  });

  /** The odd message fails all its tries and becomes a letter; its mates are done at once, and once. */
  async function failsAlone(subscriber: 'email' | 'payments', run: () => unknown) {
    const world = createWorld();
    const runs = new Map<string, number>();
    const worker = world.worker(
      (event) => {
        const name = event.data.orderId;
        runs.set(name, (runs.get(name) ?? 0) + 1);
        return name === 'odd' ? (run() as undefined) : undefined;
      },
      { subscriber },
    );
    const records = batchOf('mate-0', 'odd', 'mate-1');
    const attempts = subscriber === 'email' ? 3 : 5;
    expect(await worker.run(records)).toEqual(['odd']);
    expect(recordOf(world, 'odd', subscriber)).toMatchObject({ state: 'RELEASED', attempts: '1' });
    for (const mate of ['mate-0', 'mate-1']) {
      expect(runs.get(mate)).toBe(1);
      expect(recordOf(world, mate, subscriber)?.state).toBe('COMPLETED');
    }
    let record = records[1]!;
    for (let delivery = 2; world.sqs.letters.length === 0 && delivery < 10; delivery++) {
      record = again(record);
      await worker.run([record]);
    }
    expect(runs.get('odd')).toBe(attempts);
    expect(world.sqs.letters).toHaveLength(1);
    expect(world.sqs.letters[0]?.MessageBody).toBe(record.body);
    expect(world.sqs.letters[0]?.MessageAttributes).toMatchObject({
      'sluice-reason': { StringValue: 'attempts' },
      'sluice-attempts': { StringValue: String(attempts) },
    });
    const text = world.sqs.letters[0]?.MessageAttributes?.['sluice-error']?.StringValue ?? '';
    expect(text).toMatch(/^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]{3,1024}$/u);
    expect(JSON.stringify([...world.dynamodb.items(table).values()])).not.toMatch(/\\ud[89a-f]/);
    expect(world.log.join()).not.toContain('broken off: what is not done');
  }
});

describe('18: whatever a handler does to what it is given decides nothing', () => {
  it.each<[string, (event: Record<string, unknown>, context: Record<string, unknown>) => void]>([
    ['changes the data', (event) => Object.assign(event.data as object, { orderId: 'other', more: {} })],
    [
      'changes the envelope',
      (event) => Object.assign(event, { id: 'other', source: 7, type: null, data: undefined }),
    ],
    [
      'empties the envelope',
      (event) => {
        for (const name of Object.keys(event)) delete event[name];
      },
    ],
    ['lays traps in the envelope', (event) => void withGetters(event, ['id', 'source', 'type', 'data'])],
    [
      'freezes event and context',
      (event, context) => {
        Object.freeze(event);
        Object.freeze(context);
      },
    ],
    [
      'changes the context',
      (_, context) => Object.assign(context, { attempt: 99, fence: -1, deadline: 0, commitWith: undefined }),
    ],
    [
      'takes the prototypes away',
      (event, context) => {
        Object.setPrototypeOf(event, null);
        Object.setPrototypeOf(context, null);
      },
    ],
    [
      'logs what cannot be looked at',
      (_, { logger }) => (logger as Logger).info('x', hostile(0) as LogFields),
    ],
    ['logs a getter that throws', (_, { logger }) => (logger as Logger).warn('x', withGetters({}, ['a']))],
  ])('it %s', async (_, act) => {
    for (const fails of [false, true]) {
      const world = createWorld();
      const worker = world.worker((event, context) => {
        if (event.data.orderId !== 'odd') return;
        act(event as never, context as never);
        if (fails) throw new Error('down');
      });
      const records = batchOf('mate-0', 'odd', 'mate-1');
      expect(await worker.run(records)).toEqual(fails ? ['odd'] : []);
      expect(recordOf(world, 'odd')).toMatchObject({
        state: fails ? 'RELEASED' : 'COMPLETED',
        attempts: fails ? '1' : '0',
      });
      expect(recordOf(world, 'mate-1')?.state).toBe('COMPLETED');
      // Neither is a redelivery taken for another event, nor for another payload.
      expect(await worker.run([again(records[1]!)])).toEqual(fails ? ['odd'] : []);
      expect(world.sqs.letters).toEqual([]);
      if (fails)
        expect(world.log.filter((line) => line.includes('A try failed')).join()).toContain(
          'order.placed:odd',
        );
    }
  });

  it('a logger, a metrics sink or a predicate that answers with promises decides nothing either', async () => {
    const world = createWorld();
    const later = async () => {
      throw new Error('broken');
    };
    const worker = world.worker(raise, {
      logger: { debug: later, info: later, warn: later, error: later },
      metrics: { record: later },
      permanent: (async () => true) as unknown as (error: Error) => boolean,
    });
    expect(await worker.run(batchOf('odd'))).toEqual(['odd']);
    expect(recordOf(world, 'odd')).toMatchObject({ state: 'RELEASED', attempts: '1' });
  });
});

describe('18: what a handler leaves behind is not taken for done', () => {
  it('a commit that failed, and to which nobody listened, fails the try, however long ago it was', async () => {
    const missing = {
      Update: {
        TableName: 't',
        Key: { pk: { S: 'x' } },
        UpdateExpression: 'SET n = :n',
        ConditionExpression: 'n >= :n',
        ExpressionAttributeValues: { ':n': { N: '1' } },
      },
    };
    for (const heard of [true, false]) {
      const world = createWorld();
      const worker = world.worker(async (_, context) => {
        const commit = context.commitWith([missing]);
        if (heard) await commit.catch(() => undefined);
        await new Promise<void>((resolve) => void world.clock.after(milliseconds(5_000), resolve));
      });
      expect(await worker.run(batchOf('odd'))).toEqual(heard ? [] : ['odd']);
      expect(recordOf(world, 'odd')?.state).toBe(heard ? 'COMPLETED' : 'RELEASED');
      if (!heard) expect(world.log.join()).toContain('ConditionFailed');
    }
  });

  it('timers and calls of a run that is over change nothing, at whichever moment they come', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 120_000 }), fc.boolean(), async (delay, fails) => {
        const world = createWorld();
        const outcomes: string[] = [];
        const worker = world.worker((_, context) => {
          world.clock.after(milliseconds(delay), () => {
            context.logger.info('late');
            void context.signal.aborted;
            context.commitWith([]).then(
              () => outcomes.push('committed'),
              (error: Error) => outcomes.push(error.name),
            );
          });
          if (fails) throw new Error('down');
        });
        const record = message('odd', { messageId: 'odd' });
        expect(await worker.run([record])).toEqual(fails ? ['odd'] : []);
        const before = recordOf(world, 'odd');
        await world.clock.advance(milliseconds(200_000));
        expect(outcomes).toEqual(['LeaseLost']);
        expect(recordOf(world, 'odd')).toEqual(before);
      }),
      { numRuns: 30 },
    );
  });
});

const batchOf = (...names: string[]) => names.map((name) => message(name, { messageId: name, group: name }));

function raise(): never {
  throw new Error('raised');
}

function cyclic(): Error {
  const error = new Error('cyclic');
  error.cause = error;
  return error;
}

function withGetters<Target extends object>(target: Target, names: readonly string[]): Target {
  for (const name of names)
    Object.defineProperty(target, name, { get: raise, enumerable: true, configurable: true });
  return target;
}

/** A proxy of an error, all of whose traps throw from the n-th look on. */
function hostile(looks: number): unknown {
  let left = looks;
  const traps = new Proxy(
    {},
    {
      get:
        (_, trap) =>
        (...args: unknown[]) => {
          if (left-- > 0)
            return (Reflect as unknown as Record<string | symbol, (...args: unknown[]) => unknown>)[trap]!(
              ...args,
            );
          throw new Error('trap');
        },
    },
  );
  return new Proxy(new Error('behind a proxy'), traps);
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable(new Error('x'), {});
  revoke();
  return proxy;
}

const thenable = (then: unknown): unknown => Object.defineProperty({}, 'then', { value: then });

const settleTwice = (fails: boolean) => (resolve: () => void, reject: (error: Error) => void) => {
  if (fails) reject(new Error('first'));
  resolve();
  reject(new Error('second'));
};
