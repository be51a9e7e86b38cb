import fc from 'fast-check';
import { milliseconds, seededRandom } from '../../../lib/base/index.ts';
import { createVirtualClock } from '../../../local/clock.ts';
import type { Made, Properties } from '../../../local/cloudformation/provider.ts';
import { createKms } from '../../../local/kms/index.ts';
import { queueArn, queueUrl, topicArn, type World } from './updates-support.ts';

/** A type of resource, property sets between which an update may lead, and how to look at what was made. */
export interface Specimen {
  readonly type: string;
  readonly pairs: fc.Arbitrary<readonly [Properties, Properties]>;
  /** What the properties refer to. */
  prepare?(world: World): Promise<void>;
  look(world: World, made: Made): Promise<unknown>;
}

const twice = (properties: fc.Arbitrary<Properties>) => fc.tuple(properties, properties);
const without = (value: unknown, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(value as object).filter(([name]) => !names.includes(name)));
const some = <Values extends readonly unknown[]>(...values: Values): fc.Arbitrary<Values[number]> =>
  fc.constantFrom(...values);
const byName = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

const tags = fc
  .dictionary(some('team', 'stage', 'cost'), some('a', 'b', ''), { maxKeys: 3 })
  .map((values) => Object.entries(values).map(([Key, Value]) => ({ Key, Value })));
const document = some('one', 'two').map((Sid) => ({
  Version: '2012-10-17',
  Statement: [{ Sid, Effect: 'Allow', Principal: '*', Action: 'sqs:SendMessage', Resource: '*' }],
}));
/** A policy of a role, which names no principal. */
const rights = document.map(({ Version, Statement: [{ Principal: _, ...statement } = {}] }) => ({
  Version,
  Statement: [statement],
}));
const fewOf = <Value>(values: readonly Value[]) =>
  fc.subarray([...values], { minLength: 1, maxLength: values.length });

const queueProperties = (fifo: boolean): fc.Arbitrary<Properties> =>
  fc
    .record(
      {
        FifoQueue: fc.constant(fifo),
        DelaySeconds: fc.integer({ min: 0, max: 900 }),
        MaximumMessageSize: some(1024, 262_144),
        MessageRetentionPeriod: some(60, '345600', 1_209_600),
        ReceiveMessageWaitTimeSeconds: fc.integer({ min: 0, max: 20 }),
        VisibilityTimeout: some(0, 30, '60'),
        RedrivePolicy: fc.integer({ min: 1, max: 1000 }).map((maxReceiveCount) => ({
          deadLetterTargetArn: queueArn(fifo ? 'dead.fifo' : 'dead'),
          maxReceiveCount,
        })),
        RedriveAllowPolicy: some('denyAll', 'allowAll').map((redrivePermission) => ({ redrivePermission })),
        KmsMasterKeyId: some('alias/one', 'alias/two'),
        KmsDataKeyReusePeriodSeconds: some(60, 3600),
        SqsManagedSseEnabled: fc.boolean(),
        Tags: tags,
        ...(fifo && {
          ContentBasedDeduplication: fc.boolean(),
          high: fc.boolean(),
        }),
      },
      { requiredKeys: fifo ? ['FifoQueue'] : [] },
    )
    .filter(
      ({ KmsMasterKeyId, SqsManagedSseEnabled }) =>
        KmsMasterKeyId === undefined || SqsManagedSseEnabled !== true,
    )
    .map(({ high, ...rest }: Properties) => ({
      ...rest,
      ...(high === true && {
        DeduplicationScope: 'messageGroup',
        FifoThroughputLimit: 'perMessageGroupId',
      }),
      ...(high === false && { DeduplicationScope: 'messageGroup' }),
    }));

const makeQueues =
  (...names: readonly string[]) =>
  async (world: World) => {
    for (const QueueName of names) {
      const Attributes = QueueName.endsWith('.fifo') ? { FifoQueue: 'true' } : {};
      await world.call('sqs', 'CreateQueue', { QueueName, Attributes });
    }
  };

const queueAttribute = async (world: World, QueueUrl: string, ...AttributeNames: readonly string[]) =>
  (await world.call<{ Attributes: object }>('sqs', 'GetQueueAttributes', { QueueUrl, AttributeNames }))
    .Attributes;

