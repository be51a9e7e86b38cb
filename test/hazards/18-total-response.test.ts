import fc from 'fast-check';
import { ConfigurationError, type SqsEvent } from 'sluice/lambda';
import { describe, expect, it } from 'vitest';
import { createWorld, finish, message } from '../runtime/support/world.ts';

describe('18: whatever handlers do and messages hold, the batch response acknowledges what is done and nothing else', () => {
  it('whatever handlers throw or return, it names exactly what is not done, once, by ids of the batch', async () => {
    const ends = fc.constantFrom<{ fails: boolean; run: () => unknown }[]>(
      { fails: false, run: () => undefined },
      { fails: false, run: () => null },
      { fails: false, run: () => 'text' },
      { fails: false, run: () => Promise.resolve({ batchItemFailures: [] }) },
      { fails: true, run: () => Promise.reject(undefined) },
      { fails: true, run: () => Promise.reject(null) },
      {
        fails: true,
        run: () => {
          throw undefined;
        },
      },
      {
        fails: true,
        run: () => {
          throw 'text';
        },
      },
      {
        fails: true,
        run: () => {
          throw Object.freeze({ name: 7 });
        },
      },
      {
        fails: true,
        run: () => Promise.reject(Object.assign(new Error('x'), { name: undefined, message: undefined })),
      },
      {
        fails: true,
        run: () => ({
          // biome-ignore lint/suspicious/noThenProperty: a thenable that fails is one of the things a handler returns
          then: (_: unknown, reject: (error: unknown) => void) => reject('thenable'),
        }),
      },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(ends, fc.constantFrom('a', 'b', 'c', 'd')), { minLength: 1, maxLength: 10 }),
        fc.constantFrom('payments' as const, 'email' as const),
        async (plan, subscriber) => {
          const world = createWorld();
          const worker = world.worker((event) => plan[Number(event.data.orderId)]![0].run() as undefined, {
            subscriber,
          });
          const records = plan.map(([, group], index) =>
            message(String(index), { messageId: `id${index}`, group }),
          );
          const response = await finish(world.clock, worker.start(records));

          const broken = new Set<string>();
          const expected = plan.flatMap(([{ fails }, group], index) => {
            if (fails) broken.add(group);
            return fails || (subscriber === 'payments' && broken.has(group)) ? [`id${index}`] : [];
          });
          expect(response.batchItemFailures.map((failure) => failure.itemIdentifier)).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('any bytes as a body end as a letter or are handled; nothing crashes and nothing is acknowledged in silence', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.json(),
          fc.constantFrom('null', '[]', '{}', '"x"', '['.repeat(20_000), '{"specversion":"0.3"}'),
          fc
            .record({
              id: fc.string(),
              source: fc.string(),
              type: fc.constant('order.placed'),
              data: fc.jsonValue(),
            })
            .map((value) => JSON.stringify({ specversion: '1.0', ...value })),
        ),
        async (body) => {
          const world = createWorld();
          let runs = 0;
          const worker = world.worker(() => void runs++);
          expect(await worker.run([message('1', { body })])).toEqual([]);
          const { processed, unwanted } = world.measures[0]!;
          expect(world.sqs.letters.length + processed + unwanted).toBe(1);
          expect(runs).toBe(processed);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('an invocation that is no batch fails as a whole: nothing is acknowledged', async () => {
    const world = createWorld();
    const worker = world.worker(() => undefined);
    for (const records of [undefined, null, 'x', [{}], [null], [{ messageId: '', body: '' }]])
      await expect(worker.start(records as unknown as SqsEvent['Records'])).rejects.toThrow(
        ConfigurationError,
      );
  });
});
