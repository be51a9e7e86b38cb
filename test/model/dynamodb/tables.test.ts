import { describe, expect, test } from 'vitest';
import { days, hours, type Milliseconds, milliseconds, toMilliseconds } from '../../../lib/base/index.ts';
import { type Answer, createFixture, fill, item, read, values } from './support.ts';

const key = (name: string, range?: string) => [
  { AttributeName: name, KeyType: 'HASH' },
  ...(range === undefined ? [] : [{ AttributeName: range, KeyType: 'RANGE' }]),
];
const defined = (...names: string[]) => names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' }));

describe('tables', () => {
  test('a table is there at once, and says what it is', () => {
    const { call, clock } = createFixture();

    const made = call('CreateTable', {
      TableName: 'orders',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: defined('pk', 'sk', 'status'),
      KeySchema: key('pk', 'sk'),
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byStatus',
          KeySchema: key('status', 'sk'),
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
      Tags: [{ Key: 'team', Value: 'orders' }],
    });

    expect(made.TableDescription.TableStatus).toBe('CREATING');
    const { Table } = call('DescribeTable', { TableName: 'orders' });
    expect(Table).toMatchObject({
      TableName: 'orders',
      TableArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/orders',
      TableStatus: 'ACTIVE',
      CreationDateTime: new Date(clock.now()),
      ItemCount: 0,
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
      KeySchema: key('pk', 'sk'),
      GlobalSecondaryIndexes: [{ IndexName: 'byStatus', IndexStatus: 'ACTIVE' }],
    });
    expect(call('ListTagsOfResource', { ResourceArn: Table.TableArn }).Tags).toEqual([
      { Key: 'team', Value: 'orders' },
    ]);
    call('TagResource', { ResourceArn: Table.TableArn, Tags: [{ Key: 'stage', Value: 'test' }] });
    call('UntagResource', { ResourceArn: Table.TableArn, TagKeys: ['team'] });
    expect(call('ListTagsOfResource', { ResourceArn: Table.TableArn }).Tags).toEqual([
      { Key: 'stage', Value: 'test' },
    ]);
  });

  test('items are counted, by number and by size', () => {
    const fixture = createFixture();
    fill(fixture, { pk: 'a', text: 'hé' }, { pk: 'b', n: 12345 });
    fixture.call('DeleteItem', { TableName: 'records', Key: item({ pk: 'b' }) });

    const { Table } = fixture.call('DescribeTable', { TableName: 'records' });

    expect(Table.ItemCount).toBe(1);
    expect(Table.TableSizeBytes).toBe(2 + 1 + 4 + 3);
  });

  test.each<[object, string, string]>([
    [{ TableName: 'records' }, 'ResourceInUseException', 'already exists'],
    [{ TableName: 'no' }, 'ValidationException', 'tableName'],
    [{ KeySchema: [{ AttributeName: 'pk', KeyType: 'RANGE' }] }, 'ValidationException', 'KeySchema'],
    [
      { AttributeDefinitions: defined('other') },
      'ValidationException',
      'not defined in AttributeDefinitions',
    ],
    [{ AttributeDefinitions: defined('pk', 'other') }, 'ValidationException', 'does not exactly match'],
    [{ StreamSpecification: { StreamEnabled: true } }, 'ValidationException', 'StreamViewType is required'],
    [{ BillingMode: 'PROVISIONED' }, 'ValidationException', 'ReadCapacityUnits'],
    [
      { ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 } },
      'ValidationException',
      'PAY_PER_REQUEST',
    ],
  ])('a wrong table %j is refused', (members, name, words) => {
    const { refused } = createFixture();

    const error = refused('CreateTable', {
      TableName: 'orders',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: defined('pk'),
      KeySchema: key('pk'),
      ...members,
    });

    expect(error.name).toBe(name);
    expect(error.message).toContain(words);
  });

  test('names are listed in pages', () => {
    const { call } = createFixture();
    for (const TableName of ['orders', 'stock'])
      call('CreateTable', {
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: defined('pk'),
        KeySchema: key('pk'),
      });

    const first = call('ListTables', { Limit: 2 });
    expect(first).toEqual({ TableNames: ['orders', 'records'], LastEvaluatedTableName: 'records' });
    expect(call('ListTables', { ExclusiveStartTableName: 'records' })).toEqual({ TableNames: ['stock'] });
  });

  test('deletion protection holds until it is taken away', () => {
    const { call, refused } = createFixture();
    call('UpdateTable', { TableName: 'records', DeletionProtectionEnabled: true });

    expect(refused('DeleteTable', { TableName: 'records' }).name).toBe('ValidationException');
    call('UpdateTable', { TableName: 'records', DeletionProtectionEnabled: false });
    call('DeleteTable', { TableName: 'records' });
    expect(refused('DescribeTable', { TableName: 'records' }).name).toBe('ResourceNotFoundException');
    expect(refused('GetItem', { TableName: 'records', Key: item({ pk: 'a' }) }).name).toBe(
      'ResourceNotFoundException',
    );
  });

  test('an index that comes later finds the items that were there', () => {
    const fixture = createFixture();
    fill(fixture, { pk: 'a', status: 'open' }, { pk: 'b', status: 'done' }, { pk: 'c' });

    fixture.call('UpdateTable', {
      TableName: 'records',
      AttributeDefinitions: defined('pk', 'status'),
      GlobalSecondaryIndexUpdates: [
        {
          Create: { IndexName: 'byStatus', KeySchema: key('status'), Projection: { ProjectionType: 'ALL' } },
        },
      ],
    });
    const query = (status: string) =>
      fixture.call('Query', {
        TableName: 'records',
        IndexName: 'byStatus',
        KeyConditionExpression: '#s = :s',
        ExpressionAttributeNames: { '#s': 'status' },
        ExpressionAttributeValues: values({ s: status }),
      }).Items;

    expect(query('open')).toEqual([item({ pk: 'a', status: 'open' })]);
    fill(fixture, { pk: 'a', status: 'done' });
    expect(query('open')).toEqual([]);
    expect(query('done').map((one: Answer) => one.pk.S)).toEqual(['a', 'b']);
  });

  test('point-in-time recovery is off until it is switched on', async () => {
    const { call, clock } = createFixture();
    const state = () =>
      call('DescribeContinuousBackups', { TableName: 'records' }).ContinuousBackupsDescription
        .PointInTimeRecoveryDescription;
    expect(state()).toEqual({ PointInTimeRecoveryStatus: 'DISABLED' });

    call('UpdateContinuousBackups', {
      TableName: 'records',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 7 },
    });
    const since = clock.now();
    await clock.advance(toMilliseconds(days(1)));

    expect(state()).toMatchObject({
      PointInTimeRecoveryStatus: 'ENABLED',
      RecoveryPeriodInDays: 7,
      EarliestRestorableDateTime: new Date(since),
    });
  });
});

