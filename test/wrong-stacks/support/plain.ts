import { CfnResource, type Stack } from 'aws-cdk-lib';

type Properties = Readonly<Record<string, unknown>>;

/** What a stack differs in from a sound one: properties by resource, where undefined takes one away; or no such resource. */
export type Changes = Readonly<Record<string, Properties | undefined>>;

const statement = (
  service: string,
  action: string | readonly string[],
  resource: unknown,
  source?: unknown,
) => ({
  Effect: 'Allow',
  Principal: { Service: service },
  Action: action,
  Resource: resource,
  ...(source === undefined ? {} : { Condition: { ArnEquals: { 'aws:SourceArn': source } } }),
});

export const document = (...statements: readonly unknown[]) => ({
  Version: '2012-10-17',
  Statement: statements,
});
export const arn = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });
export const ref = (id: string) => ({ Ref: id });
export const fromTopic = (queue: string) =>
  statement('sns.amazonaws.com', 'sqs:SendMessage', arn(queue), ref('Topic'));
export const fromCloudWatch = statement('cloudwatch.amazonaws.com', 'sns:Publish', ref('AlarmTopic'));
/** A customer key's policy that lets services use it. */
export const keyPolicy = (...services: readonly string[]) =>
  document(
    { Effect: 'Allow', Principal: { AWS: 'arn:aws:iam::111111111111:root' }, Action: 'kms:*', Resource: '*' },
    ...services.map((service) => statement(service, ['kms:Decrypt', 'kms:GenerateDataKey*'], '*')),
  );

/** What lets the sound stack's function read a queue under the key `Key`. */
export const decrypts: Changes = {
  Decrypt: {
    Type: 'AWS::IAM::Policy',
    PolicyName: 'Decrypt',
    Roles: [ref('Role')],
    PolicyDocument: document({ Effect: 'Allow', Action: 'kms:Decrypt', Resource: arn('Key') }),
  },
};

/**
 * What somebody writes who does all by hand, and nothing wrong: a topic, its subscription with a dead-letter queue, the
 * queue with its own, a function behind it, an alarm that is heard. The ids of the resources are their logical ids.
 */
function sound(fifo: boolean): Record<string, readonly [type: string, properties: Properties]> {
  const kind = fifo ? { FifoQueue: true } : {};
  const policy = (queue: string): Properties => ({
    Queues: [ref(queue)],
    PolicyDocument: document(fromTopic(queue)),
  });
  return {
    Topic: ['AWS::SNS::Topic', fifo ? { FifoTopic: true } : {}],
    DeadLetters: ['AWS::SQS::Queue', { ...kind, MessageRetentionPeriod: 1_209_600 }],
    Queue: [
      'AWS::SQS::Queue',
      {
        ...kind,
        VisibilityTimeout: 180,
        RedrivePolicy: { deadLetterTargetArn: arn('DeadLetters'), maxReceiveCount: 100 },
      },
    ],
    QueuePolicy: ['AWS::SQS::QueuePolicy', policy('Queue')],
    Undelivered: ['AWS::SQS::Queue', { ...kind, MessageRetentionPeriod: 1_209_600 }],
    UndeliveredPolicy: ['AWS::SQS::QueuePolicy', policy('Undelivered')],
    Subscription: [
      'AWS::SNS::Subscription',
      {
        Protocol: 'sqs',
        TopicArn: ref('Topic'),
        Endpoint: arn('Queue'),
        RawMessageDelivery: true,
        RedrivePolicy: { deadLetterTargetArn: arn('Undelivered') },
      },
    ],
    Role: ['AWS::IAM::Role', { AssumeRolePolicyDocument: document() }],
    RolePolicy: [
      'AWS::IAM::Policy',
      {
        PolicyName: 'Consume',
        Roles: [ref('Role')],
        PolicyDocument: document({
          Effect: 'Allow',
          Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
          Resource: arn('Queue'),
        }),
      },
    ],
    Function: [
      'AWS::Lambda::Function',
      {
        Code: { ZipFile: 'exports.handler = async () => ({ batchItemFailures: [] });' },
        Handler: 'index.handler',
        Runtime: 'nodejs22.x',
        Role: arn('Role'),
        Timeout: 30,
      },
    ],
    EventSource: [
      'AWS::Lambda::EventSourceMapping',
      {
        EventSourceArn: arn('Queue'),
        FunctionName: ref('Function'),
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 10 },
      },
    ],
    AlarmTopic: ['AWS::SNS::Topic', {}],
    AlarmTopicPolicy: [
      'AWS::SNS::TopicPolicy',
      { Topics: [ref('AlarmTopic')], PolicyDocument: document(fromCloudWatch) },
    ],
    Mail: [
      'AWS::SNS::Subscription',
      { Protocol: 'email', TopicArn: ref('AlarmTopic'), Endpoint: 'on-call@example.com' },
    ],
    Alarm: [
      'AWS::CloudWatch::Alarm',
      {
        Namespace: 'AWS/SQS',
        MetricName: 'ApproximateAgeOfOldestMessage',
        Statistic: 'Maximum',
        Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': ['Queue', 'QueueName'] } }],
        Period: 60,
        EvaluationPeriods: 5,
        DatapointsToAlarm: 3,
        Threshold: 300,
        ComparisonOperator: 'GreaterThanThreshold',
        AlarmActions: [ref('AlarmTopic')],
      },
    ],
  };
}

/**
 * Fills a stack with the sound one and changes to it. Resources that only `changes` names need a `Type`.
 *
 * @param fifo - makes topic and queues FIFO
 */
export function plain(stack: Stack, changes: Changes = {}, fifo = false): void {
  const all = sound(fifo);
  for (const [id, change] of Object.entries(changes)) {
    if (change === undefined) {
      delete all[id];
      continue;
    }
    const { Type, ...properties } = change;
    const [type, own] = all[id] ?? [Type as string, {}];
    const merged = Object.entries({ ...own, ...properties }).filter(([, value]) => value !== undefined);
    all[id] = [type, Object.fromEntries(merged)];
  }
  for (const [id, [type, properties]] of Object.entries(all))
    new CfnResource(stack, id, { type, properties });
}
