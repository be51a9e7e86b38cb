import { createHash } from 'node:crypto';
import type { MessageAttributeValue } from '@aws-sdk/client-sns';
import { invalidAttribute, invalidParameter } from './errors.ts';
import type { Topic } from './state.ts';

/** What a caller publishes: the common part of Publish and of an entry of PublishBatch. */
export interface Publication {
  readonly Message?: string | undefined;
  readonly Subject?: string | undefined;
  readonly MessageStructure?: string | undefined;
  readonly MessageAttributes?: Record<string, MessageAttributeValue> | undefined;
  readonly MessageGroupId?: string | undefined;
  readonly MessageDeduplicationId?: string | undefined;
}

/** A message that was accepted and goes out to the subscriptions. */
export interface OutgoingMessage {
  readonly messageId: string;
  readonly sequenceNumber: string | undefined;
  /** What goes to queues. */
  readonly text: string;
  /** A text for each protocol, of a message that was structured so. */
  readonly texts: Readonly<Record<string, unknown>> | undefined;
  readonly subject: string | undefined;
  readonly attributes: Record<string, MessageAttributeValue> | undefined;
  readonly groupId: string | undefined;
  readonly deduplicationId: string | undefined;
  /** ISO 8601. */
  readonly timestamp: string;
}

// SNS API reference, Publish: both ids take up to 128 alphanumeric characters and punctuation.
const LEGAL_ID = /^[\w!"#$%&'()*+,\-./:;<=>?@[\\\]^`{|}~]{1,128}$/;
// SNS developer guide, "Message attributes": as for SQS.
const LEGAL_ATTRIBUTE_NAME = /^(?!\.)(?!.*\.\.)[\w.-]{1,256}(?<!\.)$/;
// SNS API reference, Publish: up to 100 characters of one line.
const LONGEST_SUBJECT = 100;

/**
 * Checks the ids of a message against the kind of its topic.
 *
 * @returns the deduplication id, by content where the topic says so; `undefined` on a standard topic
 * @throws ServiceError `InvalidParameterException`
 */
export function checkIds(topic: Topic, publication: Publication): string | undefined {
  const { MessageGroupId: group, MessageDeduplicationId: deduplication } = publication;
  if (group !== undefined && !LEGAL_ID.test(group)) throw illegalId('MessageGroupId', group);
  if (deduplication !== undefined) {
    if (!topic.fifo)
      throw invalidParameter(
        'MessageDeduplicationId Reason: The request includes MessageDeduplicationId parameter that is not valid for this topic type',
      );
    if (!LEGAL_ID.test(deduplication)) throw illegalId('MessageDeduplicationId', deduplication);
  }
  if (!topic.fifo) return undefined;
  if (group === undefined) throw invalidParameter('The MessageGroupId parameter is required for FIFO topics');
  if (deduplication !== undefined) return deduplication;
  if (!topic.contentBasedDeduplication)
    throw invalidParameter(
      'The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
    );
  return createHash('sha256')
    .update(publication.Message ?? '')
    .digest('hex');
}

/**
 * Checks the content of a message and picks the text that goes to queues.
 *
 * @returns the text, those for other protocols, and the bytes that count against the topic's limit
 * @throws ServiceError `InvalidParameterException`
 */
export function checkContent(
  topic: Topic,
  publication: Publication,
): { text: string; texts: OutgoingMessage['texts']; bytes: number } {
  const { Message: message, Subject: subject, MessageAttributes: attributes } = publication;
  if (message === undefined || message === '') throw invalidParameter('Empty message');
  if (subject !== undefined) checkSubject(subject);
  const bytes = messageBytes(publication);
  if (bytes > topic.maximumMessageSize)
    throw invalidParameter(
      `Message Reason: Message too long: ${bytes} bytes of body and attributes, at most ${topic.maximumMessageSize} are allowed`,
    );
  checkAttributes(attributes);
  if (publication.MessageStructure === undefined) return { text: message, texts: undefined, bytes };
  return { ...structured(publication, message), bytes };
}

/** The UTF-8 bytes of a message: its body, and the name, type and value of each attribute. */
export function messageBytes({ Message, MessageAttributes }: Publication): number {
  let bytes = Buffer.byteLength(Message ?? '');
  if (MessageAttributes === undefined) return bytes;
  for (const name in MessageAttributes) {
    const { DataType, StringValue, BinaryValue } = MessageAttributes[name]!;
    bytes += Buffer.byteLength(name) + Buffer.byteLength(DataType ?? '');
    bytes += StringValue === undefined ? (BinaryValue?.byteLength ?? 0) : Buffer.byteLength(StringValue);
  }
  return bytes;
}

function checkSubject(subject: string): void {
  if (subject === '' || subject.length > LONGEST_SUBJECT || /\p{Cc}/u.test(subject))
    throw invalidParameter(
      `Subject: 1 to ${LONGEST_SUBJECT} characters without line breaks or control characters are allowed; found ${JSON.stringify(subject)}`,
    );
}

/**
 * Checks the attributes of a message.
 *
 * @throws ServiceError `InvalidParameterValueException`
 */
export function checkAttributes(attributes: Publication['MessageAttributes']): void {
  if (attributes !== undefined) for (const name in attributes) checkAttribute(name, attributes[name]!);
}

function checkAttribute(name: string, attribute: MessageAttributeValue): void {
  const { DataType: type, StringValue: text, BinaryValue: bytes } = attribute;
  if (!LEGAL_ATTRIBUTE_NAME.test(name) || /^(aws|amazon)\./i.test(name))
    throw invalidAttribute(
      `Invalid message attribute name '${name}': up to 256 of A-Z, a-z, 0-9, '_', '-', '.'; no period at an end or twice in a row; not starting with AWS. or Amazon.`,
    );
  if (type === undefined || !/^(String|Number|Binary)(\..+)?$/.test(type))
    throw invalidAttribute(
      `The message attribute '${name}' has the invalid message attribute type '${type}'; the set of supported type prefixes is Binary, Number, and String.`,
    );
  if (type.startsWith('Binary') ? !bytes?.byteLength : text === undefined || text === '')
    throw invalidAttribute(
      `The message attribute '${name}' must contain non-empty message attribute value for message attribute type '${type}'.`,
    );
  if (
    type.startsWith('Number') &&
    !(text !== undefined && text.trim() !== '' && Number.isFinite(Number(text)))
  )
    throw invalidAttribute(`Could not cast message attribute '${name}' value to number; found '${text}'.`);
}

function structured(publication: Publication, message: string) {
  if (publication.MessageStructure !== 'json')
    throw invalidParameter(`MessageStructure: 'json' is allowed; found '${publication.MessageStructure}'`);
  let parts: unknown;
  try {
    parts = JSON.parse(message);
  } catch (error) {
    throw invalidParameter(
      `Message Structure - JSON message body failed to parse: ${(error as Error).message}`,
    );
  }
  const texts = (typeof parts === 'object' && parts !== null ? parts : {}) as Record<string, unknown>;
  const text = texts.sqs ?? texts.default;
  if (typeof texts.default !== 'string' || typeof text !== 'string')
    throw invalidParameter('Message Structure - No default entry in JSON message body');
  return { text, texts };
}

const illegalId = (parameter: string, value: string) =>
  invalidParameter(
    `${parameter} Reason: 1 to 128 alphanumeric characters and punctuation are allowed; found ${JSON.stringify(value)}`,
  );
