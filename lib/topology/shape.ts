import { correction } from '../base/index.ts';
import type { Report } from './errors.ts';

/** What may be said, so that a misspelt property is a fault and not a silent default. */
export const properties = {
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

/** Reports each property that means nothing. */
export function checkProperties(path: string, value: object, allowed: readonly string[], report: Report) {
  for (const property of Object.keys(value))
    if (!allowed.includes(property))
      report(
        'declaration-shape',
        path === '' ? property : `${path}.${property}`,
        'a property that means nothing here',
        allowed.join(', '),
        correction(property, allowed),
      );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Whether a declaration can be read: it has its parts, and each is made of objects by their names. A string would be read
 * as one property for each letter, and what is undefined not at all.
 */
export function checkShape(declared: unknown, report: Report): boolean {
  const given = isObject(declared) ? declared : {};
  checkProperties('', given, properties.declaration, report);
  let readable = true;
  const broken = (...fault: [property: string, found: unknown, allowed: string, remedy: string]) => {
    readable = false;
    report('declaration-shape', ...fault);
  };
  for (const part of ['topics', 'events', 'subscribers'] as const) {
    const entries = given[part];
    if (!isObject(entries))
      broken(part, entries, 'an object, by name', `Declare ${part}, or none: ${part}: {}.`);
    else
      for (const [name, entry] of Object.entries(entries)) {
        const path = `${part}.${name}`;
        if (!isObject(entry)) broken(path, entry, 'an object', howTo[part](name));
        else if (part === 'subscribers' && entry.backoff !== undefined && !isObject(entry.backoff))
          broken(`${path}.backoff`, entry.backoff, 'an object', 'Write backoff: { base: seconds(1) }.');
      }
  }
  return readable;
}

const howTo = {
  topics: (name: string) => `Write ${name}: {}, or ${name}: { fifo: true }.`,
  events: (name: string) => `Write '${name}': event({ topic, schema }).`,
  subscribers: (name: string) => `Write ${name}: { on, handler, lag }.`,
};
