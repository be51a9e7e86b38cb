import { describe, expect, it } from 'vitest';
import { again, createWorld, message } from '../runtime/support/world.ts';
import { count, counted, crashing, publishOne, recordIn } from './support/crashes.ts';

describe('3: a process that dies after the record and before the delete: the message is acknowledged when it comes back, and not run', () => {
  it('a redelivery is acknowledged, the effect not repeated', async () => {
    const world = createWorld();
    let runs = 0;
    const worker = world.worker(() => void runs++);
    const record = message('1');
    await worker.run([record]);

    expect(await worker.run([again(record)])).toEqual([]);
    expect(runs).toBe(1);
    expect(world.measures[1]).toMatchObject({ processed: 0, duplicates: 1 });
  });

  it('also when the process dies, the effect was a commit, and when SQS refuses the delete', async () => {
    for (const how of ['dies', 'delete fails'] as const)
      for (const effect of ['commit', 'elsewhere'] as const) {
        let runs = 0;
        const harness = await crashing(
          'short',
          async (_, context) => {
            runs++;
            if (effect === 'commit') await context.commitWith([count(harness)]);
          },
          how === 'dies' ? { service: 'dynamodb', call: 2, phase: 'after' } : undefined,
        );
        if (how === 'delete fails')
          harness.aws.faults.add({
            service: 'sqs',
            action: 'DeleteMessageBatch',
            at: 1,
            effect: { error: { name: 'InternalFailure', statusCode: 500 } },
          });
        await publishOne(harness);
        expect({ how, effect, runs }).toEqual({ how, effect, runs: 1 });
        expect(counted(harness)).toBe(effect === 'commit' ? 1 : 0);
        expect(harness.queue('short')).toMatchObject({ received: 2, deleted: 1 });
        expect(recordIn(harness, 'short')).toMatchObject({ state: { S: 'COMPLETED' }, fence: { N: '1' } });
        harness.stop();
      }
  });
});
