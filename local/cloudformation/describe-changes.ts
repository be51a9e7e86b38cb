import type { Change, ResourceChange, ResourceChangeDetail } from '@aws-sdk/client-cloudformation';
import { isSame } from './compare.ts';
import { afterApply, type PlannedChange } from './plan.ts';
import { asText, type Properties } from './provider.ts';
import { type Reference, referencesOf } from './references.ts';
import { withoutSecrets } from './secrets.ts';
import { isRetained, type Stack } from './stacks.ts';
import type { Target } from './target.ts';
import type { TemplateResource } from './template.ts';

type Modification = Extract<PlannedChange, { kind: 'modify' }>;

/** A planned change as DescribeChangeSet shows it; values only for those who ask for them. */
export function describeChange(
  change: PlannedChange,
  stack: Stack,
  target: Target,
  changes: readonly PlannedChange[],
  withValues: boolean,
): Change {
  return { Type: 'Resource', ResourceChange: describeResource(change, stack, target, changes, withValues) };
}

function describeResource(
  change: PlannedChange,
  stack: Stack,
  target: Target,
  changes: readonly PlannedChange[],
  withValues: boolean,
): ResourceChange {
  const context = (properties: Properties, definition?: TemplateResource) => {
    const metadata = definition?.Metadata === undefined ? {} : { Metadata: definition.Metadata };
    const shown = { Properties: properties, ...metadata };
    return JSON.stringify(withoutSecrets(shown, stack.state.parameters, target.parameters));
  };
  if (change.kind === 'add') {
    const definition = target.source.template.Resources?.[change.logicalId];
    return {
      Action: 'Add',
      LogicalResourceId: change.logicalId,
      ResourceType: change.type,
      Scope: [],
      Details: [],
      ...(withValues ? { AfterContext: context(change.after.values, definition) } : {}),
    };
  }
  const { resource } = change;
  const base = {
    LogicalResourceId: resource.logicalId,
    PhysicalResourceId: resource.made.physicalId,
    ResourceType: resource.type,
  };
  const before = withValues ? { BeforeContext: context(resource.properties, resource.definition) } : {};
  if (change.kind === 'remove') {
    const PolicyAction = isRetained(resource.definition.DeletionPolicy) ? 'Retain' : 'Delete';
    return { Action: 'Remove', PolicyAction, ...base, Scope: [], Details: [], ...before };
  }
  const kept = isRetained(change.definition.UpdateReplacePolicy);
  return {
    Action: 'Modify',
    ...(change.replacement === 'True'
      ? { PolicyAction: kept ? 'ReplaceAndRetain' : 'ReplaceAndDelete' }
      : {}),
    ...base,
    Replacement: change.replacement,
    Scope: scopeOf(change),
    Details: detailsOf(change, stack, target, changes, withValues),
    ...before,
    ...(withValues ? { AfterContext: context(change.after.values, change.definition) } : {}),
  };
}

/** Tags are a part of their own to CloudFormation. */
const partOf = (property: string) => (property === 'Tags' ? 'Tags' : 'Properties');

const scopeOf = ({ difference, attributes }: Modification) => [
  ...new Set([...difference.changed.map(partOf), ...attributes]),
];

function detailsOf(
  change: Modification,
  stack: Stack,
  target: Target,
  changes: readonly PlannedChange[],
  withValues: boolean,
): ResourceChangeDetail[] {
  const { resource, definition, difference, after } = change;
  const details: ResourceChangeDetail[] = [];
  for (const name of difference.changed) {
    const isReplacing = difference.replacing.includes(name);
    const value = (properties: Properties) =>
      properties[name] === undefined
        ? undefined
        : asText(withoutSecrets(properties[name], stack.state.parameters, target.parameters));
    const values = {
      Path: `/${partOf(name) === 'Tags' ? 'Tags' : `Properties/${name}`}`,
      BeforeValue: value(resource.properties),
      AfterValue: value(after.values),
      AttributeChangeType:
        resource.properties[name] === undefined
          ? ('Add' as const)
          : after.values[name] === undefined
            ? ('Remove' as const)
            : ('Modify' as const),
    };
    for (const cause of causesOf(name, change, stack, target, changes)) {
      details.push({
        Target: {
          Attribute: partOf(name),
          ...(partOf(name) === 'Properties' ? { Name: name } : {}),
          RequiresRecreation: isReplacing ? 'Always' : 'Never',
          ...(withValues ? values : {}),
        },
        Evaluation: after.uncertain.has(name) ? 'Dynamic' : 'Static',
        ...cause,
      });
    }
  }
  for (const name of change.attributes) {
    const text = (value: unknown) => (value === undefined ? undefined : asText(value));
    details.push({
      Target: {
        Attribute: name,
        RequiresRecreation: 'Never',
        ...(withValues
          ? {
              Path: `/${name}`,
              BeforeValue: text(resource.definition[name]),
              AfterValue: text(definition[name]),
            }
          : {}),
      },
      Evaluation: 'Static',
      ChangeSource: 'DirectModification',
    });
  }
  return details;
}

type Cause = Pick<ResourceChangeDetail, 'ChangeSource' | 'CausingEntity'>;

/** Why a property changes: the template itself, or what it refers to. */
function causesOf(
  name: string,
  { resource, definition, after }: Modification,
  stack: Stack,
  target: Target,
  changes: readonly PlannedChange[],
): readonly Cause[] {
  const raw = definition.Properties?.[name];
  if (!isSame(resource.definition.Properties?.[name], raw)) return [{ ChangeSource: 'DirectModification' }];
  const isUnknown = JSON.stringify(after.values[name] ?? null).includes(afterApply);
  const found = new Map<string, Cause>();
  for (const reference of referencesOf(raw)) {
    const cause = causeOf(reference, stack, target, changes, isUnknown);
    if (cause !== undefined) found.set(JSON.stringify(cause), cause);
  }
  return found.size > 0 ? [...found.values()] : [{ ChangeSource: 'DirectModification' }];
}

function causeOf(
  reference: Reference,
  stack: Stack,
  target: Target,
  changes: readonly PlannedChange[],
  isUnknown: boolean,
): Cause | undefined {
  const { kind, name } = reference;
  if (kind !== 'ref' && kind !== 'attribute') return undefined;
  const parameter = target.parameters.get(name);
  if (parameter !== undefined) {
    const isChanged = !isSame(stack.state.parameters.get(name)?.value, parameter.value);
    return isChanged ? { ChangeSource: 'ParameterReference', CausingEntity: name } : undefined;
  }
  const isNew = changes.some(
    (change) =>
      (change.kind === 'add' && change.logicalId === name) ||
      (change.kind === 'modify' && change.resource.logicalId === name && change.replacement !== 'False'),
  );
  if (!isNew || !isUnknown) return undefined;
  return kind === 'ref'
    ? { ChangeSource: 'ResourceReference', CausingEntity: name }
    : { ChangeSource: 'ResourceAttribute', CausingEntity: `${name}.${reference.attribute}` };
}
