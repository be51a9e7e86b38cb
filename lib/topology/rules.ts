import {
  fifoSubscriptionsMost,
  filterCombinationsMost,
  filterPoliciesMost,
  type RuleId,
} from '../rules/index.ts';
import { type Bound, bounds, isWithin } from './bounds.ts';
import { complete } from './complete.ts';
import type { DeclarationFault, Report } from './errors.ts';
import { checkDistinct, checkName, checkPhysicalName, checkUnique, physicalNames } from './names.ts';
import { checkProperties, checkShape, properties } from './shape.ts';
import type { Subscriber, SubscriberDeclaration, Topic, TopicDeclaration } from './types.ts';

interface Declared {
  readonly name: string;
  readonly topics: Readonly<Record<string, TopicDeclaration>>;
  readonly events: Readonly<Record<string, { readonly topic: string }>>;
  readonly subscribers: Readonly<Record<string, SubscriberDeclaration>>;
}

/** Every fault of a declaration, in the order in which it is read. */
export function findFaults(declared: Declared): DeclarationFault[] {
  const faults: DeclarationFault[] = [];
  const report: Report = (rule, property, found, allowed, remedy) =>
    faults.push({ rule, property, found: describe(found), allowed, remedy });

  if (!checkShape(declared, report)) return faults;
  if (typeof declared.name !== 'string' || !/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(declared.name))
    report(
      'declared-name',
      'name',
      declared.name,
      'a letter, then up to 63 letters, digits or hyphens',
      declared.name === undefined ? "Name it: name: 'shop'." : 'Rename it.',
    );
  checkTopics(declared, report);
  for (const [name, event] of Object.entries(declared.events)) checkEvent(declared, name, event, report);
  for (const [name, subscriber] of Object.entries(declared.subscribers))
    checkSubscriber(declared, name, subscriber, report);
  checkDistinct('subscribers', declared.subscribers, report);
  for (const properties of [queueNames, ['functionName']] as const)
    checkUnique('subscribers', declared.subscribers, properties, report);
  return faults;
}

/** The queues of all subscribers share the names of one account and region. */
const queueNames = ['queueName', 'deadLetterQueueName', 'subscriptionDeadLetterQueueName'] as const;

function checkTopics(declared: Declared, report: Report) {
  for (const [name, topic] of Object.entries(declared.topics)) {
    const path = `topics.${name}`;
    checkName(path, name, report);
    checkProperties(path, topic, properties.topic, report);
    checkBoolean(`${path}.fifo`, topic.fifo, report);
    checkPhysicalName(`${path}.topicName`, topic.topicName, physicalNames.topic(topic.fifo ?? false), report);
    const subscribers = Object.values(declared.subscribers).filter(
      ({ on }) => topicsOf(declared, on)[0] === name,
    );
    if (topic.fifo && subscribers.length > fifoSubscriptionsMost.value)
      report(
        'fifo-subscriptions',
        path,
        `${subscribers.length} subscribers`,
        `up to ${fifoSubscriptionsMost.value} on a FIFO topic (SNS quotas)`,
        'Spread the events over several topics.',
      );
    const filters = subscribers.filter(
      (subscriber) => complete('', subscriber, resolved(declared, name)).filter,
    );
    if (filters.length > filterPoliciesMost.value)
      report(
        'filter-policies',
        path,
        `${filters.length} subscribers with a filter`,
        `up to ${filterPoliciesMost.value} filter policies on a topic (SNS quotas)`,
        'Spread the events over several topics, or set filter: false for some.',
      );
  }
  checkDistinct('topics', declared.topics, report);
  checkUnique('topics', declared.topics, ['topicName'], report);
}

function checkEvent(declared: Declared, name: string, event: { readonly topic: string }, report: Report) {
  const path = `events.${name}`;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name))
    report(
      'declared-name',
      path,
      name,
      'up to 128 letters, digits, dots, hyphens or underscores',
      'Rename it.',
    );
  checkProperties(path, event, properties.event, report);
  if (!Object.hasOwn(declared.topics, event.topic))
    report(
      'event-topic',
      `${path}.topic`,
      event.topic,
      oneOf(declared.topics),
      'Declare the topic, or name another.',
    );
  const { schema, key, group } = event as { schema?: unknown; key?: unknown; group?: unknown };
  const standard = (schema as { '~standard'?: { validate?: unknown } } | undefined)?.['~standard'];
  if (typeof standard?.validate !== 'function')
    report(
      'declaration-shape',
      `${path}.schema`,
      schema === undefined ? undefined : typeof schema,
      'a Standard Schema',
      'Take a schema of zod, valibot, arktype or another library that follows standardschema.dev.',
    );
  for (const [property, value] of Object.entries({ key, group }))
    if (value !== undefined && typeof value !== 'function')
      report(
        'declaration-shape',
        `${path}.${property}`,
        value,
        'a function of the data',
        `Write ${property}: (data) => data.something.`,
      );
}

