import { describe, expect, test } from 'vitest';
import { type Break, breaks, hunt, mutationTable } from '../../ops/simulation/breaks/index.ts';
import { play } from '../../ops/simulation/play.ts';

const all = Object.values(breaks);

describe('a runtime with one protection switched off is found out', () => {
  const found = new Set<number>();

  test.each(all.map((broken) => [broken.name, broken.within, broken] as const))(
    '%s: within %i seeds',
    { timeout: 120_000 },
    async (_name, _within, broken) => {
      const { seed } = await hunt(broken);
      expect(seed).toEqual(expect.any(Number));
      found.add(seed ?? 0);
    },
  );

  test('and the runtime as it is breaks no promise on the same seeds', { timeout: 120_000 }, async () => {
    expect(found.size).toBeGreaterThan(5);
    for (const seed of found) expect((await play(seed, {})).violations, `seed ${seed}`).toEqual([]);
  });

  test('each says what it switches off, of which hazards, and what that leads to', () => {
    expect(all.length).toBeGreaterThanOrEqual(15);
    for (const [name, { name: own, what, hazards, expected }] of Object.entries(breaks)) {
      expect(own).toBe(name);
      expect(what).toMatch(/^[A-Z].+\.$/);
      expect(hazards.length * expected.length).toBeGreaterThan(0);
    }
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
