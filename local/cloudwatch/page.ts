import { ServiceError } from '../service.ts';

/** One page of a list, and the token of the next one where there is more. */
export function page<Item>(
  all: readonly Item[],
  token: string | undefined,
  size: number,
): { items: Item[]; next: { NextToken?: string } } {
  if (token !== undefined && !/^\d+$/.test(token))
    throw new ServiceError('InvalidNextToken', `The next token '${token}' is not one that this action gave.`);
  const start = Number(token ?? 0);
  const end = start + size;
  return { items: all.slice(start, end), next: end < all.length ? { NextToken: String(end) } : {} };
}
