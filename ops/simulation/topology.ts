import { type Seconds, seconds } from '../../lib/base/index.ts';
import {
  defineMessaging,
  type EventDefinition,
  type Messaging,
  type SubscriberDeclaration,
  type TopicDeclaration,
} from '../../lib/topology/index.ts';
import type { Dice } from './dice.ts';
import type { Entry, Way } from './plan.ts';

/** Choices of a declaration that are drawn; one that is switched off is left as the default has it. */
export const drawnPostures = {
  transactional: true,
  atLeastOnce: true,
  atMostOnce: true,
  halt: true,
  park: true,
  sequenceGuard: true,
};

/** So many attempts that nothing that goes wrong uses them up: whoever could be done has to be done. */
export const plenty = 12;

/** The schema of drawn events. No schema library: the simulation is nobody's dependency. */
const entrySchema: EventDefinition['schema'] = {
  '~standard': {
    version: 1,
    vendor: 'sluice',
    validate: (value) =>
      typeof (value as Entry | null)?.nature === 'string' && typeof (value as Entry).length === 'number'
        ? { value }
        : { issues: [{ message: 'nature must be a text, length a number' }] },
  },
};

/** A drawn declaration, and how each subscriber makes its effects. */
export interface Topology {
  readonly messaging: Messaging;
  readonly ways: Readonly<Record<string, Way>>;
}

/** The name of the one event that a drawn topic carries. */
export const eventOf = (topic: string): string => `${topic}.happened`;

/** One or two topics with one to four subscribers, of every kind that a declaration allows. */
export function drawTopology(dice: Dice): Topology {
  const { chance, pick } = dice;
  const topics: Record<string, TopicDeclaration> = {};
  const events: Record<string, EventDefinition> = {};
  const subscribers: Record<string, SubscriberDeclaration> = {};
  const ways: Record<string, Way> = {};
  const count = pick([1, 1, 2]);
  for (const topic of ['orders', 'news'].slice(0, count)) {
    const fifo = chance(0.65);
    topics[topic] = { fifo };
    events[eventOf(topic)] = { topic, schema: entrySchema };
    const listeners = count === 1 ? pick([1, 2, 2, 3]) : pick([1, 1, 2]);
    for (let number = 1; number <= listeners; number++) {
      const name = `${topic}${number}`;
      const { declaration, way } = drawSubscriber(dice, fifo && chance(0.75));
      subscribers[name] = { ...declaration, on: [eventOf(topic)] };
      ways[name] = way;
    }
  }
  return { messaging: defineMessaging({ name: 'sim', topics, events, subscribers }) as Messaging, ways };
}

function drawSubscriber(dice: Dice, fifo: boolean) {
  const { between, chance, pick } = dice;
  const timeout = between(32, 60);
  const large = pick([1, 5, 10, 10, 40]);
  const window = fifo ? 0 : large > 10 ? 2 : pick([0, 0, 3]);
  const effects = pick(postures());
  const effect: Way['effect'] =
    effects === 'transactional' || (effects === 'exactlyOnceEffect' && chance(0.6))
      ? 'transaction'
      : chance(0.75)
        ? 'keyed'
        : 'unkeyed';
  const parks =
    drawnPostures.park && effects === 'exactlyOnceEffect' && chance(effect === 'unkeyed' ? 0.6 : 0.1);
  const guards =
    drawnPostures.sequenceGuard &&
    (effects === 'exactlyOnceEffect' || effects === 'transactional') &&
    chance(0.2);
  const declaration = {
    handler: 'handler.ts',
    lag: seconds(3_600),
    fifo,
    timeout: seconds(timeout),
    attempts: effects === 'atMostOnce' ? 1 : pick([5, 5, plenty]),
    backoff: { base: seconds(1), cap: seconds(between(2, 20)) },
    lease: seconds(between(6, 15)),
    concurrency: between(2, 4),
    visibilityTimeout: seconds(timeout + window + between(5, 30)),
    batchSize: fifo ? between(1, 10) : large,
    batchWindow: seconds(window) as Seconds,
    effects,
    ...(drawnPostures.halt && fifo && chance(0.3) ? { onDeadLetter: 'halt' as const } : {}),
    ...(parks ? { onUnknownOutcome: 'park' as const } : {}),
    ...(guards ? { sequenceGuard: true } : {}),
  };
  return { declaration, way: { effect } };
}

function postures() {
  const { transactional, atLeastOnce, atMostOnce } = drawnPostures;
  return [
    ...Array<'exactlyOnceEffect'>(6).fill('exactlyOnceEffect'),
    ...(transactional ? (['transactional', 'transactional'] as const) : []),
    ...(atLeastOnce ? (['atLeastOnce'] as const) : []),
    ...(atMostOnce ? (['atMostOnce'] as const) : []),
  ];
}
