import { entrance } from '../base/index.ts';
import { complete } from './complete.ts';
import { DeclarationError } from './errors.ts';
import { findFaults } from './rules.ts';
import { tell } from './tell.ts';
import type {
  Effects,
  EventDefinitions,
  Messaging,
  Subscriber,
  SubscriberDeclaration,
  Topic,
  TopicDeclaration,
} from './types.ts';

/**
 * Defined by the bundler of a deployed function, and nowhere else: its declaration was checked when the stack was
 * synthesized. The rules, a quarter of a small function, are then no part of its bundle.
 */
declare const SLUICE_DECLARATION_CHECKED: true;

/**
 * What {@link defineMessaging} takes.
 *
 * @example
 * ```ts
 * const declaration = {
 *   name: 'shop',
 *   topics: { orders: { fifo: true } },
 *   events: { 'order.placed': event({ topic: 'orders', schema: OrderPlaced }) },
 *   subscribers: { mail: { on: ['order.placed'], handler: 'mail.ts', lag: minutes(5) } },
 * } satisfies MessagingDeclaration;
 * ```
 */
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

/** What types remember of a declared subscriber. */
export interface SubscriptionOf<Declared extends SubscriberDeclaration> {
  readonly on: Declared['on'];
  readonly effects: Declared extends { readonly effects: infer Said extends Effects }
    ? Said
    : 'exactlyOnceEffect';
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
): Messaging<Events, { readonly [Name in keyof Subscribers]: SubscriptionOf<Subscribers[Name]> }> {
  if (typeof SLUICE_DECLARATION_CHECKED === 'undefined') {
    const faults = findFaults(declaration);
    if (faults.length > 0) {
      entrance(defineMessaging);
      throw new DeclarationError(tell(declaration?.name, faults), faults);
    }
  }

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
