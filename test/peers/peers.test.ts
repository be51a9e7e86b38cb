import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Subscriber } from '../../lib/topology/index.ts';
import { createHarness } from '../../local/index.ts';
import { play, type SimulatedHandler } from '../../ops/simulation/index.ts';
import { drawPlan, playPlan } from '../../ops/simulation/play.ts';
import { keptTrue, replayCommand, setUpsOf, type Tallies, tableOf } from './page.ts';
import { isPeer, type PeerName, peerNames, playPeer, setUps } from './peers.ts';
import { tell } from './story.ts';
import { countedOf, isRow, type Row, rows, tally } from './tally.ts';
import { onVirtualClock, withVirtualClock } from './virtual.ts';
import { workOf } from './work.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(`${root}docs/peers.md`, 'utf8');
const peers = peerNames.filter((name) => name !== 'sluice');

/** A history without faults, in which every handler goes well. */
const fairWeather = async (name: PeerName, seed: number) => {
  const plan = await drawPlan(seed, { ...setUps[name], faults: [] });
  const publishes = plan.publishes.filter(({ what }) => /^(plain|expired)/.test(what));
  return withVirtualClock(() => playPlan({ ...plan, publishes }, setUps[name]));
};

/** What happened, by subscriber and group; of standard queues in no order. */
const effectsOf = ({ evidence }: Awaited<ReturnType<typeof fairWeather>>) =>
  evidence.subscribers.map(({ subscriber, fifo, happened }) => {
    const effects = happened.map(({ id, group }) => `${group} ${id}`);
    return { subscriber, effects: fifo ? effects : effects.sort() };
  });

describe('peers do what a consumer has to do, where nothing goes wrong', () => {
  /** The first seed with events that are said twice, and some past their expiry. */
  const seedWith = async (fifo: boolean) => {
    for (let seed = 1; ; seed++) {
      const { messaging, publishes } = await drawPlan(seed, {});
      const drawn = (what: RegExp) => publishes.some((each) => what.test(each.what));
      const kinds = Object.values<Subscriber>(messaging.subscribers).map((each) => each.fifo);
      if (drawn(/^plain, again/) && drawn(/^expired/) && kinds.every((kind) => kind === fifo)) return seed;
    }
  };

  it.each(peers)('%s: no violation, and the effects of the runtime', async (name) => {
    for (const seed of [await seedWith(true), await seedWith(false)]) {
      const fair = await fairWeather(name, seed);
      expect(countedOf(name, fair)).toEqual([]);
      expect(fair.counts.deliveries).toBeGreaterThan(5);
      expect(effectsOf(fair)).toEqual(effectsOf(await fairWeather('sluice', seed)));
    }
  });

  it('what a handler forgets to wait for is waited for: that is no library’s fault', async () => {
    const seen: string[] = [];
    const careless: SimulatedHandler = async (_, { commitWith }) => {
      // Left alone on purpose.
      void commitWith?.([])?.catch((error: Error) => seen.push(error.name));
    };
    const messaging = (await drawPlan(1, {})).messaging;
    const [type = ''] = Object.keys(messaging.events);
    const body = JSON.stringify({
      specversion: '1.0',
      id: '1',
      source: 'test',
      type,
      data: { nature: 'plain', length: 1 },
    });
    const { tools, stop } = await createHarness(messaging, { seed: 1 });
    const work = workOf({ messaging, subscriber: '', handler: careless, tools });
    await expect(work(body, 1, 1_000)).rejects.toThrow();
    expect(seen).toEqual(['ValidationException']);
    await expect(work('no event', 1, 1_000)).rejects.toThrow(SyntaxError);
    await expect(work('{}', 1, 1_000)).rejects.toThrow('no CloudEvents envelope');
    stop();
  });
});

describe('a history of a peer goes the same way each time', () => {
  it.each(['powertools', 'sqs-consumer', 'put-if-absent'] as const)('%s', async (name) => {
    const [one, other] = [await playPeer(7, name), await playPeer(7, name)];
    expect(one.counts.faults).toBeGreaterThan(0);
    expect(other.story).toEqual(one.story);
    expect(other.digest).toBe(one.digest);
  });

  it('a library sees the clock of its environment; the machine has its own again afterwards', async () => {
    const before = { Date, setTimeout };
    const seen: (readonly [library: number, environment: number])[] = [];
    const build = onVirtualClock(({ tools }) => async () => {
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      seen.push([Date.now(), tools.clock.now()]);
      return { batchItemFailures: [] };
    });
    await withVirtualClock(() => play(3, { build }));
    expect(seen.length).toBeGreaterThan(10);
    for (const [library, environment] of seen) expect(library).toBe(environment);
    expect({ Date, setTimeout }).toEqual(before);
  });
});

