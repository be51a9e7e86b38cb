import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import type { FargateTaskDefinition } from 'aws-cdk-lib/aws-ecs';
import type { Role, User } from 'aws-cdk-lib/aws-iam';
import type { Key, Alias as KeyAlias } from 'aws-cdk-lib/aws-kms';
import type { Alias, DockerImageFunction, Function as LambdaFunction, Version } from 'aws-cdk-lib/aws-lambda';
import type { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type {
  AlarmTopicProps,
  Consumer,
  ConsumerFunctionProps,
  HandlerFunctionOptions,
  MessagingDashboardProps,
  MessagingStackProps,
  MessagingSubscriber,
  MessagingTopic,
  QueueAlarmsProps,
  RecordsTableProps,
  SubscriberOptions,
  SubscriberQueueProps,
  TopicOwnerPolicyProps,
} from 'sluice/cdk';
import { describe, expectTypeOf, it } from 'vitest';

describe('What the CDK makes fits where it is asked for, with exact optional properties', () => {
  it('networks', () => {
    expectTypeOf<Vpc>().toExtend<HandlerFunctionOptions['vpc']>();
    expectTypeOf<Vpc>().toExtend<ConsumerFunctionProps['vpc']>();
    expectTypeOf<Vpc>().toExtend<MessagingStackProps['vpc']>();
    expectTypeOf<Vpc>().toExtend<SubscriberOptions['vpc']>();
    expectTypeOf<SecurityGroup[]>().toExtend<HandlerFunctionOptions['securityGroups']>();
    expectTypeOf<SecurityGroup[]>().toExtend<MessagingStackProps['securityGroups']>();
  });

  it('topics, queues and tables', () => {
    expectTypeOf<{ orders: Topic }>().toExtend<MessagingStackProps['topics']>();
    expectTypeOf<Topic>().toExtend<MessagingStackProps['alarmTopic'] & AlarmTopicProps['topic']>();
    expectTypeOf<Topic>().toExtend<SubscriberQueueProps['topic'] & TopicOwnerPolicyProps['topic']>();
    expectTypeOf<Queue>().toExtend<SubscriberOptions['queue'] & SubscriberQueueProps['queue']>();
    expectTypeOf<Queue>().toExtend<ConsumerFunctionProps['queue'] & QueueAlarmsProps['queue']>();
    expectTypeOf<Table>().toExtend<MessagingStackProps['records']>();
    expectTypeOf<TableV2>().toExtend<MessagingStackProps['records']>();
    expectTypeOf<Table>().toExtend<RecordsTableProps['table']>();
    expectTypeOf<TableV2>().toExtend<RecordsTableProps['table']>();
  });

  it('keys', () => {
    expectTypeOf<Key>().toExtend<MessagingStackProps['encryptionKey']>();
    expectTypeOf<KeyAlias>().toExtend<MessagingStackProps['encryptionKey']>();
    expectTypeOf<Key>().toExtend<
      HandlerFunctionOptions['encryptionKey'] & AlarmTopicProps['encryptionKey']
    >();
    expectTypeOf<{ orders: Key }>().toExtend<MessagingStackProps['topicKeys']>();
  });

  it('functions, containers and those who are granted to', () => {
    type Consumes = Parameters<typeof Consumer.fromFunction>[0];
    expectTypeOf<LambdaFunction>().toExtend<Consumes>();
    expectTypeOf<DockerImageFunction>().toExtend<Consumes>();
    expectTypeOf<NodejsFunction>().toExtend<Consumes>();
    expectTypeOf<Alias>().toExtend<Consumes>();
    expectTypeOf<Version>().toExtend<Consumes>();
    expectTypeOf<NodejsFunction>().toExtend<
      ConsumerFunctionProps['function'] & QueueAlarmsProps['function']
    >();
    expectTypeOf<FargateTaskDefinition>().toExtend<Parameters<typeof Consumer.container>[0]>();
    type Grantee = Parameters<MessagingTopic['grantPublish']>[0];
    expectTypeOf<NodejsFunction | Role | User | Alias>().toExtend<Grantee>();
    expectTypeOf<MessagingSubscriber>().toExtend<Grantee>();
    expectTypeOf<Alarm[]>().toExtend<MessagingDashboardProps['alarms']>();
  });
});
