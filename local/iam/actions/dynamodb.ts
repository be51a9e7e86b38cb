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

/** An action on one item, named by its key or as a whole. */
const itemRow =
  (name: string, member: 'Key' | 'Item'): Row =>
  (input, place) => ({
    action: name,
    resource: tableOf(input, place),
    conditions: () => leadingKeys(text(input.TableName), [members(input[member])], place),
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

/** What one part of a transaction needs. */
const parts = {
  ConditionCheck: 'dynamodb:ConditionCheckItem',
  Delete: 'dynamodb:DeleteItem',
  Get: 'dynamodb:GetItem',
  Put: 'dynamodb:PutItem',
  Update: 'dynamodb:UpdateItem',
} as const;

const partNames = Object.keys(parts) as readonly (keyof typeof parts)[];

/** A loop of its own: transactions are many, and this is on the way of each. */
const transactionRow =
  (enclosing: string): Row =>
  ({ TransactItems }, place) => {
    const needed: Demand[] = [];
    for (const item of entries(TransactItems)) {
      const part = partNames.find((name) => item[name] !== undefined);
      if (part === undefined) continue;
      const { TableName, Key, Item } = members(item[part]);
      const table = text(TableName);
      const conditions = () =>
        leadingKeys(table, [members(Key ?? Item)], place, { 'dynamodb:enclosingoperation': enclosing });
      needed.push({ action: parts[part], resource: tableArn(table, place), conditions });
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
