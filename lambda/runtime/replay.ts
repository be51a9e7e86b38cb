import { type Milliseconds, toMilliseconds } from '../../lib/base/index.ts';
import type { Subscriber } from '../../lib/topology/index.ts';
import { type Cause, letterAttribute, readLetter } from './deadletter.ts';
import type { SqsRecord } from './lambda.ts';
import { clockMargin } from './record.ts';

/*
 *   failed               redriven                          record's life is over
 *   |--------------------|---------------------------------|-----------------------> time
 *   letter               runs again: the record knows it   refused: nobody knows any more whether it was done
 */

/**
 * Whether a message is a dead letter that comes back too late: since its failure the record's life has passed, so
 * that an effect under its id may be forgotten. It goes back to the dead letters, and keeps the moments of its
 * failure, so that the next replay is too late as well. Whoever knows that its effect did not happen says so by the
 * attribute `sluice-replay`, set to `accept`.
 *
 * @returns why it is refused; `undefined` when it may run
 */
export function refuseReplay(
  record: SqsRecord,
  subscriber: Subscriber,
  now: Milliseconds,
): Cause | undefined {
  // Where nothing is kept of what was done, no replay is later than another.
  if (subscriber.effects === 'atLeastOnce') return undefined;
  const letter = readLetter(record);
  if (letter === undefined || now - letter.failedAt < toMilliseconds(subscriber.recordLife) - clockMargin)
    return undefined;
  if (record.messageAttributes[letterAttribute.replay]?.stringValue === 'accept') return undefined;
  const days = Math.floor((now - letter.failedAt) / 86_400_000);
  return {
    reason: 'too-late',
    error:
      `ReplayRefused: It failed ${days} days ago, and records are kept for ${Math.floor(subscriber.recordLife / 86_400)} days: ` +
      'nobody can tell whether its effect happened since. Find out; if it did not, send it again with the message ' +
      `attribute ${letterAttribute.replay} = accept.`,
    failedAt: letter.failedAt,
    firstFailedAt: letter.firstFailedAt,
  };
}
