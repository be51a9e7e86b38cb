import type { PublishCommandInput } from '@aws-sdk/client-sns';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import fc from 'fast-check';
import { PublishRefused, publisher } from 'sluice/lambda';
import { describe, expect, it } from 'vitest';
import { messageBytes } from '../../lambda/runtime/batches.ts';
import { seededRandom } from '../../lib/base/index.ts';
import { milliseconds } from '../../lib/topology/index.ts';
import { createVirtualClock } from '../../local/clock.ts';
import { serviceError } from './support/dynamodb.ts';
import { createTopic } from './support/topic.ts';
import { finish, type Order, shop } from './support/world.ts';

describe('one event is published with what names and orders it', () => {
  it('has a CloudEvents envelope, ids from the declaration, the type and the trace as attributes', async () => {
    const topic = createTopic();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const data = { orderId: '7', customerId: 'c', amount: 3 };
    const result = await topic.events.publish('order.placed', data, { traceparent });

    expect(result).toEqual({ id: 'order.placed:7', messageId: 'm1', sequenceNumber: '1' });
    const { Message, ...rest } = topic.single[0]!;
    expect(JSON.parse(Message!)).toEqual({
      specversion: '1.0',
      id: 'order.placed:7',
      source: 'sluice/shop',
      type: 'order.placed',
      time: '2026-01-01T00:00:00.000Z',
      datacontenttype: 'application/json',
      partitionkey: 'c',
      traceparent,
      data,
    });
    expect(rest).toEqual({
      TopicArn: 'arn:orders.fifo',
      MessageAttributes: {
        type: { DataType: 'String', StringValue: 'order.placed' },
        traceparent: { DataType: 'String', StringValue: traceparent },
      },
      MessageGroupId: 'c',
      MessageDeduplicationId: 'order.placed:7',
    });
  });

  it('a standard topic gets no group; an event without a key gets an id of its own', async () => {
    const topic = createTopic();
    const first = await topic.events.publish('news.sent', { orderId: '7' });
    const second = await topic.events.publish('news.sent', { orderId: '7' });
    expect(first.id).not.toBe(second.id);
    expect(topic.single[0]).not.toHaveProperty('MessageGroupId');
  });

  it('ids that FIFO topics do not take are hashed for them, and stay as they are in the envelope', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }), async (id) => {
        const topic = createTopic();
        await topic.events.publish('order.placed', { orderId: '1' }, { id, group: id });
        const { Message, MessageGroupId, MessageDeduplicationId } = topic.single[0]!;
        expect(JSON.parse(Message!)).toMatchObject({ id, partitionkey: id });
        for (const fifoId of [MessageGroupId, MessageDeduplicationId])
          expect(fifoId).toMatch(/^[A-Za-z0-9!-/:-@[-`{-~]{1,128}$/);
      }),
    );
  });

  it('refuses what a consumer would dead-letter: data against the schema, moments that are none', async () => {
    const { events } = createTopic();
    await expect(events.publish('order.placed', { orderId: 7 } as never)).rejects.toThrow(PublishRefused);
    // A date without a time is one to Date.parse, but none to CloudEvents.
    for (const expiry of ['soon', '2027-01-01'])
      await expect(events.publish('order.placed', { orderId: '7' }, { expiry })).rejects.toThrow(/RFC 3339/);
    for (const type of ['order.lost', 'constructor'])
      await expect(events.publish(type as never, {} as never)).rejects.toThrow(/declared are order.placed/);
  });

  it('events of one group are sent in the order of the calls, whatever the latencies of SNS and of the schema', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            group: fc.constantFrom('a', 'b', 'c'),
            at: fc.integer({ min: 0, max: 50 }),
            schema: fc.integer({ min: 0, max: 50 }),
            reply: fc.integer({ min: 0, max: 100 }),
            end: fc.constantFrom('taken', 'refused', 'lost') as fc.Arbitrary<string>,
          }),
          { minLength: 2, maxLength: 60 },
        ),
        async (plan) => {
          const clock = createVirtualClock();
          const wait = (length: number) =>
            new Promise<void>((resolve) => void clock.after(milliseconds(length), resolve));
          const called: string[] = [];
          const arrived: string[] = [];
          const underWay = new Map<string, number>();
          const schema: StandardSchemaV1<Order, Order> = {
            '~standard': {
              version: 1,
              vendor: 'test',
              validate(value) {
                const { schema: delay, end } = plan[Number((value as Order).orderId)]!;
                const result =
                  end === 'refused' ? { issues: [{ message: 'no' }] } : { value: value as Order };
                return delay < 25 ? result : wait(delay).then(() => result);
              },
            },
          };
          const events = publisher(
            {
              ...shop,
              events: { ...shop.events, 'order.placed': { ...shop.events['order.placed'], schema } },
            },
            {
              clock,
              random: seededRandom(1),
              environment: { SLUICE_TOPIC_ARN_ORDERS: 'arn:orders.fifo' },
              sns: {
                async send(command: object) {
                  const { Message, MessageGroupId } = (command as { input: PublishCommandInput }).input;
                  const { orderId } = (JSON.parse(Message!) as { data: Order }).data;
                  const { reply, end } = plan[Number(orderId)]!;
                  arrived.push(orderId);
                  underWay.set(MessageGroupId!, (underWay.get(MessageGroupId!) ?? 0) + 1);
                  expect(underWay.get(MessageGroupId!)).toBe(1);
                  await wait(reply);
                  underWay.set(MessageGroupId!, 0);
                  if (end === 'lost') throw serviceError('ServiceUnavailable', {}, 'server');
                  return { MessageId: 'm' };
                },
              },
            },
          );
          const results = await finish(
            clock,
            Promise.allSettled(
              plan.map(async ({ at, group }, index) => {
                await wait(at);
                called.push(String(index));
                await events.publish('order.placed', { orderId: String(index), customerId: group });
              }),
            ),
          );
          for (const group of ['a', 'b', 'c']) {
            const ofGroup = (ids: readonly string[]) =>
              ids.filter((id) => plan[Number(id)]!.group === group && plan[Number(id)]!.end !== 'refused');
            expect(ofGroup(arrived)).toEqual(ofGroup(called));
          }
          expect(results.map(({ status }) => status)).toEqual(
            plan.map(({ end }) => (end === 'taken' ? 'fulfilled' : 'rejected')),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it('an idle group, and a standard topic, wait for nothing: the event is on its way when the call returns', async () => {
    const { events, single } = createTopic();
    for (let count = 1; count <= 3; count++) {
      const publishing = events.publish('order.placed', { orderId: String(count), customerId: 'a' });
      expect(single).toHaveLength(count);
      await publishing;
    }
    for (let count = 4; count <= 6; count++) {
      void events.publish('news.sent', { orderId: '1' });
      expect(single).toHaveLength(count);
    }
  });

  it('a signal that has fired stops what was not sent', async () => {
    const { events, taken } = createTopic();
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(events.publish('order.placed', { orderId: '1' }, { signal })).rejects.toThrow('too late');
    expect(taken).toEqual([]);
  });

  it('a missing topic variable is named', async () => {
    const { events } = createTopic({ environment: {} });
    await expect(events.publish('order.placed', { orderId: '1' })).rejects.toThrow(/SLUICE_TOPIC_ARN_ORDERS/);
  });
});

describe('a batch is published in calls that SNS takes, and its failures are read', () => {
  it('a call that fails as a whole fails its entries, and nothing overtakes them', async () => {
    const topic = createTopic();
    topic.sns.send = async () => {
      throw serviceError('NotFoundException');
    };
    const { failed, successful } = await topic.events.publishBatch([
      { type: 'order.placed', data: { orderId: '1', customerId: 'a' } },
      { type: 'order.placed', data: { orderId: '2', customerId: 'a' } },
      { type: 'order.placed', data: { orderId: 7 } as never },
    ]);
    expect(successful).toEqual([]);
    expect(failed.map(({ index, code }) => [index, code])).toEqual([
      [0, 'NotFoundException'],
      [1, 'EarlierFailed'],
      [2, 'PublishRefused'],
    ]);
  });

  it('a signal that has fired stops what was not sent, and further tries; the rest goes on', async () => {
    for (const type of ['order.placed', 'news.sent'] as const) {
      const stop = new AbortController();
      const faults = new Map([['e1', { code: 'InternalError', senderFault: false, times: 9 }]]);
      const topic = createTopic({ faults });
      const { send } = topic.sns;
      topic.sns.send = async (command: object) => {
        const output = await send(command);
        stop.abort(new Error('too late'));
        return output;
      };
      const entry = (index: number, signal?: AbortSignal) => ({
        type,
        id: `e${index}`,
        group: signal === undefined ? 'free' : 'stopped',
        data: { orderId: String(index) },
        ...(signal && { signal }),
      });
      // More than four calls of ten, which are begun at once.
      const stopped = Array.from({ length: 50 }, (_, index) => entry(index + 1, stop.signal));
      const { successful, failed } = await finish(
        topic.clock,
        topic.events.publishBatch([...stopped, entry(51)]),
      );
      expect(topic.taken).not.toContain('e1');
      expect(topic.taken).toContain('e51');
      expect(topic.taken).not.toContain('e50');
      expect(successful.length + failed.length).toBe(51);
      expect(failed.find(({ id }) => id === 'e50')).toMatchObject({ code: 'Aborted', senderFault: false });
    }
    const topic = createTopic();
    const signal = AbortSignal.abort(new Error('too late'));
    const { failed } = await topic.events.publishBatch([
      { type: 'order.placed', data: { orderId: '1' }, signal },
      { type: 'order.placed', data: { orderId: '2' }, signal },
    ]);
    expect(failed.map(({ code }) => code)).toEqual(['Aborted', 'Aborted']);
    expect(topic.calls).toEqual([]);
  });

  it('time grows with the batch, not with its square: 20,000 events of one group, or of as many groups', async () => {
    for (const groupOf of [() => 'one', String]) {
      const topic = createTopic();
      const startedAt = performance.now();
      const { successful } = await topic.events.publishBatch(
        Array.from({ length: 20_000 }, (_, index) => ({
          type: 'order.placed' as const,
          data: { orderId: String(index), customerId: groupOf(index) },
        })),
      );
      expect(successful).toHaveLength(20_000);
      // Milliseconds: it takes under a thousand; with the square it took fifteen seconds.
      expect(performance.now() - startedAt).toBeLessThan(4_000);
    }
  });

  it('bytes are those of body and attributes, names and types too', () => {
    expect(
      messageBytes({ body: 'ä', attributes: { tenant: { DataType: 'String', StringValue: '€' } } }),
    ).toBe(2 + 6 + 6 + 3);
  });
});
