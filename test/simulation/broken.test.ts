import { describe, expect, test } from 'vitest';
import { type Break, breaks, hunt, mutationTable } from '../../ops/simulation/breaks/index.ts';
import { play } from '../../ops/simulation/play.ts';

const all = Object.values(breaks);

describe('a runtime with one protection switched off is found out', () => {
  test.each(all.map((broken) => [broken.name, broken.within, broken] as const))(
    '%s: within %i seeds',
    { timeout: 120_000 },
    async (_name, _within, broken) => {
      expect(await hunt(broken)).toMatchObject({ seed: expect.any(Number) });
    },
  );

  test('and the runtime as it is breaks no promise on the same seeds', { timeout: 120_000 }, async () => {
    const most = Math.max(...all.map(({ within }) => within));
    for (let seed = 1; seed <= most; seed++)
      expect((await play(seed, {})).violations, `seed ${seed}`).toEqual([]);
  });
});

test('the table of broken runtimes names each with what was found', () => {
  const broken: Break = { ...(all[0] as Break), name: 'noDoor', what: 'A | B', hazards: [15, 5], within: 9 };
  const text = mutationTable([
    { broken: { ...broken, name: 'later', hazards: [6] }, seed: undefined, kinds: [] },
    { broken, seed: 7, kinds: ['lost', 'letter'] },
  ]);
  expect(text.split('\n').slice(2)).toEqual([
    '| `noDoor` | A \\| B | 15, 5 | lost, letter | 7 |',
    '| `later` | A \\| B | 6 |  | not found in 9 |',
  ]);
});
