import {
  type AttributeValue,
  CreateTableCommand,
  DeleteItemCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactGetItemsCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import type { World } from '../world.ts';
import { type Kind, observed, type Step } from './observe.ts';

const key = fc.constantFrom('a', 'b', 'c');
const n = fc.nat({ max: 3 });

/** Conditions: those that need values name them `:n` (a number), `:s` (the text "x") and `:t` (a type). */
const conditions = [
  undefined,
  'attribute_not_exists(pk)',
  'attribute_exists(pk)',
  'attribute_exists(n) AND n = :n',
  'n < :n',
  'n <> :n',
  'n BETWEEN :n AND :n',
  'n IN (:n, :s)',
  'NOT n > :n',
  'begins_with(s, :s)',
  'contains(s, :s)',
  'contains(l, :n)',
  'size(s) > :n',
  'size(l) = :n OR attribute_not_exists(l)',
  'attribute_type(n, :t)',
  's = :n',
  'm.k = :n',
  'l[0] = :n',
  '(n = :n OR s = :s) AND attribute_exists(pk)',
] as const;

const updates = [
  'SET n = :n',
  'SET n = n + :n',
  'SET n = if_not_exists(n, :n) + :n',
  'SET s = :s REMOVE n',
  'ADD n :n',
  'ADD ss :set',
  'DELETE ss :set',
  'REMOVE l[0]',
  'SET l = list_append(if_not_exists(l, :l), :l)',
  'SET l[1] = :n',
  'SET m.k = :n',
  'SET m = :m',
  'SET pk = :s',
  'SET n = :n, n = :n',
  'SET n = s + :n',
] as const;

const values: Readonly<Record<string, (number: number) => AttributeValue>> = {
  ':n': (number) => ({ N: `${number}` }),
  ':s': () => ({ S: 'x' }),
  ':t': () => ({ S: 'N' }),
  ':set': (number) => ({ SS: ['x', `y${number}`] }),
  ':l': (number) => ({ L: [{ N: `${number}` }] }),
  ':m': (number) => ({ M: { k: { N: `${number}` } } }),
};

/** The values that expressions name: others would be refused. */
function valuesIn(number: number, ...expressions: readonly (string | undefined)[]) {
  const names = new Set(expressions.flatMap((text) => text?.match(/:[a-z]+/g) ?? []));
  return names.size === 0
    ? {}
    : {
        ExpressionAttributeValues: Object.fromEntries(
          [...names].map((name) => [name, values[name]!(number)]),
        ),
      };
}

const itemOf = (pk: string, number: number): Record<string, AttributeValue> => ({
  pk: { S: pk },
  n: { N: `${number}` },
  s: { S: 'xyz'.slice(0, number) || 'w' },
  l: { L: [{ N: `${number}` }] },
});

const condition = fc.constantFrom(...conditions);
const returned = fc.constantFrom(undefined, 'ALL_OLD');

/** Steps on one item at a time. */
export const itemSteps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ op: fc.constant('put'), key, n, condition, returned }) },
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant('update'),
      key,
      n,
      condition,
      update: fc.constantFrom(...updates),
      returned: fc.constantFrom(undefined, 'ALL_OLD', 'ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('delete'), key, n, condition, returned }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('get'), key }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('query'),
      key,
      n,
      filter: fc.constantFrom(undefined, 'n >= :n', 'attribute_exists(l)'),
    }),
  },
);

const action = fc.record({
  kind: fc.constantFrom('Put', 'Update', 'Delete', 'ConditionCheck'),
  key,
  n,
  condition,
  update: fc.constantFrom(...updates.slice(0, 6)),
});

/** Steps of transactions. */
export const transactionSteps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant('write'),
      actions: fc.array(action, { minLength: 1, maxLength: 3 }),
      token: fc.constantFrom(undefined, undefined, 'one', 'two'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('read'), keys: fc.array(key, { minLength: 1, maxLength: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('put'), key, n, condition, returned }) },
);

/** What a failed condition, or a cancelled transaction, says. */
const details = (error: Error): unknown => {
  const { Item, CancellationReasons } = error as { Item?: unknown; CancellationReasons?: readonly object[] };
  if (CancellationReasons !== undefined)
    return CancellationReasons.map((each) => {
      const { Code, Item: found } = each as { Code?: string; Item?: unknown };
      return found === undefined ? Code : { Code, found: found };
    });
  return Item;
};

