import fc from 'fast-check';
import { ConfigurationError, PublishRefused, publisher } from 'sluice/lambda';
import { createHarness } from 'sluice/local';
import { describe, expect, it } from 'vitest';
import { callsOf, messageBytes, queuesOf } from '../../lambda/runtime/batches.ts';
import { createTopic } from '../runtime/support/topic.ts';
import { shop } from '../runtime/support/world.ts';

describe('28: a message is measured in bytes, with its attributes, before it is sent', () => {
  it('counts UTF-8 bytes of body and attributes, and refuses what is above the limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.integer({ min: -1, max: 1 }),
        async (text, by) => {
          const data = { orderId: text };
          const probe = createTopic();
          await probe.events.publish('order.placed', data, { id: 'x', group: 'g' });
          const { Message, MessageAttributes } = probe.single[0]!;
          const bytes = new TextEncoder().encode(
            `${Message}typeString${MessageAttributes?.type?.StringValue}`,
          ).length;

          const { events } = createTopic({ byteLimit: bytes + by });
          const publishing = events.publish('order.placed', data, { id: 'x', group: 'g' });
          if (by < 0) await expect(publishing).rejects.toThrow(PublishRefused);
          else await publishing;
        },
      ),
      { numRuns: 50 },
    );
  });

  it('no call is above the byte limit, and every entry is in exactly one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ bytes: fc.integer({ min: 1, max: 100 }), group: fc.constantFrom('a', 'b') })),
        fc.boolean(),
        (entries, grouped) => {
          const queue = entries.map((entry, index) => ({ ...entry, groupId: entry.group, index }));
          const calls = grouped ? [] : callsOf(queue, 100);
          const queues = queuesOf(grouped ? queue : [], 100);
          for (let call = queues.take(); call.length > 0; call = queues.take()) {
            calls.push(call);
            for (const entry of call) queues.goOn(entry);
          }
          for (const call of calls) {
            expect(call.length).toBeLessThanOrEqual(10);
            expect(call.reduce((sum, entry) => sum + entry.bytes, 0)).toBeLessThanOrEqual(100);
            if (grouped) expect(new Set(call.map((entry) => entry.group)).size).toBe(call.length);
          }
          const order = calls.flat();
          for (const group of grouped ? ['a', 'b'] : [undefined]) {
            const members = order.filter((entry) => group === undefined || entry.group === group);
            expect(members.map((entry) => entry.index)).toEqual(
              members.map((entry) => entry.index).sort((a, b) => a - b),
            );
          }
          expect(order).toHaveLength(entries.length);
        },
      ),
    );
  });

  it('bytes are those of the UTF-8 that is sent, whatever the text, names and types included', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(
        text,
        fc.dictionary(text, fc.record({ DataType: text, StringValue: text }), { noNullPrototype: true }),
        (body, attributes) => {
          const parts = Object.entries(attributes).flatMap(([name, value]) => [
            name,
            value.DataType,
            value.StringValue,
          ]);
          const bytes = [body, ...parts].reduce(
            (sum, part) => sum + new TextEncoder().encode(part).length,
            0,
          );
          expect(messageBytes({ body, attributes })).toBe(bytes);
        },
      ),
    );
  });

  it('the bound is the topic’s: 262,144 bytes by default, up to 1,048,576 where MaximumMessageSize is raised', async () => {
    for (const [byteLimit, bound] of [
      [undefined, 262_144],
      [1_048_576, 1_048_576],
    ] as const) {
      const bodyOf = (length: number) => ({ orderId: 'x'.repeat(length) });
      const probe = createTopic();
      await probe.events.publish('news.sent', bodyOf(0), { id: 'x' });
      const { Message } = probe.single[0]!;
      const room = bound - Buffer.byteLength(`${Message}typeStringnews.sent`);
      const { events, single, calls } = createTopic({ byteLimit });
      await events.publish('news.sent', bodyOf(room), { id: 'x' });
      await expect(events.publish('news.sent', bodyOf(room + 1), { id: 'x' })).rejects.toThrow(
        PublishRefused,
      );
      expect(single).toHaveLength(1);
      const { failed } = await events.publishBatch([
        { type: 'news.sent', id: 'x', data: bodyOf(room) },
        { type: 'news.sent', id: 'x', data: bodyOf(room + 1) },
        { type: 'news.sent', id: 'x', data: bodyOf(room) },
      ]);
      expect(failed.map(({ index, code }) => [index, code])).toEqual([[1, 'PublishRefused']]);
      expect(calls).toHaveLength(2);
    }
  });

  it('the model’s SNS agrees on the bound, byte for byte', async () => {
    const harness = await createHarness(shop);
    const till = publisher(shop, harness.tools);
    const wide = publisher(shop, { ...harness.tools, byteLimit: 1_048_576 });
    const frame = { id: 'x', time: '2026-01-01T00:00:00Z' };
    const empty = createTopic();
    await empty.events.publish('news.sent', { orderId: '' }, frame);
    const room = 262_144 - Buffer.byteLength(`${empty.single[0]!.Message}typeStringnews.sent`);
    const publish = (by: typeof till, length: number) =>
      by.publish('news.sent', { orderId: 'x'.repeat(length) }, frame);
    await publish(till, room);
    await expect(publish(wide, room + 1)).rejects.toThrow(/InvalidParameter|too long/);
    harness.stop();
  });

  it('a limit that no topic can have is refused when the publisher is made', () => {
    for (const byteLimit of [0, -1, 1.5, Number.NaN, 1_048_577, Number.POSITIVE_INFINITY])
      expect(() => createTopic({ byteLimit })).toThrow(ConfigurationError);
  });
});
