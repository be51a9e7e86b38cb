import { uuid } from '../../lib/base/index.ts';
import { type ModelContext, ServiceError } from '../service.ts';
import type { AssemblyStack, CloudAssembly } from './assembly.ts';
import { checkTemplate } from './check.ts';
import { DeploymentError } from './errors.ts';
import type { IamStore } from './iam.ts';
import { resolve, substitute } from './intrinsics.ts';
import { parametersOf } from './parameters.ts';
import {
  asText,
  type DeploymentServices,
  type Made,
  type Properties,
  type ProviderContext,
  physicalName,
} from './provider.ts';
import { providers } from './providers/index.ts';
import { createScope } from './scope.ts';
import type { ResourceStatus, Stack, StackResource, StackStatus } from './stacks.ts';

/** What deploying stands on. */
export interface DeploymentParts {
  readonly context: ModelContext;
  readonly services: DeploymentServices;
  readonly iam: IamStore;
  readonly stacks: Map<string, Stack>;
}

/**
 * Makes the resources of one stack. Everything that the model cannot do is found before the first of them; when
 * one fails, those that were made are removed again in reverse order, also those that the template would retain,
 * so that the next try finds nothing in its way.
 */
export async function createStack(
  source: AssemblyStack,
  assembly: CloudAssembly,
  name: string,
  given: Readonly<Record<string, string>>,
  parts: DeploymentParts,
): Promise<Stack> {
  const { context, services, stacks } = parts;
  const { template } = source;
  const existing = stacks.get(name);
  if (existing !== undefined && existing.status !== 'ROLLBACK_COMPLETE') {
    throw new DeploymentError([
      `Stack ${name} exists already (${existing.status}). Delete it first, or deploy under another name.`,
    ]);
  }
  const { values: parameters, faults } = parametersOf(template.Parameters ?? {}, given);
  const id = `arn:aws:cloudformation:${context.region}:${context.account}:stack/${name}/${uuid(context.random)}`;
  const made = new Map<string, Made>();
  const imports = new Set<string>();
  const exported = (exportName: string) => {
    imports.add(exportName);
    return exportsOf(stacks).get(exportName)?.value;
  };
  const scope = createScope(template, { name, id }, context, parameters, made, exported);

  const wanted = new Set<string>();
  const conditionFaults: string[] = [];
  for (const [logicalId, resource] of Object.entries(template.Resources ?? {})) {
    try {
      if (resource.Condition === undefined || scope.condition(resource.Condition)) wanted.add(logicalId);
    } catch (error) {
      conditionFaults.push(`${logicalId} (${resource.Type}): ${messageOf(error)}.`);
    }
  }
  const checked = checkTemplate(template, wanted, providers, services, context);
  const all = [...faults, ...conditionFaults, ...checked.faults];
  if (all.length > 0) throw new DeploymentError(all);

  provideAssets(assembly, context, services);
  const stack: Stack = {
    name,
    id,
    template,
    parameters,
    createdAt: context.clock.now(),
    status: 'CREATE_IN_PROGRESS',
    reason: undefined,
    resources: new Map(),
    outputs: new Map(),
    imports,
    warnings: [...checked.warnings],
    events: [],
  };
  stacks.set(name, stack);
  noteStack(stack, 'CREATE_IN_PROGRESS', context, 'User Initiated');

  let current = '';
  try {
    for (const logicalId of checked.order) {
      const { Type, Properties: unresolved = {}, DeletionPolicy } = template.Resources![logicalId]!;
      current = `${logicalId} (${Type})`;
      note(stack, logicalId, '', Type, 'CREATE_IN_PROGRESS', context);
      const properties = resolve(unresolved, scope) as Properties;
      const provider = providers[Type]!;
      const result = await provider.create(properties, providerContext(stack, logicalId, parts));
      made.set(logicalId, result);
      const resource: StackResource = {
        logicalId,
        type: Type,
        properties,
        made: result,
        retained: DeletionPolicy?.startsWith('Retain') === true,
        status: 'CREATE_COMPLETE',
        changedAt: context.clock.now(),
      };
      stack.resources.set(logicalId, resource);
      note(stack, logicalId, result.physicalId, Type, 'CREATE_COMPLETE', context);
    }
    for (const [output, { Value, Description, Condition, Export }] of Object.entries(
      template.Outputs ?? {},
    )) {
      if (Condition !== undefined && !scope.condition(Condition)) continue;
      current = `Output ${output}`;
      const exportName = Export === undefined ? undefined : asText(resolve(Export.Name, scope));
      const other = exportName === undefined ? undefined : exportsOf(stacks).get(exportName);
      if (other !== undefined)
        throw new Error(`Export ${exportName} is exported by stack ${other.stack.name} already`);
      stack.outputs.set(output, {
        value: asText(resolve(Value, scope)),
        description: Description,
        exportName,
      });
    }
  } catch (error) {
    const reason = `${current}: ${messageOf(error)}`;
    const left = await undo(stack, reason, parts);
    throw new DeploymentError(
      [
        `Stack ${name} was not created. ${reason}`,
        ...left.map((fault) => `It could not be removed again: ${fault}`),
      ],
      error,
    );
  }
  noteStack(stack, 'CREATE_COMPLETE', context);
  return stack;
}

