import type { MetricSink } from '../../../local/service.ts';

/** What happens to a queue, by the second. */
export interface Traffic {
  /** Messages that arrive in that second. */
  readonly arrivals: (second: number) => number;
  /** Messages that the consumer can take in that second. */
  readonly capacity: (second: number) => number;
  /** Whether the n-th message fails when it is tried in that second. */
  readonly fails?: (message: number, second: number) => boolean;
}

interface Message {
  readonly number: number;
  readonly since: number;
  receives: number;
  visibleAt: number;
}

const VISIBILITY = 60;
const MAX_RECEIVES = 5;
// SQS developer guide: a standard queue's message leaves the age metric at its third receive.
const RECEIVES_THAT_HIDE_AGE = 3;

/** A standard queue with a redrive policy, moved in steps of a second, that publishes as SQS does. */
export function createQueue(metrics: MetricSink, traffic: Traffic) {
  const queue = { QueueName: 'payments' };
  const deadLetterQueue = { QueueName: 'payments-dead' };
  let waiting: Message[] = [];
  let head = 0;
  let flying: Message[] = [];
  let second = 0;
  let arrived = 0;
  let credit = 0;
  let arriving = 0;
  let dead = 0;

  const count = (name: string, value: number) => {
    if (value > 0) metrics.count('AWS/SQS', name, queue, value, 'Count');
  };
  const oldestAge = () => {
    let since: number | undefined;
    const look = (message: Message) => {
      if (message.receives < RECEIVES_THAT_HIDE_AGE && (since === undefined || message.since < since))
        since = message.since;
    };
    for (let index = head; index < waiting.length; index++) look(waiting[index]!);
    for (const message of flying) look(message);
    return since === undefined ? undefined : second - since;
  };
  metrics.gauge('AWS/SQS', 'ApproximateNumberOfMessagesVisible', queue, () => waiting.length - head);
  metrics.gauge('AWS/SQS', 'ApproximateAgeOfOldestMessage', queue, oldestAge);
  metrics.gauge('AWS/SQS', 'ApproximateNumberOfMessagesVisible', deadLetterQueue, () => dead);

  return {
    /** Plays one minute; gauges are read at its end. */
    minute() {
      let sent = 0;
      let received = 0;
      let deleted = 0;
      for (const end = second + 60; second < end; second++) {
        arriving += traffic.arrivals(second);
        for (; arriving >= 1; arriving--, sent++)
          waiting.push({ number: arrived++, since: second, receives: 0, visibleAt: second });
        // Every message flies equally long, so the first to fly is the first to come back.
        let back = 0;
        while (back < flying.length && flying[back]!.visibleAt <= second) waiting.push(flying[back++]!);
        if (back > 0) flying = flying.slice(back);
        credit = Math.min(credit + traffic.capacity(second), Math.max(1, traffic.capacity(second)));
        while (credit >= 1 && head < waiting.length) {
          const message = waiting[head++]!;
          if (message.receives === MAX_RECEIVES) {
            dead++;
            continue;
          }
          credit--;
          message.receives++;
          received++;
          if (traffic.fails?.(message.number, second)) {
            message.visibleAt = second + VISIBILITY;
            flying.push(message);
          } else deleted++;
        }
        if (head > 10_000) {
          waiting = waiting.slice(head);
          head = 0;
        }
      }
      count('NumberOfMessagesSent', sent);
      count('NumberOfMessagesReceived', received);
      count('NumberOfMessagesDeleted', deleted);
    },
  };
}
