import type { Segment } from './collection.ts';

/** The order in which a scan comes to partitions: by a hash of their keys. */
export interface ScanOrder {
  /** A new partition. */
  added(hash: string): void;
  /** The keys of all partitions from a key on, that key included where it exists; each once. */
  keys(from?: string, segment?: Segment): Generator<string>;
}

interface Entry {
  readonly digest: number;
  readonly key: string;
}

// FNV-1a, 32 bit (Fowler, Noll, Vo; public domain), and one more round, since short texts differ in few bits.
function digestOf(text: string): number {
  let digest = 0x811c9dc5;
  for (let position = 0; position < text.length; position++) {
    digest = Math.imul(digest ^ text.charCodeAt(position), 0x01000193);
  }
  return Math.imul(digest ^ (digest >>> 15), 0x85ebca6b) >>> 0;
}

const compare = (a: Entry, b: Entry): number =>
  a.digest - b.digest || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/**
 * The order of the partitions of a map. It is made when the first scan asks for it, and kept up from then on by
 * merging what has come since, so that a scan of many pages beside many writes stays cheap and writes pay nothing
 * for scans that nobody makes. Keys that are gone stay in it until most of it is gone.
 */
export function createScanOrder(partitions: ReadonlyMap<string, unknown>): ScanOrder {
  let sorted: Entry[] | undefined;
  let pending: string[] = [];

  const entry = (key: string): Entry => ({ digest: digestOf(key), key });

  const upToDate = (): readonly Entry[] => {
    if (sorted === undefined || sorted.length + pending.length > 2 * partitions.size + 1_000) {
      sorted = [...partitions.keys()].map(entry).sort(compare);
      pending = [];
    } else if (pending.length > 0) {
      sorted = merge(sorted, pending.map(entry).sort(compare));
      pending = [];
    }
    return sorted;
  };

  return {
    added(hash) {
      if (sorted !== undefined) pending.push(hash);
    },
    *keys(from, segment) {
      const entries = upToDate();
      for (
        let index = from === undefined ? 0 : search(entries, entry(from));
        index < entries.length;
        index++
      ) {
        const { digest, key } = entries[index]!;
        if (segment !== undefined && Math.floor((digest / 2 ** 32) * segment.total) !== segment.index)
          continue;
        if (partitions.has(key)) yield key;
      }
    },
  };
}

/** Merges two sorted lists; a key that was deleted and has come again stands once. */
function merge(a: readonly Entry[], b: readonly Entry[]): Entry[] {
  const merged: Entry[] = [];
  let left = 0;
  let right = 0;
  while (left < a.length || right < b.length) {
    const first = a[left];
    const second = b[right];
    const order = first === undefined ? 1 : second === undefined ? -1 : compare(first, second);
    if (order <= 0) left++;
    if (order >= 0) right++;
    const next = order <= 0 ? first! : second!;
    if (merged.at(-1)?.key !== next.key) merged.push(next);
  }
  return merged;
}

/** The first position whose entry is not before `place`. */
function search(entries: readonly Entry[], place: Entry): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(entries[middle]!, place) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