const queue: Specimen = {
  type: 'AWS::SQS::Queue',
  pairs: fc.boolean().chain((fifo) => twice(queueProperties(fifo))),
  prepare: makeQueues('dead', 'dead.fifo'),
  async look(world, { physicalId }) {
    const attributes = await queueAttribute(world, physicalId, 'All');
    return {
      attributes: without(attributes, 'CreatedTimestamp', 'LastModifiedTimestamp'),
      tags: await world.call('sqs', 'ListQueueTags', { QueueUrl: physicalId }),
    };
  },
};

const queues = ['a', 'b', 'c'];

const queuePolicy: Specimen = {
  type: 'AWS::SQS::QueuePolicy',
  pairs: twice(fc.record({ PolicyDocument: document, Queues: fewOf(queues.map(queueUrl)) })),
  prepare: makeQueues(...queues),
  look: async (world) => Promise.all(queues.map((name) => queueAttribute(world, queueUrl(name), 'Policy'))),
};

const topicProperties = (fifo: boolean): fc.Arbitrary<Properties> =>
  fc.record(
    {
      FifoTopic: fc.constant(fifo),
      DisplayName: some('', 'Orders', 'Bills'),
      KmsMasterKeyId: some('alias/one', 'alias/two'),
      TracingConfig: some('PassThrough', 'Active'),
      SignatureVersion: some('1', 2),
      Tags: tags,
      Subscription: fewOf(queues).map((names) =>
        names.map((name) => ({ Protocol: 'sqs', Endpoint: queueArn(name) })),
      ),
      ...(fifo && {
        ContentBasedDeduplication: fc.boolean(),
        ArchivePolicy: some({ MessageRetentionPeriod: '30' }, { MessageRetentionPeriod: '60' }),
      }),
    },
    { requiredKeys: fifo ? ['FifoTopic'] : [] },
  );

const topicAttributes = async (world: World, TopicArn: string) =>
  (await world.call<{ Attributes: object }>('sns', 'GetTopicAttributes', { TopicArn })).Attributes;

const topic: Specimen = {
  type: 'AWS::SNS::Topic',
  pairs: fc.boolean().chain((fifo) => twice(topicProperties(fifo))),
  prepare: makeQueues(...queues),
  async look(world, { physicalId: TopicArn }) {
    const { Subscriptions } = await world.call<{ Subscriptions: { Endpoint: string }[] }>(
      'sns',
      'ListSubscriptionsByTopic',
      { TopicArn },
    );
    const { Tags } = await world.call<{ Tags: object[] }>('sns', 'ListTagsForResource', {
      ResourceArn: TopicArn,
    });
    return {
      // What a topic does not say of itself is its default.
      attributes: {
        SignatureVersion: '1',
        TracingConfig: 'PassThrough',
        ...without(await topicAttributes(world, TopicArn), 'SubscriptionsDeleted'),
      },
      subscriptions: Subscriptions.map(({ Endpoint }) => Endpoint).sort(),
      tags: Tags.sort(byName),
    };
  },
};

const topics = ['x', 'y', 'z'];

const topicPolicy: Specimen = {
  type: 'AWS::SNS::TopicPolicy',
  pairs: twice(fc.record({ PolicyDocument: document, Topics: fewOf(topics.map(topicArn)) })),
  async prepare(world) {
    for (const Name of topics) await world.call('sns', 'CreateTopic', { Name });
  },
  look: async (world) =>
    Promise.all(
      topics.map(async (name) => without(await topicAttributes(world, topicArn(name)), 'TopicArn')),
    ),
};

const filters = fc.oneof(
  fc.record({
    FilterPolicy: some({ type: ['placed'] }, { type: [{ prefix: 'order' }] }),
    FilterPolicyScope: fc.constant('MessageAttributes'),
  }),
  fc.record({ FilterPolicy: some({ type: ['placed'] }, { size: [{ exists: true }] }) }),
  fc.record({
    FilterPolicy: some({ order: { total: [{ numeric: ['>', 10] }] } }, { type: ['placed'] }),
    FilterPolicyScope: fc.constant('MessageBody'),
  }),
  some({}, { FilterPolicyScope: 'MessageBody' }),
);

