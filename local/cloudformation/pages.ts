import { ServiceError } from '../service.ts';

/** Entries of one answer; CloudFormation gives at most 100 of most things. */
const pageSize = 100;

/** One page of a list, and the token of the next when there is one. */
export function pageOf<Entry>(
  entries: readonly Entry[],
  token: string | undefined,
  size = pageSize,
): { readonly page: Entry[]; readonly NextToken: string | undefined } {
  const start = token === undefined ? 0 : positionOf(token);
  const end = start + size;
  return { page: entries.slice(start, end), NextToken: end < entries.length ? tokenOf(end) : undefined };
}

/**
 * The same of a list to whose front entries are added meanwhile: the token counts from its end, so that a page begins
 * where the one before it ended.
 */
export function pageFromEnd<Entry>(
  entries: readonly Entry[],
  token: string | undefined,
): { readonly page: Entry[]; readonly NextToken: string | undefined } {
  const left = token === undefined ? entries.length : positionOf(token);
  const start = Math.max(0, entries.length - left);
  const end = start + pageSize;
  return {
    page: entries.slice(start, end),
    NextToken: end < entries.length ? tokenOf(entries.length - end) : undefined,
  };
}

const tokenOf = (position: number): string => Buffer.from(`page:${position}`).toString('base64url');

function positionOf(token: string): number {
  const position = /^page:(\d+)$/.exec(Buffer.from(token, 'base64url').toString())?.[1];
  if (position !== undefined) return Number(position);
  throw new ServiceError('ValidationError', `The NextToken ${token} is not one that the model gave.`);
}
