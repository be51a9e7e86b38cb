import { breaks } from './breaks/index.ts';
import type { Violation } from './judge/index.ts';
import type { Counts, PlayOptions } from './types.ts';

/**
 * How seeds are played, in words that a thread can be sent.
 *
 * @example
 * ```ts
 * const job: Job = { example: undefined, hours: 3, faults: undefined, break: 'noFence' };
 * ```
 */
export interface Job {
  readonly example: 'orders' | undefined;
  readonly hours: number | undefined;
  readonly faults: readonly string[] | undefined;
  /** The name of a broken runtime. */
  readonly break: string | undefined;
}

/** What a thread says of one seed. */
export interface Verdict {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly counts: Counts;
  readonly virtualHours: number;
}

/** What a thread sends: a verdict, or what stood in the way of one. */
export type Answer = Verdict | { readonly seed: number; readonly error: string };

/** The options of a job, with the runtime that it names. */
export function optionsOf({ break: name, example, hours, faults }: Job): PlayOptions {
  return { example, hours, faults, build: name === undefined ? undefined : breaks[name]?.build };
}

/** The command that plays one seed of a job again. */
export function replayCommand(seed: number, { example, hours, faults, break: name }: Job): string {
  return [
    `npx sluice simulate --seed ${seed}`,
    example === undefined ? '' : ` --example ${example}`,
    hours === undefined ? '' : ` --hours ${hours}`,
    faults === undefined ? '' : ` --faults ${faults.join(',')}`,
    name === undefined ? '' : ` --break ${name}`,
  ].join('');
}
