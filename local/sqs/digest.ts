import { hash } from 'node:crypto';
import type { MessageAttributeValue, MessageSystemAttributeValue } from '@aws-sdk/client-sqs';

type AttributeValue = MessageAttributeValue | MessageSystemAttributeValue;

/** What is known of a body once it has been looked at. */
export interface BodyFacts {
  readonly md5: string;
  /** Length in UTF-8 bytes. */
  readonly bytes: number;
  /** Whether all its characters are ones that SQS takes. */
  readonly legal: boolean;
}

// What the API reference of SendMessage leaves out: control characters, the two non-characters, and halves
// of surrogate pairs.
const ILLEGAL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Whether SQS takes all the characters of a text. */
export const isLegalText = (text: string): boolean => !ILLEGAL.test(text);

/**
 * A look at bodies that remembers the last one: a topic delivers the same text to queue after queue, and
 * comparing a string with itself costs nothing.
 */
export function createBodyInspector(): (body: string) => BodyFacts {
  let lastBody: string | undefined;
  let lastFacts: BodyFacts | undefined;
  return (body) => {
    if (lastFacts !== undefined && lastBody === body) return lastFacts;
    lastFacts = {
      md5: hash('md5', body, 'hex'),
      bytes: Buffer.byteLength(body),
      legal: isLegalText(body),
    };
    lastBody = body;
    return lastFacts;
  };
}

/** The deduplication id of a body under ContentBasedDeduplication: SHA-256 of the body alone, in hex. */
export const contentDigest = (body: string): string => hash('sha256', body, 'hex');

/**
 * The MD5 that an SDK compares (SQS developer guide, "Calculating the MD5 message digest for message
 * attributes"): for each attribute by name, the lengths and bytes of name, type and value, and between type
 * and value one byte that says whether the value is text (1) or binary (2).
 */
export function attributesDigest(attributes: Readonly<Record<string, AttributeValue>>): string {
  const names = Object.keys(attributes).sort();
  let length = 0;
  for (const name of names) length += 13 + fieldsSize(name, attributes[name]!);
  const bytes = Buffer.allocUnsafe(length);
  let offset = 0;
  const putText = (text: string) => {
    const written = bytes.write(text, offset + 4);
    offset = bytes.writeUInt32BE(written, offset) + written;
  };
  for (const name of names) {
    const value = attributes[name]!;
    putText(name);
    putText(value.DataType ?? '');
    offset = bytes.writeUInt8(value.BinaryValue === undefined ? 1 : 2, offset);
    if (value.BinaryValue === undefined) putText(value.StringValue ?? '');
    else {
      offset = bytes.writeUInt32BE(value.BinaryValue.length, offset);
      bytes.set(value.BinaryValue, offset);
      offset += value.BinaryValue.length;
    }
  }
  return hash('md5', bytes, 'hex');
}

/** What attributes add to a message's size: name, type and value of each, in bytes. */
export function attributesSize(attributes: Readonly<Record<string, AttributeValue>>): number {
  let size = 0;
  for (const name in attributes) size += fieldsSize(name, attributes[name]!);
  return size;
}

function fieldsSize(name: string, value: AttributeValue): number {
  return (
    Buffer.byteLength(name) +
    Buffer.byteLength(value.DataType ?? '') +
    (value.BinaryValue === undefined ? Buffer.byteLength(value.StringValue ?? '') : value.BinaryValue.length)
  );
}
