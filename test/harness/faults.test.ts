import { defineMessaging, event, milliseconds, minutes, seconds } from 'sluice';
import { consume, publisher } from 'sluice/lambda';
import { createHarness, type Fault } from 'sluice/local';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const shop = defineMessaging({
  name: 'shop',
  topics: { orders: { fifo: true }, news: {} },
  events: {
    placed: event({
      topic: 'orders',
      schema: z.object({ id: z.string() }),
      key: ({ id }) => id,
      group: () => 'g',
    }),
    arrived: event({ topic: 'news', schema: z.object({ id: z.string() }), key: ({ id }) => id }),
  },
  subscribers: {
    payments: { on: ['placed'], fifo: true, handler: 'a.ts', lag: minutes(10) },
    readers: { on: ['arrived'], handler: 'b.ts', lag: minutes(10) },
  },
});

/** The stack under faults; what was handled, and how often. */
async function run(faults: readonly Fault[]) {
  const handled: string[] = [];
  const keep = ({ data }: { data: { id: string } }) => void handled.push(data.id);
  const harness = await createHarness(shop, {
    faults,
    handlers: {
      payments: (tools) => consume(shop, 'payments', keep, tools),
      readers: (tools) => consume(shop, 'readers', keep, tools),
    },
  });
  return { harness, handled, shopEvents: publisher(shop, harness.tools) };
}

const down = { error: { name: 'InternalFailure', statusCode: 500 } } as const;

describe('a plan of faults reaches what the model’s services do for each other', () => {
  test('the receives of an event source', async () => {
    const { harness, handled, shopEvents } = await run([
      { service: 'sqs', action: 'ReceiveMessage', where: isOf('shop-readers'), at: [1, 2, 3], effect: down },
      {
        action: 'ReceiveMessage',
        where: isOf('shop-payments.fifo'),
        at: 1,
        effect: { delay: milliseconds(900) },
      },
    ]);
    // The receives that wait already are not met: the next ones are.
    await harness.advance(seconds(21));
    await shopEvents.publish('arrived', { id: 'r' });
    await shopEvents.publish('placed', { id: 'p' });
    await harness.drain(minutes(1));
    expect(handled.sort()).toEqual(['p', 'r']);
    expect(harness.aws.faults.happened.map(({ action }) => action)).toEqual(Array(4).fill('ReceiveMessage'));
    harness.stop();
  });

  test('the deletes of an event source: the message comes back, and is suppressed', async () => {
    const { harness, handled, shopEvents } = await run([
      { service: 'sqs', action: 'DeleteMessageBatch', at: 1, effect: down },
    ]);
    await shopEvents.publish('arrived', { id: 'r' });
    const took = await harness.drain(minutes(30));
    expect(took).toBeGreaterThan(20);
    expect(handled).toEqual(['r']);
    expect(harness.queue('readers')).toMatchObject({ received: 2, deleted: 1 });
    harness.stop();
  });

  test('deliveries of a topic: tried again in order, refused into the dead-letter queue, doubled by a lost reply', async () => {
    const deliver = { service: 'sns', action: 'Deliver' } as const;
    const { harness, handled, shopEvents } = await run([
      { ...deliver, where: ({ MessageGroupId }) => MessageGroupId === 'g', at: [1, 2, 3, 4], effect: down },
      { ...deliver, where: has('lost'), at: 1, effect: { lostReply: true } },
      { ...deliver, where: has('refused'), at: 1, effect: { error: { name: 'AccessDenied' } } },
    ]);
    for (const id of ['1', '2', '3']) await shopEvents.publish('placed', { id });
    for (const id of ['lost', 'refused']) await shopEvents.publish('arrived', { id });
    await harness.advance(seconds(10));
    await harness.drain();
    expect(handled.filter((id) => /\d/.test(id))).toEqual(['1', '2', '3']);
    expect(harness.queue('readers').sent).toBe(2);
    expect(handled.filter((id) => /\D/.test(id))).toEqual(['lost']);
    const undelivered = harness.deployed.subscribers.readers?.subscriptionDeadLetterQueue.arn ?? '';
    expect(harness.aws.sqs.queue(undelivered)?.visible).toBe(1);
    expect(harness.aws.faults.happened).toHaveLength(6);
    harness.stop();
  });

  test('a delivery cannot be delayed, and that is said', async () => {
    const { harness } = await run([]);
    expect(() => harness.aws.faults.add({ action: 'Deliver', effect: { delay: milliseconds(1) } })).toThrow(
      'A delivery of SNS cannot be delayed',
    );
    harness.stop();
  });

  test('an error in the plan itself is not lost', async () => {
    const { harness } = await run([
      {
        action: 'ReceiveMessage',
        where: () => {
          throw new TypeError('the plan is wrong');
        },
        effect: down,
      },
    ]);
    await harness.advance(minutes(1));
    const lines = harness.logs.filter(({ message }) => message.includes('TypeError: the plan is wrong'));
    expect(lines.map(({ fields }) => fields.functionName).sort()).toEqual(['shop-payments', 'shop-readers']);
    harness.stop();
  });
});

function isOf(queue: string) {
  return ({ QueueUrl }: Readonly<Record<string, unknown>>) => String(QueueUrl).endsWith(`/${queue}`);
}

function has(id: string) {
  return ({ MessageBody }: Readonly<Record<string, unknown>>) => String(MessageBody).includes(`"id":"${id}"`);
}
