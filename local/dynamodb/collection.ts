import { createScanOrder } from './scanOrder.ts';

/**
 * Rows by partition, in order: the shape that a table and its indexes share. A scan runs in an order that has
 * nothing to do with the keys' own, as the service's does, and can go on after any key, deleted ones too.
 */
export interface Collection<Row> {
  /** The rows of a partition in the order of their sort key; not to be changed. */
  partition(hash: string): readonly Row[];
  /** The row at the place of `row`, or `undefined`. */
  find(hash: string, place: Row): Row | undefined;
  /** Puts a row, in place of the one that lies at the same place. */
  put(hash: string, row: Row): void;
  remove(hash: string, row: Row): void;
  /** All rows in the order of a scan, from behind a place where one is given, of one segment of several. */
  scan(from?: { readonly hash: string; readonly place: Row }, segment?: Segment): Generator<Row>;
  /** All rows, in no order. */
  all(): Generator<Row>;
}

/** A part of a parallel scan. */
export interface Segment {
  readonly index: number;
  readonly total: number;
}

/**
 * An empty collection.
 *
 * @param compare - the order of two rows of one partition; 0 for the same place
 */
export function createCollection<Row>(compare: (a: Row, b: Row) => number): Collection<Row> {
  const partitions = new Map<string, Row[]>();
  const order = createScanOrder(partitions);
  const empty: readonly Row[] = [];

  /** The first position whose row is not before `place`. */
  const search = (rows: readonly Row[], place: Row): number => {
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(rows[middle]!, place) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    partition: (hash) => partitions.get(hash) ?? empty,
    find(hash, place) {
      const rows = partitions.get(hash);
      if (rows === undefined) return undefined;
      const found = rows[search(rows, place)];
      return found !== undefined && compare(found, place) === 0 ? found : undefined;
    },
    put(hash, row) {
      const rows = partitions.get(hash);
      if (rows === undefined) {
        partitions.set(hash, [row]);
        order.added(hash);
        return;
      }
      const position = search(rows, row);
      const found = rows[position];
      if (found === undefined) rows.push(row);
      else if (compare(found, row) === 0) rows[position] = row;
      else rows.splice(position, 0, row);
    },
    remove(hash, row) {
      const rows = partitions.get(hash);
      if (rows === undefined) return;
      const position = search(rows, row);
      const found = rows[position];
      if (found === undefined || compare(found, row) !== 0) return;
      if (rows.length === 1) partitions.delete(hash);
      else rows.splice(position, 1);
    },
    *scan(from, segment) {
      for (const hash of order.keys(from?.hash, segment)) {
        const rows = partitions.get(hash) ?? empty;
        if (hash === from?.hash) yield* rows.filter((row) => compare(row, from.place) > 0);
        else yield* rows;
      }
    },
    *all() {
      for (const rows of partitions.values()) yield* rows;
    },
  };
}
