import {
  type AttributeValue,
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteItemCommand,
  type DeleteItemCommandInput,
  DeleteTableCommand,
  DescribeTableCommand,
  GetItemCommand,
  type GetItemCommandInput,
  type GlobalSecondaryIndex,
  PutItemCommand,
  type PutItemCommandInput,
  QueryCommand,
  type QueryCommandInput,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { World } from '../../world.ts';

/** An item, or a part of one, as the SDK has it. */
export type Item = Record<string, AttributeValue>;

/** A JavaScript value of an item; what it cannot say is given as {@link exactly}. */
export type Plain =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | Set<string>
  | Set<number>
  | Exact
  | readonly Plain[]
  | { readonly [name: string]: Plain };

const marked = Symbol('exact');
interface Exact {
  readonly [marked]: AttributeValue;
}

/** A value as the SDK writes it: `exactly({ N: '1.10' })`. */
export const exactly = (value: AttributeValue): Exact => ({ [marked]: value });

/** A JavaScript value as an attribute value. */
export function value(plain: Plain): AttributeValue {
  if (typeof plain === 'string') return { S: plain };
  if (typeof plain === 'number') return { N: String(plain) };
  if (typeof plain === 'boolean') return { BOOL: plain };
  if (plain === null) return { NULL: true };
  if (plain instanceof Uint8Array) return { B: plain };
  if (plain instanceof Set) {
    const members: (string | number)[] = [...plain];
    return typeof members[0] === 'number' ? { NS: members.map(String) } : { SS: members.map(String) };
  }
  if (isExact(plain)) return plain[marked];
  return Array.isArray(plain) ? { L: plain.map(value) } : { M: item(plain as Record<string, Plain>) };
}

const isExact = (plain: object): plain is Exact => marked in plain;

/** A JavaScript object as an item. */
export const item = (plain: Readonly<Record<string, Plain>>): Item =>
  Object.fromEntries(Object.entries(plain).map(([name, member]) => [name, value(member)]));

/** What an expression stands on: `names` without `#`, `values` without `:`. */
export interface Bound {
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, Plain>>;
}

/** The names and values of an expression as a request has them. */
export const bound = ({ names, values }: Bound) => ({
  ...(names === undefined
    ? {}
    : {
        ExpressionAttributeNames: Object.fromEntries(
          Object.entries(names).map(([name, stands]) => [`#${name}`, stands]),
        ),
      }),
  ...(values === undefined
    ? {}
    : {
        ExpressionAttributeValues: Object.fromEntries(
          Object.entries(values).map(([name, plain]) => [`:${name}`, value(plain)]),
        ),
      }),
});

type Rest<Input> = Partial<Omit<Input, 'TableName'>> & Bound;

function rest<Input>({ names, values, ...more }: Rest<Input>) {
  return { ...more, ...bound({ ...(names && { names }), ...(values && { values }) }) };
}

export interface TableOptions {
  /** The type of the sort key `sk`; without one, `pk` alone is the key. */
  readonly range?: 'S' | 'N' | 'B';
  readonly indexes?: readonly GlobalSecondaryIndex[];
  /** Further attributes of keys, of type S where nothing is said. */
  readonly defined?: Readonly<Record<string, 'S' | 'N' | 'B'>>;
  readonly more?: Partial<CreateTableCommandInput>;
}

/** A table of one case, with its actions in few words. The partition key is `pk`, a string. */
export type Table = Awaited<ReturnType<typeof table>>;

/** Makes a table on demand and waits until it can be used. */
export async function table(world: World, { range, indexes, defined = {}, more = {} }: TableOptions = {}) {
  const { dynamodb } = world;
  const TableName = world.name('table');
  const keys = { pk: 'S' as const, ...(range === undefined ? {} : { sk: range }), ...defined };
  const { TableDescription } = await dynamodb.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: Object.entries(keys).map(([AttributeName, AttributeType]) => ({
        AttributeName,
        AttributeType,
      })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        ...(range === undefined ? [] : [{ AttributeName: 'sk', KeyType: 'RANGE' as const }]),
      ],
      ...(indexes === undefined ? {} : { GlobalSecondaryIndexes: [...indexes] }),
      ...more,
    }),
  );
  world.after(() => dynamodb.send(new DeleteTableCommand({ TableName })));
  await active(world, TableName);
  const keyOf = (key: string | Readonly<Record<string, Plain>>) =>
    item(typeof key === 'string' ? { pk: key } : key);
  return {
    name: TableName,
    arn: TableDescription?.TableArn ?? '',
    streamArn: TableDescription?.LatestStreamArn ?? '',
    put: (plain: Readonly<Record<string, Plain>>, options: Rest<PutItemCommandInput> = {}) =>
      dynamodb.send(new PutItemCommand({ TableName, Item: item(plain), ...rest(options) })),
    update: (
      key: string | Readonly<Record<string, Plain>>,
      UpdateExpression: string,
      options: Rest<UpdateItemCommandInput> = {},
    ) =>
      dynamodb.send(
        new UpdateItemCommand({ TableName, Key: keyOf(key), UpdateExpression, ...rest(options) }),
      ),
    remove: (key: string | Readonly<Record<string, Plain>>, options: Rest<DeleteItemCommandInput> = {}) =>
      dynamodb.send(new DeleteItemCommand({ TableName, Key: keyOf(key), ...rest(options) })),
    get: async (key: string | Readonly<Record<string, Plain>>, options: Rest<GetItemCommandInput> = {}) =>
      (
        await dynamodb.send(
          new GetItemCommand({ TableName, Key: keyOf(key), ConsistentRead: true, ...rest(options) }),
        )
      ).Item,
    query: (KeyConditionExpression: string, options: Rest<QueryCommandInput> = {}) =>
      dynamodb.send(new QueryCommand({ TableName, KeyConditionExpression, ...rest(options) })),
  };
}

