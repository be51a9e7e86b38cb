import type { ModelContext } from '../service.ts';
import { noValue, type Scope, truth } from './intrinsics.ts';
import type { ParameterValues } from './parameters.ts';
import type { Made } from './provider.ts';
import type { Template } from './template.ts';

/** What a template's functions see: parameters, the resources made so far, the exports of other stacks. */
export function createScope(
  template: Template,
  stack: { readonly name: string; readonly id: string },
  context: ModelContext,
  parameters: ParameterValues,
  made: (logicalId: string) => Made | undefined,
  exported: (name: string) => string | undefined,
): Scope {
  const pseudo: Readonly<Record<string, unknown>> = {
    'AWS::AccountId': context.account,
    'AWS::NoValue': noValue,
    'AWS::NotificationARNs': [],
    'AWS::Partition': 'aws',
    'AWS::Region': context.region,
    'AWS::StackId': stack.id,
    'AWS::StackName': stack.name,
    'AWS::URLSuffix': 'amazonaws.com',
  };
  const evaluating = new Set<string>();
  const conditions = new Map<string, boolean>();
  const resourceOf = (logicalId: string): Made => {
    const found = made(logicalId);
    if (found !== undefined) return found;
    throw new Error(`${logicalId} does not exist: its condition does not hold, or it is not in the template`);
  };

  const scope: Scope = {
    region: context.region,
    ref(name) {
      if (Object.hasOwn(pseudo, name)) return pseudo[name];
      return parameters.get(name)?.value ?? resourceOf(name).physicalId;
    },
    attribute(logicalId, name) {
      const { attributes } = resourceOf(logicalId);
      if (attributes[name] !== undefined) return attributes[name];
      throw new Error(`${logicalId} has no attribute ${name}`);
    },
    condition(name) {
      const known = conditions.get(name);
      if (known !== undefined) return known;
      const definition = template.Conditions?.[name];
      if (definition === undefined) throw new Error(`condition ${name} does not exist`);
      if (evaluating.has(name)) throw new Error(`condition ${name} depends on itself`);
      evaluating.add(name);
      const holds = truth(definition, scope);
      evaluating.delete(name);
      conditions.set(name, holds);
      return holds;
    },
    mapping(map, first, second) {
      const value = template.Mappings?.[map]?.[first]?.[second];
      if (value !== undefined) return value;
      throw new Error(`mapping ${map} has no value for ${first}, ${second}`);
    },
    importValue(name) {
      const value = exported(name);
      if (value !== undefined) return value;
      throw new Error(`No export named ${name} found`);
    },
  };
  return scope;
}
