import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { validation } from '../errors.ts';
import { compareValues, typeOf } from '../values.ts';
import type { ResolvedChange } from './apply.ts';
import { operandValue } from './evaluate.ts';
import { checkOverlaps, resolvePath, showPath } from './paths.ts';
import type { Bindings, Condition, Operand, UpdateValue } from './syntax.ts';

const validTypes = ['B', 'NULL', 'SS', 'BOOL', 'L', 'BS', 'N', 'NS', 'S', 'M'];
const ordered: ReadonlySet<string> = new Set(['S', 'N', 'B']);
const addable: ReadonlySet<string> = new Set(['N', 'SS', 'NS', 'BS']);

const known = new WeakMap<Condition, boolean>();

/** Whether a condition has anything that could be wrong; what is only about equality and existence has not. */
export function needsCheck(condition: Condition): boolean {
  const found = known.get(condition);
  if (found !== undefined) return found;
  const needed = somethingToCheck(condition);
  known.set(condition, needed);
  return needed;
}

function somethingToCheck(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return somethingToCheck(condition.left) || somethingToCheck(condition.right);
    case 'not':
      return somethingToCheck(condition.condition);
    case 'exists':
    case 'missing':
      return false;
    case 'compare': {
      const equality = condition.operator === '=' || condition.operator === '<>';
      return !equality || (condition.left.kind === 'path' && condition.right.kind === 'path');
    }
    default:
      return true;
  }
}

/**
 * Refuses what can be seen to be wrong before any item is looked at: operands of a type that the operator does
 * not take, bounds in the wrong order, a path compared with itself.
 *
 * @throws ValidationException
 */
export function checkCondition(condition: Condition, bindings: Bindings, kind: string): void {
  const value = (operand: Operand): AttributeValue | undefined =>
    operand.kind === 'value'
      ? bindings.values[operand.slot]
      : operand.kind === 'constant'
        ? operand.value
        : undefined;
  const refuse = (operator: string, type: string): never => {
    throw validation(
      `Invalid ${kind}: Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${type}`,
    );
  };
  const needs = (operator: string, operand: Operand, allowed: ReadonlySet<string>) => {
    const given = value(operand);
    if (given === undefined) return;
    const type = typeOf(given);
    if (!allowed.has(type)) refuse(operator, type);
  };
  const distinct = (operator: string, first: Operand, ...others: readonly Operand[]) => {
    if (first.kind !== 'path') return;
    const shown = showPath(resolvePath(first.path, bindings.names));
    for (const other of others) {
      if (other.kind === 'path' && showPath(resolvePath(other.path, bindings.names)) === shown)
        throw validation(
          `Invalid ${kind}: The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}, first operand: ${shown}`,
        );
    }
  };
  const walk = (node: Condition): void => {
    switch (node.kind) {
      case 'and':
      case 'or':
        walk(node.left);
        walk(node.right);
        return;
      case 'not':
        walk(node.condition);
        return;
      case 'compare':
        distinct(node.operator, node.left, node.right);
        if (node.operator === '=' || node.operator === '<>') return;
        needs(node.operator, node.left, ordered);
        needs(node.operator, node.right, ordered);
        return;
      case 'between': {
        distinct('BETWEEN', node.operand, node.low, node.high);
        needs('BETWEEN', node.operand, ordered);
        needs('BETWEEN', node.low, ordered);
        needs('BETWEEN', node.high, ordered);
        checkBounds(value(node.low), value(node.high), kind);
        return;
      }
      case 'in':
        distinct('IN', node.operand, ...node.choices);
        return;
      case 'beginsWith':
        distinct('begins_with', node.operand, node.prefix);
        needs('begins_with', node.operand, new Set(['S', 'B']));
        needs('begins_with', node.prefix, new Set(['S', 'B']));
        return;
      case 'contains':
        distinct('contains', node.operand, node.element);
        return;
      case 'type': {
        const type = value(node.type);
        if (type === undefined) return;
        if (type.S === undefined) refuse('attribute_type', typeOf(type));
        if (!validTypes.includes(type.S!))
          throw validation(
            `Invalid ${kind}: Invalid attribute type name found; type: ${type.S}, valid types: {${validTypes.join(',')}}`,
          );
        return;
      }
      case 'exists':
      case 'missing':
        return;
    }
  };
  walk(condition);
}

function checkBounds(low: AttributeValue | undefined, high: AttributeValue | undefined, kind: string): void {
  if (low === undefined || high === undefined) return;
  const shown = `lower bound operand: AttributeValue: ${show(low)}, upper bound operand: AttributeValue: ${show(high)}`;
  const order = compareValues(low, high);
  if (order === undefined)
    throw validation(
      `Invalid ${kind}: The BETWEEN operator requires same data type for lower and upper bounds; ${shown}`,
    );
  if (order > 0)
    throw validation(
      `Invalid ${kind}: The BETWEEN operator requires upper bound to be greater than or equal to lower bound; ${shown}`,
    );
}

const show = (value: AttributeValue): string => `{${typeOf(value)}:${value.S ?? value.N ?? ''}}`;

/**
 * Refuses changes that touch the same place, that change the key, or whose values cannot fit.
 *
 * @throws ValidationException
 */
export function checkChanges(
  changes: readonly ResolvedChange[],
  bindings: Bindings,
  hash: string,
  range: string | undefined,
): void {
  const refuse = (operator: string, type: string): never => {
    throw validation(
      `Invalid UpdateExpression: Incorrect operand type for operator or function; ${operator}, operand type: ${type}`,
    );
  };
  const check = (value: UpdateValue, operator: string, type: 'N' | 'L'): void => {
    if (value.kind === 'value' || value.kind === 'constant') {
      const given = value.kind === 'value' ? bindings.values[value.slot]! : value.value;
      if (typeOf(given) !== type) refuse(`operator or function: ${operator}`, typeOf(given));
    } else inside(value);
  };
  const inside = (value: UpdateValue): void => {
    if (value.kind === 'arithmetic') {
      check(value.left, value.operator, 'N');
      check(value.right, value.operator, 'N');
    } else if (value.kind === 'append') {
      check(value.left, 'list_append', 'L');
      check(value.right, 'list_append', 'L');
    } else if (value.kind === 'ifNotExists') inside(value.otherwise);
  };
  for (const { change, path } of changes) {
    const name = path[0] as string;
    if (name === hash || name === range)
      throw validation(
        `One or more parameter values were invalid: Cannot update attribute ${name}. This attribute is part of the key`,
      );
    if (change.kind === 'set') inside(change.value);
    if (change.kind !== 'add' && change.kind !== 'delete') continue;
    const operator = change.kind.toUpperCase();
    const given = operandValue(change.value, {}, bindings);
    if (given === undefined) continue;
    const type = typeOf(given);
    if (!addable.has(type) || (change.kind === 'delete' && type === 'N'))
      refuse(`operator: ${operator}`, `${longNames[type]}, typeSet: ALLOWED_FOR_${operator}_OPERAND`);
  }
  if (changes.length > 1) checkOverlaps(changes, 'Invalid UpdateExpression: ');
}

const longNames = {
  S: 'STRING',
  N: 'NUMBER',
  B: 'BINARY',
  SS: 'STRING_SET',
  NS: 'NUMBER_SET',
  BS: 'BINARY_SET',
  M: 'MAP',
  L: 'LIST',
  NULL: 'NULL',
  BOOL: 'BOOLEAN',
} as const;
