import { messageOf, note, noteResource } from './events.ts';
import {
  type Made,
  type Properties,
  type ProviderContext,
  physicalName,
  type ResourceProvider,
} from './provider.ts';
import type { Stack, StackResource } from './stacks.ts';
import type { DeploymentParts } from './target.ts';
import type { TemplateResource } from './template.ts';

/** How a resource's type is made; what has none never got into a stack. */
export const providerOf = (type: string, { providers }: DeploymentParts): ResourceProvider => {
  const provider = providers[type];
  if (provider === undefined) throw new Error(`The model does not have the type of resource ${type}`);
  return provider;
};

/** What a provider is given. */
function contextOf(
  stack: Stack,
  { logicalId, type }: { readonly logicalId: string; readonly type: string },
  parts: DeploymentParts,
): ProviderContext {
  const { context, services, iam } = parts;
  return {
    context,
    services,
    iam,
    stackName: stack.name,
    logicalId,
    name: (limit, suffix) => physicalName(context.random, stack.name, logicalId, limit, suffix),
    others: () =>
      [...stack.resources.values()].filter((other) => other.type === type && other.logicalId !== logicalId),
    warn: (message) => stack.warnings.push(`${logicalId}: ${message}`),
  };
}

/** Makes a resource. */
export async function makeResource(
  stack: Stack,
  logicalId: string,
  definition: TemplateResource,
  properties: Properties,
  parts: DeploymentParts,
): Promise<Made> {
  const type = definition.Type;
  return providerOf(type, parts).create(properties, contextOf(stack, { logicalId, type }, parts));
}

/** Changes a resource in place. */
export async function updateResource(
  stack: Stack,
  resource: StackResource,
  after: Properties,
  parts: DeploymentParts,
): Promise<Made> {
  const provider = providerOf(resource.type, parts);
  if (provider.update === undefined) throw new Error(`${resource.type} cannot be changed in place`);
  const call = contextOf(stack, resource, parts);
  return provider.update(resource.made, resource.properties, after, call);
}

/**
 * Removes a resource and writes that down; gives back what went wrong, if anything. It no longer belongs to the stack
 * then, unless another has its logical id by now.
 */
export async function removeResource(
  stack: Stack,
  resource: StackResource,
  isKept: boolean,
  parts: DeploymentParts,
): Promise<string | undefined> {
  const { logicalId, type, made, properties } = resource;
  const isCurrent = stack.resources.get(logicalId)?.made === made;
  const set = (next: StackResource) => isCurrent && stack.resources.set(logicalId, next);
  if (isKept) {
    noteResource(stack, resource, 'DELETE_SKIPPED', parts.context);
    if (isCurrent) stack.resources.delete(logicalId);
    return undefined;
  }
  set(noteResource(stack, resource, 'DELETE_IN_PROGRESS', parts.context));
  try {
    await providerOf(type, parts).delete(made, properties, contextOf(stack, resource, parts));
  } catch (error) {
    // The others are removed all the same; this one is reported.
    set(noteResource(stack, resource, 'DELETE_FAILED', parts.context, messageOf(error)));
    return messageOf(error);
  }
  noteResource(stack, resource, 'DELETE_COMPLETE', parts.context);
  if (isCurrent) stack.resources.delete(logicalId);
  return undefined;
}

/** Writes down that work on a resource begins that has no physical id yet. */
export const noteBeginning = (stack: Stack, logicalId: string, type: string, parts: DeploymentParts): void =>
  note(stack, { logicalId, type, physicalId: '' }, 'CREATE_IN_PROGRESS', parts.context);
