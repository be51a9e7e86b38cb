import type {
  ChangeSetSummary,
  DescribeChangeSetCommandOutput,
  ResourceChange,
  Stack,
  StackEvent,
} from '@aws-sdk/client-cloudformation';
import { milliseconds, seededRandom } from '../../../lib/base/index.ts';
import { createVirtualClock } from '../../../local/clock.ts';
import {
  type CloudFormationOptions,
  createCloudFormation,
  type DeploymentServices,
  type Properties,
  type ResourceProvider,
  type Template,
  type TemplateResource,
} from '../../../local/cloudformation/index.ts';
import type { ModelContext, Service } from '../../../local/service.ts';
import { assemblyOf } from './support.ts';

type Kind = 'create' | 'update' | 'delete';

/**
 * A type of resource that is changed in place, and replaced for `Kind`, with things that are kept in a map. What is to
 * fail is named as calls are: `update Queue`, by the property `Label`.
 */
export function thingProvider() {
  const things = new Map<string, Properties>();
  const calls: string[] = [];
  const failing = new Map<string, 'once' | 'always'>();
  const listeners = new Map<string, () => unknown>();
  let count = 0;
  const step = async (kind: Kind, label: unknown) => {
    const call = `${kind} ${label}`;
    calls.push(call);
    await listeners.get(call)?.();
    const fails = failing.get(call);
    if (fails === 'once') failing.delete(call);
    if (fails !== undefined) throw new Error(`${call} fails`);
  };
  const provider: ResourceProvider = {
    properties: ['Label', 'Value', 'Kind', 'Name', 'To'],
    ignored: { Colour: 'things have none' },
    attributes: ['Arn'],
    replacedBy: ['Kind', 'Name'],
    nameProperty: 'Name',
    async create(properties) {
      await step('create', properties.Label);
      const physicalId = `${properties.Label}-${++count}`;
      things.set(physicalId, properties);
      return { physicalId, attributes: { Arn: `arn:${physicalId}` } };
    },
    async update(made, _before, after) {
      // Half of an update is done when it fails.
      things.set(made.physicalId, { ...things.get(made.physicalId), Value: after.Value });
      await step('update', after.Label);
      things.set(made.physicalId, after);
      return made;
    },
    async delete({ physicalId }, properties) {
      await step('delete', properties.Label);
      if (!things.delete(physicalId)) throw new Error(`${physicalId} does not exist`);
    },
  };
  /** Does something in the middle of a call, before it has its effect. */
  const on = (call: string, listener: () => unknown) => listeners.set(call, listener);
  return { provider, things, calls, failing, on };
}

/** CloudFormation with things alone, by its API. */
export function prepareThings(
  options: CloudFormationOptions = {},
  services: Partial<Record<'s3' | 'ssm', Pick<Service, 'operations'>>> = {},
) {
  const clock = createVirtualClock(milliseconds(1_000));
  const context: ModelContext = {
    clock,
    random: seededRandom(1),
    account: '000000000000',
    region: 'us-east-1',
    endpoint: 'http://127.0.0.1:4566',
    metrics: { count: () => undefined, gauge: () => () => undefined },
  };
  const none = { operations: {} };
  const all = {
    sqs: none,
    sns: none,
    dynamodb: none,
    cloudwatch: none,
    lambda: { ...none, provideCode: () => undefined },
    ...services,
  };
  const { provider, ...kept } = thingProvider();
  const cloudformation = createCloudFormation(context, all as DeploymentServices, undefined, {
    ...options,
    providers: { 'Test::Thing': provider, 'Test::Other': provider, ...options.providers },
  });
  const call = async <Output = Record<string, unknown>>(action: string, input: object): Promise<Output> =>
    (await cloudformation.operations[action]!(input, {})) as Output;
  const StackName = 'Shop';
  const body = (template: Template | string) =>
    typeof template === 'string' ? template : JSON.stringify(template);
  const describe = async (name = StackName) =>
    (await call<{ Stacks: [Stack] }>('DescribeStacks', { StackName: name })).Stacks[0];
  return {
    ...kept,
    clock,
    cloudformation,
    call,
    describe,
    deploy: (template: Template, parameters: Record<string, string> = {}) =>
      cloudformation.deploy(assemblyOf({ name: StackName, template, parameters: {} }), undefined, {
        parameters,
      }),
    create: (template: Template | string, rest: object = {}) =>
      call('CreateStack', { StackName, TemplateBody: body(template), ...rest }),
    update: (template: Template | string, rest: object = {}) =>
      call('UpdateStack', { StackName, TemplateBody: body(template), ...rest }),
    remove: (rest: object = {}) => call('DeleteStack', { StackName, ...rest }),
    /** Makes a change set and shows it. */
    async look(template: Template | string, rest: object = {}): Promise<DescribeChangeSetCommandOutput> {
      const ChangeSetName = 'change';
      const { Stacks } = await call<{ Stacks: Stack[] }>('DescribeStacks', {});
      if (Stacks.length > 0) await call('DeleteChangeSet', { StackName, ChangeSetName });
      const input = { StackName, ChangeSetName, TemplateBody: body(template), ...rest };
      await call('CreateChangeSet', input);
      return call('DescribeChangeSet', { StackName, ChangeSetName, IncludePropertyValues: true });
    },
    changeSets: async () =>
      (await call<{ Summaries: ChangeSetSummary[] }>('ListChangeSets', { StackName })).Summaries,
    status: async (name = StackName) => (await describe(name)).StackStatus,
    /** `CREATE_COMPLETE Queue`, the oldest first. */
    async events(name = StackName): Promise<string[]> {
      const { StackEvents } = await call<{ StackEvents: StackEvent[] }>('DescribeStackEvents', {
        StackName: name,
      });
      return StackEvents.map((event) => `${event.ResourceStatus} ${event.LogicalResourceId}`).reverse();
    },
    async ids(): Promise<Record<string, string>> {
      const { StackResourceSummaries: found } = await call<{
        StackResourceSummaries: { LogicalResourceId: string; PhysicalResourceId: string }[];
      }>('ListStackResources', { StackName });
      return Object.fromEntries(
        found.map(({ LogicalResourceId, PhysicalResourceId }) => [LogicalResourceId, PhysicalResourceId]),
      );
    },
  };
}

/** A thing of a template; its label is its logical id, unless it is given another. */
export const thing = (
  properties: Properties = {},
  rest: Partial<TemplateResource> = {},
): TemplateResource => ({
  Type: 'Test::Thing',
  Properties: { Label: 'A', ...properties },
  ...rest,
});

/** Things by their logical ids, which are their labels. */
export const things = (
  resources: Readonly<Record<string, Properties | TemplateResource>>,
  rest: Omit<Template, 'Resources'> = {},
): Template => ({
  ...rest,
  Resources: Object.fromEntries(
    Object.entries(resources).map(([logicalId, given]) => {
      const resource = 'Type' in given ? (given as TemplateResource) : thing(given as Properties);
      return [logicalId, { ...resource, Properties: { ...resource.Properties, Label: logicalId } }];
    }),
  ),
});

export const ref = (name: string) => ({ Ref: name });
export const arn = (name: string) => ({ 'Fn::GetAtt': [name, 'Arn'] });

/** The changes of a change set, as far as they tell what will happen. */
export const told = ({ Changes = [] }: DescribeChangeSetCommandOutput) =>
  Changes.map(({ ResourceChange }) => {
    const { Action, LogicalResourceId, Replacement } = ResourceChange as ResourceChange;
    return `${Action} ${LogicalResourceId}${Replacement === undefined ? '' : ` ${Replacement}`}`;
  });
