import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import type { Clock, Milliseconds, Random } from '../../lib/base/index.ts';

/** One environment of a simulated function: where its code finds its time, and what is known of what it does. */
export interface Place {
  readonly subscriber: string;
  /** The environment's own clock: it may be skewed, and it stands still while the environment is frozen. */
  readonly clock: Clock;
  /** Chance for its code, which asks the language for it. */
  readonly random: Random;
  /** When the environment started. */
  readonly startedAt: Milliseconds;
  /** Aborted when the environment was killed. */
  readonly signal: AbortSignal;
  /** The invocation that runs; `undefined` between two, when Lambda freezes the environment. */
  invocation: Invocation | undefined;
  /** Timers that the code of the function set and that have not fired. */
  readonly timers: Set<PendingTimer>;
  /** Timers that fell due between two invocations: they fire at the next. */
  readonly held: (() => void)[];
  /** Calls of the model that have not answered, by the moment at which they were made. */
  readonly calls: Set<{ readonly at: Milliseconds }>;
  /** Something went wrong that the whole simulation has to hear of. */
  fail(error: Error): void;
  /** Nobody caught what was thrown: the process ends. */
  crash(thrown: unknown): void;
}

/** One invocation of a simulated function. */
export interface Invocation {
  /** The ids of the events of its batch, as far as they can be read. */
  readonly events: readonly string[];
  readonly startedAt: Milliseconds;
}

/** What the code of a function waits for with a timer. */
export interface PendingTimer {
  /** The invocation in which it was set. */
  readonly invocation: Invocation | undefined;
}

const places = new AsyncLocalStorage<Place>();

/** The environment whose code is running; `undefined` for all other code of the process. */
export const currentPlace = (): Place | undefined => places.getStore();

/** Runs code as that of an environment: all that it starts, and all that follows from it, belongs to it too. */
export const runIn = <Result>(place: Place, run: () => Result): Result => places.run(place, run);

/** The task as one of the code that is running now, whoever calls it later. */
export const bound = (task: () => void): (() => void) => AsyncResource.bind(task);
