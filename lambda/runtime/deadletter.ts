import { type MessageAttributeValue, SendMessageCommand } from '@aws-sdk/client-sqs';
import { type Clock, type Milliseconds, milliseconds } from '../../lib/base/index.ts';
import type { AwsClient } from './client.ts';
import { isMoment } from './envelope.ts';
import type { SqsRecord } from './lambda.ts';

/**
 * Why a message is dead-lettered.
 *
 * @example
 * ```ts
 * const reason = letter.MessageAttributes?.['sluice-reason']?.StringValue as Reason | undefined;
 * if (reason === 'crash') page(letter);
 * ```
 */
export type Reason =
  | 'undecodable'
  | 'schema'
  | 'conflict'
  | 'permanent'
  | 'attempts'
  | 'crash'
  | 'unknown-outcome'
  | 'too-late';

/** Why a message is dead-lettered, cleaned of payload. */
export interface Cause {
  readonly reason: Reason;
  /** Class and message of the error. */
  readonly error: string;
  readonly stack?: string | undefined;
  /** How often it was tried, where no claim tells. */
  readonly attempts?: number | undefined;
  /** When it failed, where that was not now. */
  readonly failedAt?: Milliseconds | undefined;
  readonly firstFailedAt?: Milliseconds | undefined;
  /** What is known of a run whose outcome is not. */
  readonly known?: Readonly<Record<string, string | number>> | undefined;
}

/** What the letter says besides the message. */
export interface LetterFacts extends Cause {
  readonly attempts: number;
  readonly subscriber: string;
  readonly functionVersion?: string | undefined;
}

/** Sends a copy to the dead-letter queue; rejects when it is not known to be there. */
export type SendLetter = (record: SqsRecord, facts: Cause & { readonly attempts: number }) => Promise<void>;

/** SQS quotas: ten attributes a message, and 1 MiB of body and attributes. */
const mostAttributes = 10;
const mostBytes = 1_048_576;
/** Of an error's text; SQS would take more, operators do not read more. */
export const mostErrorLength = 1_024;
export const mostStackLength = 4_096;

/**
 * The copy has the body, every attribute and the group id as they were. The copy's deduplication id is the
 * original's message id, so that a copy that is sent again is one letter, and a redriven event that fails again
 * is another.
 */
export function createSendLetter(context: {
  readonly client: AwsClient;
  readonly deadLetterQueueUrl: string;
  readonly fifo: boolean;
  readonly clock: Clock;
  readonly subscriber: string;
  readonly functionVersion: string | undefined;
}): SendLetter {
  const { client, deadLetterQueueUrl, fifo, clock, subscriber, functionVersion } = context;
  return async (record, facts) => {
    const group = record.attributes.MessageGroupId;
    const trace = record.attributes.AWSTraceHeader;
    const told = { subscriber, functionVersion, ...facts };
    await client.send(
      new SendMessageCommand({
        QueueUrl: deadLetterQueueUrl,
        MessageBody: record.body,
        MessageAttributes: letterAttributes(record, told, clock.now()),
        ...(trace === undefined
          ? {}
          : { MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: trace } } }),
        ...(group === undefined ? {} : { MessageGroupId: group }),
        ...(fifo ? { MessageDeduplicationId: record.messageId } : {}),
      }),
    );
  };
}

/** Names of a letter's own attributes. */
export const letterAttribute = {
  reason: 'sluice-reason',
  attempts: 'sluice-attempts',
  failedAt: 'sluice-failed-at',
  error: 'sluice-error',
  /** Everything, as JSON. */
  failure: 'sluice-failure',
  /** Set to `accept` by an operator: see `replay.ts`. It holds for one delivery. */
  replay: 'sluice-replay',
} as const;

/**
 * The original attributes with ours: the four that are read at a glance, and everything as JSON in one more. When
 * these five do not fit into ten, the JSON goes alone; when there is no room for that either, the letter keeps the
 * original and ours give way. So they do when the bytes are short: the stack first, then the message, then the rest.
 */
