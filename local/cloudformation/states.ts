import { ServiceError } from '../service.ts';
import { importersOf, type Stack, type StackStatus, type StackStore } from './stacks.ts';

/** Where a stack takes an update from. */
const stable: readonly StackStatus[] = [
  'CREATE_COMPLETE',
  'IMPORT_COMPLETE',
  'IMPORT_ROLLBACK_COMPLETE',
  'UPDATE_COMPLETE',
  'UPDATE_ROLLBACK_COMPLETE',
];

/** Where a stack stands whose operation failed and was left as it is. */
const paused: readonly StackStatus[] = ['CREATE_FAILED', 'UPDATE_FAILED'];

/** Whether an operation is under way; a stack that waits for its first change set is not. */
export const isBusy = ({ status }: Stack): boolean =>
  status.endsWith('_IN_PROGRESS') && status !== 'REVIEW_IN_PROGRESS';

/** @throws ServiceError ValidationError when a change set to update the stack cannot be made now */
export function demandChangeable(stack: Stack): void {
  if (stable.includes(stack.status) || paused.includes(stack.status)) return;
  throw new ServiceError(
    'ValidationError',
    `Stack:${stack.id} is in ${stack.status} state and can not be updated.`,
  );
}

/** @throws ServiceError ValidationError when the stack cannot be updated now */
export function demandUpdatable(stack: Stack, disableRollback: boolean): void {
  demandChangeable(stack);
  if (!paused.includes(stack.status) || disableRollback) return;
  throw new ServiceError(
    'ValidationError',
    `This stack is currently in a non-terminal [${stack.status}] state. To update the stack from this state, please use the disable-rollback parameter with update-stack API. To rollback to the last known good state, use the rollback-stack API`,
  );
}

/** @throws ServiceError ValidationError when the stack cannot be deleted now */
export function demandDeletable(stack: Stack, store: StackStore): void {
  if (isBusy(stack))
    throw new ServiceError(
      'ValidationError',
      `Stack [${stack.name}] cannot be deleted while in status ${stack.status}`,
    );
  if (stack.terminationProtection)
    throw new ServiceError(
      'ValidationError',
      `Stack [${stack.name}] cannot be deleted while TerminationProtection is enabled`,
    );
  for (const { exportName } of stack.state.outputs.values()) {
    if (exportName === undefined) continue;
    const user = importersOf(store, exportName).find((other) => other !== stack);
    if (user === undefined) continue;
    throw new ServiceError(
      'ValidationError',
      `Export ${exportName} cannot be deleted as it is in use by ${user.name}`,
    );
  }
}

/** The stack of a name or an ARN; one that was deleted by its ARN alone. */
export function findStack(store: StackStore, name: string | undefined): Stack | undefined {
  if (name === undefined) return undefined;
  const live = store.live.get(name);
  if (live !== undefined || !name.startsWith('arn:')) return live;
  return store.deleted.get(name) ?? [...store.live.values()].find(({ id }) => id === name);
}

/** @throws ServiceError ValidationError when there is no such stack */
export function getStack(
  store: StackStore,
  name: string | undefined,
  message = `Stack with id ${name} does not exist`,
): Stack {
  const found = findStack(store, name);
  if (found !== undefined) return found;
  throw new ServiceError('ValidationError', message);
}

/** The same, of stacks that were not deleted. */
export function getLiveStack(store: StackStore, name: string | undefined): Stack {
  const found = findStack(store, name);
  if (found !== undefined && found.status !== 'DELETE_COMPLETE') return found;
  throw new ServiceError('ValidationError', `Stack [${name}] does not exist`);
}
