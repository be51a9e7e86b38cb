import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTopic } from '../runtime/support/topic.ts';
import { finish } from '../runtime/support/world.ts';

describe('30: of a batch that fails in part the failures are read, and only they are sent again', () => {
  it('Successful + Failed = sent; only what failed is sent again, and only while it can help', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            customer: fc.constantFrom('a', 'b', 'c'),
            times: fc.integer({ min: 0, max: 5 }),
            senderFault: fc.boolean(),
          }),
          { minLength: 1, maxLength: 25 },
        ),
        fc.constantFrom('order.placed' as const, 'news.sent' as const),
        async (plan, type) => {
          const faults = new Map(
            plan.map(({ times, senderFault }, index) => [
              `e${index}`,
              { code: senderFault ? 'InvalidParameter' : 'InternalError', senderFault, times },
            ]),
          );
          const topic = createTopic({ faults });
          const result = await finish(
            topic.clock,
            topic.events.publishBatch(
              plan.map(({ customer }, index) => ({
                type,
                id: `e${index}`,
                group: customer,
                data: { orderId: String(index) },
              })),
            ),
          );
          const all = [...result.successful, ...result.failed]
            .map((entry) => entry.index)
            .sort((a, b) => a - b);
          expect(all).toEqual(plan.map((_, index) => index));
          for (const entry of result.successful) expect(entry.id).toBe(`e${entry.index}`);
          expect(new Set(topic.taken).size).toBe(topic.taken.length);
          expect(topic.taken.length).toBe(result.successful.length);
          for (const call of topic.calls)
            expect(call.PublishBatchRequestEntries!.length).toBeLessThanOrEqual(10);
          const finalFailure = plan.map(({ times, senderFault }) => (senderFault ? times > 0 : times >= 4));
          if (type === 'news.sent') {
            expect(result.failed.map((entry) => entry.index)).toEqual(
              plan.flatMap((_, index) => (finalFailure[index] ? [index] : [])),
            );
            return;
          }
          // FIFO: a group comes in order, and nothing of it after the first that failed for good.
          for (const customer of ['a', 'b', 'c']) {
            const members = plan.flatMap((item, index) => (item.customer === customer ? [index] : []));
            const broken = members.findIndex((index) => finalFailure[index]);
            const expected = broken < 0 ? members : members.slice(0, broken);
            expect(topic.taken.filter((id) => members.includes(Number(id.slice(1))))).toEqual(
              expected.map((index) => `e${index}`),
            );
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
