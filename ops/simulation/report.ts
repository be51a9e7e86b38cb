import { type Clock, systemClock } from '../../lib/base/index.ts';
import { type Job, optionsOf, replayCommand } from './job.ts';
import type { Kind } from './judge/index.ts';
import { play } from './play.ts';
import { shrink } from './shrink.ts';
import type { Found, Simulated } from './simulate.ts';

/**
 * The result of a run, for machines.
 *
 * @example
 * ```ts
 * const { lost, doubled, violations }: Report = JSON.parse(stdout);
 * ```
 */
export interface Report {
  readonly seeds: number;
  readonly lost: number;
  readonly doubled: number;
  readonly reordered: number;
  readonly phantom: number;
  readonly stuck: number;
  readonly parked: number;
  /** Dead letters that should not be, or do not say what they must. */
  readonly letter: number;
  /** Every violation. */
  readonly violations: readonly Found[];
  readonly virtualHours: number;
  readonly seconds: number;
}

/**
 * The report of a run.
 *
 * @example
 * ```ts
 * console.log(JSON.stringify(reportOf(await simulate(seeds, job))));
 * ```
 */
export function reportOf({ seeds, violations, virtualHours, seconds }: Simulated): Report {
  const count = (kind: Kind) => violations.filter((each) => each.kind === kind).length;
  return {
    seeds,
    lost: count('lost'),
    doubled: count('doubled'),
    reordered: count('reordered'),
    phantom: count('phantom'),
    stuck: count('stuck'),
    parked: count('parked'),
    letter: count('letter'),
    violations,
    virtualHours: round(virtualHours),
    seconds: round(seconds),
  };
}

/**
 * The result of a run, to read.
 *
 * @example
 * ```ts
 * console.log(summaryOf(await simulate(seeds, job)));
 * ```
 */
export function summaryOf(simulated: Simulated): string {
  const { seeds, counts, virtualHours, seconds } = simulated;
  const { lost, doubled, reordered, phantom, stuck, parked, letter } = reportOf(simulated);
  return [
    `${plural(seeds, 'history', 'histories')} in ${round(seconds)} s: ${round(virtualHours)} virtual hours, ` +
      `${counts.messages} messages, ${counts.deliveries} deliveries, ${counts.handlerRuns} runs of handlers, ${counts.faults} faults`,
    `lost ${lost}, doubled ${doubled}, reordered ${reordered}, phantom ${phantom}, stuck ${stuck}, parked ${parked}, letter ${letter}`,
  ].join('\n');
}

/** How many violations are shown, and how many of them with a short history. */
const shown = { violations: 20, histories: 3 } as const;

/**
 * Violations with the commands that replay them; the first of them with a history as short as can be found.
 *
 * @example
 * ```ts
 * if (violations.length > 0) console.log(await explain(violations, job));
 * ```
 */
export async function explain(violations: readonly Found[], job: Job): Promise<string> {
  const parts = violations.slice(0, shown.violations).map(describe);
  if (violations.length > shown.violations) parts.push(`and ${violations.length - shown.violations} more`);
  const seeds = new Map(violations.map((each) => [each.seed, each]));
  // The first of each seed, since the map keeps the last.
  for (const each of [...violations].reverse()) seeds.set(each.seed, each);
  for (const violation of [...seeds.values()].sort((a, b) => a.seed - b.seed).slice(0, shown.histories))
    parts.push(await shortHistory(violation, job));
  return parts.join('\n');
}

/**
 * Plays one seed and tells its story; then, where a promise was broken, the shortest history of it.
 *
 * @example
 * ```ts
 * const { violations } = await replay(17, job, console.log);
 * ```
 */
export async function replay(
  seed: number,
  job: Job,
  print: (text: string) => void,
  clock: Clock = systemClock,
): Promise<Simulated> {
  const startedAt = clock.now();
  const { story, violations, counts, virtualHours, digest } = await play(seed, optionsOf(job));
  print(readable(story).join('\n'));
  print(`digest ${digest}`);
  const found = violations.map((each) => ({ seed, ...each, replay: replayCommand(seed, job) }));
  for (const violation of found) print(describe(violation));
  if (found[0] !== undefined) print(await shortHistory(found[0], job));
  return { seeds: 1, violations: found, counts, virtualHours, seconds: (clock.now() - startedAt) / 1_000 };
}

/** A fault of a call, as a story tells it. */
const aFault = /^ *[\d.]+ {2}(sqs|sns|dynamodb) \w+ (is refused|is done, and its answer lost|is held back)/;

/** Of so many faults in a row the first are told, and then how many more there were. */
const toldInARow = 4;

/**
 * A story without the hundreds of calls that fail one after another while a service is away.
 *
 * @example
 * ```ts
 * console.log(readable(played.story).join('\n'));
 * ```
 */
export function readable(story: readonly string[]): string[] {
  const lines: string[] = [];
  let row = 0;
  const close = () => {
    if (row > toldInARow) lines.push(`            and ${row - toldInARow} more calls that fail or take long`);
    row = 0;
  };
  for (const line of story) {
    if (aFault.test(line)) row += 1;
    else close();
    if (row <= toldInARow) lines.push(line);
  }
  close();
  return lines;
}

async function shortHistory(violation: Found, job: Job): Promise<string> {
  const { played, left, of, plays } = await shrink(violation.seed, optionsOf(job), violation);
  const last = played.violations.find(
    ({ kind, subscriber }) => kind === violation.kind && subscriber === violation.subscriber,
  );
  return [
    `\nSeed ${violation.seed}, made shorter: ${left} of ${of} publishes and troubles are enough (${plays} histories played)`,
    ...readable(played.story).map((line) => `  ${line}`),
    `  ${violation.kind}: ${violation.subscriber}: ${last?.text ?? violation.text}`,
  ].join('\n');
}

const describe = ({ seed, kind, subscriber, text, replay }: Found): string =>
  `seed ${seed}: ${kind}: ${subscriber}: ${text}\n  ${replay}`;

const round = (value: number): number => Math.round(value * 10) / 10;
const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
