import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/topology/index.ts';
import { wait } from '../runtime/support/effects.ts';
import { createWorld, finish, message } from '../runtime/support/world.ts';

const long = milliseconds(900_000);

describe('9: a heartbeat never has the last word on a message that is done or given back', () => {
  it('a beat under way is awaited before a backoff is set, and none comes after it', async () => {
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

  it('when the response is out no beat is under way and none begins, however late a reply comes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 900, max: 23_000 }),
        fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 4, maxLength: 4 }),
        fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 4, maxLength: 4 }),
        fc.boolean(),
        async (work, sqsLatencies, dynamodbLatencies, fails) => {
          const world = createWorld();
          let underWay = 0;
          let begun = 0;
          let late = 0;
          let answered = false;
          const slow = (latencies: number[]) => async (_: unknown, phase: 'before' | 'after') => {
            if (phase === 'after') {
              underWay--;
              return;
            }
            underWay++;
            begun++;
            if (answered) late++;
            await wait(world, latencies.shift() ?? 0);
          };
          world.sqs.intercept = slow([...sqsLatencies]);
          world.dynamodb.intercept = slow([0, ...dynamodbLatencies]);
          const running = world
            .worker(async () => {
              await wait(world, work);
              if (fails) throw new Error('down');
            })
            .start([message('1', { messageId: '1' })], long)
            .then((response) => {
              answered = true;
              expect(underWay).toBe(0);
              return response;
            });
          const { batchItemFailures } = await finish(world.clock, running);
          expect(batchItemFailures).toHaveLength(fails ? 1 : 0);
          const before = begun;
          await world.clock.advance(milliseconds(120_000));
          expect({ late, begun }).toEqual({ late: 0, begun: before });
        },
      ),
      { numRuns: 60 },
    );
  });
});