async function prepare(world: World): Promise<(step: Step) => Promise<string>> {
  const { dynamodb, eventually, after } = world;
  const TableName = world.name('table');
  await dynamodb.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    }),
  );
  after(() => dynamodb.send(new DeleteTableCommand({ TableName })));
  await eventually('the table to be active', 20, async () => {
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }));
    return Table?.TableStatus === 'ACTIVE' ? true : undefined;
  });
  const tokens = new Map<string, string>();
  const Key = (pk: unknown) => ({ pk: { S: String(pk) } });
  const sorted = (item: Record<string, AttributeValue> | undefined) =>
    item === undefined
      ? undefined
      : Object.fromEntries(
          Object.entries(item).map(([name, value]) => [
            name,
            value.SS === undefined ? value : { SS: value.SS.toSorted() },
          ]),
        );
  const transacted = (each: Record<string, unknown>): TransactWriteItem => {
    const number = Number(each.n);
    const ConditionExpression = each.condition as string | undefined;
    const common = {
      TableName,
      ConditionExpression,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    };
    switch (each.kind) {
      case 'Put':
        return {
          Put: {
            ...common,
            Item: itemOf(String(each.key), number),
            ...valuesIn(number, ConditionExpression),
          },
        };
      case 'Update':
        return {
          Update: {
            ...common,
            Key: Key(each.key),
            UpdateExpression: String(each.update),
            ...valuesIn(number, ConditionExpression, String(each.update)),
          },
        };
      case 'Delete':
        return { Delete: { ...common, Key: Key(each.key), ...valuesIn(number, ConditionExpression) } };
      default: {
        const needed = ConditionExpression ?? 'attribute_exists(pk)';
        return {
          ConditionCheck: {
            ...common,
            Key: Key(each.key),
            ConditionExpression: needed,
            ...valuesIn(number, needed),
          },
        };
      }
    }
  };

  return (step) =>
    observed(async () => {
      const number = Number(step.n);
      const ConditionExpression = step.condition as string | undefined;
      const ReturnValuesOnConditionCheckFailure = 'ALL_OLD' as const;
      const common = { TableName, ConditionExpression, ReturnValuesOnConditionCheckFailure };
      switch (step.op) {
        case 'put': {
          const { Attributes } = await dynamodb.send(
            new PutItemCommand({
              ...common,
              Item: itemOf(String(step.key), number),
              ReturnValues: step.returned as 'ALL_OLD' | undefined,
              ...valuesIn(number, ConditionExpression),
            }),
          );
          return sorted(Attributes);
        }
        case 'update': {
          const { Attributes } = await dynamodb.send(
            new UpdateItemCommand({
              ...common,
              Key: Key(step.key),
              UpdateExpression: String(step.update),
              ReturnValues: step.returned as 'ALL_OLD' | undefined,
              ...valuesIn(number, ConditionExpression, String(step.update)),
            }),
          );
          return sorted(Attributes);
        }
        case 'delete': {
          const { Attributes } = await dynamodb.send(
            new DeleteItemCommand({
              ...common,
              Key: Key(step.key),
              ReturnValues: step.returned as 'ALL_OLD' | undefined,
              ...valuesIn(number, ConditionExpression),
            }),
          );
          return sorted(Attributes);
        }
        case 'query': {
          const FilterExpression = step.filter as string | undefined;
          const {
            Items = [],
            Count,
            ScannedCount,
          } = await dynamodb.send(
            new QueryCommand({
              TableName,
              KeyConditionExpression: 'pk = :pk',
              FilterExpression,
              ExpressionAttributeValues: {
                ':pk': { S: String(step.key) },
                ...valuesIn(number, FilterExpression).ExpressionAttributeValues,
              },
            }),
          );
          return [Count, ScannedCount, ...Items.map(sorted)];
        }
        case 'write': {
          const given = step.token as string | undefined;
          if (given !== undefined && !tokens.has(given)) tokens.set(given, world.name(given).slice(0, 36));
          await dynamodb.send(
            new TransactWriteItemsCommand({
              TransactItems: (step.actions as Record<string, unknown>[]).map(transacted),
              ClientRequestToken: given === undefined ? undefined : tokens.get(given),
            }),
          );
          return 'written';
        }
        case 'read': {
          const { Responses = [] } = await dynamodb.send(
            new TransactGetItemsCommand({
              TransactItems: (step.keys as string[]).map((pk) => ({ Get: { TableName, Key: Key(pk) } })),
            }),
          );
          return Responses.map(({ Item }) => sorted(Item) ?? 'none');
        }
        default: {
          const { Item } = await dynamodb.send(
            new GetItemCommand({ TableName, Key: Key(step.key), ConsistentRead: true }),
          );
          return sorted(Item);
        }
      }
    }, details);
}

export const singleItems: Kind = { name: 'items', title: 'conditional writes of items', prepare };
export const transactions: Kind = { name: 'transactions', title: 'transactions', prepare };
