import { type Milliseconds, type Seconds, seconds } from '../../lib/base/index.ts';
import type { QueueView } from '../sqs/index.ts';

/**
 * How long the oldest message of a subscriber has waited, from its sending until it is done; 0 where none is left.
 *
 * @example
 * ```ts
 * expect(simulation.lag('payments').worst).toBeLessThan(shop.subscribers.payments.lag);
 * ```
 */
export interface Lag {
  /** At this moment, in seconds. */
  readonly now: Seconds;
  /** At the worst moment so far, in seconds. */
  readonly worst: Seconds;
}

/** Follows the lag of subscribers while time moves. */
export interface LagWatch {
  /** Told before time moves by `length`, in which nothing else happens. */
  watch(length: Milliseconds): void;
  lag(subscriber: string): Lag;
}

export function watchLag(subscribers: readonly string[], queue: (subscriber: string) => QueueView): LagWatch {
  const worst = new Map<string, number>();
  const note = (subscriber: string, length: number): number => {
    const age = queue(subscriber).oldestUndeletedAge;
    if (age === undefined) return 0;
    worst.set(subscriber, Math.max(worst.get(subscriber) ?? 0, age + length));
    return age;
  };
  return {
    watch(length) {
      for (const subscriber of subscribers) note(subscriber, length);
    },
    lag(subscriber) {
      const now = note(subscriber, 0);
      return { now: seconds(now / 1000), worst: seconds((worst.get(subscriber) ?? 0) / 1000) };
    },
  };
}
