import { complete } from './define.ts';
import type { DeclarationFault } from './errors.ts';
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
  const report = (property: string, found: unknown, allowed: string, remedy: string) =>
    faults.push({ property, found: describe(found), allowed, remedy });

  if (!/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(declared.name))
    report('name', declared.name, 'a letter, then up to 63 letters, digits or hyphens', 'Rename it.');

  for (const [name, topic] of Object.entries(declared.topics)) {
    checkName(`topics.${name}`, name, report);
    if (topic.topicName !== undefined)
      checkPhysicalName(`topics.${name}.topicName`, topic.topicName, topic.fifo ?? false, 256, report);
  }
  for (const [name, event] of Object.entries(declared.events)) {
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name))
      report(`events.${name}`, name, 'up to 128 letters, digits, dots, hyphens or underscores', 'Rename it.');
    if (declared.topics[event.topic] === undefined)
      report(
        `events.${name}.topic`,
        event.topic,
        oneOf(declared.topics),
        'Declare the topic, or name another.',
      );
  }
  for (const [name, subscriber] of Object.entries(declared.subscribers))
    checkSubscriber(declared, name, subscriber, report);
  return faults;
}

type Report = (property: string, found: unknown, allowed: string, remedy: string) => void;

function checkSubscriber(
  declared: Declared,
  name: string,
  subscriber: SubscriberDeclaration,
  report: Report,
) {
  const path = `subscribers.${name}`;
  checkName(path, name, report);
  if (subscriber.on.length === 0)
    report(`${path}.on`, [], 'at least one event', `Name one of ${oneOf(declared.events)}.`);
  const topicNames = new Set<string>();
  for (const event of subscriber.on) {
    const definition = declared.events[event];
    if (definition) topicNames.add(definition.topic);
    else report(`${path}.on`, event, oneOf(declared.events), 'Declare the event, or name another.');
  }
  if (topicNames.size > 1)
    report(
      `${path}.on`,
      [...topicNames],
      'events of one topic',
      'Split it into one subscriber for each topic.',
    );
  const topicName = [...topicNames][0];
  const topicDeclaration = topicName === undefined ? undefined : declared.topics[topicName];
  if (topicName === undefined || topicDeclaration === undefined) return;

  const topic: Topic = {
    name: topicName,
    fifo: topicDeclaration.fifo ?? false,
    topicName: topicDeclaration.topicName,
    events: Object.keys(declared.events).filter((event) => declared.events[event]?.topic === topicName),
    subscribers: [],
  };
  const value = complete(name, subscriber, topic);
  if (value.fifo && !topic.fifo)
    report(
      `${path}.fifo`,
      true,
      'false, since SNS refuses a FIFO queue on a standard topic',
      `Make the topic "${topicName}" FIFO, or the subscriber standard.`,
    );
  if (typeof value.handler !== 'string' || value.handler === '')
    report(`${path}.handler`, value.handler, 'the path of a module', 'Name the file of the handler.');
  if (value.queueName !== undefined)
    checkPhysicalName(`${path}.queueName`, value.queueName, value.fifo, 80, report);
  for (const rule of ranges(value)) {
    const { property, found, least, most, why, remedy, whole } = rule;
    const number = found as number;
    if (!(number >= least && number <= most) || (whole && !Number.isInteger(number)))
      report(
        `${path}.${property}`,
        number,
        `${whole ? 'a whole number from ' : ''}${least} to ${most} (${why})`,
        remedy ?? 'Choose a value in that range.',
      );
  }
}

interface Range {
  readonly property: string;
  readonly found: number;
  readonly least: number;
  readonly most: number;
  /** What the bound rests on: a page of AWS, or a law of this runtime. */
  readonly why: string;
  readonly remedy?: string;
  readonly whole?: boolean;
}

const twelveHours = 43_200;
const fourteenDays = 1_209_600;

