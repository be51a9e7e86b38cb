import { isDeepStrictEqual } from 'node:util';
import type {
  AttributeDefinition,
  CreateTableCommandInput,
  CreateTableCommandOutput,
  DescribeTableCommandOutput,
  DescribeTimeToLiveCommandOutput,
  TableDescription,
} from '@aws-sdk/client-dynamodb';
import type { ModelContext } from '../../service.ts';
import {
  asBoolean,
  asNumber,
  call,
  defined,
  has,
  type Made,
  type Properties,
  type ProviderContext,
  type ResourceProvider,
} from '../provider.ts';
import { isObject } from '../template.ts';
import { orRemoved, tagChanges, unlessGone } from './changes.ts';

const always = {
  ContributorInsightsSpecification: 'the model counts no keys',
  TableClass: 'it changes prices only',
  ResourcePolicy: 'the model does not judge table policies',
  KinesisStreamSpecification: 'the model has no Kinesis',
  WarmThroughput: 'the model needs no warming',
  OnDemandThroughput: 'the model sets no maximum',
} as const;

/** What is wanted of a table, in the words of both types. */
interface Wanted {
  /** As CreateTable takes it, without the name. */
  readonly table: Properties;
  readonly recovery: unknown;
  readonly timeToLive: unknown;
}

interface Index {
  readonly IndexName: string;
  readonly KeySchema?: unknown;
  readonly Projection?: unknown;
  readonly ProvisionedThroughput?: unknown;
}
const indexesOf = ({ table: { GlobalSecondaryIndexes } }: Wanted): readonly Index[] =>
  Array.isArray(GlobalSecondaryIndexes) ? GlobalSecondaryIndexes : [];

const gone = ['ResourceNotFoundException'];

const throughputOf = (value: unknown) =>
  isObject(value)
    ? {
        ReadCapacityUnits: asNumber(value.ReadCapacityUnits),
        WriteCapacityUnits: asNumber(value.WriteCapacityUnits),
      }
    : undefined;

const modeOf = ({ table }: Wanted) => String(table.BillingMode ?? 'PROVISIONED');

/** The view that a table's stream shows; `undefined` without one. */
const streamOf = ({ table: { StreamSpecification } }: Wanted): unknown =>
  isObject(StreamSpecification) ? StreamSpecification.StreamViewType : undefined;

/** What is wanted of the table's key, as the API has it; without one, DynamoDB owns the key. */
function encryptionOf({ table: { SSESpecification: wanted } }: Wanted): object {
  if (!isObject(wanted) || asBoolean(wanted.SSEEnabled) !== true) return { Enabled: false };
  return defined({ Enabled: true, SSEType: wanted.SSEType, KMSMasterKeyId: wanted.KMSMasterKeyId });
}

const protectedOf = ({ table }: Wanted): boolean => asBoolean(table.DeletionProtectionEnabled) === true;

/** The attribute by which items expire; `undefined` when none do. */
const expiryOf = ({ timeToLive }: Wanted): unknown =>
  isObject(timeToLive) && asBoolean(timeToLive.Enabled ?? true) === true
    ? timeToLive.AttributeName
    : undefined;

const attributesOf = (description: TableDescription | undefined, streaming: boolean) => ({
  Arn: description?.TableArn,
  StreamArn: streaming ? description?.LatestStreamArn : undefined,
  TableId: description?.TableId,
});

/** Sets point-in-time recovery; what a table has without it is none. */
async function setRecovery(TableName: string, wanted: unknown, { services, warn }: ProviderContext) {
  const { dynamodb } = services;
  const specification = isObject(wanted) ? wanted : {};
  const enabled = asBoolean(specification.PointInTimeRecoveryEnabled) ?? false;
  if (has(dynamodb, 'UpdateContinuousBackups')) {
    await call(dynamodb, 'UpdateContinuousBackups', {
      TableName,
      PointInTimeRecoverySpecification: defined({
        PointInTimeRecoveryEnabled: enabled,
        RecoveryPeriodInDays: enabled ? asNumber(specification.RecoveryPeriodInDays) : undefined,
      }),
    });
  } else if (enabled) warn('PointInTimeRecoverySpecification has no effect: the model keeps no backups');
}

