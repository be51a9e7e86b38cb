import type { KeySchemaElement, TableDescription } from '@aws-sdk/client-dynamodb';
import { describeEncryption } from './encryption.ts';
import type { KeySchema } from './keys.ts';
import type { SecondaryIndex, Table } from './table.ts';

/** A table as DescribeTable tells it. */
export function describeTable(table: Table): TableDescription {
  const throughput = {
    ReadCapacityUnits: table.throughput.read,
    WriteCapacityUnits: table.throughput.write,
    NumberOfDecreasesToday: 0,
  };
  const indexes = [...table.indexes.values()];
  const globals = indexes.filter((index) => index.kind === 'global');
  const locals = indexes.filter((index) => index.kind === 'local');
  return {
    TableName: table.name,
    TableArn: table.arn,
    TableId: table.id,
    TableStatus: 'ACTIVE',
    CreationDateTime: new Date(table.createdAt),
    AttributeDefinitions: [...table.definitions],
    KeySchema: describeSchema(table.schema),
    ItemCount: table.count,
    TableSizeBytes: table.bytes,
    ProvisionedThroughput: throughput,
    DeletionProtectionEnabled: table.deletionProtected,
    ...describeEncryption(table.encryption),
    ...(table.latestStream === undefined
      ? {}
      : { LatestStreamArn: table.latestStream.arn, LatestStreamLabel: table.latestStream.label }),
    ...(table.stream === undefined
      ? {}
      : { StreamSpecification: { StreamEnabled: true, StreamViewType: table.stream.viewType } }),
    ...(table.billingMode === 'PAY_PER_REQUEST'
      ? { BillingModeSummary: { BillingMode: table.billingMode } }
      : {}),
    ...(globals.length === 0
      ? {}
      : {
          GlobalSecondaryIndexes: globals.map((index) => ({
            ...describeIndex(table, index),
            IndexStatus: 'ACTIVE' as const,
            ProvisionedThroughput: throughput,
          })),
        }),
    ...(locals.length === 0
      ? {}
      : { LocalSecondaryIndexes: locals.map((index) => describeIndex(table, index)) }),
  };
}

function describeIndex(table: Table, index: SecondaryIndex) {
  let count = 0;
  let bytes = 0;
  for (const row of index.rows.all()) {
    count++;
    bytes += row.size;
  }
  return {
    IndexName: index.name,
    IndexArn: `${table.arn}/index/${index.name}`,
    KeySchema: describeSchema(index.schema),
    Projection: index.projection,
    ItemCount: count,
    IndexSizeBytes: bytes,
  };
}

/** A key as the API writes it. */
export const describeSchema = ({ hash, range }: KeySchema): KeySchemaElement[] => [
  { AttributeName: hash.name, KeyType: 'HASH' },
  ...(range === undefined ? [] : [{ AttributeName: range.name, KeyType: 'RANGE' as const }]),
];
