import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Seconds } from '../base/index.ts';
import type { CloudEvent, EventDefinition } from './event.ts';

/**
 * A topic as declared.
 *
 * @example
 * ```ts
 * const orders: TopicDeclaration = { fifo: true };
 * ```
 */
export interface TopicDeclaration {
  /**
   * Keep the order within each message group.
   *
   * @default false
   */
  readonly fifo?: boolean;
  /**
   * The topic's physical name; a FIFO topic's ends with `.fifo`.
   *
   * @default - chosen by CloudFormation
   */
  readonly topicName?: string;
}

/**
 * How long to wait before a failed message is tried again: full jitter, a random part of base x 2^(attempt-1).
 *
 * @example
 * ```ts
 * const backoff: BackoffDeclaration = { base: seconds(2), cap: minutes(10) };
 * ```
 */
export interface BackoffDeclaration {
  /**
   * Upper bound of the wait after the first failed attempt.
   *
   * @default 1 second
   */
  readonly base?: Seconds;
  /**
   * Upper bound of every wait.
   *
   * @default 5 minutes
   */
  readonly cap?: Seconds;
}

/**
 * What a subscriber promises about its effects, although delivery is at least once. The postures differ in when a
 * message is acknowledged: after its work, in one transaction with it, or before it.
 *
 * - `exactlyOnceEffect`: claim, run, complete. An effect by `commitWith` happens once; one outside happens once where
 *   it honours the event's id as its key, and may repeat after a crash where it does not.
 * - `transactional`: the handler returns its writes to DynamoDB and makes none; they and the records of a whole
 *   batch commit together. Happens once; the cheapest.
 * - `atLeastOnce`: nothing is kept of what went well. May repeat; never lost.
 * - `atMostOnce`: the event is marked as done before the handler runs, once. Never repeats; a crash loses it.
 *
 * @example
 * ```ts
 * const posture: Effects = 'transactional';
 * ```
 */
export type Effects = 'exactlyOnceEffect' | 'transactional' | 'atLeastOnce' | 'atMostOnce';

/**
 * Which alarms watch a subscriber.
 *
 * - `lean`: the lag above its SLO, a backlog that grows, dead letters, a consumer that stands still, redeliveries.
 * - `full`: those, and the burn of the SLO, forecasts of drain and breach, the approach of the retention, fresh dead
 *   letters, the quota of messages in flight, blocked and hot groups on FIFO, the function's throttles, errors and dropped
 *   invocations; one page and one ticket for all that say the same.
 *
 * @example
 * ```ts
 * const alarms: AlarmProfile = 'full';
 * ```
 */
export type AlarmProfile = 'lean' | 'full';

/**
 * A subscriber as declared: one queue, its consumer and its lag SLO. What is left out is computed.
 *
 * @example
 * ```ts
 * const payments: SubscriberDeclaration = {
 *   on: ['order.placed'],
 *   fifo: true,
 *   handler: 'payments.ts',
 *   lag: seconds(60),
 * };
 * ```
 */