const setExpiry = (
  TableName: string,
  AttributeName: unknown,
  Enabled: boolean,
  { services }: ProviderContext,
) =>
  call(services.dynamodb, 'UpdateTimeToLive', {
    TableName,
    TimeToLiveSpecification: { AttributeName, Enabled },
  });

/** Makes a table, and then sets what CreateTable does not take. */
async function createTable(properties: Properties, wanted: Wanted, provider: ProviderContext): Promise<Made> {
  const { dynamodb } = provider.services;
  const TableName = String(properties.TableName ?? provider.name(255));
  const view = streamOf(wanted);
  const { TableDescription: description } = await call<CreateTableCommandOutput, CreateTableCommandInput>(
    dynamodb,
    'CreateTable',
    defined({
      ...wanted.table,
      TableName,
      DeletionProtectionEnabled: protectedOf(wanted),
      SSESpecification: encryptionOf(wanted),
      BillingMode: modeOf(wanted),
      ProvisionedThroughput: throughputOf(wanted.table.ProvisionedThroughput),
      StreamSpecification: view === undefined ? undefined : { StreamEnabled: true, StreamViewType: view },
    }) as unknown as CreateTableCommandInput,
  );
  await orRemoved(
    async () => {
      const expiry = expiryOf(wanted);
      if (expiry !== undefined) await setExpiry(TableName, expiry, true, provider);
      if (wanted.recovery !== undefined) await setRecovery(TableName, wanted.recovery, provider);
    },
    async () => {
      if (protectedOf(wanted)) {
        await call(dynamodb, 'UpdateTable', { TableName, DeletionProtectionEnabled: false });
      }
      await call(dynamodb, 'DeleteTable', { TableName });
    },
  );
  return { physicalId: TableName, attributes: attributesOf(description, view !== undefined) };
}

/**
 * Leads a table from what it is to what is wanted. The difference is taken from the table itself, so that an update that
 * stopped half way is undone by what it did, and no more.
 */
async function updateTable(
  made: Made,
  old: Wanted,
  wanted: Wanted,
  provider: ProviderContext,
): Promise<Made> {
  const { dynamodb } = provider.services;
  const TableName = made.physicalId;
  const describe = async () =>
    (await call<DescribeTableCommandOutput>(dynamodb, 'DescribeTable', { TableName })).Table;
  const update = (input: object) => call(dynamodb, 'UpdateTable', { TableName, ...input });

  const table = await describe();
  const indexes = indexChanges(table, old, wanted);
  await updateCapacity(table, old, wanted, update);
  for (const IndexName of indexes.removed) {
    await update({ GlobalSecondaryIndexUpdates: [{ Delete: { IndexName } }] });
  }
  for (const index of indexes.added) {
    await update({
      AttributeDefinitions: wanted.table.AttributeDefinitions,
      GlobalSecondaryIndexUpdates: [
        { Create: defined({ ...index, ProvisionedThroughput: throughputOf(index.ProvisionedThroughput) }) },
      ],
    });
  }
  const view = streamOf(wanted);
  const present = table?.StreamSpecification?.StreamEnabled
    ? table.StreamSpecification.StreamViewType
    : undefined;
  if (view !== present) {
    // A stream keeps its view for life: another view is another stream.
    if (present !== undefined) await update({ StreamSpecification: { StreamEnabled: false } });
    if (view !== undefined)
      await update({ StreamSpecification: { StreamEnabled: true, StreamViewType: view } });
  }
  if (!isDeepStrictEqual(encryptionOf(old), encryptionOf(wanted))) {
    await update({ SSESpecification: encryptionOf(wanted) });
  }
  if (table?.DeletionProtectionEnabled !== protectedOf(wanted)) {
    await update({ DeletionProtectionEnabled: protectedOf(wanted) });
  }
  const { TimeToLiveDescription: expires } = await call<DescribeTimeToLiveCommandOutput>(
    dynamodb,
    'DescribeTimeToLive',
    { TableName },
  );
  const expiry = expiryOf(wanted);
  // Another attribute has to wait for an update of its own, after one that turns expiry off: DynamoDB refuses it.
  if (expiry === undefined && expires?.AttributeName !== undefined) {
    await setExpiry(TableName, expires.AttributeName, false, provider);
  } else if (expiry !== expires?.AttributeName) await setExpiry(TableName, expiry, true, provider);
  if (!isDeepStrictEqual(old.recovery, wanted.recovery)) {
    await setRecovery(TableName, wanted.recovery, provider);
  }
  const { list, drop } = tagChanges(old.table.Tags, wanted.table.Tags);
  const ResourceArn = table?.TableArn;
  if (drop.length > 0) await call(dynamodb, 'UntagResource', { ResourceArn, TagKeys: drop });
  if (list.length > 0) await call(dynamodb, 'TagResource', { ResourceArn, Tags: list });
  return { physicalId: TableName, attributes: attributesOf(await describe(), view !== undefined) };
}

