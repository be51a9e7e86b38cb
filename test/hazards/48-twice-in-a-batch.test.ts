import { describe, expect, it } from 'vitest';
import { createWorld, message, recordOf } from '../runtime/support/world.ts';

describe('48: one event twice in one batch runs once, and its copies share the outcome', () => {
  it('one event twice in one batch: keys are unique, the second copy is acknowledged with the first', async () => {
    const world = createWorld();
    let runs = 0;
    const worker = world.worker(() => void runs++);

    expect(await worker.run([message('1'), message('1'), message('2'), message('1')])).toEqual([]);
    expect(runs).toBe(2);
    expect(world.measures[0]).toMatchObject({ processed: 2, duplicates: 2 });
    expect(recordOf(world, '1')).toMatchObject({ state: 'COMPLETED' });
  });

  it('... and returned with the first when that fails', async () => {
    const world = createWorld();
    const worker = world.worker(() => {
      throw new Error('down');
    });
    const copies = [message('1', { messageId: 'a' }), message('1', { messageId: 'b' })];

    expect(await worker.run(copies)).toEqual(['a', 'b']);
    expect(world.sqs.visibilityOf('b')).toBe(world.sqs.visibilityOf('a'));
  });
});
