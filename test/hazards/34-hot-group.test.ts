import { defineMessaging, event, milliseconds, minutes, seconds } from 'sluice';
import { consume, publisher } from 'sluice/lambda';
import { createHarness, seededRandom } from 'sluice/local';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sleep } from '../../lib/base/index.ts';
import { watch } from './support/alarms.ts';

const order = z.object({ id: z.number(), customer: z.string() });

const declare = (group: (data: z.infer<typeof order>) => string) =>
  defineMessaging({
    name: 'shop',
    topics: { orders: { fifo: true } },
    events: { placed: event({ topic: 'orders', schema: order, key: ({ id }) => id, group }) },
    subscribers: {
      stock: {
        on: ['placed'],
        fifo: true,
        handler: 'stock.ts',
        lag: minutes(1),
        timeout: seconds(60),
        concurrency: 12,
        alarms: 'full',
      },
    },
  });

/** Twenty-five minutes in which one customer of many sends three quarters of all orders. */
async function play(group: (data: z.infer<typeof order>) => string) {
  const shop = declare(group);
  const waits = { hot: [] as number[], others: [] as number[] };
  const published = new Map<number, number>();
  const harness = await createHarness(shop, {
    handlers: {
      stock: (tools) =>
        consume(
          shop,
          'stock',
          async ({ data }) => {
            const wait = (tools.clock.now() - (published.get(data.id) ?? 0)) / 1000;
            waits[data.customer === 'hot' ? 'hot' : 'others'].push(wait);
            await sleep(tools.clock, milliseconds(1_000));
          },
          tools,
        ),
    },
  });
  const fired = await watch(harness, shop);
  const events = publisher(shop, harness.tools);
  const random = seededRandom(34);
  const length = 25 * 60;
  for (let second = 0, id = 0; second < length; second++) {
    for (let each = 0; each < 2; each++) {
      const customer = random.next() < 0.75 ? 'hot' : `c-${Math.floor(random.next() * 50)}`;
      published.set(id, harness.clock.now());
      await events.publish('placed', { id: id++, customer });
    }
    await harness.advance(seconds(1));
  }
  const { visible } = harness.queue('stock');
  harness.stop();
  const longest = (values: readonly number[]) => Math.max(...values);
  return { fired, visible, hot: longest(waits.hot), others: longest(waits.others) };
}

describe('34: a hot group caps itself, does not hide the others, and is told', () => {
  test('its own orders wait, those of others do not, and the alarm of idle workers beside a backlog fires', async () => {
    const { fired, visible, hot, others } = await play(({ customer }) => customer);
    expect(visible).toBeGreaterThan(200);
    expect(hot).toBeGreaterThan(120);
    expect(others).toBeLessThan(60);
    expect(fired).toContain('stock-I2-hot-group');
  });

  test('with a key that spreads the hot customer over groups there is no backlog and no alarm', async () => {
    const { fired, hot, others } = await play(({ customer, id }) => `${customer}#${id % 8}`);
    expect(hot).toBeLessThan(60);
    expect(others).toBeLessThan(60);
    expect(fired).toEqual([]);
  });
});
