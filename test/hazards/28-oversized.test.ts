import fc from 'fast-check';
import { PublishRefused } from 'sluice/lambda';
import { describe, expect, it } from 'vitest';
import { callsOf, queuesOf } from '../../lambda/runtime/batches.ts';
import { createTopic } from '../runtime/support/topic.ts';

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
});
