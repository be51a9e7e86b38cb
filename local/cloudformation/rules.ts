import { messageOf } from './events.ts';
import { resolve, type Scope } from './intrinsics.ts';
import { isObject, type Template } from './template.ts';

/** What the assertions of a template's Rules section have against its parameters. */
export function brokenRules(template: Template, scope: Scope): readonly string[] {
  const faults: string[] = [];
  for (const [name, rule] of Object.entries(template.Rules ?? {})) {
    if (!isObject(rule)) continue;
    try {
      if (rule.RuleCondition !== undefined && !holds(rule.RuleCondition, scope)) continue;
      for (const assertion of Array.isArray(rule.Assertions) ? rule.Assertions : []) {
        if (!isObject(assertion) || holds(assertion.Assert, scope)) continue;
        faults.push(`Rule ${name}: ${assertion.AssertDescription ?? 'its assertion does not hold'}`);
      }
    } catch (error) {
      faults.push(`Rule ${name}: ${messageOf(error)}.`);
    }
  }
  return faults;
}

const holds = (value: unknown, scope: Scope): boolean => {
  const resolved = resolve(value, scope);
  return resolved === true || resolved === 'true';
};
