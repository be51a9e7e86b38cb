import { validation } from '../errors.ts';
import { holds, operandValue, type Path, valueAt } from '../expressions/index.ts';
import { keyText } from '../keys.ts';
import { findRow, type Row } from '../table.ts';
import type { Item } from '../values.ts';
import type { Prepared } from './plan.ts';
import { takeApart } from './where.ts';

/** A part of a SELECT's result. */
export interface Selected {
  readonly items: readonly Item[];
  /** Bytes that were read. */
  readonly bytes: number;
  /** How many rows have been passed when there are more; the next part begins there. */
  readonly next: number | undefined;
}

/** Bytes that one call reads at most (DynamoDB developer guide, Query and Scan). */
const pageBytes = 1_048_576;

/**
 * Reads what a SELECT asks for: one item by its key, a partition, or the whole table or index.
 *
 * @param from - rows to pass over, as an earlier part said
 * @param limit - rows to look at, at most
 */
export function select(prepared: Prepared, from: number, limit: number | undefined): Selected {
  const { statement, bindings } = prepared;
  if (statement.kind !== 'select') throw validation('Not a SELECT');
  const items: Item[] = [];
  let position = from;
  let bytes = 0;
  for (const row of candidates(prepared, from)) {
    if (position - from === limit || bytes >= pageBytes) return { items, bytes, next: position };
    position++;
    bytes += row.size;
    if (statement.where !== undefined && !holds(statement.where, row.item, bindings)) continue;
    items.push(statement.projection === undefined ? row.item : pickColumns(row.item, statement.projection));
  }
  return { items, bytes, next: undefined };
}

/** A SELECT gives each path as a column of its own, named by the end of the path. */
function pickColumns(item: Item, paths: readonly Path[]): Item {
  const columns: Item = {};
  for (const path of paths) {
    const value = valueAt(item, path, {});
    if (value !== undefined) columns[columnName(path)] = value;
  }
  return columns;
}

function columnName(path: Path): string {
  let name = '';
  for (const step of path) {
    if ('name' in step) name = step.name;
    else if ('index' in step) name += `[${step.index}]`;
  }
  return name;
}

function* candidates(prepared: Prepared, from: number): Generator<Row> {
  let position = 0;
  for (const row of source(prepared)) if (position++ >= from) yield row;
}

function source({ statement, table, target, bindings }: Prepared): Iterable<Row> {
  if (statement.kind !== 'select') return [];
  const index = statement.index === undefined ? undefined : table.indexes.get(statement.index);
  if (statement.index !== undefined && index === undefined)
    throw validation(`The table does not have the specified index: ${statement.index}`);
  if (index === undefined && target !== undefined) {
    const row = findRow(table, target.key);
    return row === undefined ? [] : [row];
  }
  const { schema, rows } = index ?? table;
  const { hash } = takeApart(statement.where, schema);
  const { order } = statement;
  if (order !== undefined && (hash === undefined || order.attribute !== schema.range?.name))
    throw validation(
      'ORDER BY takes the sort key of the table or index, where the WHERE has an equality on the partition key',
    );
  if (hash === undefined) return rows.scan();
  const partition = rows.partition(keyText(operandValue(hash, {}, bindings)!));
  return order?.descending ? partition.toReversed() : partition;
}
