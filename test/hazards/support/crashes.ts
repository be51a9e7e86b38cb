import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { defineMessaging, event, minutes, type Seconds, seconds } from 'sluice';
import { consume, type HandlerContext, publisher } from 'sluice/lambda';
import { createHarness, type Harness, type HarnessTools } from 'sluice/local';
import { OrderPlaced } from '../../runtime/support/world.ts';

export const jobs = defineMessaging({
  name: 'jobs',
  topics: { orders: {} },
  events: { 'order.placed': event({ topic: 'orders', schema: OrderPlaced, key: (order) => order.orderId }) },
  subscribers: {
    short: { on: ['order.placed'], handler: 'short.ts', lag: minutes(60) },
    long: { on: ['order.placed'], handler: 'long.ts', lag: minutes(60), timeout: seconds(900) },
  },
});

export type Jobs = Harness<typeof jobs>;
export type JobHandler = (orderId: string, context: HandlerContext, tools: HarnessTools) => Promise<void>;

/** Where a process dies: at its n-th call of a service, before the call or after it. */
export interface Crash {
  readonly service: 'dynamodb' | 'sqs';
  readonly call: number;
  readonly phase: 'before' | 'after';
}

/** A stack whose function runs `handle`, and dies where it is told to, once. */
export async function crashing(
  subscriber: 'short' | 'long',
  handle: JobHandler,
  crash?: Crash,
): Promise<Jobs> {
  let left = crash?.call ?? 0;
  const harness: Jobs = await createHarness(jobs, {
    handlers: {
      [subscriber]: (tools: HarnessTools) => {
        const watched =
          crash === undefined ? tools : { ...tools, [crash.service]: dying(tools[crash.service]) };
        return consume(
          jobs,
          subscriber,
          ({ data }, context) => handle(data.orderId, context, tools),
          watched,
        );
      },
    },
  });
  /** A client that takes its process down at the call; a dead process hears no answer. */
  const dying = (client: { send(command: object): Promise<object> }) => ({
    async send(command: object) {
      const dies = crash !== undefined && --left === 0;
      if (!dies) return client.send(command);
      if (crash.phase === 'after') await client.send(command);
      harness.kill(subscriber);
      return new Promise<object>(() => undefined);
    },
  });
  return harness;
}

/** Publishes one order and waits until no message is left; how long that took. */
export async function publishOne(harness: Jobs, within: Seconds = minutes(240)): Promise<Seconds> {
  await publisher(jobs, harness.tools).publish('order.placed', { orderId: '1' });
  return harness.drain(within);
}

/** The record of the order. */
export const recordIn = (harness: Jobs, subscriber: string) =>
  harness.records().find(({ pk }) => pk?.S?.startsWith(`${subscriber}#`));

/** An effect in the table of records, which shows how often it happened. */
export const count = (harness: Jobs): TransactWriteItem => ({
  Update: {
    TableName: harness.deployed.recordsTable,
    Key: { pk: { S: 'effects' } },
    UpdateExpression: 'ADD n :one',
    ExpressionAttributeValues: { ':one': { N: '1' } },
  },
});

/** How often {@link count} happened. */
export const counted = (harness: Jobs): number =>
  Number(harness.records().find(({ pk }) => pk?.S === 'effects')?.n?.N ?? 0);
