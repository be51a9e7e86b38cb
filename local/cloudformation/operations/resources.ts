import type {
  DescribeStackResourceCommandInput,
  DescribeStackResourcesCommandInput,
  ListStackResourcesCommandInput,
} from '@aws-sdk/client-cloudformation';
import { ServiceError } from '../../service.ts';
import { dateOf, describeResource, summarizeResource } from '../describe.ts';
import { pageOf } from '../pages.ts';
import type { Stack, StackResource } from '../stacks.ts';
import { getStack } from '../states.ts';
import type { DeploymentParts } from '../target.ts';

/** Actions that show what a stack is made of. */
export function resourceOperations({ store }: DeploymentParts) {
  const resourceOf = (stack: Stack, logicalId: string | undefined): StackResource => {
    const found = stack.resources.get(logicalId ?? '');
    if (found !== undefined) return found;
    throw new ServiceError('ValidationError', `Resource ${logicalId} does not exist for stack ${stack.name}`);
  };

  return {
    ListStackResources(input: ListStackResourcesCommandInput) {
      const stack = getStack(store, input.StackName);
      const { page, NextToken } = pageOf([...stack.resources.values()], input.NextToken);
      return {
        StackResourceSummaries: page.map((resource) => ({
          ...summarizeResource(resource),
          LastUpdatedTimestamp: dateOf(resource.changedAt),
        })),
        NextToken,
      };
    },

    DescribeStackResources(input: DescribeStackResourcesCommandInput) {
      const { StackName, LogicalResourceId, PhysicalResourceId } = input;
      const holds = (stack: Stack) =>
        [...stack.resources.values()].some(({ made }) => made.physicalId === PhysicalResourceId);
      const stack =
        StackName === undefined ? [...store.live.values()].find(holds) : getStack(store, StackName);
      if (stack === undefined)
        throw new ServiceError('ValidationError', `Stack for ${PhysicalResourceId} does not exist`);
      const wanted =
        LogicalResourceId === undefined
          ? [...stack.resources.values()]
          : [resourceOf(stack, LogicalResourceId)];
      return { StackResources: wanted.map((resource) => describeResource(stack, resource)) };
    },

    DescribeStackResource(input: DescribeStackResourceCommandInput) {
      const stack = getStack(store, input.StackName, `Stack '${input.StackName}' does not exist`);
      const resource = resourceOf(stack, input.LogicalResourceId);
      const { Timestamp: LastUpdatedTimestamp, ...rest } = describeResource(stack, resource);
      const { Metadata } = resource.definition;
      return {
        StackResourceDetail: {
          ...rest,
          LastUpdatedTimestamp,
          Metadata: Metadata === undefined ? undefined : JSON.stringify(Metadata),
        },
      };
    },
  };
}