/** Billing mode and provisioned units, of the table and of the indexes that stay. */
async function updateCapacity(
  table: TableDescription | undefined,
  old: Wanted,
  wanted: Wanted,
  update: (input: object) => Promise<unknown>,
): Promise<void> {
  const mode = modeOf(wanted);
  const throughput = throughputOf(wanted.table.ProvisionedThroughput);
  const before = new Map(indexesOf(old).map((index) => [index.IndexName, index]));
  const updates = indexesOf(wanted)
    .filter(({ IndexName, ProvisionedThroughput }) => {
      const known = before.get(IndexName);
      return known !== undefined && !isDeepStrictEqual(known.ProvisionedThroughput, ProvisionedThroughput);
    })
    .filter(({ ProvisionedThroughput }) => ProvisionedThroughput !== undefined)
    .map(({ IndexName, ProvisionedThroughput }) => ({
      Update: { IndexName, ProvisionedThroughput: throughputOf(ProvisionedThroughput) },
    }));
  const { ReadCapacityUnits, WriteCapacityUnits } = table?.ProvisionedThroughput ?? {};
  const same =
    (table?.BillingModeSummary?.BillingMode ?? 'PROVISIONED') === mode &&
    (mode !== 'PROVISIONED' || isDeepStrictEqual(throughput, { ReadCapacityUnits, WriteCapacityUnits }));
  if (same && updates.length === 0) return;
  await update(
    defined({
      BillingMode: mode,
      ProvisionedThroughput: throughput,
      GlobalSecondaryIndexUpdates: updates.length === 0 ? undefined : updates,
    }),
  );
}

/**
 * The global indexes that come and go. CloudFormation makes or removes one in an update, and changes none but in its
 * capacity (template reference, AWS::DynamoDB::Table, GlobalSecondaryIndexes).
 */
function indexChanges(table: TableDescription | undefined, old: Wanted, wanted: Wanted) {
  const present = new Map((table?.GlobalSecondaryIndexes ?? []).map((index) => [index.IndexName, index]));
  const after = indexesOf(wanted);
  for (const { IndexName, KeySchema, Projection } of after) {
    const index = present.get(IndexName);
    if (index === undefined) continue;
    if (isDeepStrictEqual(index.KeySchema, KeySchema) && isDeepStrictEqual(index.Projection, Projection))
      continue;
    throw new Error(
      `Cannot update GSI's properties other than Provisioned Throughput and Contributor Insights Specification. You can create a new GSI with a different name. Index: ${IndexName}`,
    );
  }
  const added = after.filter(({ IndexName }) => !present.has(IndexName));
  const kept = new Set(after.map(({ IndexName }) => IndexName));
  const removed = indexesOf(old)
    .map(({ IndexName }) => IndexName)
    .filter((name) => present.has(name) && !kept.has(name));
  if (added.length + removed.length > 1) {
    const names = [...removed.map((name) => `-${name}`), ...added.map(({ IndexName }) => `+${IndexName}`)];
    throw new Error(
      `Cannot perform more than one GSI creation or deletion in a single update. Found: ${names.join(', ')}`,
    );
  }
  return { added, removed };
}

