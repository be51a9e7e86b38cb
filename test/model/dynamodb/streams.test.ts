import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../../lib/base/index.ts';
import { type Answer, createFixture, type Fixture, fill, item, read, values } from './support.ts';

const hour = 3_600_000;

/** A fixture whose table `records` has a stream, from which everything is read. */
function streaming(view = 'NEW_AND_OLD_IMAGES') {
  const fixture = createFixture();
  const stream = (action: string, input: object): Answer =>
    fixture.model.streams.operations[action]!(input, {});
  fixture.call('UpdateTable', {
    TableName: 'records',
    StreamSpecification: { StreamEnabled: true, StreamViewType: view },
  });
  const arn: string = fixture.call('DescribeTable', { TableName: 'records' }).Table.LatestStreamArn;
  const shard = (): Answer => stream('DescribeStream', { StreamArn: arn }).StreamDescription.Shards[0];
  const iterator = (more: object = { ShardIteratorType: 'TRIM_HORIZON' }): string =>
    stream('GetShardIterator', { StreamArn: arn, ShardId: shard().ShardId, ...more }).ShardIterator;
  const records = (): Answer[] => stream('GetRecords', { ShardIterator: iterator() }).Records;
  return { ...fixture, stream, arn, shard, iterator, records };
}

const expire = ({ call }: Fixture) =>
  call('UpdateTimeToLive', {
    TableName: 'records',
    TimeToLiveSpecification: { Enabled: true, AttributeName: 'ttl' },
  });

describe('a stream', () => {
  it('tells of what expired at its own time, although nobody looked for days', async () => {
    const fixture = streaming();
    expire(fixture);
    const { clock, records } = fixture;
    const now = clock.now() / 1_000;
    for (let one = 0; one < 20; one++) fill(fixture, { pk: `item-${one}`, ttl: now + 60 * (20 - one) });
    await clock.advance(milliseconds(50 * hour));
    const removed = records().filter(({ eventName }) => eventName === 'REMOVE');
    expect(removed.length).toBeGreaterThan(5);
    for (const record of removed) {
      const expiry = Number(record.dynamodb.OldImage.ttl.N) * 1_000;
      const at = record.dynamodb.ApproximateCreationDateTime.getTime();
      expect(at).toBeGreaterThanOrEqual(expiry);
      expect(at).toBeLessThanOrEqual(expiry + 49 * hour);
      expect(at % hour).toBe(0);
    }
    const times = removed.map((record) => record.dynamodb.ApproximateCreationDateTime.getTime());
    expect(times).toEqual(times.toSorted());
  });

  it('holds what was there when it changed, whatever the caller does with an answer', () => {
    const fixture = streaming();
    fill(fixture, { pk: 'a', list: [1] });
    fixture.records()[0].dynamodb.NewImage.list.L.push({ N: '2' });
    expect(fixture.records()[0].dynamodb.NewImage).toEqual(item({ pk: 'a', list: [1] }));
    expect(read(fixture, 'a')).toEqual(item({ pk: 'a', list: [1] }));
  });

  it('forgets what is trimmed: a busy table does not grow for ever', async () => {
    const fixture = streaming('KEYS_ONLY');
    for (let round = 0; round < 30; round++) {
      for (let one = 0; one < 100; one++) fill(fixture, { pk: 'a', round, one });
      await fixture.clock.advance(milliseconds(hour));
    }
    expect(fixture.records()).toHaveLength(1_000);
    const first = Number(fixture.records()[0].dynamodb.SequenceNumber.slice(1));
    // Of 30 hours the changes of 23 are younger than a day.
    expect(first).toBe(701);
  });

  it('ends a page at 1 MB, and after one record that is larger', () => {
    const fixture = streaming('NEW_IMAGE');
    const text = 'x'.repeat(390_000);
    for (const pk of ['a', 'b', 'c', 'd']) fill(fixture, { pk, text });
    const first = fixture.stream('GetRecords', { ShardIterator: fixture.iterator() });
    expect(first.Records).toHaveLength(2);
    expect(fixture.stream('GetRecords', { ShardIterator: first.NextShardIterator }).Records).toHaveLength(2);
  });

  it('writes nothing for a table that has none', () => {
    const fixture = createFixture();
    fill(fixture, { pk: 'a' });
    expect((fixture.model.streams.operations.ListStreams!({}, {}) as Answer).Streams).toEqual([]);
  });

  it('gets a label of its own when it is turned off and on in one moment', () => {
    const fixture = streaming();
    const set = (StreamSpecification: object) =>
      fixture.call('UpdateTable', { TableName: 'records', StreamSpecification });
    set({ StreamEnabled: false });
    set({ StreamEnabled: true, StreamViewType: 'KEYS_ONLY' });
    const { Streams } = fixture.stream('ListStreams', { TableName: 'records' });
    expect(new Set(Streams.map(({ StreamArn }: Answer) => StreamArn)).size).toBe(2);
  });

  it('lists streams in pages', () => {
    const fixture = streaming();
    fixture.call('UpdateTable', { TableName: 'records', StreamSpecification: { StreamEnabled: false } });
    fixture.call('UpdateTable', {
      TableName: 'records',
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
    });
    const first = fixture.stream('ListStreams', { Limit: 1 });
    const second = fixture.stream('ListStreams', {
      Limit: 1,
      ExclusiveStartStreamArn: first.LastEvaluatedStreamArn,
    });
    expect(first.Streams[0].StreamArn).toBe(fixture.arn);
    expect(second.Streams[0].StreamArn).not.toBe(fixture.arn);
    expect(second.LastEvaluatedStreamArn).toBeUndefined();
  });
});

