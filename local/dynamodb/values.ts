import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { validation } from './errors.ts';
import { canonicalNumber, compareNumbers, numberSize } from './numbers.ts';

/** An item as the SDK has it: attribute values by name. What is stored is never changed in place. */
export type Item = Record<string, AttributeValue>;

/** The types of attribute values, by DynamoDB's own letters. */
export type ValueType = 'S' | 'N' | 'B' | 'SS' | 'NS' | 'BS' | 'M' | 'L' | 'NULL' | 'BOOL';

/** Sets an attribute of an item that is being made; a plain assignment would take `__proto__` for something else. */
export function setAttribute(item: Item, name: string, value: AttributeValue): void {
  if (name === '__proto__')
    Object.defineProperty(item, name, { value, configurable: true, enumerable: true, writable: true });
  else item[name] = value;
}

/** An attribute of an item: names such as `constructor` are attributes only where the item has them. */
export const attributeOf = (item: Item, name: string): AttributeValue | undefined =>
  Object.hasOwn(item, name) ? item[name] : undefined;

const types: ReadonlySet<string> = new Set(['S', 'N', 'B', 'SS', 'NS', 'BS', 'M', 'L', 'NULL', 'BOOL']);
const maximumNesting = 32;

const text = new TextEncoder();

/** The type of a value; a value with none, or with more than one, is refused. */
export function typeOf(value: AttributeValue): ValueType {
  let found: string | undefined;
  if (typeof value === 'object' && value !== null) {
    for (const key in value) {
      if ((value as unknown as Record<string, unknown>)[key] === undefined) continue;
      if (found !== undefined)
        throw validation(
          'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
        );
      found = key;
    }
  }
  if (found === undefined || !types.has(found))
    throw validation('Supplied AttributeValue is empty, must contain exactly one of the supported datatypes');
  return found as ValueType;
}

/**
 * A checked copy of a value: numbers in canonical form, sets without duplicates, nothing shared with the caller.
 *
 * @throws ValidationException in the service's own words
 */
export function acceptValue(value: AttributeValue, depth = 0): AttributeValue {
  if (depth >= maximumNesting)
    throw validation(
      'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit',
    );
  switch (typeOf(value)) {
    case 'S':
      if (typeof value.S !== 'string') throw unserializable('STRING_VALUE');
      return { S: value.S };
    case 'N':
      return { N: canonicalNumber(value.N!) };
    case 'B':
      return { B: acceptBytes(value.B!) };
    case 'BOOL':
      if (typeof value.BOOL !== 'boolean') throw unserializable('TRUE_VALUE');
      return { BOOL: value.BOOL };
    case 'NULL':
      if (value.NULL !== true)
        throw validation(
          'One or more parameter values were invalid: Null attribute value types must have the value of true',
        );
      return { NULL: true };
    case 'SS':
      return { SS: acceptSet(value.SS!, 'An string set  may not be empty', String) };
    case 'NS':
      return { NS: acceptSet(value.NS!.map(canonicalNumber), 'An number set  may not be empty', String) };
    case 'BS':
      return { BS: acceptSet(value.BS!.map(acceptBytes), 'Binary sets should not be empty', bytesKey) };
    case 'L':
      return { L: value.L!.map((element) => acceptValue(element, depth + 1)) };
    case 'M': {
      const copy: Item = {};
      for (const name in value.M) setAttribute(copy, name, acceptValue(value.M[name]!, depth + 1));
      return { M: copy };
    }
  }
}

/** A checked copy of an item. */
export function acceptItem(item: Item): Item {
  const copy: Item = {};
  for (const name in item) {
    if (name === '') throw validation('One or more parameter values were invalid: Empty attribute name');
    if (item[name] !== undefined) setAttribute(copy, name, acceptValue(item[name]));
  }
  return copy;
}

const unserializable = (type: string) =>
  validation(`The value is not of the type that its attribute type ${type} says`);

function acceptBytes(bytes: Uint8Array): Uint8Array {
  if (!(bytes instanceof Uint8Array)) throw unserializable('BINARY_VALUE');
  return bytes.slice();
}

function acceptSet<Element>(
  elements: readonly Element[],
  whenEmpty: string,
  identity: (element: Element) => string,
): Element[] {
  if (elements.length === 0) throw validation(`One or more parameter values were invalid: ${whenEmpty}`);
  const seen = new Set<string>();
  for (const element of elements) seen.add(identity(element));
  if (seen.size !== elements.length)
    throw validation(
      `One or more parameter values were invalid: Input collection [${elements.map(identity).join(', ')}] contains duplicates.`,
    );
  return [...elements];
}

/** Bytes as text, one character a byte: for comparing them as keys. */
export const bytesKey = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** A copy for the caller, who may do with it what it likes. */
export function copyItem(item: Item): Item {
  const copy: Item = {};
  for (const name in item) setAttribute(copy, name, copyValue(item[name]!));
  return copy;
}

