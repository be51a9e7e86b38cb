import type { Random } from '../../lib/base/index.ts';
import { createHeap } from './heap.ts';
import type { StoredMessage } from './message.ts';
import { QUOTAS } from './quotas.ts';
import type { Shelf } from './shelf.ts';

/**
 * The shelf of a standard queue: the oldest first, as far as `reorderWindow` lets it. With a window of w, a
 * message may be overtaken by the w that were sent after it.
 */
export function createStandardShelf(random: Random, reorderWindow: number): Shelf {
  const visible = createHeap<StoredMessage>(
    (a, b) => a.order < b.order || (a.order === b.order && a.number < b.number),
  );
  let last = 0;
  return {
    entered(message) {
      last = message.number;
      message.order = message.number + (reorderWindow > 0 ? random.next() * reorderWindow : 0);
    },
    shown(message) {
      // SQS developer guide, CloudWatch metrics: after three receives a message goes to the back of the queue.
      if (message.receipts >= QUOTAS.receivesBeforeLastInLine) message.order = last + 1;
      visible.push(message);
    },
    hidden: visible.remove,
    released() {},
    left(message) {
      if (message.state === 'visible') visible.remove(message);
    },
    take(limit, accept) {
      const taken: StoredMessage[] = [];
      while (taken.length < limit) {
        const message = visible.peek();
        if (message === undefined) break;
        visible.remove(message);
        if (accept(message)) taken.push(message);
      }
      return taken;
    },
    settle() {},
    groupsInFlight: () => 0,
    clear: () => visible.clear(),
  };
}