export interface SubscriberDeclaration<EventName extends string = string> {
  /** The events it wants; they are carried by one topic. */
  readonly on: readonly EventName[];
  /** The handler's module, relative to the folder that the stack is given. */
  readonly handler: string;
  /** The lag SLO: no message should wait longer than this. */
  readonly lag: Seconds;
  /**
   * Which alarms watch it.
   *
   * @default lean
   */
  readonly alarms?: AlarmProfile;
  /**
   * Messages that arrive in a second of a normal hour. Alarms take no notice of a backlog of less than half a minute
   * of it, and of less than 100 messages.
   *
   * @default - not known: a backlog from 100 messages on counts
   */
  readonly traffic?: number;
  /**
   * What is promised about its effects.
   *
   * @default exactlyOnceEffect
   */
  readonly effects?: Effects;
  /**
   * What becomes of a message group when one of its messages is dead-lettered, on FIFO only. `skip`: the group goes
   * on, marked with its gap. `halt`: later messages of the group wait until an operator lifts its marker.
   *
   * @default skip
   */
  readonly onDeadLetter?: 'halt' | 'skip';
  /**
   * What follows when a worker ended in the middle of the handler, so that nobody knows whether its effect happened.
   * `retry`: it runs again; right where the effect is keyed by the event's id or commits with the record. `park`:
   * it does not; the message is dead-lettered as `unknown-outcome`, for reconciliation. Each run then costs one
   * write more, which says that it began. With `exactlyOnceEffect` only.
   *
   * @default retry
   */
  readonly onUnknownOutcome?: 'retry' | 'park';
  /**
   * Drop events that are older than the last one applied of their `partitionkey`, by their `sequence`, and count them
   * as `stale`. The check commits with the record. Events without a sequence pass. With `exactlyOnceEffect` and
   * `transactional` only.
   *
   * @default false
   */
  readonly sequenceGuard?: boolean;
  /**
   * Keep the order within each message group; needs a FIFO topic.
   *
   * @default false
   */
  readonly fifo?: boolean;
  /**
   * How long one invocation of the function may take, 1 to 900 seconds (Lambda quotas).
   *
   * @default 30 seconds
   */
  readonly timeout?: Seconds;
  /**
   * The handler's p99: how long all but the slowest of its runs take. A consumer that completes nothing for twice
   * as long, and for five minutes, counts as stalled. Messages are completed for SQS when their invocation ends:
   * where a batch is mostly one FIFO group, which runs one after another, say what the whole batch takes.
   *
   * @default - the timeout
   */
  readonly handlerTime?: Seconds;
  /**
   * How many invocations may run at once: the event source's MaximumConcurrency, 2 to 1,000.
   *
   * @default 10
   */
  readonly concurrency?: number;
  /**
   * How often a message may be started before it is dead-lettered; with `atMostOnce` once.
   *
   * @default - 5; with atMostOnce 1
   */
  readonly attempts?: number;
  /**
   * Waits between attempts.
   *
   * @default - base 1 second, cap 5 minutes
   */
  readonly backoff?: BackoffDeclaration;
  /**
   * How many messages one invocation gets at most: up to 10 on FIFO, up to 10,000 on standard queues.
   *
   * @default 10
   */
  readonly batchSize?: number;
  /**
   * How long the event source gathers a batch, 0 to 300 seconds; none on FIFO, at least 1 when the batch is larger than 10.
   *
   * @default - 0, or 1 second when the batch is larger than 10
   */
  readonly batchWindow?: Seconds;
  /**
   * Memory of the function in MiB, 128 to 10,240.
   *
   * @default 256
   */
  readonly memorySize?: number;
  /**
   * How long a claim on an event lasts without a heartbeat: after a crash, the event is running again this much later.
   *
   * @default - 30 seconds, or the visibility timeout where that is shorter
   */
  readonly lease?: Seconds;
  /**
   * The queue's visibility timeout, at least the function's timeout plus the batch window, at most 12 hours.
   *
   * @default - 6 x timeout + batch window (AWS's advice)
   */
  readonly visibilityTimeout?: Seconds;
  /**
   * How long the queue keeps a message, 60 seconds to 14 days: long enough for all attempts and their waits.
   *
   * @default - 4 days, or what all attempts and their waits can take where that is longer
   */
  readonly retention?: Seconds;
  /**
   * How long the dead-letter queue keeps a message, longer than the queue and at most 14 days.
   *
   * @default 14 days
   */
  readonly deadLetterRetention?: Seconds;
  /**
   * Whether the dead-letter queue is FIFO. SQS demands the kind of the queue itself.
   *
   * @default - as `fifo`
   */
  readonly deadLetterFifo?: boolean;
  /**
   * Whether the subscription's dead-letter queue is FIFO. SNS demands the kind of the topic.
   *
   * @default - as the topic's `fifo`
   */
  readonly subscriptionDeadLetterFifo?: boolean;
  /**
   * After how many receives SQS itself moves a message to the dead-letter queue. The last net only: throttling
   * and returned batch mates burn receives without an attempt, so it lies far above `attempts`.
   *
   * @default - 20 x attempts and at least 100; on FIFO 4 x attempts x batch size and at least 100; with
   * onDeadLetter: 'halt', where a halted group is received again and again, 1,000, which is the most
   */
  readonly maxReceiveCount?: number;
  /**
   * How long after a dead letter's retention a replay may still come: part of the record's life.
   *
   * @default 7 days
   */
  readonly replayMargin?: Seconds;
  /**
   * How long the record of an event is kept; a shorter life than the default lets a late replay repeat effects.
   *
   * @default - retention + dead-letter retention + replay margin
   */
  readonly recordLife?: Seconds;
  /**
   * Let SNS deliver only the events in `on`. On a FIFO topic a filter policy makes delivery at-most-once (SNS
   * developer guide), so there it is off and the consumer acknowledges, and counts, what it did not ask for.
   *
   * @default - on for a standard topic that carries other events too, else off
   */
  readonly filter?: boolean;
  /**
   * The queue's physical name, up to 80 characters (SQS quotas); a FIFO queue's ends with `.fifo`.
   *
   * @default - chosen by CloudFormation
   */
  readonly queueName?: string;
  /**
   * The dead-letter queue's physical name, by the rules of `queueName`.
   *
   * @default - chosen by CloudFormation
   */
  readonly deadLetterQueueName?: string;
  /**
   * The physical name of the subscription's dead-letter queue, by the rules of `queueName`.
   *
   * @default - chosen by CloudFormation
   */
  readonly subscriptionDeadLetterQueueName?: string;
  /**
   * The function's physical name, up to 64 characters (Lambda API reference, "CreateFunction").
   *
   * @default - chosen by CloudFormation
   */
  readonly functionName?: string;
}

