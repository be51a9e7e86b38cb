import { defineMessaging, event, minutes, seconds } from 'sluice';
import { consume, publisher } from 'sluice/lambda';
import { createHarness, type HarnessTools } from 'sluice/local';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { milliseconds, sleep } from '../../lib/base/index.ts';
import { serviceError } from '../runtime/support/dynamodb.ts';
import { again, createWorld, gate, keyOf, message, recordOf, table } from '../runtime/support/world.ts';

describe('42: a message that kills its process takes nobody along', () => {
  it('taken over, marked started, run alone; its mates complete, it is dead-lettered as `crash`', async () => {
    for (const subscriber of ['email', 'payments'] as const) {
      const world = createWorld();
      const runs: Record<string, number> = {};
      const running = new Set<string>();
      let records = ['0', '1', 'killer', '3', '4'].map((id) =>
        message(id, { messageId: id, group: `g${id}` }),
      );
      let kills = 0;
      const company: string[][] = [];
      // Each round is a process of its own: when the killer runs, nothing of the process goes on.
      for (let round = 0; records.length > 0 && round < 12; round++) {
        const process = createProcess(world);
        const worker = process.worker(async (event) => {
          const id = event.data.orderId;
          runs[id] = (runs[id] ?? 0) + 1;
          running.add(id);
          if (round > 0 && id === 'killer') company.push([...running]);
          if (id === 'killer') {
            kills++;
            process.kill();
          }
          await Promise.resolve();
          running.delete(id);
        }, subscriber);
        const response = worker.start(records, milliseconds(900_000));
        const outcome = await Promise.race([response, process.killed.then(() => undefined)]);
        running.clear();
        if (outcome === undefined) records = records.map(again);
        else {
          const open = outcome.batchItemFailures.map((failure) => failure.itemIdentifier);
          records = records.filter((record) => open.includes(record.messageId)).map(again);
        }
        await world.clock.advance(milliseconds(40_000));
      }
      const limit = subscriber === 'email' ? 3 : 5;
      // Once in the crowd, where nobody knew, then as often as attempts are allowed.
      expect(kills).toBe(1 + limit);
      // From the second time on there was nobody to take along.
      expect(company).toEqual(Array.from({ length: limit }, () => ['killer']));
      for (const id of ['0', '1', '3', '4']) {
        expect(recordOf(world, id, subscriber)?.state).toBe('COMPLETED');
        expect(runs[id]).toBeLessThanOrEqual(2);
      }
      expect(world.sqs.letters).toHaveLength(1);
      expect(world.sqs.letters[0]?.MessageAttributes).toMatchObject({
        'sluice-reason': { StringValue: 'crash' },
        'sluice-attempts': { StringValue: String(limit) },
      });
      expect(recordOf(world, 'killer', subscriber)).toMatchObject({ state: 'FAILED', reason: 'crash' });
    }
  });

  it('on a standard queue and on FIFO: mates of its batch are done once, it is dead-lettered as `crash` after its attempts', async () => {
    const Order = z.object({ id: z.string(), group: z.string() });
    const shop = defineMessaging({
      name: 'shop',
      topics: { orders: { fifo: true } },
      events: {
        placed: event({ topic: 'orders', schema: Order, key: ({ id }) => id, group: ({ group }) => group }),
      },
      subscribers: {
        payments: { on: ['placed'], fifo: true, handler: 'a.ts', lag: seconds(60), attempts: 3 },
        email: { on: ['placed'], handler: 'b.ts', lag: seconds(60), attempts: 3 },
      },
    });
    for (const subscriber of ['payments', 'email'] as const) {
      const effects: string[] = [];
      let kills = 0;
      const harness = await createHarness(shop, {
        handlers: {
          [subscriber]: (tools: HarnessTools) =>
            consume(
              shop,
              subscriber,
              async ({ data }, { commitWith }) => {
                if (data.id === 'killer') {
                  kills++;
                  // Whichever environment this is.
                  while (harness.kill(subscriber));
                }
                await sleep(tools.clock, milliseconds(500));
                // A dead process reaches no table.
                await commitWith([]);
                effects.push(data.id);
              },
              tools,
            ),
        },
      });
      const till = publisher(shop, harness.tools);
      const ids = ['0', '1', 'killer', '3', '4'];
      for (const id of ids) await till.publish('placed', { id, group: `g${id}` });
      await harness.drain(minutes(60));
      expect(effects.toSorted()).toEqual(['0', '1', '3', '4']);
      expect(kills).toBeLessThanOrEqual(4);
      expect(await harness.deadLetters(subscriber)).toMatchObject([
        { attributes: { 'sluice-reason': 'crash', 'sluice-attempts': '3' } },
      ]);
      harness.stop();
    }
  });

  it('given back before its turn, since its mates took all the time, it stays suspicious: the next time too it runs alone', async () => {
    const world = createWorld();
    const process = createProcess(world);
    void process.worker(() => process.kill(), 'email').start([message('killer')], milliseconds(30_000));
    await world.clock.advance(milliseconds(40_000));
    const killer = message('killer', { messageId: 'killer', receives: 2 });

    const busy = world.worker(
      (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    );
    expect(await busy.run([message('mate'), killer], milliseconds(10_000))).toEqual(['killer']);

    const running = new Set<string>();
    const company: string[][] = [];
    const next = world.worker(async ({ data: { orderId } }, { attempt }) => {
      running.add(orderId);
      if (orderId === 'killer') {
        company.push([...running]);
        expect(attempt).toBe(1);
        expect(recordOf(world, 'killer')?.attempts).toBe('1');
      }
      await Promise.resolve();
      running.delete(orderId);
    });
    expect(await next.run([again(killer), ...['1', '2'].map((id) => message(id))])).toEqual([]);
    expect(company).toEqual([['killer']]);
  });

  it('what cannot be marked as started does not run', async () => {
    const world = createWorld();
    void world.worker(() => new Promise(() => undefined)).start([message('1')], milliseconds(900));
    await world.clock.settle();
    await world.clock.advance(milliseconds(40_000));
    let ran = false;
    const other = world.worker(() => {
      ran = true;
    });
    const item = {
      ...world.dynamodb.items(table).get(keyOf('1'))!,
      state: { S: 'IN_PROGRESS' },
      leaseEnd: { N: '1' },
    };
    world.dynamodb.put(table, item);
    world.dynamodb.intercept = ({ input }) => {
      const statement = (input as { Statements?: { Statement?: string }[] }).Statements?.[0]?.Statement ?? '';
      if (statement.includes('SET "started"=? WHERE')) throw serviceError('ThrottlingException');
    };
    const record = message('1', { messageId: '1', receives: 2 });
    expect(await other.run([record])).toEqual(['1']);
    expect(ran).toBe(false);
  });

  /** A process that can be killed: its calls stop getting through. */
  function createProcess(world: ReturnType<typeof createWorld>) {
    const killed = gate();
    let dead = false;
    const through = (client: { send(command: object): Promise<object> }) => ({
      send: (command: object) => (dead ? new Promise<object>(() => undefined) : client.send(command)),
    });
    return {
      killed: killed.opened,
      kill() {
        dead = true;
        killed.open();
      },
      worker: (handler: Parameters<typeof world.worker>[0], subscriber: 'email' | 'payments') =>
        world.worker(handler, { subscriber, sqs: through(world.sqs), dynamodb: through(world.dynamodb) }),
    };
  }
});
