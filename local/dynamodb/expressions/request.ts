import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { ServiceError } from '../../service.ts';
import { validation } from '../errors.ts';
import { acceptValue } from '../values.ts';
import { type ResolvedChange, resolveChanges } from './apply.ts';
import { checkCondition, needsCheck } from './checks.ts';
import { parseConditionExpression, parseProjectionExpression, parseUpdateExpression } from './parse.ts';
import { checkOverlaps, type ResolvedPath, resolvePath } from './paths.ts';
import type { Bindings, Condition, ExpressionKind, Placeholders } from './syntax.ts';

/** The members of a request that hold expressions. */
export interface ExpressionInput {
  readonly ConditionExpression?: string | undefined;
  readonly FilterExpression?: string | undefined;
  readonly KeyConditionExpression?: string | undefined;
  readonly ProjectionExpression?: string | undefined;
  readonly UpdateExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
  readonly ExpressionAttributeValues?: Record<string, AttributeValue> | undefined;
}

/** A request's expressions, parsed, checked and bound. */
export interface Expressions {
  readonly bindings: Bindings;
  readonly condition: Condition | undefined;
  readonly filter: Condition | undefined;
  readonly keyCondition: Condition | undefined;
  readonly projection: readonly ResolvedPath[] | undefined;
  readonly changes: readonly ResolvedChange[] | undefined;
}

const none: Bindings = { names: {}, values: {} };

/**
 * Reads all expressions of a request together: placeholders are shared by them, and each must be used by one.
 *
 * @throws ValidationException in the service's own words
 */
export function readExpressions(input: ExpressionInput): Expressions {
  const used: [ExpressionKind, Placeholders][] = [];
  const condition = (kind: 'ConditionExpression' | 'FilterExpression' | 'KeyConditionExpression') => {
    const text = input[kind];
    if (text === undefined) return undefined;
    const parsed = parseConditionExpression(text, kind);
    used.push([kind, parsed]);
    return parsed.tree;
  };
  const keyCondition = condition('KeyConditionExpression');
  const filter = condition('FilterExpression');
  const checked = condition('ConditionExpression');
  const update =
    input.UpdateExpression === undefined ? undefined : parseUpdateExpression(input.UpdateExpression);
  if (update !== undefined) used.push(['UpdateExpression', update]);
  const projected =
    input.ProjectionExpression === undefined
      ? undefined
      : parseProjectionExpression(input.ProjectionExpression);
  if (projected !== undefined) used.push(['ProjectionExpression', projected]);

  const bindings = bind(input, used);
  if (checked !== undefined && needsCheck(checked)) checkCondition(checked, bindings, 'ConditionExpression');
  if (filter !== undefined && needsCheck(filter)) checkCondition(filter, bindings, 'FilterExpression');
  if (keyCondition !== undefined) checkCondition(keyCondition, bindings, 'KeyConditionExpression');
  const projection = projected?.tree.map((path) => resolvePath(path, bindings.names));
  if (projection !== undefined)
    checkOverlaps(
      projection.map((path) => ({ path })),
      'Invalid ProjectionExpression: ',
    );
  return {
    bindings,
    condition: checked,
    filter,
    keyCondition,
    projection,
    changes: update === undefined ? undefined : resolveChanges(update.tree, bindings.names),
  };
}

function bind(input: ExpressionInput, used: readonly [ExpressionKind, Placeholders][]): Bindings {
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = input;
  if (
    names === undefined &&
    values === undefined &&
    used.every(([, { names, values }]) => names.size + values.size === 0)
  )
    return none;
  if (!fits(names, used, 'names') || !fits(values, used, 'values')) diagnose(input, used);
  const bound: Record<string, AttributeValue> = {};
  for (const key in values) bound[key] = acceptBound(key, values[key]!);
  return { names: names ?? none.names, values: bound };
}

/** Whether what is given is exactly what is used: the everyday case, found out without a word of why not. */
function fits(
  given: Record<string, unknown> | undefined,
  used: readonly [ExpressionKind, Placeholders][],
  kind: 'names' | 'values',
): boolean {
  for (const [, placeholders] of used) {
    for (const key of placeholders[kind]) if (given?.[key] === undefined) return false;
  }
  let count = 0;
  for (const key in given) {
    count++;
    if (!used.some(([, placeholders]) => placeholders[kind].has(key))) return false;
  }
  return given === undefined || count > 0;
}

/** Finds the first thing that is wrong with the placeholders, in the service's order, and throws it. */
function diagnose(input: ExpressionInput, used: readonly [ExpressionKind, Placeholders][]): void {
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = input;
  checkKeys('ExpressionAttributeNames', names, namePattern);
  checkKeys('ExpressionAttributeValues', values, valuePattern);
  for (const [kind, placeholders] of used) {
    for (const name of placeholders.names) {
      if (names?.[name] === undefined)
        throw validation(
          `Invalid ${kind}: An expression attribute name used in the document path is not defined; attribute name: ${name}`,
        );
    }
    for (const value of placeholders.values) {
      if (values?.[value] === undefined)
        throw validation(
          `Invalid ${kind}: An expression attribute value used in expression is not defined; attribute value: ${value}`,
        );
    }
  }
  checkGiven('ExpressionAttributeNames', names, used);
  checkGiven('ExpressionAttributeValues', values, used);
}

const namePattern = /^#[A-Za-z0-9_]+$/;
const valuePattern = /^:[A-Za-z0-9_]+$/;

function checkKeys(member: string, given: Record<string, unknown> | undefined, pattern: RegExp): void {
  for (const key in given) {
    if (!pattern.test(key)) throw validation(`${member} contains invalid key: Syntax error; key: "${key}"`);
  }
}

function checkGiven(
  member: 'ExpressionAttributeNames' | 'ExpressionAttributeValues',
  given: Record<string, unknown> | undefined,
  used: readonly [ExpressionKind, Placeholders][],
): void {
  if (given === undefined) return;
  const keys = Object.keys(given);
  if (used.length === 0) throw validation(`${member} can only be specified when using expressions`);
  if (keys.length === 0) throw validation(`${member} must not be empty`);
  const kind = member === 'ExpressionAttributeNames' ? 'names' : 'values';
  const unused = keys.filter((key) => !used.some(([, placeholders]) => placeholders[kind].has(key)));
  if (unused.length === 0) return;
  throw validation(`Value provided in ${member} unused in expressions: keys: {${unused.join(', ')}}`);
}

function acceptBound(key: string, value: AttributeValue): AttributeValue {
  try {
    return acceptValue(value);
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause;
    throw new ServiceError(
      'ValidationException',
      `ExpressionAttributeValues contains invalid value: ${cause.message} for key ${key}`,
      { cause },
    );
  }
}
