import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Duration, RemovalPolicy, Stack, Tags } from 'aws-cdk-lib';
import { Alarm, AlarmRule, CompositeAlarm, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { AttributeType, BillingMode, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Repository } from 'aws-cdk-lib/aws-ecr';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { expect, it } from 'vitest';
import { seededRandom } from '../../../lib/base/index.ts';
import { createVirtualClock } from '../../../local/clock.ts';
import { type DeployedStack, loadAssembly } from '../../../local/cloudformation/index.ts';
import { type AwsModel, createAws } from '../../../local/index.ts';
import { inProcessExecutor } from '../../../local/lambda/index.ts';

/** An app as users write them, in its first form or changed in every resource. */
function synthesize(outdir: string, changed: boolean): void {
  const app = new App({ outdir, analyticsReporting: false });
  const stack = new Stack(app, 'Plain');
  if (changed) Tags.of(stack).add('stage', 'next');
  const key = new Key(stack, 'Key', { enableKeyRotation: changed, alias: 'plain' });
  const queue = new Queue(stack, 'Queue', {
    visibilityTimeout: Duration.seconds(changed ? 120 : 60),
    deadLetterQueue: { queue: new Queue(stack, 'Dead'), maxReceiveCount: changed ? 5 : 3 },
    ...(changed ? {} : { encryptionMasterKey: key }),
  });
  const topic = new Topic(stack, 'Topic', changed ? { displayName: 'Plain' } : { masterKey: key });
  topic.addSubscription(new SqsSubscription(queue, { rawMessageDelivery: changed }));
  const table = new Table(stack, 'Table', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    billingMode: changed ? BillingMode.PAY_PER_REQUEST : BillingMode.PROVISIONED,
    removalPolicy: RemovalPolicy.DESTROY,
    ...(changed ? { timeToLiveAttribute: 'ttl', stream: StreamViewType.NEW_IMAGE } : {}),
  });
  if (changed) {
    table.addGlobalSecondaryIndex({
      indexName: 'by-owner',
      partitionKey: { name: 'owner', type: AttributeType.STRING },
    });
  }
  const bucket = new Bucket(stack, 'Bucket', {
    versioned: changed,
    removalPolicy: RemovalPolicy.DESTROY,
    enforceSSL: true,
    encryption: changed ? BucketEncryption.S3_MANAGED : BucketEncryption.KMS,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    lifecycleRules: [{ expiration: Duration.days(changed ? 7 : 30), prefix: 'old/' }],
  });
  new Repository(stack, 'Images', {
    removalPolicy: RemovalPolicy.DESTROY,
    lifecycleRules: [{ maxImageCount: changed ? 5 : 10 }],
  });
  const limit = new StringParameter(stack, 'Limit', { stringValue: changed ? '20' : '10' });
  const worker = new LambdaFunction(stack, 'Worker', {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromInline(`exports.handler = async () => ${changed ? 2 : 1};`),
    environment: { TABLE: table.tableName, LIMIT: limit.stringValue },
    timeout: Duration.seconds(30),
    logGroup: new LogGroup(stack, 'Logs'),
  });
  table.grantReadWriteData(worker);
  bucket.grantRead(worker);
  new ManagedPolicy(stack, 'Managed', {
    roles: [worker.role!],
    statements: [new PolicyStatement({ actions: [changed ? 's3:GetObject' : 's3:*'], resources: ['*'] })],
  });
  const live = worker.addAlias('live');
  live.addEventSource(new SqsEventSource(queue, { batchSize: changed ? 5 : 10 }));
  const lag = new Alarm(stack, 'Lag', {
    metric: queue.metricApproximateAgeOfOldestMessage(),
    threshold: changed ? 120 : 60,
    evaluationPeriods: 3,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  lag.addAlarmAction(new SnsAction(topic));
  new CompositeAlarm(stack, 'Any', { alarmRule: AlarmRule.anyOf(lag) });
  app.synth();
}

/** What the account holds, service by service. */
const holdings = async (aws: AwsModel) => {
  const lists = [
    ['sqs', 'ListQueues'],
    ['sns', 'ListTopics'],
    ['sns', 'ListSubscriptions'],
    ['dynamodb', 'ListTables'],
    ['s3', 'ListBuckets'],
    ['ecr', 'DescribeRepositories'],
    ['ssm', 'DescribeParameters'],
    ['lambda', 'ListFunctions'],
    ['lambda', 'ListEventSourceMappings'],
    ['cloudwatch', 'DescribeAlarms'],
    ['iam', 'ListRoles'],
    ['iam', 'ListPolicies'],
  ] as const;
  const counts = lists.map(async ([service, action]) => {
    const answer = await aws.call(service, action, {});
    const found = Object.values(answer).filter(Array.isArray) as unknown[][];
    return [action, found.reduce((sum, list) => sum + list.length, 0)] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
};

/** A look at three resources: the queue's visibility, the parameter's value, the version that the alias leads to. */
async function settings(aws: AwsModel, { resources }: DeployedStack): Promise<readonly unknown[]> {
  const idOf = (name: string) =>
    Object.entries(resources).find(([logicalId]) => new RegExp(`^${name}[0-9A-F]{8}$`).test(logicalId))?.[1]
      .physicalId;
  const { Attributes } = (await aws.call('sqs', 'GetQueueAttributes', {
    QueueUrl: idOf('Queue'),
    AttributeNames: ['VisibilityTimeout'],
  })) as { Attributes: Record<string, string> };
  const { Parameter } = (await aws.call('ssm', 'GetParameter', { Name: idOf('Limit') })) as {
    Parameter: { Value: string };
  };
  const { FunctionVersion } = (await aws.call('lambda', 'GetAlias', {
    FunctionName: idOf('Worker'),
    Name: 'live',
  })) as { FunctionVersion: string };
  return [Attributes.VisibilityTimeout, Parameter.Value, FunctionVersion];
}

it('An app of plain aws-cdk-lib is deployed, changed in every resource, led back, and leaves nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-plain-'));
  const clock = createVirtualClock();
  const aws = createAws({
    clock,
    random: seededRandom(1),
    executor: () => inProcessExecutor({ clock, handlers: () => async () => 1 }),
  });
  try {
    for (const form of ['first', 'next']) synthesize(join(folder, form), form === 'next');
    const deploy = (form: string) => aws.cloudformation.deploy(loadAssembly(join(folder, form)));
    const first = await deploy('first');
    const before = await holdings(aws);
    expect(await settings(aws, first)).toEqual(['60', '10', '1']);
    const next = await deploy('next');
    expect(await settings(aws, next)).toEqual(['120', '20', '2']);
    const stable = ['Queue', 'Topic', 'Table', 'Bucket', 'Limit', 'Worker', 'Lag', 'Any', 'Managed'];
    const idsOf = (stack: typeof first) =>
      Object.entries(stack.resources)
        .filter(([logicalId]) => stable.some((name) => new RegExp(`^${name}[0-9A-F]{8}$`).test(logicalId)))
        .map(([logicalId, { physicalId }]) => [logicalId, physicalId]);
    expect(idsOf(first)).toHaveLength(stable.length);
    expect(idsOf(next)).toEqual(idsOf(first));
    expect(await settings(aws, await deploy('first'))).toEqual(['60', '10', '3']);
    expect(await holdings(aws)).toEqual(before);
    await aws.call('cloudformation', 'DeleteStack', { StackName: 'Plain' });
    const left = await holdings(aws);
    expect(Object.entries(left).filter(([, count]) => count > 0)).toEqual([]);
  } finally {
    aws.stop();
    rmSync(folder, { recursive: true });
  }
});
