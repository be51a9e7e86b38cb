import { setMaxListeners } from 'node:events';

/** What tells a handler to stop. */
export interface Stop {
  /** Fires the signal; the first reason stays. */
  abort(reason: Error): void;
  readonly signal: AbortSignal;
  /** Why the signal fired; `undefined` while it has not. */
  readonly stopReason: Error | undefined;
}

/**
 * Made for every message, so a class: accessors in an object literal are made anew with each object, and cost as
 * much as the rest of a claim. The controller is made when the handler asks for its signal: most do not.
 */
export class Stoppable implements Stop {
  #controller: AbortController | undefined;
  #reason: Error | undefined;

  abort(cause: Error): void {
    this.#reason ??= cause;
    this.#controller?.abort(this.#reason);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // Whoever works on it listens, many at once; Node warns of a leak from the eleventh on.
      setMaxListeners(0, this.#controller.signal);
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  get stopReason(): Error | undefined {
    return this.#reason;
  }
}

/** Tells one handler, or one batch, to stop. */
export const createStop = (): Stop => new Stoppable();
