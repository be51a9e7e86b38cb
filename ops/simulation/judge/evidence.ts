/**
 * What the judge is shown of one history when everything has come to rest. None of it comes from the runtime: it is
 * what the topics took, what the effect stores hold, and what lies in the queues.
 */
export interface Evidence {
  readonly subscribers: readonly SubscriberEvidence[];
}

/** One subscriber: what it promised, what it was sent, and what became of it. */
export interface SubscriberEvidence {
  readonly subscriber: string;
  /** Effects of a group must follow the order in which its events were sent. */
  readonly fifo: boolean;
  readonly effects: 'exactlyOnceEffect' | 'transactional' | 'atLeastOnce' | 'atMostOnce';
  readonly onDeadLetter: 'halt' | 'skip';
  readonly onUnknownOutcome: 'retry' | 'park';
  /** Accepted by the topic, in order of acceptance. */
  readonly sent: readonly Sent[];
  /** Effects in the stores, in the order in which they happened. */
  readonly happened: readonly Effect[];
  /** What lies in the dead-letter queue. */
  readonly letters: readonly Letter[];
  /** Messages still in the queue when nothing fails any more. */
  readonly waiting: number;
  /** Their groups, one entry for each message that has one. */
  readonly waitingGroups: readonly string[];
  /** Groups whose marker says PARKED. */
  readonly parkedGroups: readonly string[];
  /**
   * Groups that an operator has lifted at least once.
   *
   * @default - none
   */
  readonly liftedGroups?: readonly string[];
  /**
   * Whether an event with an older sequence than the last applied one of its group is to be dropped.
   *
   * @default false
   */
  readonly sequenceGuard?: boolean;
}

/** A message that the topic accepted. */
export interface Sent {
  readonly id: string;
  readonly source: string;
  /** The message group id under which it was sent. */
  readonly group?: string;
  readonly sequence?: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly fate: 'effect' | 'letter' | 'either';
  /**
   * Allowed reasons of a dead letter.
   *
   * @default - every reason that there is
   */
  readonly reasons?: readonly string[];
  /**
   * How its effect is made: in a transaction with the record, outside under the id as key, or outside without a key
   * (repeats after a crash are declared then, and no violation).
   */
  readonly effect: 'transaction' | 'keyed' | 'unkeyed';
}

/** An effect that happened. */
export interface Effect {
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly group?: string;
}

/** A message in the dead-letter queue. */
export interface Letter {
  readonly body: string;
  readonly group?: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** What can be wrong. */
export type Kind = 'lost' | 'phantom' | 'doubled' | 'reordered' | 'stuck' | 'parked' | 'letter';

/** One broken promise. */
export interface Violation {
  readonly kind: Kind;
  readonly subscriber: string;
  readonly id?: string;
  readonly text: string;
}
