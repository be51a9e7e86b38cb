import { type Milliseconds, milliseconds } from './units.ts';

/**
 * A timer that was set on a {@link Clock}.
 *
 * @example
 * ```ts
 * const timer = clock.after(milliseconds(500), () => controller.abort());
 * timer.cancel();
 * ```
 */
export interface Timer {
  /** Stops the timer; nothing happens when it has already run or been cancelled. */
  cancel(): void;
}

/**
 * Where time comes from. The runtime and the model of AWS do not read the machine's time by themselves: a clock is
 * handed in, so that a test or a simulation can drive hours in seconds.
 *
 * @example
 * ```ts
 * const clock: Clock = createVirtualClock();
 * const startedAt = clock.now();
 * clock.after(milliseconds(200), () => console.log(clock.now() - startedAt)); // 200
 * ```
 */
export interface Clock {
  /** The present moment, in milliseconds since the Unix epoch. */
  now(): Milliseconds;
  /** Runs `task` once, after `delay` milliseconds. */
  after(delay: Milliseconds, task: () => void): Timer;
}

/**
 * The machine's own clock.
 *
 * @example
 * ```ts
 * const startedAt = systemClock.now();
 * ```
 */
export const systemClock: Clock = {
  now: () => milliseconds(Date.now()),
  after(delay, task) {
    const handle = setTimeout(task, delay);
    return { cancel: () => clearTimeout(handle) };
  },
};

/**
 * Resolves after `delay` milliseconds of the given clock, or at once when `signal` aborts (it never rejects:
 * look at the signal afterwards).
 *
 * @example
 * ```ts
 * await sleep(clock, milliseconds(200), signal);
 * ```
 */
export function sleep(clock: Clock, delay: Milliseconds, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const finish = () => {
      timer.cancel();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const timer = clock.after(delay, finish);
    signal?.addEventListener('abort', finish, { once: true });
  });
}
