import fc from 'fast-check';
import { ConditionFailed } from 'sluice/lambda';
import { describe, expect, it } from 'vitest';
import { serviceError } from '../runtime/support/dynamodb.ts';
import { addOne, take, total } from '../runtime/support/effects.ts';
import { createWorld, message, recordOf } from '../runtime/support/world.ts';

describe('46: when the condition of the handler’s own item fails, the handler is told which, and what was found, and decides', () => {
  it('the handler’s own condition fails: typed, which items and what was found; nothing is written, and it may decide', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), async (holds) => {
        const world = createWorld();
        for (const [index, free] of holds.entries())
          world.dynamodb.put('effects', { pk: { S: `sku${index}` }, free: { N: free ? '5' : '0' } });
        let error: unknown;
        const worker = world.worker(async (_, context) => {
          try {
            await context.commitWith(holds.map((_free, index) => take(`sku${index}`)));
          } catch (thrown) {
            error = thrown;
            await context.commitWith([addOne]);
          }
        });
        expect(await worker.run([message('1')])).toEqual([]);

        const failing = holds.flatMap((free, index) => (free ? [] : [index]));
        if (failing.length === 0) expect(error).toBeUndefined();
        else {
          expect(error).toBeInstanceOf(ConditionFailed);
          expect((error as ConditionFailed).failures).toEqual(
            failing.map((index) => ({ index, found: { pk: { S: `sku${index}` }, free: { N: '0' } } })),
          );
        }
        expect(total(world)).toBe(failing.length === 0 ? 0 : 1);
        expect(recordOf(world, '1')?.state).toBe('COMPLETED');
      }),
      { numRuns: 30 },
    );
  });

  it('only conflicts and throttling are tried again', async () => {
    for (const [code, tries] of [
      ['TransactionConflict', 3],
      ['ThrottlingError', 3],
      ['ValidationError', 1],
    ] as const) {
      const world = createWorld();
      let calls = 0;
      world.dynamodb.intercept = ({ name }, phase) => {
        if (name === 'TransactWriteItems' && phase === 'before' && ++calls < 3)
          throw serviceError('TransactionCanceledException', {
            CancellationReasons: [{ Code: 'None' }, { Code: code }],
          });
      };
      const record = message('1', { messageId: '1' });
      const returned = await world.worker((_, context) => context.commitWith([addOne])).run([record]);
      expect(calls).toBe(tries);
      expect(returned).toEqual(tries === 3 ? [] : ['1']);
    }
  });

  it('left alone, it is a failure like any other: tried again with backoff, dead-lettered after its attempts', async () => {
    const world = createWorld();
    world.dynamodb.put('effects', { pk: { S: 'sku' }, free: { N: '0' } });
    const worker = world.worker((_, { commitWith }) => commitWith([addOne, take('sku')]));
    for (let receives = 1; receives < 3; receives++)
      expect(await worker.run([message('1', { messageId: '1', receives })])).toEqual(['1']);
    expect(await worker.run([message('1', { messageId: '1', receives: 3 })])).toEqual([]);
    expect(total(world)).toBe(0);
    expect(world.sqs.letters).toHaveLength(1);
    expect(recordOf(world, '1')).toMatchObject({ state: 'FAILED', attempts: '3' });
  });

  it('it may give up without an effect: then the event is done', async () => {
    const world = createWorld();
    const worker = world.worker((_, { commitWith }) => commitWith([take('none')]).catch(() => undefined));
    expect(await worker.run([message('1')])).toEqual([]);
    expect(recordOf(world, '1')).toMatchObject({ state: 'COMPLETED' });
  });
});
