import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import promises from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Milliseconds, milliseconds } from '../../lib/base/index.ts';
import { currentPlace, type Place } from './place.ts';
import { type Repeat, startTimer, stopTimer } from './timers.ts';
import { ticks, timeoutSignal, type WaitOptions, wait } from './waits.ts';

/*
 * The one file that knows the machine's clock by its names. While a simulation runs, time is read and timers are set
 * through functions of this file: code of a simulated environment gets its environment's clock, all other code of
 * the process what was there before.
 */

/** The machine's own, for the simulation itself: how long real work takes is real time. */
export const machine = {
  now: (): Milliseconds => milliseconds(performance.now()),
  /** One turn of the event loop: everything that is ready runs. */
  turn: (): Promise<void> => new Promise((resolve) => void native.immediate(resolve)),
  pause: (length: Milliseconds): Promise<void> =>
    new Promise((resolve) => void native.timeout(resolve, length)),
};
const native = { immediate: setImmediate, timeout: setTimeout };

let users = 0;
let restore: readonly (() => void)[] = [];

/**
 * Puts the functions in place; the returned call takes them away again, with the last simulation that uses them.
 */
export function shareClock(): () => void {
  refuseFakeTimers();
  if (users++ === 0) {
    restore = replaceAll();
    syncBuiltinESMExports();
  }
  let used = true;
  return () => {
    if (!used) return;
    used = false;
    if (--users > 0) return;
    for (const undo of [...restore].reverse()) undo();
    syncBuiltinESMExports();
  };
}

/** Fake timers of a test runner stop what moves the virtual clock: the event loop's own turns. */
function refuseFakeTimers() {
  // As @sinonjs/fake-timers, which vitest and jest use, marks what it puts in place.
  if (Reflect.has(globalThis.setImmediate, 'clock'))
    throw new Error(
      'Fake timers are on, and would stop the simulation. Turn them off before it (vi.useRealTimers()): handlers see ' +
        'the virtual clock without them.',
    );
}

type Undo = () => void;
type Callback = (...args: unknown[]) => void;

function replaceAll(): Undo[] {
  const late = replaceWaits();
  return [...late, ...replaceTimers(), ...replaceDate(), ...replaceCounters()];
}

function replaceDate(): Undo[] {
  const machineDate = globalThis.Date;
  const { now } = machineDate;
  const here = (): number => currentPlace()?.clock.now() ?? now.call(machineDate);
  const virtual: DateConstructor = new Proxy(machineDate, {
    construct(target, args, made): Date {
      const place = args.length === 0 ? currentPlace() : undefined;
      const said = place === undefined ? args : [place.clock.now()];
      return Reflect.construct(target, said, made === virtual ? target : made);
    },
    apply(target): string {
      return new target(here()).toString();
    },
  });
  return [
    // On the class itself, so that who took hold of it earlier is served too.
    replace(machineDate, 'now', here),
    replace(machineDate.prototype, 'constructor', virtual),
    replace(globalThis, 'Date', virtual),
  ];
}