describe('items that cannot be stored', () => {
  test.each<[string, object, string]>([
    ['no key', {}, 'Missing the key pk in the item'],
    ['an empty key', { pk: { S: '' } }, 'cannot contain an empty string value. Key: pk'],
    ['a key of another type', { pk: { N: '1' } }, 'Type mismatch for key pk expected: S actual: N'],
    ['a key over 2,048 bytes', { pk: { S: 'é'.repeat(1_025) } }, 'Size of hashkey has exceeded'],
    ['a set without elements', { pk: { S: 'a' }, x: { SS: [] } }, 'An string set  may not be empty'],
    ['a set with the same number twice', { pk: { S: 'a' }, x: { NS: ['1', '1.0'] } }, 'contains duplicates'],
    ['a value of no type', { pk: { S: 'a' }, x: {} }, 'Supplied AttributeValue is empty'],
    ['a value of two types', { pk: { S: 'a' }, x: { S: 'a', N: '1' } }, 'more than one datatypes'],
    [
      'NULL that is not true',
      { pk: { S: 'a' }, x: { NULL: false } },
      'Null attribute value types must have the value of true',
    ],
    ['39 digits', { pk: { S: 'a' }, x: { N: '1'.repeat(39) } }, 'more than 38 significant digits'],
    ['an attribute without a name', { pk: { S: 'a' }, '': { S: 'a' } }, 'Empty attribute name'],
    ['32 levels', { pk: { S: 'a' }, x: nested(32) }, 'Nesting Levels have exceeded supported limits'],
    [
      '409,601 bytes',
      { pk: { S: 'a' }, x: { S: 'x'.repeat(409_597) } },
      'Item size has exceeded the maximum allowed size',
    ],
  ])('%s', (_what, Item, words) => {
    const { refused, model } = createFixture();

    const error = refused('PutItem', { TableName: 'records', Item });

    expect(error.name).toBe('ValidationException');
    expect(error.message).toContain(words);
    expect(model.items('records')).toEqual([]);
  });

  test('the largest and the deepest that can', () => {
    const { call, model } = createFixture();

    call('PutItem', { TableName: 'records', Item: { pk: { S: 'a' }, x: { S: 'x'.repeat(409_596) } } });
    call('PutItem', { TableName: 'records', Item: { pk: { S: 'b' }, x: nested(31) } });

    expect(model.items('records')).toHaveLength(2);
  });

  test('an update cannot make an item too large either', () => {
    const fixture = createFixture();
    fill(fixture, { pk: 'a', x: 'x'.repeat(400_000) });

    const error = fixture.refused('UpdateItem', {
      TableName: 'records',
      Key: item({ pk: 'a' }),
      UpdateExpression: 'SET y = x',
    });

    expect(error.message).toBe('Item size to update has exceeded the maximum allowed size');
  });

  test.each<[string, object, string]>([
    ['no attribute', {}, 'The number of conditions on the keys is invalid'],
    ['an attribute too many', item({ pk: 'a', x: 1 }), 'The number of conditions on the keys is invalid'],
    ['another attribute', item({ x: 'a' }), 'The provided key element does not match the schema'],
    ['another type', item({ pk: 1 }), 'The provided key element does not match the schema'],
  ])('a key with %s', (_what, Key, message) => {
    const { refused } = createFixture();

    expect(refused('GetItem', { TableName: 'records', Key }).message).toBe(message);
  });
});

