import {
  applyChanges,
  type Bindings,
  type Condition,
  checkChanges,
  holds,
  type ResolvedChange,
} from './expressions/index.ts';
import { type Key, keyOfItem } from './keys.ts';
import { checkNesting, createRow, findRow, type Row, replaceRow, type Table } from './table.ts';
import type { Item } from './values.ts';

/**
 * A write that has been decided and not yet done: single writes commit one, transactions all of theirs or none.
 */
export interface Plan {
  readonly table: Table;
  readonly key: Key;
  readonly old: Row | undefined;
  /** What will lie there; the old row itself where nothing changes. */
  readonly next: Row | undefined;
  /** Whether the condition holds; where it does not, `next` is the old row. */
  readonly holds: boolean;
}

/** A condition with what its placeholders stand for. */
export interface Guard {
  readonly bindings: Bindings;
  readonly condition: Condition | undefined;
}

const nothing: Item = {};

const passes = (guard: Guard, old: Row | undefined): boolean =>
  guard.condition === undefined || holds(guard.condition, old?.item ?? nothing, guard.bindings);

const itemTooLarge = 'Item size has exceeded the maximum allowed size';
const updateTooLarge = 'Item size to update has exceeded the maximum allowed size';

/** Plans to put an (accepted) item in the place of what has its key. */
export function planPut(table: Table, item: Item, guard: Guard): Plan {
  const key = keyOfItem(table.schema, item);
  const next = createRow(table, key, item, itemTooLarge);
  const old = findRow(table, key);
  const passed = passes(guard, old);
  return { table, key, old, next: passed ? next : old, holds: passed };
}

/**
 * Plans to change the item with this key, or to make it.
 *
 * @param attributes - the key's attributes, of which a new item is made
 */
export function planUpdate(
  table: Table,
  key: Key,
  attributes: Item,
  changes: readonly ResolvedChange[],
  guard: Guard,
): Plan {
  checkChanges(changes, guard.bindings, table.schema.hash.name, table.schema.range?.name);
  const old = findRow(table, key);
  if (!passes(guard, old)) return { table, key, old, next: old, holds: false };
  const item = applyChanges(old?.item ?? attributes, changes, guard.bindings);
  checkNesting(item);
  return { table, key, old, next: createRow(table, key, item, updateTooLarge), holds: true };
}

/** Plans to delete the item with this key. */
export function planDelete(table: Table, key: Key, guard: Guard): Plan {
  const old = findRow(table, key);
  const passed = passes(guard, old);
  return { table, key, old, next: passed ? undefined : old, holds: passed };
}

/** Plans to look whether a condition holds, and to change nothing. */
export function planCheck(table: Table, key: Key, guard: Guard): Plan {
  const old = findRow(table, key);
  return { table, key, old, next: old, holds: passes(guard, old) };
}

/** Does what was planned. */
export function commit(plan: Plan): void {
  const { table, old, next } = plan;
  if (next === old) return;
  replaceRow(table, old, next);
  if (table.stream !== undefined) table.stream.take(old, next);
}
