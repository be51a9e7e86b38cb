import { type Bound, bounds, isWithin } from './bounds.ts';
import { complete } from './complete.ts';
import type { DeclarationFault, Report } from './errors.ts';
import { checkDistinct, checkName, checkPhysicalName, checkUnique, physicalNames } from './names.ts';
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
  const report: Report = (property, found, allowed, remedy) =>
    faults.push({ property, found: describe(found), allowed, remedy });

  for (const part of ['topics', 'events', 'subscribers'] as const)
    if (typeof declared?.[part] !== 'object' || declared[part] === null)
      report(part, declared?.[part], 'an object, by name', `Declare ${part}, or none: ${part}: {}.`);
  if (faults.length > 0) return faults;
  checkProperties('', declared, properties.declaration, report);
  if (typeof declared.name !== 'string' || !/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(declared.name))
    report('name', declared.name, 'a letter, then up to 63 letters, digits or hyphens', 'Rename it.');
  checkTopics(declared, report);
  for (const [name, event] of Object.entries(declared.events)) checkEvent(declared, name, event, report);
  for (const [name, subscriber] of Object.entries(declared.subscribers))
    checkSubscriber(declared, name, subscriber, report);
  checkDistinct('subscribers', declared.subscribers, report);
  for (const properties of [queueNames, ['functionName']] as const)
    checkUnique('subscribers', declared.subscribers, properties, report);
  return faults;
}

/** What may be said, so that a misspelt property is a fault and not a silent default. */
const properties = {
  declaration: ['name', 'topics', 'events', 'subscribers'],
  topic: ['fifo', 'topicName'],
  event: ['topic', 'schema', 'key', 'group'],
  subscriber: [
    ...[
      'on',
      'handler',
      'lag',
      'alarms',
      'traffic',
      'effects',
      'onDeadLetter',
      'onUnknownOutcome',
      'sequenceGuard',
      'fifo',
      'timeout',
      'handlerTime',
      'concurrency',
      'attempts',
      'backoff',
      'batchSize',
    ],
    ...['batchWindow', 'memorySize', 'lease', 'visibilityTimeout', 'retention', 'deadLetterRetention'],
    ...['deadLetterFifo', 'subscriptionDeadLetterFifo', 'maxReceiveCount', 'replayMargin', 'recordLife'],
    ...['filter', 'queueName', 'deadLetterQueueName', 'subscriptionDeadLetterQueueName', 'functionName'],
  ],
  backoff: ['base', 'cap'],
};

/** The queues of all subscribers share the names of one account and region. */
const queueNames = ['queueName', 'deadLetterQueueName', 'subscriptionDeadLetterQueueName'] as const;

/** SNS quotas: a FIFO topic takes 100 subscriptions; a topic 200 filter policies of 150 values each. */
const snsLimits = { fifoSubscriptions: 100, filterPolicies: 200, filterValues: 150 };

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
    if (topic.fifo && subscribers.length > snsLimits.fifoSubscriptions)
      report(
        path,
        `${subscribers.length} subscribers`,
        `up to ${snsLimits.fifoSubscriptions} on a FIFO topic (SNS quotas)`,
        'Spread the events over several topics.',
      );
    const filters = subscribers.filter(
      (subscriber) => complete('', subscriber, resolved(declared, name)).filter,
    );
    if (filters.length > snsLimits.filterPolicies)
      report(
        path,
        `${filters.length} subscribers with a filter`,
        `up to ${snsLimits.filterPolicies} filter policies on a topic (SNS quotas)`,
        'Spread the events over several topics, or set filter: false for some.',
      );
  }
  checkDistinct('topics', declared.topics, report);
  checkUnique('topics', declared.topics, ['topicName'], report);
}

