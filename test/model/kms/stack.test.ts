import { App, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { Alarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, it } from 'vitest';
import { loadAssembly } from '../../../local/index.ts';
import { inWorld, type World } from './support.ts';

type Fill = (stack: Stack) => void;

async function deploy({ aws }: World, fill: Fill, props: StackProps = {}) {
  const app = new App({ analyticsReporting: false });
  const stack = new Stack(app, 'Shop', { env: { account: '000000000000', region: 'us-east-1' }, ...props });
  fill(stack);
  return aws.cloudformation.deploy(loadAssembly(app.synth().directory), 'Shop');
}
const physical = (deployed: Awaited<ReturnType<typeof deploy>>, type: string) =>
  Object.values(deployed.resources).find((resource) => resource.type === type)!.physicalId;

describe('A stack with keys', () => {
  const keyed =
    (settings: { readonly disabled?: boolean; readonly description?: string } = {}): Fill =>
    (stack) => {
      const key = new Key(stack, 'Key', {
        alias: 'orders',
        enabled: settings.disabled !== true,
        enableKeyRotation: true,
        ...(settings.description === undefined ? {} : { description: settings.description }),
        removalPolicy: RemovalPolicy.DESTROY,
      });
      const queue = new Queue(stack, 'Queue', { encryption: QueueEncryption.KMS, encryptionMasterKey: key });
      const topic = new Topic(stack, 'Topic', { masterKey: key });
      topic.addSubscription(new SqsSubscription(queue, { rawMessageDelivery: true }));
    };

  it('delivers through them, keeps a key that is changed, and schedules the end of one that is removed', () =>
    inWorld(async (world) => {
      const first = await deploy(world, keyed());
      const KeyId = physical(first, 'AWS::KMS::Key');
      const TopicArn = physical(first, 'AWS::SNS::Topic');
      const queue = world.aws.sqs.queues()[0]!;
      await world.call('sns', 'Publish', { TopicArn, Message: 'hello' });
      expect(world.aws.sqs.queue(queue.arn)).toMatchObject({ visible: 1 });
      expect(await world.call('kms', 'DescribeKey', { KeyId: 'alias/orders' })).toMatchObject({
        KeyMetadata: { KeyId, KeyState: 'Enabled' },
      });
      expect(await world.call('kms', 'GetKeyRotationStatus', { KeyId })).toMatchObject({
        KeyRotationEnabled: true,
      });

      const second = await deploy(world, keyed({ disabled: true, description: 'orders' }));
      expect(physical(second, 'AWS::KMS::Key')).toBe(KeyId);
      await expect(world.call('sns', 'Publish', { TopicArn, Message: 'hello' })).rejects.toMatchObject({
        name: 'KMSDisabledException',
      });

      await world.call('cloudformation', 'DeleteStack', { StackName: 'Shop' });
      expect(await world.call('kms', 'DescribeKey', { KeyId })).toMatchObject({
        KeyMetadata: { KeyState: 'PendingDeletion', Description: 'orders' },
      });
      await expect(world.call('kms', 'DescribeKey', { KeyId: 'alias/orders' })).rejects.toMatchObject({
        name: 'NotFoundException',
      });
    }));

  it('is refused a second alias of one name', () =>
    inWorld(async (world) => {
      const TargetKeyId = await world.key();
      await world.call('kms', 'CreateAlias', { AliasName: 'alias/orders', TargetKeyId });
      await expect(deploy(world, keyed())).rejects.toThrow(
        /'AWS::KMS::Alias' with identifier 'alias\/orders' already exists/,
      );
    }));

  it('gets a log group under a key only when CloudWatch Logs may use it', () =>
    inWorld(async (world) => {
      const logs =
        (granted: boolean): Fill =>
        (stack) => {
          const key = new Key(stack, 'Key');
          new LogGroup(stack, 'Log', { logGroupName: 'orders', encryptionKey: key });
          if (!granted) return;
          const statement = new PolicyStatement({
            principals: [new ServicePrincipal(`logs.us-east-1.amazonaws.com`)],
            actions: [
              'kms:Encrypt*',
              'kms:Decrypt*',
              'kms:ReEncrypt*',
              'kms:GenerateDataKey*',
              'kms:Describe*',
            ],
            resources: ['*'],
            conditions: {
              ArnLike: { 'kms:EncryptionContext:aws:logs:arn': 'arn:aws:logs:us-east-1:*:log-group:orders' },
            },
          });
          key.addToResourcePolicy(statement);
        };
      await expect(deploy(world, logs(false))).rejects.toThrow(
        /The specified KMS key does not exist or is not allowed to be used with Arn 'arn:aws:logs:us-east-1:000000000000:log-group:orders'/,
      );
      await deploy(world, logs(true));
    }));
});

describe('A stack with alarms that write to a mailbox', () => {
  const alarmed: Fill = (stack) => {
    const topic = new Topic(stack, 'Alarms');
    topic.addSubscription(new EmailSubscription('operator@example.org'));
    const metric = new Metric({ namespace: 'shop', metricName: 'lag' });
    new Alarm(stack, 'Late', { metric, threshold: 1, evaluationPeriods: 1 }).addAlarmAction(
      new SnsAction(topic),
    );
  };

  it('deploys, asks the mailbox, and leaves what nobody confirmed to its time', () =>
    inWorld(async (world) => {
      const deployed = await deploy(world, alarmed);
      expect(deployed.warnings).toEqual([]);
      expect(physical(deployed, 'AWS::SNS::Subscription')).toMatch(/^arn:aws:sns:/);
      expect(world.letters).toMatchObject([{ to: 'operator@example.org', token: expect.any(String) }]);
      await world.call('cloudformation', 'DeleteStack', { StackName: 'Shop' });
      expect(await world.call('sns', 'ListSubscriptions', {})).toEqual({ Subscriptions: [] });
      expect(await world.call('cloudformation', 'DescribeStacks', {})).toEqual({ Stacks: [] });
    }));
});

describe('A stack with a table for life', () => {
  const records =
    (prod: boolean): Fill =>
    (stack) => {
      new TableV2(stack, 'Records', {
        tableName: 'records',
        partitionKey: { name: 'pk', type: AttributeType.STRING },
        billing: Billing.onDemand(),
        deletionProtection: prod,
        encryption: prod
          ? TableEncryptionV2.customerManagedKey(new Key(stack, 'Key'))
          : TableEncryptionV2.dynamoOwnedKey(),
        pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: prod },
        removalPolicy: prod ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      });
    };
  const described = async ({ call }: World) =>
    (await call<{ Table: Record<string, unknown> }>('dynamodb', 'DescribeTable', { TableName: 'records' }))
      .Table;

  it('protects it, under its key, in place and back', () =>
    inWorld(async (world) => {
      await deploy(world, records(false));
      expect(await described(world)).toMatchObject({ DeletionProtectionEnabled: false });
      const { warnings } = await deploy(world, records(true));
      expect(warnings).toEqual([]);
      expect(await described(world)).toMatchObject({
        DeletionProtectionEnabled: true,
        SSEDescription: { KMSMasterKeyArn: expect.stringMatching(/^arn:aws:kms:/) },
      });
      await deploy(world, records(false));
      const table = await described(world);
      expect(table).toMatchObject({ DeletionProtectionEnabled: false });
      expect(table.SSEDescription).toBeUndefined();
    }));

  it('keeps it when the stack goes', () =>
    inWorld(async (world) => {
      await deploy(world, records(true));
      await world.call('cloudformation', 'DeleteStack', { StackName: 'Shop' });
      expect(await described(world)).toMatchObject({ DeletionProtectionEnabled: true });
    }));

  it('cannot be deleted where the table is protected but not retained', () =>
    inWorld(async (world) => {
      const fill: Fill = (stack) => {
        new TableV2(stack, 'Records', {
          ...{ tableName: 'records', partitionKey: { name: 'pk', type: AttributeType.STRING } },
          ...{ deletionProtection: true, removalPolicy: RemovalPolicy.DESTROY },
        });
      };
      await deploy(world, fill);
      await world.call('cloudformation', 'DeleteStack', { StackName: 'Shop' });
      const { Stacks } = await world.call<{ Stacks: object[] }>('cloudformation', 'DescribeStacks', {
        StackName: 'Shop',
      });
      expect(Stacks).toMatchObject([{ StackStatus: 'DELETE_FAILED' }]);
      await world.call('dynamodb', 'UpdateTable', { TableName: 'records', DeletionProtectionEnabled: false });
      await world.call('cloudformation', 'DeleteStack', { StackName: 'Shop' });
      await expect(described(world)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    }));
});
