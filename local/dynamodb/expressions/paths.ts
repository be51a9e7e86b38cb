import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { validation } from '../errors.ts';
import { attributeOf, type Item, setAttribute } from '../values.ts';
import type { Bindings, Path, Step } from './syntax.ts';

/** A path whose placeholders are resolved: names and positions. */
export type ResolvedPath = readonly (string | number)[];

const resolveStep = (step: Step, names: Bindings['names']): string | number =>
  'name' in step ? step.name : 'index' in step ? step.index : names[step.placeholder]!;

/** A path with its placeholders replaced. */
export const resolvePath = (path: Path, names: Bindings['names']): ResolvedPath =>
  path.map((step) => resolveStep(step, names));

/** What stands at a path of an item, or `undefined`. */
export function valueAt(item: Item, path: Path, names: Bindings['names']): AttributeValue | undefined {
  let value = attributeOf(item, resolveStep(path[0]!, names) as string);
  for (let position = 1; position < path.length && value !== undefined; position++) {
    value = child(value, resolveStep(path[position]!, names));
  }
  return value;
}

/** What stands at a resolved path of an item, or `undefined`. */
export function lookUp(item: Item, path: ResolvedPath): AttributeValue | undefined {
  let value = attributeOf(item, path[0] as string);
  for (let position = 1; position < path.length && value !== undefined; position++) {
    value = child(value, path[position]!);
  }
  return value;
}

const child = (value: AttributeValue, step: string | number): AttributeValue | undefined =>
  typeof step === 'number' ? value.L?.[step] : value.M === undefined ? undefined : attributeOf(value.M, step);

const invalidForUpdate = () =>
  validation('The document path provided in the update expression is invalid for update');

/** The item with `value` at a path; everything off the path is shared with the old one. */
export function withValue(item: Item, path: ResolvedPath, value: AttributeValue): Item {
  const name = path[0] as string;
  if (path.length === 1) return { ...item, [name]: value };
  const parent = attributeOf(item, name);
  if (parent === undefined) throw invalidForUpdate();
  return { ...item, [name]: withChild(parent, path, 1, value) };
}

function withChild(
  parent: AttributeValue,
  path: ResolvedPath,
  position: number,
  value: AttributeValue,
): AttributeValue {
  const step = path[position]!;
  const last = position === path.length - 1;
  if (typeof step === 'number') {
    if (parent.L === undefined) throw invalidForUpdate();
    const list = [...parent.L];
    const next = list[step];
    // A position behind the end appends.
    if (last) list[Math.min(step, list.length)] = value;
    else if (next === undefined) throw invalidForUpdate();
    else list[step] = withChild(next, path, position + 1, value);
    return { L: list };
  }
  if (parent.M === undefined) throw invalidForUpdate();
  if (last) return { M: { ...parent.M, [step]: value } };
  const next = attributeOf(parent.M, step);
  if (next === undefined) throw invalidForUpdate();
  return { M: { ...parent.M, [step]: withChild(next, path, position + 1, value) } };
}

/** The item without what stands at a path. */
export function withoutValue(item: Item, path: ResolvedPath): Item {
  const name = path[0] as string;
  const parent = attributeOf(item, name);
  if (path.length > 1) {
    if (parent === undefined) throw invalidForUpdate();
    return { ...item, [name]: withoutChild(parent, path, 1) };
  }
  if (parent === undefined) return item;
  const { [name]: _removed, ...rest } = item;
  return rest;
}

function withoutChild(parent: AttributeValue, path: ResolvedPath, position: number): AttributeValue {
  const step = path[position]!;
  const last = position === path.length - 1;
  if (typeof step === 'number') {
    if (parent.L === undefined) throw invalidForUpdate();
    if (last) return { L: parent.L.filter((_element, index) => index !== step) };
    const next = parent.L[step];
    if (next === undefined) throw invalidForUpdate();
    return { L: parent.L.with(step, withoutChild(next, path, position + 1)) };
  }
  if (parent.M === undefined) throw invalidForUpdate();
  const next = attributeOf(parent.M, step);
  if (last) {
    if (next === undefined) return parent;
    const { [step]: _removed, ...rest } = parent.M;
    return { M: rest };
  }
  if (next === undefined) throw invalidForUpdate();
  return { M: { ...parent.M, [step]: withoutChild(next, path, position + 1) } };
}

/** The parts of an item that stand at the given paths; elements of a list close up, in their order. */
export function project(item: Item, paths: readonly ResolvedPath[]): Item {
  const root: Branch = new Map();
  for (const path of paths) {
    let branch = root;
    path.forEach((step, position) => {
      if (position === path.length - 1) branch.set(step, 'all');
      else {
        const next = branch.get(step);
        if (next === 'all') return;
        const deeper = next ?? new Map();
        branch.set(step, deeper);
        branch = deeper;
      }
    });
  }
  return pickMap(item, root);
}

type Branch = Map<string | number, Branch | 'all'>;

function pickMap(item: Item, branch: Branch): Item {
  const picked: Item = {};
  for (const [name, below] of branch) {
    const value = typeof name === 'string' ? attributeOf(item, name) : undefined;
    const part = value === undefined ? undefined : pick(value, below);
    if (part !== undefined) setAttribute(picked, name as string, part);
  }
  return picked;
}

function pick(value: AttributeValue, branch: Branch | 'all'): AttributeValue | undefined {
  if (branch === 'all') return value;
  if (value.M !== undefined) {
    const part = pickMap(value.M, branch);
    return Object.keys(part).length === 0 ? undefined : { M: part };
  }
  if (value.L === undefined) return undefined;
  const list: AttributeValue[] = [];
  for (const [index, element] of value.L.entries()) {
    const below = branch.get(index);
    const part = below === undefined ? undefined : pick(element, below);
    if (part !== undefined) list.push(part);
  }
  return list.length === 0 ? undefined : { L: list };
}

/** A path as error messages write it: `[a, b, [2]]`. */
export const showPath = (path: ResolvedPath): string =>
  `[${path.map((step) => (typeof step === 'number' ? `[${step}]` : step)).join(', ')}]`;

/**
 * Refuses two paths of which one leads into the other, or which read the same place as a list and as a map.
 *
 * @throws ValidationException
 */
export function checkOverlaps(places: readonly { readonly path: ResolvedPath }[], prefix: string): void {
  for (let first = 0; first < places.length; first++) {
    for (let second = first + 1; second < places.length; second++) {
      const relation = relate(places[first]!.path, places[second]!.path);
      if (relation === undefined) continue;
      throw validation(
        `${prefix}Two document paths ${relation} with each other; must remove or rewrite one of these paths; path one: ${showPath(places[first]!.path)}, path two: ${showPath(places[second]!.path)}`,
      );
    }
  }
}

function relate(a: ResolvedPath, b: ResolvedPath): 'overlap' | 'conflict' | undefined {
  const length = Math.min(a.length, b.length);
  for (let position = 0; position < length; position++) {
    if (a[position] === b[position]) continue;
    return typeof a[position] !== typeof b[position] ? 'conflict' : undefined;
  }
  return 'overlap';
}
