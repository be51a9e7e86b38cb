import { messageOf, noteResource, noteStack } from './events.ts';
import type { Journal, Stack, StackResource, Step } from './stacks.ts';
import type { DeploymentParts } from './target.ts';
import { removeResource, updateResource } from './work.ts';

/** How a rollback treats what the failed operation made. */
export interface RollbackOptions {
  /** Why, as the stack's status says it. */
  readonly reason: string;
  /** Removes what was made also when its template retains it. */
  readonly retainExceptOnCreate: boolean;
}

const isKept = (resource: StackResource, { retainExceptOnCreate }: RollbackOptions): boolean =>
  !retainExceptOnCreate && resource.definition.DeletionPolicy === 'Retain';

/** Removes what a failed creation made, the last made first; gives back what could not be removed. */
export async function rollBackCreation(
  stack: Stack,
  options: RollbackOptions,
  parts: DeploymentParts,
): Promise<readonly string[]> {
  const { context } = parts;
  noteStack(stack, 'ROLLBACK_IN_PROGRESS', context, options.reason);
  stack.state = { ...stack.state, outputs: new Map(), imports: new Set() };
  const faults: string[] = [];
  const left = [...stack.resources.values(), ...supersededBy(stack)];
  for (const resource of left.reverse()) {
    const fault = await removeResource(stack, resource, isKept(resource, options), parts);
    if (fault === undefined) forget(stack, resource);
    else faults.push(`${resource.logicalId} (${resource.type}): ${fault}`);
  }
  if (faults.length === 0) {
    stack.journal = undefined;
    noteStack(stack, 'ROLLBACK_COMPLETE', context);
  } else {
    const names = [...stack.resources.keys()].join(', ');
    noteStack(stack, 'ROLLBACK_FAILED', context, `The following resource(s) failed to delete: [${names}].`);
  }
  return faults;
}

/** A resource that is superseded was removed. */
export function forget({ journal }: Stack, resource: StackResource): void {
  if (journal === undefined) return;
  journal.doomed = journal.doomed.filter((other) => other !== resource);
  journal.steps = journal.steps.filter((step) => step.kind !== 'replaced' || step.before !== resource);
}

/** What was replaced, or was to be removed already, and is not among the stack's resources any more. */
export function supersededBy(stack: Stack): readonly StackResource[] {
  const { journal } = stack;
  if (journal === undefined) return [];
  const current = new Set(
    [...stack.resources.values()].map(({ type, made }) => `${type} ${made.physicalId}`),
  );
  const replaced = journal.steps.flatMap((step) => (step.kind === 'replaced' ? [step.before] : []));
  return [...replaced, ...journal.doomed].filter(
    ({ type, made }) => !current.has(`${type} ${made.physicalId}`),
  );
}

/**
 * Takes an update back, the last step first: what was changed is changed back, what was replaced is put back, and then
 * what was made is removed. What fails is kept, so that the rollback can be continued.
 *
 * @param skip - logical ids that are left as they are
 * @returns what could not be taken back
 */
export async function rollBackUpdate(
  stack: Stack,
  options: RollbackOptions & { readonly skip?: ReadonlySet<string>; readonly force?: boolean },
  parts: DeploymentParts,
): Promise<readonly string[]> {
  const { context } = parts;
  const { journal } = stack;
  if (journal === undefined) throw new Error(`Stack ${stack.name} has nothing to roll back`);
  noteStack(stack, 'UPDATE_ROLLBACK_IN_PROGRESS', context, options.reason);
  const failed: { readonly step: Step; readonly text: string; readonly logicalId: string }[] = [];
  for (const step of journal.steps.toReversed()) {
    try {
      await takeBack(stack, journal, step, options.skip ?? new Set(), parts);
    } catch (error) {
      const resource = step.kind === 'created' ? step.resource : step.before;
      const current = stack.resources.get(resource.logicalId) ?? resource;
      const skipped = options.force === true;
      const noted = skipped
        ? noteResource(
            stack,
            step.kind === 'created' ? resource : step.before,
            'UPDATE_COMPLETE',
            context,
            skippedReason,
          )
        : noteResource(stack, current, 'UPDATE_FAILED', context, messageOf(error));
      stack.resources.set(resource.logicalId, noted);
      if (skipped) continue;
      const text = `${resource.logicalId} (${resource.type}): ${messageOf(error)}`;
      failed.push({ step, text, logicalId: resource.logicalId });
    }
  }
  journal.steps = failed.map(({ step }) => step).reverse();
  if (failed.length > 0) {
    const names = failed.map(({ logicalId }) => logicalId).join(', ');
    const reason = `The following resource(s) failed to update: [${names}].`;
    noteStack(stack, 'UPDATE_ROLLBACK_FAILED', context, reason);
    return failed.map(({ text }) => text);
  }
  noteStack(stack, 'UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS', context);
  for (const resource of journal.doomed)
    await removeResource(stack, resource, isKept(resource, options), parts);
  stack.resources = new Map(
    [...journal.resources.keys()].flatMap((logicalId) => {
      const resource = stack.resources.get(logicalId);
      return resource === undefined ? [] : [[logicalId, resource] as const];
    }),
  );
  stack.state = journal.state;
  stack.journal = undefined;
  noteStack(stack, 'UPDATE_ROLLBACK_COMPLETE', context);
  return [];
}

/** CloudFormation's words for a resource that a continued rollback leaves as it is. */
const skippedReason = 'Resource skipped during UpdateRollback';

async function takeBack(
  stack: Stack,
  journal: Journal,
  step: Step,
  skip: ReadonlySet<string>,
  parts: DeploymentParts,
): Promise<void> {
  const { context } = parts;
  switch (step.kind) {
    case 'created':
      journal.doomed.push(step.resource);
      return;
    case 'replaced':
      if (step.after.made.physicalId !== step.before.made.physicalId) journal.doomed.push(step.after);
      stack.resources.set(
        step.before.logicalId,
        noteResource(stack, step.before, 'UPDATE_COMPLETE', context),
      );
      return;
    case 'updated': {
      const { before, after } = step;
      if (after === undefined) {
        stack.resources.set(before.logicalId, before);
        return;
      }
      if (skip.has(before.logicalId)) {
        stack.resources.set(
          before.logicalId,
          noteResource(stack, before, 'UPDATE_COMPLETE', context, skippedReason),
        );
        return;
      }
      const current = stack.resources.get(before.logicalId) ?? before;
      const changed = { ...current, properties: after };
      noteResource(stack, before, 'UPDATE_IN_PROGRESS', context);
      const made = await updateResource(stack, changed, before.properties, parts);
      stack.resources.set(
        before.logicalId,
        noteResource(stack, { ...before, made }, 'UPDATE_COMPLETE', context),
      );
    }
  }
}
