import { type Milliseconds, milliseconds, type Seconds, seconds } from '../../lib/base/index.ts';
import type { VirtualClock } from '../clock.ts';
import { machine } from './global-clock.ts';
import { currentPlace, type Place } from './place.ts';
import { realWork } from './real-work.ts';
import { outOfPatience } from './stuck.ts';

/** What moves the clock of one simulation. */
export interface Driver {
  /** Moves time, and gives back how long it took; ends early once `until` holds. */
  move(length: Milliseconds, until?: () => boolean): Promise<Seconds>;
  /** While `call` is not answered and nothing else moves the clock, time passes by itself. */
  follow<Result>(call: Promise<Result>): Promise<Result>;
  /** Tells of a failure: who moves the clock hears of it, or, when nobody does, `failed`. */
  fail(error: Error): void;
  /** Rejects with a failure that comes when nobody moves the clock. */
  readonly failed: Promise<never>;
  end(): void;
}

/**
 * How long an environment may wait for something that cannot be seen (a module that a test runner loads, for
 * example) before the clock goes on, in real time: over a whole simulation, for one subscriber.
 */
const benefitOfDoubt = milliseconds(100);
const shortPause = milliseconds(1);

/** A driver for the clock that the given environments live on. `watch` is told before time moves by `length`. */
export function createDriver(parts: {
  readonly clock: VirtualClock;
  readonly places: ReadonlySet<Place>;
  readonly patience: Milliseconds;
  readonly watch: (length: Milliseconds) => void;
}): Driver {
  const { clock, places, patience, watch } = parts;
  const doubted = new Map<string, number>();
  let line: Promise<unknown> = Promise.resolve();
  let moving = 0;
  let following = 0;
  let ended = false;
  let failure: Error | undefined;
  let reject: (error: Error) => void;
  const failed = new Promise<never>((_, rejected) => {
    reject = rejected;
  });
  // Whether anybody hears of it is decided elsewhere.
  failed.catch(() => undefined);

  const hear = () => {
    const error = failure;
    failure = undefined;
    if (error !== undefined) throw error;
  };
  const isMine = (place: Place) => places.has(place);

  /** Lets everything run that needs no time, work of the machine too: the virtual clock stands still for it. */
  async function settle() {
    const startedAt = machine.now();
    for (;;) {
      await machine.turn();
      hear();
      if (ended) return;
      const work = realWork(isMine).filter(({ holds }) => holds);
      const spent = machine.now() - startedAt;
      if (work[0] !== undefined && spent > patience) throw outOfPatience(work[0].place, patience);
      if (work.length === 0 && !inDoubt()) return;
      if (work.every(({ what }) => what !== 'setImmediate')) await machine.pause(shortPause);
    }
  }

  /** Whether an environment waits for something of which nothing can be seen, and there is still time to let it. */
  function inDoubt(): boolean {
    let doubt = false;
    for (const { subscriber, invocation, timers, calls } of places) {
      if (invocation === undefined || timers.size > 0 || calls.size > 0) continue;
      const spent = doubted.get(subscriber) ?? 0;
      if (spent >= benefitOfDoubt) continue;
      doubted.set(subscriber, spent + shortPause);
      doubt = true;
    }
    return doubt;
  }

  async function moveNow(length: Milliseconds, until: () => boolean): Promise<Seconds> {
    const start = clock.now();
    const end = start + length;
    for (;;) {
      await settle();
      if (ended || until()) break;
      const next = clock.nextTimer();
      const step = milliseconds(Math.min(next ?? end, end) - clock.now());
      watch(step);
      await clock.advance(step);
      if (next === undefined || next > end) break;
    }
    hear();
    return seconds((clock.now() - start) / 1000);
  }

  /** One after the other: two that move one clock at once would not know how far it has come. */
  function move(length: Milliseconds, until: () => boolean = () => false): Promise<Seconds> {
    moving++;
    const turn = line.then(() => moveNow(length, until)).finally(() => moving--);
    line = turn.catch(() => undefined);
    return turn;
  }

  async function passTime() {
    while (following > 0 && !ended) {
      await machine.turn();
      if (following === 0) break;
      if (moving > 0) {
        await line;
        continue;
      }
      const next = clock.nextTimer();
      if (next === undefined) break;
      await move(milliseconds(next - clock.now()), () => following === 0).catch((error: Error) =>
        reject(error),
      );
    }
  }

  return {
    failed,
    async move(length, until) {
      if (currentPlace() !== undefined)
        throw new Error('A handler cannot move the clock that it lives on: do it in the scenario.');
      if (ended) throw new Error('The simulation is over: await everything that the scenario does.');
      return move(length, until);
    },
    async follow(call) {
      if (following++ === 0) void passTime();
      try {
        return await call;
      } finally {
        following--;
      }
    },
    fail(error) {
      if (ended) return;
      if (moving > 0) failure ??= error;
      else reject(error);
    },
    end() {
      ended = true;
    },
  };
}
