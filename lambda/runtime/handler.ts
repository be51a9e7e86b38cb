import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Milliseconds } from '../../lib/base/index.ts';
import type { EffectsOf, EventFor, Messaging, SubscriberName } from '../../lib/topology/index.ts';
import type { ConditionFailed } from './errors.ts';
import type { Gap } from './groups.ts';
import type { Logger } from './logger.ts';
import type { Progress } from './progress.ts';

/**
 * What every handler is given besides its event, whatever its subscriber promises.
 *
 * @example
 * ```ts
 * const index: PlainHandler<EventFor<typeof shop, 'search'>> = async ({ data }, { signal }: BasicContext) => {
 *   await fetch(`https://search.example.com/orders/${data.orderId}`, { method: 'PUT', signal });
 * };
 * ```
 */
export interface BasicContext {
  /**
   * Fires when the work is to stop: the function's time is nearly over ({@link DeadlineReached}) or the lease
   * is lost ({@link LeaseLost}). Hand it to whatever takes one.
   */
  readonly signal: AbortSignal;
  /** Which try this is, from 1. */
  readonly attempt: number;
  /** When `signal` fires at the latest, in milliseconds since the Unix epoch. */
  readonly deadline: Milliseconds;
  /** A logger whose lines name the event. */
  readonly logger: Logger;
  /**
   * What the event's message group has skipped, where the subscriber's `onDeadLetter` is `skip`: which events before
   * this one were dead-lettered. Costs one read at each call. On standard queues there is none.
   *
   * @throws {TableUnavailable} it cannot be read: let it pass
   * @example
   * ```ts
   * const gap = await context.gap();
   * if (gap !== undefined) context.logger.warn('goes on behind a gap', { letters: gap.letters, since: gap.first.at });
   * ```
   */
  gap(): Promise<Gap | undefined>;
}

/**
 * What a handler is given whose subscriber promises `exactlyOnceEffect`.
 *
 * @example
 * ```ts
 * const charge = async (order: Order, { signal, attempt, logger }: HandlerContext): Promise<void> => {
 *   logger.info('charging', { attempt });
 *   await fetch('https://pay.example.com/charges', { method: 'POST', body: JSON.stringify(order), signal });
 * };
 * ```
 */
export interface HandlerContext extends BasicContext {
  /**
   * Rises with each take-over of the event. A system outside that remembers the highest fence it has seen can
   * refuse an owner that was frozen and wakes too late.
   */
  readonly fence: number;
  /**
   * A checkpoint for long work. A run that its signal stops, and that has saved something new, uses no attempt: it
   * throws, comes back after a second, and goes on from there.
   */
  readonly progress: Progress;
  /**
   * Writes the items and completes the event's record in one transaction, now: either all of it happens, once,
   * or none. At most 99 items, of any table of the account and region; 98 where a guard of sequences is declared.
   *
   * @throws {ConditionFailed} an item's own condition does not hold: nothing was written, decide what to do
   * @throws {LeaseLost} another owner has the event: nothing was written, stop
   * @throws {StaleSequence} a newer event of its key was applied meanwhile: nothing was written, it is dropped
   * @throws {TableUnavailable} throttled, or in conflict with others, beyond all tries: nothing was written
   * @throws {OutcomeUnknown} no reply, and the record could not tell: let it pass
   * @example
   * ```ts
   * await context.commitWith([
   *   { Update: { TableName: 'stock', Key: { sku: { S: 'A1' } }, UpdateExpression: 'SET free = free - :n',
   *     ConditionExpression: 'free >= :n', ExpressionAttributeValues: { ':n': { N: '1' } } } },
   * ]);
   * ```
   */
  commitWith(items: readonly TransactWriteItem[]): Promise<void>;
}

/**
 * What a handler is given whose subscriber is `transactional`.
 *
 * @example
 * ```ts
 * const take = ({ data }: Placed, { refused }: TransactionalContext): TransactWriteItem[] =>
 *   refused === undefined ? [takeFromStock(data)] : [backOrder(data)];
 * ```
 */
export interface TransactionalContext extends BasicContext {
  /**
   * Why the writes that this attempt returned before were not committed: a condition of theirs does not hold. The
   * handler is asked once more, up to three calls in an attempt, and may return others. `undefined` at first.
   */
  readonly refused: ConditionFailed | undefined;
}

/**
 * A handler of a `transactional` subscriber: it returns what is to be written to DynamoDB, and writes nothing itself.
 * The runtime commits it together with the event's record, and with those of the batch's other events. At most 99
 * items, of any tables of the account and region. It may be called more often than it is committed, so it has no
 * effect of its own. On FIFO too it is called for all events of a batch before the first is committed: a write that builds
 * on what the handler has read needs a condition that says so.
 *
 * @example
 * ```ts
 * const count: TransactionalHandler<EventFor<typeof shop, 'analytics'>> = ({ data }) => [
 *   { Update: { TableName: 'revenue', Key: { day: { S: data.day } }, UpdateExpression: 'ADD cents :cents',
 *     ExpressionAttributeValues: { ':cents': { N: String(data.cents) } } } },
 * ];
 * ```
 */
export type TransactionalHandler<Event> = (
  event: Event,
  context: TransactionalContext,
) => readonly TransactWriteItem[] | Promise<readonly TransactWriteItem[]>;

/**
 * A handler of an `atLeastOnce` or `atMostOnce` subscriber.
 *
 * @example
 * ```ts
 * const push: PlainHandler<EventFor<typeof shop, 'push'>> = async (event, { signal }) => notify(event.data, signal);
 * ```
 */
export type PlainHandler<Event> = (event: Event, context: BasicContext) => Promise<void> | void;

/**
 * The handler that a subscriber's posture asks for.
 *
 * @example
 * ```ts
 * const charge: HandlerFor<typeof shop, 'payments'> = async (event, { commitWith }) => commitWith([put(event)]);
 * ```
 */
export type HandlerFor<M extends Messaging, S extends SubscriberName<M>> = {
  readonly exactlyOnceEffect: Handler<EventFor<M, S>>;
  readonly transactional: TransactionalHandler<EventFor<M, S>>;
  readonly atLeastOnce: PlainHandler<EventFor<M, S>>;
  readonly atMostOnce: PlainHandler<EventFor<M, S>>;
}[EffectsOf<M, S>];

/**
 * Handles one event of an `exactlyOnceEffect` subscriber; when it resolves, the event is done.
 *
 * @example
 * ```ts
 * const charge: Handler<EventFor<typeof shop, 'payments'>> = async (event, { signal }) => {
 *   await pay(event.data, { idempotencyKey: event.id, signal });
 * };
 * ```
 */
export type Handler<Event> = (event: Event, context: HandlerContext) => Promise<void> | void;
