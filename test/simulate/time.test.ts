import * as timers from 'node:timers';
import { setTimeout as pause, scheduler, setInterval as ticks } from 'node:timers/promises';
import { promisify } from 'node:util';
import { minutes, seconds } from 'sluice';
import { consume } from 'sluice/lambda';
import { simulate } from 'sluice/local';
import { describe, expect, test } from 'vitest';
import { arrive, place, shop, start } from './shop.ts';

/** Runs `work` as the handler of one event, and gives back what it notes, with the virtual seconds before it. */
async function noted(work: (note: (what: unknown) => void, signal: AbortSignal) => Promise<void> | void) {
  const notes: string[] = [];
  const note = (what: unknown) =>
    void notes.push(
      `${(Date.now() - start) / 1000} ${typeof what === 'string' ? what : JSON.stringify(what)}`,
    );
  await simulate(
    shop,
    { payments: (tools) => consume(shop, 'payments', (_, { signal }) => work(note, signal), tools) },
    async (simulation) => {
      await place(simulation, 'one');
      await simulation.drain();
    },
  );
  return notes;
}

describe('a handler that reads the time sees the virtual clock', () => {
  test('and the test around it the machine’s', async () => {
    const before = Date.now();
    const seen: unknown[] = [];
    await simulate(
      shop,
      {
        readers: (tools) =>
          consume(
            shop,
            'readers',
            async () => {
              await null;
              seen.push(Date.now(), new Date(), new Date(5).getTime(), Date());
              seen.push(new Date() instanceof Date, new Date().constructor === Date);
            },
            tools,
          ),
      },
      async (simulation) => {
        await simulation.advance(seconds(90));
        await arrive(simulation, 'one');
        await simulation.drain();
        expect(Date.now()).toBeGreaterThanOrEqual(before);
        expect(new Date().getFullYear()).toBe(new Date(before).getFullYear());
        expect(simulation.now()).toBe(start + 90_000);
      },
    );
    const moment = start + 90_000;
    expect(seen).toEqual([moment, new Date(moment), 5, new Date(moment).toString(), true, true]);
  });

  test('from all of Node’s counters', async () => {
    const real = { hrtime: process.hrtime.bigint(), now: performance.now() };
    const notes = await noted(async (note) => {
      const began = process.hrtime();
      const exactly = process.hrtime.bigint();
      const mark = performance.now();
      expect(performance.timeOrigin + performance.now()).toBe(Date.now());
      await pause(1_500);
      note([process.hrtime(began), Number(process.hrtime.bigint() - exactly), performance.now() - mark]);
      await pause(250);
      note(process.hrtime(began));
    });
    expect(notes).toEqual(['1.5 [[1,500000000],1500000000,1500]', '1.75 [1,750000000]']);
    expect(performance.now()).toBeGreaterThan(real.now);
    expect(process.hrtime.bigint()).toBeGreaterThan(real.hrtime);
  });

  test('in what its timers and listeners call', async () => {
    const notes = await noted(
      (note, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            note('told to stop');
            resolve();
          });
        }),
    );
    expect(notes[0]).toBe('898 told to stop');
  });
});

