import fc from 'fast-check';
import { PermanentError } from 'sluice/lambda';
import { describe, expect, it } from 'vitest';
import { again, createWorld, message } from '../runtime/support/world.ts';

describe('13: a message that can never succeed goes aside at once, with its reason', () => {
  it('permanent errors are dead-lettered at once, passing ones back off, and attempts end', async () => {
    const kinds = ['undecodable', 'schema', 'permanent', 'predicate', 'passing'] as const;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 8 }), async (plan) => {
        const world = createWorld();
        const runs = new Map<string, number>();
        const worker = world.worker(
          (event) => {
            const index = event.data.orderId;
            runs.set(index, (runs.get(index) ?? 0) + 1);
            if (plan[Number(index)] === 'permanent') throw new PermanentError('never');
            throw plan[Number(index)] === 'predicate' ? new TypeError('bug') : new Error('down');
          },
          { permanent: (error) => error instanceof TypeError },
        );
        const records = plan.map((kind, index) =>
          message(String(index), {
            messageId: String(index),
            ...(kind === 'undecodable' ? { body: 'no JSON' } : {}),
            ...(kind === 'schema' ? { data: { orderId: 7 } } : {}),
          }),
        );
        let open = records;
        for (let delivery = 1; delivery <= 3; delivery++) {
          const returned = await worker.run(open);
          const passing = plan.flatMap((kind, index) => (kind === 'passing' ? [String(index)] : []));
          expect(returned).toEqual(delivery < 3 ? passing : []);
          open = open.filter((record) => returned.includes(record.messageId)).map(again);
        }
        const reasons = {
          undecodable: 'undecodable',
          schema: 'schema',
          permanent: 'permanent',
          predicate: 'permanent',
          passing: 'attempts',
        };
        const letters = new Map(
          world.sqs.letters.map((letter) => [
            records.find((record) => record.body === letter.MessageBody)!.messageId,
            letter.MessageAttributes?.['sluice-reason']?.StringValue,
          ]),
        );
        for (const [index, kind] of plan.entries()) {
          if (kind !== 'undecodable') expect(letters.get(String(index))).toBe(reasons[kind]);
          const expected =
            kind === 'passing' ? 3 : kind === 'undecodable' || kind === 'schema' ? undefined : 1;
          expect(runs.get(String(index))).toBe(expected);
        }
        expect(world.sqs.letters).toHaveLength(plan.length);
      }),
      { numRuns: 30 },
    );
  });
});
