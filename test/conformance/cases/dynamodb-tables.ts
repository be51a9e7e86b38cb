import { deepEqual, equal, match, ok } from 'node:assert/strict';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  DescribeTableCommand,
  ListTablesCommand,
  ListTagsOfResourceCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { group } from '../case.ts';
import type { World } from '../world.ts';
import { active, index, invalid, pages, table } from './kit/dynamodb.ts';
import { refused } from './kit/refusal.ts';

const missing = { name: 'ResourceNotFoundException' } as const;

const declaration = (world: World, more: Partial<CreateTableCommandInput> = {}): CreateTableCommandInput => ({
  TableName: world.name('table'),
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  ...more,
});
const create = (world: World, more: Partial<CreateTableCommandInput>) => {
  const input = declaration(world, more);
  world.after(() => world.dynamodb.send(new DeleteTableCommand({ TableName: input.TableName })));
  return world.dynamodb.send(new CreateTableCommand(input));
};
const describe = async ({ dynamodb }: World, TableName: string) =>
  (await dynamodb.send(new DescribeTableCommand({ TableName }))).Table;

export const dynamodbTables = group(
  'dynamodb-tables',
  'Tables',
  ['dynamodb'],
  [
    {
      name: 'created-is-described',
      title: 'A new table is being made, then active, and described as it was declared.',
      source: {
        page: pages.api('CreateTable'),
        says: 'the status is CREATING at first and ACTIVE when the table can be used',
      },
      async run(world) {
        const { TableDescription } = await create(world, {});
        equal(TableDescription?.TableStatus, 'CREATING');
        const found = await active(world, TableDescription?.TableName ?? '');
        match(found.TableArn ?? '', new RegExp(`^arn:aws:dynamodb:[^:]+:\\d{12}:table/${found.TableName}$`));
        deepEqual(found.KeySchema, [{ AttributeName: 'pk', KeyType: 'HASH' }]);
        deepEqual(found.AttributeDefinitions, [{ AttributeName: 'pk', AttributeType: 'S' }]);
        equal(found.BillingModeSummary?.BillingMode, 'PAY_PER_REQUEST');
        equal(found.ItemCount, 0);
        ok(found.CreationDateTime instanceof Date, 'CreationDateTime is missing.');
        ok(found.TableId, 'TableId is missing.');
        equal(found.DeletionProtectionEnabled, false, 'DeletionProtectionEnabled is not told as false.');
      },
    },
    {
      name: 'name-in-use',
      title: 'A table of a name that is in use is refused.',
      source: { page: pages.api('CreateTable'), says: 'ResourceInUse: a table of this name exists' },
      async run(world) {
        const { name } = await table(world);
        await refused('a second table of the name', { name: 'ResourceInUseException' }, () =>
          create(world, { TableName: name }),
        );
      },
    },
    {
      name: 'names',
      title: 'Table names have 3 to 255 letters, digits, underscores, hyphens and dots.',
      source: { page: pages.naming, says: 'table names have 3 to 255 of A-Z, a-z, 0-9, _, - and .' },
      async run(world) {
        for (const TableName of ['ab', 'a b c', 'a'.repeat(256), 'täble'])
          await refused(`a table named "${TableName.slice(0, 10)}"`, invalid, () =>
            world.dynamodb.send(new CreateTableCommand(declaration(world, { TableName }))),
          );
      },
    },
    {
      name: 'key-has-to-be-defined',
      title: 'An attribute of the key has to be defined, and a defined attribute has to be in a key.',
      source: {
        page: pages.api('CreateTable'),
        says: 'KeySchema’s attributes must be in AttributeDefinitions; these describe keys of table and indexes only',
      },
      async run(world) {
        const S = 'S' as const;
        await refused('a key that is not defined', invalid, () =>
          create(world, { AttributeDefinitions: [{ AttributeName: 'other', AttributeType: S }] }),
        );
        await refused('an attribute that is in no key', invalid, () =>
          create(world, {
            AttributeDefinitions: [
              { AttributeName: 'pk', AttributeType: S },
              { AttributeName: 'other', AttributeType: S },
            ],
          }),
        );
      },
    },
    {
      name: 'shape-of-the-key',
      title: 'A key is a partition key, then perhaps a sort key.',
      source: {
        page: pages.api('CreateTable'),
        says: 'the first element has the type HASH, the second RANGE',
      },
      async run(world) {
        const AttributeDefinitions = ['pk', 'sk'].map((AttributeName) => ({
          AttributeName,
          AttributeType: 'S' as const,
        }));
        await refused('a sort key first', invalid, () =>
          create(world, {
            AttributeDefinitions,
            KeySchema: [
              { AttributeName: 'pk', KeyType: 'RANGE' },
              { AttributeName: 'sk', KeyType: 'HASH' },
            ],
          }),
        );
        await refused('one attribute as both keys', invalid, () =>
          create(world, {
            KeySchema: [
              { AttributeName: 'pk', KeyType: 'HASH' },
              { AttributeName: 'pk', KeyType: 'RANGE' },
            ],
          }),
        );
      },
    },
    {
      name: 'throughput-belongs-to-provisioned',
      title: 'A provisioned table has throughput; one on demand has none.',
      source: {
        page: pages.api('CreateTable'),
        says: 'ProvisionedThroughput is needed for PROVISIONED and cannot be given for PAY_PER_REQUEST',
      },
      async run(world) {
        const ProvisionedThroughput = { ReadCapacityUnits: 1, WriteCapacityUnits: 1 };
        await refused('a table on demand with throughput', invalid, () =>
          create(world, { ProvisionedThroughput }),
        );
        await refused('a provisioned table without throughput', invalid, () =>
          create(world, { BillingMode: 'PROVISIONED' }),
        );
        const { TableDescription } = await create(world, {
          BillingMode: 'PROVISIONED',
          ProvisionedThroughput,
        });
        equal(TableDescription?.ProvisionedThroughput?.ReadCapacityUnits, 1);
      },
    },
    {
      name: 'local-index-needs-a-sort-key',
      title: 'A local secondary index needs a table with a sort key, and the table’s own partition key.',
      source: {
        page: 'DynamoDB developer guide, "Local secondary indexes"',
        says: 'it has the partition key of the table and another sort key',
      },
      async run(world) {
        await refused('a local index on a table without a sort key', invalid, () =>
          create(world, {
            AttributeDefinitions: ['pk', 'at'].map((AttributeName) => ({
              AttributeName,
              AttributeType: 'S' as const,
            })),
            LocalSecondaryIndexes: [index('at', 'pk', 'at')],
          }),
        );
      },
    },
    {
      name: 'twenty-global-indexes',
      title: 'A table has at most 20 global secondary indexes.',
      source: { page: pages.quotas, says: 'the default quota is 20 global secondary indexes of a table' },
      async run(world) {
        const names = Array.from({ length: 21 }, (_, position) => `attribute${position}`);
        await refused('21 global indexes', { name: ['ValidationException', 'LimitExceededException'] }, () =>
          create(world, {
            AttributeDefinitions: ['pk', ...names].map((AttributeName) => ({
              AttributeName,
              AttributeType: 'S' as const,
            })),
            GlobalSecondaryIndexes: names.map((name) => index(name, name)),
          }),
        );
      },
    },
    {
      name: 'gone-after-delete',
      title: 'A table that was deleted is not found, by any action.',
      source: { page: pages.api('DeleteTable'), says: 'ResourceNotFound for a table that does not exist' },
      async run(world) {
        const made = await table(world);
        await world.dynamodb.send(new DeleteTableCommand({ TableName: made.name }));
        await world.eventually('the table to be gone', 30, async () =>
          describe(world, made.name).then(
            () => undefined,
            () => true,
          ),
        );
        await refused('DescribeTable', missing, () => describe(world, made.name));
        await refused('GetItem', missing, () => made.get('a'));
        await refused('PutItem', missing, () => made.put({ pk: 'a' }));
        await refused('DeleteTable', missing, () =>
          world.dynamodb.send(new DeleteTableCommand({ TableName: made.name })),
        );
      },
    },
    {
      name: 'deletion-protection',
      title: 'A protected table is not deleted until its protection is taken away.',
      source: {
        page: 'DynamoDB developer guide, "Using deletion protection to protect your table"',
        says: 'a table with deletion protection cannot be deleted',
      },
      async run(world) {
        const { name } = await table(world, { more: { DeletionProtectionEnabled: true } });
        equal((await describe(world, name))?.DeletionProtectionEnabled, true, 'The protection is not told.');
        const remove = () => world.dynamodb.send(new DeleteTableCommand({ TableName: name }));
        await refused('a protected table deleted', invalid, remove);
        await world.dynamodb.send(
          new UpdateTableCommand({ TableName: name, DeletionProtectionEnabled: false }),
        );
        await active(world, name);
        await remove();
      },
    },
    {
      name: 'index-added-later',
      title: 'A global index that is added later holds the items that are there.',
      source: {
        page: 'DynamoDB developer guide, "Managing Global Secondary Indexes"',
        says: 'DynamoDB fills a new index from the table',
      },
      async run(world) {
        const made = await table(world);
        await made.put({ pk: 'a', status: 'open' });
        await world.dynamodb.send(
          new UpdateTableCommand({
            TableName: made.name,
            AttributeDefinitions: [
              { AttributeName: 'pk', AttributeType: 'S' },
              { AttributeName: 'status', AttributeType: 'S' },
            ],
            GlobalSecondaryIndexUpdates: [{ Create: index('byStatus', 'status') }],
          }),
        );
        await active(world, made.name, 'byStatus');
        const { Count } = await made.query('#s = :s', {
          IndexName: 'byStatus',
          names: { s: 'status' },
          values: { s: 'open' },
        });
        equal(Count, 1, 'The item that was there before is not in the index.');
        await world.dynamodb.send(
          new UpdateTableCommand({
            TableName: made.name,
            GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'byStatus' } }],
          }),
        );
        await world.eventually('the index to be gone', 30, async () =>
          (await describe(world, made.name))?.GlobalSecondaryIndexes === undefined ? true : undefined,
        );
      },
    },
    {
      name: 'index-that-is-not-there',
      title: 'An index that is not there cannot be deleted.',
      source: { page: pages.api('UpdateTable'), says: 'ResourceNotFound: the index does not exist' },
      async run(world) {
        const { name } = await table(world);
        await refused('an index that never was', missing, () =>
          world.dynamodb.send(
            new UpdateTableCommand({
              TableName: name,
              GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'never' } }],
            }),
          ),
        );
      },
    },
    {
      name: 'billing-mode-changed',
      title: 'A table is changed to provisioned throughput.',
      source: { page: pages.api('UpdateTable'), says: 'the billing mode can be switched' },
      async run(world) {
        const { name } = await table(world);
        await world.dynamodb.send(
          new UpdateTableCommand({
            TableName: name,
            BillingMode: 'PROVISIONED',
            ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 4 },
          }),
        );
        const found = await active(world, name);
        equal(found.ProvisionedThroughput?.ReadCapacityUnits, 3);
        equal(found.ProvisionedThroughput?.WriteCapacityUnits, 4);
      },
    },
    {
      name: 'listed-in-order-and-pages',
      title: 'Tables are listed in pages, from behind a name.',
      source: {
        page: pages.api('ListTables'),
        says: 'LastEvaluatedTableName is where the next page begins; at most 100 names a page',
      },
      async run(world) {
        const names = [(await table(world)).name, (await table(world)).name];
        // Others may make and delete tables between two pages: one good look is enough.
        await world.eventually('both tables to be on the pages, once', 10, async () => {
          const found: string[] = [];
          let last: string | undefined;
          do {
            const page = await world.dynamodb.send(
              new ListTablesCommand({ Limit: 1, ...(last && { ExclusiveStartTableName: last }) }),
            );
            ok((page.TableNames ?? []).length <= 1, 'A page of one has more names.');
            found.push(...(page.TableNames ?? []));
            last = page.LastEvaluatedTableName;
          } while (last !== undefined);
          return names.every((name) => found.filter((one) => one === name).length === 1) ? true : undefined;
        });
        await refused('a page of 101', invalid, () =>
          world.dynamodb.send(new ListTablesCommand({ Limit: 101 })),
        );
      },
    },
    {
      name: 'tags',
      title: 'Tags are added, replaced and taken away by their key.',
      source: { page: pages.api('TagResource'), says: 'tags are key and value; a key is there once' },
      async run(world) {
        const { arn: ResourceArn } = await table(world, { more: { Tags: [{ Key: 'a', Value: '1' }] } });
        const { dynamodb } = world;
        await dynamodb.send(
          new TagResourceCommand({
            ResourceArn,
            Tags: [
              { Key: 'a', Value: '2' },
              { Key: 'b', Value: '3' },
            ],
          }),
        );
        await dynamodb.send(new UntagResourceCommand({ ResourceArn, TagKeys: ['b'] }));
        const { Tags } = await dynamodb.send(new ListTagsOfResourceCommand({ ResourceArn }));
        deepEqual(Tags, [{ Key: 'a', Value: '2' }]);
      },
    },
  ],
);
