import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { milliseconds, seededRandom, sleep, uuid } from '../../lib/base/index.ts';
import { createVirtualClock } from '../../local/clock.ts';

describe('time on the virtual clock', () => {
  it('stands still until it is moved', async () => {
    const clock = createVirtualClock(milliseconds(1000));
    let ran = false;
    clock.after(milliseconds(1), () => {
      ran = true;
    });
    await clock.settle();
    expect([clock.now(), ran]).toEqual([1000, false]);
  });

  it('runs what falls due in the order of time, then in the order in which it was set', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(50), { maxLength: 30 }), async (delays) => {
        const clock = createVirtualClock();
        const start = clock.now();
        const ran: Array<{ at: number; index: number }> = [];
        for (const [index, delay] of delays.entries())
          clock.after(milliseconds(delay), () => ran.push({ at: clock.now() - start, index }));
        await clock.advance(milliseconds(50));
        const expected = delays
          .map((at, index) => ({ at, index }))
          .sort((a, b) => a.at - b.at || a.index - b.index);
        expect(ran).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  it('runs timers that a timer sets within the same advance, each at its own moment', async () => {
    const clock = createVirtualClock(milliseconds(0));
    const moments: number[] = [];
    const tick = () => {
      moments.push(clock.now());
      if (moments.length < 3) clock.after(milliseconds(10), tick);
    };
    clock.after(milliseconds(10), tick);
    await clock.advance(milliseconds(100));
    expect(moments).toEqual([10, 20, 30]);
    expect(clock.now()).toBe(100);
  });

  it('lets what a timer made ready run before time goes on', async () => {
    const clock = createVirtualClock(milliseconds(0));
    const seen: number[] = [];
    void (async () => {
      for (let round = 0; round < 3; round++) {
        await sleep(clock, milliseconds(5));
        seen.push(clock.now());
      }
    })();
    await clock.advance(milliseconds(20));
    expect(seen).toEqual([5, 10, 15]);
  });

  it('forgets a cancelled timer', async () => {
    const clock = createVirtualClock();
    const ran: string[] = [];
    const timer = clock.after(milliseconds(5), () => ran.push('cancelled'));
    clock.after(milliseconds(6), () => ran.push('kept'));
    timer.cancel();
    await clock.advance(milliseconds(10));
    expect(ran).toEqual(['kept']);
    expect(clock.nextTimer()).toBeUndefined();
  });
});

describe('sleep', () => {
  it('ends at once when its signal aborts, and leaves no timer behind', async () => {
    const clock = createVirtualClock();
    const controller = new AbortController();
    const sleeping = sleep(clock, milliseconds(60_000), controller.signal);
    controller.abort();
    await sleeping;
    expect(clock.nextTimer()).toBeUndefined();
  });
});

describe('chance from a seed', () => {
  it('replays the same numbers and ids', () => {
    const numbers = (seed: number) => {
      const random = seededRandom(seed);
      return [random.next(), random.next(), uuid(random)];
    };
    expect(numbers(7)).toEqual(numbers(7));
    expect(numbers(7)).not.toEqual(numbers(8));
  });

  it('makes well-formed UUIDs of version 4', () => {
    const random = seededRandom(1);
    for (let count = 0; count < 100; count++)
      expect(uuid(random)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('lies in [0, 1) and spreads evenly', () => {
    const random = seededRandom(42);
    const buckets = new Array<number>(10).fill(0);
    for (let count = 0; count < 10_000; count++) {
      const value = random.next();
      expect(value >= 0 && value < 1).toBe(true);
      buckets[Math.floor(value * 10)]!++;
    }
    for (const count of buckets) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});
