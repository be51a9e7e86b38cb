import * as timers from 'node:timers';
import * as promises from 'node:timers/promises';
import { hours, seconds } from 'sluice';
import { consume } from 'sluice/lambda';
import { type Simulation, simulate } from 'sluice/local';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { arrive, shop, start } from './shop.ts';

/** All that a simulation puts something of its own in the place of. */
const surroundings = () => ({
  Date: globalThis.Date,
  now: Date.now,
  constructor: new Date(0).constructor,
  timers: { ...timers },
  globalTimers: [setTimeout, setInterval, clearTimeout, clearInterval],
  promises: { ...promises },
  wait: promises.scheduler.wait,
  timeout: AbortSignal.timeout,
  performance: [performance.now, Object.keys(performance), Object.getOwnPropertyNames(performance)],
  hrtime: process.hrtime,
  bigint: process.hrtime.bigint,
  random: Math.random,
});

/** Sleeps as long as asked, and notes when it wakes, in seconds of its own clock. */
const sleeping = (length: number, notes: unknown[]) => ({
  readers: ((tools) =>
    consume(
      shop,
      'readers',
      async ({ data }) => {
        await promises.setTimeout(length * 1000);
        notes.push(`${data.id} at ${(Date.now() - start) / 1000}`);
      },
      tools,
    )) satisfies NonNullable<Parameters<typeof simulate<typeof shop>>[1]['readers']>,
});

describe('everything is stopped and restored at the end', () => {
  const before = surroundings();
  afterEach(() => {
    expect(surroundings()).toEqual(before);
    expect(surroundings().Date).toBe(before.Date);
  });

  test('of a scenario that ends, and gives back its result', async () => {
    const result = await simulate(shop, sleeping(1, []), async (simulation) => {
      expect(surroundings()).not.toEqual(before);
      await arrive(simulation, 'one');
      await simulation.drain();
      return 'the result';
    });
    expect(result).toBe('the result');
  });

  test('of a scenario that throws, with its own error', async () => {
    const error = new Error('an expectation');
    const throwing = simulate(shop, sleeping(1, []), async (simulation) => {
      await arrive(simulation, 'one');
      await simulation.advance(seconds(0.5));
      throw error;
    });
    await expect(throwing).rejects.toBe(error);
    const atOnce = simulate(shop, {}, () => {
      throw error;
    });
    await expect(atOnce).rejects.toBe(error);
  });

  test('of one that cannot begin', async () => {
    const twice = { tables: { 'shop-records': 'id' } };
    await expect(simulate(shop, {}, () => {}, twice)).rejects.toThrow('Table already exists: shop-records');
  });

  test('workers that were at work never go on, and the clock stands', async () => {
    const notes: unknown[] = [];
    let kept: Simulation<typeof shop, never> | undefined;
    await simulate(shop, sleeping(30, notes), async (simulation) => {
      kept = simulation;
      await arrive(simulation, 'one');
      await simulation.advance(seconds(10));
    });
    await expect(kept?.advance(seconds(60))).rejects.toThrow('The simulation is over: await everything');
    expect(notes).toEqual([]);
  });
});

