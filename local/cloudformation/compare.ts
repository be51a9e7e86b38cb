import type { Properties, ResourceProvider } from './provider.ts';
import { isObject } from './template.ts';

/** What a change of a resource's properties asks for. */
export interface Difference {
  /** Names of the properties that are not the same. */
  readonly changed: readonly string[];
  /** Those among them that need a new resource. */
  readonly replacing: readonly string[];
  /** Whether there is anything to do besides keeping the new properties. */
  readonly effective: boolean;
}

/** Compares what a resource was made from with what it is to be made from, by the rules of its type. */
export function compare(provider: ResourceProvider, before: Properties, after: Properties): Difference {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter((name) => !isSame(before[name], after[name]));
  // What has no effect in the model needs neither a call nor a new resource.
  const effective = changed.filter((name) => !Object.hasOwn(provider.ignored ?? {}, name));
  if (effective.length === 0) return { changed, replacing: [], effective: false };
  if (provider.update === undefined) return { changed, replacing: effective, effective: true };
  const further = provider.replaces?.(before, after) ?? [];
  const replacing = effective.filter(
    (name) => provider.replacedBy?.includes(name) === true || further.includes(name),
  );
  return { changed, replacing, effective: true };
}

/** Whether two values are the same to CloudFormation, to which `30` and `"30"` are. */
export function isSame(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((entry, index) => isSame(entry, right[index]));
  if (isObject(left) && isObject(right)) {
    const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...keys].every((key) => isSame(left[key], right[key]));
  }
  if (left === undefined || right === undefined || left === null || right === null) return left === right;
  return typeof left !== 'object' && typeof right !== 'object' && String(left) === String(right);
}

/** AWS's words when a resource that was given a name needs a new one, which cannot have the same. */
export function nameConflict(
  provider: ResourceProvider,
  before: Properties,
  after: Properties,
): string | undefined {
  const { nameProperty } = provider;
  if (nameProperty === undefined) return undefined;
  const name = after[nameProperty];
  if (name === undefined || !isSame(before[nameProperty], name)) return undefined;
  return `CloudFormation cannot update a stack when a custom-named resource requires replacing. Rename ${name} and update the stack again.`;
}
