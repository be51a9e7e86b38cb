import type { ConsumedCapacity, ReturnConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { partitionInIndex, type Row, type SecondaryIndex, type Table } from './table.ts';
import { sameValue } from './values.ts';

/** A write unit covers 1 KB, a read unit 4 KB (DynamoDB developer guide, capacity modes). */
const writeBlock = 1_024;
const readBlock = 4_096;

/** Units that a request used, of a table and of its indexes. */
export interface Usage {
  readonly table: Table;
  read: number;
  write: number;
  readonly indexes: Map<SecondaryIndex, { read: number; write: number }>;
}

/** Nothing used yet. */
export const createUsage = (table: Table): Usage => ({ table, read: 0, write: 0, indexes: new Map() });

/** The write units of an item of this size; a write of nothing costs one too. */
export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / writeBlock));

/** The read units of this many bytes; a consistent read costs twice as much, a transactional one four times. */
export const readUnits = (bytes: number, consistent: boolean): number =>
  Math.max(1, Math.ceil(bytes / readBlock)) * (consistent ? 1 : 0.5);

/** Adds one write to what was used: the larger of the old and the new item counts, in a transaction twice. */
export function useWrite(usage: Usage, old: Row | undefined, next: Row | undefined, factor: 1 | 2): void {
  const units = writeUnits(Math.max(old?.size ?? 0, next?.size ?? 0)) * factor;
  usage.write += units;
  usage.table.writeUnits += units;
  if (usage.table.indexes.size > 0) useIndexes(usage, old, next, factor);
}

function useIndexes(usage: Usage, old: Row | undefined, next: Row | undefined, factor: 1 | 2): void {
  for (const index of usage.table.indexes.values()) {
    const before = old !== undefined && partitionInIndex(index, old.item) !== undefined ? old : undefined;
    const after = next !== undefined && partitionInIndex(index, next.item) !== undefined ? next : undefined;
    if (before === undefined && after === undefined) continue;
    const used = usage.indexes.get(index) ?? { read: 0, write: 0 };
    const moved = before !== undefined && after !== undefined && !sameKey(index, before, after);
    const units = moved
      ? writeUnits(before.size) + writeUnits(after.size)
      : writeUnits(Math.max(before?.size ?? 0, after?.size ?? 0));
    used.write += units * factor;
    usage.indexes.set(index, used);
    usage.table.writeUnits += units * factor;
  }
}

const sameKey = ({ schema }: SecondaryIndex, a: Row, b: Row): boolean =>
  [schema.hash, schema.range].every(
    (attribute) => attribute === undefined || sameValue(a.item[attribute.name]!, b.item[attribute.name]!),
  );

/** Adds units of reading to what was used, from the table or one of its indexes. */
export function useRead(usage: Usage, units: number, index?: SecondaryIndex): void {
  usage.table.readUnits += units;
  if (index === undefined) {
    usage.read += units;
    return;
  }
  const used = usage.indexes.get(index) ?? { read: 0, write: 0 };
  used.read += units;
  usage.indexes.set(index, used);
}

/**
 * What a reply says of the units: nothing unless it was asked for. Transactions and batches tell reads and
 * writes apart.
 */
export function consumedCapacity(
  usage: Usage,
  asked: ReturnConsumedCapacity | undefined,
  detail: 'sum' | 'kinds' = 'sum',
): ConsumedCapacity | undefined {
  if (asked === undefined || asked === 'NONE') return undefined;
  const capacity = (read: number, write: number) => ({
    CapacityUnits: read + write,
    ...(detail === 'kinds' && read > 0 ? { ReadCapacityUnits: read } : {}),
    ...(detail === 'kinds' && write > 0 ? { WriteCapacityUnits: write } : {}),
  });
  let read = usage.read;
  let write = usage.write;
  const of = { global: {} as Record<string, object>, local: {} as Record<string, object> };
  for (const [index, used] of usage.indexes) {
    read += used.read;
    write += used.write;
    of[index.kind][index.name] = capacity(used.read, used.write);
  }
  const total = { TableName: usage.table.name, ...capacity(read, write) };
  if (asked === 'TOTAL') return total;
  return {
    ...total,
    Table: capacity(usage.read, usage.write),
    ...(Object.keys(of.global).length > 0 ? { GlobalSecondaryIndexes: of.global } : {}),
    ...(Object.keys(of.local).length > 0 ? { LocalSecondaryIndexes: of.local } : {}),
  };
}
