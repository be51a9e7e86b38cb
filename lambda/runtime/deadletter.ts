import { type MessageAttributeValue, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { Clock } from '../../lib/base/index.ts';
import type { AwsClient } from './client.ts';
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
export type Reason = 'undecodable' | 'schema' | 'conflict' | 'permanent' | 'attempts' | 'crash';

/** What the letter says besides the message. */
export interface LetterFacts {
  readonly reason: Reason;
  readonly attempts: number;
  /** Class and message of the error. */
  readonly error: string;
}

/** Sends a copy to the dead-letter queue; rejects when it is not known to be there. */
export type SendLetter = (record: SqsRecord, facts: LetterFacts) => Promise<void>;

/** SQS quotas: ten attributes a message, and 1 MiB of body and attributes. */
const mostAttributes = 10;
const mostBytes = 1_048_576;
/** Of an error's text; SQS would take more, operators do not read more. */
export const mostErrorLength = 1_024;

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
}): SendLetter {
  const { client, deadLetterQueueUrl, fifo, clock } = context;
  return async (record, facts) => {
    const group = record.attributes.MessageGroupId;
    const trace = record.attributes.AWSTraceHeader;
    await client.send(
      new SendMessageCommand({
        QueueUrl: deadLetterQueueUrl,
        MessageBody: record.body,
        MessageAttributes: letterAttributes(record, facts, new Date(clock.now()).toISOString()),
        ...(trace === undefined
          ? {}
          : { MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: trace } } }),
        ...(group === undefined ? {} : { MessageGroupId: group }),
        ...(fifo ? { MessageDeduplicationId: record.messageId } : {}),
      }),
    );
  };
}

/**
 * The original attributes with ours. When they do not fit into ten, ours are packed into `sluice-failure`; when
 * even that does not fit, or the bytes do not, the letter keeps the original and ours give way.
 */
export function letterAttributes(
  record: SqsRecord,
  facts: LetterFacts,
  failedAt: string,
): Record<string, MessageAttributeValue> {
  const attributes: Record<string, MessageAttributeValue> = {};
  // A letter that was redriven carries our attributes of last time: the new ones take their place.
  for (const [name, attribute] of Object.entries(record.messageAttributes))
    if (!ourNames.has(name)) attributes[name] = toAttribute(attribute);
  const originals = Object.keys(attributes).length;
  let room = mostBytes - bytesOf(record.body) - attributeBytes(attributes);

  const add = (name: string, type: 'String' | 'Number', value: string) => {
    const size = bytesOf(name) + bytesOf(type) + bytesOf(value);
    if (size > room || value === '') return;
    attributes[name] = { DataType: type, StringValue: value };
    room -= size;
  };
  const error = cut(legalText(facts.error), mostErrorLength);
  if (originals <= mostAttributes - 4) {
    add('sluice-reason', 'String', facts.reason);
    add('sluice-attempts', 'Number', String(facts.attempts));
    add('sluice-failed-at', 'String', failedAt);
    add('sluice-error', 'String', cut(error, Math.floor((room - 64) / 3)));
  } else if (originals < mostAttributes) {
    const packed = { reason: facts.reason, attempts: facts.attempts, failedAt, error };
    const text = JSON.stringify(packed);
    const small = JSON.stringify({ ...packed, error: undefined });
    add('sluice-failure', 'String', text);
    if (attributes['sluice-failure'] === undefined) add('sluice-failure', 'String', small);
  }
  return attributes;
}

const ourNames = new Set([
  'sluice-reason',
  'sluice-attempts',
  'sluice-failed-at',
  'sluice-error',
  'sluice-failure',
]);

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
