import type { TemplateFault } from './check.ts';
import { compare, type Difference, isSame } from './compare.ts';
import { messageOf } from './events.ts';
import { noValue, resolve, type Scope } from './intrinsics.ts';
import { asText, type Made, type Properties } from './provider.ts';
import { createScope } from './scope.ts';
import { exportsOf, type Stack, type StackResource, type StackState } from './stacks.ts';
import type { DeploymentParts, Target } from './target.ts';
import type { TemplateResource } from './template.ts';

/** Stands for what only the deployment will tell, as AWS writes it. */
export const afterApply = '{{changeSet:KNOWN_AFTER_APPLY}}';

/** What will become of one resource. */
export type PlannedChange =
  | {
      readonly kind: 'add';
      readonly logicalId: string;
      readonly type: string;
      readonly after: PlannedProperties;
    }
  | { readonly kind: 'remove'; readonly resource: StackResource }
  | {
      readonly kind: 'modify';
      readonly resource: StackResource;
      readonly definition: TemplateResource;
      readonly after: PlannedProperties;
      readonly difference: Difference;
      readonly replacement: 'True' | 'False' | 'Conditional';
      /** Further parts of the resource that change: Metadata, DeletionPolicy, UpdateReplacePolicy. */
      readonly attributes: readonly ResourceAttributeName[];
    };

/** Parts of a resource beside its properties. */
export type ResourceAttributeName = 'Metadata' | 'DeletionPolicy' | 'UpdateReplacePolicy';
const attributeNames: readonly ResourceAttributeName[] = [
  'Metadata',
  'DeletionPolicy',
  'UpdateReplacePolicy',
];

/** Properties as far as they are known beforehand. */
export interface PlannedProperties {
  readonly values: Properties;
  /** Names of those that depend on what may or may not be replaced: whether they change is seen by then. */
  readonly uncertain: ReadonlySet<string>;
}

/** What an operation will do. */
export interface Plan {
  readonly changes: readonly PlannedChange[];
  /** Whether anything is to be done, outputs and tags included. */
  readonly isEmpty: boolean;
  /** What is certain to fail. */
  readonly faults: readonly TemplateFault[];
  /** Why AWS refuses such a change at once, if it does. */
  readonly refusal: string | undefined;
}

/**
 * Finds out what it takes to bring a stack to a target. Nothing is done; when it is done, each resource is judged once
 * more by its real values.
 */
export function planOf(stack: Stack, target: Target, parts: DeploymentParts): Plan {
  const changes: PlannedChange[] = [];
  const faults: TemplateFault[] = [];
  /** Resources of which nothing is known yet: new ones for certain, or maybe. */
  const unknown = new Map<string, 'sure' | 'maybe'>();
  const resources = target.source.template.Resources ?? {};
  const known = (logicalId: string) => stack.resources.get(logicalId)?.made;
  const scope = scopeOfPlan(stack, target, parts, known, unknown);

  const retyped = target.order.filter((logicalId) => {
    const existing = stack.resources.get(logicalId);
    return existing !== undefined && existing.type !== resources[logicalId]?.Type;
  });
  for (const logicalId of target.order) {
    const definition = resources[logicalId]!;
    const { values, uncertain, failed } = propertiesOf(definition, scope);
    const type = definition.Type;
    for (const fault of failed)
      faults.push({ text: `${logicalId} (${type}): ${fault}.`, wrong: true, logicalId, type });
    const resource = stack.resources.get(logicalId);
    if (resource === undefined || retyped.includes(logicalId)) {
      unknown.set(logicalId, 'sure');
      changes.push({ kind: 'add', logicalId, type, after: { values, uncertain } });
      continue;
    }
    const difference = compare(parts.providers[definition.Type]!, resource.properties, values);
    const attributes = attributeNames.filter((name) => !isSame(resource.definition[name], definition[name]));
    const isLeft = difference.changed.length === 0 && attributes.length === 0;
    if (isLeft && !resource.status.endsWith('_FAILED')) continue;
    const certain = difference.replacing.some((name) => !uncertain.has(name));
    const replacement = certain ? 'True' : difference.replacing.length > 0 ? 'Conditional' : 'False';
    if (replacement !== 'False') unknown.set(logicalId, certain ? 'sure' : 'maybe');
    const after = { values, uncertain };
    changes.push({ kind: 'modify', resource, definition, after, difference, replacement, attributes });
  }
  for (const resource of [...stack.resources.values()].reverse()) {
    if (!target.wanted.has(resource.logicalId)) changes.push({ kind: 'remove', resource });
  }
  const isEmpty =
    changes.length === 0 && isSameState(stack.state, target) && outputsStay(stack, target, scope);
  const refusal =
    retyped.length === 0
      ? undefined
      : `Update of resource type is not permitted. The new template modifies resource type of the following resources: [${retyped.join(', ')}]`;
  return { changes, isEmpty, faults, refusal };
}

