/** Runs `work` over all items, at most `limit` at once, and gives the results in the items' order. */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index] as Item, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

/** Splits a list into parts of at most `size`. */
export function partsOf<Item>(items: readonly Item[], size: number): Item[][] {
  const parts: Item[][] = [];
  for (let start = 0; start < items.length; start += size) parts.push(items.slice(start, start + size));
  return parts;
}

interface Waiting {
  enter(): void;
  next: Waiting | undefined;
}

/** Lets at most `limit` works run at once; the others wait their turn, in the order in which they came. */
export function createGate(limit: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  // Linked, so that who has entered is held by nobody, also in a queue that is never empty.
  let first: Waiting | undefined;
  let last: Waiting | undefined;
  const leave = () => {
    if (first === undefined) {
      running--;
      return;
    }
    const { enter } = first;
    first = first.next;
    if (first === undefined) last = undefined;
    enter();
  };
  const wait = () =>
    new Promise<void>((enter) => {
      const waiting: Waiting = { enter, next: undefined };
      if (last === undefined) first = waiting;
      else last.next = waiting;
      last = waiting;
    });
  return async (work) => {
    if (running < limit) running++;
    else await wait();
    try {
      return await work();
    } finally {
      leave();
    }
  };
}

/** Lines under names. */
export interface Lines {
  /** Runs the work when all earlier ones of the line are settled, well or not; at once when there is none. */
  run<Result>(line: string, work: () => Promise<Result>): Promise<Result>;
  /** Whether a work would run at once. */
  idle(line: string): boolean;
}

/** Runs the works of each line one after another. Lines that are idle are not kept. */
export function createLines(): Lines {
  const ends = new Map<string, Promise<void>>();
  return {
    run(line, work) {
      const earlier = ends.get(line);
      const result = earlier === undefined ? work() : earlier.then(work);
      const leave = () => {
        if (ends.get(line) === end) ends.delete(line);
      };
      const end: Promise<void> = result.then(leave, leave);
      ends.set(line, end);
      return result;
    },
    idle: (line) => !ends.has(line),
  };
}
