import { type Case, type Expected, listed } from './expected.ts';
import type { Found } from './found.ts';
import { allowanceOf, beforeTheClaim } from './postures.ts';
import { isSuperseded } from './sequence.ts';
import { undone, waitingIn } from './waiting.ts';

/**
 * Sent, and neither done nor dead-lettered nor in the queue any more. What is in the queue is seen as groups alone, so
 * a message that waits may be any event of its group that is not done.
 */
export function* lost(found: Case): Generator<Found> {
  const { evidence } = found;
  const missing = found.events.filter(
    (event) => undone(event) && !mayBeLost(found, event) && !isSuperseded(found, event),
  );
  for (const [pool, events] of listed(missing, ({ group }) => (evidence.fifo ? (group ?? '') : ''))) {
    const waiting = waitingIn(evidence, pool);
    if (events.length <= waiting) continue;
    if (waiting === 0)
      for (const { id } of events)
        yield { kind: 'lost', id, text: `${id} has neither an effect nor a dead letter` };
    else
      yield {
        kind: 'lost',
        text:
          `${events.length - waiting} of ${events.map(({ id }) => id).join(', ')} are neither done, nor dead-lettered, ` +
          `nor among the ${waiting} messages that wait`,
      };
  }
}

function mayBeLost({ evidence }: Case, { effect, fate, reasons }: Expected): boolean {
  if (!allowanceOf(evidence, effect).loses) return false;
  const refused =
    fate === 'letter' && reasons !== undefined && [...reasons].every((reason) => beforeTheClaim.has(reason));
  return !refused;
}
