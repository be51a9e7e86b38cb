import { GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { defineMessaging, event, hours, milliseconds, minutes, seconds } from 'sluice';
import { consume, PermanentError, publisher } from 'sluice/lambda';
import { createHarness } from 'sluice/local';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sleep } from '../../lib/base/index.ts';

const shop = defineMessaging({
  name: 'shop',
  topics: { orders: { fifo: true }, news: {} },
  events: {
    placed: event({
      topic: 'orders',
      schema: z.object({ id: z.string(), customer: z.string() }),
      key: (order) => order.id,
      group: (order) => order.customer,
    }),
    arrived: event({ topic: 'news', schema: z.object({ text: z.string() }) }),
    sold: event({ topic: 'news', schema: z.object({ text: z.string() }) }),
  },
  subscribers: {
    payments: { on: ['placed'], fifo: true, handler: 'a.ts', lag: seconds(60), attempts: 3 },
    readers: { on: ['arrived'], handler: 'b.ts', lag: minutes(5) },
  },
});

describe('a test sees its stack', () => {
  test('what nobody consumes waits, and filters hold', async () => {
    const harness = await createHarness(shop);
    const till = publisher(shop, harness.tools);
    await till.publish('placed', { id: '1', customer: 'a' });
    await till.publish('arrived', { text: 'x' });
    await till.publish('sold', { text: 'y' });
    await harness.advance(minutes(2));
    expect(harness.queue('payments')).toMatchObject({ visible: 1, fifo: true, oldestAge: 120_000 });
    expect(harness.queue('readers')).toMatchObject({ visible: 1, fifo: false });
    harness.stop();
  });

  test('a dead letter shows its reason and stays where it is', async () => {
    const harness = await createHarness(shop, {
      handlers: {
        payments: (tools) =>
          consume(
            shop,
            'payments',
            () => {
              throw new PermanentError('the card was stolen');
            },
            tools,
          ),
      },
    });
    await publisher(shop, harness.tools).publish('placed', { id: '1', customer: 'a' });
    await harness.drain();
    for (let look = 0; look < 2; look++)
      expect(await harness.deadLetters('payments')).toMatchObject([
        { groupId: 'a', attributes: { 'sluice-reason': 'permanent', type: 'placed' } },
      ]);
    expect(JSON.parse((await harness.deadLetters('payments'))[0]?.body ?? '')).toMatchObject({
      data: { id: '1' },
    });
    expect(harness.logs.some(({ level }) => level === 'error' || level === 'warn')).toBe(true);
    expect(harness.records()).toHaveLength(1);
    harness.stop();
  });

  test('a dead letter that a standard queue gives twice is shown once', async () => {
    const harness = await createHarness(shop, {
      sqs: { duplicateRate: 1 },
      handlers: {
        readers: (tools) =>
          consume(
            shop,
            'readers',
            () => {
              throw new PermanentError('unreadable');
            },
            tools,
          ),
      },
    });
    await publisher(shop, harness.tools).publish('arrived', { text: 'x' });
    await harness.advance(minutes(10));
    const letters = await harness.deadLetters('readers');
    expect(letters.length).toBeGreaterThan(0);
    expect(new Set(letters.map(({ messageId }) => messageId)).size).toBe(letters.length);
    harness.stop();
  });

  test('every dead letter is shown, of one group as well, whatever faults are planned', async () => {
    const harness = await createHarness(shop, {
      handlers: {
        payments: (tools) =>
          consume(
            shop,
            'payments',
            () => {
              throw new PermanentError('no');
            },
            tools,
          ),
      },
    });
    const till = publisher(shop, harness.tools);
    for (let id = 1; id <= 25; id++) await till.publish('placed', { id: String(id), customer: 'one' });
    await harness.drain();
    harness.aws.faults.add({
      service: 'sqs',
      action: 'ReceiveMessage',
      where: ({ QueueUrl }: { QueueUrl?: string }) =>
        QueueUrl === harness.deployed.subscribers.payments?.deadLetterQueue.url,
      at: 1,
      effect: { delay: milliseconds(1000) },
    });
    expect(await harness.deadLetters('payments')).toHaveLength(25);
    expect(await harness.deadLetters('payments')).toHaveLength(25);
    harness.stop();
  });

  test('what handlers count arrives in CloudWatch', async () => {
    const harness = await createHarness(shop, {
      handlers: { payments: (tools) => consume(shop, 'payments', () => {}, tools) },
    });
    const till = publisher(shop, harness.tools);
    for (const id of ['1', '2', '3']) await till.publish('placed', { id, customer: id });
    await harness.drain();
    await harness.advance(minutes(10));
    const now = harness.clock.now();
    const { Datapoints = [] } = await harness.tools.cloudwatch.send(
      new GetMetricStatisticsCommand({
        Namespace: 'sluice',
        MetricName: 'processed',
        Dimensions: [{ Name: 'subscriber', Value: 'payments' }],
        StartTime: new Date(now - 3_600_000),
        EndTime: new Date(now),
        Period: 3600,
        Statistics: ['Sum'],
      }),
    );
    expect(Datapoints.reduce((sum, point) => sum + (point.Sum ?? 0), 0)).toBe(3);
    harness.stop();
  });

  test('a killed handler starts again when its lease has ended, and the event is done', async () => {
    let started = 0;
    const harness = await createHarness(shop, {
      handlers: {
        payments: (tools) =>
          consume(
            shop,
            'payments',
            async () => {
              started += 1;
              if (started === 1) await new Promise(() => {});
            },
            tools,
          ),
      },
    });
    await publisher(shop, harness.tools).publish('placed', { id: '1', customer: 'a' });
    await harness.advance(seconds(5));
    expect(started).toBe(1);
    expect(harness.kill('payments')).toBe(true);
    expect(harness.kill('payments')).toBe(false);
    const took = await harness.drain(minutes(10));
    expect(started).toBe(2);
    expect(took).toBeLessThan(90);
    harness.stop();
  });

  test('a killed handler does nothing any more: no timer and no answer reaches it', async () => {
    const seen: string[] = [];
    let calls = 0;
    const harness = await createHarness(shop, {
      handlers: {
        readers: (tools) => async () => {
          await sleep(tools.clock, milliseconds(10_000));
          calls += 1;
          const QueueUrl = harness.queue('readers').url;
          await tools.sqs
            .send(new SendMessageCommand({ QueueUrl, MessageBody: 'from the dead' }))
            .catch((error: Error) => seen.push(error.name));
        },
      },
    });
    await publisher(shop, harness.tools).publish('arrived', { text: 'x' });
    await harness.advance(seconds(2));
    harness.kill('readers');
    await harness.advance(seconds(9));
    expect({ seen, calls }).toEqual({ seen: [], calls: 0 });
    expect(harness.queue('readers').sent).toBe(1);
    harness.stop();
  });

  test('what does not drain is named', async () => {
    const harness = await createHarness(shop, {
      handlers: {
        readers:
          () =>
          ({ Records }) => ({
            batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })),
          }),
      },
    });
    await publisher(shop, harness.tools).publish('arrived', { text: 'x' });
    await expect(harness.drain(minutes(1))).rejects.toThrow(
      'After 60 s there are messages left: shop-readers: 0 wait, 1 in flight.',
    );
    harness.stop();
  });

  test('hours pass in order, and the same seed gives the same run', async () => {
    const run = async (seed: number) => {
      const handled: string[] = [];
      const harness = await createHarness(shop, {
        seed,
        sqs: { duplicateRate: 0.2 },
        faults: [
          {
            service: 'sqs',
            action: 'DeleteMessageBatch',
            at: { chance: 0.2 },
            effect: { error: { name: 'InternalFailure', statusCode: 500 } },
          },
        ],
        handlers: {
          readers: (tools) =>
            consume(
              shop,
              'readers',
              ({ data }, { attempt }) => {
                if (tools.random.next() < 0.3 && attempt < 3) throw new Error('not now');
                handled.push(`${tools.clock.now()} ${data.text}`);
              },
              tools,
            ),
        },
      });
      const till = publisher(shop, harness.tools);
      for (let count = 0; count < 20; count++) {
        await till.publish('arrived', { text: String(count) });
        await harness.advance(seconds(10));
      }
      await harness.drain(hours(10));
      harness.stop();
      return handled;
    };
    const first = await run(3);
    expect(new Set(first.map((entry) => entry.split(' ')[1])).size).toBe(20);
    expect(first).toHaveLength(20);
    expect(await run(3)).toEqual(first);
    expect(await run(4)).not.toEqual(first);
  });
});

test('the clients of the harness speak to the same stack', async () => {
  const harness = await createHarness(shop, { start: milliseconds(0) });
  expect(harness.clock.now()).toBe(0);
  const { url } = harness.deployed.subscribers.readers?.queue ?? { url: '' };
  await harness.tools.sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'by hand' }));
  expect(harness.queue('readers').visible).toBe(1);
  expect(() => harness.queue('nobody' as 'readers')).toThrow(
    'No subscriber is named "nobody"; there are payments, readers.',
  );
  harness.stop();
});
