import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createGate } from '../../lambda/runtime/parallel.ts';

describe('a burst of publishes waits its turn', () => {
  it('runs no more than the limit at once, in the order in which they came, also past a failure', async () => {
    const gate = createGate(2);
    const started: number[] = [];
    const ends: (() => void)[] = [];
    let running = 0;
    let most = 0;
    const works = [0, 1, 2, 3, 4].map((index) =>
      gate(async () => {
        started.push(index);
        most = Math.max(most, ++running);
        await new Promise<void>((resolve) => ends.push(resolve));
        running--;
        if (index === 1) throw new Error('failed');
        return index;
      }),
    );
    const results = Promise.allSettled(works);
    for (let index = 0; index < 5; index++) {
      await Promise.resolve();
      await new Promise((resolve) => setImmediate(resolve));
      expect(started).toHaveLength(Math.min(5, index + 2));
      ends[index]?.();
    }
    expect((await results).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    expect(started).toEqual([0, 1, 2, 3, 4]);
    expect(most).toBe(2);
    await expect(gate(async () => 'free again')).resolves.toBe('free again');
  });

  it('keeps nothing of what is through, also when somebody is always waiting', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const gate = createGate(1);
    const passing = async (count: number) => {
      let previous = gate(async () => undefined);
      for (let index = 0; index < count; index++) {
        const next = gate(async () => undefined);
        await previous;
        previous = next;
      }
      collectGarbage();
      return [process.memoryUsage().heapUsed, previous] as const;
    };
    const [before, still] = await passing(1_000);
    const [after] = await passing(100_000);
    await still;
    expect(after - before).toBeLessThan(4_000_000);
  });
});
