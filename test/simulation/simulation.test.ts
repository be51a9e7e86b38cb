import { consume } from 'sluice/lambda';
import { describe, expect, test } from 'vitest';
import { judge } from './judge.ts';
import { type BuildConsumer, play } from './run.ts';

/** The runtime as users have it. */
const real: BuildConsumer = (stack, subscriber, handler, tools) => consume(stack, subscriber, handler, tools);

/** `SEED=17` plays one seed, `SEEDS=1000` the first thousand. */
const { SEED, SEEDS = '60' } = process.env;
const seeds =
  SEED === undefined ? Array.from({ length: Number(SEEDS) }, (_, index) => index + 1) : [Number(SEED)];

describe('under kills, faults of calls, duplicates and poison nothing is lost, doubled, reordered or stuck', () => {
  test(`in ${seeds.length} simulated runs`, { timeout: 20_000 + seeds.length * 2_000 }, async () => {
    const started = performance.now();
    const failures: string[] = [];
    const sums = { events: 0, handlerRuns: 0, faults: 0, kills: 0, virtualSeconds: 0 };
    for (const seed of seeds) {
      const run = await play(seed, real);
      for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += run[name];
      const faults = judge(run.findings);
      if (faults.length === 0) continue;
      failures.push(
        `Seed ${seed}: replay it with SEED=${seed} npx vitest run test/simulation/simulation\n  ${faults.join('\n  ')}`,
      );
      if (SEED !== undefined) console.log(run.digest);
    }
    if (SEED !== undefined || process.env.SEEDS !== undefined)
      console.log({ ...sums, milliseconds: Math.round(performance.now() - started) });
    expect(failures.join('\n')).toBe('');
    // A simulation in which nothing goes wrong proves nothing.
    if (SEED === undefined) {
      expect(sums.faults).toBeGreaterThan(seeds.length);
      expect(sums.kills).toBeGreaterThan(seeds.length / 2);
      expect(sums.handlerRuns).toBeGreaterThan(sums.events * 2);
    }
  });
});

test('a seed always plays the same run', async () => {
  const first = await play(3, real);
  expect((await play(3, real)).digest).toBe(first.digest);
  expect((await play(4, real)).digest).not.toBe(first.digest);
});
