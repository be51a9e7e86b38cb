import { defineMessaging, event, minutes } from 'sluice';
import { consume, publisher } from 'sluice/lambda';
import { createHarness, type HarnessTools } from 'sluice/local';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { milliseconds, sleep } from '../../lib/base/index.ts';
import { createWorld, finish, gate, message, recordOf } from '../runtime/support/world.ts';

const Order = z.object({ id: z.string(), group: z.string() });

const shop = defineMessaging({
  name: 'shop',
  topics: { orders: { fifo: true } },
  events: {
    placed: event({ topic: 'orders', schema: Order, key: ({ id }) => id, group: ({ group }) => group }),
  },
  subscribers: {
    payments: { on: ['placed'], fifo: true, handler: 'a.ts', lag: minutes(60), timeout: minutes(15) },
  },
});

describe('49: what a batch has finished does not come back before the batch is answered', () => {
  it('in a batch that takes minutes no group runs in parallel, and nothing is received twice', async () => {
    const running: string[] = [];
    const done: string[] = [];
    const harness = await createHarness(shop, {
      handlers: {
        payments: (tools: HarnessTools) =>
          consume(
            shop,
            'payments',
            async ({ data }) => {
              expect(running).not.toContain(data.group);
              running.push(data.group);
              await sleep(tools.clock, milliseconds(80_000));
              running.splice(running.indexOf(data.group), 1);
              done.push(data.id);
            },
            tools,
          ),
      },
    });
    const till = publisher(shop, harness.tools);
    const ids = Array.from({ length: 10 }, (_, index) => `${index}`);
    for (const id of ids) await till.publish('placed', { id, group: 'a' });
    await harness.drain(minutes(60));
    expect(done).toEqual(ids);
    expect(harness.queue('payments')).toMatchObject({ received: 10, deleted: 10 });
    expect(await harness.deadLetters('payments')).toEqual([]);
    harness.stop();
  });

  it('the heartbeat covers every message of the batch, finished ones too, until the response', async () => {
    const world = createWorld();
    const busy = gate();
    const worker = world.worker((event) => (event.data.orderId === '1' ? busy.opened : undefined), {
      subscriber: 'payments',
    });
    const running = worker.start(
      [message('0', { group: 'a', messageId: '0' }), message('1', { group: 'a', messageId: '1' })],
      milliseconds(900_000),
    );
    await world.clock.advance(milliseconds(45_000));
    // 1 s, 11 s, 21 s, 31 s, 41 s.
    expect(world.sqs.visibilities.filter(([handle]) => handle === 'handle 0')).toHaveLength(5);
    expect(recordOf(world, '0', 'payments')?.state).toBe('COMPLETED');
    busy.open();
    expect((await finish(world.clock, running)).batchItemFailures).toEqual([]);
  });
});
