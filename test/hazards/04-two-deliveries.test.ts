import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/topology/index.ts';
import { inProgress } from '../runtime/support/effects.ts';
import { createWorld, gate, message, recordOf, table } from '../runtime/support/world.ts';

describe('4: of two deliveries at once one is handled; the other waits for the rest of its lease, and is not acknowledged', () => {
  it('the loser does not acknowledge and does not run: it waits for the rest of the lease, plus jitter', async () => {
    const world = createWorld();
    const busy = gate();
    const owner = world.worker(() => busy.opened);
    const running = owner.start([message('1', { messageId: 'first' })]);
    await world.clock.advance(milliseconds(500));
    let ran = false;

    const returned = await world
      .worker(() => {
        ran = true;
      })
      .run([message('1', { messageId: 'second' })]);

    expect(returned).toEqual(['second']);
    expect(ran).toBe(false);
    // 30 s of lease, 2 s of clock margin, up to 6 s of jitter, half a second is over.
    expect(world.sqs.visibilityOf('second')).toBeGreaterThanOrEqual(32);
    expect(world.sqs.visibilityOf('second')).toBeLessThanOrEqual(38);
    busy.open();
    expect((await running).batchItemFailures).toEqual([]);
    expect(world.measures[0]).toMatchObject({ deferred: 1 });
  });

  it('under every interleaving one worker wins, and no effect under the fence happens twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 4 }),
        fc.array(fc.constantFrom('commit', 'throw', 'plain'), { minLength: 2, maxLength: 3 }),
        fc.constantFrom('new', 'dead owner', 'released'),
        async (scheduler, jumps, behaviours, found) => {
          const world = createWorld();
          if (found === 'dead owner') world.dynamodb.put(table, inProgress(world.clock.now() - 10_000));
          if (found === 'released')
            world.dynamodb.put(table, { ...inProgress(0), state: { S: 'RELEASED' }, attempts: { N: '1' } });
          world.dynamodb.intercept = async ({ name }, phase) => {
            await scheduler.schedule(Promise.resolve(), `${name} ${phase}`);
          };
          const fences: number[] = [];
          const effect = {
            Update: {
              TableName: 'effects',
              Key: { pk: { S: 'total' } },
              UpdateExpression: 'SET n = n + :one',
              ExpressionAttributeValues: { ':one': { N: '1' } },
            },
          };
          let plain = 0;
          const workers = behaviours.map((behaviour) =>
            world.worker(async (_, context) => {
              fences.push(context.fence);
              await scheduler.schedule(Promise.resolve(), `handler ${behaviour}`);
              if (behaviour === 'throw') throw new Error('down');
              if (behaviour === 'commit') await context.commitWith([effect]);
              else plain++;
            }),
          );
          const invocations = workers.map((worker, index) =>
            worker.start(
              [message('1', { messageId: `w${index}`, receives: found === 'new' ? index + 1 : 2 })],
              milliseconds(900_000),
            ),
          );
          let settled = false;
          const all = Promise.all(invocations).then((responses) => {
            settled = true;
            return responses;
          });
          for (let step = 0; !settled && step < 200; step++) {
            await scheduler.waitIdle();
            await world.clock.advance(milliseconds(jumps[step] ?? 1_000));
          }
          const responses = await all;

          const total = Number(world.dynamodb.items('effects').get('total')?.n?.N ?? 0);
          const record = recordOf(world, '1')!;
          // Commits happen at most once, and with one the record is complete.
          expect(total).toBeLessThanOrEqual(1);
          if (total === 1) expect(record.state).toBe('COMPLETED');
          // Each start has a fence of its own: no two owners at one fence.
          expect(new Set(fences).size).toBe(fences.length);
          // Nothing is acknowledged that is neither complete nor a letter, or a copy of it.
          const acknowledged = responses.some((response) => response.batchItemFailures.length === 0);
          if (acknowledged && world.sqs.letters.length === 0) expect(record.state).toBe('COMPLETED');
          if (record.state === 'COMPLETED') expect(total + plain).toBeGreaterThan(0);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('the loser of each race waits at least as long as the winner’s lease, and never longer than it and its jitter', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 29_000 }), fc.integer(), async (age, seed) => {
        const world = createWorld({ seed });
        world.dynamodb.put(table, inProgress(world.clock.now() + 30_000 - age));
        const worker = world.worker(() => undefined);
        expect(await worker.run([message('1', { messageId: 'late', receives: 2 })])).toEqual(['late']);
        const waits = (world.sqs.visibilityOf('late') ?? 0) * 1_000;
        const rest = 30_000 - age + 2_000;
        expect(waits).toBeGreaterThanOrEqual(rest);
        expect(waits).toBeLessThanOrEqual(rest + 6_000 + 1_000);
      }),
      { numRuns: 60 },
    );
  });
});
