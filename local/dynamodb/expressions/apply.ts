import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { validation } from '../errors.ts';
import { addNumbers, subtractNumbers } from '../numbers.ts';
import { bytesKey, type Item } from '../values.ts';
import { operandValue } from './evaluate.ts';
import { lookUp, type ResolvedPath, resolvePath, valueAt, withoutValue, withValue } from './paths.ts';
import type { Bindings, Change, UpdateValue } from './syntax.ts';

const wrongOperand = () => validation('An operand in the update expression has an incorrect data type');

/**
 * The item after all changes of an update. Every right side sees the item as it was before; removals come last,
 * from the back of each list, so that positions mean what they meant before the update.
 */
export function applyChanges(item: Item, changes: readonly Change[], bindings: Bindings): Item {
  let changed = item;
  const removals: ResolvedPath[] = [];
  const sets: [ResolvedPath, AttributeValue][] = [];
  for (const change of changes) {
    const path = resolvePath(change.path, bindings.names);
    switch (change.kind) {
      case 'set':
        sets.push([path, updateValue(change.value, item, bindings)]);
        break;
      case 'remove':
        removals.push(path);
        break;
      case 'add':
        changed = withValue(
          changed,
          path,
          sum(lookUp(item, path), operandValue(change.value, item, bindings)!),
        );
        break;
      case 'delete': {
        const rest = difference(lookUp(item, path), operandValue(change.value, item, bindings)!);
        if (rest === 'empty') removals.push(path);
        else if (rest !== undefined) changed = withValue(changed, path, rest);
        break;
      }
    }
  }
  // Elements behind the end of a list are appended in the order of their positions.
  if (sets.length > 1 && sets.some(([path]) => path.length > 1)) sets.sort(([a], [b]) => backToFront(b, a));
  for (const [path, value] of sets) changed = withValue(changed, path, value);
  if (removals.length > 1) removals.sort(backToFront);
  for (const path of removals) changed = withoutValue(changed, path);
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
