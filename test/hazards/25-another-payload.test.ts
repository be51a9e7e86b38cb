import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { again, createWorld, gate, message, recordOf } from '../runtime/support/world.ts';

describe('25: another payload under the same key is dead-lettered as a conflict, never taken for done', () => {
  it('is dead-lettered as `conflict`, never a silent success, whatever state the record has', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue(),
        fc.constantFrom('COMPLETED', 'RELEASED', 'IN_PROGRESS'),
        async (extra, state) => {
          const world = createWorld();
          let fails = state === 'RELEASED';
          const busy = gate();
          const worker = world.worker(async () => {
            if (state === 'IN_PROGRESS') await busy.opened;
            if (fails) throw new Error('down');
          });
          const first = worker.start([message('1')]);
          await world.clock.settle();
          fails = false;
          const before = recordOf(world, '1');
          expect(before?.state).toBe(state);

          const changed = message('1', { data: { orderId: '1', extra } });
          expect(await worker.run([changed])).toEqual([]);
          expect(world.sqs.letters).toHaveLength(1);
          expect(world.sqs.letters[0]?.MessageAttributes?.['sluice-reason']?.StringValue).toBe('conflict');
          expect(recordOf(world, '1')).toEqual(before);
          busy.open();
          await first;
        },
      ),
      { numRuns: 30 },
    );
  });

  it('twice in one batch with different payloads: the second is judged by the record at its next delivery', async () => {
    const world = createWorld();
    let runs = 0;
    const worker = world.worker(() => void runs++);
    const changed = message('1', { messageId: 'changed', data: { orderId: '1', amount: 2 } });

    expect(await worker.run([message('1'), changed])).toEqual(['changed']);
    expect(await worker.run([again(changed)])).toEqual([]);
    expect(runs).toBe(1);
    expect(world.sqs.letters).toHaveLength(1);
  });

  it('the order of an object’s members is no difference', async () => {
    const world = createWorld();
    const worker = world.worker(() => undefined);
    await worker.run([message('1', { data: { orderId: '1', amount: 2, customerId: 'c' } })]);
    await worker.run([message('1', { data: { customerId: 'c', amount: 2, orderId: '1' } })]);
    expect(world.sqs.letters).toEqual([]);
    expect(world.measures[1]).toMatchObject({ duplicates: 1 });
  });
});
