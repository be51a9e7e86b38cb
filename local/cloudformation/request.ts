import type {
  CreateChangeSetCommandInput,
  CreateStackCommandInput,
  Parameter,
  UpdateStackCommandInput,
} from '@aws-sdk/client-cloudformation';
import { ServiceError } from '../service.ts';
import { demandCapabilities } from './capabilities.ts';
import type { GivenParameter } from './parameters.ts';
import type { Stack, StackSettings } from './stacks.ts';
import { type CheckedTarget, checkTarget, type DeploymentParts, demandWellFormed } from './target.ts';
import { templateOf } from './template-source.ts';

/** A request that says what a stack is to be. */
export type StackRequest =
  | CreateStackCommandInput
  | UpdateStackCommandInput
  | Omit<CreateChangeSetCommandInput, 'ChangeSetName'>;

/**
 * Reads a request: its template, parameters and settings, over those that the stack has.
 *
 * @throws ServiceError what AWS refuses as well; what the model lacks is among the faults
 */
export async function readRequest(
  stack: Stack,
  request: StackRequest,
  parts: DeploymentParts,
): Promise<CheckedTarget> {
  const isThere = stack.state.source.text !== '';
  const source = await templateOf(request, isThere ? stack.state.source : undefined, parts.readObject);
  demandCapabilities(source.template, request.Capabilities);
  const checked = await checkTarget(
    {
      stack,
      source,
      given: givenOf(request.Parameters),
      previous: stack.state.parameters,
      settings: settingsOf(request, stack.state.settings),
      bootstrapped: false,
    },
    parts,
  );
  demandWellFormed(checked);
  return checked;
}

/** The parameters of a request by name. */
export const givenOf = (parameters: readonly Parameter[] = []): Record<string, GivenParameter> =>
  Object.fromEntries(
    parameters.map(({ ParameterKey = '', ParameterValue = '', UsePreviousValue }) => [
      ParameterKey,
      UsePreviousValue === true ? { previous: true } : ParameterValue,
    ]),
  );

/** What a request does not say stays as it is. */
const settingsOf = (request: StackRequest, before: StackSettings): StackSettings => ({
  tags: request.Tags ?? before.tags,
  capabilities: request.Capabilities ?? [],
  notificationArns: request.NotificationARNs ?? before.notificationArns,
  rollbackConfiguration: request.RollbackConfiguration ?? before.rollbackConfiguration,
  roleArn: request.RoleARN ?? before.roleArn,
  deploymentConfig: request.DeploymentConfig,
});

/** Names of stacks and change sets (CloudFormation API reference, CreateStack and CreateChangeSet). */
const name = /^[a-zA-Z][-a-zA-Z0-9]*$/;

/** @throws ServiceError ValidationError when it cannot be a name */
export function demandName(value: string | undefined, member: string): string {
  if (value !== undefined && value.length <= 128 && name.test(value)) return value;
  throw new ServiceError(
    'ValidationError',
    `1 validation error detected: Value '${value ?? ''}' at '${member}' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z][-a-zA-Z0-9]* and have at most 128 characters`,
  );
}
