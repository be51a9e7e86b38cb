import type { StandardSchemaV1 } from '@standard-schema/spec';

/**
 * An event as it travels: a CloudEvents 1.0 envelope in JSON. `source` and `id` together name the event for
 * ever; the queue's message id never does.
 *
 * @example
 * ```ts
 * const placed: CloudEvent<'order.placed', { readonly orderId: string }> = {
 *   specversion: '1.0',
 *   id: 'order.placed:o-1',
 *   source: 'sluice/shop',
 *   type: 'order.placed',
 *   time: '2026-11-29T12:00:00.000Z',
 *   datacontenttype: 'application/json',
 *   data: { orderId: 'o-1' },
 * };
 * ```
 */
export interface CloudEvent<Type extends string = string, Data = unknown> {
  readonly specversion: '1.0';
  /** Unique within `source`; the same id published twice is the same event. */
  readonly id: string;
  readonly source: string;
  readonly type: Type;
  /** When it happened, RFC 3339. */
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly data: Data;
  /** The group whose order is kept (CloudEvents partitioning extension). */
  readonly partitionkey?: string;
  /** The position of the event among those of its key, as a string that sorts (CloudEvents sequence extension). */
  readonly sequence?: string;
  /** After this moment, RFC 3339, the event is worth nothing and is acknowledged unseen. */
  readonly expirytime?: string;
  /** W3C Trace Context (CloudEvents distributed tracing extension). */
  readonly traceparent?: string;
  /** Where the data lies, when it does not travel in the envelope (CloudEvents dataref extension). */
  readonly dataref?: string;
}

/**
 * What an event is: the topic that carries it, the schema of its data, and what identifies and orders it.
 *
 * @example
 * ```ts
 * const placed: EventDefinition<'orders', typeof OrderPlaced> = {
 *   topic: 'orders',
 *   schema: OrderPlaced,
 *   key: (order) => order.orderId,
 * };
 * ```
 */
export interface EventDefinition<
  Topic extends string = string,
  Schema extends StandardSchemaV1 = StandardSchemaV1,
> {
  /** The topic that carries the event. */
  readonly topic: Topic;
  /** What the data looks like: any Standard Schema (zod, valibot, arktype and others). */
  readonly schema: Schema;
  /**
   * What makes an event the same event: two publishes with one key have one id, and its effects happen once.
   *
   * @default - each publish is an event of its own, with a random id
   */
  key?(data: StandardSchemaV1.InferOutput<Schema>): string | number;
  /**
   * The group in which order is kept: the message group of FIFO topics and queues.
   *
   * @default - the event's id: no order between events
   */
  group?(data: StandardSchemaV1.InferOutput<Schema>): string | number;
}

/**
 * Declares an event; the types of `key` and `group` follow from the schema.
 *
 * @example
 * ```ts
 * const placed = event({ topic: 'orders', schema: OrderPlaced, key: (o) => o.orderId, group: (o) => o.customerId });
 * ```
 */
export function event<const Topic extends string, Schema extends StandardSchemaV1>(
  definition: EventDefinition<Topic, Schema>,
): EventDefinition<Topic, Schema> {
  return definition;
}
