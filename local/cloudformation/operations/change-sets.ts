import type {
  CreateChangeSetCommandInput,
  DeleteChangeSetCommandInput,
  DescribeChangeSetCommandInput,
  ExecuteChangeSetCommandInput,
  ListChangeSetsCommandInput,
} from '@aws-sdk/client-cloudformation';
import { ServiceError } from '../../service.ts';
import type { ChangeSet } from '../change-set.ts';
import { carryOut, makeChangeSet } from '../changes.ts';
import { dateOf, describeParameters } from '../describe.ts';
import { describeChange } from '../describe-changes.ts';
import { beginOperation, noteStack } from '../events.ts';
import { emptyStack, supervise } from '../operate.ts';
import { pageOf } from '../pages.ts';
import { demandName, readRequest } from '../request.ts';
import type { Stack } from '../stacks.ts';
import { demandChangeable, demandUpdatable, findStack, getLiveStack, isBusy } from '../states.ts';
import type { DeploymentParts } from '../target.ts';

/** Actions on change sets. */
export function changeSetOperations(parts: DeploymentParts) {
  const { context, store } = parts;

  const find = (stackName: string | undefined, name: string | undefined) => {
    const stacks = stackName === undefined ? [...store.live.values()] : [findStack(store, stackName)];
    for (const stack of stacks) {
      for (const changeSet of stack?.changeSets.values() ?? []) {
        if (changeSet.id === name || (stackName !== undefined && changeSet.name === name))
          return { stack: stack as Stack, changeSet };
      }
    }
    return undefined;
  };
  const get = (stackName: string | undefined, name: string | undefined) => {
    if (stackName !== undefined) getLiveStack(store, stackName);
    const found = find(stackName, name);
    if (found !== undefined) return found;
    throw new ServiceError('ChangeSetNotFoundException', `ChangeSet [${name}] does not exist`);
  };

  /** The stack that a change set is made for: the one that is there, or a new one that waits for it. */
  const stackFor = (input: CreateChangeSetCommandInput): Stack => {
    const existing = findStack(store, input.StackName);
    if (input.ChangeSetType !== 'CREATE') {
      const stack = getLiveStack(store, input.StackName);
      demandChangeable(stack);
      return stack;
    }
    if (existing === undefined) return emptyStack(demandName(input.StackName, 'stackName'), parts);
    if (existing.status === 'REVIEW_IN_PROGRESS') return existing;
    throw new ServiceError(
      'ValidationError',
      isBusy(existing)
        ? `Stack:${existing.id} is in ${existing.status} state and can not be updated.`
        : `Stack [${existing.name}] already exists and cannot be created again with the changeSet [${input.ChangeSetName}].`,
    );
  };

  return {
    async CreateChangeSet(input: CreateChangeSetCommandInput) {
      const name = demandName(input.ChangeSetName, 'changeSetName');
      demandSupported(input);
      const checked = await readRequest(stackFor(input), input, parts);
      // Others may have come meanwhile: from here on nobody can.
      const stack = stackFor(input);
      const same = find(stack.name, name)?.changeSet;
      if (same !== undefined && !same.execution.startsWith('EXECUTE_'))
        throw new ServiceError('AlreadyExistsException', `ChangeSet ${name} already exists`);
      // One that was executed is history, and its name is free.
      if (same !== undefined) stack.changeSets.delete(same.id);
      const request = {
        name,
        kind: input.ChangeSetType === 'CREATE' ? ('CREATE' as const) : ('UPDATE' as const),
        description: input.Description,
        onFailure: input.OnStackFailure,
        token: input.ClientToken,
      };
      const changeSet = makeChangeSet(stack, request, checked, parts);
      if (changeSet.plan.refusal !== undefined) {
        stack.changeSets.delete(changeSet.id);
        throw new ServiceError('ValidationError', changeSet.plan.refusal);
      }
      if (!store.live.has(stack.name)) {
        store.live.set(stack.name, stack);
        beginOperation(stack, context, input.ClientToken);
        noteStack(stack, 'REVIEW_IN_PROGRESS', context, 'User Initiated');
      }
      return { Id: changeSet.id, StackId: stack.id };
    },

    DescribeChangeSet(input: DescribeChangeSetCommandInput) {
      const { stack, changeSet } = get(input.StackName, input.ChangeSetName);
      const { target, plan } = changeSet;
      const { page, NextToken } = pageOf(plan.changes, input.NextToken);
      const withValues = input.IncludePropertyValues === true;
      return {
        ...summarize(stack, changeSet),
        Parameters: describeParameters(target.parameters),
        NotificationARNs: [...target.settings.notificationArns],
        RollbackConfiguration: target.settings.rollbackConfiguration ?? {},
        Capabilities: [...target.settings.capabilities],
        Tags: [...target.settings.tags],
        DeploymentConfig: target.settings.deploymentConfig,
        OnStackFailure: changeSet.onFailure,
        Changes: page.map((change) => describeChange(change, stack, target, plan.changes, withValues)),
        NextToken,
      };
    },

    ListChangeSets(input: ListChangeSetsCommandInput) {
      const stack = getLiveStack(store, input.StackName);
      const { page, NextToken } = pageOf([...stack.changeSets.values()], input.NextToken);
      return { Summaries: page.map((changeSet) => summarize(stack, changeSet)), NextToken };
    },

    DeleteChangeSet(input: DeleteChangeSetCommandInput) {
      if (input.StackName !== undefined) getLiveStack(store, input.StackName);
      const found = find(input.StackName, input.ChangeSetName);
      // As on AWS: a change set that is not there is deleted already.
      if (found === undefined) return {};
      const { stack, changeSet } = found;
      if (changeSet.execution === 'EXECUTE_IN_PROGRESS')
        // The CDK's command meets this first when it deploys what another one is deploying.
        throw wrongStatus(
          changeSet,
          'deleted',
          ` Stack ${stack.name} is in ${stack.status} state: another deployment of it goes on.`,
        );
      stack.changeSets.delete(changeSet.id);
      return {};
    },

    async ExecuteChangeSet(input: ExecuteChangeSetCommandInput) {
      const { stack, changeSet } = get(input.StackName, input.ChangeSetName);
      if (changeSet.execution !== 'AVAILABLE') throw wrongStatus(changeSet, 'executed');
      const disableRollback = input.DisableRollback === true || changeSet.onFailure === 'DO_NOTHING';
      if (changeSet.kind === 'UPDATE') demandUpdatable(stack, disableRollback);
      else if (stack.status !== 'REVIEW_IN_PROGRESS') throw wrongStatus(changeSet, 'executed');
      beginOperation(stack, context, input.ClientRequestToken);
      const options = {
        onFailure: disableRollback ? ('DO_NOTHING' as const) : (changeSet.onFailure ?? ('ROLLBACK' as const)),
        retainExceptOnCreate: input.RetainExceptOnCreate === true,
      };
      await supervise(stack, carryOut(stack, changeSet, options, parts), context);
      return {};
    },
  };
}

