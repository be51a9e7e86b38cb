import { defineMessaging, event, minutes, seconds } from 'sluice';
import { publisher } from 'sluice/lambda';
import type { HarnessTools } from 'sluice/local';
import { z } from 'zod';

/** What the suites of this folder simulate. */
export const shop = defineMessaging({
  name: 'shop',
  topics: { orders: { fifo: true }, news: {} },
  events: {
    placed: event({
      topic: 'orders',
      schema: z.object({ id: z.string(), customer: z.string(), cents: z.number() }),
      key: ({ id }) => id,
      group: ({ customer }) => customer,
    }),
    arrived: event({ topic: 'news', schema: z.object({ id: z.string() }), key: ({ id }) => id }),
  },
  subscribers: {
    payments: { on: ['placed'], fifo: true, handler: 'a.ts', lag: seconds(60), timeout: minutes(15) },
    readers: { on: ['arrived'], handler: 'b.ts', lag: minutes(5), timeout: minutes(2) },
  },
});

/** Publishes an event of each of the ids. */
export async function arrive({ tools }: { readonly tools: HarnessTools }, ...ids: string[]) {
  const events = publisher(shop, tools);
  for (const id of ids) await events.publish('arrived', { id });
}

/** Publishes an order. */
export async function place({ tools }: { readonly tools: HarnessTools }, id: string, customer = 'c-1') {
  await publisher(shop, tools).publish('placed', { id, customer, cents: 1200 });
}

/** When every simulation starts, unless it says otherwise. */
export const start = Date.UTC(2026, 0, 1);