const subscription: Specimen = {
  type: 'AWS::SNS::Subscription',
  pairs: twice(
    fc
      .tuple(
        filters,
        fc.record(
          {
            RawMessageDelivery: some(true, 'false'),
            RedrivePolicy: some('b', 'c').map((name) => ({ deadLetterTargetArn: queueArn(name) })),
          },
          { requiredKeys: [] },
        ),
      )
      .map(([filter, rest]) => ({
        ...filter,
        ...rest,
        TopicArn: topicArn('x'),
        Protocol: 'sqs',
        Endpoint: queueArn('a'),
      })),
  ),
  async prepare(world) {
    await makeQueues(...queues)(world);
    await world.call('sns', 'CreateTopic', { Name: 'x' });
  },
  look: (world, { physicalId }) =>
    world.call('sns', 'GetSubscriptionAttributes', { SubscriptionArn: physicalId }),
};

const indexNamed = (name: string) => ({
  IndexName: `by-${name}`,
  KeySchema: [{ AttributeName: name, KeyType: 'HASH' }],
  Projection: { ProjectionType: 'ALL' },
});

const tableOf = (indexed: readonly string[]): Properties => ({
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  AttributeDefinitions: ['pk', ...indexed].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
  ...(indexed.length > 0 && { GlobalSecondaryIndexes: indexed.map(indexNamed) }),
});

/** Indexes of which at most one comes or goes between the two, as CloudFormation demands. */
const tablePairs = (rest: fc.Arbitrary<Properties>) =>
  fc
    .tuple(fc.subarray(['one', 'two']), fc.option(some('one', 'two'), { nil: undefined }))
    .chain(([indexed, changed]) => {
      const after = indexed.filter((name) => name !== changed);
      if (changed !== undefined && !indexed.includes(changed)) after.push(changed);
      const combined = (names: readonly string[]) => rest.map((given) => ({ ...tableOf(names), ...given }));
      return fc.tuple(combined(indexed), combined(after));
    });

const recovery = fc.option(
  fc.oneof(
    fc.record({ PointInTimeRecoveryEnabled: fc.boolean() }),
    fc.record({ PointInTimeRecoveryEnabled: fc.constant(true), RecoveryPeriodInDays: some(7, '14') }),
  ),
  { nil: undefined },
);
const timeToLive = fc.record({ AttributeName: fc.constant('ttl'), Enabled: some(true, false, 'true') });

const tableKey = some<Properties[]>(
  { SSEEnabled: false },
  { SSEEnabled: true },
  { SSEEnabled: 'true', SSEType: 'KMS', KMSMasterKeyId: 'alias/aws/sqs' },
);

const stream = some('KEYS_ONLY', 'NEW_IMAGE').map((StreamViewType) => ({ StreamViewType }));

async function lookAtTable(world: World, { physicalId: TableName }: Made) {
  const { Table } = await world.call<{ Table: Record<string, unknown> }>('dynamodb', 'DescribeTable', {
    TableName,
  });
  const sorted = (list: unknown) => [...((list ?? []) as object[])].sort(byName);
  const { Tags } = await world.call<{ Tags: object[] }>('dynamodb', 'ListTagsOfResource', {
    ResourceArn: Table.TableArn,
  });
  return {
    table: {
      // A table remembers the stream that it had, as on AWS; what its attribute says is compared by itself.
      ...without(Table, 'TableId', 'LatestStreamArn', 'LatestStreamLabel'),
      AttributeDefinitions: sorted(Table.AttributeDefinitions),
      GlobalSecondaryIndexes: sorted(Table.GlobalSecondaryIndexes),
    },
    expiry: await world.call('dynamodb', 'DescribeTimeToLive', { TableName }),
    backups: await world.call('dynamodb', 'DescribeContinuousBackups', { TableName }),
    tags: Tags.sort(byName),
  };
}

const table: Specimen = {
  type: 'AWS::DynamoDB::Table',
  pairs: tablePairs(
    fc
      .tuple(
        fc.oneof(
          fc.constant({ BillingMode: 'PAY_PER_REQUEST' }),
          fc.record({
            ProvisionedThroughput: some(1, 5, '7').map((units) => ({
              ReadCapacityUnits: units,
              WriteCapacityUnits: 2,
            })),
          }),
        ),
        fc.record(
          {
            Tags: tags,
            TimeToLiveSpecification: timeToLive,
            PointInTimeRecoverySpecification: recovery,
            StreamSpecification: stream,
            SSESpecification: tableKey,
          },
          { requiredKeys: [] },
        ),
      )
      .map(([capacity, rest]) => ({ ...capacity, ...rest })),
  ),
  look: lookAtTable,
};