describe('an attribute may be named as what JavaScript’s objects have', () => {
  // Written with computed keys: a plain `__proto__:` in a literal means the prototype.
  const named = (name: string, rest: Record<string, unknown> = {}) => item({ ...rest, [name]: 'x' });

  it.each(['__proto__', 'constructor', 'hasOwnProperty'])('%s', (name) => {
    const fixture = createFixture();
    const { call } = fixture;
    const put = named(name, { pk: 'a', map: JSON.parse(`{"${name}":"inner"}`) });
    call('PutItem', { TableName: 'records', Item: put });
    expect(JSON.stringify(read(fixture, 'a'))).toBe(JSON.stringify(put));
    call('UpdateItem', {
      TableName: 'records',
      Key: item({ pk: 'a' }),
      UpdateExpression: 'SET seen = #n, #m.#n = :v',
      ConditionExpression: 'attribute_exists(#n) AND #n = :x',
      ExpressionAttributeNames: { '#n': name, '#m': 'map' },
      ExpressionAttributeValues: values({ v: 'changed', x: 'x' }),
    });
    const { Item } = call('GetItem', {
      TableName: 'records',
      Key: item({ pk: 'a' }),
      ProjectionExpression: 'seen, #n, #m.#n',
      ExpressionAttributeNames: { '#n': name, '#m': 'map' },
    });
    expect(JSON.stringify(Item)).toBe(
      JSON.stringify({ seen: { S: 'x' }, ...named(name), map: { M: { [name]: { S: 'changed' } } } }),
    );
  });

  it.each(['__proto__', 'constructor'])('%s as a key of the table and of an index', (name) => {
    const { call, refused } = createFixture();
    const key = (AttributeName: string, KeyType: string) => ({ AttributeName, KeyType });
    call('CreateTable', {
      TableName: 'odd',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', name].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: [key('pk', 'HASH'), key(name, 'RANGE')],
    });
    call('PutItem', { TableName: 'odd', Item: named(name, { pk: 'a' }) });
    const { Items } = call('Query', {
      TableName: 'odd',
      KeyConditionExpression: 'pk = :p AND #n = :x',
      ExpressionAttributeNames: { '#n': name },
      ExpressionAttributeValues: values({ p: 'a', x: 'x' }),
    });
    expect(JSON.stringify(Items)).toBe(JSON.stringify([named(name, { pk: 'a' })]));
    expect(refused('PutItem', { TableName: 'odd', Item: item({ pk: 'a' }) }).message).toContain(
      'Missing the key',
    );
    call('CreateTable', {
      TableName: 'indexed',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', name].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: [key('pk', 'HASH')],
      GlobalSecondaryIndexes: [
        { IndexName: 'odd', KeySchema: [key(name, 'HASH')], Projection: { ProjectionType: 'ALL' } },
      ],
    });
    call('PutItem', { TableName: 'indexed', Item: item({ pk: 'without' }) });
    call('PutItem', { TableName: 'indexed', Item: named(name, { pk: 'with' }) });
    expect(call('Scan', { TableName: 'indexed', IndexName: 'odd' }).Count).toBe(1);
  });
});
