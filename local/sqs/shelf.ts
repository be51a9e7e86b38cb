import type { StoredMessage } from './message.ts';

/**
 * How a kind of queue decides what the next receive gets. The queue tells the shelf every step of a message;
 * the shelf answers one question.
 */
export interface Shelf {
  /** A message is now in the queue, in whatever state. */
  readonly entered: (message: StoredMessage) => void;
  /** The message is visible now. */
  readonly shown: (message: StoredMessage) => void;
  /** The message is in flight now. It was visible before: taken, or, on a standard queue, still on the shelf. */
  readonly hidden: (message: StoredMessage) => void;
  /** The message was in flight and is no longer; `shown` or `left` follows. */
  readonly released: (message: StoredMessage) => void;
  /** The message is leaving the queue from the given state; it is still linked to its neighbours. */
  readonly left: (message: StoredMessage) => void;
  /**
   * Takes up to `limit` messages in the order in which a receive returns them. `accept` may remove one from the
   * queue and refuse it. Until {@link settle}, what was taken counts neither as visible nor as in flight here:
   * the caller calls `shown` or `hidden` for each.
   */
  readonly take: (limit: number, accept: (message: StoredMessage) => boolean) => StoredMessage[];
  /** Ends a `take`. */
  readonly settle: () => void;
  /** Groups of a FIFO queue with messages in flight. */
  readonly groupsInFlight: () => number;
  readonly clear: () => void;
}
