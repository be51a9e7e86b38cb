import { invalidParameter } from '../errors.ts';
import { type Condition, compileConditions } from './conditions.ts';

/** Where a filter policy looks. */
export type FilterScope = 'MessageAttributes' | 'MessageBody';

/** A filter policy after validation: every leaf and at least one alternative of each `$or` must match. */
export interface PolicyNode {
  readonly leaves: readonly { readonly key: string; readonly conditions: readonly Condition[] }[];
  readonly children: readonly { readonly key: string; readonly node: PolicyNode }[];
  readonly alternatives: readonly (readonly PolicyNode[])[];
}

// SNS developer guide, "Filter policy constraints".
const MOST_KEYS = 5;
const MOST_COMBINATIONS = 150;

/**
 * Reads and validates the text of a filter policy.
 *
 * @returns the policy, or `undefined` for `{}`, which filters nothing
 * @throws ServiceError `InvalidParameterException` as SNS answers it
 */
export function parsePolicy(text: string, scope: FilterScope): PolicyNode | undefined {
  let policy: unknown;
  try {
    policy = JSON.parse(text);
  } catch (error) {
    // The parser's own words tell where the text breaks.
    throw invalidParameter(`FilterPolicy: failed to parse JSON. ${(error as Error).message}`);
  }
  if (!isObject(policy))
    throw invalidParameter('FilterPolicy: failed to parse JSON. The policy must be an object');
  const keys = Object.keys(policy).length;
  if (keys === 0) return undefined;
  if (keys > MOST_KEYS)
    throw invalidParameter(
      `FilterPolicy: Filter policy can not have more than ${MOST_KEYS} keys; found ${keys}`,
    );
  const combinations = countCombinations(policy, scope, 1);
  if (combinations > MOST_COMBINATIONS)
    throw invalidParameter(
      `FilterPolicy: Filter policy is too complex: ${combinations} combinations, at most ${MOST_COMBINATIONS} are allowed`,
    );
  return toNode(policy);
}

/** The product over all keys; a nested key's values count once for each level; `$or` adds its alternatives up. */
function countCombinations(
  policy: Readonly<Record<string, unknown>>,
  scope: FilterScope,
  depth: number,
): number {
  let product = 1;
  for (const [key, value] of Object.entries(policy)) {
    if (isAlternatives(key, value))
      product *= value.reduce((sum, one) => sum + countCombinations(one, scope, depth), 0);
    else if (Array.isArray(value)) product *= Math.max(1, value.length) * depth;
    else if (isObject(value)) {
      if (scope === 'MessageAttributes')
        throw invalidParameter(
          'FilterPolicy: Filter policy scope MessageAttributes does not support nested filter policy',
        );
      if (Object.keys(value).length === 0)
        throw invalidParameter('FilterPolicy: Empty objects are not allowed');
      product *= countCombinations(value, scope, depth + 1);
    } else throw invalidParameter(`FilterPolicy: "${key}" must be an object or an array`);
  }
  return product;
}

function toNode(policy: Readonly<Record<string, unknown>>): PolicyNode {
  const leaves: { key: string; conditions: readonly Condition[] }[] = [];
  const children: { key: string; node: PolicyNode }[] = [];
  const alternatives: PolicyNode[][] = [];
  for (const [key, value] of Object.entries(policy)) {
    if (isAlternatives(key, value)) alternatives.push(value.map(toNode));
    else if (Array.isArray(value)) leaves.push({ key, conditions: compileConditions(value) });
    else if (isObject(value)) children.push({ key, node: toNode(value) });
  }
  return { leaves, children, alternatives };
}

/** `$or` is an operator only above two objects or more; otherwise it is a property of that name. */
function isAlternatives(key: string, value: unknown): value is Readonly<Record<string, unknown>>[] {
  return (
    key === '$or' &&
    Array.isArray(value) &&
    value.length >= 2 &&
    value.every((one) => isObject(one) && Object.keys(one).length > 0)
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
