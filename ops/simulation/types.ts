import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Milliseconds, Seconds } from '../../lib/base/index.ts';
import type { CloudEvent, Messaging, Subscriber } from '../../lib/topology/index.ts';
import type { HarnessHandler, HarnessLogger, HarnessTools } from '../../local/index.ts';
import type { Evidence, Violation } from './judge/index.ts';

/**
 * What makes the function of a subscriber out of a handler: the runtime, a broken one, or somebody else's library.
 *
 * @example
 * ```ts
 * const real: BuildConsumer = ({ messaging, subscriber, handler, tools }) =>
 *   consume(messaging, subscriber, handler, tools);
 * ```
 */
export type BuildConsumer = (order: BuildOrder) => HarnessHandler;

/**
 * What is to be built.
 *
 * @example
 * ```ts
 * const build = ({ messaging, subscriber, handler, tools }: BuildOrder) => consume(messaging, subscriber, handler, tools);
 * ```
 */
export interface BuildOrder {
  readonly messaging: Messaging;
  readonly subscriber: string;
  readonly handler: SimulatedHandler;
  readonly tools: HarnessTools;
}

/**
 * The handler of a simulated subscriber. That of a `transactional` subscriber returns its writes instead of making
 * them; every other returns nothing.
 *
 * @example
 * ```ts
 * const handler: SimulatedHandler = async (event, { commitWith }) => commitWith?.([put(event.id)]);
 * ```
 */
export type SimulatedHandler = (
  event: CloudEvent,
  context: SimulatedContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: a promise of nothing, as handlers are declared
) => Promise<void | TransactWriteItem[]>;

/** What a simulated handler uses of its context. Libraries without a `commitWith` leave it out: effects are plain writes then. */
export interface SimulatedContext {
  readonly signal: AbortSignal;
  /** Which try this is, from 1. */
  readonly attempt: number;
  readonly deadline?: Milliseconds;
  readonly fence?: number;
  readonly logger?: HarnessLogger;
  readonly commitWith?: (items: readonly TransactWriteItem[]) => Promise<void>;
}

/**
 * How a seed is played.
 *
 * @example
 * ```ts
 * const options: PlayOptions = { example: 'orders', hours: 3, faults: ['freeze', 'skew'] };
 * ```
 */
export interface PlayOptions {
  /** @default - the runtime as users have it */
  readonly build?: BuildConsumer | undefined;
  /**
   * A shipped example instead of a topology drawn from the seed.
   *
   * @default - a random topology
   */
  readonly example?: 'orders' | undefined;
  /**
   * Virtual hours in which events arrive.
   *
   * @default - two minutes
   */
  readonly hours?: number | undefined;
  /**
   * Names of the faults that may happen.
   *
   * @default - all
   */
  readonly faults?: readonly string[] | undefined;
  /**
   * Changes a drawn subscriber before it is deployed, and leaves all else that was drawn as it is: what is no runtime of
   * ours needs its queue set up in another way, and has not every posture.
   *
   * @default - as drawn
   */
  readonly declare?: ((drawn: Subscriber) => Subscriber) | undefined;
  /**
   * Calls of the runtime's own, and those that another consumer makes in their place: what goes wrong with the first
   * goes wrong with the second.
   *
   * @default - none
   */
  readonly calls?: Readonly<Record<string, string>> | undefined;
  /**
   * How long a stack may take to come to rest once nothing goes wrong any more.
   *
   * @default - as long as what was drawn can take
   */
  readonly rest?: Seconds | undefined;
}

/**
 * A history that was played.
 *
 * @example
 * ```ts
 * const { seed, digest, violations }: Played = await play(17, {});
 * ```
 */
export interface Played {
  readonly seed: number;
  readonly evidence: Evidence;
  readonly violations: readonly Violation[];
  readonly counts: Counts;
  readonly virtualHours: number;
  /** A hash of everything that happened: two plays of one seed have the same. */
  readonly digest: string;
  /** Everything that happened, a line each. */
  readonly story: readonly string[];
}

/**
 * What a history held.
 *
 * @example
 * ```ts
 * const { deliveries, faults }: Counts = played.counts;
 * ```
 */
export interface Counts {
  /** Messages that topics accepted. */
  readonly messages: number;
  /** Deliveries to subscribers that a handler, or the runtime without one, had to answer for. */
  readonly deliveries: number;
  readonly handlerRuns: number;
  /** Faults that happened: calls that failed, crashes, kills, freezes, deployments. */
  readonly faults: number;
}