describe('docs/peers.md is true', () => {
  it(`the figures of seeds 1 to ${keptTrue} (if not: npm run peers)`, { timeout: 60_000 }, async () => {
    const seeds = Array.from({ length: keptTrue }, (_, index) => index + 1);
    const found: Partial<Record<PeerName, Awaited<ReturnType<typeof tally>>>> = {};
    for (const name of peerNames) found[name] = await tally(name, seeds);
    expect(page).toContain(tableOf(found as Tallies));
  });

  it('each seed that is named shows what it is named for', { timeout: 60_000 }, async () => {
    const claims = new Map<string, { peer: PeerName; seed: number; kinds: Row[] }>();
    for (const [, peer, kind, seed, command] of page.matchAll(
      /^\| (\S+) \| (\w+) \| (\d+) \| `(.*)` \|$/gm,
    )) {
      if (!isPeer(peer) || !isRow(kind)) throw new Error(`Nobody knows ${peer} ${kind}.`);
      expect(command).toBe(replayCommand(peer, Number(seed), kind));
      const claim = claims.get(`${peer} ${seed}`) ?? { peer, seed: Number(seed), kinds: [] };
      claim.kinds.push(kind);
      claims.set(`${peer} ${seed}`, claim);
    }
    expect(claims.size).toBeGreaterThan(5);
    for (const { peer, seed, kinds } of claims.values()) {
      const counted = countedOf(peer, await playPeer(seed, peer));
      expect(
        kinds.filter((kind) => !counted.some(({ row }) => row === kind)),
        `${peer} ${seed}`,
      ).toEqual([]);
      // What a letter does not say is counted apart, and nowhere else.
      for (const { row, text } of counted)
        if (row === 'letter') expect(text).not.toMatch(/gives no reason|does not say/);
    }
  });

  it('the set-ups, with the versions that are installed', () => {
    expect(page).toContain(setUpsOf());
  });

  it('the runtime broke no promise that is counted there', () => {
    const column = page.split('## The first of each')[0]?.matchAll(/^\| ([^|]+) \| ([^|]+) \|/gm) ?? [];
    const counts = new Map([...column].map(([, kind = '', count]) => [kind, count]));
    for (const kind of Object.values(rows)) expect(counts.get(kind), kind).toBe('0');
  });
});

describe('a violation is told again by its command', () => {
  /** As npx tsx runs them, without the wait for npx. */
  const run = (words: readonly string[]) =>
    new Promise<{ code: unknown; output: string }>((resolve) =>
      execFile(process.execPath, ['--import', 'tsx', ...words], { cwd: root }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, output: stdout + stderr }),
      ),
    );

  it('with a history that is as short as can be found', { timeout: 60_000 }, async () => {
    const told = await tell({ peer: 'put-if-absent', seed: 1, kind: 'lost' });
    const { code, output } = await run(replayCommand('put-if-absent', 1, 'lost').split(' ').slice(2));
    expect({ code, output }).toEqual({ code: 0, output: `${told}\n` });
    expect(told).toMatch(
      /has neither an effect nor a dead letter\na shorter history in which the same happens, \d+ of /,
    );
  });

  it('a command that asks for what is not there says what is', { timeout: 60_000 }, async () => {
    const { code, output } = await run(['test/peers/replay.ts', '--peer', 'nobody', '--seed', '1']);
    expect(code).toBe(2);
    expect(output).toContain(`one of ${peerNames.join(', ')} is needed`);
  });

  it('npm run peers writes the page', { timeout: 60_000 }, async () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts.peers).toBe('tsx test/peers/generate.ts');
    const { code, output } = await run(['test/peers/generate.ts', '--seeds', '0']);
    expect(code).toBe(1);
    expect(output).toContain(`a whole number from ${keptTrue} is needed`);
  });
});
