/**
 * What a property of a template holds once its references are followed. `undefined` is unknown: only the deployment
 * decides it. `null` is nothing: the property is left out, or `AWS::NoValue`.
 */
export type Value =
  | undefined
  | null
  | string
  | number
  | boolean
  | Reference
  | readonly Value[]
  | { readonly [name: string]: Value };

/** A resource of a template, as it stands there. */
export interface Resource {
  /** The path of its stack. */
  readonly stack: string;
  readonly logicalId: string;
  readonly type: string;
  /** Its properties, references followed. */
  readonly properties: { readonly [name: string]: Value };
  /** What the one who read it knows besides, such as props that the CDK dropped on the way to the template. */
  readonly notes: readonly string[];
  /** The condition under which it is made at all. */
  readonly condition: string | undefined;
}

const tag: unique symbol = Symbol('reference');

/** An attribute of a resource that is known; its value is not. */
export interface Reference {
  readonly [tag]: true;
  readonly resource: Resource;
  /** `Ref`, or the attribute's name. */
  readonly attribute: string;
}

export const reference = (resource: Resource, attribute: string): Reference => ({
  [tag]: true,
  resource,
  attribute,
});

export const isReference = (value: Value): value is Reference =>
  typeof value === 'object' && value !== null && tag in value;

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

export const isObject = (value: Value): value is { readonly [name: string]: Value } =>
  typeof value === 'object' && value !== null && !isList(value) && !isReference(value);

/** A number, also where the template says it in words; null when nothing is said. */
export function number(value: Value): number | null | undefined {
  if (value === null) return null;
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  return undefined;
}

/** A number, or what holds when nothing is said. */
export const numberOr = (value: Value, standard: number): number | undefined => {
  const found = number(value);
  return found === null ? standard : found;
};

/** A switch; CloudFormation takes its words too. */
export function boolean(value: Value, standard = false): boolean | undefined {
  if (value === null) return standard;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  return undefined;
}

/** A text; null when nothing is said. */
export const text = (value: Value): string | null | undefined =>
  value === null ? null : typeof value === 'string' ? value : undefined;

/** A list, where a single value counts as one; empty when nothing is said. */
export function list(value: Value): readonly Value[] | undefined {
  if (value === null) return [];
  if (value === undefined) return undefined;
  return isList(value) ? value : [value];
}

/** A property of an object: null when it is left out, unknown when the object is. */
export function property(value: Value, name: string): Value {
  if (value === null) return null;
  if (!isObject(value)) return undefined;
  return Object.hasOwn(value, name) ? value[name] : openEnded in value ? undefined : null;
}

/** Marks an object that a deployment may add to, by a macro for example: what it lacks is unknown. */
export const openEnded = '…';

/** An object that stands as it is, or as JSON in a text. */
export function document(value: Value): Value {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as Value;
  } catch {
    // No JSON: nothing is known of it, and AWS will say what is wrong.
    return undefined;
  }
}
