import { overLimit } from './errors.ts';
import type { StoredMessage } from './message.ts';
import { enter, hide, leave, type Queue } from './queue.ts';
import { mayRedrive } from './redrive.ts';
import type { World } from './world.ts';

/** How much a receive wants; times in milliseconds. */
export interface ReceiveRequest {
  readonly limit: number;
  readonly visibility: number;
  /** A short poll gets an error when the queue has too many messages in flight, a long poll nothing. */
  readonly short: boolean;
}

/** What a receive gets now, and the dead-letter queue to which messages went on the way. */
export interface Received {
  readonly messages: readonly StoredMessage[];
  readonly deadLetterQueue: Queue | undefined;
}

/** The receive itself: takes what is to be had at this moment. The queue has caught up before. */
export function receiveNow(world: World, queue: Queue, request: ReceiveRequest): Received {
  const room = world.quotas.inFlight - queue.inFlight;
  if (room <= 0 && request.short && !queue.fifo) throw overLimit(world.quotas.inFlight);
  const now = world.clock.now();
  let deadLetterQueue: Queue | undefined;

  // A message whose receives are used up moves when a receive would next have returned it, not before.
  const accept = (message: StoredMessage): boolean => {
    const { redrive } = queue.settings;
    if (redrive === undefined || message.receipts < redrive.maxReceiveCount) return true;
    const target = world.queueByArn(redrive.targetArn);
    if (target === undefined || !mayRedrive(queue, target)) return true;
    leave(queue, message);
    queue.totals.deadLettered++;
    deadLetter(queue, target, message, now);
    deadLetterQueue = target;
    return false;
  };

  const messages = queue.shelf.take(Math.min(request.limit, room), accept);
  for (const message of messages) {
    message.receives++;
    message.receipts++;
    message.receivedAt = now;
    message.firstReceivedAt ??= now;
    let visible = request.visibility === 0;
    if (world.duplicateRate > 0 && !queue.fifo && world.random.next() < world.duplicateRate) {
      // One of two ways in which a standard queue delivers twice: a replica that has not heard of the receive,
      // or one that will not hear of the delete.
      if (world.random.next() < 0.5) visible = true;
      else message.survivesDelete = true;
    }
    if (visible) queue.shelf.shown(message);
    else hide(queue, message, now + request.visibility);
  }
  queue.shelf.settle();

  const count = messages.length;
  queue.totals.received += count;
  if (count > 0) world.metrics.count('AWS/SQS', 'NumberOfMessagesReceived', queue.dimensions, count, 'Count');
  return { messages, deadLetterQueue };
}

/**
 * What a dead letter keeps: id, content, receive count and first receive; on a standard queue the time of
 * sending too, on a FIFO queue that starts anew and the message's id becomes its deduplication id (SQS developer
 * guide, dead-letter queues).
 */
function deadLetter(source: Queue, target: Queue, message: StoredMessage, now: number): void {
  const content = target.fifo ? { ...message.content, deduplicationId: message.id } : message.content;
  enter(target, content, {
    id: message.id,
    now,
    sentAt: target.fifo ? now : message.sentAt,
    visibleAt: now,
    receives: message.receives,
    firstReceivedAt: message.firstReceivedAt,
    deadLetterSource: source.arn,
  });
  target.totals.movedIn++;
}