function replaceCounters(): Undo[] {
  const { random } = Math;
  const { hrtime } = process;
  const now = performance.now.bind(performance);
  const { timeOrigin } = performance;
  const elapsed = ({ clock, startedAt }: Place) => clock.now() - startedAt;
  const nanoseconds = (place: Place) => BigInt(Math.round(elapsed(place) * 1e6));
  const counter = (before?: [number, number]): [number, number] => {
    const place = currentPlace();
    if (place === undefined) return hrtime(before);
    const since = nanoseconds(place) - BigInt(before?.[0] ?? 0) * 1_000_000_000n - BigInt(before?.[1] ?? 0);
    const rest = ((since % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
    return [Number((since - rest) / 1_000_000_000n), Number(rest)];
  };
  const bigint = () => {
    const place = currentPlace();
    return place === undefined ? hrtime.bigint() : nanoseconds(place);
  };
  return [
    replace(performance, 'now', () => {
      const place = currentPlace();
      return place === undefined ? now() : elapsed(place);
    }),
    replaceGetter(performance, 'timeOrigin', () => currentPlace()?.startedAt ?? timeOrigin),
    replace(process, 'hrtime', Object.assign(counter, { bigint })),
    replace(Math, 'random', () => currentPlace()?.random.next() ?? random()),
  ];
}

function replaceTimers(): Undo[] {
  const set = (name: 'setTimeout' | 'setInterval', repeat: Repeat): Undo[] => {
    const before = timers[name];
    const virtual = (callback: Callback, delay?: number, ...args: unknown[]) => {
      const place = currentPlace();
      // What is no function is refused, in Node's own words.
      if (place === undefined || typeof callback !== 'function') return before(callback, delay, ...args);
      const timer = startTimer(place, () => callback.apply(timer, args), delay, repeat);
      return timer;
    };
    if (name === 'setTimeout') Object.assign(virtual, { [promisify.custom]: promises.setTimeout });
    return replaceBoth(name, before, virtual);
  };
  const clear = (name: 'clearTimeout' | 'clearInterval'): Undo[] => {
    const before = timers[name];
    const virtual = (handle: unknown) => {
      if (!stopTimer(handle)) before(handle as NodeJS.Timeout);
    };
    return replaceBoth(name, before, virtual);
  };
  return [
    ...set('setTimeout', 'once'),
    ...set('setInterval', 'again'),
    ...clear('clearTimeout'),
    ...clear('clearInterval'),
  ];
}

function replaceWaits(): Undo[] {
  const before = { ...promises };
  const { wait: pause } = promises.scheduler;
  const { timeout } = AbortSignal;
  // What is no bag of options is refused, in Node's own words.
  const ours = (options: unknown) => (typeof (options ?? {}) === 'object' ? currentPlace() : undefined);
  const virtual = {
    setTimeout: (delay?: number, value?: unknown, options?: WaitOptions) => {
      const place = ours(options);
      return place === undefined
        ? before.setTimeout(delay, value, options)
        : wait(place, delay, value, options ?? {});
    },
    setInterval: (delay?: number, value?: unknown, options?: WaitOptions) => {
      const place = ours(options);
      return place === undefined
        ? before.setInterval(delay, value, options)
        : ticks(place, delay, value, options ?? {});
    },
    wait: (delay: number, options?: WaitOptions) => {
      const place = ours(options);
      return place === undefined
        ? pause.call(promises.scheduler, delay, options)
        : wait(place, delay, undefined, options ?? {});
    },
    timeout: (delay: number) => {
      const place = Number.isSafeInteger(delay) && delay >= 0 ? currentPlace() : undefined;
      return place === undefined ? timeout.call(AbortSignal, delay) : timeoutSignal(place, delay);
    },
  };
  return [
    replace(promises, 'setTimeout', virtual.setTimeout),
    replace(promises, 'setInterval', virtual.setInterval),
    replace(promises.scheduler, 'wait', virtual.wait),
    replace(AbortSignal, 'timeout', virtual.timeout),
  ];
}

/** A timer function of Node is one object in two places. A global that is already somebody else's stays theirs. */
function replaceBoth(name: keyof typeof timers & string, before: unknown, virtual: unknown): Undo[] {
  const isNodes = Reflect.get(globalThis, name) === before;
  return [replace(timers, name, virtual), ...(isNodes ? [replace(globalThis, name, virtual)] : [])];
}

/** Replaces a member; what somebody else has put in its place since then is left there by the undo. */
function replace(target: object, name: string, value: unknown): Undo {
  const before = Object.getOwnPropertyDescriptor(target, name);
  const enumerable = before?.enumerable ?? false;
  Object.defineProperty(target, name, { value, enumerable, configurable: true, writable: true });
  return () => {
    if (Reflect.get(target, name) === value) putBack(target, name, before);
  };
}

function replaceGetter(target: object, name: string, get: () => unknown): Undo {
  const before = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { get, enumerable: before?.enumerable ?? false, configurable: true });
  return () => putBack(target, name, before);
}

function putBack(target: object, name: string, before: PropertyDescriptor | undefined) {
  if (before === undefined) Reflect.deleteProperty(target, name);
  else Object.defineProperty(target, name, before);
}
