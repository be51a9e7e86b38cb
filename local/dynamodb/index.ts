import type { Milliseconds } from '../../lib/base/index.ts';
import type { KeyGuard } from '../kms/index.ts';
import type { ModelContext, Service } from '../service.ts';
import { batchOperations } from './batches.ts';
import { tableOperations } from './control.ts';
import { underKeys } from './encryption.ts';
import { itemOperations } from './items.ts';
import { announceMetrics } from './metrics.ts';
import { statementOperations } from './partiql/index.ts';
import { queryOperations } from './query.ts';
import { settingOperations } from './settings.ts';
import { createStreamRegistry, streamOperations } from './streams/index.ts';
import { createTables } from './tables.ts';
import { createTokens } from './tokens.ts';
import { transactionOperations } from './transactions.ts';
import { copyItem, type Item } from './values.ts';

export type { Item } from './values.ts';

/** How a model of DynamoDB may behave within what DynamoDB promises. */
export interface DynamoDbOptions {
  /**
   * How late expired items are deleted, at the turn of an hour; AWS says "within a few days" (DynamoDB developer guide,
   * "Using time to live").
   *
   * @default - up to 48 hours, a different and repeatable time for each item
   */
  readonly expiryDelay?: Milliseconds;
  /**
   * Asked before a table's key (SSESpecification) is used.
   *
   * @default - none: the key is kept, and has no effect
   */
  readonly keys?: KeyGuard;
}

/** The model of DynamoDB. */
export interface DynamoDbModel extends Service {
  /**
   * A look at all items of a table, in the order in which they came, for judges and tests: copies, free of charge, expired
   * ones included as long as the service would keep them.
   *
   * @throws ServiceError `ResourceNotFoundException` when there is no such table
   */
  items(tableName: string): readonly Item[];
  /** The name of a table's partition key; the table is named by its name or its ARN. */
  partitionKey(table: string): string | undefined;
  /** DynamoDB Streams: a service of its own, over the changes of these tables. */
  readonly streams: Service;
}

/**
 * A model of DynamoDB: tables, items, expressions, transactions and PartiQL, with the service's own errors.
 * Every action is done at once, in one step; time (expiry, tokens of transactions) comes from the context's clock.
 *
 * - A table can be used as soon as CreateTable has answered; there is no waiting for ACTIVE.
 * - No conflict of transactions and no throttling comes from the model itself: who wants them injects them.
 * - Expired items are deleted up to 48 hours late, each at a moment that the seed decides; no timer runs for it.
 * - Published to `AWS/DynamoDB` for each table: ConsumedReadCapacityUnits, ConsumedWriteCapacityUnits and
 *   ConditionalCheckFailedRequests.
 * - A stream has one shard, in which all changes lie in their order; AWS splits shards as a table grows.
 * - Not modelled, and refused where a request asks for them: the parameters from before expressions.
 *
 * @example
 * ```ts
 * const dynamodb = createDynamoDb(context);
 * dynamodb.operations.CreateTable!({
 *   TableName: 'records', BillingMode: 'PAY_PER_REQUEST',
 *   AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
 *   KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
 * }, {});
 * ```
 */
export function createDynamoDb(context: ModelContext, options: DynamoDbOptions = {}): DynamoDbModel {
  const tables = createTables(context, options.expiryDelay);
  const tokens = createTokens(context.clock);
  const streams = createStreamRegistry(context);
  return {
    id: 'dynamodb',
    operations: {
      ...tableOperations(tables, streams, (table) => announceMetrics(context.metrics, table), options.keys),
      ...settingOperations(tables),
      ...underKeys(tables, options.keys, (guarded) => ({
        ...itemOperations(guarded),
        ...queryOperations(guarded),
        ...batchOperations(guarded),
        ...transactionOperations(guarded, tokens),
        ...statementOperations(guarded, tokens),
      })),
    },
    streams: { id: 'dynamodbstreams', operations: streamOperations(tables, streams) },
    partitionKey: (table) => tables.byName.get(table.slice(table.lastIndexOf('/') + 1))?.schema.hash.name,
    items: (tableName) => [...tables.open(tableName).rows.all()].map((row) => copyItem(row.item)),
  };
}