/** Waits until a table and its indexes can be used; an index that is being added is named. */
export const active = (world: World, TableName: string, added?: string) =>
  world.eventually('the table to become ACTIVE', 60, async () => {
    const { Table } = await world.dynamodb.send(new DescribeTableCommand({ TableName }));
    const indexes = Table?.GlobalSecondaryIndexes ?? [];
    const ready =
      Table?.TableStatus === 'ACTIVE' &&
      indexes.every(({ IndexStatus = 'ACTIVE' }) => IndexStatus === 'ACTIVE') &&
      (added === undefined || indexes.some(({ IndexName }) => IndexName === added));
    return ready ? Table : undefined;
  });

/** A global index over one or two attributes, of all or of some attributes. */
export const index = (
  IndexName: string,
  hash: string,
  range?: string,
  Projection: GlobalSecondaryIndex['Projection'] = { ProjectionType: 'ALL' },
): GlobalSecondaryIndex => ({
  IndexName,
  KeySchema: [
    { AttributeName: hash, KeyType: 'HASH' },
    ...(range === undefined ? [] : [{ AttributeName: range, KeyType: 'RANGE' as const }]),
  ],
  Projection,
});

/** Pages of documentation that many cases name. */
export const pages = {
  conditions: 'DynamoDB developer guide, "Condition and filter expressions, operators, and functions"',
  updates: 'DynamoDB developer guide, "Using update expressions in DynamoDB"',
  quotas: 'DynamoDB developer guide, "Quotas in Amazon DynamoDB"',
  naming: 'DynamoDB developer guide, "Supported data types and naming rules"',
  transactions: 'DynamoDB developer guide, "Amazon DynamoDB Transactions: How it works"',
  api: (action: string) => `DynamoDB API reference, "${action}"`,
} as const;

export const conditionFailed = { name: 'ConditionalCheckFailedException' } as const;
export const invalid = { name: 'ValidationException' } as const;
