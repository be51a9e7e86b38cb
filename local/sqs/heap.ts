/** What a heap stores: an item that remembers its own place, so that it can be taken out of the middle. */
export interface Placed {
  /** Index in the one heap that holds the item, -1 when none does. */
  position: number;
}

/** A binary heap whose items can be removed from anywhere in O(log n); no garbage stays behind. */
export interface Heap<T extends Placed> {
  readonly size: () => number;
  readonly peek: () => T | undefined;
  readonly push: (item: T) => void;
  readonly remove: (item: T) => void;
  readonly clear: () => void;
}

export function createHeap<T extends Placed>(before: (a: T, b: T) => boolean): Heap<T> {
  const items: T[] = [];

  const up = (item: T, start: number) => {
    let index = start;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = items[parentIndex]!;
      if (!before(item, parent)) break;
      items[index] = parent;
      parent.position = index;
      index = parentIndex;
    }
    items[index] = item;
    item.position = index;
  };

  const down = (item: T, start: number) => {
    let index = start;
    for (;;) {
      let childIndex = 2 * index + 1;
      if (childIndex >= items.length) break;
      if (childIndex + 1 < items.length && before(items[childIndex + 1]!, items[childIndex]!)) childIndex++;
      const child = items[childIndex]!;
      if (!before(child, item)) break;
      items[index] = child;
      child.position = index;
      index = childIndex;
    }
    items[index] = item;
    item.position = index;
  };

  return {
    size: () => items.length,
    peek: () => items[0],
    push(item) {
      items.push(item);
      up(item, items.length - 1);
    },
    remove(item) {
      const index = item.position;
      if (index < 0) return;
      item.position = -1;
      const last = items.pop()!;
      if (last === item) return;
      if (index > 0 && before(last, items[(index - 1) >> 1]!)) up(last, index);
      else down(last, index);
    },
    clear() {
      for (const item of items) item.position = -1;
      items.length = 0;
    },
  };
}
