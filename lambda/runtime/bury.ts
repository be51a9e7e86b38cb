import type { Clock, Seconds } from '../../lib/base/index.ts';
import type { Cause, SendLetter } from './deadletter.ts';
import { asError, describeError } from './errors.ts';
import type { Groups } from './groups.ts';
import type { Logger } from './logger.ts';
import type { Measures } from './metrics.ts';
import { state } from './record.ts';
import type { Ending, Settlements } from './settlement.ts';
import { type Outcome, receivesOf, type Task } from './task.ts';

/** Sends a message to the dead-letter queue and ends it; resolves with whether its group may go on. */
export type Bury = (task: Task, cause: Cause) => Promise<boolean>;

export interface BuryContext {
  readonly clock: Clock;
  readonly sendLetter: SendLetter;
  readonly groups: Groups;
  readonly settlements: Settlements;
  readonly measures: Measures;
  readonly logger: Logger;
}

/** How a message ends, as those decide who work on it. */
export interface Ends {
  /** The wait after a failed attempt. */
  pause(attempt: number): Seconds;
  finish(task: Task, outcome: Outcome): boolean;
  end(task: Task, claim: NonNullable<Task['claim']>, ending: Ending, visibility: Seconds): false;
}

/** Of an error's message, in a log line. */
const mostLogLength = 300;

/**
 * First the letter, then its group's marker, then the record, then the acknowledgement: whatever dies on the way, the
 * message is still there. When letter and marker are not known to be there, the record keeps the cause, and the letter is sent at the next delivery
 * without another try.
 */
export function createBury(context: BuryContext, { pause, finish, end }: Ends): Bury {
  const { clock, settlements, measures, logger } = context;
  return async (task, cause) => {
    const { claim, record } = task;
    const { reason, error } = cause;
    const facts = { messageId: record.messageId, reason };
    const attempts = claim?.attempts ?? 0;
    const firstFailedAt = cause.firstFailedAt ?? claim?.firstFailedAt ?? clock.now();
    let sent = false;
    let goesOn: boolean;
    try {
      await context.sendLetter(record, { ...cause, firstFailedAt, attempts });
      sent = true;
      goesOn = await context.groups.mark(task, reason);
    } catch (thrown) {
      const failed = sent
        ? 'The group of a dead letter could not be marked'
        : 'A dead letter could not be sent';
      logger.error(`${failed}: the message goes back`, {
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
    if (claim?.phase === 'held' || claim?.holds === state.completed)
      // The letter is there: whatever the record says now, the message is acknowledged.
      void settlements.add(claim, { kind: 'fail', reason, error, messageId: record.messageId });
    return finish(task, { kind: 'done' }) && goesOn;
  };
}
