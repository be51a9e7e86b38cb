import { type Seconds, seconds } from '../../lib/base/index.ts';
import type { Place } from './place.ts';
import { realWork } from './real-work.ts';

/**
 * A handler waits for something that nobody will advance: a promise that is never resolved, or work of the machine
 * that does not end. What moves the clock (`advance`, `drain`) rejects with it, or the simulation as a whole.
 *
 * @example
 * ```ts
 * await expect(simulate(shop, { mail }, ({ drain }) => drain())).rejects.toThrow(HandlerStuck);
 * ```
 */
export class HandlerStuck extends Error {
  override readonly name = 'HandlerStuck';
  readonly subscriber: string;
  /** The ids of the events that it works on. */
  readonly events: readonly string[];
  /** How long it had been at work on the virtual clock. */
  readonly waited: Seconds;
  /** What is pending, as far as that can be known. */
  readonly pending: readonly string[];

  constructor(place: Place, events: readonly string[], advice: string) {
    const startedAt = place.invocation?.startedAt ?? place.startedAt;
    const waited = seconds((place.clock.now() - startedAt) / 1000);
    const pending = [...new Set(realWork((each) => each === place).map(({ what }) => what))];
    super(
      `The handler of "${place.subscriber}" waits for something that nobody will advance, with ` +
        `${listed(events)}, for ${waited} s on the virtual clock. Pending: ${pending.join(', ') || nothing}. ${advice}`,
    );
    this.subscriber = place.subscriber;
    this.events = events;
    this.waited = waited;
    this.pending = pending;
  }
}

const nothing = 'nothing that can be seen, so a promise that nobody has resolved';

/** At most three by name. */
function listed(events: readonly string[]): string {
  if (events.length === 0) return 'no event';
  const more = events.length > 3 ? ` and ${events.length - 3} more` : '';
  return `event${events.length > 1 ? 's' : ''} ${events.slice(0, 3).join(', ')}${more}`;
}

/** Its time was over, and it had neither a timer nor a call that would have gone on. */
export const outOfTime = (place: Place, events: readonly string[]): HandlerStuck =>
  new HandlerStuck(
    place,
    events,
    'The function’s time was over. Resolve the promise in the scenario, end the worker with kill(), or, to play a ' +
      'handler that is slow, wait on a timer: setTimeout follows the virtual clock.',
  );

/** The machine worked for it longer than the simulation waits. */
export const outOfPatience = (place: Place, patience: number): HandlerStuck =>
  new HandlerStuck(
    place,
    place.invocation?.events ?? [],
    `The virtual clock stood still for it for ${patience} ms of real time. Give the handler a stand-in for what it ` +
      'waits for, or do that work before the simulation; the option `patience` waits longer.',
  );

/** Whether the clock has something to move for the code of an environment. */
export const willGoOn = (place: Place): boolean =>
  [...place.timers].some(({ invocation }) => invocation === place.invocation) ||
  // What was called at this very moment belongs to the end of the invocation, not to its work.
  [...place.calls].some(({ at }) => at < place.clock.now());
