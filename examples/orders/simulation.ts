import { CreateTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { milliseconds } from 'sluice';
import type { AwsModel, HarnessTools } from 'sluice/local';
import { addToRevenue } from './business/analytics.ts';
import { confirm } from './business/email.ts';
import { assess } from './business/fraud.ts';
import { takeFromStock } from './business/inventory.ts';
import type { Outside } from './business/outside.ts';
import { charge } from './business/payments.ts';
import { customerKey, dayKey, shelfKey, shelves } from './tables.ts';
import { type Order, orders } from './topology.ts';
import { createFraudService, createMailServer, createProvider, type Reply } from './world/index.ts';

/*
 * The example on the virtual clock: its own handlers, and the systems outside in memory. `npx sluice simulate --example
 * orders` plays it under faults, and reads its effects where the example leaves them: in the provider's ledger, the
 * tables of stock and revenue, the mail server's outbox and the fraud service's log.
 */

/** An effect, by the order that it belongs to. */
export interface OrderEffect {
  readonly orderId: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** What may go wrong with calls to systems outside. */
export interface OutsideTroubles {
  /** A number in [0, 1). */
  readonly chance: () => number;
  /** The call is carried out, and its answer never arrives. */
  readonly lostReplies: boolean;
  /** The system answers with an error of its own. */
  readonly refusals: boolean;
  /** It takes seconds. */
  readonly slowness: boolean;
}

/** How often each of the troubles meets a call. */
const shares = { lostReply: 0.04, refusal: 0.05, slowness: 0.05 } as const;

/** Milliseconds of a call to a system outside: on its way, and back. */
const latency = { usual: 20, slow: 7_000 } as const;

const addresses = { payments: 'https://payments', mail: 'https://mail', fraud: 'https://fraud' } as const;
const tables = { stock: 'stock', revenue: 'revenue' } as const;

/**
 * An order for a simulation. Each has a day of its own, so that the revenue of a day tells how often its order was
 * counted; shelves hold few pieces, so that some orders become back orders.
 */
export function orderOf(orderId: number, customerId: number, chance: () => number): Order {
  const date = new Date(Date.UTC(1997, 0, 1) + orderId * 86_400_000).toISOString().slice(0, 10);
  return {
    orderId,
    customerId,
    date,
    quantity: 1 + Math.floor(chance() * 3),
    amountCents: Math.floor(chance() * 60_000),
  };
}

/** How each subscriber makes its effects. */
export const ways = {
  payments: 'keyed',
  inventory: 'transaction',
  email: 'unkeyed',
  analytics: 'transaction',
  fraud: 'unkeyed',
} as const satisfies Readonly<Record<keyof typeof orders.subscribers, string>>;

/**
 * The example's world in memory.
 *
 * @param brokenOrders - orders to which the payment provider answers with an error for ever
 */
export function createWorld(brokenOrders: readonly number[], troubles: OutsideTroubles) {
  let now = () => 0;
  const moment = () => now();
  const provider = createProvider({ ratePerSecond: 10, declineFromCents: 50_000, brokenOrders, now: moment });
  const mail = createMailServer(moment);
  const fraud = createFraudService(moment);

  const serve = (url: string, body: unknown, headers: Readonly<Record<string, string>>): Reply => {
    const { chance, refusals } = troubles;
    if (refusals && chance() < shares.refusal) return { status: 503, body: { error: 'not now' } };
    if (url.startsWith(addresses.payments)) return provider.charge(headers['idempotency-key'], body);
    if (url.startsWith(addresses.mail)) return mail.accept(body);
    return fraud.assess(Number(url.split('/').at(-1)), body);
  };
  /** The world as one environment sees it: on its clock, which stands still with it. */
  const outsideOf = ({ clock, random }: HarnessTools): Outside => {
    const pause = (length: number, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const fail = () => {
          timer.cancel();
          reject(signal.reason);
        };
        const timer = clock.after(milliseconds(length), () => {
          signal.removeEventListener('abort', fail);
          resolve();
        });
        if (signal.aborted) fail();
        else signal.addEventListener('abort', fail, { once: true });
      });
    return {
      now: () => clock.now(),
      random: () => random.next(),
      pause,
      async send(_method, url, body, { signal, headers = {} }) {
        const { chance, lostReplies, slowness } = troubles;
        const slow = slowness && chance() < shares.slowness;
        const way = (slow ? chance() * latency.slow : latency.usual) / 2;
        await pause(way, signal);
        const reply = serve(url, body, headers);
        if (lostReplies && chance() < shares.lostReply) throw new Error('The connection broke (ECONNRESET)');
        await pause(way, signal);
        return { status: reply.status, headers: reply.headers ?? {}, body: JSON.stringify(reply.body) };
      },
    };
  };

  return {
    /** Makes the tables, with pieces on the shelves. */
    async open({ dynamodb, clock }: HarnessTools): Promise<void> {
      now = () => clock.now();
      for (const TableName of Object.values(tables))
        await dynamodb.send(
          new CreateTableCommand({
            TableName,
            BillingMode: 'PAY_PER_REQUEST',
            AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
            KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
          }),
        );
      for (let shelf = 0; shelf < shelves; shelf += 2)
        await dynamodb.send(
          new PutItemCommand({
            TableName: tables.stock,
            Item: { pk: { S: shelfKey(shelf) }, available: { N: '2' } },
          }),
        );
    },
    /** The example's own handlers. */
    handlers: {
      payments: (tools: HarnessTools) => charge(addresses.payments, outsideOf(tools)),
      inventory: (tools: HarnessTools) => takeFromStock(tables.stock, outsideOf(tools)),
      email: (tools: HarnessTools) => confirm(addresses.mail, outsideOf(tools)),
      analytics: (tools: HarnessTools) => addToRevenue(tables.revenue, outsideOf(tools)),
      fraud: (tools: HarnessTools) => assess(addresses.fraud, outsideOf(tools)),
    },
    /** What the stores hold for a subscriber of what was ordered; within a customer in the order in which it happened. */
    happened(subscriber: keyof typeof ways, sent: readonly Order[], aws: AwsModel): OrderEffect[] {
      if (subscriber === 'payments') return [...provider.ledger];
      if (subscriber === 'email') return [...mail.outbox];
      if (subscriber === 'fraud') return [...fraud.log];
      const items = aws.dynamodb.items(tables[subscriber === 'inventory' ? 'stock' : 'revenue']);
      const item = (key: string) => items.find(({ pk }) => pk?.S === key);
      if (subscriber === 'analytics')
        return sent.flatMap(({ date, orderId }) => {
          const counted = Number(item(dayKey(date, orderId))?.orders?.N ?? 0);
          return Array.from({ length: counted }, () => ({ orderId, at: 0 }));
        });
      const customers = new Set(sent.map(({ customerId }) => customerKey(customerId)));
      return [...customers].flatMap((key) =>
        (item(key)?.orders?.L ?? []).map(({ M }) => ({ orderId: Number(M?.id?.N), at: 0 })),
      );
    },
  };
}

export { orders };
