import fc from 'fast-check';
import { defineMessaging, event, seconds as inSeconds, minutes } from 'sluice';
import { consume, type HandlerContext, publisher } from 'sluice/lambda';
import { createHarness } from 'sluice/local';
import { describe, expect, it } from 'vitest';
import { sleep } from '../../lib/base/index.ts';
import { type Clock, milliseconds } from '../../lib/topology/index.ts';
import { inProgress, wait } from '../runtime/support/effects.ts';
import {
  again,
  createWorld,
  keyOf,
  message,
  OrderPlaced,
  recordOf,
  shop,
  table,
  type World,
} from '../runtime/support/world.ts';
import { count, counted, jobs } from './support/crashes.ts';

describe('22: TTL that deletes late and clocks that differ never let two own an event, nor repeat one that is remembered', () => {
  it('a completed record that TTL has not deleted yet counts until its life ends, with a margin for skew', async () => {
    const world = createWorld();
    let runs = 0;
    const worker = world.worker(() => void runs++);
    await worker.run([message('1')]);
    const ends = Number(recordOf(world, '1')?.ttl) * 1000;

    await world.clock.advance(milliseconds(ends - world.clock.now() + 1_500));
    await worker.run([message('1')]);
    expect(runs).toBe(1);

    await world.clock.advance(milliseconds(1_000));
    await worker.run([message('1')]);
    expect(runs).toBe(2);
    expect(recordOf(world, '1')).toMatchObject({ state: 'COMPLETED', fence: '2' });
    expect(Number(recordOf(world, '1')?.ttl) * 1000).toBeGreaterThan(ends);
  });

  it('a lease is over for others only after a margin for clock skew', async () => {
    const world = createWorld();
    const leaseEnd = world.clock.now();
    world.dynamodb.put(table, inProgress(leaseEnd));
    await world.clock.advance(milliseconds(1_999));
    let ran = false;
    const worker = world.worker(() => {
      ran = true;
    });
    const record = message('1', { receives: 2 });
    expect(await worker.run([record])).toEqual([record.messageId]);
    expect(ran).toBe(false);
  });

  it('two workers whose clocks differ by up to the margin never both own an event', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -1_000, max: 1_000 }),
        fc.integer({ min: -1_000, max: 1_000 }),
        fc.integer({ min: 0, max: 40_000 }),
        fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 12, maxLength: 12 }),
        async (skewed, otherwise, dies, pauses) => {
          const world = createWorld();
          const mine = skewedBy(world, skewed);
          let claimed: HandlerContext | undefined;
          void world
            .worker(
              (_, context) => {
                claimed = context;
                return new Promise(() => undefined);
              },
              { clock: mine },
            )
            .start([message('1', { messageId: '1' })], milliseconds(900_000));
          await world.clock.settle();
          // Up to here its beats come through; then its calls hang, and it believes its own clock.
          await world.clock.advance(milliseconds(dies));
          const believed = Number(recordOf(world, '1')?.leaseEnd);
          const send = world.dynamodb.send;
          world.dynamodb.send = (command) =>
            hangs ? new Promise(() => undefined) : send.call(world.dynamodb, command);
          let hangs = true;
          let ranAt: number | undefined;
          let unaware = false;
          for (const pause of pauses) {
            await world.clock.advance(milliseconds(pause));
            if (ranAt !== undefined) break;
            hangs = false;
            await world
              .worker(
                () => {
                  ranAt = world.clock.now();
                  // Whoever asks its own clock sees that its lease is over, and has been told.
                  unaware = mine.now() < believed || claimed?.signal.aborted === false;
                },
                { clock: skewedBy(world, otherwise) },
              )
              .run([message('1', { messageId: '2', receives: 2 })]);
            hangs = true;
          }
          expect(unaware).toBe(false);
          if (ranAt !== undefined) expect(mine.now()).toBeGreaterThanOrEqual(believed);
        },
      ),
      { numRuns: 80 },
    );
  });

  it.each([
    ['ahead', [600_000, 0]],
    ['behind', [-600_000, 0]],
    ['ahead and behind', [600_000, -600_000, 0]],
  ] as const)(
    'a clock that is 10 minutes %s repeats no commit, loses no event and crashes nothing: the fence decides',
    async (_, skews) => {
      for (const fate of ['goes well', 'is killed', 'stands still'] as const) {
        const starts: string[] = [];
        const refused: string[] = [];
        const harness = await createHarness(jobs, {
          skew: (environment) => milliseconds(skews[(environment - 1) % skews.length] ?? 0),
          sqs: { duplicateRate: 0.5 },
          handlers: {
            long: (tools) =>
              consume(
                jobs,
                'long',
                async ({ data }, { commitWith }) => {
                  starts.push(data.orderId);
                  await sleep(tools.clock, milliseconds(40_000));
                  await commitWith([count(harness)]).catch((error: Error) => {
                    refused.push(error.name);
                    throw error;
                  });
                },
                tools,
              ),
          },
        });
        const till = publisher(jobs, harness.tools);
        for (let order = 1; order <= 6; order++) {
          await till.publish('order.placed', { orderId: String(order) });
          await harness.advance(inSeconds(7));
        }
        if (fate === 'is killed') harness.kill('long');
        if (fate === 'stands still') harness.freeze('long', inSeconds(90));
        await harness.drain(minutes(600));
        expect({ fate, effects: counted(harness) }).toEqual({ fate, effects: 6 });
        expect(await harness.deadLetters('long')).toEqual([]);
        expect(new Set(starts).size).toBe(6);
        expect(refused.filter((name) => name !== 'LeaseLost')).toEqual([]);
        harness.stop();
      }
    },
  );

  it('an expired record is taken by a condition on its expiry: who was faster has it', async () => {
    const world = createWorld();
    const past = Math.floor(world.clock.now() / 1_000) - 60;
    world.dynamodb.put(table, { ...inProgress(0), state: { S: 'COMPLETED' }, ttl: { N: String(past) } });
    let runs = 0;
    // Between the reading of the expired record and the write over it, another one renews and completes it.
    world.dynamodb.intercept = ({ name }, phase) => {
      if (name !== 'BatchGetItem' || phase !== 'after') return;
      world.dynamodb.intercept = undefined;
      world.dynamodb.put(table, { ...inProgress(0), state: { S: 'COMPLETED' }, ttl: { N: '9999999999' } });
    };
    const record = message('1', { receives: 2 });
    expect(await world.worker(() => void runs++).run([record])).toEqual([]);
    expect(runs).toBe(0);
    expect(world.measures[0]).toMatchObject({ duplicates: 1 });
  });

  it('whatever state an expired record was left in, it counts as none once its lease is over', async () => {
    for (const state of ['COMPLETED', 'FAILED', 'RELEASED', 'IN_PROGRESS'])
      for (const expired of [true, false]) {
        const world = createWorld();
        const ttl = Math.floor(world.clock.now() / 1_000) + (expired ? -10 : 10);
        world.dynamodb.put(table, {
          ...inProgress(state === 'IN_PROGRESS' ? 1 : 0),
          state: { S: state },
          ttl: { N: String(ttl) },
          attempts: { N: '2' },
          progress: { S: '"old"' },
          letter: { S: '1' },
        });
        const seen: [number, unknown][] = [];
        const worker = world.worker((_, { attempt, progress }) => void seen.push([attempt, progress.saved]));
        await worker.run([message('1', { messageId: '1', receives: 2 })]);
        if (expired) expect({ state, seen }).toEqual({ state, seen: [[1, undefined]] });
        else if (state === 'COMPLETED' || state === 'FAILED')
          expect({ state, seen }).toEqual({ state, seen: [] });
        else expect(seen).toEqual([[3, 'old']]);
      }
  });

  it('a record lives as long as its event can come back: source retention, dead-letter retention, replay margin', async () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 691_200, max: 1_209_600 }),
        fc.integer({ min: 0, max: 10_000_000 }),
        fc.boolean(),
        (retention, replayMargin, longest) => {
          const { subscribers } = defineMessaging({
            name: 'shop',
            topics: { news: {} },
            events: { told: event({ topic: 'news', schema: OrderPlaced }) },
            subscribers: {
              it: {
                on: ['told'],
                handler: 'it.ts',
                lag: inSeconds(60),
                retention: inSeconds(retention),
                replayMargin: inSeconds(replayMargin),
                ...(longest ? { deadLetterRetention: inSeconds(1_209_600) } : {}),
              },
            },
          });
          const { recordLife, deadLetterRetention } = subscribers.it;
          expect(recordLife).toBe(retention + deadLetterRetention + replayMargin);
        },
      ),
    );
  });

  it('every write that ends a claim sets the whole life anew, in seconds', async () => {
    const life = shop.subscribers.email.recordLife;
    for (const ends of ['completes', 'commits', 'fails', 'is buried', 'dies'] as const) {
      const world = createWorld();
      const worker = world.worker(
        async (_, { commitWith }) => {
          await wait(world, 20_000);
          if (ends === 'commits') await commitWith([]);
          if (ends === 'fails') throw new Error('down');
          if (ends === 'is buried') throw Object.assign(new Error('never'), { name: 'Never' });
          if (ends === 'dies') return new Promise(() => undefined);
        },
        { permanent: ({ name }) => name === 'Never' },
      );
      const start = world.clock.now();
      if (ends === 'dies') {
        void worker.start([message('1')], milliseconds(900_000));
        await world.clock.advance(milliseconds(20_000));
      } else await worker.run([message('1')]);
      const written = ends === 'dies' ? start : start + 20_000;
      const left = Number(recordOf(world, '1')?.ttl) - written / 1_000;
      expect({ ends, left: Math.round(left) }).toEqual({ ends, left: life });
    }
  });

  it('an item that TTL has deleted while its event was worked on: nothing is completed in its name, the event comes back', async () => {
    const world = createWorld();
    let runs = 0;
    const worker = world.worker(async () => {
      if (++runs > 1) return;
      (world.dynamodb.items(table) as Map<string, unknown>).delete(keyOf('1'));
    });
    const record = message('1', { messageId: '1' });
    expect(await worker.run([record])).toEqual(['1']);
    expect(recordOf(world, '1')).toBeUndefined();
    expect(await worker.run([again(record)])).toEqual([]);
    expect(recordOf(world, '1')).toMatchObject({ state: 'COMPLETED' });
  });
});

/** The clock of a machine that goes wrong by some milliseconds. */
const skewedBy = (world: World, skew: number): Clock => ({
  now: () => milliseconds(world.clock.now() + skew),
  after: (delay, task) => world.clock.after(delay, task),
});
