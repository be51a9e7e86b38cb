import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHeap, type Placed } from '../../../local/sqs/heap.ts';

interface Item extends Placed {
  readonly key: number;
}

describe('a heap gives the smallest first', () => {
  it('also after items were taken out of its middle', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(50), { minLength: 1, maxLength: 60 }),
        fc.array(fc.nat(), { maxLength: 40 }),
        (keys, removals) => {
          const heap = createHeap<Item>((a, b) => a.key < b.key);
          const items = keys.map((key) => ({ key, position: -1 }));
          for (const item of items) heap.push(item);
          const left = [...items];
          for (const removal of removals) {
            const [item] = left.splice(removal % Math.max(1, left.length), 1);
            if (item !== undefined) heap.remove(item);
          }
          expect(heap.size()).toBe(left.length);
          const order: number[] = [];
          for (let item = heap.peek(); item !== undefined; item = heap.peek()) {
            order.push(item.key);
            heap.remove(item);
            heap.remove(item);
          }
          expect(order).toEqual(left.map(({ key }) => key).sort((a, b) => a - b));
        },
      ),
      { numRuns: 300 },
    );
  });
});
