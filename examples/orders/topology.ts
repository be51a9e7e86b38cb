import { defineMessaging, event, minutes, seconds } from 'sluice';
import * as v from 'valibot';

/**
 * An order as the shop publishes it. valibot checks it, since every handler's bundle holds the schema library and
 * valibot adds about 2 KB for this schema where zod 4 adds tens of them.
 */
export const OrderPlaced = v.object({
  /** Names the order for ever. */
  orderId: v.pipe(v.number(), v.integer(), v.minValue(1)),
  customerId: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** The day of the order, `1997-01-01`. */
  date: v.pipe(v.string(), v.isoDate()),
  /** Pieces ordered. */
  quantity: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** Whole cents, so that sums stay exact. */
  amountCents: v.pipe(v.number(), v.integer(), v.minValue(0)),
});

/** An order, checked. */
export type Order = v.InferOutput<typeof OrderPlaced>;

/**
 * The order pipeline: one topic, one event, five subscribers that know nothing of each other.
 *
 * Sizes are chosen for one machine with 2 cores that plays the whole cloud, so the number of environments is kept
 * small and their batches large: 11 environments in all. On AWS the same declaration runs with higher
 * `concurrency`; nothing else changes.
 *
 * - `payments` asks a provider that takes 900 orders a second; the burst peaks above that, so it must queue. Groups of a
 *   batch run side by side and a customer's orders one after another, so a batch of 10 lasts as long as its
 *   longest group: on 2 cores 3 environments get near the provider's rate once the burst is over.
 * - `inventory` and `analytics` are transactional: their handlers return their writes, which commit with the records of
 *   the whole batch.
 * - `email`, `analytics` and `fraud` are standard queues with batches of 100 gathered for a second: records cost little
 *   when they travel together.
 *
 * Visibility is twice the timeout, not AWS's six times: the heartbeat extends it while a batch runs and the
 * concurrency bound keeps Lambda from throttling, so it only says how soon the batch of a killed worker is back.
 */
export const orders = defineMessaging({
  name: 'orders',
  topics: { orders: { fifo: true } },
  events: {
    'order.placed': event({
      topic: 'orders',
      schema: OrderPlaced,
      key: (order) => order.orderId,
      group: (order) => order.customerId,
    }),
  },
  subscribers: {
    payments: {
      on: ['order.placed'],
      fifo: true,
      handler: 'payments.ts',
      lag: minutes(1),
      // Money waits here: to be told before the SLO is broken is worth $3.70 a month (docs/watch.md). The others tell
      // when it is.
      alarms: 'full',
      timeout: seconds(6),
      visibilityTimeout: seconds(12),
      lease: seconds(6),
      concurrency: 3,
      attempts: 5,
      backoff: { base: seconds(1), cap: seconds(4) },
    },
    inventory: {
      on: ['order.placed'],
      fifo: true,
      handler: 'inventory.ts',
      effects: 'transactional',
      lag: minutes(1),
      timeout: seconds(6),
      visibilityTimeout: seconds(12),
      lease: seconds(6),
      concurrency: 2,
    },
    email: {
      on: ['order.placed'],
      handler: 'email.ts',
      lag: minutes(2),
      timeout: seconds(6),
      visibilityTimeout: seconds(12),
      lease: seconds(6),
      concurrency: 2,
      batchSize: 100,
      batchWindow: seconds(1),
    },
    analytics: {
      on: ['order.placed'],
      handler: 'analytics.ts',
      effects: 'transactional',
      lag: minutes(5),
      timeout: seconds(6),
      visibilityTimeout: seconds(12),
      lease: seconds(6),
      concurrency: 2,
      batchSize: 100,
      batchWindow: seconds(1),
    },
    fraud: {
      on: ['order.placed'],
      handler: 'fraud.ts',
      // Tight, so that the outage of the run shows on the page as a breach.
      lag: seconds(15),
      timeout: seconds(6),
      visibilityTimeout: seconds(12),
      lease: seconds(6),
      concurrency: 2,
      batchSize: 100,
      batchWindow: seconds(1),
      // An outage of minutes must not use up the attempts: 20 of them, with waits of up to 10 seconds.
      attempts: 20,
      backoff: { base: seconds(4), cap: seconds(10) },
    },
  },
});
