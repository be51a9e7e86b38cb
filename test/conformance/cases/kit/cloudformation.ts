import {
  CreateChangeSetCommand,
  type CreateChangeSetCommandInput,
  CreateStackCommand,
  type CreateStackCommandInput,
  DeleteStackCommand,
  DescribeChangeSetCommand,
  type DescribeChangeSetCommandOutput,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  ListStackResourcesCommand,
  type Stack,
  type StackEvent,
  UpdateStackCommand,
  type UpdateStackCommandInput,
} from '@aws-sdk/client-cloudformation';
import { GetQueueAttributesCommand, type QueueAttributeName } from '@aws-sdk/client-sqs';
import { Difference } from '../../case.ts';
import type { World } from '../../world.ts';

/** A resource of a template. */
export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly [attribute: string]: unknown;
}

/** Resources by logical id, with what else a template has. */
export const template = (Resources: Readonly<Record<string, TemplateResource>>, more: object = {}): string =>
  JSON.stringify({ Resources, ...more });

/** A queue of a template. */
export const queueOf = (
  Properties: Readonly<Record<string, unknown>> = {},
  more: object = {},
): TemplateResource => ({
  Type: 'AWS::SQS::Queue',
  Properties,
  ...more,
});

/** A resource that cannot be made: no queue has such a name. */
export const broken = (more: object = {}): TemplateResource => queueOf({ QueueName: 'no legal name!' }, more);

/** What a stack is after an action: its status has come to rest. */
export async function rested(world: World, StackName: string): Promise<Stack> {
  return world.eventually('the stack to come to rest', world.server === 'aws' ? 600 : 30, async () => {
    const { Stacks = [] } = await world.cloudformation.send(new DescribeStacksCommand({ StackName }));
    const status = Stacks[0]?.StackStatus ?? '';
    return /_IN_PROGRESS$/.test(status) && status !== 'REVIEW_IN_PROGRESS' ? undefined : Stacks[0];
  });
}

/** Makes a stack and waits for it. Gives its name; what it is then may be asked of `status`. */
export async function create(
  world: World,
  TemplateBody: string,
  options: Partial<CreateStackCommandInput> = {},
): Promise<{ name: string; status: string | undefined; stack: Stack }> {
  const StackName = options.StackName ?? world.name('stack');
  await world.cloudformation.send(new CreateStackCommand({ TemplateBody, ...options, StackName }));
  world.after(async () => {
    await world.cloudformation.send(new DeleteStackCommand({ StackName }));
    // Two of a case may need each other: the next is deleted when this one is gone.
    await gone(world, StackName);
  });
  const stack = await rested(world, StackName);
  return { name: StackName, status: stack.StackStatus, stack };
}

/** Makes a stack, which has to succeed. */
export async function created(
  world: World,
  TemplateBody: string,
  options: Partial<CreateStackCommandInput> = {},
): Promise<string> {
  const { name, stack } = await create(world, TemplateBody, options);
  if (stack.StackStatus !== 'CREATE_COMPLETE')
    throw new Difference(
      `The stack is ${stack.StackStatus} instead of CREATE_COMPLETE: ${stack.StackStatusReason}`,
    );
  return name;
}

/** Updates a stack and waits. Gives it as it is then. */
export async function update(
  world: World,
  StackName: string,
  TemplateBody: string,
  options: Partial<UpdateStackCommandInput> = {},
): Promise<Stack> {
  await world.cloudformation.send(new UpdateStackCommand({ TemplateBody, ...options, StackName }));
  return rested(world, StackName);
}

/** Updates a stack, which has to succeed. */
export async function updated(
  world: World,
  StackName: string,
  TemplateBody: string,
  options: Partial<UpdateStackCommandInput> = {},
): Promise<Stack> {
  const stack = await update(world, StackName, TemplateBody, options);
  if (stack.StackStatus !== 'UPDATE_COMPLETE')
    throw new Difference(
      `The stack is ${stack.StackStatus} instead of UPDATE_COMPLETE: ${stack.StackStatusReason}`,
    );
  return stack;
}

/** Waits until a stack is gone. */
export async function gone({ cloudformation, eventually, server }: World, StackName: string): Promise<void> {
  await eventually('the stack to be gone', server === 'aws' ? 600 : 30, async () => {
    try {
      const { Stacks = [] } = await cloudformation.send(new DescribeStacksCommand({ StackName }));
      return Stacks[0]?.StackStatus === 'DELETE_COMPLETE' || Stacks.length === 0 ? true : undefined;
    } catch (error) {
      if (error instanceof Error && /does not exist/.test(error.message)) return true;
      throw error;
    }
  });
}

/** Physical ids by logical id. */
export async function physical(
  { cloudformation }: World,
  StackName: string,
): Promise<Record<string, string>> {
  const { StackResourceSummaries = [] } = await cloudformation.send(
    new ListStackResourcesCommand({ StackName }),
  );
  return Object.fromEntries(
    StackResourceSummaries.filter(({ ResourceStatus }) => ResourceStatus !== 'DELETE_COMPLETE').map(
      (each) => [each.LogicalResourceId, each.PhysicalResourceId ?? ''],
    ),
  );
}

/** The events of a stack, the newest first. */
export async function events({ cloudformation }: World, StackName: string): Promise<readonly StackEvent[]> {
  const { StackEvents = [] } = await cloudformation.send(new DescribeStackEventsCommand({ StackName }));
  return StackEvents;
}

/** An attribute of a queue; `undefined` when the queue is not there. */
export async function attribute(
  { sqs }: World,
  QueueUrl: string,
  name: QueueAttributeName,
): Promise<string | undefined> {
  try {
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] }),
    );
    return Attributes?.[name];
  } catch (error) {
    if (error instanceof Error && /NonExistentQueue|QueueDoesNotExist/.test(error.name)) return undefined;
    throw error;
  }
}

/** Makes a change set of a stack and waits for it. */
export async function changeSet(
  world: World,
  StackName: string,
  TemplateBody: string,
  options: Partial<CreateChangeSetCommandInput> = {},
): Promise<DescribeChangeSetCommandOutput> {
  const ChangeSetName = options.ChangeSetName ?? world.name('changes');
  await world.cloudformation.send(
    new CreateChangeSetCommand({ TemplateBody, ...options, StackName, ChangeSetName }),
  );
  return world.eventually('the change set', world.server === 'aws' ? 120 : 20, async () => {
    const found = await world.cloudformation.send(new DescribeChangeSetCommand({ StackName, ChangeSetName }));
    return /_(PENDING|IN_PROGRESS)$/.test(found.Status ?? '') ? undefined : found;
  });
}