/** A defined attribute that changes its type needs a new table. */
function retyped(before: Properties, after: Properties): readonly string[] {
  const typesOf = (properties: Properties) =>
    new Map(
      ((properties.AttributeDefinitions ?? []) as readonly AttributeDefinition[]).map(
        ({ AttributeName, AttributeType }) => [AttributeName, AttributeType],
      ),
    );
  const old = typesOf(before);
  const changed = [...typesOf(after)].some(([name, type]) => old.has(name) && old.get(name) !== type);
  return changed ? ['AttributeDefinitions'] : [];
}

const deleteTable: ResourceProvider['delete'] = async ({ physicalId }, _properties, { services }) => {
  await unlessGone(gone, () => call(services.dynamodb, 'DeleteTable', { TableName: physicalId }));
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

const wantedTable = (properties: Properties): Wanted => ({
  table: pick(properties, [
    ...created,
    'DeletionProtectionEnabled',
    'ProvisionedThroughput',
    'SSESpecification',
    'Tags',
  ]),
  recovery: properties.PointInTimeRecoverySpecification,
  timeToLive: properties.TimeToLiveSpecification,
});

/** AWS::DynamoDB::Table. */
export const table: ResourceProvider = {
  properties: [
    'TableName',
    'DeletionProtectionEnabled',
    'PointInTimeRecoverySpecification',
    'ProvisionedThroughput',
    'SSESpecification',
    'Tags',
    'TimeToLiveSpecification',
    ...created,
  ],
  ignored: { ...always, ImportSourceSpecification: 'the model imports nothing' },
  attributes: ['Arn', 'StreamArn'],
  needs,
  replacedBy: ['ImportSourceSpecification', 'KeySchema', 'LocalSecondaryIndexes', 'TableName'],
  replaces: retyped,
  nameProperty: 'TableName',
  create: (properties, provider) => createTable(properties, wantedTable(properties), provider),
  update: (made, before, after, provider) =>
    updateTable(made, wantedTable(before), wantedTable(after), provider),
  delete: deleteTable,
};

/** What one replica of a global table may say; the rest of {@link always} is ignored there too. */
const replicaProperties = [
  'DeletionProtectionEnabled',
  'PointInTimeRecoverySpecification',
  'Region',
  'SSESpecification',
  'Tags',
];

const replicasOf = (properties: Properties) =>
  (Array.isArray(properties.Replicas) ? properties.Replicas : []) as readonly Properties[];

const ofObject = (value: unknown): Properties => (isObject(value) ? value : {});

/** What is wanted of a global table, by its one replica; another region than the model's is refused. */
function wantedGlobalTable(properties: Properties, { region }: ModelContext): Wanted {
  const [replica = {}] = replicasOf(properties);
  if (replica.Region !== region) {
    throw new Error(`Replicas.Region is ${replica.Region}, and the model is ${region}`);
  }
  return {
    table: {
      ...pick(properties, created),
      BillingMode: 'PAY_PER_REQUEST',
      DeletionProtectionEnabled: replica.DeletionProtectionEnabled,
      // Whether there is a key is said of all replicas, which key of each.
      SSESpecification: { ...ofObject(properties.SSESpecification), ...ofObject(replica.SSESpecification) },
      Tags: replica.Tags,
    },
    recovery: replica.PointInTimeRecoverySpecification,
    timeToLive: properties.TimeToLiveSpecification,
  };
}

/** AWS::DynamoDB::GlobalTable (TableV2 of CDK) with its one replica in the model's region. */
export const globalTable: ResourceProvider = {
  properties: ['TableName', 'TimeToLiveSpecification', 'Replicas', 'SSESpecification', ...created],
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
  replacedBy: ['KeySchema', 'LocalSecondaryIndexes', 'TableName'],
  replaces: retyped,
  nameProperty: 'TableName',
  async create(properties, provider) {
    const wanted = wantedGlobalTable(properties, provider.context);
    for (const [name, reason] of Object.entries(always)) {
      if (replicasOf(properties)[0]?.[name] !== undefined) {
        provider.warn(`Replicas.${name} has no effect: ${reason}`);
      }
    }
    return createTable(properties, wanted, provider);
  },
  update: async (made, before, after, provider) =>
    updateTable(
      made,
      wantedGlobalTable(before, provider.context),
      wantedGlobalTable(after, provider.context),
      provider,
    ),
  delete: deleteTable,
};
