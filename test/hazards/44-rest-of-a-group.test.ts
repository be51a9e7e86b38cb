import { defineMessaging, event, minutes, seconds } from 'sluice';
import { consume, publisher, RetryLater } from 'sluice/lambda';
import { createHarness, type HarnessTools } from 'sluice/local';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createWorld, message, recordOf } from '../runtime/support/world.ts';

const Order = z.object({ id: z.string(), group: z.string() });

const shop = defineMessaging({
  name: 'shop',
  topics: { orders: { fifo: true } },
  events: {
    placed: event({ topic: 'orders', schema: Order, key: ({ id }) => id, group: ({ group }) => group }),
  },
  subscribers: {
    payments: { on: ['placed'], fifo: true, handler: 'a.ts', lag: minutes(60), attempts: 5 },
  },
});

describe('44: after its head a group does not wait any longer', () => {
  it('the rest runs as soon as the head is done, whatever it had to wait itself', async () => {
    const done = new Map<string, number>();
    let declines = 3;
    const harness = await createHarness(shop, {
      handlers: {
        payments: (tools: HarnessTools) =>
          consume(
            shop,
            'payments',
            ({ data }) => {
              if (data.id === '0' && declines-- > 0) throw new RetryLater({ after: seconds(40) });
              done.set(data.id, tools.clock.now());
            },
            tools,
          ),
      },
    });
    const till = publisher(shop, harness.tools);
    const started = harness.clock.now();
    for (let index = 0; index < 6; index++) await till.publish('placed', { id: `${index}`, group: 'a' });
    await harness.drain(minutes(10));
    expect([...done.keys()]).toEqual(['0', '1', '2', '3', '4', '5']);
    expect(done.get('0')! - started).toBeGreaterThanOrEqual(120_000);
    expect(done.get('5')! - done.get('0')!).toBeLessThan(1_500);
    harness.stop();
  });

  it('the rest is visible at once and before its head, the head after its backoff, in one call', async () => {
    const world = createWorld({ random: { next: () => 0.999 } });
    const worker = world.worker(
      (event) => {
        if (event.data.orderId === '1') throw new Error('down');
      },
      { subscriber: 'payments' },
    );
    const ids = ['0', '1', '2', '3'];
    await worker.run(ids.map((id) => message(id, { group: 'a', messageId: id })));

    expect(world.sqs.calls).toHaveLength(1);
    expect(world.sqs.visibilities).toEqual([
      ['handle 3', 0],
      ['handle 2', 0],
      ['handle 1', 1],
    ]);
    // Untouched: released without an attempt, so that it can be claimed at once.
    expect(recordOf(world, '2', 'payments')).toMatchObject({
      state: 'RELEASED',
      attempts: '0',
      leaseEnd: '0',
    });
    expect(recordOf(world, '1', 'payments')).toMatchObject({ state: 'RELEASED', attempts: '1' });
  });
});
