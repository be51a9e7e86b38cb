import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { validation } from './errors.ts';
import { acceptValue, attributeOf, bytesKey, type Item, setAttribute, typeOf } from './values.ts';

/** An attribute of a key. */
export interface KeyAttribute {
  readonly name: string;
  readonly type: 'S' | 'N' | 'B';
}

/** A partition key and, where the table or index has one, a sort key. */
export interface KeySchema {
  readonly hash: KeyAttribute;
  readonly range: KeyAttribute | undefined;
}

/** Where an item lies: the text of its partition key, and its sort key. */
export interface Key {
  readonly hash: string;
  readonly range: AttributeValue | undefined;
  /** The sort key as text; empty where the table has none. */
  readonly rangeText: string;
}

/** Longest partition key and sort key, bytes (DynamoDB developer guide, quotas). */
const maximumHash = 2_048;
const maximumRange = 1_024;

/** The text of a key's value: equal for equal values. */
export const keyText = (value: AttributeValue): string =>
  value.S ?? value.N ?? (value.B === undefined ? '' : bytesKey(value.B));

/** One text for a key, to find it twice in one request. */
export const keyIdentity = (key: Key): string => `${key.hash.length}:${key.hash}${key.rangeText}`;

/** The key of an item that is to be put; the item is an accepted copy. */
export function keyOfItem(schema: KeySchema, item: Item): Key {
  const hash = attributeOfItem(schema.hash, item);
  checkSize(hash, maximumHash, 'hashkey');
  if (schema.range === undefined) return { hash: keyText(hash), range: undefined, rangeText: '' };
  const range = attributeOfItem(schema.range, item);
  checkSize(range, maximumRange, 'rangekey');
  return { hash: keyText(hash), range, rangeText: keyText(range) };
}

function attributeOfItem(attribute: KeyAttribute, item: Item): AttributeValue {
  const value = attributeOf(item, attribute.name);
  if (value === undefined)
    throw validation(
      `One or more parameter values were invalid: Missing the key ${attribute.name} in the item`,
    );
  if (value[attribute.type] === undefined)
    throw validation(
      `One or more parameter values were invalid: Type mismatch for key ${attribute.name} expected: ${attribute.type} actual: ${typeOf(value)}`,
    );
  checkNotEmpty(attribute.name, value);
  return value;
}

function checkNotEmpty(name: string, value: AttributeValue): void {
  if (value.S === '')
    throw validation(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`,
    );
  if (value.B?.byteLength === 0)
    throw validation(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty binary value. Key: ${name}`,
    );
}

function checkSize(value: AttributeValue, limit: number, name: 'hashkey' | 'rangekey'): void {
  // A UTF-16 unit takes at most three bytes.
  if (value.S !== undefined ? value.S.length * 3 <= limit : (value.B?.byteLength ?? 0) <= limit) return;
  if (value.S !== undefined && Buffer.byteLength(value.S) <= limit) return;
  throw validation(
    name === 'hashkey'
      ? `One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of${limit} bytes`
      : `One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of ${limit} bytes`,
  );
}

/** A key as a request names it: exactly the key's attributes, of the right types. */
export function keyOfRequest(schema: KeySchema, given: Item | undefined): { key: Key; attributes: Item } {
  if (given === undefined)
    throw validation(
      "1 validation error detected: Value null at 'key' failed to satisfy constraint: Member must not be null",
    );
  const expected = schema.range === undefined ? 1 : 2;
  const attributes: Item = {};
  let count = 0;
  for (const name in given) {
    if (given[name] === undefined) continue;
    count++;
    setAttribute(attributes, name, acceptValue(given[name]));
  }
  const hash = attributeOf(attributes, schema.hash.name);
  const range = schema.range === undefined ? undefined : attributeOf(attributes, schema.range.name);
  if (
    count !== expected ||
    hash?.[schema.hash.type] === undefined ||
    (schema.range !== undefined && range?.[schema.range.type] === undefined)
  )
    throw validation(
      count === expected
        ? 'The provided key element does not match the schema'
        : 'The number of conditions on the keys is invalid',
    );
  return { key: keyOfItem(schema, attributes), attributes };
}

/** The attributes of a key, out of an item. */
export function keyAttributes(schema: KeySchema, item: Item): Item {
  const attributes: Item = { [schema.hash.name]: item[schema.hash.name]! };
  if (schema.range !== undefined) setAttribute(attributes, schema.range.name, item[schema.range.name]!);
  return attributes;
}
