import type { PublishBatchCommandInput } from '@aws-sdk/client-sns';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serviceError } from '../runtime/support/dynamodb.ts';
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

  it('whatever SNS answers, each entry is in exactly one list, and what was taken is not sent again', async () => {
    const answer = fc.record({
      id: fc.oneof(fc.nat({ max: 11 }).map(String), fc.constantFrom('', ' 1', '1.0', 'x', '-1', undefined)),
      good: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.array(answer, { maxLength: 14 }), fc.constantFrom('throws', 'nothing')), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.integer({ min: 1, max: 25 }),
        fc.constantFrom('order.placed' as const, 'news.sent' as const),
        async (answers, length, type) => {
          const topic = createTopic();
          const confirmed = new Set<string>();
          let call = 0;
          topic.sns.send = async (command: object) => {
            const { input } = command as { input: PublishBatchCommandInput };
            const sent = (input.PublishBatchRequestEntries ?? []).map(
              (entry) => (JSON.parse(entry.Message ?? '') as { id: string }).id,
            );
            for (const id of sent) expect(confirmed.has(id)).toBe(false);
            const plan = answers[call++ % answers.length]!;
            if (plan === 'throws') throw serviceError('InternalErrorException', {}, 'server');
            if (plan === 'nothing') return {};
            const firsts = new Map<string | undefined, boolean>();
            for (const { id, good } of [...plan].sort((a, b) => Number(b.good) - Number(a.good)))
              if (!firsts.has(id)) firsts.set(id, good);
            for (const [position, id] of sent.entries())
              if (firsts.get(String(position)) === true) confirmed.add(id);
            return {
              Successful: plan.filter(({ good }) => good).map(({ id }) => ({ Id: id, MessageId: 'm' })),
              Failed: plan.filter(({ good }) => !good).map(({ id }) => ({ Id: id, Code: 'InternalError' })),
            };
          };
          const { successful, failed } = await finish(
            topic.clock,
            topic.events.publishBatch(
              Array.from({ length }, (_, index) => ({
                type,
                id: `e${index}`,
                group: `g${index % 3}`,
                data: { orderId: String(index) },
              })),
            ),
          );
          const all = [...successful, ...failed].map(({ index }) => index).sort((a, b) => a - b);
          expect(all).toEqual(Array.from({ length }, (_, index) => index));
          expect(new Set(successful.map(({ id }) => id))).toEqual(confirmed);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('an entry that is no JSON, or on which the declaration’s key throws, fails alone', async () => {
    const topic = createTopic();
    const cyclic: Record<string, unknown> = { orderId: 'cyclic' };
    cyclic.self = cyclic;
    const { successful, failed } = await topic.events.publishBatch([
      { type: 'order.placed', data: { orderId: '1' } },
      { type: 'order.placed', data: { orderId: 'big', amount: 1n } as never },
      { type: 'order.placed', data: cyclic as never },
      { type: 'order.placed', id: 7 as never, data: { orderId: '2' } },
      {
        type: 'order.placed',
        data: {
          orderId: '3',
          get customerId(): string {
            throw new Error('broken');
          },
        },
      },
      { type: 'news.sent', data: { orderId: '4' } },
    ]);
    expect(successful.map(({ index }) => index)).toEqual([0, 5]);
    expect(failed.map(({ index, code, senderFault }) => [index, code, senderFault])).toEqual(
      [1, 2, 3, 4].map((index) => [index, 'PublishRefused', true]),
    );
  });
});
