import { describe, expect, it } from 'vitest';
import type { Made, Properties } from '../../../local/cloudformation/provider.ts';
import { providers } from '../../../local/cloudformation/providers/index.ts';
import { inWorld, type World } from './updates-support.ts';

const Table = 'AWS::DynamoDB::Table';
const KeySchema = [{ AttributeName: 'pk', KeyType: 'HASH' }];

const tableWith = (...indexed: readonly string[]): Properties => ({
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema,
  AttributeDefinitions: ['pk', ...indexed].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
  GlobalSecondaryIndexes: indexed.map((name) => ({
    IndexName: `by-${name}`,
    KeySchema: [{ AttributeName: name, KeyType: 'HASH' }],
    Projection: { ProjectionType: 'ALL' },
  })),
});

const indexesOf = async ({ call }: World, { physicalId: TableName }: Made) => {
  const { Table: table } = await call<{ Table: { GlobalSecondaryIndexes?: { IndexName: string }[] } }>(
    'dynamodb',
    'DescribeTable',
    { TableName },
  );
  return (table.GlobalSecondaryIndexes ?? []).map(({ IndexName }) => IndexName);
};

describe('A changed table is changed in place', () => {
  it('and keeps its items, which a new index holds', () =>
    inWorld(async (world) => {
      const made = await world.create(Table, tableWith());
      const TableName = made.physicalId;
      await world.call('dynamodb', 'PutItem', { TableName, Item: { pk: { S: '1' }, one: { S: 'x' } } });
      await world.update(Table, made, tableWith(), tableWith('one'));
      const { Items } = await world.call('dynamodb', 'Query', {
        TableName,
        IndexName: 'by-one',
        KeyConditionExpression: 'one = :x',
        ExpressionAttributeValues: { ':x': { S: 'x' } },
      });
      expect(Items).toEqual([{ pk: { S: '1' }, one: { S: 'x' } }]);
    }));

  it('by one index at a time, as CloudFormation says', () =>
    inWorld(async (world) => {
      const [before, after] = [tableWith('one'), tableWith('two')];
      const made = await world.create(Table, before);
      await expect(world.update(Table, made, before, after)).rejects.toThrow(
        /^Cannot perform more than one GSI creation or deletion in a single update\. Found: -by-one, \+by-two$/,
      );
      expect(await indexesOf(world, made)).toEqual(['by-one']);
      // Nothing was done, so there is nothing to take back, and that is no error.
      await world.update(Table, made, after, before);
      expect(await indexesOf(world, made)).toEqual(['by-one']);
    }));

  it('but not in what an index is', () =>
    inWorld(async (world) => {
      const before = tableWith('one');
      const [index] = before.GlobalSecondaryIndexes as Properties[];
      const after = {
        ...before,
        GlobalSecondaryIndexes: [{ ...index, Projection: { ProjectionType: 'KEYS_ONLY' } }],
      };
      const made = await world.create(Table, before);
      await expect(world.update(Table, made, before, after)).rejects.toThrow(
        /^Cannot update GSI's properties other than Provisioned Throughput/,
      );
      await world.update(Table, made, after, before);
    }));

  it('and its attribute of expiry by two updates, the first of which turns it off', () =>
    inWorld(async ({ create, update, call }) => {
      const expiring = (AttributeName: string) => ({
        ...tableWith(),
        TimeToLiveSpecification: { AttributeName, Enabled: true },
      });
      const made = await create(Table, expiring('ttl'));
      const look = () => call('dynamodb', 'DescribeTimeToLive', { TableName: made.physicalId });
      await expect(update(Table, made, expiring('ttl'), expiring('expires'))).rejects.toThrow(
        'TimeToLive is active on a different AttributeName: current AttributeName is ttl',
      );
      await update(Table, made, expiring('expires'), expiring('ttl'));
      expect(await look()).toEqual({
        TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: 'ttl' },
      });
      await update(Table, made, expiring('ttl'), tableWith());
      await update(Table, made, tableWith(), expiring('expires'));
      expect(await look()).toEqual({
        TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: 'expires' },
      });
    }));

  it.each([Table, 'AWS::DynamoDB::GlobalTable'])(
    'and is another one when a key changes its type: %s',
    (type) => {
      const { replaces } = providers[type]!;
      const typed = (AttributeType: string) => ({
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType }],
      });
      expect(replaces!(typed('S'), typed('N'))).toEqual(['AttributeDefinitions']);
      expect(replaces!(tableWith(), tableWith('one'))).toEqual([]);
    },
  );
});

describe('A table whose settings are refused', () => {
  it('is not left behind', () =>
    inWorld(async ({ create, call }) => {
      const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 99 };
      await expect(create(Table, { ...tableWith(), PointInTimeRecoverySpecification })).rejects.toThrow(
        /RecoveryPeriodInDays 99 is not allowed/,
      );
      expect(await call('dynamodb', 'ListTables')).toEqual({ TableNames: [] });
    }));

  it('keeps what it was when DynamoDB refuses an update of its capacity', () =>
    inWorld(async (world) => {
      const made = await world.create(Table, tableWith());
      const wrong = { ...tableWith('one'), BillingMode: 'PROVISIONED' };
      await expect(world.update(Table, made, tableWith(), wrong)).rejects.toThrow(/must both be specified/);
      const { Table: table } = await world.call<{ Table: object }>('dynamodb', 'DescribeTable', {
        TableName: made.physicalId,
      });
      expect(table).toMatchObject({ BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' } });
      expect(await indexesOf(world, made)).toEqual([]);
    }));
});
