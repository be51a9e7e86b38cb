import { describe, expect, test } from 'vitest';
import { consumer } from '../../lambda/runtime/index.ts';
import type { BuildConsumer } from '../../ops/simulation/index.ts';
import { breaks, type Played, play, shrink, simulate, troubles } from '../../ops/simulation/index.ts';

/** `SEEDS=1000` plays more of them. */
const seeds = Array.from({ length: Number(process.env.SEEDS ?? 80) }, (_, index) => index + 1);

describe('under everything that can go wrong nothing is lost, doubled, reordered or stuck', () => {
  test(`in ${seeds.length} histories`, { timeout: 20_000 + seeds.length * 2_000 }, async () => {
    const faults: string[] = [];
    const sums = { messages: 0, deliveries: 0, handlerRuns: 0, faults: 0 };
    const postures = new Set<string>();
    for (const seed of seeds) {
      const { violations, counts, evidence } = await play(seed, {});
      for (const { kind, subscriber, text } of violations)
        faults.push(`npx sluice simulate --seed ${seed}: ${kind}: ${subscriber}: ${text}`);
      for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += counts[name];
      for (const each of evidence.subscribers)
        postures.add(`${each.effects}${each.fifo ? ', in order' : ''}`);
    }
    expect(faults.join('\n')).toBe('');
    // A simulation in which little happens, and little goes wrong, proves little.
    expect(sums.messages).toBeGreaterThan(seeds.length * 20);
    expect(sums.deliveries).toBeGreaterThan(seeds.length * 30);
    expect(sums.handlerRuns).toBeGreaterThan(sums.deliveries);
    expect(sums.faults).toBeGreaterThan(seeds.length * 10);
    expect(postures.size).toBe(8);
  });
});

describe('the orders example keeps its promises under the same faults', () => {
  test('with its own handlers, and the world outside in memory', { timeout: 60_000 }, async () => {
    const sums = { messages: 0, handlerRuns: 0, faults: 0 };
    const effects = new Map<string, number>();
    const reasons = new Set<string>();
    for (let seed = 1; seed <= 12; seed++) {
      const { violations, counts, evidence } = await play(seed, { example: 'orders' });
      expect({ seed, violations }).toEqual({ seed, violations: [] });
      for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += counts[name];
      for (const { subscriber, happened, letters } of evidence.subscribers) {
        effects.set(subscriber, (effects.get(subscriber) ?? 0) + happened.length);
        for (const { attributes } of letters) reasons.add(attributes['sluice-reason'] as string);
      }
    }
    for (const subscriber of ['payments', 'inventory', 'email', 'analytics', 'fraud'])
      expect(effects.get(subscriber)).toBeGreaterThan(150);
    expect(sums.faults).toBeGreaterThan(120);
    expect(sums.handlerRuns).toBeGreaterThan(sums.messages * 4);
    expect([...reasons]).toEqual(expect.arrayContaining(['undecodable', 'schema', 'attempts']));
  });

  test('and a runtime that breaks them is found out', async () => {
    const { build } = breaks.responseWithNull ?? {};
    const { violations } = await play(1, { example: 'orders', build });
    expect(violations).toContainEqual(expect.objectContaining({ kind: 'lost' }));
  });

  test('a seed of it happens the same way each time', async () => {
    const options = { example: 'orders' } as const;
    expect((await play(2, options)).digest).toBe((await play(2, options)).digest);
  });
});

describe('a seed is a history', () => {
  test('it happens the same way each time, byte for byte', async () => {
    const [first, again, other] = [await play(3, {}), await play(3, {}), await play(4, {})];
    expect(again.story).toEqual(first.story);
    expect(again.digest).toBe(first.digest);
    expect(again.evidence).toEqual(first.evidence);
    expect(other.digest).not.toBe(first.digest);
  });

  test('it happens the same way in every thread, and in any company', async () => {
    const job = { example: undefined, hours: undefined, faults: undefined, break: 'responseWithNull' };
    const found = async (threads: number, wanted: readonly number[]) =>
      (await simulate(wanted, job, { threads })).violations.filter(({ seed }) => seed === 6);
    const alone = await found(1, [6]);
    expect(alone).not.toEqual([]);
    expect(await found(2, [4, 5, 6, 7])).toEqual(alone);
  });

  test('it is longer when events arrive for hours', async () => {
    const { virtualHours, violations } = await play(5, { hours: 3 });
    expect(virtualHours).toBeGreaterThan(3);
    expect(violations).toEqual([]);
  });
});

describe('what goes wrong can be chosen', () => {
  const told = ({ story }: Played) => story.join('\n');

  test('nothing', async () => {
    const { counts, story } = await play(5, { faults: [] });
    expect(counts.faults).toBe(0);
    expect(counts.handlerRuns).toBeGreaterThan(10);
    expect(story.join('\n')).not.toMatch(/refused|stands still|held back|is lost/);
  });

  test.each([
    ['crash-before', /dies before [A-Z]/],
    ['crash-after', /dies after [A-Z]/],
    ['kill', /is killed/],
    ['lost-reply', /is done, and its answer lost/],
    ['impatience', /do not try|once/],
    ['throttling', /is refused: (ThrottlingException|InternalServerError)/],
    ['outage', /InternalServerError|answer lost/],
    ['slow-service', /is held back for/],
    ['slow-downstream', /UpdateItem is held back for/],
    ['freeze', /stands still for/],
    ['skew', /clocks of environments are off/],
    ['duplicates', /deliver \d+ % twice/],
    ['reordering', /overtake another/],
    ['late-expiry', /hours late/],
    ['deploy', /a new version of/],
  ])('only %s', async (name, sign) => {
    expect(troubles).toHaveProperty([name]);
    // Not every history has it: the first of a few that has.
    for (let seed = 1; seed <= 60; seed++) {
      const played = await play(seed, { faults: [name] });
      expect(played.violations).toEqual([]);
      if (sign.test(told(played))) return;
    }
    expect.fail(`no history of sixty shows ${sign}`);
  });
});

describe('a broken promise is shown in a short history', () => {
  /** A runtime that acknowledges every message, whatever becomes of it. */
  const careless: BuildConsumer = ({ messaging, subscriber, handler, tools }) => {
    const whole = consumer(messaging, subscriber, handler as never, tools);
    return (event, context) => {
      whole(event, context).catch(() => undefined);
      return { batchItemFailures: [] };
    };
  };

  test('a few events and what goes wrong with them are enough', async () => {
    const options = { build: careless };
    const whole = await play(2, options);
    const [violation] = whole.violations;
    if (violation === undefined) return expect.fail('the judge has found nothing');
    const short = await shrink(2, options, violation, { plays: 80 });
    expect(short.played.violations).toContainEqual(
      expect.objectContaining({ kind: violation.kind, subscriber: violation.subscriber }),
    );
    expect(short.left).toBeLessThanOrEqual(4);
    expect(short.of).toBeGreaterThan(15);
    expect(short.played.story.length).toBeLessThan(whole.story.length / 2);
    const again = await shrink(2, options, violation, { plays: 80 });
    expect(again.played.digest).toBe(short.played.digest);
  });
});
