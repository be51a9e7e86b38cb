import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Milliseconds } from '../../lib/base/index.ts';
import type { CloudEvent, EventDefinition } from '../../lib/topology/index.ts';
import { asError, Undeliverable } from './errors.ts';
import { fifoId } from './identity.ts';

/** What names and orders an event; what is left out follows from the declaration. */
export interface EnvelopeOptions {
  readonly id?: string;
  readonly source?: string;
  readonly time?: string;
  readonly group?: string;
  readonly sequence?: string;
  readonly expiry?: string;
  readonly traceparent?: string;
}

/** An envelope with the ids that FIFO topics want. */
export interface Envelope {
  readonly event: CloudEvent;
  readonly body: string;
  readonly groupId: string;
  readonly deduplicationId: string;
}

/**
 * Makes the CloudEvents 1.0 envelope of an event. The data travel as they were given (the schema's input), so
 * that a consumer with the same schema comes to the same output; `key` and `group` see the output.
 */
export function makeEnvelope(
  type: string,
  definition: Pick<EventDefinition, 'key' | 'group'>,
  data: { readonly input: unknown; readonly output: unknown },
  options: EnvelopeOptions,
  defaults: { readonly source: string; now(): Milliseconds; newId(): string },
): Envelope {
  const key = definition.key?.(data.output);
  const id = options.id ?? (key === undefined ? defaults.newId() : `${type}:${key}`);
  const declaredGroup = options.group ?? definition.group?.(data.output);
  const group = declaredGroup === undefined ? undefined : String(declaredGroup);
  const event: CloudEvent = {
    specversion: '1.0',
    id,
    source: options.source ?? defaults.source,
    type,
    time: options.time ?? new Date(defaults.now()).toISOString(),
    datacontenttype: 'application/json',
    ...(group === undefined ? {} : { partitionkey: group }),
    ...(options.sequence === undefined ? {} : { sequence: options.sequence }),
    ...(options.expiry === undefined ? {} : { expirytime: options.expiry }),
    ...(options.traceparent === undefined ? {} : { traceparent: options.traceparent }),
    data: data.input,
  };
  return { event, body: JSON.stringify(event), groupId: fifoId(group ?? id), deduplicationId: fifoId(id) };
}

/**
 * Reads an envelope from a message's body. A body that SNS wrapped (a subscription without raw delivery) is
 * unwrapped first.
 *
 * @throws {Undeliverable} `undecodable`, saying what was found
 */
export function parseEnvelope(body: string): CloudEvent {
  let value = parseObject(body);
  if (value.Type === 'Notification' && typeof value.Message === 'string') value = parseObject(value.Message);
  if (value.specversion !== '1.0')
    throw fault('specversion', value.specversion, '"1.0": the version of CloudEvents that is understood');
  for (const name of ['id', 'source', 'type'] as const)
    if (typeof value[name] !== 'string' || value[name] === '')
      throw fault(name, value[name], 'a string that is not empty');
  for (const name of ['time', 'expirytime'] as const)
    if (value[name] !== undefined && !isMoment(value[name]))
      throw fault(name, value[name], 'a moment in RFC 3339');
  for (const name of ['partitionkey', 'sequence', 'traceparent', 'dataref'] as const)
    if (value[name] !== undefined && typeof value[name] !== 'string')
      throw fault(name, value[name], 'a string');
  return value as unknown as CloudEvent;
}

/**
 * Checks data against a schema and returns the schema's output.
 *
 * @throws {Undeliverable} `schema`, with the places of the faults
 */
export function checkData(schema: StandardSchemaV1, type: string, data: unknown): unknown {
  const judge = (result: StandardSchemaV1.Result<unknown>): unknown => {
    if (result.issues === undefined) return result.value;
    const issues = result.issues.slice(0, 5).map((issue) => `${place(issue)}: ${issue.message}`);
    const more = result.issues.length > 5 ? ` (and ${result.issues.length - 5} more)` : '';
    throw new Undeliverable(
      'schema',
      `The data of "${type}" break its schema: ${issues.join('; ')}${more}. Correct the publisher or the schema.`,
    );
  };
  const result = schema['~standard'].validate(data);
  return result instanceof Promise ? result.then(judge) : judge(result);
}

/** Whether an event's expiry lies behind; a moment without expiry never does. */
export const isExpired = (event: CloudEvent, now: Milliseconds): boolean =>
  event.expirytime !== undefined && Date.parse(event.expirytime) <= now;

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The parser's own message quotes the text: it stays in the cause, which is never logged.
    throw new Undeliverable('undecodable', 'The body is not JSON; a CloudEvents envelope is expected.', {
      cause: asError(error),
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Undeliverable(
      'undecodable',
      'The body is JSON, but no object; a CloudEvents envelope is expected.',
    );
  return value as Record<string, unknown>;
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** Whether a value is a moment in RFC 3339, as CloudEvents wants it: what a publisher may send and a consumer reads. */
export const isMoment = (value: unknown): boolean =>
  typeof value === 'string' && rfc3339.test(value) && !Number.isNaN(Date.parse(value));

const fault = (name: string, found: unknown, allowed: string) =>
  new Undeliverable(
    'undecodable',
    `The envelope's ${name} is ${found === undefined ? 'missing' : `of type ${typeof found} or not legal`}; allowed: ${allowed}.`,
  );

const place = (issue: StandardSchemaV1.Issue): string =>
  issue.path === undefined || issue.path.length === 0
    ? 'data'
    : issue.path.map((segment) => String(typeof segment === 'object' ? segment.key : segment)).join('.');
