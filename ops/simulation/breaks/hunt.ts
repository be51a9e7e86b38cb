import type { Kind } from '../judge/index.ts';
import { play } from '../play.ts';
import type { Break } from './break.ts';

/**
 * How a broken runtime was found out.
 *
 * @example
 * ```ts
 * const { seed, kinds }: Hunted = await hunt(breaks.noFence);
 * ```
 */
export interface Hunted {
  readonly broken: Break;
  /** The first seed with a violation of a kind that is expected; undefined when there was none. */
  readonly seed: number | undefined;
  /** Kinds of all violations up to and with that seed. */
  readonly kinds: readonly Kind[];
}

/**
 * Plays a broken runtime, seed after seed from 1, until it is found out; no further than what is written beside it.
 *
 * @example
 * ```ts
 * const { seed } = await hunt(breaks.noFence);
 * console.log(seed === undefined ? 'not found' : `found by seed ${seed}`);
 * ```
 */
export async function hunt(broken: Break): Promise<Hunted> {
  const kinds = new Set<Kind>();
  for (let seed = 1; seed <= broken.within; seed++) {
    const { violations } = await play(seed, { build: broken.build });
    for (const { kind } of violations) kinds.add(kind);
    if (broken.expected.some((kind) => kinds.has(kind))) return { broken, seed, kinds: [...kinds] };
  }
  return { broken, seed: undefined, kinds: [...kinds] };
}
