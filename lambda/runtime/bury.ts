import type { Clock, Seconds } from '../../lib/base/index.ts';
import type { Cause, SendLetter } from './deadletter.ts';
import { asError, describeError } from './errors.ts';
import type { Logger } from './logger.ts';
import type { Measures } from './metrics.ts';
import type { Ending, Settlements } from './settlement.ts';
import { type Outcome, receivesOf, type Task } from './task.ts';

/** Sends a message to the dead-letter queue and ends it; resolves with whether its group may go on. */
export type Bury = (task: Task, cause: Cause) => Promise<boolean>;

export interface BuryContext {
  readonly clock: Clock;
  readonly sendLetter: SendLetter;
  readonly settlements: Settlements;
  readonly measures: Measures;
  readonly logger: Logger;
  /** The wait after a failed attempt. */
  pause(attempt: number): Seconds;
  finish(task: Task, outcome: Outcome): boolean;
  end(task: Task, claim: NonNullable<Task['claim']>, ending: Ending, visibility: Seconds): false;
}

/** Of an error's message, in a log line. */
const mostLogLength = 300;

/**
 * First the letter, then the record, then the acknowledgement: whatever dies on the way, the message is still there.
 * When the letter is not known to be sent, the record keeps the cause, and the letter is sent at the next delivery
 * without another try.
 */
export function createBury(context: BuryContext): Bury {
  const { clock, settlements, measures, logger, pause, finish, end } = context;
  return async (task, cause) => {
    const { claim, record } = task;
    const { reason, error } = cause;
    const facts = { messageId: record.messageId, reason };
    const attempts = claim?.attempts ?? 0;
    const firstFailedAt = cause.firstFailedAt ?? claim?.firstFailedAt ?? clock.now();
    try {
      await context.sendLetter(record, { ...cause, firstFailedAt, attempts });
    } catch (thrown) {
      logger.error('The dead letter could not be sent: the message goes back', {
        ...facts,
        error: describeError(asError(thrown), mostLogLength),
      });
      const visibility = pause(Math.max(attempts, receivesOf(record)));
      if (claim === undefined) return finish(task, { kind: 'returned', visibility });
      const failure = { error, reason, firstFailedAt };
      return end(task, claim, { kind: 'release', attempts, failure }, visibility);
    }
    measures.deadLettered.set(reason, (measures.deadLettered.get(reason) ?? 0) + 1);
    logger.error('A message was dead-lettered', { ...facts, attempts, error: error.slice(0, mostLogLength) });
    if (claim?.phase === 'held')
      // The letter is there: whatever the record says now, the message is acknowledged.
      void settlements.add(claim, { kind: 'fail', reason, error, messageId: record.messageId });
    return finish(task, { kind: 'done' });
  };
}
