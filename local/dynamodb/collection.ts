/**
 * Rows by partition, in order: the shape that a table and its indexes share. Partitions lie in buckets by a
 * hash of their key, so that a scan runs in an order that has nothing to do with the keys' own, as the service's
 * does, and can go on after any key, deleted ones too.
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
  clear(): void;
}

/** A part of a parallel scan. */
export interface Segment {
  readonly index: number;
  readonly total: number;
}

const bucketBits = 10;
const bucketCount = 1 << bucketBits;

// FNV-1a, 32 bit (Fowler, Noll, Vo; public domain), of which the upper bits choose the bucket.
function bucketOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let position = 0; position < text.length; position++) {
    hash = Math.imul(hash ^ text.charCodeAt(position), 0x01000193);
  }
  // The upper bits of short texts differ little; one more round spreads them.
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return hash >>> (32 - bucketBits);
}

/**
 * An empty collection.
 *
 * @param compare - the order of two rows of one partition; 0 for the same place
 */
export function createCollection<Row>(compare: (a: Row, b: Row) => number): Collection<Row> {
  let buckets: (Map<string, Row[]> | undefined)[] = new Array(bucketCount);
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
  const partition = (hash: string) => buckets[bucketOf(hash)]?.get(hash);

  return {
    partition: (hash) => partition(hash) ?? empty,
    find(hash, place) {
      const rows = partition(hash);
      if (rows === undefined) return undefined;
      const found = rows[search(rows, place)];
      return found !== undefined && compare(found, place) === 0 ? found : undefined;
    },
    put(hash, row) {
      const index = bucketOf(hash);
      let bucket = buckets[index];
      if (bucket === undefined) {
        bucket = new Map();
        buckets[index] = bucket;
      }
      const rows = bucket.get(hash);
      if (rows === undefined) {
        bucket.set(hash, [row]);
        return;
      }
      const position = search(rows, row);
      const found = rows[position];
      if (found === undefined) rows.push(row);
      else if (compare(found, row) === 0) rows[position] = row;
      else rows.splice(position, 0, row);
    },
    remove(hash, row) {
      const bucket = buckets[bucketOf(hash)];
      const rows = bucket?.get(hash);
      if (bucket === undefined || rows === undefined) return;
      const position = search(rows, row);
      const found = rows[position];
      if (found === undefined || compare(found, row) !== 0) return;
      if (rows.length === 1) bucket.delete(hash);
      else rows.splice(position, 1);
    },
    *scan(from, segment = { index: 0, total: 1 }) {
      const first = from === undefined ? 0 : bucketOf(from.hash);
      for (let index = first; index < bucketCount; index++) {
        const bucket = buckets[index];
        if (bucket === undefined || index % segment.total !== segment.index) continue;
        for (const hash of [...bucket.keys()].sort()) {
          const rows = bucket.get(hash) ?? empty;
          if (from === undefined || index > first || hash > from.hash) yield* rows;
          else if (hash === from.hash) yield* rows.filter((row) => compare(row, from.place) > 0);
        }
      }
    },
    clear() {
      buckets = new Array(bucketCount);
    },
  };
}