const globalTable: Specimen = {
  type: 'AWS::DynamoDB::GlobalTable',
  pairs: tablePairs(
    fc.record(
      {
        TimeToLiveSpecification: timeToLive,
        StreamSpecification: stream,
        Replicas: fc
          .record({ Tags: tags, PointInTimeRecoverySpecification: recovery }, { requiredKeys: [] })
          .map((replica) => [{ Region: 'us-east-1', ...replica }]),
      },
      { requiredKeys: ['Replicas'] },
    ),
  ),
  look: lookAtTable,
};

const lambdaFunction: Specimen = {
  type: 'AWS::Lambda::Function',
  pairs: twice(
    fc.record(
      {
        Code: some('one.zip', 'two.zip').map((S3Key) => ({ S3Bucket: 'assets', S3Key })),
        Handler: some('index.handler', 'app.run'),
        Role: some('role/one', 'role/two'),
        Runtime: some('nodejs20.x', 'nodejs22.x'),
        Description: some('', 'Takes payments'),
        Timeout: some(1, '30', 900),
        MemorySize: some(128, '512'),
        Environment: fc.dictionary(some('A', 'B'), some('1', '2')).map((Variables) => ({ Variables })),
        TracingConfig: some('Active', 'PassThrough').map((Mode) => ({ Mode })),
        Architectures: some(['arm64'], ['x86_64']),
        ReservedConcurrentExecutions: some(0, '5'),
        Tags: tags,
      },
      { requiredKeys: ['Code', 'Handler', 'Role', 'Runtime'] },
    ),
  ),
  async prepare(world) {
    for (const name of ['one', 'two']) world.services.lambda.provideCode('assets', `${name}.zip`, `/${name}`);
  },
  async look(world, { physicalId: FunctionName }) {
    const { Configuration, ...rest } = await world.call('lambda', 'GetFunction', { FunctionName });
    return { ...rest, configuration: without(Configuration, 'LastModified', 'RevisionId') };
  },
};

const functions = ['first', 'second'];

const eventSourceMapping: Specimen = {
  type: 'AWS::Lambda::EventSourceMapping',
  pairs: twice(
    fc.record(
      {
        EventSourceArn: fc.constant(queueArn('a')),
        FunctionName: some(...functions),
        BatchSize: some(1, '5', 10),
        Enabled: some(true, false, 'false'),
        FilterCriteria: some('{"body":{"a":[1]}}', '{"body":{"b":[2]}}').map((Pattern) => ({
          Filters: [{ Pattern }],
        })),
        FunctionResponseTypes: some([], ['ReportBatchItemFailures']),
        MaximumBatchingWindowInSeconds: some(0, '10'),
        ScalingConfig: some(2, '7').map((MaximumConcurrency) => ({ MaximumConcurrency })),
      },
      { requiredKeys: ['EventSourceArn', 'FunctionName'] },
    ),
  ),
  async prepare(world) {
    await makeQueues('a')(world);
    for (const FunctionName of functions) {
      await world.call('lambda', 'CreateFunction', { FunctionName, Role: 'role' });
    }
  },
  async look(world, { physicalId: UUID }) {
    const mapping = await world.call('lambda', 'GetEventSourceMapping', { UUID });
    // The same is true of the event source that runs, and not only of what is shown of it.
    const [running] = world.services.lambda.eventSources();
    return {
      mapping: without(mapping, 'LastModified', 'UUID', 'EventSourceMappingArn'),
      running: [running?.functionName, running?.enabled],
    };
  },
};

const workerWithVersions = async (world: World) => {
  await world.call('lambda', 'CreateFunction', { FunctionName: 'worker', Role: 'role' });
  for (const MemorySize of [128, 256]) {
    await world.call('lambda', 'UpdateFunctionConfiguration', { FunctionName: 'worker', MemorySize });
    await world.call('lambda', 'PublishVersion', { FunctionName: 'worker' });
  }
};

const functionVersion: Specimen = {
  type: 'AWS::Lambda::Version',
  pairs: twice(
    some(1, 2).map((ProvisionedConcurrentExecutions) => ({
      FunctionName: 'worker',
      ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions },
    })),
  ),
  async prepare(world) {
    await world.call('lambda', 'CreateFunction', { FunctionName: 'worker', Role: 'role' });
  },
  async look(world, { physicalId: FunctionName }) {
    return without(await world.call('lambda', 'GetFunctionConfiguration', { FunctionName }), 'RevisionId');
  },
};

