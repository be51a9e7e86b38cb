import type { AttributeValue, CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { Dispatcher } from '../dispatch.ts';
import type { Item } from '../dynamodb/index.ts';

/**
 * A table of the user's own: the name of its partition key, which is text, or all that CreateTable takes.
 *
 * @example
 * ```ts
 * const tables: Record<string, TableDeclaration> = { charges: 'orderId' };
 * ```
 */
export type TableDeclaration = string | Omit<CreateTableCommandInput, 'TableName'>;

/** Makes a table. */
export async function createTable(aws: Dispatcher, name: string, declared: TableDeclaration): Promise<void> {
  const input: Omit<CreateTableCommandInput, 'TableName'> =
    typeof declared === 'string'
      ? {
          AttributeDefinitions: [{ AttributeName: declared, AttributeType: 'S' }],
          KeySchema: [{ AttributeName: declared, KeyType: 'HASH' }],
        }
      : declared;
  await aws.call('dynamodb', 'CreateTable', { BillingMode: 'PAY_PER_REQUEST', ...input, TableName: name });
}

/**
 * An item as plain values: text, numbers, booleans, null, bytes, lists, objects, and sets as `Set`.
 *
 * @example
 * ```ts
 * const charge: PlainItem = { orderId: 'o-1', cents: 1200 };
 * ```
 */
export type PlainItem = Readonly<Record<string, unknown>>;

export const plainItem = (item: Item): PlainItem =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plain(value)]));

function plain(value: AttributeValue): unknown {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return plainNumber(value.N);
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.NULL !== undefined) return null;
  if (value.B !== undefined) return value.B;
  if (value.L !== undefined) return value.L.map(plain);
  if (value.M !== undefined) return plainItem(value.M);
  if (value.SS !== undefined) return new Set(value.SS);
  if (value.NS !== undefined) return new Set(value.NS.map(plainNumber));
  return new Set(value.BS);
}

/** DynamoDB's 38 digits are more than a number of JavaScript holds: what would change stays text. */
function plainNumber(text: string): number | string {
  const number = Number(text);
  const digits = text.replace(/^-|\.|e.*$/gi, '').replace(/^0+/, '');
  return digits.length > 15 && String(number) !== text ? text : number;
}
