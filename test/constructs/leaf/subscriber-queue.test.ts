import { App, CfnParameter, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { SubscriptionFilter, Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { defineMessaging, event, minutes } from 'sluice';
import { MessagingTopic, SubscriberQueue, type SubscriberQueueProps } from 'sluice/cdk';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { account, bySid, make, mayDo, newRole, newStack, region } from './support.ts';

const queues = ['Queue', 'DeadLetterQueue', 'SubscriptionDeadLetterQueue'] as const;

function made(props: Partial<SubscriberQueueProps> = {}, fifoTopic = props.fifo ?? false) {
  const stack = newStack();
  const { topic } = new MessagingTopic(stack, 'Orders', { fifo: fifoTopic });
  const subscriber = new SubscriberQueue(stack, 'Payments', { topic, ...props });
  return { stack, subscriber, ...make(stack) };
}

const refused = (props: Partial<SubscriberQueueProps>, fifoTopic = false) => {
  const stack = newStack();
  const { topic } = new MessagingTopic(stack, 'Orders', { fifo: fifoTopic });
  return expect(() => new SubscriberQueue(stack, 'Payments', { topic, ...props }));
};

const catching = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    return String(error);
  }
  return 'nothing was refused';
};

describe('A queue about which nothing is said', () => {
  it.each([false, true])('has the values of a declaration that says nothing (fifo: %s)', (fifo) => {
    const { subscribers } = defineMessaging({
      name: 'shop',
      topics: { orders: { fifo } },
      events: { placed: event({ topic: 'orders', schema: v.object({}) }) },
      subscribers: { payments: { on: ['placed'], handler: 'payments.ts', lag: minutes(1), fifo } },
    });
    const { visibilityTimeout, retention, deadLetterRetention, maxReceiveCount } = subscribers.payments;
    const { resource } = made({ fifo });
    expect(resource('PaymentsQueue').Properties).toMatchObject({
      VisibilityTimeout: visibilityTimeout,
      MessageRetentionPeriod: retention,
      RedrivePolicy: { maxReceiveCount },
    });
    for (const name of ['PaymentsDeadLetterQueue', 'PaymentsSubscriptionDeadLetterQueue'])
      expect(resource(name).Properties).toMatchObject({ MessageRetentionPeriod: deadLetterRetention });
    expect([visibilityTimeout, retention, deadLetterRetention]).toEqual([180, 345_600, 1_209_600]);
    expect(maxReceiveCount).toBe(fifo ? 200 : 100);
  });

  it('is encrypted at rest, waits for messages, and nothing comes unencrypted to it or its dead-letter queues', () => {
    const { resource, statements } = made();
    for (const name of queues) {
      expect(resource(`Payments${name}`).Properties).toMatchObject({
        SqsManagedSseEnabled: true,
        ReceiveMessageWaitTimeSeconds: 20,
      });
      expect(bySid(statements(`Payments${name}Policy`)).DenyWithoutTls).toEqual({
        Sid: 'DenyWithoutTls',
        Effect: 'Deny',
        Action: 'sqs:*',
        Principal: { AWS: '*' },
        Resource: { 'Fn::GetAtt': [resource(`Payments${name}`).id, 'Arn'] },
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      });
    }
  });

  it('is deleted with its stack; what is in the dead-letter queues is not', () => {
    const policies = (found: ReturnType<typeof made>) =>
      queues.map((name) => found.resource(`Payments${name}`).DeletionPolicy);
    expect(policies(made())).toEqual(['Delete', 'Retain', 'Retain']);
    expect(policies(made({ deadLetterRemovalPolicy: RemovalPolicy.DESTROY }))).toEqual(
      Array(3).fill('Delete'),
    );
  });
});

