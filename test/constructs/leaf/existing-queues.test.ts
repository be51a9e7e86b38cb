import { CfnParameter, Duration } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { MessagingTopic, SubscriberQueue } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';
import { bySid, cycleIn, make, mayDo, newRole, newStack } from './support.ts';

const arn = (name: string) => `arn:aws:sqs:eu-central-1:222222222222:${name}`;

describe('Queues of this app that exist', () => {
  it('are taken as they are, and get the statements that they need', () => {
    const stack = newStack();
    const { topic } = new MessagingTopic(stack, 'Orders', { encryptionKey: new Key(stack, 'TopicKey') });
    const letters = new Queue(stack, 'Letters');
    const encryptionMasterKey = new Key(stack, 'QueueKey');
    const queue = new Queue(stack, 'Existing', {
      encryption: QueueEncryption.KMS,
      encryptionMasterKey,
      deadLetterQueue: { queue: letters, maxReceiveCount: 10 },
    });
    const undelivered = new Queue(stack, 'Undelivered', {
      encryption: QueueEncryption.KMS,
      encryptionMasterKey: new Key(stack, 'UndeliveredKey'),
    });
    const payments = new SubscriberQueue(stack, 'Payments', {
      topic,
      queue,
      subscriptionDeadLetterQueue: undelivered,
    });
    payments.grantConsume(newRole(stack));
    expect([payments.queue, payments.deadLetterQueue, payments.subscriptionDeadLetterQueue]).toEqual([
      queue,
      letters,
      undelivered,
    ]);
    const made = make(stack);
    expect(cycleIn(made)).toBeUndefined();
    expect(Object.values(made.resources).filter(({ Type }) => Type === 'AWS::SQS::Queue')).toHaveLength(3);
    for (const name of ['Existing', 'Undelivered']) {
      const [deny, allow] = made.statements(`${name}Policy`);
      expect(deny?.Sid).toBe('DenyWithoutTls');
      expect(allow).toMatchObject({
        Sid: expect.stringMatching(/^AllowTopic[0-9a-f]{8}$/),
        Principal: { Service: 'sns.amazonaws.com' },
        Condition: { ArnEquals: { 'aws:SourceArn': { Ref: made.resource('OrdersTopic').id } } },
      });
    }
    // The subscription's dead-letter queue is under a key of its own: SNS needs that one too.
    for (const name of ['QueueKey', 'UndeliveredKey'])
      expect(bySid(made.statements(name)).AllowTopics?.Principal).toEqual({ Service: 'sns.amazonaws.com' });
    expect(mayDo(made.statements('WorkerDefaultPolicy'))).toContain('sqs:SendMessage on Letters.Arn');
    expect(made.warnings).toEqual([]);
    expect(made.outputs).toEqual({});
  });

  it('may hear several topics: no two statements have one name', () => {
    const stack = newStack();
    const queue = new Queue(stack, 'Existing');
    for (const name of ['Orders', 'Stock'])
      new SubscriberQueue(stack, `On${name}`, { topic: new MessagingTopic(stack, name).topic, queue });
    const statements = make(stack).statements('ExistingPolicy');
    expect(Object.keys(bySid(statements))).toHaveLength(3);
    expect(statements).toHaveLength(3);
  });

  it('without a dead-letter queue of their own get one, which they alone may use, and are told how', () => {
    const stack = newStack();
    const { topic } = new MessagingTopic(stack, 'Orders', { fifo: true });
    const queue = new Queue(stack, 'Existing', { fifo: true });
    const payments = new SubscriberQueue(stack, 'Payments', { topic, queue });
    expect(payments.deadLetterQueue.fifo).toBe(true);
    const made = make(stack);
    expect(made.resource('PaymentsDeadLetterQueue').Properties.RedriveAllowPolicy).toEqual({
      redrivePermission: 'byQueue',
      sourceQueueArns: [{ 'Fn::GetAtt': [made.resource('Existing').id, 'Arn'] }],
    });
    expect(made.warnings).toEqual([
      expect.stringMatching(
        /Leaf\/Existing has no dead-letter queue.*redrive policy: \{"deadLetterTargetArn":.*PaymentsDeadLetterQueue.*"maxReceiveCount":200\}.*\[ack: sluice:queue-redrive-policy\]/,
      ),
    ]);
    expect(cycleIn(made)).toBeUndefined();
  });
});