function checkEvent(declared: Declared, name: string, event: { readonly topic: string }, report: Report) {
  const path = `events.${name}`;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name))
    report(path, name, 'up to 128 letters, digits, dots, hyphens or underscores', 'Rename it.');
  checkProperties(path, event, properties.event, report);
  if (!Object.hasOwn(declared.topics, event.topic))
    report(`${path}.topic`, event.topic, oneOf(declared.topics), 'Declare the topic, or name another.');
  const { schema, key, group } = event as { schema?: unknown; key?: unknown; group?: unknown };
  const standard = (schema as { '~standard'?: { validate?: unknown } } | undefined)?.['~standard'];
  if (typeof standard?.validate !== 'function')
    report(
      `${path}.schema`,
      schema === undefined ? undefined : typeof schema,
      'a Standard Schema',
      'Take a schema of zod, valibot, arktype or another library that follows standardschema.dev.',
    );
  for (const [property, value] of Object.entries({ key, group }))
    if (value !== undefined && typeof value !== 'function')
      report(
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
      `${path}.fifo`,
      true,
      'false, since SNS refuses a FIFO queue on a standard topic',
      `Make the topic "${topic.name}" FIFO, or the subscriber standard.`,
    );
  if (value.filter && value.on.length > snsLimits.filterValues)
    report(
      `${path}.on`,
      `${value.on.length} events`,
      `up to ${snsLimits.filterValues} with a filter (SNS quotas)`,
      'Set filter: false: the consumer acknowledges what it did not ask for.',
    );
  if (typeof value.handler !== 'string' || value.handler === '')
    report(`${path}.handler`, value.handler, 'the path of a module', 'Name the file of the handler.');
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
  const choose = (property: string, found: unknown, allowed: readonly string[]) => {
    if (allowed.includes(found as string)) return;
    report(
      `${path}.${property}`,
      found,
      allowed.map((each) => `"${each}"`).join(', '),
      'Choose one, or leave it out.',
    );
  };
  choose('alarms', alarms, ['lean', 'full']);
  choose('effects', effects, ['exactlyOnceEffect', 'transactional', 'atLeastOnce', 'atMostOnce']);
  choose('onDeadLetter', onDeadLetter, ['halt', 'skip']);
  choose('onUnknownOutcome', onUnknownOutcome, ['retry', 'park']);
  if (onDeadLetter === 'halt' && fifo === false)
    report(
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
      `${path}.onUnknownOutcome`,
      onUnknownOutcome,
      `"retry" with effects: '${effects}', whose outcome is never unknown or never matters`,
      "Leave it out, or choose effects: 'exactlyOnceEffect'.",
    );
  if (sequenceGuard === true && (effects === 'atLeastOnce' || effects === 'atMostOnce'))
    report(
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
      `${path}.deadLetterFifo`,
      deadLetterFifo,
      `${fifo}, since SQS refuses a dead-letter queue of another kind than its queue`,
      'Leave it out, or change fifo.',
    );
  if (typeof topic?.fifo === 'boolean' && subscriptionDeadLetterFifo === !topic.fifo)
    report(
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
    const { property, found, least, most, why, remedy, whole } = bound;
    report(
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
  if (events.length === 0) report(`${path}.on`, on, 'at least one event', `Name ${oneOf(declared.events)}.`);
  for (const event of new Set(events))
    if (!Object.hasOwn(declared.events, event))
      report(`${path}.on`, event, oneOf(declared.events), 'Declare the event, or name another.');
  const repeated = events.find((event, index) => events.indexOf(event) !== index);
  if (repeated !== undefined) report(`${path}.on`, repeated, 'each event once', 'Name it once.');
  const topics = topicsOf(declared, on);
  if (topics.length > 1)
    report(`${path}.on`, topics, 'events of one topic', 'Split it into one subscriber for each topic.');
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

function checkProperties(path: string, value: object, allowed: readonly string[], report: Report) {
  for (const property of Object.keys(value))
    if (!allowed.includes(property))
      report(
        path === '' ? property : `${path}.${property}`,
        'a property that means nothing here',
        allowed.join(', '),
        'Correct its name, or leave it out.',
      );
}

function checkBoolean(property: string, value: unknown, report: Report) {
  if (value !== undefined && typeof value !== 'boolean')
    report(property, value, 'true or false', 'Choose one, or leave it out.');
}

const oneOf = (record: Readonly<Record<string, unknown>>): string => {
  const names = Object.keys(record).map((name) => `"${name}"`);
  return names.length === 0 ? 'one that is declared (there is none)' : `one of ${names.join(', ')}`;
};

const describe = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map(describe).join(', ')}]`
    : typeof value === 'string'
      ? `"${value}"`
      : String(value);
