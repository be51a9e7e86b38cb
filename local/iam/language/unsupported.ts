import { isOperator } from './conditions.ts';
import { isKnownKey } from './keys.ts';
import { isRecord, list } from './read.ts';
import { variablesIn } from './variables.ts';

/** Texts of a document, however deep; in those of Fn::Sub the same signs are CloudFormation's. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => (name === 'Fn::Sub' ? [] : textsIn(each)));
}

/**
 * What the model does not have of a policy's document, whose values may still be functions of CloudFormation:
 * operators and keys of conditions are always names.
 */
export function unsupportedIn(document: unknown): readonly string[] {
  if (!isRecord(document)) return [];
  const found = new Set<string>();
  for (const statement of list(document.Statement)) {
    if (!isRecord(statement)) continue;
    for (const part of [statement.Resource, statement.NotResource, statement.Condition])
      for (const name of textsIn(part).flatMap(variablesIn)) found.add(`the policy variable ${name}`);
    const { Condition: conditions } = statement;
    if (!isRecord(conditions)) continue;
    for (const [operator, keys] of Object.entries(conditions)) {
      if (operator.startsWith('Fn::')) continue;
      if (!isOperator(operator)) found.add(`the condition operator ${operator}`);
      for (const key of isRecord(keys) ? Object.keys(keys) : [])
        if (!key.startsWith('Fn::') && !isKnownKey(key.toLowerCase())) found.add(`the condition key ${key}`);
    }
  }
  return [...found];
}
