import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListExports,
  paginateListStackResources,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import type { Region } from './attributes.ts';
import { said, WorkFault } from './errors.ts';
import { impatient } from './patience.ts';

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
 * @param stop - ends the asking, with its reason
 * @throws {WorkFault} when nothing answers, or no such stack is deployed
 */
export async function describeStack(name: string, place: string, stop: AbortSignal): Promise<DeployedStack> {
  const client = new CloudFormationClient(impatient);
  const options = { abortSignal: stop };
  try {
    const stack = await find(client, name, place, stop);
    const [, partition = 'aws', , region = '', account = ''] = (stack.StackId ?? '').split(':');
    const resources = new Map<string, { type: string; physicalId: string }>();
    for await (const { StackResourceSummaries = [] } of paginateListStackResources(
      { client },
      { StackName: name },
      options,
    ))
      for (const { LogicalResourceId = '', ResourceType: type = '', ...rest } of StackResourceSummaries)
        if (rest.PhysicalResourceId !== undefined && rest.ResourceStatus !== 'DELETE_COMPLETE')
          resources.set(LogicalResourceId, { type, physicalId: rest.PhysicalResourceId });
    const exports = new Map<string, string>();
    for await (const { Exports = [] } of paginateListExports({ client }, {}, options))
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
    stop.throwIfAborted();
    if (error instanceof WorkFault) throw error;
    throw unreachable(error, place);
  } finally {
    client.destroy();
  }
}

async function find(
  client: CloudFormationClient,
  name: string,
  place: string,
  abortSignal: AbortSignal,
): Promise<Stack> {
  let stack: Stack | undefined;
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name }), {
      abortSignal,
    });
    stack = Stacks[0];
  } catch (error) {
    if (!/does not exist/.test((error as Error).message)) throw error;
    const region = await client.config.region();
    throw new WorkFault(
      'failure',
      `no stack "${name}" is deployed ${place} in ${region}. Deploy it first, or say in which region it is (--region).`,
      { cause: error },
    );
  }
  // CloudFormation names the stack or says that it does not exist.
  if (stack === undefined)
    throw new WorkFault('failure', `what answers ${place} is no CloudFormation: it says nothing of stacks.`);
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
