import fc from 'fast-check';
import { defineMessaging, event, hours, minutes, seconds } from 'sluice';
import { consume, type HandlerContext, PermanentError, publisher, RetryLater } from 'sluice/lambda';
import { createHarness, type HarnessTools } from 'sluice/local';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { milliseconds, sleep } from '../../lib/base/index.ts';
import { serviceError } from '../runtime/support/dynamodb.ts';
import { again, createWorld, gate, message, recordOf, type World } from '../runtime/support/world.ts';

const park = { onUnknownOutcome: 'park' } as const;

/** Whether a call marks a run as begun. */
const isMark = (input: unknown): boolean => JSON.stringify(input).includes('SET \\"started\\"=? WHERE');

/** The world after a worker died in the middle of the handler, or before it. */
async function died(
  where: 'in the handler' | 'before the mark',
  declared: Parameters<typeof createWorld>[0] = {},
  about: Parameters<typeof message>[1] = {},
) {
  const world = createWorld({ declared: park, ...declared });
  const process = mortal(world);
  world.dynamodb.intercept = ({ input }) => {
    if (where === 'before the mark' && isMark(input)) process.die();
    return where === 'before the mark' && isMark(input) ? new Promise<void>(() => undefined) : undefined;
  };
  const record = message('1', { messageId: '1', ...about });
  void world
    .worker(() => new Promise(() => undefined), { ...process.clients, concurrency: 1 })
    .start([record]);
  await world.clock.settle();
  process.die();
  world.dynamodb.intercept = undefined;
  await world.clock.advance(milliseconds(40_000));
  return { world, record: again(record) };
}

/** Clients through which, from a moment on, nothing gets any more: their process is dead. */
function mortal({ dynamodb, sqs }: World) {
  let dead = false;
  const through = (client: { send(command: object): Promise<object> }) => ({
    send: (command: object) => (dead ? new Promise<object>(() => undefined) : client.send(command)),
  });
  return {
    die: () => {
      dead = true;
    },
    clients: { dynamodb: through(dynamodb), sqs: through(sqs) },
  };
}

const letterOf = (world: World) => {
  const attributes = world.sqs.letters.at(-1)?.MessageAttributes ?? {};
  return {
    reason: attributes['sluice-reason']?.StringValue,
    error: attributes['sluice-error']?.StringValue,
    failure: JSON.parse(attributes['sluice-failure']?.StringValue ?? '{}'),
  };
};

