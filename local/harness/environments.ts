import {
  type Clock,
  type Milliseconds,
  milliseconds,
  type Random,
  type Seconds,
  toMilliseconds,
} from '../../lib/base/index.ts';
import type { Passage } from '../client.ts';
import type { ServiceId } from '../service.ts';

/**
 * What befalls an environment of a function at one of its calls to a service: it dies or stands still, just before the call
 * leaves it or just before the answer reaches it.
 *
 * @example
 * ```ts
 * // Dies between the commit of a transaction and the answer to it, at the second one.
 * const mishap: Mishap = { subscriber: 'payments', action: 'TransactWriteItems', moment: 'after', at: 2, effect: 'crash' };
 * ```
 */
export interface Mishap {
  /** Whose function; left out, that of every subscriber. */
  readonly subscriber?: string;
  /** The service that is called; left out, every service that has the action. */
  readonly service?: ServiceId;
  /** The action that is called, for example `TransactWriteItems`. */
  readonly action: string;
  /** `before`: the call is never made, or made late. `after`: it was made, and its answer is never seen, or seen late. */
  readonly moment: 'before' | 'after';
  /**
   * Which of the calls met, counted from 1 over all environments: one, several, or by chance (0 to 1). A call that
   * a client makes again counts again.
   *
   * @default - every call
   */
  readonly at?: number | readonly number[] | { readonly chance: number };
  /** The environment dies, or stands still for so long and goes on. */
  readonly effect: 'crash' | { readonly freeze: Seconds };
}

/**
 * A mishap that happened, or an environment that was frozen or killed by the test.
 *
 * @example
 * ```ts
 * const crashes = harness.mishaps.filter(({ effect }) => effect === 'crash').length;
 * ```
 */
export interface MishapEvent {
  readonly at: Milliseconds;
  readonly subscriber: string;
  /** Which environment it was, counted over all functions from 1. */
  readonly environment: number;
  /** The call at which it happened, for example `before TransactWriteItems`; nothing when the test chose the moment. */
  readonly call: string | undefined;
  readonly effect: Mishap['effect'];
}

/** One environment as the harness runs it: with a clock of its own, and a way to stand still. */
export interface Standing {
  readonly subscriber: string;
  readonly number: number;
  /** The environment's clock: skewed, and without effect on it while it stands still or once it is dead. */
  readonly clock: Clock;
  /** Between its clients and the services. */
  passage(service: ServiceId): Passage;
  /** Stands still for so long; longer, when it stands still already. */
  freeze(length: Seconds): void;
  frozen(): boolean;
  /** Stands still from now on, until it is not idle any more. */
  idle(now: boolean): void;
  kill(): void;
  /** Whether an invocation is under way. */
  busy: boolean;
}

/** All environments of a harness, and what befalls them. */
export interface Environments {
  open(parts: {
    readonly subscriber: string;
    readonly number: number;
    readonly signal: AbortSignal;
    readonly kill: () => void;
  }): Standing;
  add(mishap: Mishap): () => void;
  /** Freezes one environment that is at work and not frozen; false when there is none. */
  freeze(subscriber: string, length: Seconds): boolean;
  /** Notes a kill by the test. */
  readonly happened: readonly MishapEvent[];
}

