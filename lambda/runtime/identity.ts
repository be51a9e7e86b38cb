import { hash } from 'node:crypto';
import { isWellFormed } from './text.ts';

/** SNS API reference, Publish: up to 128 of these characters, for group ids and deduplication ids alike. */
const legalFifoId = /^[\w!"#$%&'()*+,\-./:;<=>?@[\\\]^`{|}~]{1,128}$/;

/** An id that FIFO topics and queues take: the id itself when it is legal, else its SHA-256 in hex. */
export const fifoId = (id: string): string => (legalFifoId.test(id) ? id : digest(id));

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
export const recordKey = (subscriber: string, source: string, id: string): string =>
  shortened(`${subscriber}#`, `${subscriber}#${escapedSource(source)}#${id}`);

/** A source as it stands in keys: without `#`. */
export const escapedSource = (source: string): string => source.replaceAll('%', '%25').replaceAll('#', '%23');

/** A key that DynamoDB takes: itself, or its hash behind the prefix. */
export function shortened(prefix: string, key: string): string {
  const isShort = key.length * 3 <= longestKey || Buffer.byteLength(key) <= longestKey;
  return isShort && isWellFormed(key) ? key : `${prefix}sha256:${digest(key)}`;
}

/** SHA-256 in hex. Halves of surrogate pairs are escaped first: in UTF-8 they would all be one. */
const digest = (text: string): string =>
  hash('sha256', isWellFormed(text) ? text : JSON.stringify(text), 'hex');

/**
 * What an event says, apart from how: the SHA-256 of its data with the members of objects in one order. Two
 * publishes of one event differ in time and trace, and may differ in the order of members, but not in this.
 */
export const payloadHash = (data: unknown): string => hash('sha256', canonical(data), 'base64url');

/** An array or object on the way, with how far it is written. */
interface Open {
  readonly value: Readonly<Record<string | number, unknown>>;
  /** The members' names in order; `undefined` of an array. */
  readonly names: readonly string[] | undefined;
  readonly length: number;
  next: number;
}

/** Without recursion: data may be nested deeper than the stack is, since the parser has no bound. */
function canonical(data: unknown): string {
  if (!isContainer(data)) return scalar(data);
  const outer: Open[] = [];
  let open = opened(data);
  let text = open.names === undefined ? '[' : '{';
  for (;;) {
    if (open.next === open.length) {
      text += open.names === undefined ? ']' : '}';
      const parent = outer.pop();
      if (parent === undefined) return text;
      open = parent;
      continue;
    }
    if (open.next > 0) text += ',';
    const name = open.names === undefined ? open.next : open.names[open.next]!;
    if (open.names !== undefined) text += `${JSON.stringify(name)}:`;
    const member = open.value[name];
    open.next++;
    if (!isContainer(member)) {
      text += scalar(member);
      continue;
    }
    outer.push(open);
    open = opened(member);
    text += open.names === undefined ? '[' : '{';
  }
}

function opened(value: object): Open {
  const names = Array.isArray(value) ? undefined : Object.keys(value).sort();
  const length = names?.length ?? (value as readonly unknown[]).length;
  return { value: value as Open['value'], names, length, next: 0 };
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Numbers beyond a double's range are parsed as infinite, and differ from `null`, as which JSON would write them. */
const scalar = (value: unknown): string =>
  typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'null');