function checkSubscriber(
  declared: Declared,
  name: string,
  subscriber: SubscriberDeclaration,
  report: Report,
) {
  const path = `subscribers.${name}`;
  checkName(path, name, report);
  checkProperties(path, subscriber, properties.subscriber, report);
  if (subscriber.backoff !== undefined)
    checkProperties(`${path}.backoff`, subscriber.backoff, properties.backoff, report);
  checkBoolean(`${path}.fifo`, subscriber.fifo, report);
  checkBoolean(`${path}.filter`, subscriber.filter, report);
  checkBoolean(`${path}.sequenceGuard`, subscriber.sequenceGuard, report);
  checkBoolean(`${path}.deadLetterFifo`, subscriber.deadLetterFifo, report);
  checkBoolean(`${path}.subscriptionDeadLetterFifo`, subscriber.subscriptionDeadLetterFifo, report);
  const topicName = checkEvents(declared, path, subscriber, report);
  // Without a topic of its own the subscriber is judged as if it had one that suits it: all faults at once.
  const topic =
    topicName === undefined
      ? { name: '', fifo: subscriber.fifo ?? false, topicName: undefined, events: [], subscribers: [] }
      : resolved(declared, topicName);
  const value = complete(name, { ...subscriber, on: listed(subscriber.on) }, topic);
  if (value.fifo && !topic.fifo)
    report(
      'fifo-queue-on-standard-topic',
      `${path}.fifo`,
      true,
      'false, since SNS refuses a FIFO queue on a standard topic',
      `Make the topic "${topic.name}" FIFO, or the subscriber standard.`,
    );
  if (value.filter && value.on.length > filterCombinationsMost.value)
    report(
      'filter-size',
      `${path}.on`,
      `${value.on.length} events`,
      `up to ${filterCombinationsMost.value} with a filter (SNS quotas)`,
      'Set filter: false: the consumer acknowledges what it did not ask for.',
    );
  if (typeof value.handler !== 'string' || value.handler === '')
    report(
      'declaration-shape',
      `${path}.handler`,
      value.handler,
      'the path of a module',
      'Name the file of the handler.',
    );
  checkPostures(path, value, report);
  checkDeadLetterKinds(path, value, topicName === undefined ? undefined : topic, report);
  const { queue, function: consumer } = physicalNames;
  checkPhysicalName(`${path}.queueName`, value.queueName, queue(value.fifo), report);
  checkPhysicalName(
    `${path}.deadLetterQueueName`,
    value.deadLetterQueueName,
    queue(value.deadLetterFifo),
    report,
  );
  checkPhysicalName(
    `${path}.subscriptionDeadLetterQueueName`,
    value.subscriptionDeadLetterQueueName,
    queue(value.subscriptionDeadLetterFifo),
    report,
  );
  checkPhysicalName(`${path}.functionName`, value.functionName, consumer, report);
  checkBounds(path, (said) => complete(name, { ...said, on: value.on }, topic), subscriber, report);
}

/** The choices between postures, and which of them go together. */
function checkPostures(path: string, value: Subscriber, report: Report) {
  const { alarms, effects, onDeadLetter, onUnknownOutcome, sequenceGuard, fifo } = value;
  const choose = (property: string, found: unknown, allowed: readonly string[], rule: RuleId = 'posture') => {
    if (allowed.includes(found as string)) return;
    report(
      rule,
      `${path}.${property}`,
      found,
      allowed.map((each) => `"${each}"`).join(', '),
      'Choose one, or leave it out.',
    );
  };
  choose('alarms', alarms, ['lean', 'full'], 'declaration-shape');
  choose('effects', effects, ['exactlyOnceEffect', 'transactional', 'atLeastOnce', 'atMostOnce']);
  choose('onDeadLetter', onDeadLetter, ['halt', 'skip']);
  choose('onUnknownOutcome', onUnknownOutcome, ['retry', 'park']);
  if (onDeadLetter === 'halt' && fifo === false)
    report(
      'posture',
      `${path}.onDeadLetter`,
      onDeadLetter,
      '"skip", since a standard queue has no groups that could wait',
      'Make the subscriber FIFO, or leave it out.',
    );
  if (
    onUnknownOutcome === 'park' &&
    (effects === 'transactional' || effects === 'atLeastOnce' || effects === 'atMostOnce')
  )
    report(
      'posture',
      `${path}.onUnknownOutcome`,
      onUnknownOutcome,
      `"retry" with effects: '${effects}', whose outcome is never unknown or never matters`,
      "Leave it out, or choose effects: 'exactlyOnceEffect'.",
    );
  if (sequenceGuard === true && (effects === 'atLeastOnce' || effects === 'atMostOnce'))
    report(
      'posture',
      `${path}.sequenceGuard`,
      sequenceGuard,
      `false with effects: '${effects}', which completes no record that the guard could commit with`,
      "Leave it out, or choose effects: 'exactlyOnceEffect' or 'transactional'.",
    );
}

