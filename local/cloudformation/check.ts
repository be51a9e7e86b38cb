import type { ModelContext } from '../service.ts';
import { isKnownIntrinsic } from './intrinsics.ts';
import { type DeploymentServices, has, type ResourceProvider } from './provider.ts';
import { orderOf, type Reference, referencesOf } from './references.ts';
import { isObject, type Template, type TemplateResource } from './template.ts';

/** Pseudo parameters that `Ref` knows (CloudFormation user guide, "Pseudo parameters reference"). */
export const pseudoParameters: ReadonlySet<string> = new Set([
  'AWS::AccountId',
  'AWS::NoValue',
  'AWS::NotificationARNs',
  'AWS::Partition',
  'AWS::Region',
  'AWS::StackId',
  'AWS::StackName',
  'AWS::URLSuffix',
]);

/** Something in a template that keeps it from being deployed. */
export interface TemplateFault {
  /** `Queue (AWS::SQS::Queue): property Colour is not supported by the model.` */
  readonly text: string;
  /** Wrong on AWS as well, as opposed to something that the model does not have. */
  readonly wrong: boolean;
  /** The resource that it is in, if any. */
  readonly logicalId?: string;
  readonly type?: string;
}

/** What is checked of a template before anything is made. */
export interface Checked {
  /** Logical ids in the order in which they are made; empty when there are faults. */
  readonly order: readonly string[];
  readonly faults: readonly TemplateFault[];
  readonly warnings: readonly string[];
}

/**
 * Looks for everything in a template that the model cannot do: types, properties, functions, references to what
 * is not there, cycles. What has no effect becomes a warning.
 *
 * @param wanted - logical ids of the resources whose conditions hold
 */
export function checkTemplate(
  template: Template,
  wanted: ReadonlySet<string>,
  providers: Readonly<Record<string, ResourceProvider>>,
  services: DeploymentServices,
  context: ModelContext,
): Checked {
  const faults: TemplateFault[] = [];
  const ignored = new Map<string, string[]>();
  const unenforced: { readonly logicalId: string; readonly type: string }[] = [];
  if (template.Transform !== undefined) {
    const text = `Transform ${JSON.stringify(template.Transform)}: the model runs no transforms.`;
    faults.push({ text, wrong: false });
  }

  const checkReferences = (where: string, value: unknown, resource?: { logicalId: string; type: string }) => {
    const seen = new Set<string>();
    for (const reference of referencesOf(value)) {
      const fault = referenceFault(reference, template, wanted, providers);
      if (fault === undefined || seen.has(fault)) continue;
      seen.add(fault);
      faults.push({ text: `${where}: ${fault}.`, wrong: reference.kind !== 'function', ...resource });
    }
    for (const reference of dynamicReferences(value)) {
      const text = `${where}: the dynamic reference ${reference} is not supported by the model.`;
      faults.push({ text, wrong: false, ...resource });
    }
  };

  const resources = template.Resources ?? {};
  for (const logicalId of wanted) {
    const resource = resources[logicalId];
    if (resource === undefined) continue;
    const where = `${logicalId} (${resource.Type})`;
    const at = { logicalId, type: resource.Type };
    const provider = providers[resource.Type];
    if (provider === undefined) {
      faults.push({ text: `${where}: the model does not have this type of resource.`, wrong: false, ...at });
      continue;
    }
    for (const fault of resourceFaults(resource, provider, services, context)) {
      faults.push({ text: `${where}: ${fault}.`, wrong: false, ...at });
    }
    for (const name of Object.keys(resource.Properties ?? {})) {
      const reason = provider.ignored?.[name];
      if (reason === undefined) continue;
      const warning = `${resource.Type}: ${name} has no effect, ${reason}`;
      ignored.set(warning, [...(ignored.get(warning) ?? []), logicalId]);
    }
    for (const note of provider.notes?.(resource.Properties ?? {}) ?? []) {
      const warning = `${resource.Type}: ${note}`;
      ignored.set(warning, [...(ignored.get(warning) ?? []), logicalId]);
    }
    if (provider.unenforced?.some((name) => resource.Properties?.[name] !== undefined))
      unenforced.push({ logicalId, type: resource.Type });
    for (const needed of [resource.DependsOn ?? []].flat()) {
      if (resources[needed] === undefined)
        faults.push({
          text: `${where}: DependsOn names ${needed}, which is not there.`,
          wrong: true,
          ...at,
        });
    }
    checkReferences(where, resource.Properties ?? {}, at);
  }
  for (const [name, output] of Object.entries(template.Outputs ?? {})) {
    if (output.Condition !== undefined && template.Conditions?.[output.Condition] === undefined) {
      faults.push({ text: `Output ${name}: condition ${output.Condition} does not exist.`, wrong: true });
    }
    checkReferences(`Output ${name}`, [output.Value, output.Export?.Name]);
  }

  const warnings = [...ignored].map(([warning, logicalIds]) => `${warning}: ${named(logicalIds)}`);
  if (unenforced.length > 0) {
    const types = [...new Set(unenforced.map(({ type }) => type))].sort().join(', ');
    warnings.push(
      `${types}: policies are kept and not enforced by the model, so a call that AWS refuses for want of a right succeeds here: ` +
        named(unenforced.map(({ logicalId }) => logicalId)),
    );
  }
  const ordered = orderOf(template, wanted);
  if ('cycle' in ordered) {
    const text = `Circular dependency between resources: ${ordered.cycle.join(' -> ')}.`;
    faults.push({ text, wrong: true });
  }
  return { order: faults.length === 0 && 'order' in ordered ? ordered.order : [], faults, warnings };
}

