import { type Milliseconds, milliseconds, type Random, type Seconds, seconds } from '../../lib/base/index.ts';

/** SQS quotas: a visibility timeout is at most 12 hours. */
const longestVisibility = 43_200;

/**
 * Full jitter: a random part of base x 2^(attempt - 1), at most the cap, in whole seconds, which is what SQS
 * takes ("Exponential Backoff And Jitter", AWS architecture blog).
 *
 * @param attempt - 1 after the first failure
 */
export function backoff(
  policy: { readonly base: Seconds; readonly cap: Seconds },
  attempt: number,
  random: Random,
): Seconds {
  const bound = Math.min(policy.cap, policy.base * 2 ** Math.min(attempt - 1, 40));
  return wholeVisibility(random.next() * bound);
}

/** A length of time as a visibility timeout that SQS takes: whole seconds, 0 to 12 hours. */
export const wholeVisibility = (length: number): Seconds =>
  seconds(Number.isFinite(length) ? Math.max(0, Math.min(longestVisibility, Math.ceil(length))) : 0);

export const longestCallPause = milliseconds(1_000);

/** Pauses between tries of a call that was throttled: full jitter, 50 ms doubling, at most 1 s. */
export const callPause = (tries: number, random: Random): Milliseconds =>
  milliseconds(random.next() * Math.min(longestCallPause, 50 * 2 ** tries));
