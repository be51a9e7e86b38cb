import type { AttributeDefinition, BillingMode, Projection, Tag } from '@aws-sdk/client-dynamodb';
import { type Collection, createCollection } from './collection.ts';
import type { Encryption } from './encryption.ts';
import { validation } from './errors.ts';
import { type Key, type KeyAttribute, type KeySchema, keyText } from './keys.ts';
import type { TableStream } from './streams/index.ts';
import { attributeOf, compareText, compareValues, type Item, itemSize, typeOf } from './values.ts';

/** An item where it lies. Rows are replaced, never changed, so that whoever holds one holds what was true. */
export interface Row {
  readonly key: Key;
  readonly item: Item;
  /** Bytes. */
  readonly size: number;
}

/** A secondary index and what lies in it. */
export interface SecondaryIndex {
  readonly name: string;
  readonly kind: 'global' | 'local';
  readonly schema: KeySchema;
  readonly projection: Projection;
  readonly rows: Collection<Row>;
  /** The order of rows in a partition. */
  readonly compare: (a: Row, b: Row) => number;
}

/** A table: what was declared, and what lies in it. */
export interface Table {
  readonly name: string;
  readonly arn: string;
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly schema: KeySchema;
  readonly rows: Collection<Row>;
  /** The order of rows in a partition. */
  readonly compare: (a: Row, b: Row) => number;
  readonly indexes: Map<string, SecondaryIndex>;
  readonly tags: Map<string, Tag>;
  definitions: readonly AttributeDefinition[];
  billingMode: BillingMode;
  throughput: { readonly read: number; readonly write: number };
  deletionProtected: boolean;
  /** A key of the account that encrypts it; without one DynamoDB owns the key. */
  encryption: Encryption | undefined;
  /** The attribute that holds the moment after which an item may go; seconds since the epoch. */
  expiryAttribute: string | undefined;
  recovery: { readonly days: number; readonly since: number } | undefined;
  /** The stream that takes its changes, where it is turned on. */
  stream: TableStream | undefined;
  /** The stream that was turned on last, on or off. */
  latestStream: TableStream | undefined;
  /** What is in the table now. */
  count: number;
  bytes: number;
  /** Units since the last reading of the metrics. */
  readUnits: number;
  writeUnits: number;
  failedConditions: number;
  /** The hour (since the epoch) whose expired items have been deleted. */
  sweptHour: number;
}

/** The largest item, bytes (DynamoDB developer guide, quotas). */
const maximumItem = 400 * 1_024;
const maximumNesting = 32;

/** The order of rows in a partition of the table. */
export function compareByRange(a: Row, b: Row): number {
  if (a.key.range === undefined || b.key.range === undefined) return 0;
  return compareValues(a.key.range, b.key.range) ?? 0;
}

/** The order of rows in a partition of an index: by its sort key, then by the key of the table. */
export function compareInIndex(range: KeyAttribute | undefined): (a: Row, b: Row) => number {
  return (a, b) => {
    if (range !== undefined) {
      const order = compareValues(a.item[range.name]!, b.item[range.name]!) ?? 0;
      if (order !== 0) return order;
    }
    return compareText(a.key.hash, b.key.hash) || compareByRange(a, b);
  };
}

/** An empty index. */
export function createIndex(
  name: string,
  kind: SecondaryIndex['kind'],
  schema: KeySchema,
  projection: Projection,
): SecondaryIndex {
  const compare = compareInIndex(schema.range);
  return { name, kind, schema, projection, rows: createCollection<Row>(compare), compare };
}

/** A row for an item, after the checks that every write has to pass. */
export function createRow(table: Table, key: Key, item: Item, tooLarge: string): Row {
  const size = itemSize(item);
  if (size > maximumItem) throw validation(tooLarge);
  for (const index of table.indexes.values()) checkIndexKeys(index, item);
  return { key, item, size };
}

function checkIndexKeys(index: SecondaryIndex, item: Item): void {
  for (const attribute of [index.schema.hash, index.schema.range]) {
    const value = attribute === undefined ? undefined : attributeOf(item, attribute.name);
    if (attribute === undefined || value === undefined) continue;
    if (value[attribute.type] === undefined)
      throw validation(
        `One or more parameter values were invalid: Type mismatch for Index Key ${attribute.name} Expected: ${attribute.type} Actual: ${typeOf(value)} IndexName: ${index.name}`,
      );
    if (value.S === '' || value.B?.byteLength === 0)
      throw validation(
        `One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty ${attribute.type === 'S' ? 'string' : 'binary'} value. IndexName: ${index.name}, IndexKey: ${attribute.name}`,
      );
  }
}

/** The deepest nesting that an update may reach; items that are put are checked when they are accepted. */
export function checkNesting(item: Item, depth = 1): void {
  for (const name in item) {
    const value = item[name]!;
    if (value.M === undefined && value.L === undefined) continue;
    if (depth >= maximumNesting)
      throw validation(
        'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit',
      );
    if (value.M !== undefined) checkNesting(value.M, depth + 1);
    for (const element of value.L ?? []) checkNesting({ element }, depth + 1);
  }
}

const nothing: Item = {};

/** The row with this key. */
export const findRow = (table: Table, key: Key): Row | undefined =>
  table.rows.find(key.hash, { key, item: nothing, size: 0 });

/** Where a row belongs in an index, or `undefined` when the index does not hold it. */
export function partitionInIndex(index: SecondaryIndex, item: Item): string | undefined {
  const { hash, range } = index.schema;
  const value = attributeOf(item, hash.name);
  if (value === undefined || (range !== undefined && attributeOf(item, range.name) === undefined))
    return undefined;
  return keyText(value);
}

/** Puts `next` in the place of `old`; either may be missing, together they have one key. */
export function replaceRow(table: Table, old: Row | undefined, next: Row | undefined): void {
  if (next !== undefined) table.rows.put(next.key.hash, next);
  else if (old !== undefined) table.rows.remove(old.key.hash, old);
  table.count += (next === undefined ? 0 : 1) - (old === undefined ? 0 : 1);
  table.bytes += (next?.size ?? 0) - (old?.size ?? 0);
  if (table.indexes.size === 0) return;
  for (const index of table.indexes.values()) {
    const from = old === undefined ? undefined : partitionInIndex(index, old.item);
    const to = next === undefined ? undefined : partitionInIndex(index, next.item);
    if (from !== undefined) index.rows.remove(from, old!);
    if (to !== undefined) index.rows.put(to, next!);
  }
}
