import {
  type AlarmProfile,
  days,
  type Messaging,
  type Seconds,
  seconds,
  type Topic,
} from '../topology/index.ts';
import type { SubscriberTargetKind } from './metrics.ts';

/**
 * The few facts that the alarms of a queue and its consumer need. A subscriber of a declaration has them; for a queue
 * that was made by other means, say them.
 *
 * @example
 * ```ts
 * const jobs: Watched = { name: 'jobs', lag: minutes(10), handlerTime: minutes(2), alarms: 'full' };
 * subscriberAlarms(jobs);
 * ```
 */
export interface Watched {
  /** Names the alarms: unique in the stack. */
  readonly name: string;
  /** The lag SLO: no message should wait longer. */
  readonly lag: Seconds;
  /**
   * Which alarms.
   *
   * @default lean
   */
  readonly alarms?: AlarmProfile | undefined;
  /**
   * Whether the queue is FIFO.
   *
   * @default false
   */
  readonly fifo?: boolean | undefined;
  /**
   * How many workers there are at most.
   *
   * @default - not known: no alarm on idle workers
   */
  readonly concurrency?: number | undefined;
  /**
   * How long all but the slowest runs of the handler take: its p99.
   *
   * @default 30 seconds
   */
  readonly handlerTime?: Seconds | undefined;
  /**
   * How long the queue keeps a message.
   *
   * @default - 4 days, SQS's own default
   */
  readonly retention?: Seconds | undefined;
  /**
   * Messages that arrive in a second of a normal hour.
   *
   * @default - not known: a backlog from 100 messages on counts
   */
  readonly traffic?: number | undefined;
  /**
   * What there is of it. Alarms on a part that is not there are left out.
   *
   * @default - all: queue, dead-letter queue, the subscription's dead-letter queue, function
   */
  readonly parts?: readonly SubscriberTargetKind[] | undefined;
}

/** {@link Watched}, with everything decided. */
export interface WatchedFacts {
  readonly name: string;
  readonly lag: Seconds;
  readonly alarms: AlarmProfile;
  readonly fifo: boolean;
  readonly concurrency: number | undefined;
  readonly handlerTime: Seconds;
  readonly retention: Seconds;
  /** Fewer waiting messages are no backlog worth a look. */
  readonly floor: number;
  readonly parts: readonly SubscriberTargetKind[];
}

/** Half a minute of normal traffic is what an event source that scales up, or a deployment, lets wait. */
const floorSeconds = 30;
const leastFloor = 100;
const allParts: readonly SubscriberTargetKind[] = [
  'queue',
  'deadLetterQueue',
  'subscriptionDeadLetterQueue',
  'function',
];

/** Decides what {@link Watched} leaves out. */
export const factsOf = (watched: Watched): WatchedFacts => ({
  name: watched.name,
  lag: watched.lag,
  alarms: watched.alarms ?? 'lean',
  fifo: watched.fifo ?? false,
  concurrency: watched.concurrency,
  handlerTime: watched.handlerTime ?? seconds(30),
  retention: watched.retention ?? days(4),
  floor: Math.max(leastFloor, Math.ceil(floorSeconds * (watched.traffic ?? 0))),
  parts: watched.parts ?? allParts,
});

/**
 * What the alarms of a topic need. A topic of a declaration has all but `filtered`: see {@link watchedTopic}.
 *
 * @example
 * ```ts
 * const news: WatchedTopic = { name: 'news', subscribers: ['mail'], filtered: true };
 * ```
 */
export interface WatchedTopic extends Pick<Topic, 'name' | 'subscribers'> {
  /**
   * Whether some subscription has a filter policy.
   *
   * @default false
   */
  readonly filtered?: boolean | undefined;
}

/**
 * A topic of a declaration, with whether one of its subscribers has a filter.
 *
 * @example
 * ```ts
 * topicAlarms(watchedTopic(shop, shop.topics.news!));
 * ```
 */
export const watchedTopic = ({ subscribers }: Messaging, topic: Topic): WatchedTopic => ({
  ...topic,
  filtered: topic.subscribers.some((name) => subscribers[name]?.filter === true),
});
