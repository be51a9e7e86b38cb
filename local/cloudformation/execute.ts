import { compare, nameConflict } from './compare.ts';
import { messageOf, note, noteResource, noteStack } from './events.ts';
import { resolve, type Scope } from './intrinsics.ts';
import { outputsOf } from './outputs.ts';
import type { Properties } from './provider.ts';
import { createScope } from './scope.ts';
import { exportsOf, isRetained, type Journal, type Stack, type StackResource, type Step } from './stacks.ts';
import type { DeploymentParts, Target } from './target.ts';
import { makeResource, noteBeginning, providerOf, removeResource, updateResource } from './work.ts';

/** Where an operation ended that did not reach its target. */
export interface Failure {
  /** `Queue (AWS::SQS::Queue): CreateQueue fails`. */
  readonly text: string;
  /** What the stack's status says, as AWS does. */
  readonly reason: string;
  readonly cause: unknown;
}

/**
 * Brings a stack to its target: each resource after what it needs, each judged by its real values. What is done is in
 * the stack's journal, by which it can be taken back.
 */
export async function reach(
  stack: Stack,
  target: Target,
  parts: DeploymentParts,
): Promise<Failure | undefined> {
  const { context, store } = parts;
  const { template } = target.source;
  const journal: Journal = stack.journal ?? {
    isCreation: stack.status === 'CREATE_IN_PROGRESS',
    state: stack.state,
    resources: new Map(stack.resources),
    steps: [],
    doomed: [],
  };
  stack.journal = journal;
  const imports = new Set<string>();
  // Until the end it holds on to what it imported before, too: both are in use.
  const held = new Set(stack.state.imports);
  stack.state = { ...target, outputs: stack.state.outputs, imports: held };
  stack.warnings = [...target.warnings];
  const scope = createScope(
    template,
    stack,
    context,
    target.parameters,
    (logicalId) => (target.wanted.has(logicalId) ? stack.resources.get(logicalId)?.made : undefined),
    (name) => {
      imports.add(name);
      held.add(name);
      return exportsOf(store).get(name)?.value;
    },
  );
  let where: { readonly logicalId: string; readonly verb: string } | undefined;
  try {
    for (const logicalId of target.order) {
      const existing = stack.resources.get(logicalId);
      where = { logicalId, verb: existing === undefined ? 'create' : 'update' };
      await bring(stack, journal, logicalId, target, scope, parts);
      where = undefined;
      if (stack.cancelled) throw new Error('The update was cancelled.');
    }
    const outputs = outputsOf(stack, template, journal.state.outputs, scope, parts);
    stack.state = { ...stack.state, outputs, imports };
  } catch (error) {
    if (where === undefined) return { text: messageOf(error), reason: messageOf(error), cause: error };
    const { logicalId, verb } = where;
    return {
      text: `${logicalId} (${template.Resources?.[logicalId]?.Type}): ${messageOf(error)}`,
      reason: `The following resource(s) failed to ${verb}: [${logicalId}].`,
      cause: error,
    };
  }
  return undefined;
}

async function bring(
  stack: Stack,
  journal: Journal,
  logicalId: string,
  target: Target,
  scope: Scope,
  parts: DeploymentParts,
): Promise<void> {
  const { context } = parts;
  const definition = target.source.template.Resources![logicalId]!;
  const type = definition.Type;
  const existing = stack.resources.get(logicalId);
  if (existing === undefined) {
    noteBeginning(stack, logicalId, type, parts);
    try {
      const properties = resolve(definition.Properties ?? {}, scope) as Properties;
      const made = await makeResource(stack, logicalId, definition, properties, parts);
      const resource = fresh({ logicalId, type, definition, properties, made });
      journal.steps.push({ kind: 'created', resource });
      stack.resources.set(logicalId, noteResource(stack, resource, 'CREATE_COMPLETE', context));
    } catch (error) {
      const failed = { logicalId, type, physicalId: '' };
      note(stack, failed, 'CREATE_FAILED', context, messageOf(error));
      throw error;
    }
    return;
  }
  try {
    const properties = resolve(definition.Properties ?? {}, scope) as Properties;
    await change(stack, journal, existing, { ...existing, definition, properties }, parts);
  } catch (error) {
    const current = stack.resources.get(logicalId) ?? existing;
    const failed = noteResource(stack, current, 'UPDATE_FAILED', context, messageOf(error));
    stack.resources.set(logicalId, failed);
    throw error;
  }
}