/** A dead-letter queue is of the kind of what it serves; what is no switch at all was reported before. */
function checkDeadLetterKinds(path: string, value: Subscriber, topic: Topic | undefined, report: Report) {
  const { fifo, deadLetterFifo, subscriptionDeadLetterFifo } = value;
  if (typeof fifo === 'boolean' && deadLetterFifo === !fifo)
    report(
      'dead-letter-kind',
      `${path}.deadLetterFifo`,
      deadLetterFifo,
      `${fifo}, since SQS refuses a dead-letter queue of another kind than its queue`,
      'Leave it out, or change fifo.',
    );
  if (typeof topic?.fifo === 'boolean' && subscriptionDeadLetterFifo === !topic.fifo)
    report(
      'subscription-dead-letter-kind',
      `${path}.subscriptionDeadLetterFifo`,
      subscriptionDeadLetterFifo,
      `${topic.fifo}, since SNS dead-letters to a queue of the topic's kind only`,
      `Leave it out, or change fifo of the topic "${topic.name}".`,
    );
}

/** Reports each value out of its limits, and goes on with the nearest that is in them: what rests on it is not at fault. */
function checkBounds(
  path: string,
  completed: (said: SubscriberDeclaration) => Subscriber,
  subscriber: SubscriberDeclaration,
  report: Report,
) {
  const reported = new Set<string>();
  let said = subscriber;
  for (;;) {
    const bound = bounds(completed(said)).find((each) => !reported.has(each.property) && !isWithin(each));
    if (bound === undefined) return;
    const { rule, property, found, least, most, why, remedy, whole } = bound;
    report(
      rule,
      `${path}.${property}`,
      found,
      `${whole ? 'a whole number from ' : ''}${least} to ${most} (${why})`,
      remedy ?? 'Choose a value in that range.',
    );
    reported.add(property);
    said = repaired(said, bound);
  }
}

/** The declaration with the nearest value that is allowed. */
function repaired(
  said: SubscriberDeclaration,
  { property, found, least, most }: Bound,
): SubscriberDeclaration {
  const value = Number.isFinite(found) ? Math.max(least, Math.min(most, Math.round(Number(found)))) : least;
  if (property === 'backoff') return { ...said, backoff: {} };
  const [first, second] = property.split('.') as [string, string?];
  return {
    ...said,
    [first]: second === undefined ? value : { ...said.backoff, [second]: value },
  };
}

/** Checks what a subscriber hears; the name of its topic, when there is exactly one. */
function checkEvents(
  declared: Declared,
  path: string,
  { on }: SubscriberDeclaration,
  report: Report,
): string | undefined {
  const events = listed(on);
  if (typeof on === 'string')
    report('subscriber-events', `${path}.on`, on, 'a list of events', `Write on: ['${on}'].`);
  else if (events.length === 0)
    report('subscriber-events', `${path}.on`, on, 'at least one event', `Name ${oneOf(declared.events)}.`);
  for (const event of new Set(events))
    if (!Object.hasOwn(declared.events, event))
      report(
        'subscriber-events',
        `${path}.on`,
        event,
        oneOf(declared.events),
        'Declare the event, or name another.',
      );
  const repeated = events.find((event, index) => events.indexOf(event) !== index);
  if (repeated !== undefined)
    report('subscriber-events', `${path}.on`, repeated, 'each event once', 'Name it once.');
  const topics = topicsOf(declared, on);
  if (topics.length > 1)
    report(
      'subscriber-events',
      `${path}.on`,
      topics,
      'events of one topic',
      'Split it into one subscriber for each topic.',
    );
  const [topic] = topics;
  return topics.length === 1 && topic !== undefined && Object.hasOwn(declared.topics, topic)
    ? topic
    : undefined;
}

function resolved({ topics, events }: Declared, name: string): Topic {
  return {
    name,
    fifo: topics[name]?.fifo ?? false,
    topicName: topics[name]?.topicName,
    events: Object.keys(events).filter((event) => events[event]?.topic === name),
    subscribers: [],
  };
}

const listed = (on: unknown): readonly string[] => (Array.isArray(on) ? on : []);

const topicsOf = ({ events }: Declared, on: unknown): string[] => [
  ...new Set(listed(on).flatMap((event) => (Object.hasOwn(events, event) ? [events[event]!.topic] : []))),
];

function checkBoolean(property: string, value: unknown, report: Report) {
  if (value !== undefined && typeof value !== 'boolean')
    report('declaration-shape', property, value, 'true or false', 'Choose one, or leave it out.');
}

const oneOf = (record: Readonly<Record<string, unknown>>): string => {
  const names = Object.keys(record).map((name) => `"${name}"`);
  return names.length === 0 ? 'one that is declared (there is none)' : `one of ${names.join(', ')}`;
};

function describe(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(describe).join(', ')}]`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'string' ? `"${value}"` : String(value);
}
