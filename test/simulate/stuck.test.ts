import { exec } from 'node:child_process';
import { scrypt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, get, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { defineMessaging, event, milliseconds, minutes, seconds } from 'sluice';
import { consume, publisher } from 'sluice/lambda';
import {
  HandlerStuck,
  type HarnessTools,
  type SimulateOptions,
  type Simulation,
  simulate,
} from 'sluice/local';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { arrive, shop, start } from './shop.ts';

type Work = (id: string, signal: AbortSignal) => Promise<unknown>;

/** Simulates readers that do the work. */
const reading = <Result>(
  work: Work,
  scenario: (simulation: Simulation<typeof shop, never>) => Promise<Result>,
  options: SimulateOptions<typeof shop, never> = {},
) =>
  simulate(
    shop,
    {
      readers: (tools: HarnessTools) =>
        consume(
          shop,
          'readers',
          async ({ data }, { signal }) => {
            await work(data.id, signal);
          },
          tools,
        ),
    },
    scenario,
    options,
  );
const drained = async (simulation: Simulation<typeof shop, never>) => {
  await arrive(simulation, 'one');
  await simulation.drain();
};
const never = () => new Promise(() => {});

/** A server of the test: `/silent` never answers. */
let server: Server;
let url: string;
/** Taken hold of before any simulation. */
const machineTimeout = setTimeout;
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url !== '/silent') machineTimeout(() => response.end('answer'), 30);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('a handler that waits for something that nobody will advance fails by name', () => {
  test('a promise that nobody resolves: with subscriber, event and how long it was at work', async () => {
    const began = performance.now();
    const error = await reading(never, drained).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HandlerStuck);
    expect(error).toMatchObject({ subscriber: 'readers', events: ['arrived:one'], waited: 119, pending: [] });
    expect((error as Error).message).toMatch(
      /^The handler of "readers" waits for something that nobody will advance, with event arrived:one, for 119 s on the virtual clock\. Pending: nothing that can be seen, so a promise that nobody has resolved\. The function’s time was over\. .*setTimeout follows the virtual clock\.$/,
    );
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test('of a batch, the events that hang', async () => {
    const hang: Work = async (id) => {
      if (id === 'two') await never();
    };
    const error = await reading(hang, async (simulation) => {
      await arrive(simulation, 'one', 'two', 'three');
      await simulation.drain();
    }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ events: ['arrived:two'] });
  });

  test.each(['exactlyOnceEffect', 'transactional', 'atLeastOnce', 'atMostOnce'] as const)(
    'whatever its effects promise: %s',
    async (effects) => {
      const stack = defineMessaging({
        name: 'stack',
        topics: { news: {} },
        events: {
          arrived: event({ topic: 'news', schema: z.object({ id: z.string() }), key: ({ id }) => id }),
        },
        subscribers: { readers: { on: ['arrived'], handler: 'b.ts', lag: minutes(5), effects } },
      });
      const run = simulate(
        stack,
        { readers: (tools) => consume(stack, 'readers', (() => never()) as never, tools) },
        async (simulation) => {
          await publisher(stack, simulation.tools).publish('arrived', { id: 'one' });
          await simulation.drain();
        },
      );
      await expect(run).rejects.toThrow('with event arrived:one, for 29 s on the virtual clock');
    },
  );

  test('a function without the runtime too', async () => {
    const scenario = async (simulation: Simulation<typeof shop, never>) => {
      await arrive(simulation, 'one');
      await expect(simulation.advance(minutes(3))).rejects.toThrow('with event arrived:one, for 119.999 s');
      // Heard once, it is no longer in the way.
      await simulation.advance(minutes(1));
    };
    await simulate(shop, { readers: () => never }, scenario);
  });

  test('but not one that the scenario lets go, or ends', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let runs = 0;
    await reading(
      () => (++runs === 1 ? never() : gate),
      async (simulation) => {
        await arrive(simulation, 'one');
        await simulation.advance(seconds(30));
        expect(simulation.kill('readers')).toBe(true);
        await simulation.advance(seconds(70));
        expect(runs).toBe(2);
        open();
        await simulation.drain(seconds(0));
      },
    );
  });

  test('nor one that is slow, whose calls are slow, or that heeds its signal', async () => {
    const slow: Work = async (id, signal) => {
      if (id === 'slow') await pause(3_600_000);
      if (id === 'obedient') await new Promise((resolve) => signal.addEventListener('abort', resolve));
    };
    await reading(slow, async (simulation) => {
      await arrive(simulation, 'slow', 'obedient');
      await simulation.advance(minutes(60));
      // As on AWS: its time is over, five times.
      expect(simulation.deadLetters('readers')).toMatchObject([
        { event: { data: { id: 'slow' } }, error: expect.stringContaining('HandlerTimeout') },
      ]);
    });
    await simulate(
      shop,
      {
        readers: (tools) =>
          consume(
            shop,
            'readers',
            async (_, { commitWith }) => {
              await commitWith([{ Put: { TableName: 'effects', Item: { id: { S: 'x' } } } }]);
            },
            tools,
          ),
      },
      async (simulation) => {
        simulation.fail({ action: 'TransactWriteItems', effect: { delay: milliseconds(10_000_000) } });
        await arrive(simulation, 'one');
        await simulation.advance(minutes(60));
      },
      { tables: { effects: 'id' } },
    );
  });
});

