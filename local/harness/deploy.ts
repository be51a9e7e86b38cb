import type {
  CreateEventSourceMappingCommandInput,
  CreateFunctionCommandInput,
} from '@aws-sdk/client-lambda';
import type { CreateTopicCommandOutput, SubscribeCommandInput } from '@aws-sdk/client-sns';
import type { CreateQueueCommandOutput, SetQueueAttributesCommandInput } from '@aws-sdk/client-sqs';
import {
  type Messaging,
  recordsTable,
  type Subscriber,
  type Topic,
  typeAttribute,
  environment as variables,
} from '../../lib/topology/index.ts';
import type { AwsModel } from '../aws.ts';
import type { Dispatcher } from '../dispatch.ts';

/** A queue of the deployed stack. */
export interface DeployedQueue {
  readonly url: string;
  readonly arn: string;
}

/** What belongs to one subscriber. */
export interface DeployedSubscriber {
  readonly queue: DeployedQueue;
  readonly deadLetterQueue: DeployedQueue;
  readonly subscriptionDeadLetterQueue: DeployedQueue;
  readonly subscriptionArn: string;
  readonly functionName: string;
  /** What the function finds in its environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A declaration that was deployed. */
export interface Deployed {
  readonly topicArns: Readonly<Record<string, string>>;
  readonly recordsTable: string;
  readonly subscribers: Readonly<Record<string, DeployedSubscriber>>;
}

/**
 * Makes of a declaration what the stack makes of it, without CDK and CloudFormation: topics, queues with their
 * dead-letter queues, subscriptions with theirs, and the table of records.
 */
export async function deployDeclaration(aws: Dispatcher, messaging: Messaging): Promise<Deployed> {
  const table = `${messaging.name}-records`;
  const { groups } = recordsTable;
  await aws.call('dynamodb', 'CreateTable', {
    TableName: table,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: recordsTable.partitionKey, AttributeType: 'S' },
      { AttributeName: groups.partitionKey, AttributeType: 'S' },
      { AttributeName: groups.sortKey, AttributeType: 'N' },
    ],
    KeySchema: [{ AttributeName: recordsTable.partitionKey, KeyType: 'HASH' }],
    GlobalSecondaryIndexes: [
      {
        IndexName: groups.indexName,
        KeySchema: [
          { AttributeName: groups.partitionKey, KeyType: 'HASH' },
          { AttributeName: groups.sortKey, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  });
  await aws.call('dynamodb', 'UpdateTimeToLive', {
    TableName: table,
    TimeToLiveSpecification: { AttributeName: recordsTable.timeToLive, Enabled: true },
  });
  const topicArns: Record<string, string> = {};
  for (const topic of Object.values(messaging.topics))
    topicArns[topic.name] = await createTopic(aws, messaging.name, topic);
  const subscribers: Record<string, DeployedSubscriber> = {};
  for (const subscriber of Object.values<Subscriber>(messaging.subscribers))
    subscribers[subscriber.name] = await createSubscriber(aws, messaging, subscriber, topicArns, table);
  return { topicArns, recordsTable: table, subscribers };
}

/** Makes the role of a function, with the one policy that it has. */
export function addRole(aws: Pick<AwsModel, 'context' | 'iam'>, name: string, document: object): void {
  const trust = {
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } },
    ],
  };
  aws.iam.store.addRole({
    name,
    arn: roleArn(aws, name),
    assumeRolePolicy: trust,
    policies: new Map([['rights', document]]),
    managedPolicyArns: new Set(),
  });
}

const roleArn = ({ context }: Pick<Dispatcher, 'context'>, name: string): string =>
  `arn:aws:iam::${context.account}:role/${name}`;

/** Makes the function of a subscriber, and the event source that feeds it from the queue. */
export async function connectFunction(
  aws: Dispatcher,
  subscriber: Subscriber,
  deployed: DeployedSubscriber,
): Promise<void> {
  await aws.call('lambda', 'CreateFunction', {
    FunctionName: deployed.functionName,
    Runtime: 'nodejs22.x',
    Role: roleArn(aws, deployed.functionName),
    Handler: 'index.handler',
    Timeout: subscriber.timeout,
    MemorySize: subscriber.memorySize,
    Environment: { Variables: { ...deployed.environment } },
    Code: {},
  } satisfies CreateFunctionCommandInput);
  await aws.call('lambda', 'CreateEventSourceMapping', {
    FunctionName: deployed.functionName,
    EventSourceArn: deployed.queue.arn,
    BatchSize: subscriber.batchSize,
    ...(subscriber.batchWindow > 0 ? { MaximumBatchingWindowInSeconds: subscriber.batchWindow } : {}),
    ScalingConfig: { MaximumConcurrency: subscriber.concurrency },
    FunctionResponseTypes: ['ReportBatchItemFailures'],
  } satisfies CreateEventSourceMappingCommandInput);
}

