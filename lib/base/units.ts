declare const unit: unique symbol;

/**
 * A length of time in seconds. Made by {@link seconds}, {@link minutes}, {@link hours} or {@link days}.
 *
 * @example
 * ```ts
 * const lag: Seconds = minutes(5);
 * ```
 */
export type Seconds = number & { readonly [unit]: 'seconds' };

/**
 * A length of time, or a moment since the Unix epoch, in milliseconds.
 *
 * @example
 * ```ts
 * const delay: Milliseconds = milliseconds(250);
 * ```
 */
export type Milliseconds = number & { readonly [unit]: 'milliseconds' };

/**
 * A length of time in seconds.
 *
 * @example
 * ```ts
 * const lag = seconds(60);
 * ```
 */
export function seconds(count: number): Seconds {
  return count as Seconds;
}

/**
 * A length of time in minutes, as {@link Seconds}.
 *
 * @example
 * ```ts
 * minutes(5) === seconds(300);
 * ```
 */
export function minutes(count: number): Seconds {
  return seconds(count * 60);
}

/**
 * A length of time in hours, as {@link Seconds}.
 *
 * @example
 * ```ts
 * hours(12) === minutes(720);
 * ```
 */
export function hours(count: number): Seconds {
  return minutes(count * 60);
}

/**
 * A length of time in days, as {@link Seconds}.
 *
 * @example
 * ```ts
 * days(14) === hours(336);
 * ```
 */
export function days(count: number): Seconds {
  return hours(count * 24);
}

/**
 * A length of time, or a moment since the Unix epoch, in milliseconds.
 *
 * @example
 * ```ts
 * const delay = milliseconds(250);
 * ```
 */
export function milliseconds(count: number): Milliseconds {
  return count as Milliseconds;
}

/**
 * Seconds as milliseconds.
 *
 * @example
 * ```ts
 * toMilliseconds(seconds(2)) === milliseconds(2000);
 * ```
 */
export function toMilliseconds(length: Seconds): Milliseconds {
  return milliseconds(length * 1000);
}

/**
 * Milliseconds as seconds; fractions are kept.
 *
 * @example
 * ```ts
 * toSeconds(milliseconds(1500)) === seconds(1.5);
 * ```
 */
export function toSeconds(length: Milliseconds): Seconds {
  return seconds(length / 1000);
}