describe('work of the machine takes no virtual time', () => {
  test.each<[string, Work]>([
    ['a file', () => readFile('package.json')],
    ['a request of fetch', async () => (await fetch(`${url}/`)).text()],
    [
      'a request of node:http',
      () => new Promise((resolve) => get(url, (answer) => answer.resume().on('end', resolve))),
    ],
    ['a child process', () => promisify(exec)('sleep 0.1')],
    ['node:crypto', () => promisify(scrypt)('a', 'b', 32)],
    [
      'many turns of the event loop',
      async () => {
        for (let count = 0; count < 100; count++) await new Promise((resolve) => setImmediate(resolve));
      },
    ],
    ['a short timer of the machine', () => new Promise((resolve) => void machineTimeout(resolve, 50))],
  ])('%s', async (_, work) => {
    let moment = 0;
    const waits: Work = async (id, signal) => {
      await pause(1_000);
      // As long as a timer is set, nothing but the work itself holds the clock.
      const alarm = setTimeout(() => {}, 60_000);
      await work(id, signal);
      moment = Date.now();
      clearTimeout(alarm);
    };
    await reading(waits, drained);
    expect(moment).toBe(start + 1_000);
  });

  // As what a test runner does to load a module.
  test('what nobody can see is given a moment', async () => {
    let moment = 0;
    const waits: Work = async () => {
      await pause(1_000);
      await elsewhere(20);
      moment = Date.now();
    };
    await reading(waits, drained);
    expect(moment).toBe(start + 1_000);
  });

  test('what a run leaves behind, and what a library keeps open, holds up nobody', async () => {
    const careless: Work = async () => {
      await (await fetch(`${url}/`)).text();
      machineTimeout(() => {}, 900).unref();
      await pause(1_000);
      void fetch(`${url}/silent`).catch(() => {});
    };
    const scenario = async (simulation: Simulation<typeof shop, never>) => {
      await arrive(simulation, 'one');
      await simulation.drain();
      await simulation.advance(seconds(10));
      await arrive(simulation, 'two');
      await simulation.drain();
    };
    await reading(careless, scenario, { patience: milliseconds(300) });
    server.closeAllConnections();
  });

  test.each<[string, Work, RegExp]>([
    [
      'a request of fetch',
      () => fetch(`${url}/silent`),
      /with event arrived:one, for 1 s .* Pending: GET http:\/\/127\.0\.0\.1:\d+\/silent\. .* for 50 ms of real time/,
    ],
    [
      'a request of node:http',
      () => new Promise((_, reject) => get(`${url}/silent`).on('error', reject)),
      /Pending: .*GET http:\/\/127\.0\.0\.1.*\/silent/,
    ],
    [
      'turns without end',
      async () => {
        for (;;) await new Promise((resolve) => setImmediate(resolve));
      },
      /Pending: setImmediate/,
    ],
  ])('%s that does not end fails by name, within the patience', async (_, work, message) => {
    const began = performance.now();
    const waits: Work = async (id, signal) => {
      await pause(1_000);
      await work(id, signal);
    };
    const run = reading(waits, drained, { patience: milliseconds(50) });
    await expect(run).rejects.toThrow(HandlerStuck);
    await expect(run).rejects.toThrow(message);
    expect(performance.now() - began).toBeLessThan(10_000);
    server.closeAllConnections();
  });

  test('a connection that is none of HTTP is refused: nobody knows when it has answered', async () => {
    const { port } = server.address() as AddressInfo;
    const talks: Work = () => new Promise((_, reject) => connect(port, '127.0.0.1').on('error', reject));
    await expect(reading(talks, drained)).rejects.toThrow(
      `The handler of "readers" opened a connection to 127.0.0.1:${port}. When such a connection has answered`,
    );
    server.closeAllConnections();
  });

  test('a long timer of the machine, taken hold of before, is named', async () => {
    let timer: NodeJS.Timeout | undefined;
    const waits: Work = () =>
      new Promise((resolve) => {
        timer = machineTimeout(resolve, 3_600_000);
      });
    await expect(reading(waits, drained)).rejects.toThrow(
      'Pending: a timer of the machine (3600000 ms), set by',
    );
    clearTimeout(timer);
  });
});

/** A promise that code outside of every simulation resolves. */
function elsewhere(after: number): Promise<void> {
  return new Promise((resolve) => letters.push({ after, resolve }));
}
const letters: { readonly after: number; readonly resolve: () => void }[] = [];
const postman = setInterval(() => {
  for (const { after, resolve } of letters.splice(0)) setTimeout(resolve, after);
}, 5);
afterAll(() => clearInterval(postman));
