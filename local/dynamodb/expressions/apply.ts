import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { validation } from '../errors.ts';
import { addNumbers, subtractNumbers } from '../numbers.ts';
import { bytesKey, type Item, setAttribute } from '../values.ts';
import { operandValue } from './evaluate.ts';
import { lookUp, type ResolvedPath, resolvePath, valueAt, withoutValue, withValue } from './paths.ts';
import type { Bindings, Change, UpdateValue } from './syntax.ts';

const wrongOperand = () => validation('An operand in the update expression has an incorrect data type');

/** A change with its path resolved. */
export interface ResolvedChange {
  readonly change: Change;
  readonly path: ResolvedPath;
}

/** Changes with their paths resolved. */
export const resolveChanges = (changes: readonly Change[], names: Bindings['names']): ResolvedChange[] =>
  changes.map((change) => ({ change, path: resolvePath(change.path, names) }));

/**
 * The item after all changes of an update. Every right side sees the item as it was before; removals come last,
 * from the back of each list, so that positions mean what they meant before the update.
 */
export function applyChanges(item: Item, changes: readonly ResolvedChange[], bindings: Bindings): Item {
  const sets: [ResolvedPath, AttributeValue][] = [];
  const removals: ResolvedPath[] = [];
  for (const { change, path } of changes) {
    switch (change.kind) {
      case 'set':
        sets.push([path, updateValue(change.value, item, bindings)]);
        break;
      case 'remove':
        removals.push(path);
        break;
      case 'add':
        sets.push([path, sum(lookUp(item, path), operandValue(change.value, item, bindings)!)]);
        break;
      case 'delete': {
        const rest = difference(lookUp(item, path), operandValue(change.value, item, bindings)!);
        if (rest === 'empty') removals.push(path);
        else if (rest !== undefined) sets.push([path, rest]);
        break;
      }
    }
  }
  return changes.every(({ path }) => path.length === 1)
    ? changeTop(item, sets, removals)
    : changeDeep(item, sets, removals);
}

/** The usual case, attributes of the item itself, in one pass. */
function changeTop(
  item: Item,
  sets: readonly [ResolvedPath, AttributeValue][],
  removals: readonly ResolvedPath[],
): Item {
  const changed: Item = {};
  for (const name in item) {
    if (removals.length === 0 || !removals.some((path) => path[0] === name))
      setAttribute(changed, name, item[name]!);
  }
  for (const [path, value] of sets) setAttribute(changed, path[0] as string, value);
  return changed;
}

function changeDeep(item: Item, sets: [ResolvedPath, AttributeValue][], removals: ResolvedPath[]): Item {
  let changed = item;
  // Elements behind the end of a list are appended in the order of their positions.
  for (const [path, value] of sets.sort(([a], [b]) => backToFront(b, a)))
    changed = withValue(changed, path, value);
  for (const path of removals.sort(backToFront)) changed = withoutValue(changed, path);
  return changed;
}

function backToFront(a: ResolvedPath, b: ResolvedPath): number {
  const length = Math.min(a.length, b.length);
  for (let position = 0; position < length; position++) {
    const left = a[position]!;
    const right = b[position]!;
    if (left === right) continue;
    if (typeof left === 'number' && typeof right === 'number') return right - left;
    return left < right ? -1 : 1;
  }
  return b.length - a.length;
}

function updateValue(value: UpdateValue, item: Item, bindings: Bindings): AttributeValue {
  switch (value.kind) {
    case 'ifNotExists':
      return valueAt(item, value.path, bindings.names) ?? updateValue(value.otherwise, item, bindings);
    case 'append': {
      const left = updateValue(value.left, item, bindings);
      const right = updateValue(value.right, item, bindings);
      if (left.L === undefined || right.L === undefined) throw wrongOperand();
      return { L: [...left.L, ...right.L] };
    }
    case 'arithmetic': {
      const left = updateValue(value.left, item, bindings);
      const right = updateValue(value.right, item, bindings);
      if (left.N === undefined || right.N === undefined) throw wrongOperand();
      return { N: (value.operator === '+' ? addNumbers : subtractNumbers)(left.N, right.N) };
    }
    default: {
      const found = operandValue(value, item, bindings);
      if (found === undefined)
        throw validation('The provided expression refers to an attribute that does not exist in the item');
      return found;
    }
  }
}

/** ADD: a number to a number, elements to a set; what does not exist counts as 0 or as an empty set. */
function sum(old: AttributeValue | undefined, value: AttributeValue): AttributeValue {
  if (old === undefined) return value;
  if (value.N !== undefined && old.N !== undefined) return { N: addNumbers(old.N, value.N) };
  if (value.SS !== undefined && old.SS !== undefined) return { SS: [...new Set([...old.SS, ...value.SS])] };
  if (value.NS !== undefined && old.NS !== undefined) return { NS: [...new Set([...old.NS, ...value.NS])] };
  if (value.BS === undefined || old.BS === undefined) throw wrongOperand();
  const present = new Set(old.BS.map(bytesKey));
  return { BS: [...old.BS, ...value.BS.filter((bytes) => !present.has(bytesKey(bytes)))] };
}

/** DELETE: elements out of a set; `empty` when none is left, `undefined` when there was no set. */
function difference(
  old: AttributeValue | undefined,
  value: AttributeValue,
): AttributeValue | 'empty' | undefined {
  if (old === undefined) return undefined;
  if (value.SS !== undefined && old.SS !== undefined) {
    const rest = without(old.SS, value.SS, String);
    return rest.length === 0 ? 'empty' : { SS: rest };
  }
  if (value.NS !== undefined && old.NS !== undefined) {
    const rest = without(old.NS, value.NS, String);
    return rest.length === 0 ? 'empty' : { NS: rest };
  }
  if (value.BS === undefined || old.BS === undefined) throw wrongOperand();
  const rest = without(old.BS, value.BS, bytesKey);
  return rest.length === 0 ? 'empty' : { BS: rest };
}

function without<Element>(
  elements: readonly Element[],
  removed: readonly Element[],
  identity: (element: Element) => string,
): Element[] {
  const gone = new Set(removed.map(identity));
  return elements.filter((element) => !gone.has(identity(element)));
}
