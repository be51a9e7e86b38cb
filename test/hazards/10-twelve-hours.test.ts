import { DeadlineReached } from 'sluice/lambda';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/topology/index.ts';
import { createWorld, message, recordOf } from '../runtime/support/world.ts';
import { count, counted, crashing, publishOne, recordIn } from './support/crashes.ts';

const hour = 3_600_000;

describe('10: twelve hours after its receive SQS shows a message again: the job is told in time to save and go back', () => {
  it('no visibility and no lease reach beyond them; the signal fires before, and what was saved goes on', async () => {
    const world = createWorld({ lease: 300 });
    const start = world.clock.now();
    const ends: number[] = [];
    world.sqs.intercept = (_, phase) => {
      if (phase === 'after') ends.push(world.clock.now() + world.sqs.visibilities.at(-1)![1] * 1_000);
    };
    let told = 0;
    let reason: unknown;
    const handed: unknown[] = [];
    const worker = world.worker(async (_, { progress, signal, deadline }) => {
      handed.push(progress.saved);
      if (handed.length === 2) return;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      told = world.clock.now();
      reason = signal.reason;
      expect(told).toBe(deadline);
      await progress.save({ hours: 12 });
      throw signal.reason;
    });
    const record = message('1', { messageId: '1' });
    // A function that could run on: on Lambda none can, in a container it might.
    expect(await worker.run([record], milliseconds(20 * hour))).toEqual(['1']);

    expect(reason).toBeInstanceOf(DeadlineReached);
    expect(told - start).toBeLessThan(12 * hour);
    expect(told - start).toBeGreaterThan(12 * hour - 60_000);
    expect(world.clock.now() - start).toBeLessThan(12 * hour);
    expect(ends.length).toBeGreaterThan(400);
    for (const end of ends) expect(end - start).toBeLessThanOrEqual(12 * hour);
    // No attempt is used, and it is back after a second.
    expect(recordOf(world, '1')).toMatchObject({
      state: 'RELEASED',
      attempts: '0',
      progress: '{"hours":12}',
    });
    expect(world.sqs.visibilityOf('1')).toBe(1);

    expect(await worker.run([message('1', { messageId: '1', receives: 2 })])).toEqual([]);
    expect(handed).toEqual([undefined, { hours: 12 }]);
  });

  it('on the model: a job of an hour goes on in a function of 15 minutes, run after run, as its first attempt', async () => {
    const runs: unknown[] = [];
    const attempts = new Set<number>();
    const harness = await crashing(
      'long',
      async (_, { progress, signal, attempt, commitWith }, { clock }) => {
        runs.push(progress.saved);
        attempts.add(attempt);
        for (let done = Number(progress.saved ?? 0); done < 60; done++) {
          await new Promise<void>((resolve) => {
            clock.after(milliseconds(60_000), resolve);
            signal.addEventListener('abort', () => resolve());
          });
          signal.throwIfAborted();
          await progress.save(done + 1);
        }
        await commitWith([count(harness)]);
      },
    );
    const took = await publishOne(harness);
    expect(runs).toEqual([undefined, 14, 28, 42, 56]);
    expect([...attempts]).toEqual([1]);
    expect(counted(harness)).toBe(1);
    expect(recordIn(harness, 'long')).toMatchObject({ state: { S: 'COMPLETED' }, fence: { N: '5' } });
    // What each run was at when it was stopped is done again: up to a minute of each, and a second between them.
    expect(took).toBeLessThanOrEqual(60 * 60 + 4 * 62);
    harness.stop();
  });

  it('the time that a batch was gathered counts: they begin with the receive, not with the invocation', async () => {
    const world = createWorld();
    let deadline = 0;
    const worker = world.worker(
      (_, context) => {
        deadline = context.deadline;
      },
      { subscriber: 'windowed' },
    );
    const start = world.clock.now();
    await worker.run([message('1')], milliseconds(20 * hour));
    expect(deadline - start).toBeLessThan(12 * hour - 300_000);
    expect(deadline - start).toBeGreaterThan(12 * hour - 300_000 - 60_000);
  });
});
