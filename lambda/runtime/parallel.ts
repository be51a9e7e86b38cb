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

/** Lets at most `limit` works run at once; the others wait their turn, in the order in which they came. */
export function createGate(limit: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  // A list with a head instead of shift(), which would move the whole rest of a long queue.
  let waiting: (() => void)[] = [];
  let head = 0;
  const leave = () => {
    const next = waiting[head];
    if (next === undefined) {
      running--;
      waiting = [];
      head = 0;
      return;
    }
    head++;
    next();
  };
  return async (work) => {
    if (running < limit) running++;
    else await new Promise<void>((enter) => waiting.push(enter));
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