export function letterAttributes(
  record: SqsRecord,
  facts: LetterFacts,
  now: Milliseconds,
): Record<string, MessageAttributeValue> {
  const attributes: Record<string, MessageAttributeValue> = {};
  // A letter that was redriven carries our attributes of last time: the new ones take their place.
  for (const [name, attribute] of Object.entries(record.messageAttributes))
    if (!ourNames.has(name)) attributes[name] = toAttribute(attribute);
  const originals = Object.keys(attributes).length;
  let room = mostBytes - bytesOf(record.body) - attributeBytes(attributes);

  const add = (name: string, type: 'String' | 'Number', value: string): boolean => {
    const size = bytesOf(name) + bytesOf(type) + bytesOf(value);
    if (size > room || value === '') return false;
    attributes[name] = { DataType: type, StringValue: value };
    room -= size;
    return true;
  };
  const failedAt = moment(facts.failedAt ?? now);
  const error = cut(legalText(facts.error), mostErrorLength);
  if (originals <= mostAttributes - 5) {
    add(letterAttribute.reason, 'String', facts.reason);
    add(letterAttribute.attempts, 'Number', String(facts.attempts));
    add(letterAttribute.failedAt, 'String', failedAt);
    add(letterAttribute.error, 'String', cut(error, Math.floor((room - 64) / 3)));
  }
  if (originals < mostAttributes)
    for (const failure of failures(record, facts, failedAt, error))
      if (add(letterAttribute.failure, 'String', legalText(JSON.stringify(failure)))) break;
  return attributes;
}

/** Everything that a letter says, and less and less of it. */
function* failures(record: SqsRecord, facts: LetterFacts, failedAt: string, error: string) {
  const { reason, attempts, subscriber, functionVersion, known, firstFailedAt } = facts;
  const colon = error.indexOf(': ');
  const least = { reason, attempts, failedAt };
  const rest = {
    ...least,
    firstFailedAt: firstFailedAt === undefined ? failedAt : moment(firstFailedAt),
    subscriber,
    functionVersion,
    messageId: record.messageId,
    known,
  };
  const named = { ...rest, class: error.slice(0, Math.max(0, colon)) };
  const message = colon < 0 ? error : error.slice(colon + 2);
  for (const most of facts.stack === undefined ? [] : [mostStackLength, 1_024, 256])
    yield { ...named, message, stack: cut(facts.stack as string, most) };
  for (const most of [mostErrorLength, 256]) yield { ...named, message: cut(message, most) };
  yield* [named, rest, least];
}

/**
 * What a message says of an earlier failure: it was a dead letter, and somebody sent it again. Attributes of these names
 * that hold no moment are a publisher's own, and say nothing.
 */
export function readLetter(
  record: SqsRecord,
): { readonly failedAt: Milliseconds; readonly firstFailedAt: Milliseconds } | undefined {
  const text = (name: string) => record.messageAttributes?.[name]?.stringValue;
  const packed = unpack(text(letterAttribute.failure));
  const failedAt = readMoment(text(letterAttribute.failedAt)) ?? readMoment(packed.failedAt);
  if (failedAt === undefined) return undefined;
  return { failedAt, firstFailedAt: readMoment(packed.firstFailedAt) ?? failedAt };
}

/**
 * Whether a message was a dead letter and was sent again: it carries what we wrote on it. A further copy of an event,
 * published or delivered once more, does not. `undefined` where the attributes of the original left us no room.
 */
export function isRedriven(record: SqsRecord): boolean | undefined {
  if (readLetter(record) !== undefined) return true;
  return Object.keys(record.messageAttributes ?? {}).length < mostAttributes ? false : undefined;
}

function unpack(text: string | undefined): { readonly failedAt?: unknown; readonly firstFailedAt?: unknown } {
  try {
    return (JSON.parse(text ?? '{}') as object | null) ?? {};
  } catch {
    // No JSON, so not ours.
    return {};
  }
}

const readMoment = (text: unknown): Milliseconds | undefined =>
  isMoment(text) ? milliseconds(Date.parse(text as string)) : undefined;

const moment = (at: Milliseconds): string => new Date(at).toISOString();

const ourNames: ReadonlySet<string> = new Set(Object.values(letterAttribute));

function toAttribute(attribute: SqsRecord['messageAttributes'][string]): MessageAttributeValue {
  return attribute.binaryValue !== undefined && attribute.binaryValue !== null
    ? { DataType: attribute.dataType, BinaryValue: Buffer.from(attribute.binaryValue, 'base64') }
    : { DataType: attribute.dataType, StringValue: attribute.stringValue ?? '' };
}

const bytesOf = (text: string): number => Buffer.byteLength(text);

const attributeBytes = (attributes: Readonly<Record<string, MessageAttributeValue>>): number =>
  Object.entries(attributes).reduce(
    (sum, [name, value]) =>
      sum +
      bytesOf(name) +
      bytesOf(value.DataType ?? '') +
      (value.BinaryValue?.byteLength ?? bytesOf(value.StringValue ?? '')),
    0,
  );

const cut = (text: string, most: number): string =>
  text.length <= most ? text : text.slice(0, Math.max(0, most)).replace(/[\uD800-\uDBFF]$/, '');

/**
 * SQS API reference, SendMessage: characters outside of these are refused, half of a pair of surrogates among them (a text
 * that was cut in the middle of an emoji ends with one), and with them the whole letter.
 */
const legalText = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF\p{Surrogate}]/gu, '\uFFFD');