describe('Queues that are imported', () => {
  it('their owner is told, in outputs and warnings, what to add', () => {
    const stack = newStack();
    const { topic } = new MessagingTopic(stack, 'Orders');
    const queue = Queue.fromQueueArn(stack, 'Theirs', arn('payments'));
    const subscriptionDeadLetterQueue = Queue.fromQueueArn(stack, 'Undelivered', arn('undelivered'));
    new SubscriberQueue(stack, 'Payments', { topic, queue, subscriptionDeadLetterQueue });
    const { outputs, warnings, resource, resources } = make(stack);
    expect(Object.keys(outputs).map((id) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual([
      'PaymentsQueueOwnerStatement',
      'PaymentsSubscriptionDeadLetterQueueOwnerStatement',
    ]);
    const [output] = Object.values(outputs);
    const told = (output!.Value as { 'Fn::Join': [string, unknown[]] })['Fn::Join'][1];
    const id = resource('OrdersTopic').id;
    expect(JSON.parse(told.map((part) => (typeof part === 'string' ? part : id)).join(''))).toEqual({
      Sid: expect.stringMatching(/^AllowTopic/),
      Effect: 'Allow',
      Action: 'sqs:SendMessage',
      Principal: { Service: 'sns.amazonaws.com' },
      Resource: arn('payments'),
      Condition: { ArnEquals: { 'aws:SourceArn': id } },
    });
    expect(warnings.filter((each) => each.includes('sluice:queue-owner-statement'))).toHaveLength(2);
    expect(warnings[1]).toMatch(
      /cannot extend the policy of the queue "arn:aws:sqs:eu-central-1:222222222222:payments"\. The topic delivers nothing to it unless its owner adds: \{.*"Ref":"OrdersTopic.*\[ack: sluice:queue-owner-statement\]/,
    );
    expect(Object.values(resources).filter(({ Type }) => Type === 'AWS::SQS::QueuePolicy')).toHaveLength(1);
  });

  it('and the owner of their key', () => {
    const stack = newStack();
    const { topic } = new MessagingTopic(stack, 'Orders');
    const queue = Queue.fromQueueAttributes(stack, 'Theirs', {
      queueArn: arn('payments'),
      keyArn: 'arn:aws:kms:eu-central-1:222222222222:key/1',
    });
    new SubscriberQueue(stack, 'Payments', { topic, queue });
    expect(make(stack).warnings.join()).toContain('[ack: sluice:key-owner-statement]');
  });
});

describe('Existing queues that cannot work are refused', () => {
  it.each([
    ['queue', { queueArn: arn('payments.fifo') }, 'queue: found true'],
    ['deadLetterQueue', { queueArn: arn('letters.fifo') }, 'deadLetterQueue: found true'],
    [
      'subscriptionDeadLetterQueue',
      { queueArn: arn('undelivered.fifo') },
      'subscriptionDeadLetterQueue: found true',
    ],
  ])('a FIFO %s on a standard topic', (prop, attributes, message) => {
    const stack = newStack();
    const { topic } = new MessagingTopic(stack, 'Orders');
    const queue = Queue.fromQueueAttributes(stack, 'Existing', attributes);
    expect(() => new SubscriberQueue(stack, 'Payments', { topic, [prop]: queue })).toThrow(message);
  });

  it('under a key of AWS, which SNS may not use; but the consumer’s dead-letter queue may be', () => {
    const stack = newStack();
    const { topic } = new MessagingTopic(stack, 'Orders');
    const managed = new Queue(stack, 'Existing', { encryption: QueueEncryption.KMS_MANAGED });
    expect(
      () =>
        new SubscriberQueue(stack, 'Payments', {
          topic,
          queue: managed,
          subscriptionDeadLetterQueue: managed,
          fifo: true,
          queueName: 'payments.fifo',
        }),
    ).toThrow(
      /queueName: found "payments\.fifo" beside an existing queue[\s\S]*fifo: found true; allowed: false, as the existing queue is[\s\S]*queue: found an AWS managed key, which SNS may not use[\s\S]*subscriptionDeadLetterQueue: found an AWS managed key/,
    );
    const mail = new SubscriberQueue(stack, 'Mail', { topic, deadLetterQueue: managed });
    mail.grantConsume(newRole(stack));
    expect(mayDo(make(stack).statements('WorkerDefaultPolicy'))).toContain('sqs:SendMessage on Existing.Arn');
  });

  it('what is said of a queue that is not made is refused, not forgotten', () => {
    const stack = newStack();
    const topic = new Topic(stack, 'Orders');
    const queue = new Queue(stack, 'Existing');
    const props = {
      topic,
      ...{ queue, visibilityTimeout: Duration.minutes(1), retentionPeriod: Duration.days(1) },
      ...{ deadLetterQueue: queue, deadLetterFifo: false },
      ...{ subscriptionDeadLetterQueue: queue, subscriptionDeadLetterFifo: false },
    };
    expect(() => new SubscriberQueue(stack, 'Payments', props)).toThrow(
      /has 4 faults:\n {2}- visibilityTimeout: found a value beside an existing queue[\s\S]*- retentionPeriod: [\s\S]*- deadLetterFifo: [\s\S]*- subscriptionDeadLetterFifo: /,
    );
  });

  it('a kind that only the deployment knows is let through', () => {
    const stack = newStack();
    const topic = Topic.fromTopicArn(stack, 'Orders', 'arn:aws:sns:eu-central-1:222222222222:orders.fifo');
    const unknown = Queue.fromQueueArn(stack, 'Existing', new CfnParameter(stack, 'Arn').valueAsString);
    for (const fifo of [true, false])
      expect(
        () =>
          new SubscriberQueue(stack, `Payments${fifo}`, {
            topic,
            fifo,
            queue: unknown,
            deadLetterQueue: unknown,
            subscriptionDeadLetterQueue: unknown,
          }),
      ).not.toThrow();
  });
});
