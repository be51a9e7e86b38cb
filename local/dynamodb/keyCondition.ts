import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { validation } from './errors.ts';
import { type Bindings, type Condition, holds, type Operand, operandValue } from './expressions/index.ts';
import type { KeyAttribute, KeySchema } from './keys.ts';
import { type Item, typeOf } from './values.ts';

/** What a key condition asks for: one partition, and those of its rows that match. */
export interface KeyRange {
  readonly hash: AttributeValue;
  readonly matches: (item: Item) => boolean;
}

const prefix = 'Invalid KeyConditionExpression: ';

/**
 * Reads a key condition: an equality on the partition key and, joined by AND, at most one condition on the sort key.
 *
 * @throws ValidationException
 */
export function readRange(condition: Condition, schema: KeySchema, bindings: Bindings): KeyRange {
  const parts = condition.kind === 'and' ? [condition.left, condition.right] : [condition];
  let hash: AttributeValue | undefined;
  let range: Condition | undefined;
  for (const part of parts) {
    const operand = subject(part);
    const name = operand === undefined ? undefined : nameOf(operand, bindings);
    if (name === schema.hash.name && hash === undefined) hash = equality(part, bindings, schema.hash);
    else if (name !== undefined && name === schema.range?.name && range === undefined) {
      checkRange(part, schema.range, bindings);
      range = part;
    } else if (name !== undefined && name !== schema.hash.name)
      throw validation(`Query condition missed key schema element: ${missing(schema, hash)}`);
    else throw validation('KeyConditionExpressions must only contain one condition per key');
  }
  if (hash === undefined) throw validation(`Query condition missed key schema element: ${schema.hash.name}`);
  const found = range;
  return { hash, matches: found === undefined ? () => true : (item) => holds(found, item, bindings) };
}

const missing = (schema: KeySchema, hash: AttributeValue | undefined): string =>
  hash === undefined ? schema.hash.name : (schema.range?.name ?? schema.hash.name);

function subject(condition: Condition): Operand | undefined {
  switch (condition.kind) {
    case 'compare':
      if (condition.operator === '<>') throw unsupported('<>');
      return condition.left.kind === 'path' ? condition.left : condition.right;
    case 'between':
    case 'beginsWith':
      return condition.operand;
    case 'or':
    case 'not':
    case 'in':
    case 'contains':
    case 'exists':
    case 'missing':
    case 'type':
      throw unsupported(operators[condition.kind]);
    case 'and':
      return undefined;
  }
}

const operators = {
  or: 'OR',
  not: 'NOT',
  in: 'IN',
  contains: 'contains',
  exists: 'attribute_exists',
  missing: 'attribute_not_exists',
  type: 'attribute_type',
} as const;

const unsupported = (operator: string) =>
  validation(`Invalid operator used in KeyConditionExpression: ${operator}`);

function nameOf(operand: Operand, { names }: Bindings): string | undefined {
  if (operand.kind !== 'path') return undefined;
  const [step, ...deeper] = operand.path;
  if (deeper.length > 0)
    throw validation(`${prefix}KeyConditionExpressions cannot have conditions on nested attributes`);
  return step === undefined || 'index' in step
    ? undefined
    : 'name' in step
      ? step.name
      : names[step.placeholder];
}

function equality(condition: Condition, bindings: Bindings, attribute: KeyAttribute): AttributeValue {
  if (condition.kind !== 'compare' || condition.operator !== '=')
    throw validation('Query key condition not supported');
  const value = operandValue(condition.left.kind === 'path' ? condition.right : condition.left, {}, bindings);
  checkType(value, attribute);
  return value!;
}

function checkType(value: AttributeValue | undefined, attribute: KeyAttribute): void {
  if (value === undefined) throw validation(`${prefix}a key can only be compared with a value`);
  if (value[attribute.type] === undefined)
    throw validation(
      `One or more parameter values were invalid: Condition parameter type does not match schema type: ${attribute.name} is ${attribute.type}, found ${typeOf(value)}`,
    );
  if (value.S === '' || value.B?.byteLength === 0)
    throw validation(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${value.S === '' ? 'string' : 'binary'} value. Key: ${attribute.name}`,
    );
}

function checkRange(condition: Condition, attribute: KeyAttribute, bindings: Bindings): void {
  const value = (operand: Operand) => checkType(operandValue(operand, {}, bindings), attribute);
  if (condition.kind === 'compare') value(condition.left.kind === 'path' ? condition.right : condition.left);
  else if (condition.kind === 'between') {
    value(condition.low);
    value(condition.high);
  } else if (condition.kind === 'beginsWith') value(condition.prefix);
}
