import { isDeepStrictEqual } from 'node:util';
import type {
  CreateEventSourceMappingCommandInput,
  CreateFunctionCommandInput,
  EventSourceMappingConfiguration,
  FunctionConfiguration,
} from '@aws-sdk/client-lambda';
import {
  asBoolean,
  asNumber,
  call,
  defined,
  type Properties,
  type ProviderContext,
  type ResourceProvider,
  tagsOf,
} from '../provider.ts';
import { isObject } from '../template.ts';
import { differs, orRemoved, tagChanges, unlessGone } from './changes.ts';
import { zipOfInlineCode } from './inline-code.ts';

const gone = ['ResourceNotFoundException'];

/** Where the code is: an asset of the assembly, or the template itself. */
const codeOf = (code: unknown): unknown =>
  isObject(code) && typeof code.ZipFile === 'string' ? { ZipFile: zipOfInlineCode(code.ZipFile) } : code;

const variablesOf = ({ Environment }: Properties) =>
  isObject(Environment) && Environment.Variables !== undefined ? tagsOf(Environment.Variables) : undefined;

/** Sets the reserved concurrency, or gives it back. */
async function reserve(FunctionName: string, wanted: unknown, { services: { lambda } }: ProviderContext) {
  const ReservedConcurrentExecutions = asNumber(wanted);
  await (ReservedConcurrentExecutions === undefined
    ? call(lambda, 'DeleteFunctionConcurrency', { FunctionName })
    : call(lambda, 'PutFunctionConcurrency', { FunctionName, ReservedConcurrentExecutions }));
}

/** What UpdateFunctionConfiguration takes: all of it, with Lambda's defaults for what is left out. */
const configurationOf = (properties: Properties) => ({
  Role: properties.Role,
  Handler: properties.Handler,
  Runtime: properties.Runtime,
  Description: properties.Description ?? '',
  Timeout: asNumber(properties.Timeout) ?? 3,
  MemorySize: asNumber(properties.MemorySize) ?? 128,
  TracingConfig: properties.TracingConfig ?? { Mode: 'PassThrough' },
  KMSKeyArn: properties.KmsKeyArn ?? '',
  Environment: { Variables: variablesOf(properties) ?? {} },
});

/** AWS::Lambda::Function. */
export const lambdaFunction: ResourceProvider = {
  properties: [
    'Architectures',
    'Code',
    'Description',
    'Environment',
    'FunctionName',
    'Handler',
    'KmsKeyArn',
    'MemorySize',
    'PackageType',
    'ReservedConcurrentExecutions',
    'Role',
    'Runtime',
    'Tags',
    'Timeout',
    'TracingConfig',
  ],
  ignored: {
    EphemeralStorage: 'functions share the file system of this machine',
    LoggingConfig: 'the lines of functions go to the log that the model was given',
    RecursiveLoop: 'the model has no recursion guard',
    RuntimeManagementConfig: 'functions run on the Node.js of this process',
    SnapStart: 'the model takes no snapshots',
    VpcConfig: 'the model has no networks',
  },
  attributes: ['Arn'],
  needs: { lambda: ['CreateFunction', 'DeleteFunction', 'PutFunctionConcurrency'] },
  check({ Code, PackageType, Runtime }) {
    if (PackageType === 'Image' || (isObject(Code) && Code.ImageUri !== undefined)) {
      return ['Code.ImageUri: the model runs no container images'];
    }
    if (typeof Runtime === 'string' && !Runtime.startsWith('nodejs')) {
      return [
        `Runtime is ${Runtime}: the model runs Node.js functions only (nodejs20.x, nodejs22.x, nodejs24.x)`,
      ];
    }
    return [];
  },
  replacedBy: ['FunctionName', 'PackageType'],
  nameProperty: 'FunctionName',
  async create(properties, provider) {
    const { lambda } = provider.services;
    const FunctionName = String(properties.FunctionName ?? provider.name(64));
    const variables = variablesOf(properties);
    const made = await call<FunctionConfiguration, CreateFunctionCommandInput>(
      lambda,
      'CreateFunction',
      defined({
        FunctionName,
        Role: properties.Role,
        Handler: properties.Handler,
        Runtime: properties.Runtime,
        Code: codeOf(properties.Code),
        Description: properties.Description,
        Timeout: asNumber(properties.Timeout),
        MemorySize: asNumber(properties.MemorySize),
        Architectures: properties.Architectures,
        TracingConfig: properties.TracingConfig,
        KMSKeyArn: properties.KmsKeyArn,
        Environment: variables === undefined ? undefined : { Variables: variables },
        Tags: tagsOf(properties.Tags),
      }) as unknown as CreateFunctionCommandInput,
    );
    if (properties.ReservedConcurrentExecutions !== undefined) {
      await orRemoved(
        () => reserve(FunctionName, properties.ReservedConcurrentExecutions, provider),
        () => call(lambda, 'DeleteFunction', { FunctionName }),
      );
    }
    return { physicalId: FunctionName, attributes: { Arn: made.FunctionArn } };
  },
  async update(made, before, after, provider) {
    const { lambda } = provider.services;
    const FunctionName = made.physicalId;
    const configuration = configurationOf(after);
    if (!isDeepStrictEqual(configurationOf(before), configuration)) {
      await call(lambda, 'UpdateFunctionConfiguration', defined({ FunctionName, ...configuration }));
    }
    if (differs(before, after, 'Code', 'Architectures')) {
      await call(lambda, 'UpdateFunctionCode', {
        FunctionName,
        ...(codeOf(after.Code) as object),
        Architectures: after.Architectures ?? ['x86_64'],
      });
    }
    if (differs(before, after, 'ReservedConcurrentExecutions')) {
      await reserve(FunctionName, after.ReservedConcurrentExecutions, provider);
    }
    const { put, drop } = tagChanges(before.Tags, after.Tags);
    const Resource = made.attributes.Arn;
    if (drop.length > 0) await call(lambda, 'UntagResource', { Resource, TagKeys: drop });
    if (Object.keys(put).length > 0) await call(lambda, 'TagResource', { Resource, Tags: put });
    return made;
  },
  async delete({ physicalId }, _properties, { services }) {
    await unlessGone(gone, () => call(services.lambda, 'DeleteFunction', { FunctionName: physicalId }));
  },
};

