import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/topology/index.ts';
import { lostReply, serviceError } from './support/dynamodb.ts';
import { createWorld, finish, gate, keyOf, message, recordOf, table, type World } from './support/world.ts';

const long = milliseconds(900_000);

describe('lease and visibility go together', () => {
  it('a batch that is done within the first second pays nothing for the heartbeat', async () => {
    const world = createWorld();
    const busy = gate();
    const running = world.worker(() => busy.opened).start([message('1')]);
    await world.clock.advance(milliseconds(999));
    expect(world.sqs.calls).toEqual([]);
    expect(world.dynamodb.calls).toHaveLength(1);
    busy.open();
    await finish(world.clock, running);
    expect(world.sqs.calls).toEqual([]);
  });

  it('7: lease end <= visibility end <= the function’s end + margin, at every beat, whatever the times', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 3_000, max: 900_000 }),
        fc.integer({ min: 0, max: 120_000 }),
        fc.integer({ min: 0, max: 3_000 }),
        async (remaining, work, latency) => {
          const world = createWorld();
          const end = world.clock.now() + remaining;
          // Lease end and visibility end after each beat; judged afterwards, since a beat survives any error.
          const beats: { leaseEnd: number; visibleAt: number }[] = [];
          world.sqs.intercept = async (_, phase) => {
            if (phase === 'before') return wait(world, latency);
            if (recordOf(world, '1')?.state !== 'IN_PROGRESS') return;
            const visibleAt = world.clock.now() + world.sqs.visibilities.at(-1)![1] * 1_000;
            beats.push({ leaseEnd: Number(recordOf(world, '1')?.leaseEnd), visibleAt });
          };
          const running = world
            .worker(() => wait(world, work))
            .start([message('1')], milliseconds(remaining));
          const claimed = Number(recordOf(world, '1')?.leaseEnd ?? 0);
          await finish(world.clock, running);
          expect(claimed).toBeLessThanOrEqual(end + 2_000);
          for (const { leaseEnd, visibleAt } of beats) {
            expect(leaseEnd).toBeLessThanOrEqual(visibleAt);
            expect(leaseEnd).toBeLessThanOrEqual(end + 2_000);
            expect(visibleAt).toBeLessThanOrEqual(end + 6_000 + latency);
          }
          if (work > 1_000 + latency && remaining > 10_000) expect(beats.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('lease first, then visibility: after a crash the message is back with the lease, not with the queue’s visibility', async () => {
    const world = createWorld();
    const order: string[] = [];
    world.dynamodb.intercept = ({ name }, phase) => void (phase === 'after' && order.push(name));
    world.sqs.intercept = ({ name }, phase) => void (phase === 'before' && order.push(name));
    void world.worker(() => new Promise(() => undefined)).start([message('1', { messageId: '1' })], long);
    await world.clock.advance(milliseconds(1_000));

    expect(order.slice(1)).toEqual(['BatchExecuteStatement', 'ChangeMessageVisibilityBatch']);
    expect(Number(recordOf(world, '1')?.leaseEnd) - world.clock.now()).toBe(30_000);
    expect(world.sqs.visibilityOf('1')).toBe(33);
  });

  it('8: a beat that is throttled is tried again within the slack, and nothing is lost', async () => {
    const world = createWorld();
    let throttled = 0;
    const busy = gate();
    let aborted = false;
    const running = world
      .worker((_, { signal }) => {
        signal.addEventListener('abort', () => {
          aborted = true;
        });
        world.dynamodb.intercept = (_call, phase) => {
          if (phase === 'before' && throttled++ < 9) throw serviceError('ThrottlingException');
        };
        return busy.opened;
      })
      .start([message('1')], long);
    await world.clock.advance(milliseconds(25_000));
    expect(throttled).toBeGreaterThan(9);
    expect(Number(recordOf(world, '1')?.leaseEnd)).toBeGreaterThan(world.clock.now() + 20_000);
    expect(aborted).toBe(false);
    busy.open();
    expect((await finish(world.clock, running)).batchItemFailures).toEqual([]);
  });

  it('8: when the slack is gone the signal fires before the lease ends, even if the call hangs', async () => {
    for (const trouble of ['throttled', 'hangs'] as const) {
      const world = createWorld();
      let firedAt = 0;
      let reason: unknown;
      const startedAt = world.clock.now();
      void world
        .worker((_, { signal }) => {
          signal.addEventListener('abort', () => {
            firedAt = world.clock.now();
            reason = signal.reason;
          });
          world.dynamodb.intercept = () => {
            if (trouble === 'throttled') throw serviceError('ThrottlingException');
            return new Promise(() => undefined);
          };
          return new Promise(() => undefined);
        })
        .start([message('1')], long);
      await world.clock.advance(milliseconds(60_000));
      expect((reason as Error | undefined)?.name).toBe('LeaseLost');
      expect(firedAt - startedAt).toBeGreaterThan(20_000);
      expect(firedAt - startedAt).toBeLessThan(30_000);
    }
  });

  it('8: a completion that hangs does not hold up the leases, nor does a visibility', async () => {
    for (const hangs of ['completion', 'visibility'] as const) {
      const world = createWorld();
      const quick = gate();
      let told = false;
      void world
        .worker((event, { signal }) => {
          if (event.data.orderId === 'quick') return quick.opened;
          signal.addEventListener('abort', () => {
            told = true;
          });
          return new Promise(() => undefined);
        })
        .start([message('1'), message('quick')], long);
      await world.clock.settle();
      if (hangs === 'visibility') world.sqs.intercept = () => new Promise(() => undefined);
      else {
        quick.open();
        await world.clock.settle();
        world.dynamodb.intercept = ({ input }, phase) => {
          if (phase === 'before' && JSON.stringify(input).includes('COMPLETED'))
            return new Promise(() => undefined);
        };
      }
      await world.clock.advance(milliseconds(100_000));
      expect(told).toBe(false);
      expect(Number(recordOf(world, '1')?.leaseEnd)).toBeGreaterThan(world.clock.now());
    }
  });

  it('8: whatever hangs as long as a client lets it, every handler is told before its lease is over for others', async () => {
    for (const hangs of ['sqs', 'dynamodb', 'both'] as const) {
      const world = createWorld({ lease: 6 });
      const told = new Set<string>();
      const stuck = async (_call: object, phase: 'before' | 'after') => {
        if (phase === 'after') return;
        await wait(world, 9_500);
        throw lostReply();
      };
      const ids = Array.from({ length: 100 }, (_, index) => String(index));
      void world
        .worker(
          (event, { signal }) => {
            signal.addEventListener('abort', () => told.add(event.data.orderId));
            return new Promise(() => undefined);
          },
          { concurrency: 100 },
        )
        .start(
          ids.map((id) => message(id)),
          milliseconds(600_000),
        );
      await world.clock.settle();
      expect(Number(recordOf(world, '0')?.leaseEnd) - world.clock.now()).toBe(6_000);
      if (hangs !== 'dynamodb') world.sqs.intercept = stuck;
      if (hangs !== 'sqs') world.dynamodb.intercept = stuck;
      for (let passed = 0; passed < 60_000; passed += 250) {
        await world.clock.advance(milliseconds(250));
        for (const id of ids)
          if (Number(recordOf(world, id)?.leaseEnd) + 2_000 < world.clock.now()) expect(told).toContain(id);
      }
      expect(told.size).toBe(hangs === 'sqs' ? 0 : 100);
    }
  });

  it('8: a take-over fires the signal at the next beat', async () => {
    const world = createWorld();
    let reason: unknown;
    void world
      .worker((_, { signal }) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
        });
        return new Promise(() => undefined);
      })
      .start([message('1', { messageId: '1' })], long);
    await world.clock.settle();
    const item = world.dynamodb.items(table).get(keyOf('1'))!;
    world.dynamodb.put(table, { ...item, owner: { S: 'another' }, fence: { N: '2' } });
    await world.clock.advance(milliseconds(1_000));
    expect((reason as Error | undefined)?.name).toBe('LeaseLost');
    // Its visibility is the other's now.
    expect(world.sqs.visibilityOf('1')).toBeUndefined();
  });

  it('9: a beat under way is awaited before a backoff is set, and none comes after it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 900, max: 1_600 }),
        fc.array(fc.integer({ min: 0, max: 2_000 }), { minLength: 2, maxLength: 2 }),
        async (work, latencies) => {
          const world = createWorld();
          const left = [...latencies];
          world.sqs.intercept = async (_, phase) => {
            if (phase === 'before') await wait(world, left.shift() ?? 0);
          };
          const worker = world.worker(async () => {
            await wait(world, work);
            throw new Error('down');
          });
          const returned = await worker.run([message('1', { messageId: '1' })], long);
          await world.clock.advance(milliseconds(60_000));
          expect(returned).toEqual(['1']);
          // The last word is the backoff: at most one second after the first try.
          expect(world.sqs.visibilityOf('1')).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('what is done is written down at the next beat, not at the end of a long batch', async () => {
    const world = createWorld();
    void world
      .worker((event) => (event.data.orderId === 'long' ? new Promise(() => undefined) : undefined))
      .start([message('short'), message('long')], long);
    await world.clock.advance(milliseconds(1_000));
    expect(recordOf(world, 'short')?.state).toBe('COMPLETED');
    expect(recordOf(world, 'long')?.state).toBe('IN_PROGRESS');
  });
});

const wait = (world: World, length: number) =>
  new Promise<void>((resolve) => void world.clock.after(milliseconds(length), resolve));
