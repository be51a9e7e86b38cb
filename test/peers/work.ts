import { createHash } from 'node:crypto';
import { type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { milliseconds } from '../../lib/base/index.ts';
import type { CloudEvent, Messaging } from '../../lib/topology/index.ts';
import type { BuildOrder } from '../../ops/simulation/index.ts';

/*
 * What a user of any library writes by hand around the handler: reads the message, refuses what is no event of the
 * declaration, lets go of what is past its expiry, and writes the effect. It is the same for every peer.
 */

/** Reads a message's body. What is no event is refused: it comes back until the queue dead-letters it. */
export function readEvent(body: string, { events }: Messaging): CloudEvent {
  const event = JSON.parse(body) as Partial<CloudEvent> | null;
  if (event?.specversion !== '1.0' || typeof event.id !== 'string' || typeof event.source !== 'string')
    throw new Error('The body is no CloudEvents envelope.');
  const result = events[event.type ?? '']?.schema['~standard'].validate(event.data);
  if (result === undefined) throw new Error(`Nobody declared the event ${event.type}.`);
  if (result instanceof Promise) throw new Error('Drawn schemas answer at once.');
  if (result.issues !== undefined) throw new Error('The data break their schema.');
  return event as CloudEvent;
}

/** What is to be done with one message: the handler, with its effect, or nothing when the event is past its expiry. */
export type Work = (body: string, attempt: number, remaining: number) => Promise<void>;

/**
 * The handler of a subscriber as a user of a library has it. Its effects are plain writes: in a transaction of their
 * own, with a token as the SDK makes one, so that a call that the SDK repeats is done once. What the handler
 * forgets to wait for is waited for here: that is a mistake of its author, and no library's.
 */
export function workOf({ messaging, handler, tools }: BuildOrder): Work {
  let writes = 0;
  const write = async (items: readonly TransactWriteItem[]) => {
    writes += 1;
    const token = `${tools.process.number}-${writes}`;
    const ClientRequestToken = createHash('sha256').update(token).digest('hex').slice(0, 36);
    await tools.dynamodb.send(
      new TransactWriteItemsCommand({ TransactItems: [...items], ClientRequestToken }),
    );
  };
  return async (body, attempt, remaining) => {
    const event = readEvent(body, messaging);
    const now = tools.clock.now();
    if (event.expirytime !== undefined && Date.parse(event.expirytime) <= now) return;
    const begun: Promise<void>[] = [];
    const returned = await handler(event, {
      // No peer tells its handler to stop.
      signal: new AbortController().signal,
      attempt,
      deadline: milliseconds(now + remaining),
      commitWith(items) {
        const commit = write(items);
        begun.push(commit);
        return commit;
      },
    });
    await Promise.all(begun);
    // A transactional handler returns its writes instead of making them.
    if (returned !== undefined) await write(returned);
  };
}
