import type {
  DeleteStackCommandInput,
  DescribeStackEventsCommandInput,
  DescribeStackResourceCommandInput,
  DescribeStackResourcesCommandInput,
  DescribeStacksCommandInput,
  GetTemplateCommandInput,
  ListExportsCommandInput,
  ListStackResourcesCommandInput,
  ListStacksCommandInput,
  Stack as StackDescription,
} from '@aws-sdk/client-cloudformation';
import { type ModelContext, type Service, ServiceError } from '../service.ts';
import type { CloudAssembly } from './assembly.ts';
import { createStack, type DeploymentParts, deleteStack, exportsOf } from './deploy.ts';
import { DeploymentError } from './errors.ts';
import { createIamStore, type IamStore, type RoleView } from './iam.ts';
import type { DeploymentServices } from './provider.ts';
import type { Stack, StackResource } from './stacks.ts';

/** What a deployment is told besides the assembly and the stack. */
export interface DeployOptions {
  /**
   * Values of parameters, by name; they win over those of the assembly.
   *
   * @default - the assembly's, then the template's defaults
   */
  readonly parameters?: Readonly<Record<string, string>>;
}

/**
 * A stack that was made.
 *
 * @example
 * ```ts
 * const stack: DeployedStack = await aws.cloudformation.deploy(loadAssembly('cdk.out'));
 * for (const warning of stack.warnings) console.warn(warning);
 * ```
 */
export interface DeployedStack {
  readonly name: string;
  /** Its ARN. */
  readonly id: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** By logical id. */
  readonly resources: Readonly<Record<string, { readonly type: string; readonly physicalId: string }>>;
  /** What in the template has no effect in the model, with the reason and the logical ids. */
  readonly warnings: readonly string[];
}

/** CloudFormation: it makes stacks from cloud assemblies, and shows and removes them by its API. */
export interface CloudFormationModel extends Service {
  readonly id: 'cloudformation';
  /**
   * Makes a stack of the assembly.
   *
   * @param stackName - which stack; may be left out when the assembly has one
   * @throws DeploymentError with every fault of the template, before anything is made; or with the resource that
   * failed, after everything that had been made was removed again
   */
  deploy(assembly: CloudAssembly, stackName?: string, options?: DeployOptions): Promise<DeployedStack>;
  /** The roles that stacks made, with their policies. */
  roles(): readonly RoleView[];
}

/**
 * CloudFormation over the given services. It creates and removes stacks; a stack that exists is not changed.
 *
 * @example
 * ```ts
 * const cloudformation = createCloudFormation(context, { sqs, sns, dynamodb, cloudwatch, lambda });
 * const { outputs } = await cloudformation.deploy(loadAssembly('cdk.out'));
 * ```
 */
