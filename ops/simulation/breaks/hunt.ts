import type { Kind } from '../judge/index.ts';
import { play } from '../play.ts';
import type { Break } from './break.ts';

/** How a broken runtime was found out. */
export interface Hunted {
  readonly broken: Break;
  /** The first seed with a violation of a kind that is expected; undefined when there was none. */
  readonly seed: number | undefined;
  /** Kinds of all violations up to and with that seed. */
  readonly kinds: readonly Kind[];
}

/**
 * Plays a broken runtime, seed after seed, until it is found out; at most up to the seed that is written beside it.
 *
 * @param first - the seed to begin with; default 1
 */
export async function hunt(broken: Break, first = 1): Promise<Hunted> {
  const kinds = new Set<Kind>();
  for (let seed = first; seed <= broken.within; seed++) {
    const { violations } = await play(seed, { build: broken.build });
    for (const { kind } of violations) kinds.add(kind);
    if (broken.expected.some((kind) => kinds.has(kind))) return { broken, seed, kinds: [...kinds] };
  }
  return { broken, seed: undefined, kinds: [...kinds] };
}