const summarize = (stack: Stack, changeSet: ChangeSet) => ({
  ChangeSetName: changeSet.name,
  ChangeSetId: changeSet.id,
  StackId: stack.id,
  StackName: stack.name,
  Description: changeSet.description,
  CreationTime: dateOf(changeSet.createdAt),
  Status: changeSet.status,
  StatusReason: changeSet.reason,
  ExecutionStatus: changeSet.execution,
  IncludeNestedStacks: false,
});

const wrongStatus = (changeSet: ChangeSet, verb: string, more = ''): ServiceError =>
  new ServiceError(
    'InvalidChangeSetStatusException',
    `ChangeSet [${changeSet.id}] cannot be ${verb} in its current status of [${changeSet.status}], execution status [${changeSet.execution}]${more === '' ? '' : `.${more}`}`,
  );

/**
 * What a change set can be asked for on AWS and not here. ImportExistingResources is taken, as `cdk bootstrap` sends it:
 * a resource that exists already fails to be created then, by its name.
 */
function demandSupported(input: CreateChangeSetCommandInput): void {
  const refused =
    input.ChangeSetType === 'IMPORT' || (input.ResourcesToImport ?? []).length > 0
      ? 'imports no resources into stacks'
      : input.DeploymentMode === 'REVERT_DRIFT'
        ? 'detects no drift, so it reverts none: deploy without --revert-drift (DeploymentMode REVERT_DRIFT)'
        : undefined;
  if (refused !== undefined)
    throw new ServiceError('ValidationError', `The model of CloudFormation ${refused}.`);
}