/** Removes what a failed creation made; gives back what could not be removed. */
async function undo(stack: Stack, reason: string, parts: DeploymentParts): Promise<readonly string[]> {
  noteStack(stack, 'ROLLBACK_IN_PROGRESS', parts.context, reason);
  stack.outputs.clear();
  stack.imports.clear();
  const faults = await removeResources(stack, false, parts);
  noteStack(stack, faults.length === 0 ? 'ROLLBACK_COMPLETE' : 'ROLLBACK_FAILED', parts.context, reason);
  return faults;
}

/** Removes a stack's resources, the last one first. What its template retains stays. */
export async function deleteStack(stack: Stack, parts: DeploymentParts): Promise<void> {
  if (stack.status.endsWith('_IN_PROGRESS')) {
    throw new ServiceError(
      'ValidationError',
      `Stack [${stack.name}] is in ${stack.status} and cannot be deleted now`,
    );
  }
  for (const { exportName } of stack.outputs.values()) {
    const user = [...parts.stacks.values()].find(({ imports }) => imports.has(exportName ?? ''));
    if (user === undefined) continue;
    throw new ServiceError(
      'ValidationError',
      `Export ${exportName} cannot be deleted as it is in use by ${user.name}`,
    );
  }
  noteStack(stack, 'DELETE_IN_PROGRESS', parts.context, 'User Initiated');
  const faults = await removeResources(stack, true, parts);
  if (faults.length > 0) {
    noteStack(stack, 'DELETE_FAILED', parts.context, faults.join('; '));
    throw new DeploymentError(faults.map((fault) => `Stack ${stack.name} was not deleted. ${fault}`));
  }
  noteStack(stack, 'DELETE_COMPLETE', parts.context);
  parts.stacks.delete(stack.name);
}

async function removeResources(
  stack: Stack,
  retain: boolean,
  parts: DeploymentParts,
): Promise<readonly string[]> {
  const { context } = parts;
  const faults: string[] = [];
  for (const resource of [...stack.resources.values()].reverse()) {
    const { logicalId, type, made, properties } = resource;
    const set = (status: ResourceStatus, reason?: string) => {
      resource.status = status;
      resource.changedAt = context.clock.now();
      note(stack, logicalId, made.physicalId, type, status, context, reason);
    };
    if (retain && resource.retained) {
      set('DELETE_SKIPPED');
      stack.resources.delete(logicalId);
      continue;
    }
    set('DELETE_IN_PROGRESS');
    try {
      await providers[type]!.delete(made, properties, providerContext(stack, logicalId, parts));
      set('DELETE_COMPLETE');
      stack.resources.delete(logicalId);
    } catch (error) {
      // The others are removed all the same; this one is reported.
      set('DELETE_FAILED', messageOf(error));
      faults.push(`${logicalId} (${type}): ${messageOf(error)}`);
    }
  }
  return faults;
}

/** What stacks export, by name. */
export function exportsOf(stacks: ReadonlyMap<string, Stack>) {
  const found = new Map<string, { readonly stack: Stack; readonly value: string }>();
  for (const stack of stacks.values()) {
    for (const { value, exportName } of stack.outputs.values()) {
      if (exportName !== undefined) found.set(exportName, { stack, value });
    }
  }
  return found;
}

function provideAssets(assembly: CloudAssembly, context: ModelContext, services: DeploymentServices): void {
  const place = (text: string) =>
    substitute(text, (name) => {
      if (name === 'AWS::AccountId') return context.account;
      if (name === 'AWS::Region') return context.region;
      return name === 'AWS::Partition' ? 'aws' : name;
    });
  for (const { bucket, key, path, packaging } of assembly.assets) {
    if (packaging === 'zip') services.lambda.provideCode(place(bucket), place(key), path);
  }
}

function providerContext(stack: Stack, logicalId: string, parts: DeploymentParts): ProviderContext {
  const { context, services, iam } = parts;
  return {
    context,
    services,
    iam,
    stackName: stack.name,
    logicalId,
    name: (limit, suffix) => physicalName(context.random, stack.name, logicalId, limit, suffix),
    warn: (message) => stack.warnings.push(`${logicalId}: ${message}`),
  };
}

function note(
  stack: Stack,
  logicalId: string,
  physicalId: string,
  type: string,
  status: ResourceStatus,
  context: ModelContext,
  reason?: string,
): void {
  const id = uuid(context.random);
  stack.events.push({ id, at: context.clock.now(), logicalId, physicalId, type, status, reason });
}

function noteStack(stack: Stack, status: StackStatus, context: ModelContext, reason?: string): void {
  stack.status = status;
  stack.reason = reason;
  note(stack, stack.name, stack.id, 'AWS::CloudFormation::Stack', status, context, reason);
}

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.name === 'Error' ? error.message : `${error.name}: ${error.message}`;
};
