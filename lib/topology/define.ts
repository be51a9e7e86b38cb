import { days, type Seconds, seconds } from '../base/index.ts';
import { DeclarationError } from './errors.ts';
import { findFaults } from './rules.ts';
import type {
  EventDefinitions,
  Messaging,
  Subscriber,
  SubscriberDeclaration,
  Topic,
  TopicDeclaration,
} from './types.ts';

/** What {@link defineMessaging} takes. */
export interface MessagingDeclaration<
  Topics extends Readonly<Record<string, TopicDeclaration>> = Readonly<Record<string, TopicDeclaration>>,
  Events extends EventDefinitions = EventDefinitions,
  Subscribers extends Readonly<Record<string, SubscriberDeclaration>> = Readonly<
    Record<string, SubscriberDeclaration>
  >,
> {
  /** Names the stack in CloudEvents `source`, metrics and logs: a letter, then letters, digits and hyphens. */
  readonly name: string;
  readonly topics: Topics;
  readonly events: Events;
  readonly subscribers: Subscribers;
}

/**
 * Declares a messaging stack: topics, the events they carry and the subscribers that hear them. Returns plain
 * data in which everything that could be computed is filled in.
 *
 * @throws {DeclarationError} listing every fault of the declaration
 * @example
 * ```ts
 * export const shop = defineMessaging({
 *   name: 'shop',
 *   topics: { orders: { fifo: true } },
 *   events: { 'order.placed': event({ topic: 'orders', schema: OrderPlaced, group: (o) => o.customerId }) },
 *   subscribers: {
 *     payments: { on: ['order.placed'], fifo: true, handler: 'handlers/payments.ts', lag: seconds(60) },
 *   },
 * });
 * shop.subscribers.payments.visibilityTimeout; // 180 seconds, computed
 * ```
 */
export function defineMessaging<
  const Topics extends Readonly<Record<string, TopicDeclaration>>,
  const Events extends EventDefinitions<keyof Topics & string>,
  const Subscribers extends Readonly<Record<string, SubscriberDeclaration<keyof Events & string>>>,
>(
  declaration: MessagingDeclaration<Topics, Events, Subscribers>,
): Messaging<Events, { readonly [Name in keyof Subscribers]: Subscribers[Name]['on'] }> {
  const faults = findFaults(declaration);
  if (faults.length > 0) throw new DeclarationError(declaration.name, faults);

  const topicOf = (subscriber: SubscriberDeclaration) =>
    declaration.events[subscriber.on[0] as string]!.topic;
  const topics: Record<string, Topic> = {};
  for (const [name, topic] of Object.entries(declaration.topics)) {
    topics[name] = {
      name,
      fifo: topic.fifo ?? false,
      topicName: topic.topicName,
      events: Object.keys(declaration.events).filter((event) => declaration.events[event]?.topic === name),
      subscribers: Object.keys(declaration.subscribers).filter(
        (subscriber) => topicOf(declaration.subscribers[subscriber] as SubscriberDeclaration) === name,
      ),
    };
  }
  const subscribers = Object.fromEntries(
    Object.entries<SubscriberDeclaration>(declaration.subscribers).map(([name, subscriber]) => [
      name,
      complete(name, subscriber, topics[topicOf(subscriber)] as Topic),
    ]),
  );
  return {
    name: declaration.name,
    topics,
    events: declaration.events,
    subscribers: subscribers as { readonly [Name in keyof Subscribers]: Subscriber },
  };
}

/** Fills in what a declaration leaves out. Shared with the rules, so that they judge the values that will hold. */
export function complete(name: string, declared: SubscriberDeclaration, topic: Topic): Subscriber {
  const fifo = declared.fifo ?? false;
  const timeout = declared.timeout ?? seconds(30);
  const attempts = declared.attempts ?? 5;
  const batchSize = declared.batchSize ?? 10;
  const batchWindow = declared.batchWindow ?? seconds(batchSize > 10 ? 1 : 0);
  const visibilityTimeout = declared.visibilityTimeout ?? visibility(timeout, batchWindow);
  const retention = declared.retention ?? days(4);
  const deadLetterRetention = declared.deadLetterRetention ?? days(14);
  const replayMargin = declared.replayMargin ?? days(7);
  return {
    name,
    topic: topic.name,
    on: declared.on,
    handler: declared.handler,
    fifo,
    lag: declared.lag,
    timeout,
    concurrency: declared.concurrency ?? 10,
    attempts,
    backoff: { base: declared.backoff?.base ?? seconds(1), cap: declared.backoff?.cap ?? seconds(300) },
    batchSize,
    batchWindow,
    memorySize: declared.memorySize ?? 256,
    lease: declared.lease ?? seconds(Math.min(30, visibilityTimeout)),
    visibilityTimeout,
    retention,
    deadLetterRetention,
    maxReceiveCount: declared.maxReceiveCount ?? lastNet(fifo, attempts, batchSize),
    replayMargin,
    recordLife: declared.recordLife ?? seconds(retention + deadLetterRetention + replayMargin),
    filter: declared.filter ?? (!topic.fifo && topic.events.some((event) => !declared.on.includes(event))),
    queueName: declared.queueName,
  };
}

/** Lambda developer guide, "Using Lambda with Amazon SQS": six times the function's timeout, plus the window. */
const visibility = (timeout: Seconds, window: Seconds): Seconds => seconds(6 * timeout + window);

/** Far above the attempts, since receives are burnt without one; SQS allows at most 1,000 (API reference). */
const lastNet = (fifo: boolean, attempts: number, batchSize: number): number =>
  Math.min(1000, fifo ? Math.max(100, 4 * attempts * batchSize) : Math.max(50, 10 * attempts));
