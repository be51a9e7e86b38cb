import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Milliseconds } from '../../lib/base/index.ts';
import type { Gap } from './groups.ts';
import type { Logger } from './logger.ts';

/**
 * What a handler is given besides its event.
 *
 * @example
 * ```ts
 * const charge = async (order: Order, { signal, attempt, logger }: HandlerContext): Promise<void> => {
 *   logger.info('charging', { attempt });
 *   await fetch('https://pay.example.com/charges', { method: 'POST', body: JSON.stringify(order), signal });
 * };
 * ```
 */
export interface HandlerContext {
  /**
   * Fires when the work is to stop: the function's time is nearly over ({@link DeadlineReached}) or the lease
   * is lost ({@link LeaseLost}). Hand it to whatever takes one.
   */
  readonly signal: AbortSignal;
  /** Which try this is, from 1. */
  readonly attempt: number;
  /** When `signal` fires at the latest, in milliseconds since the Unix epoch. */
  readonly deadline: Milliseconds;
  /**
   * Rises with each take-over of the event. A system outside that remembers the highest fence it has seen can
   * refuse an owner that was frozen and wakes too late.
   */
  readonly fence: number;
  /** A logger whose lines name the event. */
  readonly logger: Logger;
  /**
   * Writes the items and completes the event's record in one transaction, now: either all of it happens, once,
   * or none. At most 99 items, of any table of the account and region.
   *
   * @throws {ConditionFailed} an item's own condition does not hold: nothing was written, decide what to do
   * @throws {LeaseLost} another owner has the event: nothing was written, stop
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
 * Handles one event; when it resolves, the event is done.
 *
 * @example
 * ```ts
 * const charge: Handler<EventFor<typeof shop, 'payments'>> = async (event, { signal }) => {
 *   await pay(event.data, { idempotencyKey: event.id, signal });
 * };
 * ```
 */
export type Handler<Event> = (event: Event, context: HandlerContext) => Promise<void> | void;
