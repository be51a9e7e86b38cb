import { describe, expect, it } from 'vitest';
import { count, counted, crashing, publishOne, recordIn } from './support/crashes.ts';

describe('1: a process that dies before the effect: its lease ends, the message comes back, the effect happens once', () => {
  it('wherever it dies: before the claim, after it, in the handler, before the commit', async () => {
    for (const dies of ['claiming', 'claimed', 'in the handler', 'committing'] as const) {
      let runs = 0;
      const crash =
        dies === 'claiming' || dies === 'claimed'
          ? ({ service: 'dynamodb', call: 1, phase: dies === 'claiming' ? 'before' : 'after' } as const)
          : dies === 'committing'
            ? ({ service: 'dynamodb', call: 2, phase: 'before' } as const)
            : undefined;
      const harness = await crashing(
        'short',
        async (_, context) => {
          if (++runs === 1 && dies === 'in the handler') harness.kill('short');
          await context.commitWith([count(harness)]);
        },
        crash,
      );
      const took = await publishOne(harness);
      expect({ dies, effects: counted(harness) }).toEqual({ dies, effects: 1 });
      expect(recordIn(harness, 'short')?.state?.S).toBe('COMPLETED');
      // Before its first heartbeat: the queue's visibility.
      expect(took).toBeGreaterThanOrEqual(179);
      expect(took).toBeLessThanOrEqual(185);
      expect(harness.queue('short').received).toBe(2);
      expect(await harness.deadLetters('short')).toEqual([]);
      harness.stop();
    }
  });

  it('however often it dies short of its attempts', async () => {
    let runs = 0;
    const harness = await crashing('short', async (_, context) => {
      if (++runs <= 4) harness.kill('short');
      await context.commitWith([count(harness)]);
    });
    await publishOne(harness);
    expect({ runs, effects: counted(harness) }).toEqual({ runs: 5, effects: 1 });
    harness.stop();
  });
});
