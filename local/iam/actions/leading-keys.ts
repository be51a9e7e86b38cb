import { untold } from '../language/index.ts';
import { type Input, members, type Place, text } from './row.ts';

type Values = Readonly<Record<string, string | readonly string[] | undefined>>;

const textOf = (value: unknown): string | undefined => {
  const { S, N, B } = members(value);
  if (typeof S === 'string') return S;
  if (typeof N === 'string') return N;
  return B instanceof Uint8Array ? Buffer.from(B).toString('base64') : undefined;
};

/** The partition keys of items or keys of one table (DynamoDB developer guide, "Specifying conditions"). */
export function leadingKeys(table: string, items: readonly Input[], place: Place, more: Values = {}): Values {
  const name = place.partitionKey?.(table);
  const found = items.map((item) => (name === undefined ? undefined : textOf(item[name])));
  const isTold = found.every((each) => each !== undefined);
  return { 'dynamodb:leadingkeys': isTold ? (found as readonly string[]) : untold, ...more };
}

/** The partition key of a Query: what its condition sets it equal to. */
export function queriedKey(input: Input, place: Place): Values {
  const name = input.IndexName === undefined ? place.partitionKey?.(text(input.TableName)) : undefined;
  const names = members(input.ExpressionAttributeNames);
  const values = members(input.ExpressionAttributeValues);
  for (const [, left = '', right = ''] of text(input.KeyConditionExpression).matchAll(
    /([#\w.-]+)\s*=\s*(:\w+)/g,
  )) {
    const value = textOf(values[right]);
    if (name !== undefined && value !== undefined && (names[left] ?? left) === name)
      return { 'dynamodb:leadingkeys': [value] };
  }
  return { 'dynamodb:leadingkeys': untold };
}
