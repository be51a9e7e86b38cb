import { describe, expect, it } from 'vitest';
import { type Crash, count, counted, crashing, publishOne, recordIn } from './support/crashes.ts';

/** Every call of the table of records that one event needs, and one more. */
const crashes: Crash[] = [1, 2, 3].flatMap((call) =>
  (['before', 'after'] as const).map((phase) => ({ service: 'dynamodb' as const, call, phase })),
);

describe('2: a process that dies after the effect and before the record: the effect is there once, or its repeats are declared', () => {
  it('an effect that commits with the record happens once, whichever call the process dies at', async () => {
    for (const crash of crashes) {
      const harness = await crashing('short', (_, context) => context.commitWith([count(harness)]), crash);
      await publishOne(harness);
      expect({ crash, effects: counted(harness) }).toEqual({ crash, effects: 1 });
      expect(recordIn(harness, 'short')?.state?.S).toBe('COMPLETED');
      expect(await harness.deadLetters('short')).toEqual([]);
      harness.stop();
    }
  });

  it('an effect elsewhere is asked for again: who honours its key does nothing, without one it is repeated, as declared', async () => {
    for (const crash of crashes) {
      const keyed = new Set<string>();
      const attempts: number[] = [];
      const harness = await crashing(
        'short',
        async (orderId, { attempt }) => {
          attempts.push(attempt);
          keyed.add(`order.placed:${orderId}`);
        },
        crash,
      );
      await publishOne(harness);
      expect(keyed.size).toBe(1);
      // Twice only where it died between the effect and the record.
      const between = crash.call === 2 && crash.phase === 'before';
      expect({ crash, asked: attempts.length }).toEqual({ crash, asked: between ? 2 : 1 });
      expect(recordIn(harness, 'short')?.state?.S).toBe('COMPLETED');
      harness.stop();
    }
  });
});
