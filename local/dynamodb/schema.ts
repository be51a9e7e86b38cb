import type {
  AttributeDefinition,
  BillingMode,
  CreateTableCommandInput,
  KeySchemaElement,
  ProvisionedThroughput,
} from '@aws-sdk/client-dynamodb';
import { required, validation } from './errors.ts';
import type { KeyAttribute, KeySchema } from './keys.ts';
import { createIndex, type SecondaryIndex } from './table.ts';

/** Global and local indexes of one table (DynamoDB developer guide, quotas). */
const maximumGlobal = 20;
const maximumLocal = 5;

/** The key of a table or index, with the types that its attributes are defined to have. */
export function readSchema(
  elements: readonly KeySchemaElement[] | undefined,
  definitions: readonly AttributeDefinition[],
): KeySchema {
  if (elements === undefined) throw required('keySchema');
  const [hash, range] = elements;
  if (hash?.KeyType !== 'HASH' || elements.length > 2 || (range !== undefined && range.KeyType !== 'RANGE'))
    throw validation(
      'Invalid KeySchema: the first element has to be of KeyType HASH, the second, if there is one, of KeyType RANGE',
    );
  if (hash.AttributeName === range?.AttributeName)
    throw validation('Both the Hash Key and the Range Key element in the KeySchema have the same name');
  return {
    hash: keyAttribute(hash, definitions),
    range: range === undefined ? undefined : keyAttribute(range, definitions),
  };
}

function keyAttribute(element: KeySchemaElement, definitions: readonly AttributeDefinition[]): KeyAttribute {
  const definition = definitions.find((one) => one.AttributeName === element.AttributeName);
  const type = definition?.AttributeType;
  if (type === undefined)
    throw validation(
      `One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. Keys: [${element.AttributeName}], AttributeDefinitions: [${definitions.map((one) => one.AttributeName).join(', ')}]`,
    );
  if (type !== 'S' && type !== 'N' && type !== 'B')
    throw validation(
      `1 validation error detected: Value '${type}' at 'attributeDefinitions.1.member.attributeType' failed to satisfy constraint: Member must satisfy enum value set: [B, N, S]`,
    );
  return { name: element.AttributeName!, type };
}

/** The secondary indexes that a request declares, empty. */
export function readIndexes(
  input: Pick<CreateTableCommandInput, 'GlobalSecondaryIndexes' | 'LocalSecondaryIndexes'>,
  tableSchema: KeySchema,
  definitions: readonly AttributeDefinition[],
): SecondaryIndex[] {
  const globals = input.GlobalSecondaryIndexes ?? [];
  const locals = input.LocalSecondaryIndexes ?? [];
  if (globals.length > maximumGlobal || locals.length > maximumLocal)
    throw validation(
      `One or more parameter values were invalid: a table has at most ${maximumGlobal} global and ${maximumLocal} local secondary indexes`,
    );
  if (locals.length > 0 && tableSchema.range === undefined)
    throw validation(
      'One or more parameter values were invalid: Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex',
    );
  const read = (declared: (typeof globals)[number], kind: SecondaryIndex['kind']) => {
    if (declared.IndexName === undefined) throw required('indexName');
    if (declared.Projection?.ProjectionType === undefined)
      throw validation('One or more parameter values were invalid: Unknown ProjectionType: null');
    const schema = readSchema(declared.KeySchema, definitions);
    if (kind === 'local' && schema.hash.name !== tableSchema.hash.name)
      throw validation(
        `One or more parameter values were invalid: Index KeySchema does not have the same leading hash key as table KeySchema for index: ${declared.IndexName}`,
      );
    return createIndex(declared.IndexName, kind, schema, declared.Projection);
  };
  const indexes = [
    ...globals.map((index) => read(index, 'global')),
    ...locals.map((index) => read(index, 'local')),
  ];
  const names = new Set<string>();
  for (const { name } of indexes) {
    if (names.has(name))
      throw validation(`One or more parameter values were invalid: Duplicate index name: ${name}`);
    names.add(name);
  }
  return indexes;
}

/** Every defined attribute has to be part of a key. */
export function checkDefinitions(
  definitions: readonly AttributeDefinition[],
  schema: KeySchema,
  indexes: readonly SecondaryIndex[],
): void {
  const used = new Set<string>();
  for (const { hash, range } of [schema, ...indexes.map((index) => index.schema)]) {
    used.add(hash.name);
    if (range !== undefined) used.add(range.name);
  }
  const names = definitions.map((definition) => definition.AttributeName ?? '');
  if (names.some((name) => !used.has(name)) || new Set(names).size !== names.length)
    throw validation(
      `One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions: keys use [${[...used].join(', ')}], defined are [${names.join(', ')}]`,
    );
}

/** Provisioned units, which a table on demand must not have and another one must. */
export function readThroughput(
  mode: BillingMode,
  given: ProvisionedThroughput | undefined,
): { read: number; write: number } {
  const { ReadCapacityUnits: read = 0, WriteCapacityUnits: write = 0 } = given ?? {};
  if (mode === 'PAY_PER_REQUEST') {
    if (read > 0 || write > 0)
      throw validation(
        'One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST',
      );
    return { read: 0, write: 0 };
  }
  if (read < 1 || write < 1)
    throw validation(
      'One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED',
    );
  return { read, write };
}
