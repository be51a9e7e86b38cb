import type { Clock, Random } from '../../lib/base/index.ts';
import type { Dimensions } from '../service.ts';
import { type Hold, MINUTE } from './store.ts';

// SQS developer guide, "Available CloudWatch metrics": a queue is active for up to six hours while it holds
// messages or any action reaches it; metrics of a queue that was inactive come up to 15 minutes late.
const ACTIVE = 6 * 60 * MINUTE;
const LATEST = 15 * MINUTE;

/** Metrics whose value above zero means that the queue holds messages. */
const HOLDS_MESSAGES = new Set([
  'ApproximateNumberOfMessagesVisible',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
]);

/** When queues publish their metrics, and how late. */
export interface IdleQueues {
  /** The hold that a queue's metrics are under; shared by all of them. */
  holdOf(dimensions: Dimensions): Hold | undefined;
  /** A counted action reached the queue. */
  acted(dimensions: Dimensions): void;
  /** A gauge of the queue was read. */
  read(dimensions: Dimensions, name: string, value: number): void;
  /** Whether the queue publishes at all. */
  isActive(dimensions: Dimensions): boolean;
  /** The queues that are active now, by their dimensions. */
  active(): Dimensions[];
}

/**
 * The rule for queues without activity: after six hours they stop publishing; the first points after that come
 * late, by a delay of up to 15 minutes that is drawn for each awakening. A new queue is active at once.
 */
export function createIdleQueues(clock: Clock, random: Random): IdleQueues {
  const queues = new Map<
    string,
    { readonly dimensions: Dimensions; activeUntil: number; readonly hold: Hold }
  >();

  const queueOf = (dimensions: Dimensions) => {
    const name = dimensions.QueueName;
    if (name === undefined) return undefined;
    let queue = queues.get(name);
    if (queue === undefined) {
      queue = { dimensions, activeUntil: clock.now() + ACTIVE, hold: { fromMinute: 0, until: 0 } };
      queues.set(name, queue);
    }
    return queue;
  };

  const acted = (dimensions: Dimensions) => {
    const queue = queueOf(dimensions);
    if (queue === undefined) return;
    const now = clock.now();
    if (queue.activeUntil <= now) {
      queue.hold.fromMinute = Math.floor(now / MINUTE);
      queue.hold.until = now + random.next() * LATEST;
    }
    queue.activeUntil = now + ACTIVE;
  };

  return {
    holdOf: (dimensions) => queueOf(dimensions)?.hold,
    acted,
    read(dimensions, name, value) {
      if (value > 0 && HOLDS_MESSAGES.has(name)) acted(dimensions);
    },
    isActive(dimensions) {
      const queue = queueOf(dimensions);
      return queue === undefined || queue.activeUntil > clock.now();
    },
    active: () =>
      [...queues.values()]
        .filter(({ activeUntil }) => activeUntil > clock.now())
        .map(({ dimensions }) => dimensions),
  };
}