describe('50: an outside call whose outcome nobody knows is not made again by itself', () => {
  it('after a crash in the handler the event is dead-lettered with what is known, and not run', async () => {
    const { world, record } = await died('in the handler');
    let ran = false;
    const worker = world.worker(() => {
      ran = true;
    });
    expect(await worker.run([record])).toEqual([]);
    expect(ran).toBe(false);
    const { reason, error, failure } = letterOf(world);
    expect(reason).toBe('unknown-outcome');
    expect(error).toBe(
      'OutcomeUnknown: The worker of attempt 1, fence 1, ended in the middle of the handler; its lease ended at ' +
        `${failure.known.leaseEnded}. Find out whether the effect happened.`,
    );
    expect(failure).toMatchObject({ attempts: 1, known: { attempt: 1, fence: 1 } });
    expect(Date.parse(failure.known.leaseEnded)).toBeGreaterThan(Date.parse('2026-01-01T00:00:29Z'));
    expect(recordOf(world, '1')).toMatchObject({ state: 'FAILED', reason: 'unknown-outcome' });
  });

  it('after a crash before the handler began it runs', async () => {
    const { world, record } = await died('before the mark');
    let runs = 0;
    expect(await world.worker(() => void runs++).run([record])).toEqual([]);
    expect(runs).toBe(1);
    expect(world.sqs.letters).toEqual([]);
  });

  it('nor is it forgotten when it has expired meanwhile', async () => {
    for (const where of ['in the handler', 'before the mark'] as const) {
      const { world, record } = await died(where, {}, { event: { expirytime: '2026-01-01T00:00:20.000Z' } });
      let runs = 0;
      expect(await world.worker(() => void runs++).run([record])).toEqual([]);
      expect(runs).toBe(0);
      expect(letterOf(world).reason).toBe(where === 'in the handler' ? 'unknown-outcome' : undefined);
      expect(world.measures.at(-1)?.expired).toBe(where === 'in the handler' ? 0 : 1);
    }
  });

  it('a call that went well is not made again when its record, with the guard of its sequence, cannot be completed', async () => {
    const shop = defineMessaging({
      name: 'shop',
      topics: { orders: { fifo: true } },
      events: {
        placed: event({
          topic: 'orders',
          schema: z.object({ id: z.string() }),
          key: ({ id }) => id,
          group: () => 'g',
        }),
      },
      subscribers: {
        it: {
          on: ['placed'],
          handler: 'it.ts',
          lag: seconds(60),
          timeout: seconds(20),
          sequenceGuard: true,
          ...park,
        },
      },
    });
    let calls = 0;
    const harness = await createHarness(shop, {
      handlers: { it: (tools) => consume(shop, 'it', () => void calls++, tools) },
      faults: [
        {
          service: 'dynamodb',
          action: 'TransactWriteItems',
          effect: { error: { name: 'ThrottlingException' } },
        },
      ],
    });
    await publisher(shop, harness.tools).publish('placed', { id: '1' }, { sequence: '1' });
    await harness.drain(minutes(30));
    expect(calls).toBe(1);
    const [letter] = await harness.deadLetters('it');
    expect(letter?.attributes['sluice-reason']).toBe('unknown-outcome');
    harness.stop();
  });

  it('who takes over by a clock that is ahead, after a look from before the run began, does not run it too', async () => {
    const world = createWorld({ declared: park });
    const [mark, takeOver] = [gate(), gate()];
    world.dynamodb.intercept = ({ input }, phase) => {
      if (phase === 'after') return undefined;
      if (isMark(input)) return mark.opened;
      return JSON.stringify(input).includes('leaseEnd\\"<?') ? takeOver.opened : undefined;
    };
    let runs = 0;
    const handler = () => {
      runs++;
      return new Promise<void>(() => undefined);
    };
    const ahead = { now: () => milliseconds(world.clock.now() + 60_000), after: world.clock.after };
    const record = message('1', { messageId: '1' });
    void world.worker(handler).start([record]);
    await world.clock.settle();
    void world.worker(handler, { clock: ahead }).start([again(record)]);
    await world.clock.settle();
    mark.open();
    await world.clock.settle();
    takeOver.open();
    await world.clock.settle();
    expect(runs).toBe(1);
    expect(letterOf(world).reason).toBe('unknown-outcome');
  });

  it('with `retry` it runs again', async () => {
    const { world, record } = await died('in the handler', { declared: {} });
    let runs = 0;
    expect(await world.worker(() => void runs++).run([record])).toEqual([]);
    expect(runs).toBe(1);
  });

  it('a second worker that dies before it has sent the letter does not make it forgotten', async () => {
    const { world, record } = await died('in the handler');
    let ran = false;
    const handler = () => {
      ran = true;
    };
    const never = { send: () => new Promise<object>(() => undefined) };
    void world.worker(handler, { sqs: never }).start([record]);
    await world.clock.advance(milliseconds(40_000));
    expect(recordOf(world, '1')).toMatchObject({ state: 'FAILED', fence: '2' });
    expect(await world.worker(handler).run([again(record)])).toEqual([]);
    expect(ran).toBe(false);
    expect(letterOf(world)).toMatchObject({
      reason: 'unknown-outcome',
      failure: { known: { attempt: 1, fence: 1 } },
    });
  });

  it('nor does one that gives it back untouched, or cannot send the letter', async () => {
    for (const how of ['untouched', 'unsent'] as const) {
      const { world, record } = await died('in the handler');
      let ran = false;
      const handler = () => {
        ran = true;
      };
      if (how === 'untouched') await world.worker(handler).run([record], milliseconds(1));
      else {
        world.sqs.intercept = ({ name }) => {
          if (name === 'SendMessage') throw serviceError('ServiceUnavailable', {}, 'server');
        };
        expect(await world.worker(handler).run([record])).toEqual(['1']);
        world.sqs.intercept = undefined;
      }
      expect(await world.worker(handler).run([again(record)])).toEqual([]);
      expect(ran).toBe(false);
      expect(letterOf(world).reason).toBe('unknown-outcome');
    }
  });

  it('behind a failing head of its group it is given back, and not forgotten', async () => {
    const world = createWorld({ declared: park });
    const [head, rest] = [
      message('0', { messageId: '0', group: 'a' }),
      message('1', { messageId: '1', group: 'a' }),
    ];
    const payments = { subscriber: 'payments' } as const;
    const process = mortal(world);
    void world
      .worker((event) => (event.data.orderId === '1' ? new Promise<void>(() => undefined) : undefined), {
        ...payments,
        ...process.clients,
      })
      .start([rest]);
    await world.clock.settle();
    process.die();
    await world.clock.advance(milliseconds(40_000));
    let healed = false;
    const seen: string[] = [];
    const worker = world.worker((event) => {
      seen.push(event.data.orderId);
      if (!healed) throw new Error('down');
    }, payments);
    expect(await worker.run([head, again(rest)])).toEqual(['0', '1']);
    healed = true;
    expect(await worker.run([again(head), again(again(rest))])).toEqual([]);
    expect(seen).toEqual(['0', '0']);
    expect(letterOf(world).reason).toBe('unknown-outcome');
  });

  it('what was left running at the function’s end, or gave up after its signal, is as unknown', async () => {
    const onSignal =
      (error?: () => Error) =>
      (_: unknown, { signal }: HandlerContext) =>
        new Promise<void>((_resolve, reject) =>
          signal.addEventListener('abort', () => error !== undefined && reject(error())),
        );
    for (const [reason, handler] of [
      ['unknown-outcome', onSignal()],
      ['unknown-outcome', onSignal(() => new Error('stopped'))],
      ['permanent', onSignal(() => new PermanentError('refused'))],
      ['permanent', onSignal(() => new TypeError('refused'))],
      [undefined, onSignal(() => new RetryLater({ after: seconds(3) }))],
    ] as const) {
      const world = createWorld({ declared: park });
      const worker = world.worker(handler, { permanent: (error) => error instanceof TypeError });
      expect(await worker.run([message('1', { messageId: '1' })])).toEqual(reason === undefined ? ['1'] : []);
      expect(letterOf(world).reason).toBe(reason);
      if (reason === 'unknown-outcome')
        expect(letterOf(world).failure.known).toEqual({ attempt: 1, fence: 1 });
    }
  });

  it('an error that the handler throws by itself is an outcome: it is tried again', async () => {
    const world = createWorld({ declared: park });
    let runs = 0;
    const worker = world.worker(() => {
      runs++;
      throw new Error('refused');
    });
    let record = message('1', { messageId: '1' });
    for (let receives = 0; receives < 3; receives++) {
      await worker.run([record]);
      record = again(record);
    }
    expect(runs).toBe(3);
    expect(letterOf(world)).toMatchObject({ reason: 'attempts', failure: { attempts: 3 } });
  });

  it('what cannot be marked does not run; runs that begin together are marked in one call', async () => {
    const world = createWorld({ declared: park });
    const records = Array.from({ length: 10 }, (_, index) => message(String(index)));
    await world.worker(() => undefined).run(records);
    // Claims, marks, completions.
    expect(world.dynamodb.calls.map(({ name }) => name)).toEqual(Array(3).fill('BatchExecuteStatement'));

    world.dynamodb.intercept = ({ input }) => {
      if (isMark(input)) throw serviceError('ThrottlingException');
    };
    let ran = false;
    const worker = world.worker(() => {
      ran = true;
    });
    expect(await worker.run([message('x', { messageId: 'x' })])).toEqual(['x']);
    expect(ran).toBe(false);
    expect(recordOf(world, 'x')).toMatchObject({ state: 'RELEASED', attempts: '0' });
  });

  it('42: mates of the batch that had not begun are not punished: they run', async () => {
    const world = createWorld({ declared: park });
    const busy = gate();
    const process = mortal(world);
    const ids = ['0', '1', '2', '3'];
    const records = ids.map((id) => message(id, { messageId: id }));
    void world
      .worker((event) => (event.data.orderId === '1' ? busy.opened : undefined), {
        concurrency: 1,
        ...process.clients,
      })
      .start(records);
    await world.clock.settle();
    process.die();
    await world.clock.advance(milliseconds(40_000));
    const seen: string[] = [];
    const worker = world.worker((event) => void seen.push(event.data.orderId));
    expect(await worker.run(records.map(again))).toEqual([]);
    expect(seen).toEqual(['2', '3']);
    // 0 had ended, and that was written down when 1 began.
    expect(world.sqs.letters.map(({ MessageBody }) => MessageBody)).toEqual([records[1]!.body]);
  });
});

