import { noteStack } from './events.ts';
import { forget, supersededBy } from './rollback.ts';
import { isRetained, type Stack } from './stacks.ts';
import type { DeploymentParts } from './target.ts';
import { removeResource } from './work.ts';

/** How a stack is deleted. */
export interface DeletionOptions {
  /** Logical ids that are left. */
  readonly retain?: ReadonlySet<string>;
  /** Leaves what cannot be removed. */
  readonly force?: boolean;
}

/**
 * Removes a stack's resources, the last one first, and the stack; what its template retains stays. What cannot be
 * removed is kept, and the stack with it: it can be deleted again.
 *
 * @returns what could not be removed
 */
export async function deleteStack(
  stack: Stack,
  options: DeletionOptions,
  parts: DeploymentParts,
): Promise<readonly string[]> {
  const { context, store } = parts;
  noteStack(stack, 'DELETE_IN_PROGRESS', context, 'User Initiated');
  const faults: string[] = [];
  const left: string[] = [];
  for (const resource of [...supersededBy(stack), ...stack.resources.values()].reverse()) {
    const { logicalId, type, definition } = resource;
    const isKept = isRetained(definition.DeletionPolicy) || options.retain?.has(logicalId) === true;
    const fault = await removeResource(stack, resource, isKept, parts);
    if (fault === undefined) forget(stack, resource);
    if (fault === undefined || options.force === true) continue;
    faults.push(`${logicalId} (${type}): ${fault}`);
    left.push(logicalId);
  }
  if (faults.length > 0) {
    const reason = `The following resource(s) failed to delete: [${left.join(', ')}]. `;
    noteStack(stack, 'DELETE_FAILED', context, reason);
    return faults;
  }
  stack.deletedAt = context.clock.now();
  stack.state = { ...stack.state, outputs: new Map(), imports: new Set() };
  stack.resources.clear();
  stack.journal = undefined;
  stack.changeSets.clear();
  noteStack(stack, 'DELETE_COMPLETE', context);
  store.live.delete(stack.name);
  store.deleted.set(stack.id, stack);
  return [];
}
