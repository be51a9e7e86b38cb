import { defineMessaging, event, minutes, seconds } from 'sluice';
import { consume, publisher } from 'sluice/lambda';
import { createHarness } from 'sluice/local';
import { expect, test } from 'vitest';
import { z } from 'zod';

const shop = defineMessaging({
  name: 'shop',
  topics: { orders: { fifo: true } },
  events: {
    'order.placed': event({
      topic: 'orders',
      schema: z.object({ orderId: z.string(), amount: z.number() }),
      key: (order) => order.orderId,
    }),
  },
  subscribers: { payments: { on: ['order.placed'], fifo: true, handler: 'payments.ts', lag: seconds(60) } },
});

// The example of createHarness's documentation, word for word.
test('a declined card is tried again, and charged once', async () => {
  const charged: string[] = [];
  let declines = 1;
  const harness = await createHarness(shop, {
    handlers: {
      payments: (tools) =>
        consume(
          shop,
          'payments',
          (event) => {
            if (declines-- > 0) throw new Error('declined');
            charged.push(event.data.orderId);
          },
          tools,
        ),
    },
  });
  const till = publisher(shop, harness.tools);
  await till.publish('order.placed', { orderId: 'o-1', amount: 12 });
  await till.publish('order.placed', { orderId: 'o-1', amount: 12 });
  await harness.drain(minutes(5));

  expect(charged).toEqual(['o-1']);
  expect(await harness.deadLetters('payments')).toEqual([]);
  harness.stop();
});
