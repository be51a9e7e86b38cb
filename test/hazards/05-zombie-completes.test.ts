import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { minutes, seconds } from 'sluice';
import { type HandlerContext, LeaseLost, publisher } from 'sluice/lambda';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/topology/index.ts';
import { addOne, total, wait } from '../runtime/support/effects.ts';
import {
  createWorld,
  finish,
  gate,
  message,
  recordOf,
  takeOver,
  type World,
} from '../runtime/support/world.ts';
import { count, counted, crashing, jobs } from './support/crashes.ts';
import { freezable } from './support/freezing.ts';

const long = milliseconds(900_000);

describe('5: a worker that was frozen past its lease and wakes ends, extends and commits nothing that another owns', () => {
  it('whatever it does when it wakes, what the other has stays as it is, and its signal has fired', async () => {
    for (const wakes of Object.keys(wakings) as (keyof typeof wakings)[]) {
      const world = createWorld();
      const process = freezable(world);
      const woken = gate();
      let error: unknown;
      let context: HandlerContext | undefined;
      const running = world
        .worker(
          async (_, given) => {
            context = given;
            given.signal.aborted;
            await woken.opened;
            try {
              await wakings[wakes](world, given);
            } catch (thrown) {
              error = thrown;
              throw thrown;
            }
          },
          { clock: process.clock, dynamodb: process.client(world.dynamodb), sqs: process.client(world.sqs) },
        )
        .start([message('1', { messageId: '1' })], long);
      await world.clock.advance(milliseconds(5_000));
      process.freeze();
      await world.clock.advance(milliseconds(40_000));
      const busy = gate();
      const other = world.worker(() => busy.opened);
      const others = other.start([message('1', { messageId: '1', receives: 2 })], long);
      await world.clock.settle();
      const before = recordOf(world, '1');
      expect(before).toMatchObject({ state: 'IN_PROGRESS', fence: '2' });
      const visibility = world.sqs.visibilities.length;

      process.thaw();
      await world.clock.advance(milliseconds(0));
      expect(context?.signal.aborted, wakes).toBe(true);
      expect(context?.signal.reason).toBeInstanceOf(LeaseLost);
      woken.open();
      const { batchItemFailures } = await finish(world.clock, running);
      // Neither now nor at what would have been its next heartbeats.
      expect(recordOf(world, '1'), wakes).toEqual(before);
      expect(batchItemFailures).toEqual([{ itemIdentifier: '1' }]);
      expect(world.sqs.visibilities, wakes).toHaveLength(visibility);
      expect(world.sqs.letters).toEqual([]);
      expect(total(world)).toBe(0);
      if (wakes === 'commits' || wakes === 'saves') expect(error).toBeInstanceOf(LeaseLost);

      busy.open();
      expect((await others).batchItemFailures).toEqual([]);
      expect(recordOf(world, '1')).toMatchObject({ state: 'COMPLETED', fence: '2' });
    }
  });

  it('its items do not commit: the fence is in the transaction', async () => {
    const world = createWorld();
    let error: unknown;
    const worker = world.worker(async (_, context) => {
      takeOver(world);
      await context.commitWith([addOne]).catch((thrown: unknown) => {
        error = thrown;
        throw thrown;
      });
    });
    expect(await worker.run([message('1', { messageId: '1' })])).toEqual(['1']);
    expect(error).toBeInstanceOf(LeaseLost);
    expect(total(world)).toBe(0);
    expect(recordOf(world, '1')).toMatchObject({ owner: 'another', fence: '2', state: 'IN_PROGRESS' });
  });

  it('its next heartbeats extend nothing, neither the other’s lease nor the message’s visibility', async () => {
    const world = createWorld();
    const process = freezable(world);
    void world
      .worker(() => new Promise(() => undefined), {
        clock: process.clock,
        dynamodb: process.client(world.dynamodb),
        sqs: process.client(world.sqs),
      })
      .start([message('1', { messageId: '1' })], long);
    await world.clock.advance(milliseconds(5_000));
    process.freeze();
    await world.clock.advance(milliseconds(40_000));
    takeOver(world);
    const before = recordOf(world, '1');
    const visibilities = world.sqs.visibilities.length;
    process.thaw();
    await world.clock.advance(milliseconds(120_000));
    expect(recordOf(world, '1')).toEqual(before);
    expect(world.sqs.visibilities).toHaveLength(visibilities);
  });

  it('on the model: frozen in the middle of a job of minutes, another runs it again, and it happens once', async () => {
    for (const frozenAt of [1, 5, 14, 25])
      for (const length of [20, 60, 200]) {
        const fences: number[] = [];
        const told: boolean[] = [];
        const harness = await crashing('long', async (_, { commitWith, fence, signal }, { clock }) => {
          fences.push(fence);
          await new Promise((resolve) => void clock.after(milliseconds(60_000), resolve as () => void));
          await new Promise((resolve) => void clock.after(milliseconds(1), resolve as () => void));
          // Told at the latest now, if another one began in the meantime.
          told.push(signal.aborted === fence < Math.max(...fences));
          await commitWith([count(harness)]);
        });
        await publisher(jobs, harness.tools).publish('order.placed', { orderId: '1' });
        await harness.advance(seconds(frozenAt));
        expect(harness.freeze('long', seconds(length))).toBe(true);
        await harness.drain(minutes(30));
        // Until the last one has woken, and done what it wanted to do.
        await harness.advance(minutes(10));
        expect({ frozenAt, length, effects: counted(harness) }).toEqual({ frozenAt, length, effects: 1 });
        // A lease of 30 s, extended every 10 s, bears a freeze of 20 s; what is longer is taken over.
        expect(fences.length).toBe(length === 20 ? 1 : 2);
        expect(told).toEqual(fences.map(() => true));
        expect(await harness.deadLetters('long')).toEqual([]);
        harness.stop();
      }
  });

  it('the fence is in the handler’s hands: a system outside that remembers the highest one refuses the late writer', async () => {
    const world = createWorld();
    const accepted: number[] = [];
    const refused: number[] = [];
    const outside = (fence: number) =>
      fence >= Math.max(0, ...accepted) ? accepted.push(fence) : refused.push(fence);
    const frozen = gate();
    const zombie = world
      .worker(async (_, { fence }) => {
        await frozen.opened;
        outside(fence);
      })
      .start([message('1')], long);
    await world.clock.settle();
    takeOver(world);
    outside(2);
    frozen.open();
    await zombie;
    expect({ accepted, refused }).toEqual({ accepted: [2], refused: [1] });
  });

  it('whenever it freezes, for however long, and whatever both do: each write is under the fence of who made it', async () => {
    const step = fc.constantFrom('work', 'save', 'commit', 'throw', 'return');
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 45_000 }),
        fc.integer({ min: 0, max: 100_000 }),
        fc.array(step, { minLength: 1, maxLength: 5 }),
        fc.array(step, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 0, max: 15_000 }),
        fc.integer({ min: 0, max: 3_000 }),
        async (freezesAt, length, zombieSteps, otherSteps, pause, latency) => {
          const world = createWorld();
          const process = freezable(world);
          const begun = new Set<number>();
          const ended = new Set<number>();
          const faults: string[] = [];
          watch(world, (fence) => begun.has(fence) && !ended.has(fence), faults);
          const handler =
            (steps: readonly string[], clock: typeof world.clock | typeof process.clock) =>
            async (_: unknown, context: HandlerContext) => {
              const { fence, signal, progress } = context;
              begun.add(fence);
              signal.aborted;
              try {
                for (const each of steps) {
                  await new Promise<void>((resolve) => void clock.after(milliseconds(pause), resolve));
                  // Timers that are due go first, its own among them; a moment later it has heard. Another moment, where
                  // it was frozen in this one.
                  let asked: number;
                  do {
                    asked = clock.now();
                    await new Promise<void>((resolve) => void clock.after(milliseconds(1), resolve));
                  } while (clock.now() - asked > 1);
                  if (Number(recordOf(world, '1')?.fence) > fence && !signal.aborted)
                    faults.push('taken over, and it goes on unaware');
                  if (each === 'save') await progress.save({ fence });
                  if (each === 'throw') throw new Error(`fence ${fence}`);
                  if (each === 'return') return;
                  if (each === 'commit') return await context.commitWith([addOne, by(fence)]);
                }
              } finally {
                ended.add(fence);
              }
            };
          const zombie = world
            .worker(handler(zombieSteps, process.clock), {
              clock: process.clock,
              dynamodb: process.client(slow(world, latency)),
              sqs: process.client(world.sqs),
            })
            .start([message('1', { messageId: '1' })], long);
          const thawed = (async () => {
            await wait(world, freezesAt);
            process.freeze();
            await wait(world, length);
            process.thaw();
          })();
          const other = (async () => {
            for (let receives = 2; receives < 40; receives++) {
              await wait(world, 5_000);
              const { batchItemFailures } = await world
                .worker(handler(otherSteps, world.clock))
                .start([message('1', { messageId: '1', receives })], long);
              if (batchItemFailures.length === 0) return;
            }
          })();
          let over = false;
          const all = Promise.all([zombie, thawed, other]).finally(() => {
            over = true;
          });
          for (let seconds = 0; !over && seconds < 2_000; seconds++)
            await world.clock.advance(milliseconds(1_000));
          await all;
          expect(faults).toEqual([]);
          expect(total(world)).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** A client whose calls take their time, each way. */
const slow = (world: World, latency: number) => ({
  async send(command: object): Promise<object> {
    await wait(world, latency);
    try {
      return await world.dynamodb.send(command);
    } finally {
      await wait(world, latency);
    }
  },
});

/** What a worker may do when it wakes. */
const wakings = {
  completes: async () => undefined,
  commits: (_: World, { commitWith }: HandlerContext) => commitWith([addOne]),
  saves: (_: World, { progress }: HandlerContext) => progress.save('mine'),
  fails: async () => {
    throw new Error('late');
  },
  'works on': (world: World) => wait(world, 0),
};

const by = (fence: number): TransactWriteItem => ({
  Put: { TableName: 'effects', Item: { pk: { S: 'by' }, n: { N: String(fence) } } },
});

/** Judges each new version of the record against the one before it. */
function watch(world: World, runs: (fence: number) => boolean, faults: string[]) {
  let last = recordOf(world, '1');
  world.dynamodb.intercept = (_, phase) => {
    const record = recordOf(world, '1');
    if (phase !== 'after' || record === undefined) return;
    const fence = Number(record.fence);
    const earlier = Number(last?.fence ?? 0);
    if (fence < earlier) faults.push(`fence ${earlier} became ${fence}`);
    if (fence === earlier && record.owner !== last?.owner) faults.push('another owner under one fence');
    if (record.progress !== last?.progress && record.progress !== undefined)
      if (record.progress !== JSON.stringify({ fence }))
        faults.push(`progress ${record.progress} under ${fence}`);
    const committed = Number(world.dynamodb.items('effects').get('by')?.n?.N ?? 0);
    if (record.state === 'COMPLETED' && runs(fence) && committed !== fence)
      faults.push(`completed under ${fence}, whose run was not over`);
    if (committed > 0 && committed !== fence) faults.push(`committed by ${committed} under ${fence}`);
    if (record.state === 'RELEASED' && runs(fence)) faults.push(`released under ${fence}`);
    if (record.lastError !== undefined && record.lastError !== last?.lastError)
      if (record.lastError !== `Error: fence ${fence}`) faults.push(`${record.lastError} under ${fence}`);
    last = record;
  };
}
