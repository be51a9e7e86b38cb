import { type Seconds, seconds } from '../base/index.ts';
import type { Subscriber } from './types.ts';

/** A bound of sluice: what fails a hundred times is not transient. */
export const mostAttempts = 100;

/**
 * How long a message can need until its attempts are used up: every run as long as it may be, every wait as long
 * as it may be.
 */
export function longestLife({
  attempts,
  timeout,
  backoff,
}: Pick<Subscriber, 'attempts' | 'timeout' | 'backoff'>): Seconds {
  let life = attempts * timeout;
  for (let attempt = 1; attempt < Math.min(attempts, mostAttempts); attempt++)
    life += Math.min(backoff.cap, backoff.base * 2 ** (attempt - 1));
  return seconds(life);
}