describe('timers of a handler follow the virtual clock', () => {
  test('a handler that sleeps ten minutes takes milliseconds', async () => {
    const began = performance.now();
    expect(
      await noted(async (note) => {
        await pause(minutes(10) * 1000);
        note('awake');
      }),
    ).toEqual(['600 awake']);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test.each<[string, (callback: () => void, delay: number) => void]>([
    ['setTimeout', (callback, delay) => void setTimeout(callback, delay)],
    ['node:timers', (callback, delay) => void timers.setTimeout(callback, delay)],
    ['node:timers/promises', (callback, delay) => void pause(delay).then(callback)],
    ['scheduler.wait', (callback, delay) => void scheduler.wait(delay).then(callback)],
    ['util.promisify', (callback, delay) => void promisify(setTimeout)(delay).then(callback)],
    [
      'AbortSignal.timeout',
      (callback, delay) => void AbortSignal.timeout(delay).addEventListener('abort', callback),
    ],
  ])('%s', async (_, set) => {
    expect(
      await noted(async (note) => {
        await new Promise<void>((resolve) => set(resolve, 60_000));
        note('due');
      }),
    ).toEqual(['60 due']);
  });

  test('they fire in the order of time, with their arguments', async () => {
    expect(
      await noted(async (note) => {
        setTimeout((...words: string[]) => note(words), 3_000, 'c', 'd');
        setTimeout(note, 1_000, 'a');
        setTimeout(note, 2_000, 'b');
        await pause(5_000, 'e').then(note);
      }),
    ).toEqual(['1 a', '2 b', '3 ["c","d"]', '5 e']);
  });

  test('they are stopped by their object, their number, its end and in any order', async () => {
    expect(
      await noted(async (note) => {
        clearTimeout(setTimeout(note, 1, 'object'));
        clearTimeout(Number(setTimeout(note, 1, 'number')));
        clearTimeout(String(Number(setTimeout(note, 1, 'text'))));
        setTimeout(note, 1, 'closed').close();
        setTimeout(note, 1, 'disposed')[Symbol.dispose]();
        clearInterval(setTimeout(note, 1, 'as an interval'));
        clearTimeout(undefined);
        const again = setTimeout(note, 2_000, 'anew');
        const unreferenced = setTimeout(note, 4_000, 'without a reference').unref();
        expect([again.hasRef(), unreferenced.hasRef(), unreferenced.ref().hasRef()]).toEqual([
          true,
          false,
          true,
        ]);
        await pause(1_000);
        again.refresh();
        await pause(10_000);
      }),
    ).toEqual(['3 anew', '4 without a reference']);
  });

  test('an interval repeats until it is stopped, also as an iterator', async () => {
    expect(
      await noted(async (note) => {
        let count = 0;
        const interval = setInterval(() => {
          note('tick');
          if (++count === 3) clearInterval(interval);
        }, 1_000);
        await pause(10_000);
        for await (const word of ticks(1_000, 'tock')) {
          note(word);
          if (++count === 5) break;
        }
        await pause(10_000);
      }),
    ).toEqual(['1 tick', '2 tick', '3 tick', '11 tock', '12 tock']);
  });

  test('a wait that is broken off rejects at once, as Node’s does', async () => {
    const notes = await noted(async (note) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(new Error('enough')), 2_000);
      await pause(60_000, undefined, { signal: controller.signal }).catch(
        (error: Error & { code?: string }) => note([error.name, error.code, (error.cause as Error).message]),
      );
      await pause(60_000, undefined, { signal: AbortSignal.timeout(1_000) }).catch(({ cause }) =>
        note((cause as Error).name),
      );
      await pause(1, undefined, { signal: controller.signal }).catch((error: Error) => note(error.name));
    });
    expect(notes).toEqual(['2 ["AbortError","ABORT_ERR","enough"]', '3 TimeoutError', '3 AbortError']);
  });

  test('what Node refuses is refused in its words', async () => {
    await noted(async () => {
      expect(() => setTimeout('now' as unknown as () => void)).toThrow(
        'The "callback" argument must be of type function',
      );
      expect(() => AbortSignal.timeout(-1)).toThrow('out of range');
      await expect(pause(1, 1, 'soon' as never)).rejects.toThrow(
        'The "options" argument must be of type object',
      );
    });
  });

  test('what a run leaves behind waits for the next, as on Lambda', async () => {
    const notes: string[] = [];
    await simulate(
      shop,
      {
        readers: (tools) =>
          consume(
            shop,
            'readers',
            ({ data }) => {
              notes.push(`${data.id} runs`);
              setTimeout(() => notes.push(`after ${data.id}, at ${(Date.now() - start) / 1000}`), 5_000);
            },
            tools,
          ),
      },
      async (simulation) => {
        await arrive(simulation, 'one');
        await simulation.advance(seconds(60));
        await arrive(simulation, 'two');
        await simulation.advance(seconds(4));
      },
    );
    expect(notes).toEqual(['one runs', 'after one, at 60', 'two runs']);
  });
});

describe('time goes on, and not back', () => {
  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('%s seconds are refused', async (length) => {
    await simulate(shop, {}, async (simulation) => {
      await expect(simulation.advance(seconds(length))).rejects.toThrow(RangeError);
    });
  });
});
