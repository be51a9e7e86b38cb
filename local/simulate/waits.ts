import type { Place } from './place.ts';
import { startTimer, stopTimer } from './timers.ts';

/** What Node's waits take. */
export interface WaitOptions {
  readonly signal?: AbortSignal;
  readonly ref?: boolean;
}

/** A wait as Node's promises of timers give it, on the clock of an environment. */
export function wait<Value>(
  place: Place,
  delay: number | undefined,
  value: Value,
  { signal }: WaitOptions = {},
): Promise<Value> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted(signal));
    const abort = () => {
      stopTimer(timer);
      if (signal !== undefined) reject(aborted(signal));
    };
    const finish = () => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    };
    const timer = startTimer(place, finish, delay, 'once');
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Ticks as Node's promises of timers give them: what nobody has taken yet is given at once. */
export async function* ticks<Value>(
  place: Place,
  delay: number | undefined,
  value: Value,
  { signal }: WaitOptions = {},
): AsyncGenerator<Value, void, void> {
  if (signal?.aborted) throw aborted(signal);
  let due = 0;
  let wake = () => {};
  const tick = () => {
    due++;
    wake();
  };
  const timer = startTimer(place, tick, delay, 'again');
  const abort = () => wake();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    for (;;) {
      for (; due > 0; due--) yield value;
      if (signal?.aborted) throw aborted(signal);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    stopTimer(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** A signal that fires when its time is over. */
export function timeoutSignal(place: Place, delay: number): AbortSignal {
  const controller = new AbortController();
  const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  startTimer(place, () => controller.abort(reason), delay, 'once').unref();
  return controller.signal;
}

/** As Node's waits reject. */
const aborted = (signal: AbortSignal): Error =>
  Object.assign(new Error('The operation was aborted', { cause: signal.reason }), {
    name: 'AbortError',
    code: 'ABORT_ERR',
  });
