import type {
  CancelUpdateStackCommandInput,
  ContinueUpdateRollbackCommandInput,
  CreateStackCommandInput,
  DeleteStackCommandInput,
  RollbackStackCommandInput,
  UpdateStackCommandInput,
  UpdateTerminationProtectionCommandInput,
} from '@aws-sdk/client-cloudformation';
import { ServiceError } from '../../service.ts';
import { noChanges } from '../change-set.ts';
import { carryOut, makeChangeSet } from '../changes.ts';
import { deleteStack } from '../deletion.ts';
import { beginOperation } from '../events.ts';
import { emptyStack, supervise, takeBack } from '../operate.ts';
import { demandName, readRequest } from '../request.ts';
import type { Stack } from '../stacks.ts';
import { demandDeletable, demandUpdatable, findStack, getLiveStack } from '../states.ts';
import type { CheckedTarget, DeploymentParts } from '../target.ts';

/** Actions that make, change and delete stacks. */
export function stackOperations(parts: DeploymentParts) {
  const { context, store } = parts;

  const demandNew = (name: string) => {
    if (store.live.has(name))
      throw new ServiceError('AlreadyExistsException', `Stack [${name}] already exists`);
  };

  /** A change that is made at once: its change set is seen by nobody. */
  const prepare = (stack: Stack, kind: 'CREATE' | 'UPDATE', checked: CheckedTarget) => {
    const changeSet = makeChangeSet(stack, { name: 'direct', kind }, checked, parts);
    stack.changeSets.delete(changeSet.id);
    if (changeSet.reason === noChanges)
      throw new ServiceError('ValidationError', 'No updates are to be performed.');
    if (changeSet.reason !== undefined) throw new ServiceError('ValidationError', changeSet.reason);
    return changeSet;
  };
  const run = async (stack: Stack, work: Promise<unknown>) => {
    await supervise(stack, work, context);
    return { StackId: stack.id };
  };

  return {
    async CreateStack(input: CreateStackCommandInput) {
      const name = demandName(input.StackName, 'stackName');
      demandNew(name);
      if (input.OnFailure !== undefined && input.DisableRollback !== undefined)
        throw new ServiceError(
          'ValidationError',
          'You can specify either OnFailure or DisableRollback, but not both',
        );
      const stack = emptyStack(name, parts);
      const checked = await readRequest(stack, input, parts);
      demandNew(name);
      const changeSet = prepare(stack, 'CREATE', checked);
      stack.terminationProtection = input.EnableTerminationProtection === true;
      store.live.set(name, stack);
      beginOperation(stack, context, input.ClientRequestToken);
      const options = {
        onFailure:
          input.DisableRollback === true
            ? ('DO_NOTHING' as const)
            : (input.OnFailure ?? ('ROLLBACK' as const)),
        retainExceptOnCreate: input.RetainExceptOnCreate === true,
      };
      const work = carryOut(stack, changeSet, options, parts);
      forgetDirect(stack);
      return run(stack, work);
    },

    async UpdateStack(input: UpdateStackCommandInput) {
      const disableRollback = input.DisableRollback === true;
      const find = () => {
        const found = getLiveStack(store, input.StackName);
        demandUpdatable(found, disableRollback);
        return found;
      };
      const checked = await readRequest(find(), input, parts);
      const stack = find();
      const changeSet = prepare(stack, 'UPDATE', checked);
      beginOperation(stack, context, input.ClientRequestToken);
      const options = {
        onFailure: disableRollback ? ('DO_NOTHING' as const) : ('ROLLBACK' as const),
        retainExceptOnCreate: input.RetainExceptOnCreate === true,
      };
      const work = carryOut(stack, changeSet, options, parts);
      forgetDirect(stack);
      return run(stack, work);
    },

    async DeleteStack(input: DeleteStackCommandInput) {
      const stack = findStack(store, input.StackName);
      // As on AWS: a stack that is not there is deleted already.
      if (stack === undefined || stack.status === 'DELETE_COMPLETE') return {};
      demandDeletable(stack, store);
      const retain = input.RetainResources ?? [];
      if (retain.length > 0 && stack.status !== 'DELETE_FAILED')
        throw new ServiceError(
          'ValidationError',
          `Invalid operation on stack [${stack.id}]. Specify RetainResources only when the stack is in DELETE_FAILED, it is in ${stack.status}.`,
        );
      const unknown = retain.filter((logicalId) => !stack.resources.has(logicalId));
      if (unknown.length > 0)
        throw new ServiceError(
          'ValidationError',
          `The following resources to retain do not exist in stack ${stack.name}: [${unknown.join(', ')}]`,
        );
      beginOperation(stack, context, input.ClientRequestToken);
      const force = input.DeletionMode === 'FORCE_DELETE_STACK';
      await supervise(stack, deleteStack(stack, { retain: new Set(retain), force }, parts), context);
      return {};
    },

    async RollbackStack(input: RollbackStackCommandInput) {
      const stack = getLiveStack(store, input.StackName);
      if (stack.status !== 'CREATE_FAILED' && stack.status !== 'UPDATE_FAILED')
        throw new ServiceError(
          'ValidationError',
          `Stack:${stack.id} is in ${stack.status} state and can not be rolled back: only one in CREATE_FAILED or UPDATE_FAILED can.`,
        );
      beginOperation(stack, context, input.ClientRequestToken);
      const retainExceptOnCreate = input.RetainExceptOnCreate === true;
      return run(stack, takeBack(stack, { reason: 'User Initiated', retainExceptOnCreate }, parts));
    },

    async ContinueUpdateRollback(input: ContinueUpdateRollbackCommandInput) {
      const stack = getLiveStack(store, input.StackName);
      if (stack.status !== 'UPDATE_ROLLBACK_FAILED')
        throw new ServiceError(
          'ValidationError',
          `Stack:${stack.id} is in ${stack.status} state and can not continue its rollback: only one in UPDATE_ROLLBACK_FAILED can.`,
        );
      const skip = new Set(input.ResourcesToSkip ?? []);
      const wrong = [...skip].filter((id) => stack.resources.get(id)?.status !== 'UPDATE_FAILED');
      if (wrong.length > 0)
        throw new ServiceError(
          'ValidationError',
          `Only resources that failed to be rolled back can be skipped, these did not: [${wrong.join(', ')}]`,
        );
      const force = input.ForceRollback === true;
      if (force && skip.size > 0)
        throw new ServiceError('ValidationError', 'ForceRollback and ResourcesToSkip are mutually exclusive');
      beginOperation(stack, context, input.ClientRequestToken);
      const options = { reason: 'User Initiated', retainExceptOnCreate: false, skip, force };
      await run(stack, takeBack(stack, options, parts));
      return {};
    },

    CancelUpdateStack(input: CancelUpdateStackCommandInput) {
      const stack = getLiveStack(store, input.StackName);
      if (stack.status !== 'UPDATE_IN_PROGRESS')
        throw new ServiceError(
          'ValidationError',
          `CancelUpdateStack cannot be called from current stack status ${stack.status}`,
        );
      stack.cancelled = true;
      return {};
    },

    UpdateTerminationProtection(input: UpdateTerminationProtectionCommandInput) {
      const stack = getLiveStack(store, input.StackName);
      stack.terminationProtection = input.EnableTerminationProtection === true;
      return { StackId: stack.id };
    },
  };
}

const forgetDirect = (stack: Stack): void => {
  stack.changeSets.clear();
  stack.changeSetId = undefined;
};
