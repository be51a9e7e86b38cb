import { deepEqual, equal, ok } from 'node:assert/strict';
import { BatchGetItemCommand, BatchWriteItemCommand, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { group } from '../case.ts';
import { invalid, item, pages, table } from './kit/dynamodb.ts';
import { refused } from './kit/refusal.ts';

export const dynamodbItems = group(
  'dynamodb-items',
  'Items',
  ['dynamodb'],
  [
    {
      name: 'put-replaces',
      title: 'A put replaces the whole item, and gives the old one when it is asked to.',
      source: {
        page: pages.api('PutItem'),
        says: 'an item of the same key is replaced completely; ALL_OLD gives what was there',
      },
      async run(world) {
        const { put, get } = await table(world);
        const first = await put({ pk: 'a', one: 1 }, { ReturnValues: 'ALL_OLD' });
        equal(first.Attributes, undefined, 'A new item has old values.');
        const second = await put({ pk: 'a', two: 2 }, { ReturnValues: 'ALL_OLD' });
        deepEqual(second.Attributes, item({ pk: 'a', one: 1 }));
        deepEqual(await get('a'), item({ pk: 'a', two: 2 }), 'Attributes of the old item are left.');
      },
    },
    {
      name: 'put-return-values',
      title: 'A put gives NONE or ALL_OLD, and nothing else.',
      source: { page: pages.api('PutItem'), says: 'ReturnValues takes NONE and ALL_OLD only' },
      async run(world) {
        const { put, remove } = await table(world);
        await refused('ALL_NEW of a put', invalid, () => put({ pk: 'a' }, { ReturnValues: 'ALL_NEW' }));
        await refused('UPDATED_OLD of a delete', invalid, () => remove('a', { ReturnValues: 'UPDATED_OLD' }));
      },
    },
    {
      name: 'get-nothing',
      title: 'An item that is not there is an answer without an item.',
      source: { page: pages.api('GetItem'), says: 'without a matching item there is no Item in the answer' },
      async run(world) {
        const { get } = await table(world);
        equal(await get('none'), undefined);
      },
    },
    {
      name: 'delete-is-idempotent',
      title: 'Deleting an item that is not there is no error, and gives nothing.',
      source: { page: pages.api('DeleteItem'), says: 'it is idempotent unless it has conditions' },
      async run(world) {
        const { put, remove, get } = await table(world);
        await put({ pk: 'a', n: 1 });
        const first = await remove('a', { ReturnValues: 'ALL_OLD' });
        deepEqual(first.Attributes, item({ pk: 'a', n: 1 }));
        const second = await remove('a', { ReturnValues: 'ALL_OLD' });
        equal(second.Attributes, undefined);
        equal(await get('a'), undefined);
      },
    },
    {
      name: 'key-has-to-fit',
      title: 'A key has the attributes of the table’s key, of their types, and no more.',
      source: { page: pages.api('GetItem'), says: 'all attributes of the primary key are to be given' },
      async run(world) {
        const { get, put } = await table(world, { range: 'N' });
        await refused('a key without its sort key', invalid, () => get('a'));
        await refused('a sort key in text', invalid, () => get({ pk: 'a', sk: '1' }));
        await refused('a key with an attribute too many', invalid, () => get({ pk: 'a', sk: 1, more: 1 }));
        await refused('an item without its sort key', invalid, () => put({ pk: 'a' }));
        await refused('an item whose key is of another type', invalid, () => put({ pk: 1, sk: 1 }));
      },
    },
    {
      name: 'key-is-not-empty',
      title: 'A key is not an empty text or empty bytes.',
      source: { page: pages.naming, says: 'empty values are allowed, but not in keys' },
      async run(world) {
        const { put, get } = await table(world, { range: 'B' });
        await refused('an empty partition key', invalid, () => put({ pk: '', sk: new Uint8Array([1]) }));
        await refused('an empty sort key', invalid, () => put({ pk: 'a', sk: new Uint8Array() }));
        await refused('an empty key that is asked for', invalid, () =>
          get({ pk: '', sk: new Uint8Array([1]) }),
        );
      },
    },
    {
      name: 'length-of-keys',
      title: 'A partition key has at most 2,048 bytes, a sort key 1,024.',
      source: { page: pages.quotas, says: 'partition keys of 1 to 2,048 bytes, sort keys of 1 to 1,024' },
      async run(world) {
        const { put } = await table(world, { range: 'S' });
        await put({ pk: 'p'.repeat(2_048), sk: 's'.repeat(1_024) });
        await refused('a partition key of 2,049 bytes', invalid, () =>
          put({ pk: 'p'.repeat(2_049), sk: 's' }),
        );
        await refused('a sort key of 1,025 bytes', invalid, () => put({ pk: 'p', sk: 's'.repeat(1_025) }));
        await refused('a partition key of 2,050 bytes in 1,025 characters', invalid, () =>
          put({ pk: 'ä'.repeat(1_025), sk: 's' }),
        );
      },
    },
    {
      name: 'projection',
      title: 'A projection gives the named parts, down into maps and lists.',
      source: {
        page: 'DynamoDB developer guide, "Using projection expressions in DynamoDB"',
        says: 'a projection names attributes, nested ones by dots and brackets',
      },
      async run(world) {
        const { put, get } = await table(world);
        await put({ pk: 'a', map: { x: 1, y: 2 }, list: ['zero', 'one', 'two'], other: true });
        deepEqual(
          await get('a', { ProjectionExpression: '#m.x, #l[2], absent', names: { m: 'map', l: 'list' } }),
          item({ map: { x: 1 }, list: ['two'] }),
        );
      },
    },
    {
      name: 'projection-that-overlaps',
      title: 'A projection whose paths overlap is refused.',
      source: {
        page: 'DynamoDB developer guide, "Using projection expressions in DynamoDB"',
        says: 'paths name parts of an item',
        conflict: 'The page does not speak of overlaps. DynamoDB Local refuses them; so does the model.',
      },
      async run(world) {
        const { get } = await table(world);
        await refused('a path and a part of it', invalid, () =>
          get('a', { ProjectionExpression: '#m, #m.x', names: { m: 'map' } }),
        );
      },
    },
    {
      name: 'reserved-words',
      title: 'A reserved word is named by a placeholder.',
      source: {
        page: 'DynamoDB developer guide, "Reserved words in DynamoDB"',
        says: 'a name that is a reserved word needs an expression attribute name, in any case of letters',
      },
      async run(world) {
        const { put, get } = await table(world);
        await put({ pk: 'a', status: 'open', Year: 2026 });
        for (const word of ['status', 'Year', 'NAME', 'ttl'])
          await refused(`${word} in an expression`, invalid, () => get('a', { ProjectionExpression: word }));
        deepEqual(
          await get('a', { ProjectionExpression: '#s', names: { s: 'status' } }),
          item({ status: 'open' }),
        );
      },
    },
    {
      name: 'placeholders-that-are-not-used',
      title: 'A name or value that no expression uses is refused, and so is one that is missing.',
      source: {
        page: 'DynamoDB developer guide, "Expression attribute names (aliases) in DynamoDB"',
        says: 'each placeholder stands for something in an expression',
        conflict:
          'The page does not say what happens to one that is not used. DynamoDB Local refuses it; so does the model.',
      },
      async run(world) {
        const { get, put } = await table(world);
        await refused('a name that is not used', invalid, () =>
          get('a', { ProjectionExpression: 'x', names: { y: 'y' } }),
        );
        await refused('a name that is not given', invalid, () => get('a', { ProjectionExpression: '#x' }));
        await refused('a value that is not used', invalid, () =>
          put({ pk: 'a' }, { ConditionExpression: 'attribute_not_exists(pk)', values: { unused: 1 } }),
        );
        await refused('a value that is not given', invalid, () =>
          put({ pk: 'a' }, { ConditionExpression: 'pk = :missing' }),
        );
      },
    },
    {
      name: 'consumed-capacity',
      title: 'A write takes a unit for each begun KB, a read one for 4 KB, half of it when it may be old.',
      source: {
        page: 'DynamoDB developer guide, "DynamoDB read and write operations"',
        says: 'write units cover 1 KB; read units cover 4 KB consistently, or twice that eventually',
      },
      async run(world) {
        const { put, name } = await table(world);
        const read = async (ConsistentRead: boolean) =>
          (
            await world.dynamodb.send(
              new GetItemCommand({
                TableName: name,
                Key: item({ pk: 'a' }),
                ConsistentRead,
                ReturnConsumedCapacity: 'TOTAL',
              }),
            )
          ).ConsumedCapacity?.CapacityUnits;
        const { ConsumedCapacity } = await put(
          { pk: 'a', text: 'x'.repeat(5_000) },
          { ReturnConsumedCapacity: 'TOTAL' },
        );
        equal(ConsumedCapacity?.TableName, name);
        equal(ConsumedCapacity?.CapacityUnits, 5, 'write units of 5,009 bytes');
        equal(await read(true), 2, 'read units of a consistent read of 5,009 bytes');
        equal(await read(false), 1, 'read units of an eventually consistent read of 5,009 bytes');
      },
    },
    {
      name: 'batch-get',
      title: 'A batch of keys gives what is there, of several tables.',
      source: { page: pages.api('BatchGetItem'), says: 'items that do not exist are not in the answer' },
      async run(world) {
        const [one, two] = [await table(world), await table(world)];
        await one.put({ pk: 'a', n: 1 });
        await two.put({ pk: 'b', n: 2 });
        const keys = (...names: string[]) => ({ Keys: names.map((pk) => item({ pk })) });
        const { Responses, UnprocessedKeys } = await world.dynamodb.send(
          new BatchGetItemCommand({
            RequestItems: { [one.name]: keys('a', 'none'), [two.name]: keys('b') },
          }),
        );
        deepEqual(Responses, {
          [one.name]: [item({ pk: 'a', n: 1 })],
          [two.name]: [item({ pk: 'b', n: 2 })],
        });
        deepEqual(UnprocessedKeys ?? {}, {});
      },
    },
    {
      name: 'batch-get-limits',
      title: 'A batch has at most 100 keys, none of them twice.',
      source: {
        page: pages.api('BatchGetItem'),
        says: 'more than 100 items, or one key twice, is a ValidationException',
      },
      async run(world) {
        const { name } = await table(world);
        const get = (keys: readonly string[]) =>
          world.dynamodb.send(
            new BatchGetItemCommand({ RequestItems: { [name]: { Keys: keys.map((pk) => item({ pk })) } } }),
          );
        await refused('101 keys', invalid, () => get(Array.from({ length: 101 }, (_, at) => `k${at}`)));
        await refused('a key twice', invalid, () => get(['a', 'a']));
      },
    },
    {
      name: 'batch-write',
      title: 'A batch puts and deletes items.',
      source: { page: pages.api('BatchWriteItem'), says: 'it puts or deletes up to 25 items in tables' },
      async run(world) {
        const { name, put, get } = await table(world);
        await put({ pk: 'old' });
        const { UnprocessedItems } = await world.dynamodb.send(
          new BatchWriteItemCommand({
            RequestItems: {
              [name]: [
                { PutRequest: { Item: item({ pk: 'new', n: 1 }) } },
                { DeleteRequest: { Key: item({ pk: 'old' }) } },
                { DeleteRequest: { Key: item({ pk: 'never' }) } },
              ],
            },
          }),
        );
        deepEqual(UnprocessedItems ?? {}, {});
        deepEqual(await get('new'), item({ pk: 'new', n: 1 }));
        equal(await get('old'), undefined);
      },
    },
    {
      name: 'batch-write-limits',
      title: 'A batch has at most 25 writes, one for each item, and one wrong item refuses all.',
      source: {
        page: pages.api('BatchWriteItem'),
        says: 'the whole batch is refused for more than 25 requests, two on one item, or a wrong item',
      },
      async run(world) {
        const { name, get } = await table(world);
        const write = (items: readonly Record<string, string>[]) =>
          world.dynamodb.send(
            new BatchWriteItemCommand({
              RequestItems: { [name]: items.map((one) => ({ PutRequest: { Item: item(one) } })) },
            }),
          );
        await refused('26 writes', invalid, () =>
          write(Array.from({ length: 26 }, (_, at) => ({ pk: `k${at}` }))),
        );
        await refused('two writes of one item', invalid, () => write([{ pk: 'a' }, { pk: 'a' }]));
        await refused('an item without its key', invalid, () => write([{ pk: 'good' }, { other: 'x' }]));
        equal(await get('good'), undefined, 'A part of the refused batch was written.');
      },
    },
    {
      name: 'names-that-objects-have',
      title: 'An attribute may be named as something that objects of a programming language have.',
      source: {
        page: pages.naming,
        says: 'attribute names are any characters, from 1 character to 64 KB',
      },
      async run(world) {
        const { put, update, get } = await table(world);
        await put({ pk: 'a', constructor: 'c', toString: 's' });
        deepEqual(await get('a'), item({ pk: 'a', constructor: 'c', toString: 's' }));
        // An object of JavaScript cannot hold this one in the plain way: it is set, looked for and compared by placeholder.
        const p = { p: '__proto__' };
        await update('a', 'SET #p = :v', { names: p, values: { v: 'set' } });
        await update('a', 'SET seen = #p', {
          names: p,
          ConditionExpression: 'attribute_exists(#p) AND #p = :v',
          values: { v: 'set' },
        });
        equal((await get('a'))?.seen?.S, 'set', 'The attribute __proto__ does not hold what was set.');
        await update('a', 'REMOVE #p', { names: p });
        await refused(
          'a condition on __proto__ after it was removed',
          { name: 'ConditionalCheckFailedException' },
          () =>
            update('a', 'SET x = :v', {
              names: p,
              ConditionExpression: 'attribute_exists(#p)',
              values: { v: 'set' },
            }),
        );
      },
    },
    {
      name: 'long-attribute-name',
      title: 'An attribute name that is no key’s has thousands of characters.',
      source: {
        page: pages.naming,
        says: 'names have up to 64 KB, those of keys and of projections up to 255',
      },
      async run(world) {
        const { put, get } = await table(world);
        const long = 'n'.repeat(5_000);
        await put({ pk: 'a', [long]: 1 });
        ok((await get('a'))?.[long], 'The attribute with a long name is gone.');
      },
    },
  ],
);
