import fc from 'fast-check';
import { minutes, seconds } from 'sluice';
import { publisher } from 'sluice/lambda';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/topology/index.ts';
import { wait } from '../runtime/support/effects.ts';
import { createWorld, finish, message, recordOf } from '../runtime/support/world.ts';
import { count, counted, crashing, jobs, recordIn } from './support/crashes.ts';

const long = milliseconds(900_000);

describe('7: a lease never outlasts the message’s visibility, nor either the function', () => {
  it('heartbeat <= lease / 3; lease end <= visibility end; both <= the function’s end + margin and <= 12 hours from the receive', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.integer({ min: 3, max: 60 }), fc.integer({ min: 600, max: 7_200 })),
        fc.double({ min: 0.05, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1.2, noNaN: true }),
        fc.integer({ min: 0, max: 3_000 }),
        async (lease, part, busy, latency) => {
          const world = createWorld({ lease });
          const start = world.clock.now();
          // Up to a hundred leases, and up to 13 hours where those are long.
          const remaining = Math.round(Math.min(lease * 100, 13 * 3_600) * part * 1_000);
          const end = Math.min(start + remaining, start + 12 * 3_600_000);
          // Judged afterwards, since a beat survives any error.
          const seen: { leaseEnd: number; visibleAt: number }[] = [];
          const extended: number[] = [];
          world.dynamodb.intercept = ({ input }, phase) => {
            const text = JSON.stringify(input);
            if (phase === 'before' && /SET \\"leaseEnd\\"=\? WHERE/.test(text))
              extended.push(world.clock.now());
          };
          world.sqs.intercept = async (_, phase) => {
            if (phase === 'before') return wait(world, latency);
            if (recordOf(world, '1')?.state !== 'IN_PROGRESS') return;
            const visibleAt = world.clock.now() + world.sqs.visibilities.at(-1)![1] * 1_000;
            seen.push({ leaseEnd: Number(recordOf(world, '1')?.leaseEnd), visibleAt });
          };
          const running = world
            .worker(() => wait(world, remaining * busy))
            .start([message('1')], milliseconds(remaining));
          await world.clock.settle();
          const claimed = Number(recordOf(world, '1')?.leaseEnd ?? 0);
          await finish(world.clock, running);

          const margin = 2_000;
          expect(claimed).toBeLessThanOrEqual(Math.min(end + margin, start + lease * 1_000));
          for (const { leaseEnd, visibleAt } of seen) {
            expect(leaseEnd).toBeLessThanOrEqual(visibleAt);
            expect(leaseEnd).toBeLessThanOrEqual(Math.min(end + margin, start + 12 * 3_600_000));
            expect(visibleAt).toBeLessThanOrEqual(end + margin + 4_000 + latency);
            expect(visibleAt - latency).toBeLessThanOrEqual(start + 12 * 3_600_000);
          }
          for (const [index, at] of extended.entries())
            expect(at - (extended[index - 1] ?? start)).toBeLessThanOrEqual(
              Math.ceil((lease * 1_000) / 3) + 1,
            );
          if (remaining * Math.min(busy, 0.75) > 1_000 + latency) expect(seen.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('the lease is extended first, the visibility after it, to three seconds beyond it', async () => {
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

  it('a job of 15 minutes that is killed after its first heartbeat runs again within 45 seconds, whenever it was killed', async () => {
    for (const killedAfter of [2, 11, 31, 400, 880]) {
      let starts = 0;
      let again = 0;
      const harness = await crashing('long', async (_, context) => {
        if (++starts === 1) return new Promise(() => undefined);
        again = harness.clock.now();
        await context.commitWith([count(harness)]);
      });
      await publisher(jobs, harness.tools).publish('order.placed', { orderId: '1' });
      await harness.advance(seconds(killedAfter));
      expect(harness.kill('long')).toBe(true);
      const killed = harness.clock.now();
      await harness.drain(minutes(5));
      expect({ killedAfter, starts, effects: counted(harness) }).toEqual({
        killedAfter,
        starts: 2,
        effects: 1,
      });
      expect(again - killed).toBeLessThanOrEqual(45_000);
      expect(recordIn(harness, 'long')).toMatchObject({ state: { S: 'COMPLETED' }, fence: { N: '2' } });
      harness.stop();
    }
  });

  it('killed before its first heartbeat it waits for the queue’s visibility, as the documentation says', async () => {
    let starts = 0;
    const harness = await crashing('long', async (_, context) => {
      if (++starts === 1) return new Promise(() => undefined);
      await context.commitWith([count(harness)]);
    });
    await publisher(jobs, harness.tools).publish('order.placed', { orderId: '1' });
    await harness.clock.advance(milliseconds(900));
    expect(harness.kill('long')).toBe(true);
    const waited = await harness.drain(minutes(120));
    // 6 x timeout + batchWindow: 90 minutes.
    expect(jobs.subscribers.long.visibilityTimeout).toBe(5_400);
    expect(waited).toBeGreaterThanOrEqual(5_398);
    expect(waited).toBeLessThanOrEqual(5_401);
    expect({ starts, effects: counted(harness) }).toEqual({ starts: 2, effects: 1 });
    harness.stop();
  });
});