/** `{{resolve:ssm:/name}}` and the like, wherever they stand. */
function* dynamicReferences(value: unknown): Generator<string> {
  if (typeof value === 'string') yield* value.match(/\{\{resolve:[^}]*\}\}/g) ?? [];
  else if (typeof value === 'object' && value !== null)
    for (const entry of Object.values(value)) yield* dynamicReferences(entry);
}

/** Two are named, more are counted: a warning is a line, and an app of a hundred functions has one as well. */
const named = (logicalIds: readonly string[]): string =>
  logicalIds.length <= 2 ? logicalIds.join(', ') : `${logicalIds[0]} and ${logicalIds.length - 1} more`;

function* resourceFaults(
  resource: TemplateResource,
  provider: ResourceProvider,
  services: DeploymentServices,
  context: ModelContext,
): Generator<string> {
  const properties = resource.Properties ?? {};
  for (const name of Object.keys(properties)) {
    if (provider.properties.includes(name) || Object.hasOwn(provider.ignored ?? {}, name)) continue;
    yield `property ${name} is not supported by the model`;
  }
  if (isObject(properties)) yield* provider.check?.(properties, context) ?? [];
  for (const [service, actions] of Object.entries(provider.needs ?? {})) {
    for (const action of actions) {
      if (has(services[service as keyof DeploymentServices], action)) continue;
      yield `the model's ${service} has no action ${action}`;
    }
  }
}

function referenceFault(
  reference: Reference,
  template: Template,
  wanted: ReadonlySet<string>,
  providers: Readonly<Record<string, ResourceProvider>>,
): string | undefined {
  const { kind, name } = reference;
  switch (kind) {
    case 'function':
      return isKnownIntrinsic(name) ? undefined : `${name} is not a function that the model knows`;
    case 'condition':
      return template.Conditions?.[name] === undefined ? `condition ${name} does not exist` : undefined;
    case 'mapping':
      return template.Mappings?.[name] === undefined ? `mapping ${name} does not exist` : undefined;
    case 'ref':
      if (pseudoParameters.has(name) || Object.hasOwn(template.Parameters ?? {}, name)) return undefined;
      break;
  }
  const resource = template.Resources?.[name];
  if (resource === undefined) return `${name} is neither a resource nor a parameter of the template`;
  // The branch of Fn::If that is not taken may name it.
  if (!wanted.has(name) || kind !== 'attribute') return undefined;
  const known = providers[resource.Type]?.attributes;
  if (known === undefined || known.includes(reference.attribute)) return undefined;
  return `${name} (${resource.Type}) has no attribute ${reference.attribute}; it has ${known.join(', ') || 'none'}`;
}
