import type { MessageAttributeValue } from '@aws-sdk/client-sns';
import type { Condition, Scalar } from './conditions.ts';
import { type FilterScope, type PolicyNode, parsePolicy } from './policy.ts';

/** What a filter says of a message; all but `accepted` are counted under their own metric. */
export type Verdict = 'accepted' | 'rejected' | 'no-attributes' | 'invalid-attributes' | 'invalid-body';

/** A message as filters look at it: each part is decoded once, and only when a filter asks. */
export interface FilterInput {
  readonly attributes: () => AttributeValues;
  /** The body as JSON; `undefined` when it is none. */
  readonly body: () => unknown;
}

/**
 * A message for {@link Filter}s to look at.
 *
 * @param text - the body, as it was published
 */
export function filterInput(
  attributes: Readonly<Record<string, MessageAttributeValue>> | undefined,
  text: string,
): FilterInput {
  let values: AttributeValues | undefined;
  let body: { readonly value: unknown } | undefined;
  return {
    attributes() {
      values ??= attributeValues(attributes);
      return values;
    },
    body() {
      body ??= { value: parseJson(text) };
      return body.value;
    },
  };
}

/** A compiled filter policy. */
export type Filter = (message: FilterInput) => Verdict;

/**
 * Compiles a filter policy once, so that a publish only runs closures.
 *
 * @param text - the policy as JSON
 * @returns the filter, or `undefined` for a policy that filters nothing
 * @throws ServiceError `InvalidParameterException` as SNS answers a wrong policy
 */
export function compileFilter(text: string, scope: FilterScope): Filter | undefined {
  const policy = parsePolicy(text, scope);
  if (policy === undefined) return undefined;
  if (scope === 'MessageBody') {
    const matches = compileNode(policy, false);
    return ({ body }) => {
      const value = body();
      if (value === undefined) return 'invalid-body';
      return matches(value) ? 'accepted' : 'rejected';
    };
  }
  const matches = compileNode(policy, true);
  return ({ attributes }) => {
    const values = attributes();
    if (matches(values.properties)) return 'accepted';
    if (values.malformed) return 'invalid-attributes';
    return values.empty ? 'no-attributes' : 'rejected';
  };
}

function compileNode(node: PolicyNode, attributes: boolean): (value: unknown) => boolean {
  const leaves = node.leaves.map(({ key, conditions }) => ({
    key,
    matches: compileLeaf(conditions, attributes),
  }));
  const children = node.children.map((child) => ({
    key: child.key,
    matches: compileNode(child.node, attributes),
  }));
  const alternatives = node.alternatives.map((list) => list.map((one) => compileNode(one, attributes)));
  const matchesObject = (value: unknown) => {
    const properties = isObject(value) ? value : undefined;
    const at = (key: string) =>
      properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
    return (
      leaves.every((leaf) => leaf.matches(at(leaf.key))) &&
      children.every((child) => child.matches(at(child.key))) &&
      alternatives.every((list) => list.some((matches) => matches(value)))
    );
  };
  // An array of objects matches when one of its elements matches as a whole.
  const matches = (value: unknown): boolean =>
    Array.isArray(value) && value.length > 0 ? value.some(matches) : matchesObject(value);
  return matches;
}

function compileLeaf(conditions: readonly Condition[], attributes: boolean): (value: unknown) => boolean {
  return (value) => {
    const elements = scalars(value);
    return conditions.some((condition) => {
      if (condition.kind === 'exists')
        return condition.expected
          ? isFilled(value, elements, attributes)
          : elements.length === 0 && !isFilled(value, elements, attributes);
      // Recorded for String.Array attributes: anything-but holds only if no element is listed. A body's
      // array is a set of alternatives: one element that is not listed is enough.
      if (condition.negative && attributes) return elements.length > 0 && elements.every(condition.matches);
      return elements.some(condition.matches);
    });
  };
}

/** `exists: true` asks for a value that is neither null nor empty; an attribute that is there is never empty. */
function isFilled(value: unknown, elements: readonly Scalar[], attributes: boolean): boolean {
  if (attributes) return value !== undefined;
  return elements.some((element) => element !== null && element !== '');
}

function scalars(value: unknown): readonly Scalar[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap(scalars);
  return typeof value === 'object' && value !== null ? [] : [value as Scalar];
}

/** Attributes as values to look at: numbers as numbers, arrays as arrays; SNS does not look at binary ones. */
export interface AttributeValues {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly empty: boolean;
  /** A String.Array that holds no JSON array: it is matched as one text. */
  readonly malformed: boolean;
}

function attributeValues(
  attributes: Readonly<Record<string, MessageAttributeValue>> | undefined,
): AttributeValues {
  const properties: Record<string, unknown> = {};
  let empty = true;
  let malformed = false;
  for (const [name, attribute] of Object.entries(attributes ?? {})) {
    if (attribute.StringValue === undefined) continue;
    empty = false;
    if (attribute.DataType === 'String.Array') {
      const elements = parseArray(attribute.StringValue);
      malformed ||= elements === undefined;
      properties[name] = elements ?? attribute.StringValue;
    } else if (attribute.DataType?.startsWith('Number')) properties[name] = Number(attribute.StringValue);
    else properties[name] = attribute.StringValue;
  }
  return { properties, empty, malformed };
}

function parseArray(text: string): readonly unknown[] | undefined {
  const value = parseJson(text);
  return Array.isArray(value) ? value : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the filter rejects the message, and the metric says why.
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
