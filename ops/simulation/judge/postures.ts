import type { Sent, SubscriberEvidence } from './evidence.ts';

/*
 * What may become of one event, by the subscriber's posture and by the way in which the effect is made.
 *
 *   posture            effect       happens       with a dead letter beside it   neither effect nor letter
 *   exactlyOnceEffect  transaction  once at most  never                          never
 *   exactlyOnceEffect  keyed        once at most  a try failed after its effect  never
 *   exactlyOnceEffect  unkeyed      may repeat    a try failed after its effect  never
 *     ... onUnknownOutcome: park    once at most  its outcome is not known       never
 *   transactional      (any)        once at most  never                          never
 *   atLeastOnce        (any)        may repeat    a try failed after its effect  never
 *   atMostOnce         (any)        once at most  the try failed after it        only what was begun
 *
 * - In a transaction the effect completes the record, so effect, second effect and letter exclude each other.
 *   An event that is sent again after its letter is tried anew: it may have both then.
 * - A keyed effect happens outside; the system there answers a repeat and does nothing. Between the effect and the
 *   record a try can still fail, the last one too: then there is an effect, and a letter that says so.
 *   Such an effect can arrive late, when the group has gone on: its order says nothing.
 * - An effect without a key is repeated when nobody learned how the try ended. A subscriber that parks what is
 *   unknown does not repeat it: it says so in a letter instead.
 * - atMostOnce completes the record before the handler runs: a crash after that loses the event, and says nothing.
 *   What is refused before (see `beforeTheClaim`) was never begun: that has its letter under every posture.
 * - What can only be a letter (`fate: 'letter'`) has no effect under any posture.
 */

/** What a posture allows. */
export interface Allowance {
  /** An effect may happen again. */
  readonly repeats: boolean;
  /** An effect may have a dead letter beside it. */
  readonly effectAndLetter: boolean;
  /** What was begun may end with neither. */
  readonly loses: boolean;
}

/** Reasons for which an event is refused before anything is claimed or run. */
export const beforeTheClaim: ReadonlySet<string> = new Set(['undecodable', 'schema', 'conflict', 'too-late']);

/** Reasons that a dead letter can give. */
export const allReasons: ReadonlySet<string> = new Set([
  ...beforeTheClaim,
  'permanent',
  'attempts',
  'crash',
  'unknown-outcome',
]);

/** What may become of an event whose effect is made in a given way. */
export function allowanceOf(
  { effects, onUnknownOutcome }: Pick<SubscriberEvidence, 'effects' | 'onUnknownOutcome'>,
  way: Sent['effect'],
): Allowance {
  switch (effects) {
    case 'transactional':
      return { repeats: false, effectAndLetter: false, loses: false };
    case 'atLeastOnce':
      return { repeats: true, effectAndLetter: true, loses: false };
    case 'atMostOnce':
      return { repeats: false, effectAndLetter: true, loses: true };
    case 'exactlyOnceEffect':
      if (way === 'transaction') return { repeats: false, effectAndLetter: false, loses: false };
      return {
        repeats: way === 'unkeyed' && onUnknownOutcome === 'retry',
        effectAndLetter: true,
        loses: false,
      };
  }
}
