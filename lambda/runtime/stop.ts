/** What tells a handler to stop. */
export interface Stop {
  /** Fires the signal; the first reason stays. */
  abort(reason: Error): void;
  readonly signal: AbortSignal;
  /** Why the signal fired; `undefined` while it has not. */
  readonly stopReason: Error | undefined;
}

/** A signal that is made when the handler asks for it: most do not, and a controller for each message costs. */
export function createStop(): Stop {
  let controller: AbortController | undefined;
  let reason: Error | undefined;
  return {
    abort(cause) {
      reason ??= cause;
      controller?.abort(reason);
    },
    get signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (reason !== undefined) controller.abort(reason);
      }
      return controller.signal;
    },
    get stopReason() {
      return reason;
    },
  };
}