const eventInvokeConfig: Specimen = {
  type: 'AWS::Lambda::EventInvokeConfig',
  pairs: twice(
    fc.record(
      {
        FunctionName: fc.constant('worker'),
        Qualifier: fc.constant('$LATEST'),
        MaximumEventAgeInSeconds: some(60, '21600'),
        MaximumRetryAttempts: some(0, '1', 2),
      },
      { requiredKeys: ['FunctionName', 'Qualifier'] },
    ),
  ),
  prepare: workerWithVersions,
  look: (world) =>
    world.call('lambda', 'GetFunctionEventInvokeConfig', { FunctionName: 'worker', Qualifier: '$LATEST' }),
};

const functionAlias: Specimen = {
  type: 'AWS::Lambda::Alias',
  pairs: twice(
    fc
      .record(
        {
          FunctionName: fc.constant('worker'),
          Name: fc.constant('live'),
          FunctionVersion: some('1', '2'),
          Description: some('Old', 'New'),
          FunctionWeight: some(0.1, '0.5'),
        },
        { requiredKeys: ['FunctionName', 'Name', 'FunctionVersion'] },
      )
      .map(({ FunctionWeight, ...rest }) => ({
        ...rest,
        ...(FunctionWeight !== undefined && {
          RoutingConfig: {
            AdditionalVersionWeights: [
              { FunctionVersion: rest.FunctionVersion === '1' ? '2' : '1', FunctionWeight },
            ],
          },
        }),
      })),
  ),
  prepare: workerWithVersions,
  async look(world, { physicalId }) {
    const { Configuration } = await world.call('lambda', 'GetFunction', { FunctionName: physicalId });
    const alias = await world.call('lambda', 'GetAlias', { FunctionName: 'worker', Name: 'live' });
    return [without(alias, 'RevisionId'), without(Configuration, 'RevisionId')];
  },
};

async function alarmTags(world: World, name: string): Promise<object[]> {
  const { Tags } = await world.call<{ Tags: object[] }>('cloudwatch', 'ListTagsForResource', {
    ResourceARN: `arn:aws:cloudwatch:us-east-1:000000000000:alarm:${name}`,
  });
  return Tags.sort(byName);
}

const alarm: Specimen = {
  type: 'AWS::CloudWatch::Alarm',
  pairs: twice(
    fc
      .tuple(
        fc.oneof(
          fc.record(
            {
              Namespace: fc.constant('AWS/SQS'),
              MetricName: some('ApproximateAgeOfOldestMessage', 'NumberOfMessagesSent'),
              Statistic: some('Maximum', 'Sum'),
              Period: some(60, '300'),
              Dimensions: some('a', 'b').map((Value) => [{ Name: 'QueueName', Value }]),
              Unit: some('Count', 'Seconds'),
            },
            { requiredKeys: ['Namespace', 'MetricName', 'Statistic', 'Period'] },
          ),
          some(60, '300').map((Period) => ({
            Metrics: [
              { Id: 'sum', Expression: 'm * 2' },
              {
                Id: 'm',
                ReturnData: false,
                MetricStat: {
                  Metric: { Namespace: 'AWS/SQS', MetricName: 'NumberOfMessagesSent' },
                  Period,
                  Stat: 'Sum',
                },
              },
            ],
          })),
        ),
        fc.record(
          {
            ComparisonOperator: some('GreaterThanThreshold', 'LessThanThreshold'),
            EvaluationPeriods: some(3, '5'),
            Threshold: some(1, '2.5'),
            ActionsEnabled: some(true, 'false'),
            AlarmActions: fc.subarray([topicArn('x'), topicArn('y')]),
            OKActions: fc.subarray([topicArn('x')]),
            AlarmDescription: some('Lag', 'Loss'),
            DatapointsToAlarm: some(1, '2'),
            TreatMissingData: some('breaching', 'notBreaching'),
            InsufficientDataActions: fc.subarray([topicArn('y')]),
            Tags: tags,
          },
          { requiredKeys: ['ComparisonOperator', 'EvaluationPeriods', 'Threshold'] },
        ),
      )
      .map(([metric, rest]) => ({ ...metric, ...rest })),
  ),
  async look(world, { physicalId }) {
    const { MetricAlarms } = await world.call<{ MetricAlarms: object[] }>('cloudwatch', 'DescribeAlarms', {
      AlarmNames: [physicalId],
    });
    return [MetricAlarms, await alarmTags(world, physicalId)];
  },
};

