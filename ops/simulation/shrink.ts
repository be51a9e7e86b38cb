import { type Clock, systemClock } from '../../lib/base/index.ts';
import type { Violation } from './judge/index.ts';
import type { Plan } from './plan.ts';
import { drawPlan, playPlan } from './play.ts';
import type { Played, PlayOptions } from './types.ts';

/**
 * Bounds of a search for a shorter history.
 *
 * @example
 * ```ts
 * const bounds: ShrinkBounds = { plays: 50 };
 * ```
 */
export interface ShrinkBounds {
  /** @default 150 */
  readonly plays?: number;
  /**
   * Milliseconds of the machine's time.
   *
   * @default 20,000
   */
  readonly time?: number;
  /** @default - the machine's clock */
  readonly clock?: Clock;
  /**
   * Whether what is looked for is still in a history.
   *
   * @default - a violation of the same kind by the same subscriber
   */
  readonly shows?: (played: Played) => boolean;
}

/**
 * A history in which a promise is still broken, and what little of it is left.
 *
 * @example
 * ```ts
 * const { left, of, played }: Shrunk = await shrink(17, {}, violation);
 * ```
 */
export interface Shrunk {
  readonly played: Played;
  /** Publishes and troubles that are left, and how many there were. */
  readonly left: number;
  readonly of: number;
  /** How many histories were played for it. */
  readonly plays: number;
}

/**
 * Makes a history shorter for as long as the same promise is broken in it: leaves out halves of what was published and of
 * what went wrong, then quarters, down to single ones.
 *
 * @example
 * ```ts
 * const { played, left, of } = await shrink(17, {}, violation);
 * console.log(`${left} of ${of} are enough:\n${played.story.join('\n')}`);
 * ```
 */
export async function shrink(
  seed: number,
  options: PlayOptions,
  violation: Violation,
  {
    plays: mostPlays = 150,
    time = 20_000,
    clock = systemClock,
    shows = ({ violations }) => violations.some((other) => isSame(other, violation)),
  }: ShrinkBounds = {},
): Promise<Shrunk> {
  const whole = await drawPlan(seed, options);
  const until = clock.now() + time;
  const size = (plan: Plan) => plan.publishes.length + plan.troubles.length;
  let best = { plan: whole, played: await playPlan(whole, options) };
  let plays = 1;
  const over = () => plays >= mostPlays || clock.now() >= until;

  let chunk = Math.ceil(size(whole) / 2);
  while (!over()) {
    let shorter = false;
    for (let from = 0; from < size(best.plan) && !over(); ) {
      const plan = without(best.plan, from, from + chunk);
      plays += 1;
      const played = await playPlan(plan, options);
      if (shows(played)) {
        // What came after it has moved up: the next attempt begins at the same place.
        best = { plan, played };
        shorter = true;
      } else from += chunk;
    }
    if (chunk === 1 && !shorter) break;
    chunk = Math.max(1, Math.floor(chunk / 2));
  }
  return { played: best.played, left: size(best.plan), of: size(whole), plays };
}

const isSame = (one: Violation, other: Violation): boolean =>
  one.kind === other.kind && one.subscriber === other.subscriber;

/** The plan without some of its entries, troubles counted before publishes. */
function without(plan: Plan, from: number, to: number): Plan {
  const keeps = (index: number) => index < from || index >= to;
  const { length } = plan.troubles;
  return {
    ...plan,
    troubles: plan.troubles.filter((_, index) => keeps(index)),
    publishes: plan.publishes.filter((_, index) => keeps(index + length)),
  };
}
