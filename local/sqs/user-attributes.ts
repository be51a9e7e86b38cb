import type { MessageAttributeValue, SendMessageCommandInput } from '@aws-sdk/client-sqs';
import { attributesDigest, attributesSize, isLegalText } from './digest.ts';
import { invalidParameter } from './errors.ts';
import { QUOTAS } from './quotas.ts';

/** A message's own attributes, checked and measured. */
export interface AttributeFacts {
  readonly values: Readonly<Record<string, MessageAttributeValue>>;
  readonly md5: string;
  readonly size: number;
}

/**
 * Checks the attributes that the sender gave (SQS developer guide, message metadata).
 *
 * @throws ServiceError InvalidParameterValue for the first that is wrong
 */
export function attributeFacts(
  attributes: Readonly<Record<string, MessageAttributeValue>> | undefined,
): AttributeFacts | undefined {
  if (attributes === undefined) return undefined;
  const names = Object.keys(attributes);
  if (names.length === 0) return undefined;
  if (names.length > QUOTAS.messageAttributes) {
    throw invalidParameter(
      `Number of message attributes [${names.length}] exceeds the allowed maximum [${QUOTAS.messageAttributes}].`,
    );
  }
  for (const name of names) {
    checkName(name);
    checkValue(name, attributes[name]!);
  }
  return { values: { ...attributes }, md5: attributesDigest(attributes), size: attributesSize(attributes) };
}

/** {@link attributeFacts}, or something that remembers what it said. */
export type AttributeInspector = typeof attributeFacts;

/**
 * Looks at attributes that a topic delivers to queue after queue only once, as long as they are the same object.
 * For callers that never change it.
 */
export function createAttributeInspector(): AttributeInspector {
  let lastAttributes: Readonly<Record<string, MessageAttributeValue>> | undefined;
  let lastFacts: AttributeFacts | undefined;
  return (attributes) => {
    if (attributes === lastAttributes) return lastFacts;
    lastFacts = attributeFacts(attributes);
    lastAttributes = attributes;
    return lastFacts;
  };
}

function checkName(name: string): void {
  if (name.length > 256)
    throw invalidParameter('Message (user) attribute names must be shorter than 256 Bytes');
  // Letters of any alphabet are taken (recorded on AWS); the developer guide lists A to Z only.
  if (!/^[\p{L}\p{N}_.-]+$/u.test(name)) {
    throw invalidParameter(
      'Message (user) attributes name can only contain upper and lower score characters, digits, periods, hyphens and underscores. ',
    );
  }
  if (/^(aws\.|amazon\.|\.)|\.$/i.test(name)) {
    throw invalidParameter(
      "You can't use message attribute names beginning with 'AWS.' or 'Amazon.'. These strings are reserved for internal use. Additionally, they cannot start or end with '.'.",
    );
  }
}

function checkValue(name: string, value: MessageAttributeValue): void {
  const { DataType: type } = value;
  if (type === undefined || type === '') {
    throw invalidParameter(
      `The message attribute '${name}' must contain a non-empty message attribute type.`,
    );
  }
  const kind = /^(String|Number|Binary)(\.[A-Za-z0-9_.-]+)?$/.exec(type)?.[1];
  if (kind === undefined || type.length > 256) {
    throw invalidParameter(
      `The message attribute '${name}' has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String.`,
    );
  }
  if (value.StringListValues?.length || value.BinaryListValues?.length) {
    throw invalidParameter('Message attribute list values in SendMessage operation are not supported.');
  }
  const found = kind === 'Binary' ? value.BinaryValue : value.StringValue;
  if (found === undefined || found.length === 0) {
    throw invalidParameter(
      `Message (user) attribute '${name}' must contain a non-empty value of type '${kind === 'Binary' ? 'Binary' : 'String'}'.`,
    );
  }
  if (typeof found !== 'string') return;
  if (!isLegalText(found)) {
    throw invalidParameter(
      `Message (user) attribute '${name}' has invalid characters. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF`,
    );
  }
  if (kind === 'Number' && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(found)) {
    throw invalidParameter(`Can't cast the value of message (user) attribute '${name}' to a number.`);
  }
}

/** The one system attribute that a sender may set, AWSTraceHeader; it does not count towards the size. */
export function systemAttributes(
  attributes: SendMessageCommandInput['MessageSystemAttributes'],
): { readonly traceHeader: string; readonly md5: string } | undefined {
  if (attributes === undefined) return undefined;
  const names = Object.keys(attributes);
  if (names.length === 0) return undefined;
  const header = attributes.AWSTraceHeader;
  if (names.length > 1 || header === undefined) {
    throw invalidParameter(
      `Message system attribute names can only be AWSTraceHeader, but there is ${names.join(', ')}.`,
    );
  }
  if (header.DataType !== 'String' || header.StringValue === undefined || header.StringValue === '') {
    throw invalidParameter(
      "Message system attribute 'AWSTraceHeader' must contain a non-empty value of type 'String'.",
    );
  }
  return { traceHeader: header.StringValue, md5: attributesDigest({ AWSTraceHeader: header }) };
}
