import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { validation } from '../errors.ts';
import { acceptValue, compareValues, type Item, sameValue } from '../values.ts';
import { valueAt } from './paths.ts';
import type { Bindings, Comparator, Condition, Operand } from './syntax.ts';

/** Whether a condition holds for an item; for an item that does not exist, give `{}`. */
export function holds(condition: Condition, item: Item, bindings: Bindings): boolean {
  switch (condition.kind) {
    case 'and':
      return holds(condition.left, item, bindings) && holds(condition.right, item, bindings);
    case 'or':
      return holds(condition.left, item, bindings) || holds(condition.right, item, bindings);
    case 'not':
      return !holds(condition.condition, item, bindings);
    case 'exists':
      return valueAt(item, condition.path, bindings.names) !== undefined;
    case 'missing':
      return valueAt(item, condition.path, bindings.names) === undefined;
    case 'compare':
      return compare(
        condition.operator,
        operandValue(condition.left, item, bindings),
        operandValue(condition.right, item, bindings),
      );
    case 'between': {
      const value = operandValue(condition.operand, item, bindings);
      return (
        compare('>=', value, operandValue(condition.low, item, bindings)) &&
        compare('<=', value, operandValue(condition.high, item, bindings))
      );
    }
    case 'in': {
      const value = operandValue(condition.operand, item, bindings);
      return condition.choices.some((choice) => compare('=', value, operandValue(choice, item, bindings)));
    }
    case 'type': {
      const value = valueAt(item, condition.path, bindings.names);
      const type = operandValue(condition.type, item, bindings)?.S;
      return value !== undefined && type !== undefined && Object.hasOwn(value, type);
    }
    case 'beginsWith':
      return beginsWith(
        operandValue(condition.operand, item, bindings),
        operandValue(condition.prefix, item, bindings),
      );
    case 'contains':
      return contains(
        operandValue(condition.operand, item, bindings),
        operandValue(condition.element, item, bindings),
      );
  }
}

/** What an operand stands for; `undefined` when its path leads nowhere. */
export function operandValue(operand: Operand, item: Item, bindings: Bindings): AttributeValue | undefined {
  switch (operand.kind) {
    case 'path':
      return valueAt(item, operand.path, bindings.names);
    case 'value':
      return bindings.values[operand.slot];
    case 'constant':
      return operand.value;
    case 'document':
    case 'list':
    case 'bag':
      return literalValue(operand, item, bindings);
    case 'size': {
      const value = valueAt(item, operand.path, bindings.names);
      const size = value === undefined ? undefined : sizeOf(value);
      return size === undefined ? undefined : { N: String(size) };
    }
  }
}

function literalValue(
  literal: Extract<Operand, { kind: 'document' | 'list' | 'bag' }>,
  item: Item,
  bindings: Bindings,
): AttributeValue {
  const value = (operand: Operand): AttributeValue => {
    const found = operandValue(operand, item, bindings);
    if (found === undefined) throw validation('A literal cannot hold an attribute that does not exist');
    return found;
  };
  if (literal.kind === 'document') {
    const members: Item = {};
    for (const [name, operand] of literal.entries) members[name] = value(operand);
    return { M: members };
  }
  const elements = literal.elements.map(value);
  if (literal.kind === 'list') return { L: elements };
  return acceptValue(setOf(elements));
}

function setOf(elements: readonly AttributeValue[]): AttributeValue {
  if (elements.every((element) => element.S !== undefined))
    return { SS: elements.map((element) => element.S!) };
  if (elements.every((element) => element.N !== undefined))
    return { NS: elements.map((element) => element.N!) };
  if (elements.every((element) => element.B !== undefined))
    return { BS: elements.map((element) => element.B!) };
  throw validation('A set holds texts, numbers or bytes, all of one type');
}

function sizeOf(value: AttributeValue): number | undefined {
  if (value.S !== undefined) return value.S.length;
  if (value.B !== undefined) return value.B.byteLength;
  if (value.L !== undefined) return value.L.length;
  if (value.M !== undefined) return Object.keys(value.M).length;
  return (value.SS ?? value.NS ?? value.BS)?.length;
}

/** A comparison: what is missing is equal to nothing, and different from everything. */
export function compare(
  operator: Comparator,
  left: AttributeValue | undefined,
  right: AttributeValue | undefined,
): boolean {
  if (operator === '=') return left !== undefined && right !== undefined && sameValue(left, right);
  if (operator === '<>') return left === undefined || right === undefined || !sameValue(left, right);
  if (left === undefined || right === undefined) return false;
  const order = compareValues(left, right);
  if (order === undefined) return false;
  switch (operator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

function beginsWith(value: AttributeValue | undefined, prefix: AttributeValue | undefined): boolean {
  if (value === undefined || prefix === undefined) return false;
  if (value.S !== undefined) return prefix.S !== undefined && value.S.startsWith(prefix.S);
  if (value.B === undefined || prefix.B === undefined) return false;
  return Buffer.compare(value.B.subarray(0, prefix.B.byteLength), prefix.B) === 0;
}

function contains(value: AttributeValue | undefined, element: AttributeValue | undefined): boolean {
  if (value === undefined || element === undefined) return false;
  if (value.S !== undefined) return element.S !== undefined && value.S.includes(element.S);
  if (value.B !== undefined)
    return element.B !== undefined && Buffer.from(value.B).includes(Buffer.from(element.B));
  if (value.L !== undefined) return value.L.some((member) => sameValue(member, element));
  if (value.SS !== undefined) return element.S !== undefined && value.SS.includes(element.S);
  if (value.NS !== undefined) return element.N !== undefined && value.NS.includes(element.N);
  if (value.BS === undefined || element.B === undefined) return false;
  const wanted = element.B;
  return value.BS.some((member) => Buffer.compare(member, wanted) === 0);
}