describe('A queue of which something is said', () => {
  it('has the values that are given', () => {
    const { resource } = made({
      visibilityTimeout: Duration.minutes(10),
      retentionPeriod: Duration.days(2),
      deadLetterRetentionPeriod: Duration.days(7),
      maxReceiveCount: 50,
      filterPolicy: { type: SubscriptionFilter.stringFilter({ allowlist: ['placed'] }) },
    });
    expect(resource('PaymentsQueue').Properties).toMatchObject({
      VisibilityTimeout: 600,
      MessageRetentionPeriod: 172_800,
      RedrivePolicy: { maxReceiveCount: 50 },
    });
    expect(resource('PaymentsDeadLetterQueue').Properties.MessageRetentionPeriod).toBe(604_800);
    expect(resource('PaymentsSubscription').Properties).toMatchObject({
      RawMessageDelivery: true,
      FilterPolicyScope: 'MessageAttributes',
      FilterPolicy: { type: ['placed'] },
      RedrivePolicy: {
        deadLetterTargetArn: {
          'Fn::GetAtt': [resource('PaymentsSubscriptionDeadLetterQueue').id, 'Arn'],
        },
      },
    });
  });

  it('may be a standard queue on a FIFO topic: its subscription’s dead-letter queue follows the topic', () => {
    const { subscriber } = made({}, true);
    const { queue, deadLetterQueue, subscriptionDeadLetterQueue } = subscriber;
    expect([queue, deadLetterQueue, subscriptionDeadLetterQueue].map(({ fifo }) => fifo)).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('alone may use its dead-letter queue, when its name tells its ARN', () => {
    const { resource } = made({ fifo: true, queueName: 'payments.fifo' });
    expect(resource('PaymentsDeadLetterQueue').Properties.RedriveAllowPolicy).toEqual({
      redrivePermission: 'byQueue',
      sourceQueueArns: [
        {
          'Fn::Join': [
            '',
            [
              'arn:',
              { Ref: 'AWS::Partition' },
              ':sqs:',
              { Ref: 'AWS::Region' },
              ':',
              { Ref: 'AWS::AccountId' },
              ':payments.fifo',
            ],
          ],
        },
      ],
    });
    expect(made().resource('PaymentsDeadLetterQueue').Properties).not.toHaveProperty('RedriveAllowPolicy');
  });

  it('lets no queue at all use the subscription’s dead-letter queue', () => {
    expect(made().resource('PaymentsSubscriptionDeadLetterQueue').Properties.RedriveAllowPolicy).toEqual({
      redrivePermission: 'denyAll',
    });
  });
});

describe('Who may send to the queues', () => {
  it('the topic, to the queue and to its subscription’s dead-letter queue; nobody to the other', () => {
    const { resource, statements } = made();
    for (const name of ['Queue', 'SubscriptionDeadLetterQueue'])
      expect(statements(`Payments${name}Policy`).filter(({ Effect }) => Effect === 'Allow')).toEqual([
        {
          Sid: 'AllowTopic',
          Effect: 'Allow',
          Action: 'sqs:SendMessage',
          Principal: { Service: 'sns.amazonaws.com' },
          Resource: { 'Fn::GetAtt': [resource(`Payments${name}`).id, 'Arn'] },
          Condition: { ArnEquals: { 'aws:SourceArn': { Ref: resource('OrdersTopic').id } } },
        },
      ]);
    expect(statements('PaymentsDeadLetterQueuePolicy').map(({ Effect }) => Effect)).toEqual(['Deny']);
  });

  it('a topic of another account and region, asked where it is', () => {
    const stack = newStack('Leaf', { env: { account, region } });
    const arn = 'arn:aws:sns:us-east-1:222222222222:orders';
    const topic = Topic.fromTopicArn(stack, 'Orders', arn);
    const there = `arn:aws:sqs:us-east-1:${account}:undelivered`;
    const subscriptionDeadLetterQueue = Queue.fromQueueArn(stack, 'Undelivered', there);
    new SubscriberQueue(stack, 'Payments', { topic, subscriptionDeadLetterQueue });
    const { statements, resource } = make(stack);
    expect(bySid(statements('PaymentsQueuePolicy')).AllowTopic?.Condition).toEqual({
      ArnEquals: { 'aws:SourceArn': arn },
    });
    expect(resource('PaymentsSubscription').Properties).toMatchObject({ TopicArn: arn, Region: 'us-east-1' });
  });

  it('and what such a topic cannot deliver stays in its region: AWS takes no queue elsewhere', () => {
    const stack = newStack('Leaf', { env: { account, region } });
    const topic = Topic.fromTopicArn(stack, 'Orders', 'arn:aws:sns:us-east-1:222222222222:orders');
    const queue = (name: string, where: string) =>
      Queue.fromQueueArn(stack, name, `arn:aws:sqs:${where}:${account}:${name}`);
    expect(() => new SubscriberQueue(stack, 'Made', { topic })).toThrow(
      `subscriptionDeadLetterQueue: found nothing: it would be made in ${region}; allowed: a queue in us-east-1`,
    );
    const wrong = { topic, subscriptionDeadLetterQueue: queue('here', region) };
    expect(() => new SubscriberQueue(stack, 'Wrong', wrong)).toThrow(`found a queue in ${region}`);
    const right = { topic, subscriptionDeadLetterQueue: queue('there', 'us-east-1') };
    expect(() => new SubscriberQueue(stack, 'Right', right)).not.toThrow();
  });

  it('a topic of another stack, which knows nothing of it', () => {
    const app = new App({ context: { '@aws-cdk/core:defaultCrossStackReferences': 'strong' } });
    const topics = newStack('Topics', {}, app);
    const { topic } = new MessagingTopic(topics, 'Orders', { fifo: true });
    const stack = newStack('Leaf', {}, app);
    new SubscriberQueue(stack, 'Payments', { topic, fifo: true });
    expect(JSON.stringify(bySid(make(stack).statements('PaymentsQueuePolicy')).AllowTopic)).toContain(
      'Fn::ImportValue',
    );
    expect(
      Object.values(make(topics).resources)
        .map(({ Type }) => Type)
        .sort(),
    ).toEqual(['AWS::SNS::Topic', 'AWS::SNS::TopicPolicy']);
    expect(stack.dependencies).toEqual([topics]);
  });

  it('nothing is delivered before the policies are there', () => {
    const { resource } = made();
    expect(resource('PaymentsSubscription').DependsOn).toEqual(
      ['PaymentsQueuePolicy', 'PaymentsSubscriptionDeadLetterQueuePolicy'].map((name) => resource(name).id),
    );
  });
});

describe('A consumer', () => {
  it('may do what event source, worker and runtime do, and set messages aside; nothing else', () => {
    const stack = newStack();
    const { topic } = new MessagingTopic(stack, 'Orders');
    new SubscriberQueue(stack, 'Payments', { topic }).grantConsume(newRole(stack));
    expect(mayDo(make(stack).statements('WorkerDefaultPolicy'))).toEqual([
      'sqs:ChangeMessageVisibility on PaymentsQueue.Arn',
      'sqs:DeleteMessage on PaymentsQueue.Arn',
      'sqs:GetQueueAttributes on PaymentsQueue.Arn',
      'sqs:ReceiveMessage on PaymentsQueue.Arn',
      'sqs:SendMessage on PaymentsDeadLetterQueue.Arn',
    ]);
  });
});

describe('Props that cannot work are refused, all at once', () => {
  it('each fault with what was found, what is allowed and what to do', () => {
    const lines = [
      'Leaf/Payments has 6 faults:',
      'queueName: found "payments"; allowed: a name that ends with .fifo. Rename it.',
      `deadLetterQueueName: found "${'a'.repeat(76)}.fifo"; allowed: up to 80 letters`,
      'subscriptionDeadLetterQueueName: found "undelivered"; allowed: a name that ends with .fifo',
      'visibilityTimeout: found 46800; allowed: a whole number from 3 to 43200',
      'retentionPeriod: found 1296000; allowed: a whole number from 60 to 1209600',
      'maxReceiveCount: found 1001; allowed: a whole number from 5 to 1000',
    ];
    const error = catching(() =>
      made(
        {
          fifo: true,
          queueName: 'payments',
          deadLetterQueueName: `${'a'.repeat(76)}.fifo`,
          subscriptionDeadLetterQueueName: 'undelivered',
          visibilityTimeout: Duration.hours(13),
          retentionPeriod: Duration.days(15),
          maxReceiveCount: 1001,
        },
        true,
      ),
    );
    for (const line of lines) expect(error).toContain(line);
  });

  it.each<[string, Partial<SubscriberQueueProps>, boolean, string]>([
    ['a FIFO queue on a standard topic', { fifo: true }, false, 'fifo: found true'],
    ['a dead-letter queue of another kind', { deadLetterFifo: true }, true, 'deadLetterFifo: found true'],
    [
      'a subscription’s dead-letter queue of another kind',
      { subscriptionDeadLetterFifo: false },
      true,
      'subscriptionDeadLetterFifo: found false',
    ],
    [
      'dead letters that die before their time',
      { retentionPeriod: Duration.days(5), deadLetterRetentionPeriod: Duration.days(4) },
      false,
      'deadLetterRetentionPeriod: found 345600',
    ],
    ['a last net that catches first', { maxReceiveCount: 1 }, false, 'maxReceiveCount: found 1'],
    [
      'a part of a second',
      { visibilityTimeout: Duration.millis(3500) },
      false,
      'visibilityTimeout: found 3.5',
    ],
    [
      'one name for two queues',
      { queueName: 'one', deadLetterQueueName: 'one' },
      false,
      'deadLetterQueueName: found "one"; allowed: a name that',
    ],
  ])('%s', (_, props, fifoTopic, message) => {
    refused(props, fifoTopic).toThrow(message);
  });

  it('what only the deployment knows is let through', () => {
    const stack = newStack();
    const number = new CfnParameter(stack, 'Number', { type: 'Number' }).valueAsNumber;
    const name = new CfnParameter(stack, 'Name').valueAsString;
    const topic = Topic.fromTopicArn(stack, 'Orders', new CfnParameter(stack, 'Arn').valueAsString);
    new SubscriberQueue(stack, 'Payments', {
      topic,
      visibilityTimeout: Duration.seconds(number),
      retentionPeriod: Duration.seconds(number),
      deadLetterRetentionPeriod: Duration.seconds(number),
      maxReceiveCount: number,
      queueName: name,
      deadLetterQueueName: name,
      subscriptionDeadLetterQueueName: name,
    });
    new SubscriberQueue(stack, 'Mail', { topic, fifo: true, subscriptionDeadLetterFifo: true });
    const { resource } = make(stack);
    expect(resource('PaymentsQueue').Properties).toMatchObject({
      VisibilityTimeout: { Ref: 'Number' },
      QueueName: { Ref: 'Name' },
    });
    expect(resource('MailSubscriptionDeadLetterQueue').Properties.FifoQueue).toBe(true);
  });
});
