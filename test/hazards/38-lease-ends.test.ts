import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/topology/index.ts';
import { createWorld, keyOf, message, recordOf, table } from '../runtime/support/world.ts';

describe('38: a record never stays in progress for ever: its lease ends by itself, and no time left is no time', () => {
  it('a lease ends by itself: what a dead owner left is taken over under a higher fence', async () => {
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

  it('a remaining time of 0 is not "no limit": nothing starts, everything goes back', async () => {
    for (const remaining of [0, -5, Number.NaN]) {
      const world = createWorld();
      let ran = false;
      const worker = world.worker(() => {
        ran = true;
      });
      expect(await worker.run([message('1', { messageId: '1' })], milliseconds(remaining))).toEqual(['1']);
      expect(ran).toBe(false);
      expect(world.dynamodb.calls).toEqual([]);
    }
  });
});
