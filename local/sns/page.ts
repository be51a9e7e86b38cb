import { invalidParameter } from './errors.ts';

// SNS API reference: lists come in pages of 100.
const PAGE = 100;

/** One page of a list, and the token of the next one where there is more. */
export function page<Item>(
  all: readonly Item[],
  token: string | undefined,
): { items: readonly Item[]; next: { NextToken?: string } } {
  if (token !== undefined && !/^\d+$/.test(token)) throw invalidParameter(`NextToken: found '${token}'`);
  const start = Number(token ?? 0);
  const end = start + PAGE;
  return { items: all.slice(start, end), next: end < all.length ? { NextToken: String(end) } : {} };
}
