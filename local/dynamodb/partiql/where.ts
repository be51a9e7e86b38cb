import type { Condition, Operand } from '../expressions/index.ts';
import type { KeySchema } from '../keys.ts';

/** A WHERE taken apart: what names the item, and what the item has to fulfil. */
export interface Where {
  readonly hash: Operand | undefined;
  readonly range: Operand | undefined;
  readonly rest: Condition | undefined;
}

// A statement's tree is one object for each text, so that taking it apart happens once for each table's schema.
const known = new WeakMap<Condition, { readonly schema: KeySchema; readonly where: Where }>();

/** Finds the equalities of the key's attributes among the conditions that AND joins. */
export function takeApart(condition: Condition | undefined, schema: KeySchema): Where {
  if (condition === undefined) return { hash: undefined, range: undefined, rest: undefined };
  const found = known.get(condition);
  if (found !== undefined && found.schema === schema) return found.where;
  let hash: Operand | undefined;
  let range: Operand | undefined;
  let rest: Condition | undefined;
  for (const part of parts(condition)) {
    const value = (name: string | undefined) => (name === undefined ? undefined : equalTo(part, name));
    const hashValue = hash === undefined ? value(schema.hash.name) : undefined;
    const rangeValue = range === undefined ? value(schema.range?.name) : undefined;
    if (hashValue !== undefined) hash = hashValue;
    else if (rangeValue !== undefined) range = rangeValue;
    else rest = rest === undefined ? part : { kind: 'and', left: rest, right: part };
  }
  const where = { hash, range, rest };
  known.set(condition, { schema, where });
  return where;
}

const parts = (condition: Condition): Condition[] =>
  condition.kind === 'and' ? [...parts(condition.left), ...parts(condition.right)] : [condition];

function equalTo(condition: Condition, name: string): Operand | undefined {
  if (condition.kind !== 'compare' || condition.operator !== '=') return undefined;
  for (const [side, other] of [
    [condition.left, condition.right],
    [condition.right, condition.left],
  ] as const) {
    if (side.kind !== 'path' || side.path.length !== 1 || other.kind === 'path' || other.kind === 'size')
      continue;
    const step = side.path[0]!;
    if ('name' in step && step.name === name) return other;
  }
  return undefined;
}
