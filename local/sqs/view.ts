import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import { type Milliseconds, milliseconds } from '../../lib/base/index.ts';
import { ageOfUndeleted, ageOfWaiting } from './gauges.ts';
import { catchUp, type Queue, type Totals } from './queue.ts';
import type { World } from './world.ts';

/**
 * A look at a queue: what the page, the judges and the tests see. Counts are exact, and of this moment.
 *
 * @example
 * ```ts
 * const { visible, oldestAge } = harness.queue('payments');
 * ```
 */
export interface QueueView {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
  readonly fifo: boolean;
  /** Messages that wait; on a FIFO queue those of a blocked group too. */
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
  /** Age of the oldest message that waits; `undefined` when none does. */
  readonly oldestAge: Milliseconds | undefined;
  /**
   * Age of the oldest message that is not deleted: one that waits, is being worked on, or is hidden until its next
   * try; `undefined` when there is none. What a user waits for, also while every try fails.
   */
  readonly oldestUndeletedAge: Milliseconds | undefined;
  /** Messages sent, received and deleted since the queue was made. */
  readonly sent: number;
  readonly received: number;
  readonly deleted: number;
  /** Groups of a FIFO queue that have messages in flight. */
  readonly groupsInFlight: number;
  /**
   * Everything that happened to its messages since the queue was made. At any moment
   * `sent + movedIn + duplicated = deleted + expired + purged + deadLettered + movedOut + visible + inFlight + delayed`.
   */
  readonly totals: Readonly<Totals>;
}

export function viewOf(world: World, queue: Queue): QueueView {
  const now = world.clock.now();
  catchUp(queue, now);
  const waiting = ageOfWaiting(queue, now);
  const undeleted = ageOfUndeleted(queue, now);
  return {
    name: queue.name,
    url: queue.url,
    arn: queue.arn,
    fifo: queue.fifo,
    visible: queue.visible,
    inFlight: queue.inFlight,
    delayed: queue.delayed,
    oldestAge: waiting === undefined ? undefined : milliseconds(waiting),
    oldestUndeletedAge: undeleted === undefined ? undefined : milliseconds(undeleted),
    sent: queue.totals.sent,
    received: queue.totals.received,
    deleted: queue.totals.deleted,
    groupsInFlight: queue.shelf.groupsInFlight(),
    totals: { ...queue.totals },
  };
}

/** A message in a queue, as {@link messagesOf} shows it. */
export interface MessageView {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, MessageAttributeValue>>;
  readonly groupId: string | undefined;
}

/** What lies in a queue, oldest first. Nothing is received by it: neither counts nor locks nor faults see the look. */
export function messagesOf(world: World, queue: Queue): MessageView[] {
  catchUp(queue, world.clock.now());
  // By id: a message that a standard queue gives twice is one message.
  const found = new Map<string, MessageView>();
  for (let message = queue.oldest; message !== undefined; message = message.next)
    found.set(message.id, {
      messageId: message.id,
      body: message.content.body,
      attributes: message.content.attributes ?? {},
      groupId: message.content.groupId,
    });
  return [...found.values()];
}
