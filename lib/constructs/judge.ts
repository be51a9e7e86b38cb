import { type Duration, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import {
  DeclarationError,
  type DeclarationFault,
  defineMessaging,
  event,
  type Subscriber,
  type SubscriberDeclaration,
  seconds,
  type TopicDeclaration,
} from '../topology/index.ts';
import { ConstructError } from './construct-error.ts';

/*
 * A construct that is used alone is judged by the rules of a declaration, and has its defaults: of one that holds
 * nothing but a topic and a subscriber with these values.
 */

/** A fault of a construct's props. */
export type PropFault = Pick<DeclarationFault, 'property' | 'found' | 'allowed' | 'remedy'>;

type Values<Declared> = { readonly [Name in keyof Declared]?: Declared[Name] | undefined };

const anything = {
  '~standard': { version: 1, vendor: 'sluice', validate: (value: unknown) => ({ value }) },
} as const;

const declare = (topic: Values<TopicDeclaration>, subscriber: Values<SubscriberDeclaration>) =>
  defineMessaging({
    name: 'alone',
    topics: { topic: said(topic) },
    events: { event: event({ topic: 'topic', schema: anything }) },
    subscribers: {
      subscriber: { handler: 'handler.ts', lag: seconds(1), ...said(subscriber), on: ['event'] },
    },
  }).subscribers.subscriber;

/** The values of a subscriber about whom nothing is said but the kind of its queue. */
export const standardSubscriber = (fifo: boolean): Subscriber => declare({ fifo }, { fifo });

/**
 * The faults of values that a declaration knows under other words.
 *
 * @param words - for each property of the declaration that is judged the prop of the construct, and what to do about it
 *   where the declaration would speak of something else
 */
export function judge(
  topic: Values<TopicDeclaration>,
  subscriber: Values<SubscriberDeclaration>,
  words: Readonly<Record<string, string | readonly [prop: string, remedy: string]>>,
): PropFault[] {
  try {
    // The handler is somebody else's: its time and attempts limit nothing here.
    declare(topic, { timeout: seconds(1), attempts: 1, batchSize: 1, ...subscriber });
    return [];
  } catch (error) {
    if (!(error instanceof DeclarationError)) throw error;
    return error.faults.flatMap(({ property, found, allowed, remedy }) => {
      const word = words[property.slice(property.lastIndexOf('.') + 1)];
      if (word === undefined) return [];
      const [prop, instead] = typeof word === 'string' ? [word] : word;
      return [{ property: prop, found, allowed, remedy: instead ?? remedy }];
    });
  }
}

/** @throws Error listing every fault, when there is one */
export function demandNone(construct: Construct, faults: readonly PropFault[]): void {
  if (faults.length === 0) return;
  const lines = faults.map(
    ({ property, found, allowed, remedy }) =>
      `  - ${property}: found ${found}; allowed: ${allowed}. ${remedy}`,
  );
  const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`;
  throw new ConstructError(`${construct.node.path} has ${count}:\n${lines.join('\n')}`);
}

/** A value, unless only the deployment knows it: then nothing is judged. */
export const known = <Value>(value: Value | undefined): Value | undefined =>
  Token.isUnresolved(value) ? undefined : value;

/** A length of time in seconds, with its fractions; nothing when only the deployment knows it. */
export const knownSeconds = (length: Duration | undefined) =>
  length === undefined || length.isUnresolved() ? undefined : seconds(length.toSeconds({ integral: false }));

type Said<Values> = { [Name in keyof Values]: Exclude<Values[Name], undefined> };

/** Without what is undefined: a declaration has no such properties. */
const said = <Given extends object>(values: Given): Said<Given> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Said<Given>;