const compositeAlarm: Specimen = {
  type: 'AWS::CloudWatch::CompositeAlarm',
  pairs: twice(
    fc.record(
      {
        AlarmRule: some('TRUE', 'NOT FALSE'),
        ActionsEnabled: some(true, 'false'),
        AlarmActions: fc.subarray([topicArn('x'), topicArn('y')]),
        AlarmDescription: some('Any', 'All'),
        InsufficientDataActions: fc.subarray([topicArn('y')]),
        OKActions: fc.subarray([topicArn('x')]),
        Tags: tags,
      },
      { requiredKeys: ['AlarmRule'] },
    ),
  ),
  async look(world, { physicalId }) {
    const { CompositeAlarms } = await world.call<{ CompositeAlarms: object[] }>(
      'cloudwatch',
      'DescribeAlarms',
      { AlarmNames: [physicalId], AlarmTypes: ['CompositeAlarm'] },
    );
    // The reason tells of the last change of the state, and the state may have stayed.
    return [
      CompositeAlarms.map((found) => without(found, 'StateReason')),
      await alarmTags(world, physicalId),
    ];
  },
};

const dashboard: Specimen = {
  type: 'AWS::CloudWatch::Dashboard',
  pairs: twice(
    some('# One', '# Two').map((markdown) => ({
      DashboardBody: JSON.stringify({ widgets: [{ type: 'text', properties: { markdown } }] }),
    })),
  ),
  look: (world, { physicalId }) => world.call('cloudwatch', 'GetDashboard', { DashboardName: physicalId }),
};

const roles = ['reader', 'writer'];

async function makeRoles(world: World): Promise<void> {
  for (const RoleName of roles) {
    await world.create('AWS::IAM::Role', {
      RoleName,
      AssumeRolePolicyDocument: {},
      Policies: [{ PolicyName: 'own', PolicyDocument: { own: true } }],
    });
  }
}

const lookAtRoles = async (world: World) =>
  world.iam.roles().map((role) => ({
    ...role,
    policies: [...role.policies].sort(byName),
    managedPolicyArns: [...role.managedPolicyArns].sort(),
  }));

const role: Specimen = {
  type: 'AWS::IAM::Role',
  pairs: twice(
    fc.record(
      {
        AssumeRolePolicyDocument: document,
        Description: some('Reads', 'Writes'),
        ManagedPolicyArns: fc.subarray(['arn:aws:iam::aws:policy/A', 'arn:aws:iam::aws:policy/B']),
        MaxSessionDuration: some(3600, '7200'),
        PermissionsBoundary: some('arn:aws:iam::aws:policy/A', 'arn:aws:iam::aws:policy/B'),
        Policies: fc
          .dictionary(some('one', 'two'), rights)
          .map((policies) =>
            Object.entries(policies).map(([PolicyName, PolicyDocument]) => ({ PolicyName, PolicyDocument })),
          ),
        Tags: tags,
      },
      { requiredKeys: ['AssumeRolePolicyDocument'] },
    ),
  ),
  async look(world, { physicalId }) {
    const [found] = (await lookAtRoles(world)).filter(({ name }) => name === physicalId);
    const {
      description,
      maxSessionDuration,
      permissionsBoundary,
      tags: labels,
    } = world.iam.role(physicalId)!;
    return {
      ...found,
      description,
      maxSessionDuration,
      permissionsBoundary,
      tags: [...(labels ?? [])].sort(),
    };
  },
};

const policy: Specimen = {
  type: 'AWS::IAM::Policy',
  pairs: twice(fc.record({ PolicyName: some('read', 'write'), PolicyDocument: rights, Roles: fewOf(roles) })),
  prepare: makeRoles,
  look: lookAtRoles,
};

const managedPolicy: Specimen = {
  type: 'AWS::IAM::ManagedPolicy',
  pairs: twice(fc.record({ PolicyDocument: rights, Roles: fc.subarray(roles) })),
  prepare: makeRoles,
  look: async (world, { physicalId }) => ({
    roles: await lookAtRoles(world),
    document: world.iam.managedPolicy(physicalId)?.document,
  }),
};

const flags = ['BlockPublicAcls', 'BlockPublicPolicy', 'IgnorePublicAcls', 'RestrictPublicBuckets'];

