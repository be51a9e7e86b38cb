import { milliseconds, minutes } from 'sluice';
import { consume, publisher } from 'sluice/lambda';
import { createHarness, type FaultEffect, type HarnessTools } from 'sluice/local';
import { describe, expect, it } from 'vitest';
import { shop } from '../runtime/support/world.ts';

const effects: readonly (readonly [name: string, effect: FaultEffect])[] = [
  ['fails', { error: { name: 'InternalError', statusCode: 500 } }],
  ['is throttled', { error: { name: 'RequestThrottled', statusCode: 403 } }],
  ['gives no answer', { lostReply: true }],
  ['takes a minute', { delay: milliseconds(60_000) }],
];

describe('12: a delete that fails after the effect repeats nothing: the record knows', () => {
  for (const subscriber of ['payments', 'email'] as const)
    it.each(effects)(`${subscriber}: the delete %s, again and again`, async (_, effect) => {
      const done: string[] = [];
      const measured = { processed: 0, duplicates: 0 };
      const harness = await createHarness(shop, {
        handlers: {
          [subscriber]: (tools: HarnessTools) =>
            consume(shop, subscriber, ({ data }) => void done.push(data.orderId), {
              ...tools,
              metrics: {
                record(_name, { processed, duplicates }) {
                  measured.processed += processed;
                  measured.duplicates += duplicates;
                },
              },
            }),
        },
        faults: [{ service: 'sqs', action: 'DeleteMessageBatch', at: [1, 2, 3, 4, 5], effect }],
      });
      const till = publisher(shop, harness.tools);
      const ids = Array.from({ length: 8 }, (_id, index) => String(index));
      for (const orderId of ids)
        await till.publish('order.placed', { orderId, customerId: `c${Number(orderId) % 2}` });
      await harness.drain(minutes(60));
      expect(done.sort()).toEqual(ids);
      expect(measured.processed).toBe(8);
      if ('error' in effect) expect(measured.duplicates).toBeGreaterThan(0);
      expect(await harness.deadLetters(subscriber)).toEqual([]);
      harness.stop();
    });
});
