import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { validation } from '../errors.ts';
import { type Bindings, checkCondition, needsCheck, operandValue, project } from '../expressions/index.ts';
import { type Key, keyOfItem } from '../keys.ts';
import type { Tables } from '../model.ts';
import { findRow, type Row, type Table } from '../table.ts';
import { acceptItem, acceptValue, copyItem, type Item, setAttribute } from '../values.ts';
import { type Plan, planCheck, planDelete, planPut, planUpdate } from '../writes.ts';
import { parseStatement } from './parse.ts';
import type { Statement } from './statement.ts';
import { takeApart, type Where } from './where.ts';

/** A statement with its table, its parameters and the key of the item that it is about. */
export interface Prepared {
  readonly statement: Statement;
  readonly table: Table;
  readonly bindings: Bindings;
  /** The key of the one item, or `undefined` for a SELECT that does not name one. */
  readonly target: { readonly key: Key; readonly attributes: Item } | undefined;
  readonly where: Where;
  /** The item of an INSERT. */
  readonly item: Item | undefined;
  /** `ReturnValuesOnConditionCheckFailure: ALL_OLD`. */
  readonly showsItem: boolean;
}

/** A statement as requests hold it. */
export interface StatementInput {
  readonly Statement: string | undefined;
  readonly Parameters?: AttributeValue[] | undefined;
  readonly ReturnValuesOnConditionCheckFailure?: string | undefined;
}

const noWhere: Where = { hash: undefined, range: undefined, rest: undefined };
const nothing: Item = {};
const noNames = {};

/**
 * Parses a statement, binds its parameters and finds its item, without touching the item.
 *
 * @throws ValidationException, ResourceNotFoundException
 */
export function prepare(tables: Tables, input: StatementInput): Prepared {
  const statement = parseStatement(input.Statement);
  const given = input.Parameters ?? [];
  if (given.length !== statement.parameters)
    throw validation("Number of parameters in request and statement don't match.");
  const bindings: Bindings = {
    names: noNames,
    // Slots are the positions of an array.
    values: given.map((value) => acceptValue(value)) as unknown as Bindings['values'],
  };
  const table = tables.open(statement.table);
  const showsItem = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
  if (statement.kind === 'insert') {
    const value = operandValue(statement.value, nothing, bindings);
    if (value?.M === undefined) throw validation('The value of an INSERT has to be a document');
    const item = acceptItem(value.M);
    const target = { key: keyOfItem(table.schema, item), attributes: item };
    return { statement, table, bindings, target, where: noWhere, item, showsItem };
  }
  const where = takeApart(statement.where, table.schema);
  const target = findTarget(table, where, bindings);
  if (target === undefined && statement.kind !== 'select')
    throw validation('Where clause does not contain a mandatory equality on all key attributes');
  if (where.rest !== undefined && needsCheck(where.rest))
    checkCondition(where.rest, bindings, 'ConditionExpression');
  return { statement, table, bindings, target, where, item: undefined, showsItem };
}

function findTarget(table: Table, where: Where, bindings: Bindings): Prepared['target'] {
  const { hash, range } = table.schema;
  if (where.hash === undefined || (range !== undefined && where.range === undefined)) return undefined;
  const attributes: Item = { [hash.name]: operandValue(where.hash, nothing, bindings)! };
  if (range !== undefined)
    setAttribute(attributes, range.name, operandValue(where.range!, nothing, bindings)!);
  return { key: keyOfItem(table.schema, attributes), attributes };
}

/** Plans what a statement writes; INSERT, UPDATE, DELETE and EXISTS. */
export function planStatement(prepared: Prepared): Plan {
  const { statement, table, bindings, target, where } = prepared;
  const guard = { bindings, condition: where.rest };
  switch (statement.kind) {
    case 'insert': {
      const plan = planPut(table, prepared.item!, { bindings, condition: undefined });
      return plan.old === undefined ? plan : { ...plan, next: plan.old, holds: false };
    }
    case 'update': {
      const { key, attributes } = target!;
      // Unlike UpdateItem, a statement never makes an item.
      if (findRow(table, key) === undefined)
        return { table, key, old: undefined, next: undefined, holds: false };
      return planUpdate(table, key, attributes, statement.changes, guard);
    }
    case 'delete': {
      const plan = planDelete(table, target!.key, guard);
      // Nothing to delete is a success, whatever the condition says of it.
      return plan.old === undefined ? { ...plan, holds: true } : plan;
    }
    case 'exists': {
      const plan = planCheck(table, target!.key, { bindings, condition: where.rest ?? everything });
      return plan.old === undefined ? { ...plan, holds: false } : plan;
    }
    case 'select':
      throw validation('A SELECT does not write');
  }
}

const everything = {
  kind: 'not',
  condition: { kind: 'in', operand: { kind: 'constant', value: { NULL: true } }, choices: [] },
} as const;

/** What is wrong with a statement whose condition does not hold. */
export interface Refusal {
  readonly code: 'DuplicateItem' | 'ConditionalCheckFailed';
  readonly message: string;
  readonly item: Item | undefined;
}

/** The refusal of a statement whose condition does not hold. */
export function refusal(prepared: Prepared, old: Row | undefined): Refusal {
  if (prepared.statement.kind === 'insert')
    return { code: 'DuplicateItem', message: 'Duplicate primary key exists in table', item: undefined };
  prepared.table.failedConditions++;
  return {
    code: 'ConditionalCheckFailed',
    message: 'The conditional request failed',
    item: prepared.showsItem && old !== undefined ? copyItem(old.item) : undefined,
  };
}

/** What RETURNING gives back, or `undefined`. */
export function returnedBy(statement: Statement, { old, next }: Plan): Item | undefined {
  if (statement.kind !== 'update' && statement.kind !== 'delete') return undefined;
  const { returning } = statement;
  if (returning === undefined) return undefined;
  if (statement.kind === 'delete' && returning !== 'ALL_OLD')
    throw validation('A DELETE can only return ALL OLD *');
  const row = returning.endsWith('_OLD') ? old : next;
  if (row === undefined || statement.kind === 'delete' || returning.startsWith('ALL')) return row?.item;
  return project(
    row.item,
    statement.changes.map(({ path }) => path),
  );
}
