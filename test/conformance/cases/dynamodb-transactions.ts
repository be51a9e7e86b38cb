import { deepEqual, equal } from 'node:assert/strict';
import {
  TransactGetItemsCommand,
  type TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  type TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';
import { group } from '../case.ts';
import type { World } from '../world.ts';
import { invalid, item, pages, table, value } from './kit/dynamodb.ts';
import { refused } from './kit/refusal.ts';

const cancelled = { name: 'TransactionCanceledException' } as const;

const write = (
  { dynamodb }: World,
  TransactItems: TransactWriteItem[],
  more: Partial<TransactWriteItemsCommandInput> = {},
) => dynamodb.send(new TransactWriteItemsCommand({ TransactItems, ...more }));

const put = (TableName: string, plain: Parameters<typeof item>[0], more: object = {}): TransactWriteItem => ({
  Put: { TableName, Item: item(plain), ...more },
});
const add = (TableName: string, pk: string, more: object = {}): TransactWriteItem => ({
  Update: {
    TableName,
    Key: item({ pk }),
    UpdateExpression: 'ADD n :one',
    ExpressionAttributeValues: { ':one': value(1) },
    ...more,
  },
});
const ifAbsent = { ConditionExpression: 'attribute_not_exists(pk)' };

const codes = (error: Error) =>
  (error as TransactionCanceledException).CancellationReasons?.map(({ Code }) => Code);

export const dynamodbTransactions = group(
  'dynamodb-transactions',
  'Transactions',
  ['dynamodb'],
  [
    {
      name: 'all-kinds-together',
      title: 'Put, update, delete and a check are done together.',
      source: {
        page: pages.transactions,
        says: 'actions on several items and tables succeed or fail together',
      },
      async run(world) {
        const [one, two] = [await table(world), await table(world)];
        await one.put({ pk: 'delete' });
        await two.put({ pk: 'check', ok: true });
        await write(world, [
          put(one.name, { pk: 'put', n: 1 }),
          add(two.name, 'update'),
          { Delete: { TableName: one.name, Key: item({ pk: 'delete' }) } },
          {
            ConditionCheck: {
              TableName: two.name,
              Key: item({ pk: 'check' }),
              ConditionExpression: 'attribute_exists(pk)',
            },
          },
        ]);
        deepEqual(await one.get('put'), item({ pk: 'put', n: 1 }));
        deepEqual(await two.get('update'), item({ pk: 'update', n: 1 }));
        equal(await one.get('delete'), undefined);
      },
    },
    {
      name: 'one-failure-undoes-all',
      title: 'One condition that does not hold leaves everything as it was.',
      source: {
        page: pages.transactions,
        says: 'all or nothing: a condition that fails cancels the transaction',
      },
      async run(world) {
        const { name, put: store, get } = await table(world);
        await store({ pk: 'there', n: 1 });
        await refused('a transaction with a failed condition', cancelled, () =>
          write(world, [put(name, { pk: 'new' }), put(name, { pk: 'there' }, ifAbsent)]),
        );
        equal(await get('new'), undefined, 'A part of the cancelled transaction was written.');
        deepEqual(await get('there'), item({ pk: 'there', n: 1 }));
      },
    },
    {
      name: 'reasons-in-order',
      title: 'A cancelled transaction tells the reason of each action, in the order of the request.',
      source: {
        page: pages.api('TransactWriteItems'),
        says: 'CancellationReasons is ordered as the request; actions without a fault have the code None',
      },
      async run(world) {
        const { name, put: store } = await table(world);
        await store({ pk: 'there', n: 1 });
        const error = await refused('a transaction with a failed condition', cancelled, () =>
          write(world, [
            put(name, { pk: 'fine' }),
            put(name, { pk: 'there' }, ifAbsent),
            add(name, 'fine too'),
          ]),
        );
        deepEqual(codes(error), ['None', 'ConditionalCheckFailed', 'None']);
      },
    },
    {
      name: 'reason-shows-the-item',
      title: 'The reason of a failed condition holds the item, when it is asked for it.',
      source: {
        page: 'DynamoDB API reference, "CancellationReason"',
        says: 'Item is what was found, with ReturnValuesOnConditionCheckFailure ALL_OLD',
      },
      async run(world) {
        const { name, put: store } = await table(world);
        const there = { pk: 'there', n: 1, owner: 'x' };
        await store(there);
        await store({ pk: 'second' });
        const error = (await refused('a transaction with failed conditions', cancelled, () =>
          write(world, [
            put(name, { pk: 'there' }, { ...ifAbsent, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
            put(name, { pk: 'second' }, ifAbsent),
          ]),
        )) as TransactionCanceledException;
        deepEqual(error.CancellationReasons?.[0]?.Item, item(there), 'The item is not in the reason.');
        equal(error.CancellationReasons?.[1]?.Item, undefined, 'The item came unasked.');
      },
    },
    {
      name: 'wrong-action-is-a-reason',
      title: 'An action that cannot be done for its item is told as ValidationError in its place.',
      source: {
        page: pages.api('TransactWriteItems'),
        says: 'among the reasons of a cancelled transaction is a ValidationError, an operand of a wrong data type for one',
      },
      async run(world) {
        const { name, put: store } = await table(world);
        await store({ pk: 'text', n: 'no number' });
        const error = await refused('a number added to a text', cancelled, () =>
          write(world, [put(name, { pk: 'fine' }), add(name, 'text')]),
        );
        deepEqual(codes(error), ['None', 'ValidationError']);
      },
    },
    {
      name: 'hundred-actions',
      title: 'A transaction has up to 100 actions.',
      source: { page: pages.api('TransactWriteItems'), says: 'up to 100 actions in a call' },
      async run(world) {
        const { name, get } = await table(world);
        const many = (count: number) =>
          Array.from({ length: count }, (_, at) => put(name, { pk: `item-${at}` }));
        await refused('101 actions', invalid, () => write(world, many(101)));
        await write(world, many(100));
        deepEqual(await get('item-99'), item({ pk: 'item-99' }));
        await refused('no action', invalid, () => write(world, []));
      },
    },
    {
      name: 'one-action-for-an-item',
      title: 'Two actions on one item are refused.',
      source: {
        page: pages.api('TransactWriteItems'),
        says: 'no two actions can be about the same item: a check and an update neither',
      },
      async run(world) {
        const { name } = await table(world);
        await refused('two puts of one item', invalid, () =>
          write(world, [put(name, { pk: 'a' }), put(name, { pk: 'a', n: 2 })]),
        );
        await refused('a check and an update of one item', invalid, () =>
          write(world, [
            add(name, 'a'),
            {
              ConditionCheck: {
                TableName: name,
                Key: item({ pk: 'a' }),
                ConditionExpression: 'attribute_exists(pk)',
              },
            },
          ]),
        );
      },
    },
    {
      name: 'four-megabytes',
      title: 'The items of a transaction have at most 4 MB together.',
      source: { page: pages.api('TransactWriteItems'), says: 'the items together cannot exceed 4 MB' },
      async run(world) {
        const { name } = await table(world);
        const text = 'x'.repeat(390_000);
        await refused(
          'more than 4 MB',
          { name: ['ValidationException', 'TransactionCanceledException'] },
          () =>
            write(
              world,
              Array.from({ length: 11 }, (_, at) => put(name, { pk: String(at), text })),
            ),
        );
      },
    },
    {
      name: 'token-repeats',
      title: 'A transaction that is sent again under its token is done once.',
      source: {
        page: pages.transactions,
        says: 'with a client token, a repetition within ten minutes succeeds without a change',
      },
      async run(world) {
        const { name, get } = await table(world);
        const token = { ClientRequestToken: world.name('once').slice(-36) };
        await write(world, [add(name, 'a')], token);
        await write(world, [add(name, 'a')], token);
        equal((await get('a'))?.n?.N, '1', 'The repetition was done again.');
        await write(world, [add(name, 'a')], { ClientRequestToken: world.name('more').slice(-36) });
        equal((await get('a'))?.n?.N, '2');
      },
    },
    {
      name: 'token-with-other-actions',
      title: 'A token that comes with other actions is refused.',
      source: {
        page: pages.transactions,
        says: 'the same token with other parameters within ten minutes is an IdempotentParameterMismatch',
      },
      async run(world) {
        const { name } = await table(world);
        const token = { ClientRequestToken: world.name('t').slice(-36) };
        await write(world, [add(name, 'a')], token);
        await refused(
          'the token for another transaction',
          { name: 'IdempotentParameterMismatchException' },
          () => write(world, [add(name, 'b')], token),
        );
      },
    },
    {
      name: 'token-lasts-ten-minutes',
      title: 'After ten minutes a token is free again.',
      source: {
        page: pages.transactions,
        says: 'a client token is good for ten minutes after the transaction',
      },
      hours: true,
      async run(world) {
        const { name, get } = await table(world);
        const token = { ClientRequestToken: 'ten-minutes' };
        await write(world, [add(name, 'a')], token);
        await world.pass(595);
        await write(world, [add(name, 'a')], token);
        equal((await get('a'))?.n?.N, '1', 'It was done again within ten minutes.');
        await world.pass(10);
        await write(world, [add(name, 'a')], token);
        equal((await get('a'))?.n?.N, '2', 'It was not done after ten minutes.');
      },
    },
    {
      name: 'cancelled-token-is-free',
      title: 'A token under which a transaction was cancelled can be used again.',
      source: {
        page: pages.transactions,
        says: 'a repetition of a transaction that succeeded changes nothing',
        conflict:
          'The page does not speak of cancelled ones. The model does them anew: DynamoDB Local does so too, and a retry after the reason is gone is what the token is for.',
      },
      async run(world) {
        const { name, put: store, remove, get } = await table(world);
        const token = { ClientRequestToken: world.name('c').slice(-36) };
        const attempt = () => write(world, [put(name, { pk: 'a', n: 2 }, ifAbsent)], token);
        await store({ pk: 'a', n: 1 });
        await refused('a put where something is', cancelled, attempt);
        await remove('a');
        await attempt();
        deepEqual(await get('a'), item({ pk: 'a', n: 2 }));
      },
    },
    {
      name: 'costs-twice',
      title: 'A write in a transaction takes two units for each KB.',
      source: {
        page: pages.transactions,
        says: 'DynamoDB does two writes of each item: one to prepare and one to commit',
      },
      async run(world) {
        const { name } = await table(world);
        const { ConsumedCapacity } = await write(
          world,
          [put(name, { pk: 'a' }), put(name, { pk: 'b', text: 'x'.repeat(1_500) })],
          { ReturnConsumedCapacity: 'TOTAL' },
        );
        equal(ConsumedCapacity?.[0]?.CapacityUnits, 6);
        equal(ConsumedCapacity?.[0]?.WriteCapacityUnits, 6, 'The units are not told as units of writing.');
      },
    },
    {
      name: 'get-together',
      title:
        'A transaction of reads gives the items in the order of the request, nothing for what is not there.',
      source: { page: pages.api('TransactGetItems'), says: 'responses are in the order of the request' },
      async run(world) {
        const { name, put: store } = await table(world);
        await store({ pk: 'b', n: 2 });
        await store({ pk: 'a', n: 1 });
        const get = (pk: string, more: object = {}) => ({
          Get: { TableName: name, Key: item({ pk }), ...more },
        });
        const { Responses } = await world.dynamodb.send(
          new TransactGetItemsCommand({
            TransactItems: [get('a'), get('none'), get('b', { ProjectionExpression: 'n' })],
          }),
        );
        deepEqual(
          Responses?.map(({ Item }) => Item),
          [item({ pk: 'a', n: 1 }), undefined, item({ n: 2 })],
        );
        await refused('an item twice', invalid, () =>
          world.dynamodb.send(new TransactGetItemsCommand({ TransactItems: [get('a'), get('a')] })),
        );
      },
    },
    {
      name: 'table-that-is-not-there',
      title: 'A table that is not there refuses the transaction.',
      source: { page: pages.api('TransactWriteItems'), says: 'ResourceNotFound: the table does not exist' },
      async run(world) {
        const { name, get } = await table(world);
        await refused('a table that never was', { name: 'ResourceNotFoundException' }, () =>
          write(world, [put(name, { pk: 'a' }), put(`${name}-never`, { pk: 'a' })]),
        );
        equal(await get('a'), undefined);
      },
    },
    {
      name: 'check-needs-a-condition',
      title: 'A check has a condition, and an action is of one kind.',
      source: { page: 'DynamoDB API reference, "ConditionCheck"', says: 'ConditionExpression is required' },
      async run(world) {
        const { name } = await table(world);
        const Key = item({ pk: 'a' });
        await refused('a check without a condition', invalid, () =>
          write(world, [{ ConditionCheck: { TableName: name, Key, ConditionExpression: undefined } }]),
        );
        await refused('a put and a delete in one action', invalid, () =>
          write(world, [{ ...put(name, { pk: 'a' }), Delete: { TableName: name, Key } }]),
        );
      },
    },
  ],
);
