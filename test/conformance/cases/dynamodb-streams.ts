import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import {
  BatchWriteItemCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  ExecuteStatementCommand,
  type StreamSpecification,
  TransactWriteItemsCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import {
  type _Record,
  DescribeStreamCommand,
  GetRecordsCommand,
  ListStreamsCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { group } from '../case.ts';
import type { World } from '../world.ts';
import { active, conditionFailed, invalid, item, table } from './kit/dynamodb.ts';
import { refused } from './kit/refusal.ts';
import { iteratorOf, recordsOf, shardsOf, streamed } from './kit/streams.ts';

const streams = 'DynamoDB developer guide, "Change data capture for DynamoDB Streams"';
const api = (action: string) => `DynamoDB Streams API reference, "${action}"`;
const missing = { name: 'ResourceNotFoundException' } as const;

const setStream = async (world: World, TableName: string, StreamSpecification: StreamSpecification) => {
  await world.dynamodb.send(new UpdateTableCommand({ TableName, StreamSpecification }));
  return active(world, TableName);
};
const names = (records: readonly _Record[]) => records.map(({ eventName }) => eventName);
const describe = async ({ dynamodbstreams }: World, StreamArn: string) =>
  (await dynamodbstreams.send(new DescribeStreamCommand({ StreamArn }))).StreamDescription;

export const dynamodbStreams = group(
  'dynamodb-streams',
  'Streams',
  ['dynamodb', 'dynamodbstreams'],
  [
    {
      name: 'table-tells-its-stream',
      title: 'A table with a stream tells its ARN, its label and its view.',
      source: {
        page: 'DynamoDB API reference, "TableDescription"',
        says: 'LatestStreamArn, LatestStreamLabel and StreamSpecification are there where a stream was turned on',
      },
      async run(world) {
        const { name, arn, streamArn } = await streamed(world, 'KEYS_ONLY');
        const { Table } = await world.dynamodb.send(new DescribeTableCommand({ TableName: name }));
        deepEqual(Table?.StreamSpecification, { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' });
        equal(Table?.LatestStreamArn, streamArn);
        match(Table?.LatestStreamLabel ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);
        equal(streamArn, `${arn}/stream/${Table?.LatestStreamLabel}`);
      },
    },
    {
      name: 'no-stream-by-default',
      title: 'A table has no stream unless it is asked for one.',
      source: { page: streams, says: 'a stream is turned on when a table is made, or later' },
      async run(world) {
        const { name } = await table(world);
        const { Table } = await world.dynamodb.send(new DescribeTableCommand({ TableName: name }));
        equal(Table?.LatestStreamArn, undefined);
        const { Streams } = await world.dynamodbstreams.send(new ListStreamsCommand({ TableName: name }));
        deepEqual(Streams ?? [], []);
      },
    },
    {
      name: 'view-is-needed',
      title: 'A stream that is turned on has a view, and one of the four.',
      source: {
        page: 'DynamoDB API reference, "StreamSpecification"',
        says: 'StreamViewType is KEYS_ONLY, NEW_IMAGE, OLD_IMAGE or NEW_AND_OLD_IMAGES',
      },
      async run(world) {
        const { name } = await table(world);
        await refused('a stream without a view', invalid, () =>
          setStream(world, name, { StreamEnabled: true }),
        );
        await refused('a stream with the view ALL', invalid, () =>
          setStream(world, name, { StreamEnabled: true, StreamViewType: 'ALL' as 'KEYS_ONLY' }),
        );
      },
    },
    {
      name: 'described',
      title: 'A stream is described with its table, key, view, status and shards.',
      source: {
        page: api('DescribeStream'),
        says: 'it gives the ARN, the status, the view, the key schema and the shards with their sequence numbers',
      },
      async run(world) {
        const { name, streamArn } = await streamed(world, 'NEW_IMAGE', { range: 'N' });
        const found = await describe(world, streamArn);
        equal(found?.StreamArn, streamArn);
        equal(found?.TableName, name);
        equal(found?.StreamStatus, 'ENABLED');
        equal(found?.StreamViewType, 'NEW_IMAGE');
        deepEqual(found?.KeySchema, [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ]);
        ok(found?.CreationRequestDateTime instanceof Date, 'CreationRequestDateTime is missing.');
        const [shard] = found?.Shards ?? [];
        ok((shard?.ShardId ?? '').length >= 28, 'A shard’s id has at least 28 characters.');
        match(shard?.SequenceNumberRange?.StartingSequenceNumber ?? '', /^\d{21,40}$/);
        equal(shard?.SequenceNumberRange?.EndingSequenceNumber, undefined, 'An open shard has an end.');
      },
    },
    {
      name: 'one-record-for-a-change',
      title: 'Insert, update and delete of an item are a record each, in order.',
      source: {
        page: streams,
        says: 'each record is there once, those of an item in the order of its changes',
      },
      async run(world) {
        const { put, update, remove, records } = await streamed(world);
        await put({ pk: 'a', n: 1 });
        await put({ pk: 'a', n: 2 });
        await update('a', 'SET n = :v', { values: { v: 3 } });
        await remove('a');
        const found = await records(4);
        deepEqual(names(found), ['INSERT', 'MODIFY', 'MODIFY', 'REMOVE']);
        deepEqual(
          found.map(({ dynamodb }) => [dynamodb?.OldImage?.n?.N, dynamodb?.NewImage?.n?.N]),
          [
            [undefined, '1'],
            ['1', '2'],
            ['2', '3'],
            ['3', undefined],
          ],
        );
      },
    },
    {
      name: 'members-of-a-record',
      title: 'A record tells the event, its source, its time, the key, and its size.',
      source: {
        page: api('Record'),
        says: 'eventID, eventName, eventVersion, eventSource aws:dynamodb, awsRegion, and the change under dynamodb',
      },
      async run(world) {
        const { put, records } = await streamed(world);
        const before = world.now();
        await put({ pk: 'a', text: 'New item!' });
        const [record] = await records(1);
        match(record?.eventID ?? '', /^[0-9a-f-]{32,36}$/);
        equal(record?.eventSource, 'aws:dynamodb');
        equal(record?.awsRegion, world.region);
        match(record?.eventVersion ?? '', /^1\.\d$/);
        deepEqual(record?.dynamodb?.Keys, item({ pk: 'a' }));
        equal(record?.dynamodb?.StreamViewType, 'NEW_AND_OLD_IMAGES');
        match(record?.dynamodb?.SequenceNumber ?? '', /^\d{21,40}$/);
        const at = record?.dynamodb?.ApproximateCreationDateTime?.getTime() ?? 0;
        ok(Math.abs(at - before) < 60_000, 'The time of the record is another.');
        equal(record?.userIdentity, undefined, 'A change of a caller names a service.');
      },
    },
    {
      name: 'size-of-a-record',
      title: 'The size of a record is that of the key and of the images.',
      source: {
        page: 'DynamoDB developer guide, "DynamoDB Streams and AWS Lambda triggers", example',
        says: 'SizeBytes of the example: key 5 bytes, image "New item!" 21 bytes, together 26',
      },
      async run(world) {
        const { put, records } = await streamed(world, 'NEW_AND_OLD_IMAGES', { range: 'N' });
        // pk 3 bytes, sk 101 5 bytes, text 13 bytes.
        await put({ pk: 'a', sk: 101, text: 'New item!' });
        const [record] = await records(1);
        equal(record?.dynamodb?.SizeBytes, 8 + 21);
      },
    },
    ...(
      [
        ['KEYS_ONLY', false, false],
        ['NEW_IMAGE', false, true],
        ['OLD_IMAGE', true, false],
        ['NEW_AND_OLD_IMAGES', true, true],
      ] as const
    ).map(([view, old, fresh]) => ({
      name: `view-${view.toLowerCase().replaceAll('_', '-')}`,
      title: `The view ${view} shows ${old ? (fresh ? 'the old and the new image' : 'the old image') : fresh ? 'the new image' : 'the key alone'}.`,
      source: {
        page: 'DynamoDB API reference, "StreamSpecification"',
        says: 'the view decides what of an item is written to the stream',
      },
      async run(world: World) {
        const { put, records } = await streamed(world, view);
        await put({ pk: 'a', n: 1 });
        await put({ pk: 'a', n: 2 });
        const record = (await records(2))[1];
        deepEqual(record?.dynamodb?.Keys, item({ pk: 'a' }));
        deepEqual(record?.dynamodb?.OldImage, old ? item({ pk: 'a', n: 1 }) : undefined);
        deepEqual(record?.dynamodb?.NewImage, fresh ? item({ pk: 'a', n: 2 }) : undefined);
      },
    })),
    {
      name: 'no-record-without-a-change',
      title: 'A write that changes nothing is no record.',
      source: {
        page: streams,
        says: 'a PutItem or UpdateItem that does not change any data of an item writes no record',
      },
      async run(world) {
        const { put, update, remove, records } = await streamed(world);
        const same = { pk: 'a', n: 1, set: new Set(['x', 'y']) };
        await put(same);
        await put({ ...same, set: new Set(['y', 'x']) });
        await update('a', 'SET n = :v', { values: { v: 1 } });
        await update('a', 'REMOVE absent');
        await remove('never');
        await refused('a write whose condition fails', conditionFailed, () =>
          put({ pk: 'a', n: 2 }, { ConditionExpression: 'attribute_not_exists(pk)' }),
        );
        await put({ pk: 'end' });
        const found = await records(2);
        deepEqual(
          found.map(({ dynamodb }) => dynamodb?.Keys?.pk?.S),
          ['a', 'end'],
        );
      },
    },
    {
      name: 'every-way-of-writing',
      title: 'Batches, transactions and statements are records as single writes are.',
      source: { page: streams, says: 'the stream has every change of items, whichever action made it' },
      async run(world) {
        const { name, records } = await streamed(world);
        const { dynamodb } = world;
        await dynamodb.send(
          new BatchWriteItemCommand({
            RequestItems: {
              [name]: [
                { PutRequest: { Item: item({ pk: 'batch-1' }) } },
                { PutRequest: { Item: item({ pk: 'batch-2' }) } },
              ],
            },
          }),
        );
        await dynamodb.send(
          new TransactWriteItemsCommand({
            TransactItems: [
              { Put: { TableName: name, Item: item({ pk: 'transaction' }) } },
              { Delete: { TableName: name, Key: item({ pk: 'batch-1' }) } },
            ],
          }),
        );
        await dynamodb.send(
          new ExecuteStatementCommand({ Statement: `INSERT INTO "${name}" VALUE {'pk': 'statement'}` }),
        );
        const found = (await records(5)).map(
          ({ eventName, dynamodb: change }) => `${eventName} ${change?.Keys?.pk?.S}`,
        );
        deepEqual(found.toSorted(), [
          'INSERT batch-1',
          'INSERT batch-2',
          'INSERT statement',
          'INSERT transaction',
          'REMOVE batch-1',
        ]);
      },
    },
    {
      name: 'latest-begins-behind-the-last',
      title: 'LATEST begins behind the last record, TRIM_HORIZON with the first.',
      source: {
        page: api('GetShardIterator'),
        says: 'TRIM_HORIZON is the oldest record, LATEST just after the most recent',
      },
      async run(world) {
        const { put, streamArn, records } = await streamed(world);
        await put({ pk: 'before' });
        await records(1);
        const [shard] = await shardsOf(world, streamArn);
        let ShardIterator = await iteratorOf(world, streamArn, shard?.ShardId, {
          ShardIteratorType: 'LATEST',
        });
        await put({ pk: 'after' });
        const found: (string | undefined)[] = [];
        await world.eventually('the record after LATEST', 5, async () => {
          const page = await world.dynamodbstreams.send(new GetRecordsCommand({ ShardIterator }));
          found.push(...(page.Records ?? []).map(({ dynamodb }) => dynamodb?.Keys?.pk?.S));
          ShardIterator = page.NextShardIterator;
          return found.length > 0 ? true : undefined;
        });
        deepEqual(found, ['after']);
      },
    },
    {
      name: 'by-sequence-number',
      title: 'AT_SEQUENCE_NUMBER begins with a record, AFTER_SEQUENCE_NUMBER behind it.',
      source: {
        page: api('GetShardIterator'),
        says: 'reading starts exactly from the position of the number, or right after it',
      },
      async run(world) {
        const { put, streamArn, records } = await streamed(world);
        for (const pk of ['1', '2', '3']) await put({ pk });
        const SequenceNumber = (await records(3))[1]?.dynamodb?.SequenceNumber;
        const [shard] = await shardsOf(world, streamArn);
        const read = async (ShardIteratorType: 'AT_SEQUENCE_NUMBER' | 'AFTER_SEQUENCE_NUMBER') => {
          const ShardIterator = await iteratorOf(world, streamArn, shard?.ShardId, {
            ShardIteratorType,
            ...(SequenceNumber && { SequenceNumber }),
          });
          const page = await world.dynamodbstreams.send(new GetRecordsCommand({ ShardIterator }));
          return page.Records?.map(({ dynamodb }) => dynamodb?.Keys?.pk?.S);
        };
        deepEqual(await read('AT_SEQUENCE_NUMBER'), ['2', '3']);
        deepEqual(await read('AFTER_SEQUENCE_NUMBER'), ['3']);
      },
    },
    {
      name: 'pages-of-records',
      title: 'Limit bounds a page; the next iterator goes on behind it; an iterator can be used again.',
      source: {
        page: api('GetRecords'),
        says: 'Limit is up to 1,000; NextShardIterator is where to go on',
      },
      async run(world) {
        const { put, streamArn, records } = await streamed(world);
        for (const pk of ['1', '2', '3']) await put({ pk });
        await records(3);
        const [shard] = await shardsOf(world, streamArn);
        const first = await iteratorOf(world, streamArn, shard?.ShardId, {
          ShardIteratorType: 'TRIM_HORIZON',
        });
        const read = (ShardIterator: string | undefined) =>
          world.dynamodbstreams.send(new GetRecordsCommand({ ShardIterator, Limit: 2 }));
        const keys = ({ Records = [] }: { Records?: _Record[] | undefined }) =>
          Records.map(({ dynamodb }) => dynamodb?.Keys?.pk?.S);
        const page = await read(first);
        deepEqual(keys(page), ['1', '2']);
        deepEqual(keys(await read(page.NextShardIterator)), ['3']);
        deepEqual(keys(await read(first)), ['1', '2'], 'The iterator gives something else the second time.');
        await refused('a limit of 1,001', invalid, () =>
          world.dynamodbstreams.send(new GetRecordsCommand({ ShardIterator: first, Limit: 1_001 })),
        );
      },
    },
    {
      name: 'sequence-numbers-rise',
      title: 'Sequence numbers of a shard rise.',
      source: { page: streams, says: 'each record has a sequence number, which reflects the order' },
      async run(world) {
        const { put, records } = await streamed(world);
        for (const pk of ['1', '2', '3']) await put({ pk });
        const numbers = (await records(3)).map(({ dynamodb }) => BigInt(dynamodb?.SequenceNumber ?? 0));
        ok(numbers[0]! < numbers[1]! && numbers[1]! < numbers[2]!, 'They do not rise.');
      },
    },
    {
      name: 'turned-off',
      title: 'A stream that is turned off is still read to its end, and takes nothing more.',
      source: {
        page: streams,
        says: 'after a stream is disabled its data can be read for 24 hours; its shards are closed',
      },
      async run(world) {
        const { name, put, streamArn, records } = await streamed(world);
        await put({ pk: 'a' });
        await records(1);
        const described = await setStream(world, name, { StreamEnabled: false });
        equal(described.StreamSpecification?.StreamEnabled ?? false, false);
        await put({ pk: 'b' });
        const found = await world.eventually('the stream to be DISABLED', 30, async () => {
          const stream = await describe(world, streamArn);
          return stream?.StreamStatus === 'DISABLED' ? stream : undefined;
        });
        for (const shard of found.Shards ?? [])
          ok(shard.SequenceNumberRange?.EndingSequenceNumber, 'A shard of the stream is open.');
        const read = await recordsOf(world, streamArn, 1);
        deepEqual(
          read.map(({ dynamodb }) => dynamodb?.Keys?.pk?.S),
          ['a'],
        );
      },
    },
    {
      name: 'closed-shard-has-an-end',
      title: 'A closed shard that was read to its end has no next iterator.',
      source: {
        page: api('GetRecords'),
        says: 'NextShardIterator is null when the shard is closed and has nothing more',
      },
      async run(world) {
        const { name, put, streamArn, records } = await streamed(world);
        await put({ pk: 'a' });
        await records(1);
        await setStream(world, name, { StreamEnabled: false });
        const [shard] = await shardsOf(world, streamArn);
        let ShardIterator = await iteratorOf(world, streamArn, shard?.ShardId, {
          ShardIteratorType: 'TRIM_HORIZON',
        });
        await world.eventually('the end of the closed shard', 10, async () => {
          if (ShardIterator === undefined) return true;
          const page = await world.dynamodbstreams.send(new GetRecordsCommand({ ShardIterator }));
          ShardIterator = page.NextShardIterator;
          return undefined;
        });
      },
    },
    {
      name: 'turned-on-again',
      title: 'A stream that is turned on again is another one, with its own ARN, from then on.',
      source: {
        page: streams,
        says: 'disabling and enabling a stream makes a new one with another descriptor',
      },
      async run(world) {
        const { name, put, streamArn, records } = await streamed(world);
        await put({ pk: 'first' });
        await records(1);
        await setStream(world, name, { StreamEnabled: false });
        await put({ pk: 'between' });
        await world.pass(1);
        const { LatestStreamArn = '' } = await setStream(world, name, {
          StreamEnabled: true,
          StreamViewType: 'NEW_IMAGE',
        });
        notEqual(LatestStreamArn, streamArn, 'It is the old stream.');
        await put({ pk: 'second' });
        const found = await recordsOf(world, LatestStreamArn, 1);
        deepEqual(
          found.map(({ dynamodb }) => dynamodb?.Keys?.pk?.S),
          ['second'],
        );
        const { Streams } = await world.dynamodbstreams.send(new ListStreamsCommand({ TableName: name }));
        deepEqual(
          Streams?.map(({ StreamArn }) => StreamArn).toSorted(),
          [streamArn, LatestStreamArn].toSorted(),
          'The two streams of the table are not both listed.',
        );
      },
    },
    {
      name: 'on-and-off-once',
      title: 'A stream that is on cannot be turned on, nor one that is off be turned off.',
      source: {
        page: 'DynamoDB API reference, "UpdateTable"',
        says: 'ValidationException for enabling a stream where there is one, or disabling where there is none',
      },
      async run(world) {
        const { name } = await streamed(world);
        await refused(
          'a stream turned on twice',
          { name: ['ValidationException', 'ResourceInUseException'] },
          () => setStream(world, name, { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' }),
        );
        await setStream(world, name, { StreamEnabled: false });
        await refused('a stream turned off twice', invalid, () =>
          setStream(world, name, { StreamEnabled: false }),
        );
      },
    },
    {
      name: 'what-is-not-there',
      title: 'A stream or a shard that is not there is not found; an iterator that is none is refused.',
      source: { page: api('GetShardIterator'), says: 'ResourceNotFound: the stream or shard does not exist' },
      async run(world) {
        const { streamArn } = await streamed(world);
        await refused('a stream that never was', missing, () =>
          describe(world, streamArn.replace(/\d{4}-\d\d-\d\dT.*$/, '2001-01-01T00:00:00.000')),
        );
        await refused('a shard that never was', missing, () =>
          iteratorOf(world, streamArn, 'shardId-00000000000000000001-00000000', {
            ShardIteratorType: 'TRIM_HORIZON',
          }),
        );
        await refused('an iterator that is none', invalid, () =>
          world.dynamodbstreams.send(new GetRecordsCommand({ ShardIterator: 'nothing' })),
        );
      },
    },
    {
      name: 'iterator-lasts-fifteen-minutes',
      title: 'An iterator is good for fifteen minutes.',
      source: { page: api('GetShardIterator'), says: 'an iterator expires 15 minutes after it was given' },
      hours: true,
      async run(world) {
        const { put, streamArn } = await streamed(world);
        await put({ pk: 'a' });
        const [shard] = await shardsOf(world, streamArn);
        const ShardIterator = await iteratorOf(world, streamArn, shard?.ShardId, {
          ShardIteratorType: 'TRIM_HORIZON',
        });
        const read = () => world.dynamodbstreams.send(new GetRecordsCommand({ ShardIterator }));
        await world.pass(899);
        equal((await read()).Records?.length, 1);
        await world.pass(2);
        await refused('an iterator of 15 minutes and a second', { name: 'ExpiredIteratorException' }, read);
      },
    },
    {
      name: 'records-last-a-day',
      title: 'Records are trimmed after 24 hours; who asks for one by its number is told.',
      source: {
        page: streams,
        says: 'data older than 24 hours is trimmed; TrimmedDataAccess for reading behind that',
      },
      hours: true,
      async run(world) {
        const { put, streamArn } = await streamed(world);
        await put({ pk: 'old' });
        const [record] = await recordsOf(world, streamArn, 1);
        await world.pass(23 * 3600);
        await put({ pk: 'young' });
        deepEqual(names(await recordsOf(world, streamArn, 2)), ['INSERT', 'INSERT']);
        await world.pass(2 * 3600);
        const left = await recordsOf(world, streamArn, 1);
        deepEqual(
          left.map(({ dynamodb }) => dynamodb?.Keys?.pk?.S),
          ['young'],
        );
        const [shard] = await shardsOf(world, streamArn);
        await refused('a record that was trimmed', { name: 'TrimmedDataAccessException' }, () =>
          iteratorOf(world, streamArn, shard?.ShardId, {
            ShardIteratorType: 'AT_SEQUENCE_NUMBER',
            ...(record?.dynamodb?.SequenceNumber && { SequenceNumber: record.dynamodb.SequenceNumber }),
          }),
        );
      },
    },
    {
      name: 'iterator-over-a-trimmed-record',
      title: 'An iterator whose record is trimmed before it is used is told so.',
      source: {
        page: api('GetRecords'),
        says: 'TrimmedDataAccess: the iterator was got before the record grew older than 24 hours and was trimmed',
      },
      hours: true,
      async run(world) {
        const { put, streamArn } = await streamed(world);
        await put({ pk: 'old' });
        await world.pass(24 * 3600 - 60);
        const [shard] = await shardsOf(world, streamArn);
        const ShardIterator = await iteratorOf(world, streamArn, shard?.ShardId, {
          ShardIteratorType: 'TRIM_HORIZON',
        });
        await world.pass(120);
        await refused('a record that was trimmed meanwhile', { name: 'TrimmedDataAccessException' }, () =>
          world.dynamodbstreams.send(new GetRecordsCommand({ ShardIterator })),
        );
      },
    },
    {
      name: 'stream-outlives-its-table',
      title: 'The stream of a deleted table is read for a day, and is gone then.',
      source: {
        page: streams,
        says: 'data of a stream that is disabled can be read for 24 hours',
        conflict:
          'The page speaks of a stream that is disabled, and is silent about a table that is deleted; the model treats both alike.',
      },
      hours: true,
      async run(world) {
        const { name, put, streamArn } = await streamed(world);
        await put({ pk: 'a' });
        await world.dynamodb.send(new DeleteTableCommand({ TableName: name }));
        equal((await describe(world, streamArn))?.StreamStatus, 'DISABLED');
        deepEqual(names(await recordsOf(world, streamArn, 1)), ['INSERT']);
        await world.pass(25 * 3600);
        await refused('a stream that is gone', missing, () => describe(world, streamArn));
      },
    },
  ],
);
