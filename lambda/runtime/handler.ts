import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Milliseconds } from '../../lib/base/index.ts';
import type { Logger } from './logger.ts';
import type { Progress } from './progress.ts';

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
  /**
   * A checkpoint for long work. A run that its signal stops, and that has saved something new, uses no attempt: it
   * throws, comes back after a second, and goes on from there.
   */
  readonly progress: Progress;
  /** A logger whose lines name the event. */
  readonly logger: Logger;
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