async function createTopic(aws: Dispatcher, stack: string, topic: Topic): Promise<string> {
  const { TopicArn } = (await aws.call('sns', 'CreateTopic', {
    Name: topic.topicName ?? named(stack, topic.name, '', topic.fifo),
    ...(topic.fifo
      ? {
          Attributes: {
            FifoTopic: 'true',
            ContentBasedDeduplication: 'false',
            FifoThroughputScope: 'MessageGroup',
          },
        }
      : {}),
  })) as CreateTopicCommandOutput;
  return TopicArn as string;
}

async function createSubscriber(
  aws: Dispatcher,
  messaging: Messaging,
  subscriber: Subscriber,
  topicArns: Readonly<Record<string, string>>,
  table: string,
): Promise<DeployedSubscriber> {
  const { name, fifo } = subscriber;
  const topic = messaging.topics[subscriber.topic] as Topic;
  const topicArn = topicArns[subscriber.topic] as string;
  const stack = messaging.name;
  const kept = { MessageRetentionPeriod: String(subscriber.deadLetterRetention) };
  const deadLetterQueue = await createQueue(aws, named(stack, name, 'dead-letters', fifo), fifo, kept);
  const queue = await createQueue(aws, subscriber.queueName ?? named(stack, name, '', fifo), fifo, {
    VisibilityTimeout: String(subscriber.visibilityTimeout),
    MessageRetentionPeriod: String(subscriber.retention),
    ReceiveMessageWaitTimeSeconds: '20',
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: deadLetterQueue.arn,
      maxReceiveCount: subscriber.maxReceiveCount,
    }),
  });
  // Its kind follows the topic's, not the queue's (SNS developer guide, "Dead-letter queues").
  const undelivered = await createQueue(aws, named(stack, name, 'undelivered', topic.fifo), topic.fifo, kept);
  for (const target of [queue, undelivered]) await allowDelivery(aws, target, topicArn);
  const { SubscriptionArn } = (await aws.call('sns', 'Subscribe', {
    TopicArn: topicArn,
    Protocol: 'sqs',
    Endpoint: queue.arn,
    ReturnSubscriptionArn: true,
    Attributes: {
      RawMessageDelivery: 'true',
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: undelivered.arn }),
      ...(subscriber.filter
        ? {
            FilterPolicyScope: 'MessageAttributes',
            FilterPolicy: JSON.stringify({ [typeAttribute]: subscriber.on }),
          }
        : {}),
    },
  } satisfies SubscribeCommandInput)) as { SubscriptionArn: string };
  return {
    queue,
    deadLetterQueue,
    subscriptionDeadLetterQueue: undelivered,
    subscriptionArn: SubscriptionArn,
    functionName: `${stack}-${name}`.slice(0, 64),
    environment: {
      [variables.recordsTable]: table,
      [variables.queueUrl]: queue.url,
      [variables.deadLetterQueueUrl]: deadLetterQueue.url,
    },
  };
}

async function createQueue(
  aws: Dispatcher,
  name: string,
  fifo: boolean,
  attributes: Readonly<Record<string, string>>,
): Promise<DeployedQueue> {
  const kind = fifo
    ? { FifoQueue: 'true', DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' }
    : {};
  const { QueueUrl } = (await aws.call('sqs', 'CreateQueue', {
    QueueName: name,
    Attributes: { ...attributes, ...kind },
  })) as CreateQueueCommandOutput;
  const { account, region } = aws.context;
  return { url: QueueUrl as string, arn: `arn:aws:sqs:${region}:${account}:${name}` };
}

async function allowDelivery(aws: Dispatcher, queue: DeployedQueue, topicArn: string): Promise<void> {
  const statement = {
    Effect: 'Allow',
    Principal: { Service: 'sns.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: queue.arn,
    Condition: { ArnEquals: { 'aws:SourceArn': topicArn } },
  };
  await aws.call('sqs', 'SetQueueAttributes', {
    QueueUrl: queue.url,
    Attributes: { Policy: JSON.stringify({ Version: '2012-10-17', Statement: [statement] }) },
  } satisfies SetQueueAttributesCommandInput);
}

/** At most 80 characters (SQS quotas), with the kind in the name. */
function named(stack: string, name: string, role: string, fifo: boolean): string {
  const ending = `${role === '' ? '' : `-${role}`}${fifo ? '.fifo' : ''}`;
  return `${`${stack}-${name}`.slice(0, 80 - ending.length)}${ending}`;
}