export function createCloudFormation(
  context: ModelContext,
  services: DeploymentServices,
  iam: IamStore = createIamStore(),
): CloudFormationModel {
  const stacks = new Map<string, Stack>();
  const parts: DeploymentParts = { context, services, iam, stacks };

  const get = (name: string | undefined): Stack => {
    const found = stacks.get(name ?? '') ?? [...stacks.values()].find(({ id }) => id === name);
    if (found !== undefined) return found;
    throw new ServiceError('ValidationError', `Stack with id ${name} does not exist`);
  };
  const resourceOf = (stack: Stack, logicalId: string | undefined): StackResource => {
    const found = stack.resources.get(logicalId ?? '');
    if (found !== undefined) return found;
    throw new ServiceError('ValidationError', `Resource ${logicalId} does not exist for stack ${stack.name}`);
  };

  const operations = {
    DescribeStacks: ({ StackName }: DescribeStacksCommandInput) => ({
      Stacks: (StackName === undefined ? [...stacks.values()] : [get(StackName)]).map(describe),
    }),
    ListStacks: ({ StackStatusFilter: filter = [] }: ListStacksCommandInput) => ({
      StackSummaries: [...stacks.values()]
        .filter(({ status }) => filter.length === 0 || filter.some((wanted) => wanted === status))
        .map((stack) => ({
          StackId: stack.id,
          StackName: stack.name,
          CreationTime: new Date(stack.createdAt),
          StackStatus: stack.status,
          TemplateDescription: stack.template.Description,
        })),
    }),
    ListStackResources: ({ StackName }: ListStackResourcesCommandInput) => ({
      StackResourceSummaries: [...get(StackName).resources.values()].map((resource) => ({
        ...summary(resource),
        LastUpdatedTimestamp: new Date(resource.changedAt),
      })),
    }),
    DescribeStackResources(input: DescribeStackResourcesCommandInput) {
      const holds = (stack: Stack) =>
        [...stack.resources.values()].some(({ made }) => made.physicalId === input.PhysicalResourceId);
      const stack = input.StackName === undefined ? [...stacks.values()].find(holds) : get(input.StackName);
      if (stack === undefined) return { StackResources: [] };
      const wanted =
        input.LogicalResourceId === undefined
          ? [...stack.resources.values()]
          : [resourceOf(stack, input.LogicalResourceId)];
      return { StackResources: wanted.map((resource) => detail(stack, resource)) };
    },
    DescribeStackResource(input: DescribeStackResourceCommandInput) {
      const stack = get(input.StackName);
      const resource = resourceOf(stack, input.LogicalResourceId);
      const { Timestamp: LastUpdatedTimestamp, ...rest } = detail(stack, resource);
      return { StackResourceDetail: { ...rest, LastUpdatedTimestamp } };
    },
    DescribeStackEvents({ StackName }: DescribeStackEventsCommandInput) {
      const stack = get(StackName);
      return {
        StackEvents: stack.events.toReversed().map((event) => ({
          StackId: stack.id,
          StackName: stack.name,
          EventId: event.id,
          LogicalResourceId: event.logicalId,
          PhysicalResourceId: event.physicalId,
          ResourceType: event.type,
          ResourceStatus: event.status,
          ResourceStatusReason: event.reason,
          Timestamp: new Date(event.at),
        })),
      };
    },
    GetTemplate: ({ StackName }: GetTemplateCommandInput) => ({
      TemplateBody: JSON.stringify(get(StackName).template, undefined, 1),
      StagesAvailable: ['Original' as const, 'Processed' as const],
    }),
    ListExports: (_input: ListExportsCommandInput) => ({
      Exports: [...exportsOf(stacks)].map(([Name, { stack, value }]) => ({
        Name,
        Value: value,
        ExportingStackId: stack.id,
      })),
    }),
    async DeleteStack({ StackName }: DeleteStackCommandInput) {
      const stack = stacks.get(StackName ?? '') ?? [...stacks.values()].find(({ id }) => id === StackName);
      // As on AWS: a stack that is not there is deleted already.
      if (stack !== undefined) await deleteStack(stack, parts);
      return {};
    },
  };

  return {
    id: 'cloudformation',
    operations,
    roles: iam.roles,
    async deploy(assembly, stackName, options = {}) {
      const names = assembly.stacks.map(({ name }) => name);
      const source =
        stackName === undefined && assembly.stacks.length === 1
          ? assembly.stacks[0]
          : assembly.stacks.find(({ name }) => name === stackName);
      if (source === undefined) {
        const found = stackName === undefined ? 'several stacks' : `no stack ${stackName}`;
        throw new DeploymentError([
          `${assembly.folder} has ${found}; name one of: ${names.join(', ') || 'none'}.`,
        ]);
      }
      const given = { ...source.parameters, ...options.parameters };
      const stack = await createStack(source, assembly, source.name, given, parts);
      return {
        name: stack.name,
        id: stack.id,
        outputs: Object.fromEntries([...stack.outputs].map(([name, { value }]) => [name, value])),
        resources: Object.fromEntries(
          [...stack.resources.values()].map(({ logicalId, type, made }) => [
            logicalId,
            { type, physicalId: made.physicalId },
          ]),
        ),
        warnings: stack.warnings,
      };
    },
  };
}

const describe = (stack: Stack): StackDescription => ({
  StackId: stack.id,
  StackName: stack.name,
  Description: stack.template.Description,
  CreationTime: new Date(stack.createdAt),
  StackStatus: stack.status,
  StackStatusReason: stack.reason,
  Parameters: [...stack.parameters].map(([ParameterKey, value]) => ({
    ParameterKey,
    ParameterValue: [value].flat().join(','),
  })),
  Outputs: [...stack.outputs].map(([OutputKey, { value, description, exportName }]) => ({
    OutputKey,
    OutputValue: value,
    Description: description,
    ExportName: exportName,
  })),
  Capabilities: ['CAPABILITY_IAM', 'CAPABILITY_NAMED_IAM'],
  Tags: [],
});

const summary = ({ logicalId, type, made, status }: StackResource) => ({
  LogicalResourceId: logicalId,
  PhysicalResourceId: made.physicalId,
  ResourceType: type,
  ResourceStatus: status,
});

const detail = (stack: Stack, resource: StackResource) => ({
  ...summary(resource),
  StackId: stack.id,
  StackName: stack.name,
  Timestamp: new Date(resource.changedAt),
});
