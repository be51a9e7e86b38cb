import type {
  CreateTableCommandInput,
  CreateTableCommandOutput,
  DeleteTableCommandInput,
  DeleteTableCommandOutput,
  DescribeTableCommandInput,
  DescribeTableCommandOutput,
  ListTablesCommandInput,
  ListTablesCommandOutput,
  TableDescription,
  UpdateTableCommandInput,
  UpdateTableCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { uuid } from '../../lib/base/index.ts';
import type { KeyGuard } from '../kms/index.ts';
import { ServiceError } from '../service.ts';
import { createCollection } from './collection.ts';
import { describeTable } from './describe.ts';
import { readEncryption } from './encryption.ts';
import { constraint, noSuchTableNamed, required, validation } from './errors.ts';
import type { Reply, Tables } from './model.ts';
import { checkDefinitions, readIndexes, readSchema, readThroughput } from './schema.ts';
import { readStreamSpecification, type StreamRegistry } from './streams/index.ts';
import { compareByRange, createIndex, partitionInIndex, type Row, type Table } from './table.ts';

/** Table names (DynamoDB developer guide, naming rules). */
const tableName = /^[a-zA-Z0-9_.-]{3,255}$/;

/** The actions on tables themselves. A table can be used at once: there is no waiting for ACTIVE. */
export function tableOperations(
  tables: Tables,
  streams: StreamRegistry,
  announce: (table: Table) => () => void,
  keys: KeyGuard | undefined,
) {
  const { byName, context } = tables;
  const farewells = new Map<string, () => void>();

  const named = (name: string | undefined): Table => {
    if (name === undefined) throw required('tableName');
    const table = byName.get(name) ?? byName.get(name.slice(name.lastIndexOf('/') + 1));
    if (table === undefined) throw noSuchTableNamed(name);
    return table;
  };

  return {
    CreateTable(input: CreateTableCommandInput): Reply<CreateTableCommandOutput> {
      const name = input.TableName;
      if (name === undefined) throw required('tableName');
      if (!tableName.test(name))
        throw constraint(
          name,
          'tableName',
          'satisfy regular expression pattern: [a-zA-Z0-9_.-]+ and have length between 3 and 255',
        );
      if (input.StreamSpecification !== undefined) readStreamSpecification(input.StreamSpecification);
      if (byName.has(name)) throw new ServiceError('ResourceInUseException', `Table already exists: ${name}`);
      const definitions = input.AttributeDefinitions ?? [];
      const schema = readSchema(input.KeySchema, definitions);
      const indexes = readIndexes(input, schema, definitions);
      checkDefinitions(definitions, schema, indexes);
      const billingMode = input.BillingMode ?? 'PROVISIONED';
      const table: Table = {
        name,
        arn: `arn:aws:dynamodb:${context.region}:${context.account}:table/${name}`,
        id: uuid(context.random),
        createdAt: context.clock.now(),
        schema,
        rows: createCollection<Row>(compareByRange),
        compare: compareByRange,
        indexes: new Map(indexes.map((index) => [index.name, index])),
        tags: new Map((input.Tags ?? []).map((tag) => [tag.Key ?? '', tag])),
        definitions,
        billingMode,
        throughput: readThroughput(billingMode, input.ProvisionedThroughput),
        deletionProtected: input.DeletionProtectionEnabled === true,
        encryption: readEncryption(input.SSESpecification, keys),
        expiryAttribute: undefined,
        recovery: undefined,
        stream: undefined,
        latestStream: undefined,
        count: 0,
        bytes: 0,
        readUnits: 0,
        writeUnits: 0,
        failedConditions: 0,
        sweptHour: 0,
      };
      if (input.StreamSpecification?.StreamEnabled === true)
        streams.prepare(table, input.StreamSpecification)();
      byName.set(name, table);
      farewells.set(name, announce(table));
      return { TableDescription: { ...describeTable(table), TableStatus: 'CREATING' } };
    },

    DescribeTable(input: DescribeTableCommandInput): Reply<DescribeTableCommandOutput> {
      return { Table: describeTable(named(input.TableName)) };
    },

    UpdateTable(input: UpdateTableCommandInput): Reply<UpdateTableCommandOutput> {
      const table = named(input.TableName);
      const billingMode = input.BillingMode ?? table.billingMode;
      const throughput =
        input.BillingMode === undefined && input.ProvisionedThroughput === undefined
          ? table.throughput
          : readThroughput(billingMode, input.ProvisionedThroughput);
      const encryption =
        input.SSESpecification === undefined
          ? table.encryption
          : readEncryption(input.SSESpecification, keys);
      const turnStream = streams.prepare(table, input.StreamSpecification);
      updateIndexes(table, input);
      turnStream();
      table.billingMode = billingMode;
      table.throughput = throughput;
      table.encryption = encryption;
      table.deletionProtected = input.DeletionProtectionEnabled ?? table.deletionProtected;
      return { TableDescription: { ...describeTable(table), TableStatus: 'UPDATING' } };
    },

    DeleteTable(input: DeleteTableCommandInput): Reply<DeleteTableCommandOutput> {
      const table = named(input.TableName);
      if (table.deletionProtected)
        throw validation(
          'Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.',
        );
      const description: TableDescription = { ...describeTable(table), TableStatus: 'DELETING' };
      streams.end(table);
      byName.delete(table.name);
      farewells.get(table.name)?.();
      farewells.delete(table.name);
      return { TableDescription: description };
    },

    ListTables(input: ListTablesCommandInput): Reply<ListTablesCommandOutput> {
      const limit = input.Limit ?? 100;
      if (limit < 1 || limit > 100) throw constraint(String(limit), 'limit', 'be between 1 and 100');
      const start = input.ExclusiveStartTableName;
      const names = [...byName.keys()].sort().filter((name) => start === undefined || name > start);
      const TableNames = names.slice(0, limit);
      const last = TableNames.at(-1);
      return {
        TableNames,
        ...(names.length > limit && last !== undefined ? { LastEvaluatedTableName: last } : {}),
      };
    },
  };
}

function updateIndexes(table: Table, input: UpdateTableCommandInput): void {
  const definitions = input.AttributeDefinitions ?? table.definitions;
  for (const { Create: create, Delete: remove } of input.GlobalSecondaryIndexUpdates ?? []) {
    if (create !== undefined) {
      const [description] = readIndexes({ GlobalSecondaryIndexes: [create] }, table.schema, definitions);
      if (description === undefined || table.indexes.has(description.name))
        throw validation(
          `One or more parameter values were invalid: Duplicate index name: ${create.IndexName}`,
        );
      const index = createIndex(description.name, 'global', description.schema, description.projection);
      table.definitions = mergeDefinitions(table.definitions, definitions);
      table.indexes.set(index.name, index);
      for (const row of table.rows.all()) {
        const partition = partitionInIndex(index, row.item);
        if (partition !== undefined) index.rows.put(partition, row);
      }
    }
    if (remove === undefined) continue;
    if (!table.indexes.delete(remove.IndexName ?? ''))
      throw new ServiceError(
        'ResourceNotFoundException',
        `Requested resource not found: Index ${remove.IndexName}`,
      );
    table.definitions = usedDefinitions(table);
  }
}

/** An attribute is defined for as long as a key needs it. */
function usedDefinitions(table: Table): Table['definitions'] {
  const schemas = [table.schema, ...[...table.indexes.values()].map(({ schema }) => schema)];
  const used = new Set(schemas.flatMap(({ hash, range }) => [hash.name, range?.name]));
  return table.definitions.filter(({ AttributeName }) => used.has(AttributeName));
}

const mergeDefinitions = (old: Table['definitions'], added: Table['definitions']): Table['definitions'] => [
  ...new Map([...old, ...added].map((definition) => [definition.AttributeName, definition])).values(),
];