/**
 * A topic with everything decided.
 *
 * @example
 * ```ts
 * const orders: Topic | undefined = shop.topics['orders'];
 * orders?.subscribers; // ['payments', 'mail']
 * ```
 */
export interface Topic {
  readonly name: string;
  readonly fifo: boolean;
  readonly topicName: string | undefined;
  /** The events it carries. */
  readonly events: readonly string[];
  /** The subscribers that hear it. */
  readonly subscribers: readonly string[];
}

/**
 * A subscriber with everything decided: the declaration's values, and those computed from them.
 *
 * @example
 * ```ts
 * const payments: Subscriber = shop.subscribers.payments;
 * payments.visibilityTimeout; // 180, computed
 * ```
 */
export interface Subscriber {
  readonly name: string;
  readonly topic: string;
  readonly on: readonly string[];
  readonly handler: string;
  readonly fifo: boolean;
  readonly lag: Seconds;
  readonly alarms: AlarmProfile;
  readonly traffic: number | undefined;
  readonly effects: Effects;
  readonly onDeadLetter: 'halt' | 'skip';
  readonly onUnknownOutcome: 'retry' | 'park';
  readonly sequenceGuard: boolean;
  readonly timeout: Seconds;
  readonly handlerTime: Seconds;
  readonly concurrency: number;
  readonly attempts: number;
  readonly backoff: { readonly base: Seconds; readonly cap: Seconds };
  readonly batchSize: number;
  readonly batchWindow: Seconds;
  readonly memorySize: number;
  readonly lease: Seconds;
  readonly visibilityTimeout: Seconds;
  readonly retention: Seconds;
  readonly deadLetterRetention: Seconds;
  readonly deadLetterFifo: boolean;
  readonly subscriptionDeadLetterFifo: boolean;
  readonly maxReceiveCount: number;
  readonly replayMargin: Seconds;
  readonly recordLife: Seconds;
  readonly filter: boolean;
  readonly queueName: string | undefined;
  readonly deadLetterQueueName: string | undefined;
  readonly subscriptionDeadLetterQueueName: string | undefined;
  readonly functionName: string | undefined;
}

