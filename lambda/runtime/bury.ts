import { type Clock, type Seconds, sleep } from '../../lib/base/index.ts';
import { longestCallPause } from './backoff.ts';
import type { Claim } from './claim.ts';
import type { Cause, SendLetter } from './deadletter.ts';
import type { Deadline } from './deadline.ts';
import { asError, describeError, mostLogLength } from './errors.ts';
import type { Groups } from './groups.ts';
import type { Logger } from './logger.ts';
import type { Measures } from './metrics.ts';
import { state } from './record.ts';
import type { Settlements } from './settlement.ts';
import { type Outcome, receivesOf, type Task } from './task.ts';

/** Sends a message to the dead-letter queue and ends it; resolves with whether its group may go on. */
export type Bury = (task: Task, cause: Cause) => Promise<boolean>;

export interface BuryContext {
  readonly clock: Clock;
  readonly deadline: Pick<Deadline, 'reached'>;
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
  /** Back to the queue; `undefined` where the visibility is another owner's. */
  again(visibility: Seconds | undefined): Outcome;
}

/**
 * First the record, then the letter, then its group's marker, then the acknowledgement. Whatever dies on the way, the
 * message is still there; from the first write on the event is not tried again, so that it never has an effect beside
 * its letter; and a delivery that comes again sends its letter again, since nobody knows whether it was sent.
 */
export function createBury(context: BuryContext, { pause, finish, again }: Ends): Bury {
  const { clock, deadline, settlements, measures, logger } = context;

  /** Writes the cause down; `undefined` when the letter may be sent, else how the message ends. */
  async function writeDown(task: Task, claim: Claim, { reason, error }: Cause): Promise<Outcome | undefined> {
    if (claim.phase !== 'held' && claim.holds !== state.completed) return again(undefined);
    const { messageId } = task.record;
    const write = async () => {
      const ending = settlements.add(claim, { kind: 'fail', reason, error, messageId });
      await settlements.flush();
      return ending;
    };
    let ended = await write();
    // Completed before it ran: at its next delivery it would pass for done, and nobody would hear of it.
    while (ended === 'unknown' && claim.holds === state.completed && !deadline.reached()) {
      await sleep(clock, longestCallPause);
      ended = await write();
    }
    switch (ended) {
      case 'done':
        return undefined;
      case 'completed':
        // By a commit that gave no reply, or by another owner.
        return { kind: 'done' };
      case 'taken':
        return again(undefined);
      case 'unknown':
        if (claim.holds === state.completed)
          logger.error(
            'An event that runs at most once has failed, and it cannot be written down: it is lost',
            {
              ...{ messageId, reason, error: error.slice(0, mostLogLength) },
            },
          );
        return again(pause(Math.max(claim.attempts, receivesOf(task.record))));
    }
  }

  return async (task, cause) => {
    const { claim, record } = task;
    const { reason, error } = cause;
    const facts = { messageId: record.messageId, reason };
    const attempts = claim?.attempts ?? cause.attempts ?? 0;
    const firstFailedAt = cause.firstFailedAt ?? claim?.firstFailedAt ?? clock.now();
    const ended = claim && (await writeDown(task, claim, cause));
    if (ended !== undefined) return finish(task, ended);
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
      return finish(task, again(pause(Math.max(attempts, receivesOf(record)))));
    }
    measures.deadLettered.set(reason, (measures.deadLettered.get(reason) ?? 0) + 1);
    logger.error('A message was dead-lettered', { ...facts, attempts, error: error.slice(0, mostLogLength) });
    return finish(task, { kind: 'done' }) && goesOn;
  };
}
