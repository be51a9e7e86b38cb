import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Clock, systemClock } from '../../lib/base/index.ts';
import { type Answer, type Job, replayCommand, type Verdict } from './job.ts';
import type { Violation } from './judge/index.ts';
import { bundleProgram } from './program.ts';
import type { Counts } from './types.ts';

/**
 * A violation, and how to see it again.
 *
 * @example
 * ```ts
 * for (const { seed, kind, replay } of simulated.violations) console.log(seed, kind, replay);
 * ```
 */
export interface Found extends Violation {
  readonly seed: number;
  readonly replay: string;
}

/**
 * What became of many seeds.
 *
 * @example
 * ```ts
 * const { violations, seconds }: Simulated = await simulate([1, 2, 3], job);
 * ```
 */
export interface Simulated {
  readonly seeds: number;
  /** In the order of seeds. */
  readonly violations: readonly Found[];
  readonly counts: Counts;
  readonly virtualHours: number;
  /** Of the machine's time. */
  readonly seconds: number;
}

/**
 * What {@link simulate} takes besides the job.
 *
 * @example
 * ```ts
 * const options: SimulateOptions = { threads: 2, progress: (done) => console.error(done) };
 * ```
 */
export interface SimulateOptions {
  /** @default - as many as the machine has cores */
  readonly threads?: number;
  /** Told after each seed. */
  readonly progress?: (done: number, violations: number) => void;
  /** @default - the machine's clock */
  readonly clock?: Clock;
}

/** Seeds that a thread is sent ahead, so that it never waits. */
const ahead = 3;

/** MiB: a history makes many short-lived objects, which a small young generation would have copied. */
const youngGeneration = 64;

/**
 * Plays many seeds, on every core, and sums up. Each seed is played by itself, so that neither the number of threads nor the
 * order in which they finish shows in what is found.
 *
 * @throws {Error} when a seed could not be played, naming it
 * @example
 * ```ts
 * const { violations } = await simulate([1, 2, 3], { example: undefined, hours: undefined, faults: undefined, break: undefined });
 * ```
 */
export async function simulate(
  seeds: readonly number[],
  job: Job,
  { threads = availableParallelism(), progress = () => {}, clock = systemClock }: SimulateOptions = {},
): Promise<Simulated> {
  const startedAt = clock.now();
  const verdicts: Verdict[] = [];
  let next = 0;
  let violations = 0;

  const work = (worker: Worker) =>
    new Promise<void>((resolve, reject) => {
      let open = 0;
      const feed = () => {
        while (open < ahead && next < seeds.length) {
          open += 1;
          worker.postMessage(seeds[next++]);
        }
        if (open === 0) resolve();
      };
      worker.on('message', (answer: Answer) => {
        if ('error' in answer)
          return reject(
            new Error(
              `Seed ${answer.seed} could not be played: ${answer.error}. See it with ${replayCommand(answer.seed, job)}.`,
            ),
          );
        open -= 1;
        verdicts.push(answer);
        violations += answer.violations.length;
        progress(verdicts.length, violations);
        feed();
      });
      worker.on('error', reject);
      worker.on('exit', (code) => reject(new Error(`A thread of the simulation ended with code ${code}.`)));
      feed();
    });

  const program = await threadProgram();
  const workers = Array.from(
    { length: Math.min(threads, seeds.length) },
    () =>
      new Worker(program, {
        eval: typeof program === 'string',
        workerData: job,
        resourceLimits: { maxYoungGenerationSizeMb: youngGeneration },
      }),
  );
  try {
    await Promise.all(workers.map(work));
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  verdicts.sort((one, other) => one.seed - other.seed);
  return {
    seeds: seeds.length,
    violations: verdicts.flatMap(({ seed, violations }) =>
      violations.map((violation) => ({ seed, ...violation, replay: replayCommand(seed, job) })),
    ),
    counts: verdicts.reduce((sum, { counts }) => addCounts(sum, counts), noCounts),
    virtualHours: verdicts.reduce((sum, { virtualHours }) => sum + virtualHours, 0),
    seconds: (clock.now() - startedAt) / 1_000,
  };
}

const noCounts: Counts = { messages: 0, deliveries: 0, handlerRuns: 0, faults: 0 };

const addCounts = (one: Counts, other: Counts): Counts => ({
  messages: one.messages + other.messages,
  deliveries: one.deliveries + other.deliveries,
  handlerRuns: one.handlerRuns + other.handlerRuns,
  faults: one.faults + other.faults,
});

/** The program of a thread: what tsc has made of it, or in a checkout a bundle of the sources. */
const threadProgram = async (): Promise<string | URL> =>
  import.meta.url.endsWith('.ts')
    ? bundleProgram(new URL('./thread.ts', import.meta.url))
    : new URL('./thread.js', import.meta.url);
