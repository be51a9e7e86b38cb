import { messageOf } from './events.ts';
import { type Scope, truth } from './intrinsics.ts';
import { isObject, type Template } from './template.ts';

/** What the assertions of a template's Rules section have against its parameters. */
export function brokenRules(template: Template, scope: Scope): readonly string[] {
  const faults: string[] = [];
  for (const [name, rule] of Object.entries(template.Rules ?? {})) {
    if (!isObject(rule)) continue;
    try {
      if (rule.RuleCondition !== undefined && !truth(rule.RuleCondition, scope)) continue;
      for (const assertion of Array.isArray(rule.Assertions) ? rule.Assertions : []) {
        if (!isObject(assertion) || truth(assertion.Assert, scope)) continue;
        faults.push(`Rule ${name}: ${assertion.AssertDescription ?? 'its assertion does not hold'}`);
      }
    } catch (error) {
      faults.push(`Rule ${name}: ${messageOf(error)}.`);
    }
  }
  return faults;
}
