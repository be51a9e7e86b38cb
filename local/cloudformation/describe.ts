import type {
  Parameter,
  Stack as StackDescription,
  StackEvent as StackEventDescription,
  StackResource as StackResourceDescription,
  StackSummary,
} from '@aws-sdk/client-cloudformation';
import type { Milliseconds } from '../../lib/base/index.ts';
import type { ParameterValues } from './parameters.ts';
import { masked } from './secrets.ts';
import type { ResourceStatus, Stack, StackEvent, StackResource } from './stacks.ts';

/** A moment as the SDK has it. */
export const dateOf = (at: Milliseconds): Date => new Date(at);

/** A stack's own statuses among those of resources: the API declares one list for both, and leaves a few out. */
export const statusOf = (status: ResourceStatus) =>
  status as NonNullable<StackEventDescription['ResourceStatus']>;

/** Parameters as they are shown. */
export const describeParameters = (parameters: ParameterValues): Parameter[] =>
  [...parameters].map(([ParameterKey, { given, value, resolved, secret }]) => ({
    ParameterKey,
    ParameterValue: secret ? masked : given,
    ...(resolved ? { ResolvedValue: secret ? masked : [value].flat().join(',') } : {}),
  }));

/** A stack as DescribeStacks shows it. */
export function describeStack(stack: Stack): StackDescription {
  const { state } = stack;
  const { settings } = state;
  return {
    StackId: stack.id,
    StackName: stack.name,
    ChangeSetId: stack.changeSetId,
    Description: state.source.template.Description,
    CreationTime: dateOf(stack.createdAt),
    LastUpdatedTime: stack.updatedAt === undefined ? undefined : dateOf(stack.updatedAt),
    DeletionTime: stack.deletedAt === undefined ? undefined : dateOf(stack.deletedAt),
    StackStatus: stack.status,
    StackStatusReason: stack.reason,
    DisableRollback: stack.disableRollback,
    RollbackConfiguration: settings.rollbackConfiguration ?? {},
    NotificationARNs: [...settings.notificationArns],
    Capabilities: settings.capabilities as NonNullable<StackDescription['Capabilities']>,
    RoleARN: settings.roleArn,
    DeploymentConfig: settings.deploymentConfig,
    Tags: [...settings.tags],
    EnableTerminationProtection: stack.terminationProtection,
    DriftInformation: { StackDriftStatus: 'NOT_CHECKED' },
    Parameters: describeParameters(state.parameters),
    Outputs: [...state.outputs].map(([OutputKey, { value, description, exportName }]) => ({
      OutputKey,
      OutputValue: value,
      Description: description,
      ExportName: exportName,
    })),
  };
}

/** A stack as ListStacks shows it. */
export const summarizeStack = (stack: Stack): StackSummary => ({
  StackId: stack.id,
  StackName: stack.name,
  TemplateDescription: stack.state.source.template.Description,
  CreationTime: dateOf(stack.createdAt),
  LastUpdatedTime: stack.updatedAt === undefined ? undefined : dateOf(stack.updatedAt),
  DeletionTime: stack.deletedAt === undefined ? undefined : dateOf(stack.deletedAt),
  StackStatus: stack.status,
  StackStatusReason: stack.reason,
  DriftInformation: { StackDriftStatus: 'NOT_CHECKED' },
});

/** What every answer about a resource has. */
export const summarizeResource = (resource: StackResource) => ({
  LogicalResourceId: resource.logicalId,
  PhysicalResourceId: resource.made.physicalId,
  ResourceType: resource.type,
  ResourceStatus: statusOf(resource.status),
  ResourceStatusReason: resource.reason,
  DriftInformation: { StackResourceDriftStatus: 'NOT_CHECKED' as const },
});

/** A resource as DescribeStackResources shows it. */
export const describeResource = (stack: Stack, resource: StackResource): StackResourceDescription => ({
  ...summarizeResource(resource),
  StackId: stack.id,
  StackName: stack.name,
  Timestamp: dateOf(resource.changedAt),
});

/** An event as DescribeStackEvents shows it. */
export const describeEvent = (stack: Stack, event: StackEvent): StackEventDescription => ({
  StackId: stack.id,
  StackName: stack.name,
  EventId: event.id,
  OperationId: event.operationId,
  ClientRequestToken: event.token,
  LogicalResourceId: event.logicalId,
  PhysicalResourceId: event.physicalId,
  ResourceType: event.type,
  ResourceStatus: statusOf(event.status),
  ResourceStatusReason: event.reason,
  ResourceProperties: event.properties,
  Timestamp: dateOf(event.at),
});