/** The bounds of a subscriber's values. Figures are those of the services' quota pages, November 2026. */
function ranges(value: Subscriber): Range[] {
  const floor = value.attempts + 1;
  return [
    {
      property: 'lag',
      found: value.lag,
      least: 1,
      most: value.retention,
      why: 'seconds, below the retention',
    },
    {
      property: 'timeout',
      found: value.timeout,
      least: 1,
      most: 900,
      why: 'seconds, Lambda quotas',
      whole: true,
    },
    {
      property: 'concurrency',
      found: value.concurrency,
      least: 2,
      most: 1000,
      why: 'Lambda MaximumConcurrency',
      whole: true,
    },
    { property: 'attempts', found: value.attempts, least: 1, most: 100, why: 'record', whole: true },
    {
      property: 'batchSize',
      found: value.batchSize,
      least: 1,
      most: value.fifo ? 10 : 10_000,
      why: value.fifo ? 'Lambda, FIFO queue' : 'Lambda, standard queue',
      whole: true,
    },
    {
      property: 'batchWindow',
      found: value.batchWindow,
      least: !value.fifo && value.batchSize > 10 ? 1 : 0,
      most: value.fifo ? 0 : 300,
      why: value.fifo
        ? 'Lambda has no window on FIFO'
        : 'seconds; at least 1 when the batch is larger than 10',
      whole: true,
    },
    {
      property: 'memorySize',
      found: value.memorySize,
      least: 128,
      most: 10_240,
      why: 'MiB, Lambda quotas',
      whole: true,
    },
    {
      property: 'visibilityTimeout',
      found: value.visibilityTimeout,
      least: value.timeout,
      most: twelveHours,
      why: 'seconds; Lambda refuses less than the timeout, SQS more than 12 hours',
      whole: true,
    },
    {
      property: 'lease',
      found: value.lease,
      least: 3,
      most: Math.min(twelveHours, value.visibilityTimeout),
      why: 'seconds; three heartbeats must fit, and the lease ends before the visibility',
      whole: true,
    },
    {
      property: 'retention',
      found: value.retention,
      least: 60,
      most: fourteenDays,
      why: 'seconds, SQS quotas',
      whole: true,
    },
    {
      property: 'deadLetterRetention',
      found: value.deadLetterRetention,
      least: value.fifo ? 60 : Math.min(value.retention + 1, fourteenDays),
      most: fourteenDays,
      why: 'seconds; on a standard queue the age goes on counting in the dead-letter queue',
      remedy: 'Keep dead letters longer than the queue keeps messages.',
      whole: true,
    },
    {
      property: 'maxReceiveCount',
      found: value.maxReceiveCount,
      least: Math.max(floor, 5),
      most: 1000,
      why: 'SQS; above the attempts, and at least 5 with Lambda',
      remedy: 'Leave it out: it is the last net, not the number of attempts.',
      whole: true,
    },
    {
      property: 'backoff.base',
      found: value.backoff.base,
      least: 0,
      most: value.backoff.cap,
      why: 'seconds, up to the cap',
    },
    {
      property: 'backoff.cap',
      found: value.backoff.cap,
      least: 1,
      most: twelveHours,
      why: 'seconds, SQS visibility',
    },
    { property: 'replayMargin', found: value.replayMargin, least: 0, most: 31_536_000, why: 'seconds' },
    {
      property: 'recordLife',
      found: value.recordLife,
      least: value.retention + value.deadLetterRetention,
      most: 157_680_000,
      why: 'seconds; a message can come back after both retentions',
      remedy: 'Leave it out, or choose retention + deadLetterRetention or more.',
    },
  ];
}

function checkName(property: string, name: string, report: Report) {
  if (!/^[A-Za-z][A-Za-z0-9-]{0,39}$/.test(name))
    report(property, name, 'a letter, then up to 39 letters, digits or hyphens', 'Rename it.');
}

function checkPhysicalName(property: string, name: string, fifo: boolean, most: number, report: Report) {
  const bare = name.endsWith('.fifo') ? name.slice(0, -'.fifo'.length) : name;
  if (fifo !== name.endsWith('.fifo'))
    report(property, name, fifo ? 'a name that ends with .fifo' : 'a name without .fifo', 'Rename it.');
  if (!/^[A-Za-z0-9_-]+$/.test(bare) || name.length > most)
    report(property, name, `up to ${most} letters, digits, hyphens or underscores`, 'Rename it.');
}

const oneOf = (record: Readonly<Record<string, unknown>>): string => {
  const names = Object.keys(record);
  return names.length === 0 ? 'none is declared' : names.map((name) => `"${name}"`).join(', ');
};

const describe = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map(describe).join(', ')}]`
    : typeof value === 'string'
      ? `"${value}"`
      : String(value);
