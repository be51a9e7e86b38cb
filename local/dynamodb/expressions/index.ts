export { applyChanges, type ResolvedChange, resolveChanges } from './apply.ts';
export { checkChanges, checkCondition } from './checks.ts';
export { type Grammar, parseCondition } from './conditions.ts';
export { compare, holds, operandValue } from './evaluate.ts';
export { lookUp, project, type ResolvedPath, resolvePath, valueAt } from './paths.ts';
export { type ExpressionInput, type Expressions, readExpressions } from './request.ts';
export type { Bindings, Change, Comparator, Condition, Operand, Path, Step, UpdateValue } from './syntax.ts';
export { SyntaxFault, type TokenStream, tokenStream } from './tokens.ts';
export { parseUpdateValue } from './updates.ts';