const bucket: Specimen = {
  type: 'AWS::S3::Bucket',
  pairs: twice(
    fc.record(
      {
        BucketEncryption: some('AES256', 'aws:kms').map((SSEAlgorithm) => ({
          ServerSideEncryptionConfiguration: [
            { ServerSideEncryptionByDefault: { SSEAlgorithm }, BucketKeyEnabled: 'true' },
          ],
        })),
        PublicAccessBlockConfiguration: fc
          .subarray(flags)
          .map((names) => Object.fromEntries(names.map((name) => [name, true]))),
        OwnershipControls: some('ObjectWriter', 'BucketOwnerEnforced').map((ObjectOwnership) => ({
          Rules: [{ ObjectOwnership }],
        })),
        VersioningConfiguration: some('Enabled', 'Suspended').map((Status) => ({ Status })),
        LifecycleConfiguration: some(1, '30').map((ExpirationInDays) => ({
          Rules: [
            { Id: 'old', Status: 'Enabled', ExpirationInDays, Prefix: 'old/' },
            { Status: 'Enabled', AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
          ],
        })),
        CorsConfiguration: some('*', 'https://shop').map((origin) => ({
          CorsRules: [{ AllowedMethods: ['GET'], AllowedOrigins: [origin], MaxAge: '60' }],
        })),
        Tags: tags,
      },
      { requiredKeys: [] },
    ),
  ),
  async look(world, { physicalId: Bucket }) {
    const asked = ['BucketEncryption', 'PublicAccessBlock', 'BucketOwnershipControls'];
    const answers = await Promise.all(
      [...asked, 'BucketLifecycleConfiguration', 'BucketCors', 'BucketTagging'].map((setting) =>
        world.call('s3', `Get${setting}`, { Bucket }).catch((error: Error) => error.name),
      ),
    );
    const { Status = 'Suspended' } = await world.call('s3', 'GetBucketVersioning', { Bucket });
    // No tags, and a list of none, are the same to whoever looks.
    return [...answers, Status].map((answer) => (answer === 'NoSuchTagSet' ? { TagSet: [] } : answer));
  },
};

const bucketPolicy: Specimen = {
  type: 'AWS::S3::BucketPolicy',
  pairs: twice(document.map((PolicyDocument) => ({ Bucket: 'assets', PolicyDocument }))),
  prepare: async (world) => {
    await world.call('s3', 'CreateBucket', { Bucket: 'assets' });
  },
  look: (world) => world.call('s3', 'GetBucketPolicy', { Bucket: 'assets' }),
};

const parameter: Specimen = {
  type: 'AWS::SSM::Parameter',
  // Parameter Store makes no standard parameter of an advanced one.
  pairs: some('Standard', 'Advanced').chain((Tier) =>
    twice(
      fc.record(
        {
          Tier: fc.constant(Tier),
          Type: some('String', 'StringList'),
          Value: some('1', 'a,b', 33),
          Description: some('One', 'Two'),
          AllowedPattern: some('.*', '[a-z0-9,]+'),
          Tags: fc.dictionary(some('team', 'stage'), some('a', 'b')),
        },
        { requiredKeys: ['Tier', 'Type', 'Value'] },
      ),
    ),
  ),
  async look(world, { physicalId: Name }) {
    const { Parameters } = await world.call<{ Parameters: object[] }>('ssm', 'DescribeParameters', {
      ParameterFilters: [{ Key: 'Name', Values: [Name] }],
    });
    const { Parameter } = await world.call('ssm', 'GetParameter', { Name });
    const { TagList } = await world.call<{ TagList: object[] }>('ssm', 'ListTagsForResource', {
      ResourceType: 'Parameter',
      ResourceId: Name,
    });
    return {
      described: Parameters.map((described) => without(described, 'Version')),
      value: without(Parameter, 'Version'),
      tags: TagList.sort(byName),
    };
  },
};

const repository: Specimen = {
  type: 'AWS::ECR::Repository',
  pairs: twice(
    fc.record(
      {
        ImageTagMutability: some('MUTABLE', 'IMMUTABLE'),
        ImageScanningConfiguration: some(true, 'false').map((ScanOnPush) => ({ ScanOnPush })),
        LifecyclePolicy: some('{"rules":[]}', '{"rules":[{}]}').map((LifecyclePolicyText) => ({
          LifecyclePolicyText,
        })),
        RepositoryPolicyText: document,
        EmptyOnDelete: fc.boolean(),
        Tags: tags,
      },
      { requiredKeys: [] },
    ),
  ),
  async look(world, { physicalId: repositoryName, attributes }) {
    const { repositories } = await world.call('ecr', 'DescribeRepositories', {
      repositoryNames: [repositoryName],
    });
    const { tags: labels } = await world.call<{ tags: object[] }>('ecr', 'ListTagsForResource', {
      resourceArn: attributes.Arn,
    });
    const policies = ['GetRepositoryPolicy', 'GetLifecyclePolicy'].map((action) =>
      world.call('ecr', action, { repositoryName }).catch((error: Error) => error.name),
    );
    return [repositories, labels.sort(byName), ...(await Promise.all(policies))];
  },
};

const keyPolicy = some('one', 'two').map((Sid) => ({
  Version: '2012-10-17',
  Statement: [
    {
      Sid,
      Effect: 'Allow',
      Principal: { AWS: 'arn:aws:iam::000000000000:root' },
      Action: 'kms:*',
      Resource: '*',
    },
  ],
}));

const key: Specimen = {
  type: 'AWS::KMS::Key',
  pairs: twice(
    fc.record(
      {
        Description: some('', 'orders'),
        Enabled: some(true, 'true'),
        EnableKeyRotation: some(true, false, 'true'),
        RotationPeriodInDays: some(90, '365'),
        KeyPolicy: keyPolicy,
        PendingWindowInDays: some(7, 30),
        Tags: tags,
      },
      { requiredKeys: [] },
    ),
  ),
  async look(world, { physicalId: KeyId }) {
    const { KeyMetadata } = await world.call('kms', 'DescribeKey', { KeyId });
    const { Tags } = await world.call<{ Tags: object[] }>('kms', 'ListResourceTags', { KeyId });
    const { Policy } = await world.call<{ Policy: string }>('kms', 'GetKeyPolicy', { KeyId });
    const { Statement } = JSON.parse(Policy) as { Statement: { Sid?: string; Action: unknown }[] };
    return {
      metadata: without(KeyMetadata, 'KeyId', 'Arn'),
      rotation: without(await world.call('kms', 'GetKeyRotationStatus', { KeyId }), 'KeyId'),
      // The default policy has a sentence for its Sid that an update need not have.
      policy: Statement.map(({ Sid, Action }) => [Sid === 'one' || Sid === 'two' ? Sid : '', Action]),
      tags: Tags.sort(byName),
    };
  },
};

/** The first two keys of every account: chance is the same in all of them. */
const twoKeys = (() => {
  const { operations } = createKms({
    clock: createVirtualClock(milliseconds(0)),
    random: seededRandom(1),
    account: '000000000000',
    region: 'us-east-1',
  });
  return ['one', 'two'].map(() => operations.CreateKey({}, {}).KeyMetadata.KeyId ?? '');
})();

const keyAlias: Specimen = {
  type: 'AWS::KMS::Alias',
  pairs: twice(some(...twoKeys).map((TargetKeyId) => ({ AliasName: 'alias/orders', TargetKeyId }))),
  async prepare(world) {
    for (const _ of twoKeys) await world.call('kms', 'CreateKey', {});
  },
  look: (world) => world.call('kms', 'ListAliases', {}),
};

/** Of these the model keeps a name, which no update changes. */
const kept = (type: string, pairs: Specimen['pairs']): Specimen => ({
  type,
  pairs,
  look: async (_world, made) => made,
});

export const specimens: readonly Specimen[] = [
  queue,
  queuePolicy,
  topic,
  topicPolicy,
  subscription,
  table,
  globalTable,
  lambdaFunction,
  eventSourceMapping,
  functionVersion,
  functionAlias,
  eventInvokeConfig,
  alarm,
  dashboard,
  role,
  policy,
  managedPolicy,
  bucket,
  bucketPolicy,
  parameter,
  repository,
  compositeAlarm,
  kept('AWS::Logs::LogGroup', twice(some({}, { RetentionInDays: 7 }, { RetentionInDays: 30 }))),
  kept('AWS::CDK::Metadata', twice(some({ Analytics: 'one' }, { Analytics: 'two' }))),
  key,
  keyAlias,
  kept('AWS::EC2::SecurityGroup', twice(some({}, { SecurityGroupEgress: [{ CidrIp: '0.0.0.0/0' }] }))),
  kept('AWS::EC2::SecurityGroupEgress', twice(some({}, { Description: 'one' }))),
  kept('AWS::EC2::SecurityGroupIngress', twice(some({}, { Description: 'one' }))),
];
