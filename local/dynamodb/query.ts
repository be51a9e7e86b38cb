import type {
  QueryCommandInput,
  QueryCommandOutput,
  ScanCommandInput,
  ScanCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { consumedCapacity, createUsage, readUnits, useRead } from './capacity.ts';
import { constraint, validation } from './errors.ts';
import {
  attributesOf,
  type Expressions,
  holds,
  project,
  type ResolvedPath,
  readExpressions,
} from './expressions/index.ts';
import { readRange } from './keyCondition.ts';
import { type KeySchema, keyAttributes, keyOfItem, keyText } from './keys.ts';
import { refuseLegacy } from './legacy.ts';
import type { Reply, Tables } from './model.ts';
import type { Row, SecondaryIndex, Table } from './table.ts';
import { acceptItem, copyItem, type Item, sameValue } from './values.ts';

/** Bytes that one call reads at most (DynamoDB developer guide, Query and Scan). */
const pageBytes = 1_048_576;
const maximumSegments = 1_000_000;

/** Reading many items. */
export function queryOperations(tables: Tables) {
  return {
    Query(input: QueryCommandInput): Reply<QueryCommandOutput> {
      refuseLegacy(input);
      const table = tables.open(input.TableName);
      const index = indexOf(table, input);
      const { schema, rows } = index ?? table;
      const expressions = readExpressions(input);
      if (expressions.keyCondition === undefined)
        throw validation(
          'Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.',
        );
      checkFilter(expressions, schema);
      const range = readRange(expressions.keyCondition, schema, expressions.bindings);
      const start = startOf(table, index, input);
      if (start !== undefined && !sameValue(start.item[schema.hash.name]!, range.hash))
        throw validation(
          'The provided starting key is outside query boundaries based on provided conditions',
        );
      const partition = rows.partition(keyText(range.hash));
      const backwards = input.ScanIndexForward === false;
      const order = compareRows(table, index);
      const matching = function* (): Generator<Row> {
        const ordered = backwards ? partition.toReversed() : partition;
        for (const row of ordered) {
          if (start !== undefined && (backwards ? order(row, start) >= 0 : order(row, start) <= 0)) continue;
          if (range.matches(row.item)) yield row;
        }
      };
      return readPage(table, index, input, expressions, matching());
    },

    Scan(input: ScanCommandInput): Reply<ScanCommandOutput> {
      refuseLegacy(input);
      const table = tables.open(input.TableName);
      const index = indexOf(table, input);
      const { rows } = index ?? table;
      const expressions = readExpressions(input);
      const start = startOf(table, index, input);
      const hash = (index ?? table).schema.hash.name;
      const from = start === undefined ? undefined : { hash: keyText(start.item[hash]!), place: start };
      return readPage(table, index, input, expressions, rows.scan(from, segmentOf(input)));
    },
  };
}

type ReadInput = QueryCommandInput | ScanCommandInput;

function indexOf(table: Table, input: ReadInput): SecondaryIndex | undefined {
  if (input.IndexName === undefined) return undefined;
  const index = table.indexes.get(input.IndexName);
  if (index === undefined)
    throw validation(`The table does not have the specified index: ${input.IndexName}`);
  if (index.kind === 'global' && input.ConsistentRead === true)
    throw validation('Consistent reads are not supported on global secondary indexes');
  return index;
}

function segmentOf({ Segment: segment, TotalSegments: total }: ScanCommandInput) {
  if (segment === undefined && total === undefined) return undefined;
  if (segment === undefined || total === undefined)
    throw validation(
      `The ${segment === undefined ? 'Segment' : 'TotalSegments'} parameter is required but was not present in the request when ${segment === undefined ? 'TotalSegments' : 'Segment'} parameter is present`,
    );
  if (total < 1 || total > maximumSegments)
    throw constraint(String(total), 'totalSegments', `be between 1 and ${maximumSegments}`);
  if (segment < 0 || segment >= total)
    throw validation(
      `The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: ${segment} is not less than TotalSegments: ${total}`,
    );
  return { index: segment, total };
}

function checkFilter({ filter, bindings }: Expressions, schema: KeySchema): void {
  if (filter === undefined) return;
  const used = attributesOf(filter, bindings);
  for (const key of [schema.hash, schema.range]) {
    if (key !== undefined && used.has(key.name))
      throw validation(
        `Filter Expression can only contain non-primary key attributes: Primary key attribute: ${key.name}`,
      );
  }
}

/** The place behind which to go on: a row made of the key that the last page ended with. */
function startOf(table: Table, index: SecondaryIndex | undefined, input: ReadInput): Row | undefined {
  if (input.ExclusiveStartKey === undefined) return undefined;
  const item = acceptItem(input.ExclusiveStartKey);
  const names = keyNames(table, index);
  if (Object.keys(item).length !== names.length || names.some((name) => item[name] === undefined))
    throw validation(
      'The provided starting key is invalid: The provided key element does not match the schema',
    );
  return { key: keyOfItem(table.schema, item), item, size: 0 };
}

function keyNames(table: Table, index: SecondaryIndex | undefined): string[] {
  const names = new Set([table.schema.hash.name]);
  for (const attribute of [table.schema.range, index?.schema.hash, index?.schema.range])
    if (attribute !== undefined) names.add(attribute.name);
  return [...names];
}

const compareRows = (table: Table, index: SecondaryIndex | undefined) => (index ?? table).compare;

function readPage(
  table: Table,
  index: SecondaryIndex | undefined,
  input: ReadInput,
  expressions: Expressions,
  rows: Iterable<Row>,
): Reply<QueryCommandOutput> {
  const { Limit: limit = Number.POSITIVE_INFINITY } = input;
  if (limit < 1) throw constraint(String(limit), 'limit', 'have value greater than or equal to 1');
  const paths = projectionOf(table, index, input, expressions);
  const counting = input.Select === 'COUNT';
  const items: Item[] = [];
  let found = 0;
  let looked = 0;
  let bytes = 0;
  let last: Row | undefined;
  let more = false;
  for (const row of rows) {
    if (looked === limit || bytes >= pageBytes) {
      more = true;
      break;
    }
    looked++;
    bytes += row.size;
    last = row;
    if (expressions.filter !== undefined && !holds(expressions.filter, row.item, expressions.bindings))
      continue;
    found++;
    if (!counting) items.push(copyItem(paths === undefined ? row.item : project(row.item, paths)));
  }
  // The service tells where it stopped even when nothing follows, if the limit stopped it.
  const stopped = (more || looked === limit) && last !== undefined;
  const usage = createUsage(table);
  useRead(usage, readUnits(bytes, input.ConsistentRead === true), index);
  const ConsumedCapacity = consumedCapacity(usage, input.ReturnConsumedCapacity);
  return {
    Count: found,
    ScannedCount: looked,
    ...(counting ? {} : { Items: items }),
    ...(stopped ? { LastEvaluatedKey: copyItem(placeOf(table, index, last!)) } : {}),
    ...(ConsumedCapacity === undefined ? {} : { ConsumedCapacity }),
  };
}

const placeOf = (table: Table, index: SecondaryIndex | undefined, row: Row): Item => ({
  ...keyAttributes(table.schema, row.item),
  ...(index === undefined ? {} : keyAttributes(index.schema, row.item)),
});

/** The paths to give back, or `undefined` for whole items. */
function projectionOf(
  table: Table,
  index: SecondaryIndex | undefined,
  input: ReadInput,
  { projection }: Expressions,
): readonly ResolvedPath[] | undefined {
  const { Select: select } = input;
  if (projection !== undefined) {
    if (select !== undefined && select !== 'SPECIFIC_ATTRIBUTES')
      throw validation(`Cannot specify the ProjectionExpression when choosing to get ${select}`);
    return projection;
  }
  if (select === 'SPECIFIC_ATTRIBUTES')
    throw validation(
      'Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES',
    );
  if (select === 'ALL_PROJECTED_ATTRIBUTES' && index === undefined)
    throw validation('ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName');
  const type = index?.projection.ProjectionType;
  if (index === undefined || type === 'ALL') return undefined;
  if (select === 'ALL_ATTRIBUTES') {
    if (index.kind === 'local') return undefined;
    throw validation(
      `One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index ${index.name} because its projection type is not ALL`,
    );
  }
  const names = new Set(keyNames(table, index));
  if (type === 'INCLUDE') for (const name of index.projection.NonKeyAttributes ?? []) names.add(name);
  return [...names].map((name) => [name]);
}
