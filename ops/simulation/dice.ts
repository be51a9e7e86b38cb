import type { Random } from '../../lib/base/index.ts';

/** Draws of one kind after another from one source of chance. */
export interface Dice {
  /** A whole number, both ends included. */
  between(low: number, high: number): number;
  pick<Value>(values: readonly Value[]): Value;
  chance(share: number): boolean;
  /** So many different whole numbers of a range, in order. */
  several(count: number, low: number, high: number): number[];
}

/** Draws from the given source of chance. */
export function createDice(random: Random): Dice {
  const between = (low: number, high: number) => low + Math.floor(random.next() * (high - low + 1));
  return {
    between,
    pick: <Value>(values: readonly Value[]) => values[between(0, values.length - 1)] as Value,
    chance: (share) => random.next() < share,
    several(count, low, high) {
      const drawn = new Set<number>();
      for (let tries = 0; tries < count; tries++) drawn.add(between(low, high));
      return [...drawn].sort((one, other) => one - other);
    },
  };
}
