import type { Messaging, Subscriber, Topic } from '../topology/index.ts';

/** What one stack holds of a declaration. */
export interface Held {
  /** The topics that the stack makes. */
  readonly made: readonly Topic[];
  /** The topics that exist already, in another stack or account. */
  readonly existing: readonly Topic[];
  readonly subscribers: readonly Subscriber[];
}

/** Which topics and subscribers are said of a stack; all where nothing is. */
export interface Share {
  readonly topics?: Readonly<Record<string, unknown>> | undefined;
  readonly only?: readonly string[] | undefined;
}

/**
 * What a stack holds. All subscribers, or `only` some. Of the topics those that nobody hands in; a stack that is handed
 * some, and holds only some subscribers, lives beside the stack that owns the topics: it makes none that its subscribers
 * do not hear.
 */
export function heldBy(messaging: Messaging, { topics = {}, only }: Share): Held {
  const subscribers = Object.values<Subscriber>(messaging.subscribers).filter(
    ({ name }) => only === undefined || only.includes(name),
  );
  const declared = Object.values(messaging.topics);
  const heard = new Set(subscribers.map(({ topic }) => topic));
  const beside = only !== undefined && Object.keys(topics).length > 0;
  return {
    made: declared.filter(({ name }) => !Object.hasOwn(topics, name) && (!beside || heard.has(name))),
    existing: declared.filter(({ name }) => Object.hasOwn(topics, name)),
    subscribers,
  };
}

/** The declaration as a stack sees it: with its own topics and subscribers alone. For what is drawn from all of them. */
export const viewOf = (messaging: Messaging, topics: readonly Topic[], { subscribers }: Held): Messaging => ({
  ...messaging,
  topics: Object.fromEntries(topics.map((topic) => [topic.name, topic])),
  subscribers: Object.fromEntries(subscribers.map((subscriber) => [subscriber.name, subscriber])),
});