function nested(levels: number): object {
  let inner: object = { S: 'x' };
  for (let level = 0; level < levels; level++) inner = { L: [inner] };
  return inner;
}

describe('capacity is counted by the documented rules', () => {
  const asked = { ReturnConsumedCapacity: 'TOTAL' };
  const large = { pk: 'a', x: 'x'.repeat(4_500) };

  test.each<[string, object, number]>([
    ['PutItem', { Item: item({ pk: 'n' }) }, 1],
    ['PutItem', { Item: item(large) }, 5],
    ['DeleteItem', { Key: item({ pk: 'a' }) }, 5],
    ['DeleteItem', { Key: item({ pk: 'none' }) }, 1],
    ['UpdateItem', { Key: item({ pk: 'a' }), UpdateExpression: 'REMOVE x' }, 5],
    ['GetItem', { Key: item({ pk: 'a' }) }, 1],
    ['GetItem', { Key: item({ pk: 'a' }), ConsistentRead: true }, 2],
    ['GetItem', { Key: item({ pk: 'none' }) }, 0.5],
  ])('%s %j uses %d', (action, members, units) => {
    const fixture = createFixture();
    fill(fixture, large);

    expect(fixture.call(action, { TableName: 'records', ...members, ...asked }).ConsumedCapacity).toEqual({
      TableName: 'records',
      CapacityUnits: units,
    });
  });

  test('a transaction pays twice', () => {
    const { call } = createFixture();

    const reply = call('TransactWriteItems', {
      TransactItems: [{ Put: { TableName: 'records', Item: item(large) } }],
      ...asked,
    });

    expect(reply.ConsumedCapacity[0].CapacityUnits).toBe(10);
  });
});

