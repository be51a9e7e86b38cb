import { resolve, type Scope } from './intrinsics.ts';
import { asText } from './provider.ts';
import { exportsOf, importersOf, type Stack, type StackOutput } from './stacks.ts';
import type { DeploymentParts } from './target.ts';
import type { Template } from './template.ts';
import { outputRule } from './template-shape.ts';

/**
 * The outputs of a stack, evaluated.
 *
 * @throws Error when one has no value, or takes, changes or removes an export that it must not
 */
export function outputsOf(
  stack: Stack,
  template: Template,
  before: ReadonlyMap<string, StackOutput>,
  scope: Scope,
  parts: DeploymentParts,
): ReadonlyMap<string, StackOutput> {
  const outputs = new Map<string, StackOutput>();
  const exported = new Map<string, string>();
  for (const [name, { Value, Description, Condition, Export }] of Object.entries(template.Outputs ?? {})) {
    if (Condition !== undefined && !scope.condition(Condition)) continue;
    try {
      const exportName = Export === undefined ? undefined : asText(resolve(Export.Name, scope));
      const found = resolve(Value, scope);
      if (typeof found === 'object' || typeof found === 'symbol') throw new Error(outputRule);
      const value = asText(found);
      if (exportName !== undefined) {
        const other = exportsOf(parts.store).get(exportName)?.stack;
        if (other !== undefined && other !== stack)
          throw new Error(`Export ${exportName} is exported by stack ${other.name} already`);
        if (exported.has(exportName)) throw new Error(`Export ${exportName} is exported twice`);
        exported.set(exportName, value);
      }
      outputs.set(name, { value, description: Description, exportName });
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      throw new Error(`Output ${name}: ${text}`, { cause: error });
    }
  }
  for (const { value, exportName } of before.values()) {
    if (exportName === undefined || exported.get(exportName) === value) continue;
    const [user] = importersOf(parts.store, exportName).filter((other) => other !== stack);
    if (user === undefined) continue;
    const verb = exported.has(exportName) ? 'updated' : 'deleted';
    throw new Error(`Export ${exportName} cannot be ${verb} as it is in use by ${user.name}`);
  }
  return outputs;
}