/** Environments on the given clock, each with the skew that its number has. */
export function createEnvironments(
  base: Clock,
  random: Random,
  skew: (environment: number) => Milliseconds,
): Environments {
  const live = new Set<Standing>();
  const planned: { readonly mishap: Mishap; met: number }[] = [];
  const happened: MishapEvent[] = [];

  const hits = (at: Mishap['at'], met: number): boolean => {
    if (at === undefined) return true;
    if (typeof at === 'number') return at === met;
    return 'chance' in at ? random.next() < at.chance : at.includes(met);
  };
  const meet = (standing: Standing, service: ServiceId, action: string, moment: Mishap['moment']) => {
    for (const entry of planned) {
      const { mishap } = entry;
      if (mishap.action !== action || mishap.moment !== moment) continue;
      if (mishap.service !== undefined && mishap.service !== service) continue;
      if (mishap.subscriber !== undefined && mishap.subscriber !== standing.subscriber) continue;
      entry.met += 1;
      if (!hits(mishap.at, entry.met)) continue;
      suffer(standing, mishap.effect, `${moment} ${action}`);
    }
  };
  const suffer = (standing: Standing, effect: Mishap['effect'], call?: string) => {
    const { subscriber, number: environment } = standing;
    happened.push({ at: base.now(), subscriber, environment, call, effect });
    if (effect === 'crash') standing.kill();
    else standing.freeze(effect.freeze);
  };

  return {
    happened,
    add(mishap) {
      const entry = { mishap, met: 0 };
      planned.push(entry);
      return () => {
        const index = planned.indexOf(entry);
        if (index >= 0) planned.splice(index, 1);
      };
    },
    freeze(subscriber, length) {
      for (const standing of live) {
        if (standing.subscriber !== subscriber || !standing.busy || standing.frozen()) continue;
        suffer(standing, { freeze: length });
        return true;
      }
      return false;
    },
    open({ subscriber, number, signal, kill }) {
      const still = createStandstill(base, signal);
      const standing: Standing = {
        subscriber,
        number,
        clock: ownClock(base, skew(number), still),
        passage: (service) => ({
          enter(action) {
            if (planned.length > 0 && !signal.aborted) meet(standing, service, action, 'before');
            return still.held();
          },
          leave(action) {
            if (planned.length > 0 && !signal.aborted) meet(standing, service, action, 'after');
            return still.held();
          },
        }),
        freeze: still.freeze,
        frozen: still.frozen,
        idle: still.idle,
        kill,
        busy: false,
      };
      live.add(standing);
      signal.addEventListener('abort', () => live.delete(standing), { once: true });
      return standing;
    },
  };
}

interface Standstill {
  freeze(length: Seconds): void;
  idle(now: boolean): void;
  frozen(): boolean;
  /** Runs the task now, or when the environment goes on; never, when it is dead. */
  run(task: () => void): void;
  /** What to wait for before going on; nothing when it runs. A dead environment waits for ever. */
  held(): Promise<void> | undefined;
}

/** An answer that never comes; one for each who waits, since a shared one would hold all that ever waited for it. */
const forEver = () => new Promise<void>(() => {});

function createStandstill(base: Clock, signal: AbortSignal): Standstill {
  let until: number | undefined;
  let idle = false;
  /** What fell due meanwhile: timers and answers, in that order of time. */
  let due: (() => void)[] = [];

  const stands = () => until !== undefined || idle;
  const goOn = () => {
    if (stands()) return;
    const resumed = due;
    due = [];
    // One after the other, each with all that it makes ready, as an event loop that was late has it.
    for (const task of resumed) base.after(milliseconds(0), () => run(task));
  };
  const wake = (end: number) => {
    // A later freeze has moved the end.
    if (until !== end) return;
    until = undefined;
    goOn();
  };
  const run = (task: () => void) => {
    if (signal.aborted) return;
    if (!stands()) task();
    else due.push(task);
  };
  return {
    run,
    freeze(length) {
      const end = base.now() + toMilliseconds(length);
      if (until !== undefined && until >= end) return;
      until = end;
      base.after(toMilliseconds(length), () => wake(end));
    },
    idle(now) {
      idle = now;
      goOn();
    },
    frozen: () => until !== undefined,
    held() {
      if (signal.aborted) return forEver();
      return stands() ? new Promise((resolve) => due.push(resolve)) : undefined;
    },
  };
}

const ownClock = (base: Clock, skew: Milliseconds, still: Standstill): Clock => ({
  now: () => milliseconds(base.now() + skew),
  after(delay, task) {
    let cancelled = false;
    const timer = base.after(delay, () =>
      still.run(() => {
        if (!cancelled) task();
      }),
    );
    return {
      cancel() {
        cancelled = true;
        timer.cancel();
      },
    };
  },
});
