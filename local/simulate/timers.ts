import { type Milliseconds, milliseconds, type Timer } from '../../lib/base/index.ts';
import { bound, type PendingTimer, type Place } from './place.ts';

/** What `setTimeout` returns, on the virtual clock: all that Node's own object has. */
export interface VirtualTimer {
  ref(): VirtualTimer;
  unref(): VirtualTimer;
  hasRef(): boolean;
  refresh(): VirtualTimer;
  close(): VirtualTimer;
  [Symbol.toPrimitive](): number;
  [Symbol.dispose](): void;
}

/** How a timer repeats. */
export type Repeat = 'once' | 'again';

/** Node's own bound: what is no number from 1 to here counts as 1 millisecond ("Timers" of Node's documentation). */
const longest = 2 ** 31 - 1;

const stops = new WeakMap<object, () => void>();
const byNumber = new Map<number, VirtualTimer>();
let lastNumber = 0;

/** Sets a timer for the code of an environment. It dies with the environment, and waits while that is frozen. */
export function startTimer(
  place: Place,
  task: () => void,
  delay: number | undefined,
  repeat: Repeat,
): VirtualTimer {
  const length = legalDelay(delay);
  const pending: PendingTimer = { invocation: place.invocation };
  let running: Timer | undefined;
  let number: number | undefined;
  let referenced = true;

  const rest = () => {
    place.timers.delete(pending);
    running = undefined;
    if (number !== undefined) byNumber.delete(number);
  };
  const arm = () => {
    running?.cancel();
    place.timers.add(pending);
    const mine = place.clock.after(length, () => {
      if (running !== mine) return;
      if (place.invocation === undefined) place.held.push(() => running === mine && fire());
      else fire();
    });
    running = mine;
  };
  const fire = bound(() => {
    const mine = running;
    if (repeat === 'once') rest();
    try {
      task();
    } catch (thrown) {
      rest();
      place.crash(thrown);
    }
    // Not when the task stopped its timer, or set it anew.
    if (repeat === 'again' && running === mine) arm();
  });
  const timer: VirtualTimer = {
    ref: () => refer(true),
    unref: () => refer(false),
    hasRef: () => referenced,
    refresh() {
      arm();
      return timer;
    },
    close() {
      stopTimer(timer);
      return timer;
    },
    [Symbol.toPrimitive]() {
      number ??= ++lastNumber;
      if (running !== undefined) byNumber.set(number, timer);
      return number;
    },
    [Symbol.dispose]: () => void stopTimer(timer),
  };
  const refer = (value: boolean) => {
    referenced = value;
    return timer;
  };
  stops.set(timer, () => {
    running?.cancel();
    rest();
  });
  arm();
  return timer;
}

/** Stops a timer, given as the object or as its number; false when it is none of {@link startTimer}'s. */
export function stopTimer(handle: unknown): boolean {
  const timer = typeof handle === 'object' ? handle : byNumber.get(Number(handle));
  const stop = timer === null || timer === undefined ? undefined : stops.get(timer);
  stop?.();
  return stop !== undefined;
}

function legalDelay(delay: number | undefined): Milliseconds {
  const length = Number(delay);
  return milliseconds(length >= 1 && length <= longest ? Math.trunc(length) : 1);
}