describe('items expire, late', () => {
  const second = (at: Milliseconds) => Math.floor(at / 1_000);
  const expire = (fixture: ReturnType<typeof createFixture>) =>
    fixture.call('UpdateTimeToLive', {
      TableName: 'records',
      TimeToLiveSpecification: { Enabled: true, AttributeName: 'ttl' },
    });

  test('an expired item stays readable at first, and is gone after two days', async () => {
    const fixture = createFixture();
    expire(fixture);
    const many = Array.from({ length: 50 }, (_, index) => ({
      pk: `k${index}`,
      ttl: second(fixture.clock.now()) + 60,
    }));
    fill(fixture, ...many);
    const left = () => fixture.model.items('records').length;

    await fixture.clock.advance(milliseconds(120_000));
    expect(left()).toBe(50);
    expect(read(fixture, 'k0')).toBeDefined();

    await fixture.clock.advance(toMilliseconds(hours(24)));
    expect(left()).toBeGreaterThan(0);
    expect(left()).toBeLessThan(50);

    await fixture.clock.advance(toMilliseconds(hours(25)));
    expect(left()).toBe(0);
    expect(fixture.call('DescribeTable', { TableName: 'records' }).Table.ItemCount).toBe(0);
  });

  test('the same seed deletes at the same hour', async () => {
    const run = async (seed: number) => {
      const fixture = createFixture({ seed });
      expire(fixture);
      fill(
        fixture,
        ...Array.from({ length: 40 }, (_, index) => ({ pk: `k${index}`, ttl: second(fixture.clock.now()) })),
      );
      await fixture.clock.advance(toMilliseconds(hours(20)));
      return fixture.model.items('records').map((one) => one.pk!.S);
    };

    expect(await run(3)).toEqual(await run(3));
    expect(await run(3)).not.toEqual(await run(4));
  });

  test.each<[string, Record<string, unknown>]>([
    ['milliseconds instead of seconds', { ttl: Date.UTC(2026, 0, 1) }],
    ['text', { ttl: '1' }],
    ['more than five years ago', { ttl: Date.UTC(2020, 0, 1) / 1_000 }],
    ['none', {}],
  ])('an expiry in %s deletes nothing', async (_what, members) => {
    const fixture = createFixture();
    expire(fixture);
    fill(fixture, { pk: 'a', ...members });

    await fixture.clock.advance(toMilliseconds(days(10)));

    expect(read(fixture, 'a')).toBeDefined();
  });

  test('an item that was renewed in time stays', async () => {
    const fixture = createFixture();
    expire(fixture);
    fill(fixture, { pk: 'a', ttl: second(fixture.clock.now()) + 60 });
    fill(fixture, { pk: 'a', ttl: second(fixture.clock.now()) + 100 * 86_400 });

    await fixture.clock.advance(toMilliseconds(days(10)));

    expect(read(fixture, 'a')).toBeDefined();
  });

  test('no timer keeps the process alive', async () => {
    const fixture = createFixture();
    expire(fixture);
    fill(fixture, { pk: 'a', ttl: second(fixture.clock.now()) });

    expect(fixture.clock.nextTimer()).toBeUndefined();
  });

  test('expiry is told, and switched once', () => {
    const fixture = createFixture();
    const state = () => fixture.call('DescribeTimeToLive', { TableName: 'records' }).TimeToLiveDescription;

    expect(state()).toEqual({ TimeToLiveStatus: 'DISABLED' });
    expire(fixture);
    expect(state()).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'ttl' });
    const again = { TableName: 'records', TimeToLiveSpecification: { Enabled: true, AttributeName: 'ttl' } };
    expect(fixture.refused('UpdateTimeToLive', again).message).toBe('TimeToLive is already enabled');
  });
});