/** Leaves a resource, writes down what is new about it, changes it in place, or makes another in its place. */
async function change(
  stack: Stack,
  journal: Journal,
  existing: StackResource,
  wanted: StackResource,
  parts: DeploymentParts,
): Promise<void> {
  const { context } = parts;
  const { logicalId, type } = existing;
  const provider = providerOf(type, parts);
  const before = await leadBack(stack, journal, existing, parts);
  const after = { ...wanted, made: before.made };
  const { changed, replacing, effective } = compare(provider, before.properties, after.properties);
  if (!effective) {
    journal.steps.push({ kind: 'updated', before, after: undefined });
    const isQuiet = changed.length === 0 && existing.status !== 'UPDATE_FAILED';
    stack.resources.set(logicalId, isQuiet ? after : noteUpdate(stack, after, parts));
    return;
  }
  if (replacing.length > 0) {
    const conflict = nameConflict(provider, before.properties, after.properties);
    if (conflict !== undefined) throw new Error(conflict);
    const reason = 'Requested update requires the creation of a new physical resource; hence creating one.';
    noteResource(stack, before, 'UPDATE_IN_PROGRESS', context, reason);
    const made = await makeResource(stack, logicalId, after.definition, after.properties, parts);
    const next = fresh({ ...after, made });
    journal.steps.push({ kind: 'replaced', before, after: next });
    stack.resources.set(logicalId, noteResource(stack, next, 'UPDATE_COMPLETE', context));
    return;
  }
  stack.resources.set(logicalId, noteResource(stack, before, 'UPDATE_IN_PROGRESS', context));
  // Written down first: an update that fails half way has to be led back too.
  journal.steps.push({ kind: 'updated', before, after: after.properties });
  const made = await updateResource(stack, before, after.properties, parts);
  stack.resources.set(logicalId, noteResource(stack, { ...after, made }, 'UPDATE_COMPLETE', context));
}

/** What an earlier update of it left half done is taken back first: only then is it known what the resource is. */
async function leadBack(
  stack: Stack,
  journal: Journal,
  resource: StackResource,
  parts: DeploymentParts,
): Promise<StackResource> {
  if (resource.status !== 'UPDATE_FAILED') return resource;
  const isOf = (step: Step) => step.kind === 'updated' && step.before.logicalId === resource.logicalId;
  const step = journal.steps.findLast(isOf);
  if (step?.kind !== 'updated' || step.after === undefined) return resource;
  const half = { ...resource, properties: step.after };
  const made = await updateResource(stack, half, step.before.properties, parts);
  journal.steps = journal.steps.filter((other) => other !== step);
  return { ...resource, properties: step.before.properties, made };
}

function noteUpdate(stack: Stack, resource: StackResource, parts: DeploymentParts): StackResource {
  noteResource(stack, resource, 'UPDATE_IN_PROGRESS', parts.context);
  return noteResource(stack, resource, 'UPDATE_COMPLETE', parts.context);
}

const fresh = (resource: Omit<StackResource, 'status' | 'reason' | 'changedAt'>): StackResource => ({
  ...resource,
  status: 'CREATE_IN_PROGRESS',
  reason: undefined,
  changedAt: 0 as StackResource['changedAt'],
});

/**
 * Removes what an update that succeeded left over, the last made first: what the template no longer has, and what was
 * replaced. What cannot be removed is left, as AWS does.
 */
export async function cleanUp(stack: Stack, target: Target, parts: DeploymentParts): Promise<void> {
  const { journal } = stack;
  noteStack(stack, 'UPDATE_COMPLETE_CLEANUP_IN_PROGRESS', parts.context);
  const before = [...(journal?.resources.keys() ?? [])];
  const removed = [...stack.resources.values()].filter(({ logicalId }) => !target.wanted.has(logicalId));
  const replaced = (journal?.steps ?? []).flatMap((step) => {
    if (step.kind !== 'replaced') return [];
    // The new one may stand where the old one stood.
    const current = stack.resources.get(step.before.logicalId)?.made.physicalId;
    if (current === step.before.made.physicalId) return [];
    return [{ resource: step.before, isKept: isRetained(step.after.definition.UpdateReplacePolicy) }];
  });
  const leftovers = [
    ...removed.map((resource) => ({ resource, isKept: isRetained(resource.definition.DeletionPolicy) })),
    ...replaced,
  ];
  const place = ({ resource }: { resource: StackResource }) => before.indexOf(resource.logicalId);
  leftovers.sort((left, right) => place(right) - place(left));
  for (const { resource, isKept } of leftovers) {
    await removeResource(stack, resource, isKept, parts);
  }
  stack.resources = ordered(stack, target);
}

/** The resources in the order of the template, by which they are removed one day. */
export const ordered = (stack: Stack, target: Target): Map<string, StackResource> =>
  new Map(
    target.order.flatMap((logicalId) => {
      const resource = stack.resources.get(logicalId);
      return resource === undefined ? [] : [[logicalId, resource] as const];
    }),
  );
