import { leadingKeys, queriedKey } from './leading-keys.ts';
import { statementDemand } from './partiql.ts';
import {
  anything,
  type Demand,
  entries,
  type Input,
  members,
  type Place,
  type Row,
  type Rows,
  rowsFor,
  text,
} from './row.ts';
import { indexArn, tableArn } from './table-arn.ts';

const tableOf = ({ TableName }: Input, place: Place): string => tableArn(text(TableName), place);

/** The keys of one item, when a statement looks at them. The function has no name: under loaders that keep names, one costs a microsecond. */
const keysOf = (table: string, item: unknown, place: Place, more?: Readonly<Record<string, string>>) => () =>
  leadingKeys(table, [members(item)], place, more);

/** An action on one item, named by its key or as a whole. */
const itemRow =
  (name: string, member: 'Key' | 'Item'): Row =>
  (input, place) => ({
    action: name,
    resource: tableOf(input, place),
    conditions: keysOf(text(input.TableName), input[member], place),
  });

const searchRow =
  (name: string, conditions: (input: Input, place: Place) => ReturnType<typeof queriedKey>): Row =>
  (input, place) => ({
    action: name,
    resource:
      input.IndexName === undefined
        ? tableOf(input, place)
        : indexArn(text(input.TableName), text(input.IndexName), place),
    conditions: () => conditions(input, place),
  });

/** A scan brings no keys: `ForAllValues` holds, which is why AWS advises not to allow Scan under such a condition. */
const noKeys = () => ({});

/** What one part of a transaction needs. Members are named one by one: to look them up by a list costs several times that. */
function partOf(item: Input): { readonly action: string; readonly on: unknown } | undefined {
  if (item.Put !== undefined) return { action: 'dynamodb:PutItem', on: item.Put };
  if (item.Update !== undefined) return { action: 'dynamodb:UpdateItem', on: item.Update };
  if (item.ConditionCheck !== undefined)
    return { action: 'dynamodb:ConditionCheckItem', on: item.ConditionCheck };
  if (item.Delete !== undefined) return { action: 'dynamodb:DeleteItem', on: item.Delete };
  return item.Get === undefined ? undefined : { action: 'dynamodb:GetItem', on: item.Get };
}

/** A loop of its own: transactions are many, and this is on the way of each. */
const transactionRow =
  (enclosing: string): Row =>
  ({ TransactItems }, place) => {
    const needed: Demand[] = [];
    for (const item of entries(TransactItems)) {
      const part = partOf(item);
      if (part === undefined) continue;
      const { action, on } = part;
      const { TableName, Key, Item } = members(on);
      const table = text(TableName);
      needed.push({
        action,
        resource: tableArn(table, place),
        conditions: keysOf(table, Key ?? Item, place, { 'dynamodb:enclosingoperation': enclosing }),
      });
    }
    return needed;
  };

const batchRow =
  (name: string, itemsOf: (requests: unknown) => readonly Input[]): Row =>
  ({ RequestItems }, place) =>
    Object.entries(members(RequestItems)).map(([table, requests]) => ({
      action: name,
      resource: tableArn(table, place),
      conditions: () => leadingKeys(table, itemsOf(requests), place),
    }));

const statementsRow =
  (member: 'Statements' | 'TransactStatements'): Row =>
  (input, place) =>
    entries(input[member]).flatMap((statement) => statementDemand(statement, place) ?? []);

/**
 * Service Authorization Reference, "Actions, resources, and condition keys for Amazon DynamoDB"; a transaction needs
 * what its parts need (DynamoDB developer guide, "Amazon DynamoDB Transactions: How it works").
 */
export const dynamodb: Rows = {
  ...rowsFor(
    'dynamodb',
    [
      ...['CreateTable', 'DeleteTable', 'DescribeContinuousBackups', 'DescribeTable', 'DescribeTimeToLive'],
      ...['UpdateContinuousBackups', 'UpdateTable', 'UpdateTimeToLive'],
    ],
    tableOf,
  ),
  ...rowsFor('dynamodb', ['ListTables'], anything),
  ...rowsFor('dynamodb', ['ListTagsOfResource', 'TagResource', 'UntagResource'], ({ ResourceArn }) =>
    text(ResourceArn),
  ),
  GetItem: itemRow('dynamodb:GetItem', 'Key'),
  PutItem: itemRow('dynamodb:PutItem', 'Item'),
  DeleteItem: itemRow('dynamodb:DeleteItem', 'Key'),
  UpdateItem: itemRow('dynamodb:UpdateItem', 'Key'),
  Query: searchRow('dynamodb:Query', queriedKey),
  Scan: searchRow('dynamodb:Scan', noKeys),
  BatchGetItem: batchRow('dynamodb:BatchGetItem', (requests) => entries(members(requests).Keys)),
  BatchWriteItem: batchRow('dynamodb:BatchWriteItem', (requests) =>
    entries(requests).map(({ PutRequest, DeleteRequest }) =>
      members(PutRequest === undefined ? members(DeleteRequest).Key : members(PutRequest).Item),
    ),
  ),
  TransactGetItems: transactionRow('TransactGetItems'),
  TransactWriteItems: transactionRow('TransactWriteItems'),
  ExecuteStatement: (input, place) => statementDemand(input, place) ?? [],
  BatchExecuteStatement: statementsRow('Statements'),
  ExecuteTransaction: statementsRow('TransactStatements'),
};

/** An iterator begins with the ARN of its stream. */
const streamOf = ({ ShardIterator }: Input): string => text(ShardIterator).split('|', 1)[0] || '*';

export const dynamodbstreams: Rows = {
  ...rowsFor('dynamodb', ['DescribeStream', 'GetShardIterator'], ({ StreamArn }) => text(StreamArn)),
  ...rowsFor('dynamodb', ['GetRecords'], streamOf),
  ...rowsFor(
    'dynamodb',
    ['ListStreams'],
    ({ TableName }, place) => `${tableArn(text(TableName) || '*', place)}/stream/*`,
  ),
};
