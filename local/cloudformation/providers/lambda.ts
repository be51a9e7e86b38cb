import type {
  CreateEventSourceMappingCommandInput,
  CreateFunctionCommandInput,
  EventSourceMappingConfiguration,
  FunctionConfiguration,
} from '@aws-sdk/client-lambda';
import { asBoolean, asNumber, call, defined, type ResourceProvider, tagsOf } from '../provider.ts';
import { isObject } from '../template.ts';
import { zipOfInlineCode } from './inline-code.ts';

/** Where the code is: an asset of the assembly, or the template itself. */
const codeOf = (code: unknown): unknown =>
  isObject(code) && typeof code.ZipFile === 'string' ? { ZipFile: zipOfInlineCode(code.ZipFile) } : code;

/** AWS::Lambda::Function. */
export const lambdaFunction: ResourceProvider = {
  properties: [
    'Architectures',
    'Code',
    'Description',
    'Environment',
    'FunctionName',
    'Handler',
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
    KmsKeyArn: 'the model does not encrypt',
    LoggingConfig: 'the lines of functions go to the log that the model was given',
    RecursiveLoop: 'the model has no recursion guard',
    RuntimeManagementConfig: 'functions run on the Node.js of this process',
    SnapStart: 'the model takes no snapshots',
    VpcConfig: 'the model has no networks',
  },
  attributes: ['Arn'],
  needs: { lambda: ['CreateFunction', 'DeleteFunction', 'PutFunctionConcurrency'] },
  check({ Code, PackageType }) {
    if (PackageType === 'Image' || (isObject(Code) && Code.ImageUri !== undefined)) {
      return ['Code.ImageUri: the model runs no container images'];
    }
    return [];
  },
  async create(properties, { services, name }) {
    const FunctionName = String(properties.FunctionName ?? name(64));
    const environment = isObject(properties.Environment) ? properties.Environment.Variables : undefined;
    const made = await call<FunctionConfiguration, CreateFunctionCommandInput>(
      services.lambda,
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
        Environment: environment === undefined ? undefined : { Variables: tagsOf(environment) },
        Tags: tagsOf(properties.Tags),
      }) as unknown as CreateFunctionCommandInput,
    );
    const reserved = asNumber(properties.ReservedConcurrentExecutions);
    if (reserved !== undefined) {
      const input = { FunctionName, ReservedConcurrentExecutions: reserved };
      await call(services.lambda, 'PutFunctionConcurrency', input);
    }
    return { physicalId: FunctionName, attributes: { Arn: made.FunctionArn } };
  },
  async delete({ physicalId }, _properties, { services }) {
    await call(services.lambda, 'DeleteFunction', { FunctionName: physicalId });
  },
};

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
    KmsKeyArn: 'the model does not encrypt',
    MetricsConfig: 'the model publishes no metrics of event sources',
    Tags: 'the model keeps no tags of event sources',
  },
  attributes: ['Id', 'EventSourceMappingArn'],
  needs: { lambda: ['CreateEventSourceMapping', 'DeleteEventSourceMapping'] },
  async create(properties, { services }) {
    const scaling = properties.ScalingConfig;
    const made = await call<EventSourceMappingConfiguration, CreateEventSourceMappingCommandInput>(
      services.lambda,
      'CreateEventSourceMapping',
      defined({
        ...properties,
        Tags: undefined,
        BatchSize: asNumber(properties.BatchSize),
        Enabled: asBoolean(properties.Enabled),
        MaximumBatchingWindowInSeconds: asNumber(properties.MaximumBatchingWindowInSeconds),
        ScalingConfig:
          (isObject(scaling) && {
            MaximumConcurrency: asNumber(scaling.MaximumConcurrency),
          }) ||
          undefined,
      }) as unknown as CreateEventSourceMappingCommandInput,
    );
    return {
      physicalId: made.UUID ?? '',
      attributes: { Id: made.UUID, EventSourceMappingArn: made.EventSourceMappingArn },
    };
  },
  async delete({ physicalId }, _properties, { services }) {
    await call(services.lambda, 'DeleteEventSourceMapping', { UUID: physicalId });
  },
};

/** AWS::Lambda::Permission: a statement of the function's policy. */
export const permission: ResourceProvider = {
  properties: ['Action', 'FunctionName', 'Principal', 'SourceAccount', 'SourceArn'],
  attributes: ['Id'],
  needs: { lambda: ['AddPermission', 'RemovePermission'] },
  async create(properties, { services, name }) {
    const StatementId = name(100);
    await call(services.lambda, 'AddPermission', { ...properties, StatementId });
    return { physicalId: StatementId, attributes: { Id: StatementId } };
  },
  async delete({ physicalId }, { FunctionName }, { services }) {
    await call(services.lambda, 'RemovePermission', { FunctionName, StatementId: physicalId });
  },
};
