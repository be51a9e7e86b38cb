import { type Seconds, seconds } from '../../lib/base/index.ts';
import type { Subscriber } from '../../lib/topology/index.ts';
import type { Entry, Plan, Publish } from './plan.ts';

/** What a history takes on which nothing special comes, with room: retries, deferrals, the polling of queues. */
const atLeast = 600;

/** Beyond a message's visibility, until it is running again after its worker has died. */
const untilTaken = 30;

/** Tries that fail before an event goes well, at most. */
const flakyTries = 4;

/**
 * How long a stack may take to come to rest once nothing goes wrong any more: what was drawn costs a crash for each
 * time that an event or a trouble kills its worker, and a wait for each try that fails, one after another. What is
 * not at rest by then is stuck.
 */
export function longestRest({ messaging, publishes, troubles }: Plan): Seconds {
  const subscribers = Object.values<Subscriber>(messaging.subscribers);
  const rests = subscribers.map((subscriber) => {
    const crash = subscriber.visibilityTimeout + untilTaken;
    const own = publishes.filter(({ topic }) => topic === subscriber.topic);
    return own.reduce((sum, publish) => sum + cost(publish, subscriber, crash), troubles.length * crash);
  });
  return seconds(atLeast + Math.max(0, ...rests));
}

function cost({ message }: Publish, { attempts, backoff }: Subscriber, crash: number): number {
  const nature = 'data' in message ? (message.data as Partial<Entry>).nature : undefined;
  switch (nature) {
    case 'killer':
      return attempts * crash;
    case 'killerOnce':
      return crash;
    case 'hopeless':
      return attempts * backoff.cap;
    case 'flaky':
    case 'flakyAfter':
      return Math.min(attempts, flakyTries) * backoff.cap;
    default:
      return 0;
  }
}