describe('simulations do not disturb each other', () => {
  test('one after another', async () => {
    const notes: unknown[] = [];
    for (const length of [10, 20])
      await simulate(shop, sleeping(length, notes), async (simulation) => {
        await arrive(simulation, 'one');
        await simulation.drain();
      });
    expect(notes).toEqual(['one at 10', 'one at 20']);
  });

  test('side by side, and one that ends early leaves the others their clocks', async () => {
    const notes: Record<string, unknown[]> = { a: [], b: [], c: [] };
    await Promise.all(
      Object.entries(notes).map(([name, own], index) =>
        simulate(shop, sleeping(7 * (index + 1), own), async (simulation) => {
          for (let round = 0; round < 2 * index + 1; round++) {
            await arrive(simulation, `${name}${round}`);
            await simulation.drain();
          }
        }),
      ),
    );
    expect(notes).toEqual({
      a: ['a0 at 7'],
      b: ['b0 at 14', 'b1 at 28', 'b2 at 42'],
      c: ['c0 at 21', 'c1 at 42', 'c2 at 63', 'c3 at 84', 'c4 at 105'],
    });
  });

  test('the same seed gives the same run, another seed another', async () => {
    const run = async (seed: number) => {
      const notes: string[] = [];
      await simulate(
        shop,
        {
          readers: (tools) =>
            consume(
              shop,
              'readers',
              async ({ data }, { attempt }) => {
                await promises.setTimeout(Math.random() * 5_000);
                if (Math.random() < 0.3 && attempt < 4) throw new Error('not now');
                notes.push(`${data.id} at ${new Date().toISOString()}`);
              },
              tools,
            ),
        },
        async (simulation) => {
          simulation.fail({
            action: 'BatchExecuteStatement',
            at: { chance: 0.2 },
            effect: { error: { name: 'InternalServerError', statusCode: 500 } },
          });
          await arrive(simulation, ...Array.from({ length: 20 }, (_, index) => String(index)));
          await simulation.drain(hours(10));
          notes.push(...simulation.records().map((record) => JSON.stringify(record)));
          notes.push(...simulation.faults.map(({ at, action }) => `${at} ${action}`));
        },
        { seed, sqs: { duplicateRate: 0.2, reorderWindow: 5 } },
      );
      return notes;
    };
    const first = await run(3);
    expect(first.length).toBeGreaterThan(40);
    expect(await run(3)).toEqual(first);
    // Beside another one too.
    expect(await Promise.all([run(3), run(4)])).toEqual([
      first,
      expect.not.arrayContaining(first.slice(0, 1)),
    ]);
  });
});

describe('a mistake in a test is said', () => {
  test.each<[string, () => Promise<unknown>, string]>([
    [
      'an unknown subscriber',
      () => simulate(shop, { nobody: () => () => {} } as object, () => {}),
      'No subscriber is named "nobody"; there are payments, readers.',
    ],
    [
      'an unknown subscriber of a scenario',
      () => simulate(shop, {}, ({ lag }) => lag('nobody' as 'readers')),
      'No subscriber is named "nobody"; there are payments, readers.',
    ],
    [
      'a handler in the place of a function that makes one',
      () =>
        simulate(shop, { readers: (async () => {}) as never }, async (simulation) => {
          await arrive(simulation, 'one');
          await simulation.drain();
        }),
      'The handler of "readers" made [object Promise], which is no function.',
    ],
    [
      'a handler that moves its own clock',
      () =>
        simulate(
          shop,
          { readers: (tools) => consume(shop, 'readers', () => mover?.advance(seconds(1)), tools) },
          async (simulation) => {
            mover = simulation;
            await arrive(simulation, 'one');
            await simulation.drain(seconds(0));
          },
        ),
      'Error: A handler cannot move the clock that it lives on: do it in the scenario.',
    ],
    [
      'a function that always fails',
      () =>
        simulate(
          shop,
          {
            readers: () => {
              throw new Error('no settings');
            },
          },
          async (simulation) => {
            await arrive(simulation, 'one');
            await simulation.drain(seconds(5));
          },
        ),
      'Logged last: The function failed: its whole batch comes back {"subscriber":"readers","error":"Error: no settings',
    ],
  ])('%s', async (_, run, message) => {
    await expect(run()).rejects.toThrow(message);
  });

  test('fake timers of the test runner', async () => {
    vi.useFakeTimers();
    try {
      const run = simulate(shop, {}, () => {});
      await expect(run).rejects.toThrow('Fake timers are on, and would stop the simulation.');
    } finally {
      vi.useRealTimers();
    }
  });
});

let mover: Simulation<typeof shop, never> | undefined;
