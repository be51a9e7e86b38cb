import { invalidValue } from './errors.ts';

/**
 * One page of a list. Without a maximum SQS gives up to 1,000 and no token (API reference, ListQueues).
 */
export function paginate(
  items: readonly string[],
  maximum: number | undefined,
  token: string | undefined,
): { items: string[]; nextToken: string | undefined } {
  if (maximum !== undefined && (!Number.isInteger(maximum) || maximum < 1 || maximum > 1000)) {
    throw invalidValue(maximum, 'MaxResults', 'MaxResults must be an integer between 1 and 1000.');
  }
  const start = token === undefined ? 0 : startOf(items, token);
  const end = start + (maximum ?? 1000);
  const nextToken =
    maximum !== undefined && end < items.length ? Buffer.from(items[end - 1]!).toString('base64') : undefined;
  return { items: items.slice(start, end), nextToken };
}

// A token names the last item that was given, so that it stays right when items before it go.
function startOf(items: readonly string[], token: string): number {
  const last = Buffer.from(token, 'base64').toString();
  if (Buffer.from(last).toString('base64') !== token) {
    throw invalidValue(token, 'NextToken', 'Use the NextToken of an earlier answer.');
  }
  const index = items.findIndex((item) => item > last);
  return index < 0 ? items.length : index;
}
