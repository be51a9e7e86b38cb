import type {
  DescribeEventsCommandInput,
  DescribeStackEventsCommandInput,
  ListHookResultsCommandInput,
  OperationEvent,
} from '@aws-sdk/client-cloudformation';
import { ServiceError } from '../../service.ts';
import type { ChangeSet } from '../change-set.ts';
import { dateOf, describeEvent } from '../describe.ts';
import { pageFromEnd, pageOf } from '../pages.ts';
import type { Stack, StackEvent } from '../stacks.ts';
import { findStack, getStack } from '../states.ts';
import type { DeploymentParts } from '../target.ts';

/** Actions that tell what happened, the newest first. */
export function eventOperations({ store }: DeploymentParts) {
  return {
    DescribeStackEvents(input: DescribeStackEventsCommandInput) {
      const stack = getStack(store, input.StackName, `Stack [${input.StackName}] does not exist`);
      const { page, NextToken } = pageFromEnd(stack.events.toReversed(), input.NextToken);
      return { StackEvents: page.map((event) => describeEvent(stack, event)), NextToken };
    },

    DescribeEvents(input: DescribeEventsCommandInput) {
      const onlyFailed = input.Filters?.FailedEvents === true;
      const { stack, changeSet } = subjectOf(input);
      const all =
        changeSet !== undefined
          ? validationEvents(stack, changeSet)
          : stack.events
              .toReversed()
              .filter(
                ({ operationId }) => input.OperationId === undefined || operationId === input.OperationId,
              )
              .filter(({ status }) => !onlyFailed || status.endsWith('_FAILED'))
              .map((event) => operationEvent(stack, event));
      const { page, NextToken } = pageOf(all, input.NextToken);
      return { OperationEvents: page, NextToken };
    },

    /** The model runs no hooks, so none has a result. */
    ListHookResults: ({ TargetId, TargetType }: ListHookResultsCommandInput) => ({
      TargetId,
      TargetType,
      HookResults: [],
    }),
  };

  function subjectOf(input: DescribeEventsCommandInput): { stack: Stack; changeSet?: ChangeSet } {
    const { ChangeSetName, OperationId, StackName } = input;
    const all = [...store.live.values(), ...store.deleted.values()];
    if (ChangeSetName !== undefined) {
      const stacks = StackName === undefined ? all : [findStack(store, StackName)];
      for (const stack of stacks)
        for (const changeSet of stack?.changeSets.values() ?? [])
          if (changeSet.id === ChangeSetName || changeSet.name === ChangeSetName)
            return { stack: stack as Stack, changeSet };
      throw new ServiceError('ChangeSetNotFoundException', `ChangeSet [${ChangeSetName}] does not exist`);
    }
    const byOperation = all.find(({ events }) => events.some((event) => event.operationId === OperationId));
    if (StackName === undefined && byOperation !== undefined) return { stack: byOperation };
    return { stack: getStack(store, StackName) };
  }
}

const operationEvent = (stack: Stack, event: StackEvent): OperationEvent => {
  const { EventId, StackId, ResourceStatus, ...rest } = describeEvent(stack, event);
  return {
    ...rest,
    EventId,
    StackId,
    ResourceStatus,
    EventType: event.physicalId === stack.id ? 'STACK_EVENT' : 'PROGRESS_EVENT',
  };
};

/** What the model cannot do of a change set's template, one by one, as CloudFormation's own early validation tells it. */
const validationEvents = (stack: Stack, changeSet: ChangeSet): OperationEvent[] =>
  changeSet.faults.map(({ text, logicalId, type }, index) => ({
    EventId: `${changeSet.id}/${index}`,
    StackId: stack.id,
    OperationType: 'CREATE_CHANGESET',
    OperationStatus: 'FAILED',
    EventType: 'VALIDATION_ERROR',
    LogicalResourceId: logicalId ?? stack.name,
    ResourceType: type ?? 'AWS::CloudFormation::Stack',
    Timestamp: dateOf(changeSet.createdAt),
    ValidationFailureMode: 'FAIL',
    ValidationName: 'SUPPORTED_BY_THE_MODEL',
    ValidationStatus: 'FAILED',
    ValidationStatusReason: text,
    ValidationPath: logicalId === undefined ? '/' : `/Resources/${logicalId}`,
  }));
