import type { CreateTableCommandInput, CreateTableCommandOutput } from '@aws-sdk/client-dynamodb';
import {
  asBoolean,
  call,
  defined,
  has,
  type Made,
  type Properties,
  type ProviderContext,
  type ResourceProvider,
} from '../provider.ts';
import { isObject } from '../template.ts';

const always = {
  ContributorInsightsSpecification: 'the model counts no keys',
  SSESpecification: 'the model does not encrypt',
  TableClass: 'it changes prices only',
  DeletionProtectionEnabled: 'the model removes every table that it is told to remove',
  ResourcePolicy: 'the model does not judge table policies',
  KinesisStreamSpecification: 'the model has no Kinesis',
  WarmThroughput: 'the model needs no warming',
  OnDemandThroughput: 'the model sets no maximum',
} as const;

/** Makes a table, and then sets what CreateTable does not take. */
async function createTable(
  input: Record<string, unknown>,
  recovery: unknown,
  timeToLive: unknown,
  { services, warn }: ProviderContext,
): Promise<Made> {
  const { dynamodb } = services;
  const stream = input.StreamSpecification as { StreamViewType?: string } | undefined;
  const { TableDescription } = await call<CreateTableCommandOutput, CreateTableCommandInput>(
    dynamodb,
    'CreateTable',
    defined({
      ...input,
      BillingMode: input.BillingMode ?? 'PROVISIONED',
      StreamSpecification: stream && { StreamEnabled: true, StreamViewType: stream.StreamViewType },
    }) as unknown as CreateTableCommandInput,
  );
  const TableName = String(input.TableName);
  if (isObject(timeToLive)) {
    const TimeToLiveSpecification = {
      AttributeName: timeToLive.AttributeName,
      Enabled: asBoolean(timeToLive.Enabled) ?? true,
    };
    if (TimeToLiveSpecification.Enabled) {
      await call(dynamodb, 'UpdateTimeToLive', { TableName, TimeToLiveSpecification });
    }
  }
  if (isObject(recovery) && asBoolean(recovery.PointInTimeRecoveryEnabled)) {
    const PointInTimeRecoverySpecification = { ...recovery, PointInTimeRecoveryEnabled: true };
    if (has(dynamodb, 'UpdateContinuousBackups')) {
      await call(dynamodb, 'UpdateContinuousBackups', { TableName, PointInTimeRecoverySpecification });
    } else warn('PointInTimeRecoverySpecification has no effect: the model keeps no backups');
  }
  return {
    physicalId: TableName,
    attributes: {
      Arn: TableDescription?.TableArn,
      StreamArn: TableDescription?.LatestStreamArn,
      TableId: TableDescription?.TableId,
    },
  };
}

const deleteTable: ResourceProvider['delete'] = async ({ physicalId }, _properties, { services }) => {
  await call(services.dynamodb, 'DeleteTable', { TableName: physicalId });
};

const needs = { dynamodb: ['CreateTable', 'DeleteTable', 'UpdateTimeToLive'] };

const created = [
  'AttributeDefinitions',
  'BillingMode',
  'GlobalSecondaryIndexes',
  'KeySchema',
  'LocalSecondaryIndexes',
  'StreamSpecification',
] as const;

const pick = (properties: Properties, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, properties[name]]));

/** AWS::DynamoDB::Table. */
export const table: ResourceProvider = {
  properties: [
    'TableName',
    'PointInTimeRecoverySpecification',
    'ProvisionedThroughput',
    'Tags',
    'TimeToLiveSpecification',
    ...created,
  ],
  ignored: { ...always, ImportSourceSpecification: 'the model imports nothing' },
  attributes: ['Arn', 'StreamArn'],
  needs,
  create: (properties, provider) =>
    createTable(
      {
        TableName: properties.TableName ?? provider.name(255),
        ...pick(properties, [...created, 'ProvisionedThroughput', 'Tags']),
      },
      properties.PointInTimeRecoverySpecification,
      properties.TimeToLiveSpecification,
      provider,
    ),
  delete: deleteTable,
};

/** What one replica of a global table may say; the rest of {@link always} is ignored there too. */
const replicaProperties = ['Region', 'PointInTimeRecoverySpecification', 'Tags'];

const replicasOf = (properties: Properties) =>
  (Array.isArray(properties.Replicas) ? properties.Replicas : []) as readonly Properties[];

/** AWS::DynamoDB::GlobalTable (TableV2 of CDK) with its one replica in the model's region. */
export const globalTable: ResourceProvider = {
  properties: ['TableName', 'TimeToLiveSpecification', 'Replicas', ...created],
  ignored: {
    ...always,
    WriteProvisionedThroughputSettings: 'the model does not throttle global tables',
    WriteOnDemandThroughputSettings: 'the model sets no maximum',
  },
  attributes: ['Arn', 'StreamArn', 'TableId'],
  needs,
  check(properties) {
    const replicas = replicasOf(properties);
    if (replicas.length !== 1) return [`Replicas has ${replicas.length} regions; the model has one`];
    return Object.keys(replicas[0] ?? {})
      .filter((name) => !replicaProperties.includes(name) && !Object.hasOwn(always, name))
      .map((name) => `Replicas.${name} is not supported by the model`);
  },
  async create(properties, provider) {
    const [replica = {}] = replicasOf(properties);
    const { region } = provider.context;
    if (replica.Region !== region) {
      throw new Error(`Replicas.Region is ${replica.Region}, and the model is ${region}`);
    }
    for (const [name, reason] of Object.entries(always)) {
      if (replica[name] !== undefined) provider.warn(`Replicas.${name} has no effect: ${reason}`);
    }
    return createTable(
      {
        TableName: properties.TableName ?? provider.name(255),
        ...pick(properties, created),
        BillingMode: 'PAY_PER_REQUEST',
        Tags: replica.Tags,
      },
      replica.PointInTimeRecoverySpecification,
      properties.TimeToLiveSpecification,
      provider,
    );
  },
  delete: deleteTable,
};