/** Names of what is not known yet, as they are asked for while one property is resolved. */
interface PlanScope extends Scope {
  readonly touched: Set<'sure' | 'maybe'>;
}

function scopeOfPlan(
  stack: Stack,
  target: Target,
  parts: DeploymentParts,
  known: (logicalId: string) => Made | undefined,
  unknown: ReadonlyMap<string, 'sure' | 'maybe'>,
): PlanScope {
  const touched = new Set<'sure' | 'maybe'>();
  const inner = createScope(
    target.source.template,
    stack,
    parts.context,
    target.parameters,
    (logicalId) => (target.wanted.has(logicalId) ? known(logicalId) : undefined),
    (name) => exportsOf(parts.store).get(name)?.value,
  );
  return {
    ...inner,
    touched,
    ref(name) {
      const kind = unknown.get(name);
      if (kind === undefined) return inner.ref(name);
      touched.add(kind);
      return afterApply;
    },
    attribute(logicalId, name) {
      if (!unknown.has(logicalId)) return inner.attribute(logicalId, name);
      // An attribute of a new resource may be what it was.
      touched.add(stack.resources.has(logicalId) ? 'maybe' : 'sure');
      return afterApply;
    },
    importValue(name) {
      const value = exportsOf(parts.store).get(name)?.value;
      if (value !== undefined) return value;
      touched.add('sure');
      return afterApply;
    },
  };
}

function propertiesOf(definition: TemplateResource, scope: PlanScope) {
  const values: Record<string, unknown> = {};
  const uncertain = new Set<string>();
  const failed: string[] = [];
  for (const [name, raw] of Object.entries(definition.Properties ?? {})) {
    scope.touched.clear();
    try {
      const value = resolve(raw, scope);
      if (value !== noValue) values[name] = value;
    } catch (error) {
      // Fn::Select of something that is not there yet, for example.
      if (scope.touched.size > 0) values[name] = afterApply;
      else failed.push(messageOf(error));
    }
    if (scope.touched.has('maybe')) uncertain.add(name);
  }
  return { values, uncertain, failed };
}

function isSameState(state: StackState, target: Target): boolean {
  const { tags, notificationArns } = target.settings;
  return isSame(state.settings.tags, tags) && isSame(state.settings.notificationArns, notificationArns);
}

function outputsStay(stack: Stack, target: Target, scope: PlanScope): boolean {
  const before = stack.state.source.template;
  const after = target.source.template;
  if (!isSame(before.Outputs ?? {}, after.Outputs ?? {})) return false;
  return Object.entries(after.Outputs ?? {}).every(([name, { Value, Condition, Export }]) => {
    const was = stack.state.outputs.get(name);
    if (Condition !== undefined && !scope.condition(Condition)) return was === undefined;
    scope.touched.clear();
    return (
      was !== undefined &&
      was.value === asText(resolve(Value, scope)) &&
      (Export === undefined || isSame(was.exportName, resolve(Export.Name, scope))) &&
      scope.touched.size === 0
    );
  });
}
