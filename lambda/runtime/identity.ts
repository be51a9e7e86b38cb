import { hash } from 'node:crypto';

/** SNS API reference, Publish: up to 128 of these characters, for group ids and deduplication ids alike. */
const legalFifoId = /^[\w!"#$%&'()*+,\-./:;<=>?@[\\\]^`{|}~]{1,128}$/;

/** An id that FIFO topics and queues take: the id itself when it is legal, else its SHA-256 in hex. */
export const fifoId = (id: string): string => (legalFifoId.test(id) ? id : hash('sha256', id, 'hex'));

/**
 * DynamoDB takes partition keys of up to 2,048 bytes (DynamoDB developer guide, constraints); half of it keeps
 * keys readable and leaves room. In UTF-8 a UTF-16 unit is at most three bytes.
 */
const longestKey = 1_024;

/**
 * The key of an event's record for a subscriber. The producer's `source` and `id` name the event; the queue's
 * message id changes with every redrive and never does. `source` has no `#` unescaped, so that two pairs of
 * source and id never share a key.
 */
export function recordKey(subscriber: string, source: string, id: string): string {
  const key = `${subscriber}#${source.replaceAll('%', '%25').replaceAll('#', '%23')}#${id}`;
  if (key.length * 3 <= longestKey || Buffer.byteLength(key) <= longestKey) return key;
  return `${subscriber}#sha256:${hash('sha256', key, 'hex')}`;
}

/**
 * What an event says, apart from how: the SHA-256 of its data with the members of objects in one order. Two
 * publishes of one event differ in time and trace, and may differ in the order of members, but not in this.
 */
export const payloadHash = (data: unknown): string => hash('sha256', canonical(data), 'base64url');

function canonical(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const object = value as Record<string, unknown>;
  let members = '';
  for (const name of Object.keys(object).sort())
    members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${canonical(object[name])}`;
  return `{${members}}`;
}