const shop = defineMessaging({
  name: 'shop',
  topics: { orders: { fifo: true }, news: {} },
  events: {
    placed: event({
      topic: 'orders',
      schema: z.object({ id: z.string(), group: z.string() }),
      group: ({ group }) => group,
      key: ({ id }) => id,
    }),
    arrived: event({
      topic: 'news',
      schema: z.object({ id: z.string(), group: z.string() }),
      key: ({ id }) => id,
    }),
  },
  subscribers: {
    orders: {
      on: ['placed'],
      fifo: true,
      onUnknownOutcome: 'park',
      handler: 'a.ts',
      lag: seconds(60),
      attempts: 3,
    },
    news: { on: ['arrived'], onUnknownOutcome: 'park', handler: 'b.ts', lag: seconds(60), attempts: 3 },
  },
});

describe('50: whatever dies when, an outside call without a key is made once, or never, or is asked about', () => {
  it('no event begins its call twice, and none is lost', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.constantFrom('orders' as const, 'news' as const),
        fc.array(fc.integer({ min: 0, max: 8_000 }), { minLength: 1, maxLength: 5 }),
        fc.option(fc.constantFrom('BatchExecuteStatement', 'SendMessage', 'BatchGetItem')),
        fc.constantFrom('lost', 'throttled'),
        async (seed, subscriber, kills, action, effect) => {
          const calls = new Map<string, number>();
          const answered = new Set<string>();
          const harness = await createHarness(shop, {
            seed,
            handlers: {
              [subscriber]: (tools: HarnessTools) =>
                consume(
                  shop,
                  subscriber,
                  async ({ data }) => {
                    calls.set(data.id, (calls.get(data.id) ?? 0) + 1);
                    await sleep(tools.clock, milliseconds(3_000));
                    answered.add(data.id);
                  },
                  { ...tools, concurrency: 3 },
                ),
            },
          });
          const till = publisher(shop, harness.tools);
          const end =
            action === null
              ? () => undefined
              : harness.aws.faults.add({
                  action,
                  at: { chance: 0.2 },
                  effect:
                    effect === 'lost' ? { lostReply: true } : { error: { name: 'ThrottlingException' } },
                });
          const ids = Array.from({ length: 12 }, (_, index) => `${index}`);
          for (const id of ids)
            await till.publish(subscriber === 'orders' ? 'placed' : 'arrived', {
              id,
              group: `g${Number(id) % 4}`,
            });
          for (const pause of kills) {
            await harness.clock.advance(milliseconds(pause));
            harness.kill(subscriber);
          }
          await harness.advance(minutes(10));
          end();
          await harness.drain(hours(4));
          const letters = new Map(
            (await harness.deadLetters(subscriber)).map(({ body, attributes }) => [
              (JSON.parse(body) as { data: { id: string } }).data.id,
              attributes['sluice-reason'],
            ]),
          );
          for (const id of ids) {
            expect(calls.get(id) ?? 0).toBeLessThanOrEqual(1);
            // An answer that could not be written down is asked about too; what never began was not.
            expect(answered.has(id) || letters.get(id) === 'unknown-outcome').toBe(true);
          }
          harness.stop();
        },
      ),
      { numRuns: 40 },
    );
  }, 60_000);
});
