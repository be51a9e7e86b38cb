import type { MetricSink } from '../service.ts';
import type { StoredMessage } from './message.ts';
import { catchUp, type Queue } from './queue.ts';
import { QUOTAS } from './quotas.ts';

/** Registers what CloudWatch reads of a queue once a minute; the call that it returns ends that. */
export function registerGauges(metrics: MetricSink, queue: Queue, now: () => number): () => void {
  const gauge = (name: string, read: () => number) =>
    metrics.gauge('AWS/SQS', name, queue.dimensions, () => {
      catchUp(queue, now());
      return read();
    });
  const ends = [
    gauge('ApproximateNumberOfMessagesVisible', () => queue.visible),
    gauge('ApproximateNumberOfMessagesNotVisible', () => queue.inFlight),
    gauge('ApproximateNumberOfMessagesDelayed', () => queue.delayed),
    gauge('ApproximateAgeOfOldestMessage', () => Math.floor((ageForMetric(queue, now()) ?? 0) / 1000)),
  ];
  if (queue.fifo) {
    ends.push(gauge('ApproximateNumberOfGroupsWithInflightMessages', () => queue.shelf.groupsInFlight()));
  }
  return () => {
    for (const end of ends) end();
  };
}

/**
 * ApproximateAgeOfOldestMessage, in milliseconds. Messages in flight count: a job that takes longer than the SLO
 * shows. On a standard queue a message that was received three times is left out (SQS developer guide,
 * CloudWatch metrics), so an outage that fails every message keeps the age low.
 */
export const ageForMetric = (queue: Queue, now: number): number | undefined =>
  age(
    queue,
    now,
    (message) =>
      message.state !== 'delayed' && (queue.fifo || message.receipts < QUOTAS.receivesBeforeLastInLine),
  );

/** How long the oldest message waits that could be received, or would be if its group were free. */
export const ageOfWaiting = (queue: Queue, now: number): number | undefined =>
  queue.visible === 0 ? undefined : age(queue, now, (message) => message.state === 'visible');

/** How long the oldest message has been here that is not done, whoever has it at the moment. */
export const ageOfUndeleted = (queue: Queue, now: number): number | undefined =>
  age(queue, now, (message) => message.state !== 'delayed');

// Ages count from the entrance into this queue. As long as nothing was moved in, the list by time of sending is
// in that order too and the first that counts is the oldest.
function age(queue: Queue, now: number, counts: (message: StoredMessage) => boolean): number | undefined {
  let oldest: number | undefined;
  for (let message = queue.oldest; message !== undefined; message = message.next) {
    if (!counts(message)) continue;
    if (oldest === undefined || message.enteredAt < oldest) oldest = message.enteredAt;
    if (queue.movedIn === 0) break;
  }
  return oldest === undefined ? undefined : now - oldest;
}
