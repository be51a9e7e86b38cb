import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/topology/index.ts';
import { asLetter, createWorld, keyOf, message, recordOf, table } from '../runtime/support/world.ts';

describe('39: a warm environment remembers nothing of its own: it sees what others have done in the meantime', () => {
  it('whoever handled, failed, gave up or forgot an event last, a delivery is judged by the record as it is now', async () => {
    const step = fc.record({
      who: fc.constantFrom('warm', 'other'),
      what: fc.constantFrom('succeeds', 'fails', 'fails for good', 'is deleted'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
        const world = createWorld();
        let what: string = '';
        let runs = 0;
        const make = () =>
          world.worker(
            () => {
              runs++;
              if (what !== 'succeeds') throw Object.assign(new Error('down'), { name: what });
            },
            { permanent: ({ name }) => name === 'fails for good' },
          );
        // One environment lives through all of it; the others come and go.
        const warm = make();
        let attempts = 0;
        let state: string | undefined;
        for (const [index, each] of steps.entries()) {
          what = each.what;
          if (what === 'is deleted') {
            (world.dynamodb.items(table) as Map<string, unknown>).delete(keyOf('1'));
            state = undefined;
            attempts = 0;
            continue;
          }
          const before = runs;
          // A dead letter that was sent again, each time, so that a dead-lettered event is opened again.
          const record = message('1', {
            messageId: `${index}`,
            receives: index + 1,
            attributes: asLetter,
          });
          const returned = await (each.who === 'warm' ? warm : make()).run([record]);
          const ran = runs > before;
          expect({ index, ran }).toEqual({ index, ran: state !== 'COMPLETED' });
          if (ran) {
            if (state === 'FAILED') attempts = 0;
            attempts++;
            state =
              what === 'succeeds'
                ? 'COMPLETED'
                : what === 'fails for good' || attempts === 3
                  ? 'FAILED'
                  : 'RELEASED';
          }
          expect(recordOf(world, '1')?.state).toBe(state);
          expect(returned).toEqual(state === 'RELEASED' ? [`${index}`] : []);
        }
      }),
      { numRuns: 80 },
    );
  });

  it('an environment that failed does not run again what another one completed, nor hold on to a lease that it gave back', async () => {
    const world = createWorld();
    let fails = true;
    let runs = 0;
    const handler = () => {
      runs++;
      if (fails) throw new Error('down');
    };
    const warm = world.worker(handler);
    const other = world.worker(handler);
    await warm.run([message('1', { messageId: '1' })]);
    fails = false;
    expect(await other.run([message('1', { messageId: '1', receives: 2 })])).toEqual([]);
    expect(await warm.run([message('1', { messageId: '1', receives: 3 })])).toEqual([]);
    expect(runs).toBe(2);
    await world.clock.advance(milliseconds(120_000));
    expect(recordOf(world, '1')).toMatchObject({ state: 'COMPLETED', fence: '2' });
  });
});
