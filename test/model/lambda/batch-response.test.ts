import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failuresOf } from '../../../local/lambda/batch-response.ts';

const batch = new Set(['m1', 'm2', 'm3']);
const respond = (batchItemFailures: unknown) => failuresOf(JSON.stringify({ batchItemFailures }), batch);

describe('hazard 18: a batch response never acknowledges what it does not speak of', () => {
  it('whatever the function answers, the answer is understood', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (response) => {
        const failures = failuresOf(response, batch);
        if (failures !== 'all') for (const id of failures) expect(batch).toContain(id);
      }),
      { numRuns: 300 },
    );
  });

  it('one entry that is wrong fails the whole batch, wherever it stands', () => {
    const right = fc.constantFrom('m1', 'm2', 'm3').map((itemIdentifier) => ({ itemIdentifier }));
    const wrong = fc.constantFrom<unknown>(
      { itemIdentifier: '' },
      { itemIdentifier: null },
      { itemIdentifier: 'm4' },
      { itemIdentifier: 1 },
      { id: 'm1' },
      null,
      'm1',
      [],
    );
    fc.assert(
      fc.property(fc.array(right), wrong, fc.array(right), (before, entry, after) => {
        expect(respond([...before, entry, ...after])).toBe('all');
      }),
      { numRuns: 200 },
    );
  });

  it('entries of the batch fail exactly those', () => {
    fc.assert(
      fc.property(fc.subarray([...batch]), (ids) => {
        expect(respond(ids.map((itemIdentifier) => ({ itemIdentifier })))).toEqual(new Set(ids));
      }),
    );
  });
});
