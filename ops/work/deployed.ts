import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListExports,
  paginateListStackResources,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import type { Region } from './attributes.ts';
import { said, WorkFault } from './errors.ts';

/** A stack as it is deployed. */
export interface DeployedStack extends Region {
  readonly name: string;
  readonly id: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly outputs: ReadonlyMap<string, string>;
  /** By logical id. */
  readonly resources: ReadonlyMap<string, { readonly type: string; readonly physicalId: string }>;
  /** Values that stacks export, by name. */
  readonly exports: ReadonlyMap<string, string>;
}

/** States in which a stack has what its template says, or is about to. */
const usable =
  /^(CREATE|UPDATE|IMPORT)_(COMPLETE|IN_PROGRESS)|^UPDATE_ROLLBACK_COMPLETE|_CLEANUP_IN_PROGRESS$/;

/**
 * Asks what is deployed; region, credentials and endpoint come from the environment.
 *
 * @param place - what to call the endpoint or the account in errors
 * @throws {WorkFault} when nothing answers, or no such stack is deployed
 */
export async function describeStack(name: string, place: string): Promise<DeployedStack> {
  const client = new CloudFormationClient({});
  try {
    const stack = await find(client, name, place);
    const [, partition = 'aws', , region = '', account = ''] = (stack.StackId ?? '').split(':');
    const resources = new Map<string, { type: string; physicalId: string }>();
    for await (const { StackResourceSummaries = [] } of paginateListStackResources(
      { client },
      { StackName: name },
    ))
      for (const { LogicalResourceId = '', ResourceType: type = '', ...rest } of StackResourceSummaries)
        if (rest.PhysicalResourceId !== undefined && rest.ResourceStatus !== 'DELETE_COMPLETE')
          resources.set(LogicalResourceId, { type, physicalId: rest.PhysicalResourceId });
    const exports = new Map<string, string>();
    for await (const { Exports = [] } of paginateListExports({ client }, {}))
      for (const { Name = '', Value = '' } of Exports) exports.set(Name, Value);
    return {
      ...{ name, id: stack.StackId ?? '', partition, region, account, resources, exports },
      parameters: new Map(
        (stack.Parameters ?? []).map(({ ParameterKey = '', ParameterValue = '', ResolvedValue }) => [
          ParameterKey,
          ResolvedValue ?? ParameterValue,
        ]),
      ),
      outputs: new Map(
        (stack.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
      ),
    };
  } catch (error) {
    if (error instanceof WorkFault) throw error;
    throw unreachable(error, place);
  } finally {
    client.destroy();
  }
}

async function find(client: CloudFormationClient, name: string, place: string): Promise<Stack> {
  let stack: Stack | undefined;
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name }));
    stack = Stacks[0];
  } catch (error) {
    if (!/does not exist/.test((error as Error).message)) throw error;
  }
  if (stack === undefined)
    throw new WorkFault('failure', `no stack "${name}" is deployed ${place}. Deploy it first.`);
  if (!usable.test(stack.StackStatus ?? ''))
    throw new WorkFault(
      'failure',
      `the stack "${name}" ${place} is in the state ${stack.StackStatus}. Deploy it again.`,
    );
  return stack;
}

function unreachable(error: unknown, place: string): WorkFault {
  const { code, name } = error as NodeJS.ErrnoException;
  // Node gives the errors of several addresses of one name together.
  const codes = [
    code,
    ...((error as AggregateError).errors ?? []).map((each: { code?: string }) => each.code),
  ];
  if (codes.includes('ECONNREFUSED'))
    return new WorkFault(
      'failure',
      `nothing answers ${place}: start the server, or say where it is (--endpoint).`,
      { cause: error },
    );
  return new WorkFault('failure', `CloudFormation ${place} could not be asked (${said(error) || name}).`, {
    cause: error,
  });
}
