import { describe, expect, it } from 'vitest';
import { createWorld, message, recordOf } from './support/world.ts';

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

  it.each(['exactlyOnceEffect', 'transactional', 'atMostOnce'] as const)(
    'nor is its copy, however far behind it stands in a large batch: %s',
    async (effects) => {
      const world = createWorld({ effects });
      const seen: string[] = [];
      const worker = world.worker((event) => {
        seen.push(event.data.orderId);
        return [] as never;
      });
      const others = Array.from({ length: 100 }, (_, index) => message(String(index)));

      expect(await worker.run([message('twice'), ...others, message('twice')])).toEqual([]);

      expect(seen.filter((orderId) => orderId === 'twice')).toHaveLength(1);
      expect(world.measures[0]).toMatchObject({ processed: 101, duplicates: 1 });
    },
  );
});
