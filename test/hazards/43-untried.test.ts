import { defineMessaging, event, minutes, seconds } from 'sluice';
import { consume, publisher } from 'sluice/lambda';
import { createHarness, type HarnessTools } from 'sluice/local';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createWorld, message } from '../runtime/support/world.ts';

const Order = z.object({ id: z.string(), group: z.string() });

const shop = defineMessaging({
  name: 'shop',
  topics: { orders: { fifo: true } },
  events: {
    placed: event({ topic: 'orders', schema: Order, key: ({ id }) => id, group: ({ group }) => group }),
  },
  subscribers: {
    payments: {
      on: ['placed'],
      fifo: true,
      handler: 'a.ts',
      lag: minutes(60),
      attempts: 5,
      backoff: { base: seconds(1), cap: seconds(20) },
    },
  },
});

describe('43: a message behind a failing head is not dead-lettered before it was tried', () => {
  it('however many heads of its group fail one after another, each is tried as often as was declared', async () => {
    const tries = new Map<string, number>();
    const harness = await createHarness(shop, {
      handlers: {
        payments: (tools: HarnessTools) =>
          consume(
            shop,
            'payments',
            ({ data }) => {
              tries.set(data.id, (tries.get(data.id) ?? 0) + 1);
              if (data.id !== '11') throw new Error('down');
            },
            tools,
          ),
      },
    });
    const till = publisher(shop, harness.tools);
    const ids = Array.from({ length: 12 }, (_, index) => `${index}`);
    for (const id of ids) await till.publish('placed', { id, group: 'a' });
    await harness.drain(minutes(120));

    const letters = await harness.deadLetters('payments');
    expect(letters.map(({ attributes }) => attributes['sluice-reason'])).toEqual(Array(11).fill('attempts'));
    expect([...tries]).toEqual(ids.map((id) => [id, id === '11' ? 1 : 5]));
    // Far more often than the attempts were the last ones received: they came with each try of the others.
    expect(harness.queue('payments').received).toBeGreaterThan(250);
    harness.stop();
  });

  it('a message that cannot be read waits for its turn too', async () => {
    const world = createWorld();
    const worker = world.worker(
      () => {
        throw new Error('down');
      },
      { subscriber: 'payments' },
    );
    const records = [
      message('0', { group: 'a', messageId: 'head' }),
      message('1', { group: 'a', messageId: 'poison', body: '{}' }),
    ];
    expect(await worker.run(records)).toEqual(['head', 'poison']);
    expect(world.sqs.letters).toEqual([]);
    expect(world.sqs.visibilityOf('poison')).toBe(0);
  });
});