/** A copy of one value. */
export function copyValue(value: AttributeValue): AttributeValue {
  if (value.S !== undefined) return { S: value.S };
  if (value.N !== undefined) return { N: value.N };
  if (value.M !== undefined) return { M: copyItem(value.M) };
  if (value.L !== undefined) return { L: value.L.map(copyValue) };
  if (value.B !== undefined) return { B: value.B.slice() };
  if (value.SS !== undefined) return { SS: [...value.SS] };
  if (value.NS !== undefined) return { NS: [...value.NS] };
  if (value.BS !== undefined) return { BS: value.BS.map((bytes) => bytes.slice()) };
  return { ...value };
}

/** Bytes of a text in UTF-8; most are short and ASCII, for which a look is quicker than a call. */
function textSize(value: string): number {
  if (value.length > 100) return Buffer.byteLength(value, 'utf8');
  for (let position = 0; position < value.length; position++) {
    if (value.charCodeAt(position) > 127) return Buffer.byteLength(value, 'utf8');
  }
  return value.length;
}

/** The size of an item in bytes, names included (developer guide, item sizes and formats). */
export function itemSize(item: Item): number {
  let size = 0;
  for (const name in item) size += textSize(name) + valueSize(item[name]!);
  return size;
}

/** The size of a value in bytes. */
export function valueSize(value: AttributeValue): number {
  if (value.S !== undefined) return textSize(value.S);
  if (value.N !== undefined) return numberSize(value.N);
  if (value.B !== undefined) return value.B.byteLength;
  if (value.M !== undefined) {
    let size = 3;
    for (const name in value.M) size += 1 + textSize(name) + valueSize(value.M[name]!);
    return size;
  }
  if (value.L !== undefined) return value.L.reduce((size, element) => size + 1 + valueSize(element), 3);
  if (value.SS !== undefined) return value.SS.reduce((size, element) => size + textSize(element), 0);
  if (value.NS !== undefined) return value.NS.reduce((size, element) => size + numberSize(element), 0);
  if (value.BS !== undefined) return value.BS.reduce((size, element) => size + element.byteLength, 0);
  return 1;
}

/** Whether two values are the same: type and content, sets without regard to order. */
export function sameValue(a: AttributeValue, b: AttributeValue): boolean {
  if (a === b) return true;
  if (a.S !== undefined) return a.S === b.S;
  if (a.N !== undefined) return a.N === b.N;
  if (a.BOOL !== undefined) return a.BOOL === b.BOOL;
  if (a.NULL !== undefined) return b.NULL !== undefined;
  if (a.B !== undefined) return b.B !== undefined && Buffer.compare(a.B, b.B) === 0;
  if (a.SS !== undefined) return b.SS !== undefined && sameSet(a.SS, b.SS, String);
  if (a.NS !== undefined) return b.NS !== undefined && sameSet(a.NS, b.NS, String);
  if (a.BS !== undefined) return b.BS !== undefined && sameSet(a.BS, b.BS, bytesKey);
  if (a.L !== undefined) {
    const others = b.L;
    return (
      others !== undefined &&
      others.length === a.L.length &&
      a.L.every((value, index) => sameValue(value, others[index]!))
    );
  }
  if (a.M === undefined || b.M === undefined) return false;
  const names = Object.keys(a.M);
  if (Object.keys(b.M).length !== names.length) return false;
  for (const name of names) {
    const other = attributeOf(b.M, name);
    if (other === undefined || !sameValue(a.M[name]!, other)) return false;
  }
  return true;
}

/** Whether two items are the same, attribute by attribute. */
export const sameItem = (a: Item, b: Item): boolean => a === b || sameValue({ M: a }, { M: b });

function sameSet<Element>(
  a: readonly Element[],
  b: readonly Element[],
  identity: (element: Element) => string,
) {
  if (a.length !== b.length) return false;
  const found = new Set(a.map(identity));
  return b.every((element) => found.has(identity(element)));
}

/**
 * The order of two values of the same type S, N or B: below, at or above 0; `undefined` when they have none.
 * Text is ordered by its UTF-8 bytes.
 */
export function compareValues(a: AttributeValue, b: AttributeValue): number | undefined {
  if (a.S !== undefined) return b.S === undefined ? undefined : compareText(a.S, b.S);
  if (a.N !== undefined) return b.N === undefined ? undefined : compareNumbers(a.N, b.N);
  if (a.B !== undefined) return b.B === undefined ? undefined : Buffer.compare(a.B, b.B);
  return undefined;
}

/** The order of texts by their UTF-8 bytes. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let position = 0; position < length; position++) {
    const left = a.charCodeAt(position);
    const right = b.charCodeAt(position);
    if (left === right) continue;
    // UTF-16 and UTF-8 agree on the order except where a surrogate meets a character above the surrogates.
    if (left < 0xd800 || right < 0xd800) return left - right;
    return Buffer.compare(text.encode(a), text.encode(b));
  }
  return a.length - b.length;
}
