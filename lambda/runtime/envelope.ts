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
 * unwrapped first. What CloudEvents lets producers leave out, and handlers are promised, is filled in.
 *
 * @param sentAt - stands in for the time of an event that has none
 * @throws {Undeliverable} `undecodable`, saying what was found
 */
export function parseEnvelope(body: string, sentAt: () => Milliseconds): CloudEvent {
  let value = parseObject(body);
  if (value.specversion === undefined && value.Type === 'Notification' && typeof value.Message === 'string')
    value = parseObject(value.Message);
  if (value.specversion !== '1.0')
    throw fault('specversion', value.specversion, '"1.0": the version of CloudEvents that is understood');
  for (const name of ['id', 'source', 'type'] as const)
    if (typeof value[name] !== 'string' || value[name] === '')
      throw fault(name, value[name], 'a string that is not empty');
  // CloudEvents JSON format: null is as good as left out.
  for (const name of optionalAttributes) if (value[name] === null) delete value[name];
  for (const name of ['time', 'expirytime'] as const)
    if (value[name] !== undefined && !isMoment(value[name]))
      throw fault(name, value[name], 'a moment in RFC 3339');
  for (const name of ['partitionkey', 'sequence', 'traceparent', 'dataref'] as const)
    if (value[name] !== undefined && typeof value[name] !== 'string')
      throw fault(name, value[name], 'a string');
  if (value.data_base64 !== undefined)
    throw fault('data_base64', value.data_base64, 'none: data travel as JSON, in `data`');
  if (value.datacontenttype !== undefined && !isJsonType(value.datacontenttype))
    throw fault('datacontenttype', value.datacontenttype, 'application/json, or another type of JSON');
  value.time ??= new Date(sentAt()).toISOString();
  value.datacontenttype ??= 'application/json';
  return value as unknown as CloudEvent;
}

const optionalAttributes = [
  'time',
  'expirytime',
  'partitionkey',
  'sequence',
  'traceparent',
  'dataref',
  'datacontenttype',
  'data_base64',
] as const;

/** CloudEvents 1.0, "datacontenttype": the subtype says whether the data are JSON; parameters do not. */
const isJsonType = (type: unknown): boolean =>
  typeof type === 'string' && /^[^/;\s]+\/(?:[^/;\s]+\+)?json\s*(?:;|$)/i.test(type);

/**
 * Checks data against a schema and returns the schema's output.
 *
 * @throws {Undeliverable} `schema`, with the places of the faults
 */
export function checkData(schema: StandardSchemaV1, type: string, data: unknown): unknown {
  const judge = (result: StandardSchemaV1.Result<unknown>): unknown => {
    if (typeof result !== 'object' || result === null)
      throw new Undeliverable('schema', `The schema of "${type}" gave no result. Correct the schema.`);
    if (result.issues === undefined) return result.value;
    const issues = result.issues.slice(0, 5).map((issue) => `${place(issue)}: ${issue.message}`);
    const more = result.issues.length > 5 ? ` (and ${result.issues.length - 5} more)` : '';
    throw new Undeliverable(
      'schema',
      `The data of "${type}" break its schema: ${issues.join('; ')}${more}. Correct the publisher or the schema.`,
    );
  };
  const fail = (thrown: unknown): never => {
    // The error's own message may quote the data: it stays in the cause, which is never logged.
    throw new Undeliverable(
      'schema',
      `The schema of "${type}" threw instead of judging. Correct the schema.`,
      {
        cause: asError(thrown),
      },
    );
  };
  let result: ReturnType<(typeof schema)['~standard']['validate']>;
  try {
    result = schema['~standard'].validate(data);
  } catch (thrown) {
    return fail(thrown);
  }
  // Any thenable: a library may bring promises of its own.
  return isThenable(result) ? Promise.resolve(result).then(judge, fail) : judge(result);
}

const isThenable = (value: unknown): value is Promise<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

/** Whether an event's expiry lies behind; a moment without expiry never does. */
export const isExpired = (event: CloudEvent, now: Milliseconds): boolean =>
  event.expirytime !== undefined && moment(event.expirytime) <= now;

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

/** Milliseconds of a moment in RFC 3339, or NaN. A leap second, which RFC 3339 has and Date has not, is the second before. */
const moment = (text: string): number => Date.parse(text.replace(/:60(?=[.Zz+-])/, ':59'));

/** Whether a value is a moment in RFC 3339, as CloudEvents wants it: what a publisher may send and a consumer reads. */
export const isMoment = (value: unknown): boolean =>
  typeof value === 'string' && rfc3339.test(value) && !Number.isNaN(moment(value));

const fault = (name: string, found: unknown, allowed: string) =>
  new Undeliverable(
    'undecodable',
    `The envelope's ${name} is ${found === undefined ? 'missing' : `of type ${typeof found} or not legal`}; allowed: ${allowed}.`,
  );

const place = (issue: StandardSchemaV1.Issue): string =>
  issue.path === undefined || issue.path.length === 0
    ? 'data'
    : issue.path.map((segment) => String(typeof segment === 'object' ? segment.key : segment)).join('.');
