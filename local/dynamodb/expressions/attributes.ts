import type { Bindings, Condition, Operand, Path } from './syntax.ts';

/** The names of the item's own attributes that a condition looks at. */
export function attributesOf(condition: Condition, { names }: Bindings): ReadonlySet<string> {
  const found = new Set<string>();
  const path = ([step]: Path) => {
    if (step === undefined || 'index' in step) return;
    found.add('name' in step ? step.name : names[step.placeholder]!);
  };
  const operand = (one: Operand) => {
    if (one.kind === 'path' || one.kind === 'size') path(one.path);
  };
  const walk = (node: Condition): void => {
    switch (node.kind) {
      case 'and':
      case 'or':
        walk(node.left);
        walk(node.right);
        return;
      case 'not':
        walk(node.condition);
        return;
      case 'compare':
        operand(node.left);
        operand(node.right);
        return;
      case 'between':
        for (const one of [node.operand, node.low, node.high]) operand(one);
        return;
      case 'in':
        for (const one of [node.operand, ...node.choices]) operand(one);
        return;
      case 'beginsWith':
        operand(node.operand);
        operand(node.prefix);
        return;
      case 'contains':
        operand(node.operand);
        operand(node.element);
        return;
      case 'type':
      case 'exists':
      case 'missing':
        path(node.path);
        return;
    }
  };
  walk(condition);
  return found;
}