/**
 * Definitions of events by name, as {@link defineMessaging} takes them.
 *
 * @example
 * ```ts
 * const events = {
 *   'order.placed': event({ topic: 'orders', schema: OrderPlaced }),
 * } satisfies EventDefinitions<'orders'>;
 * ```
 */
export type EventDefinitions<TopicName extends string = string> = Readonly<
  Record<string, EventDefinition<TopicName>>
>;

/**
 * What types know of a subscriber.
 *
 * @example
 * ```ts
 * type Payments = NonNullable<(typeof shop)['$subscriptions']>['payments']; // { on: ['order.placed'], effects: ... }
 * ```
 */
export interface Subscription {
  readonly on: readonly string[];
  readonly effects: Effects;
}

/**
 * A declared messaging stack, checked and complete: the one object that types the publisher and the handlers,
 * makes the stack and its alarms, and feeds the tools.
 *
 * @example
 * ```ts
 * const queueCount = (messaging: Messaging): number => 3 * Object.keys(messaging.subscribers).length;
 * queueCount(shop);
 * ```
 */
export interface Messaging<
  Events extends EventDefinitions = EventDefinitions,
  Subscriptions extends Readonly<Record<string, Subscription>> = Readonly<Record<string, Subscription>>,
> {
  /** Names the stack in CloudEvents `source`, metrics and logs. */
  readonly name: string;
  readonly events: Events;
  readonly topics: Readonly<Record<string, Topic>>;
  readonly subscribers: { readonly [Name in keyof Subscriptions]: Subscriber };
  /** Types only, never set: which subscriber hears which events, and what it promises. */
  readonly $subscriptions?: Subscriptions;
}

/**
 * The names of a stack's events.
 *
 * @example
 * ```ts
 * const name: EventName<typeof shop> = 'order.placed';
 * ```
 */
export type EventName<M extends Messaging> = keyof M['events'] & string;

/**
 * The names of a stack's subscribers.
 *
 * @example
 * ```ts
 * const name: SubscriberName<typeof shop> = 'payments';
 * ```
 */
export type SubscriberName<M extends Messaging> = keyof M['subscribers'] & string;

/**
 * The data of an event as handlers get it: the schema's output.
 *
 * @example
 * ```ts
 * const total = (order: EventData<typeof shop, 'order.placed'>): number => order.cents / 100;
 * ```
 */
export type EventData<M extends Messaging, Name extends EventName<M>> = StandardSchemaV1.InferOutput<
  M['events'][Name]['schema']
>;

/**
 * The data of an event as publishers give it: the schema's input.
 *
 * @example
 * ```ts
 * const order: EventInput<typeof shop, 'order.placed'> = { orderId: 'o-1', customerId: 'c-1', cents: 1200 };
 * ```
 */
export type EventInput<M extends Messaging, Name extends EventName<M>> = StandardSchemaV1.InferInput<
  M['events'][Name]['schema']
>;

/**
 * The envelope of an event, typed by its name; a union when several names are given.
 *
 * @example
 * ```ts
 * const idOf = (event: EventOf<typeof shop, 'order.placed'>): string => event.data.orderId;
 * ```
 */
export type EventOf<M extends Messaging, Name extends EventName<M>> =
  Name extends EventName<M> ? CloudEvent<Name, EventData<M, Name>> : never;

/**
 * The envelopes that a subscriber's handler can get.
 *
 * @example
 * ```ts
 * async function pay(event: EventFor<typeof shop, 'payments'>): Promise<void> {
 *   if (event.type === 'order.placed') await charge(event.data.cents);
 * }
 * ```
 */
export type EventFor<M extends Messaging, Name extends SubscriberName<M>> = EventOf<
  M,
  NonNullable<M['$subscriptions']>[Name]['on'][number] & EventName<M>
>;

/**
 * The posture of a subscriber, as declared.
 *
 * @example
 * ```ts
 * const posture: EffectsOf<typeof shop, 'payments'> = 'exactlyOnceEffect';
 * ```
 */
export type EffectsOf<M extends Messaging, Name extends SubscriberName<M>> = NonNullable<
  M['$subscriptions']
>[Name]['effects'];
