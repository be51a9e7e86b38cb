import type { BatchStatementRequest } from '@aws-sdk/client-dynamodb';
import type { Claim } from './claim.ts';
import { type Cause, mostErrorLength } from './deadletter.ts';
import { HandlerTimeout, PermanentError, RetryLater } from './errors.ts';
import type { RecordView } from './record.ts';
import type { RecordStore, Written } from './store.ts';

/*
 * A subscriber whose effects carry no key (`onUnknownOutcome: 'park'`) runs nothing twice whose first run may have
 * had its effect. So each run is marked as begun before it starts:
 *
 *   claim ------ marked ------- handler ------- completed, or released by whoever ran it: the mark goes
 *        a crash here:   a crash here: the next owner finds the mark, and dead-letters
 *        it runs again   the event instead of running it
 *
 * The mark outlives owners that did not come to send the letter.
 */

/** Marks runs as begun; those that begin together in one call. */
export type Begin = (statement: BatchStatementRequest) => Promise<Written>;

export function createBegin({ store }: { readonly store: RecordStore }): Begin {
  let waiting: { readonly statement: BatchStatementRequest; resolve(written: Written): void }[] = [];
  async function writeAll() {
    const batch = waiting;
    waiting = [];
    const results = await store.write(batch.map(({ statement }) => statement));
    for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
  }
  return (statement) =>
    new Promise((resolve) => {
      if (waiting.push({ statement, resolve }) === 1) queueMicrotask(() => void writeAll());
    });
}

/** What is known of a run whose worker ended in the middle of it. */
export function diedInTheMiddle({ begun, attempts, progress }: Claim): Cause {
  const { fence = 0, leaseEnd } = begun ?? {};
  const ended = leaseEnd === undefined ? undefined : new Date(leaseEnd).toISOString();
  return {
    reason: 'unknown-outcome',
    error:
      `OutcomeUnknown: The worker of attempt ${attempts}, fence ${fence}, ended in the middle of the handler` +
      `${ended === undefined ? '' : `; its lease ended at ${ended}`}. Find out whether the effect happened.`,
    known: known(attempts, fence, ended, progress),
  };
}

/** What is known of a run that was told to stop and may have been in the middle of its effect. */
export function stoppedInTheMiddle({ fence, progress }: Claim, attempt: number, error: string): Cause {
  return { reason: 'unknown-outcome', error, known: known(attempt, fence, undefined, progress) };
}

/** What its record still tells of such a run, where the letter that said more may not have been sent. */
export const knownOf = ({ attempts, started, fence, progress }: RecordView): Cause['known'] =>
  known(attempts, started ?? fence, undefined, progress);

const known = (attempt: number, fence: number, leaseEnded?: string, progress?: string) => ({
  attempt,
  fence,
  ...(leaseEnded === undefined ? {} : { leaseEnded }),
  ...(progress === undefined ? {} : { progress: progress.slice(0, mostErrorLength) }),
});

/**
 * Whether a failed run may have had its effect: it was left behind at the function's end, or gave up after it was told
 * to stop. Who says that it can never succeed, or when to try again, knows what it did.
 */
export const mayHaveHappened = (claim: Claim, error: Error): boolean =>
  error instanceof HandlerTimeout ||
  (claim.stopReason !== undefined && !(error instanceof PermanentError || error instanceof RetryLater));
