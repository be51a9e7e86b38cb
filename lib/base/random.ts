/**
 * Where chance comes from: handed in, so that a failing seed replays the same run.
 *
 * @example
 * ```ts
 * const random: Random = seededRandom(7);
 * const jitter = random.next() * 100;
 * ```
 */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
}

/**
 * The machine's own randomness: for jitter and ids, not for secrets.
 *
 * @example
 * ```ts
 * const jitter = systemRandom.next() * 100;
 * ```
 */
export const systemRandom: Random = { next: Math.random };

/**
 * A repeatable sequence from a 32-bit seed (the generator is mulberry32, public domain, by T. Ettinger).
 *
 * @example
 * ```ts
 * seededRandom(7).next() === seededRandom(7).next();
 * ```
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = state;
      mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
    },
  };
}

/**
 * A UUID of version 4 from the given source.
 *
 * @example
 * ```ts
 * uuid(seededRandom(1)); // always the same
 * ```
 */
export function uuid(random: Random): string {
  let text = '';
  for (let position = 0; position < 32; position++) {
    if (position === 8 || position === 12 || position === 16 || position === 20) text += '-';
    const nibble = Math.floor(random.next() * 16);
    text += (position === 12 ? 4 : position === 16 ? (nibble & 3) | 8 : nibble).toString(16);
  }
  return text;
}
