import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/topology/index.ts';
import { again, createWorld, gate, keyOf, message, recordOf, table } from './support/world.ts';

describe('an event that was handled is not handled again', () => {
  it('runs a first delivery once: one call claims the batch, one completes it, none per message', async () => {
    const world = createWorld();
    const seen: string[] = [];
    const worker = world.worker((event) => void seen.push(event.data.orderId));

    const returned = await worker.run(Array.from({ length: 10 }, (_, index) => message(String(index))));

    expect(returned).toEqual([]);
    expect(seen).toHaveLength(10);
    expect(recordOf(world, '7')).toMatchObject({ state: 'COMPLETED', fence: '1' });
    expect(world.dynamodb.calls.map((call) => call.name)).toEqual([
      'BatchExecuteStatement',
      'BatchExecuteStatement',
    ]);
    expect(world.sqs.calls).toEqual([]);
    expect(world.measures[0]).toMatchObject({ processed: 10, failed: 0, duplicates: 0 });
  });

  it('48: one event twice in one batch: keys are unique, the second copy is acknowledged with the first', async () => {
    const world = createWorld();
    let runs = 0;
    const worker = world.worker(() => void runs++);

    expect(await worker.run([message('1'), message('1'), message('2'), message('1')])).toEqual([]);
    expect(runs).toBe(2);
    expect(recordOf(world, '1')).toMatchObject({ state: 'COMPLETED' });
  });

  it('48: ... and returned with the first when that fails', async () => {
    const world = createWorld();
    const worker = world.worker(() => {
      throw new Error('down');
    });
    const copies = [message('1', { messageId: 'a' }), message('1', { messageId: 'b' })];

    expect(await worker.run(copies)).toEqual(['a', 'b']);
    expect(world.sqs.visibilityOf('b')).toBe(world.sqs.visibilityOf('a'));
  });
});

describe('two deliveries at once', () => {
  it('38: a lease ends by itself: what a dead owner left is taken over under a higher fence', async () => {
    const world = createWorld();
    void world.worker(() => new Promise(() => undefined)).start([message('1')], milliseconds(900_000));
    await world.clock.settle();
    // The owner is gone: nothing extends. Only the time of the record counts.
    const stale = world.dynamodb.items(table).get(keyOf('1'))!;
    const leaseEnd = Number(stale.leaseEnd?.N);
    expect(leaseEnd - world.clock.now()).toBe(30_000);

    const other = createWorld({ seed: 2 });
    await other.clock.advance(milliseconds(leaseEnd + 2_001 - other.clock.now()));
    other.dynamodb.put(table, stale);
    const fences: number[] = [];
    const worker = other.worker((_, context) => void fences.push(context.fence));
    expect(await worker.run([message('1', { receives: 2 })])).toEqual([]);
    expect(fences).toEqual([2]);
    expect(recordOf(other, '1')).toMatchObject({ state: 'COMPLETED', fence: '2', attempts: '1' });
  });
});

describe('another payload under the same key', () => {
  it('25: is dead-lettered as `conflict`, never a silent success, whatever state the record has', async () => {
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

  it('25: twice in one batch with different payloads: the second is judged by the record at its next delivery', async () => {
    const world = createWorld();
    let runs = 0;
    const worker = world.worker(() => void runs++);
    const changed = message('1', { messageId: 'changed', data: { orderId: '1', amount: 2 } });

    expect(await worker.run([message('1'), changed])).toEqual(['changed']);
    expect(await worker.run([again(changed)])).toEqual([]);
    expect(runs).toBe(1);
    expect(world.sqs.letters).toHaveLength(1);
  });

  it('25: the order of an object’s members is no difference', async () => {
    const world = createWorld();
    const worker = world.worker(() => undefined);
    await worker.run([message('1', { data: { orderId: '1', amount: 2, customerId: 'c' } })]);
    await worker.run([message('1', { data: { customerId: 'c', amount: 2, orderId: '1' } })]);
    expect(world.sqs.letters).toEqual([]);
    expect(world.measures[1]).toMatchObject({ duplicates: 1 });
  });
});
