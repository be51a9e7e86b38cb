import { type Clock, type Milliseconds, milliseconds, type Timer } from '../lib/base/index.ts';

/**
 * A clock that stands still until it is told to move.
 *
 * @example
 * ```ts
 * const clock: VirtualClock = createVirtualClock();
 * await clock.advance(milliseconds(3_600_000));
 * ```
 */
export interface VirtualClock extends Clock {
  /**
   * Moves time forward by `length` milliseconds, running every timer that falls due, in the order of time and,
   * at the same moment, in the order in which they were set. After each timer, everything that it made ready
   * runs before the next one does.
   */
  advance(length: Milliseconds): Promise<void>;
  /** Lets everything that is ready run, without moving time. */
  settle(): Promise<void>;
  /** When the next timer falls due; `undefined` when none is set. */
  nextTimer(): Milliseconds | undefined;
}

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly task: () => void;
}

/**
 * A virtual clock for tests and simulations: hours pass in milliseconds, always in the same order.
 *
 * @param start - the first moment, milliseconds since the Unix epoch; default 2026-01-01T00:00:00Z
 * @example
 * ```ts
 * const clock = createVirtualClock();
 * clock.after(milliseconds(60_000), () => console.log('a minute later'));
 * await clock.advance(milliseconds(60_000));
 * ```
 */
export function createVirtualClock(start: Milliseconds = milliseconds(Date.UTC(2026, 0, 1))): VirtualClock {
  let now: number = start;
  let order = 0;
  // A binary heap by (at, order); cancelled entries are dropped when they surface.
  const heap: Entry[] = [];
  const cancelled = new WeakSet<Entry>();

  const before = (a: Entry, b: Entry) => a.at < b.at || (a.at === b.at && a.order < b.order);
  const push = (entry: Entry) => {
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!before(entry, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = entry;
  };
  const pop = (): Entry | undefined => {
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || top === last) return top;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
      if (!before(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
    return top;
  };
  const peek = (): Entry | undefined => {
    while (heap[0] !== undefined && cancelled.has(heap[0])) pop();
    return heap[0];
  };
  // One turn of the event loop runs every promise that is ready; what needs real I/O is not simulated.
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

  return {
    now: () => milliseconds(now),
    after(delay, task): Timer {
      const entry: Entry = { at: now + Math.max(0, delay), order: order++, task };
      push(entry);
      return { cancel: () => cancelled.add(entry) };
    },
    async advance(length) {
      if (!Number.isFinite(length) || length < 0)
        throw new RangeError(
          `The clock was to be advanced by ${length} ms; allowed: 0 and more. Time goes on, and not back.`,
        );
      const end = now + length;
      await settle();
      for (let next = peek(); next !== undefined && next.at <= end; next = peek()) {
        pop();
        now = next.at;
        next.task();
        await settle();
      }
      now = end;
    },
    settle,
    nextTimer() {
      const next = peek();
      return next === undefined ? undefined : milliseconds(next.at);
    },
  };
}