const mappingOf = (properties: Properties) => ({
  FunctionName: properties.FunctionName,
  BatchSize: asNumber(properties.BatchSize),
  Enabled: asBoolean(properties.Enabled),
  FilterCriteria: properties.FilterCriteria,
  FunctionResponseTypes: properties.FunctionResponseTypes,
  MaximumBatchingWindowInSeconds: asNumber(properties.MaximumBatchingWindowInSeconds),
  ScalingConfig: isObject(properties.ScalingConfig)
    ? defined({ MaximumConcurrency: asNumber(properties.ScalingConfig.MaximumConcurrency) })
    : undefined,
});

/** AWS::Lambda::EventSourceMapping of an SQS queue. */
export const eventSourceMapping: ResourceProvider = {
  properties: [
    'BatchSize',
    'Enabled',
    'EventSourceArn',
    'FilterCriteria',
    'FunctionName',
    'FunctionResponseTypes',
    'MaximumBatchingWindowInSeconds',
    'ScalingConfig',
  ],
  ignored: {
    KmsKeyArn: 'filters of event sources are not encrypted',
    LoggingConfig: 'the model writes no logs of event sources',
    MetricsConfig: 'the model publishes no metrics of event sources',
    ProvisionedPollerConfig: 'event sources of the model scale by themselves',
    Tags: 'the model keeps no tags of event sources',
  },
  attributes: ['Id', 'EventSourceMappingArn'],
  needs: { lambda: ['CreateEventSourceMapping', 'DeleteEventSourceMapping'] },
  replacedBy: ['EventSourceArn'],
  async create(properties, { services }) {
    const made = await call<EventSourceMappingConfiguration, CreateEventSourceMappingCommandInput>(
      services.lambda,
      'CreateEventSourceMapping',
      defined({
        EventSourceArn: properties.EventSourceArn,
        ...mappingOf(properties),
      }) as unknown as CreateEventSourceMappingCommandInput,
    );
    return {
      physicalId: made.UUID ?? '',
      attributes: { Id: made.UUID, EventSourceMappingArn: made.EventSourceMappingArn },
    };
  },
  async update(made, _before, after, { services }) {
    const wanted = mappingOf(after);
    await call(services.lambda, 'UpdateEventSourceMapping', {
      UUID: made.physicalId,
      FunctionName: wanted.FunctionName,
      BatchSize: wanted.BatchSize ?? 10,
      Enabled: wanted.Enabled ?? true,
      FilterCriteria: wanted.FilterCriteria ?? { Filters: [] },
      FunctionResponseTypes: wanted.FunctionResponseTypes ?? [],
      MaximumBatchingWindowInSeconds: wanted.MaximumBatchingWindowInSeconds ?? 0,
      ScalingConfig: wanted.ScalingConfig ?? {},
    });
    return made;
  },
  async delete({ physicalId }, _properties, { services }) {
    await unlessGone(gone, () => call(services.lambda, 'DeleteEventSourceMapping', { UUID: physicalId }));
  },
};

/** AWS::Lambda::Permission: a statement of the function's policy. */
export const permission: ResourceProvider = {
  properties: ['Action', 'FunctionName', 'Principal', 'SourceAccount', 'SourceArn'],
  attributes: ['Id'],
  needs: { lambda: ['AddPermission', 'RemovePermission'] },
  // A statement is not changed: every change is another statement.
  replacedBy: ['Action', 'FunctionName', 'Principal', 'SourceAccount', 'SourceArn'],
  async create(properties, { services, name }) {
    const StatementId = name(100);
    await call(services.lambda, 'AddPermission', { ...properties, StatementId });
    return { physicalId: StatementId, attributes: { Id: StatementId } };
  },
  async delete({ physicalId }, { FunctionName }, { services }) {
    const statement = { FunctionName, StatementId: physicalId };
    await unlessGone(gone, () => call(services.lambda, 'RemovePermission', statement));
  },
};
