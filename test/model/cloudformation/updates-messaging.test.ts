import { describe, expect, it } from 'vitest';
import { inWorld, queueArn, queueUrl, topicArn } from './updates-support.ts';

const Queue = 'AWS::SQS::Queue';
const QueuePolicy = 'AWS::SQS::QueuePolicy';
const Topic = 'AWS::SNS::Topic';
const Subscription = 'AWS::SNS::Subscription';

const allow = (Sid: string) => ({
  Version: '2012-10-17',
  Statement: [{ Sid, Effect: 'Allow', Principal: '*', Action: 'sqs:SendMessage', Resource: '*' }],
});

describe('A changed queue is changed in place', () => {
  it('and keeps its messages', () =>
    inWorld(async ({ create, update, call }) => {
      const before = { VisibilityTimeout: 30 };
      const made = await create(Queue, before);
      const QueueUrl = made.physicalId;
      await call('sqs', 'SendMessage', { QueueUrl, MessageBody: 'kept' });
      expect(await update(Queue, made, before, { VisibilityTimeout: 60 })).toEqual(made);
      const { Messages } = await call<{ Messages: { Body: string }[] }>('sqs', 'ReceiveMessage', {
        QueueUrl,
      });
      expect(Messages.map(({ Body }) => Body)).toEqual(['kept']);
    }));

  it('and what SQS refuses is said, and can be taken back', () =>
    inWorld(async ({ create, update, call }) => {
      const before = { VisibilityTimeout: 30, Tags: [{ Key: 'team', Value: 'a' }] };
      const made = await create(Queue, before);
      const wrong = { VisibilityTimeout: 50_000 };
      await expect(update(Queue, made, before, wrong)).rejects.toMatchObject({
        name: 'InvalidAttributeValue',
      });
      await update(Queue, made, wrong, before);
      const { Attributes } = await call('sqs', 'GetQueueAttributes', {
        QueueUrl: made.physicalId,
        AttributeNames: ['VisibilityTimeout'],
      });
      expect(Attributes).toEqual({ VisibilityTimeout: '30' });
      expect(await call('sqs', 'ListQueueTags', { QueueUrl: made.physicalId })).toEqual({
        Tags: { team: 'a' },
      });
    }));

  it('and encrypts by SQS again when its key is taken away', () =>
    inWorld(async ({ create, update, call }) => {
      const made = await create(Queue, { KmsMasterKeyId: 'alias/one' });
      await update(Queue, made, { KmsMasterKeyId: 'alias/one' }, {});
      const { Attributes } = await call('sqs', 'GetQueueAttributes', {
        QueueUrl: made.physicalId,
        AttributeNames: ['KmsMasterKeyId', 'KmsDataKeyReusePeriodSeconds', 'SqsManagedSseEnabled'],
      });
      expect(Attributes).toEqual({ SqsManagedSseEnabled: 'true' });
    }));
});

describe('A policy leaves the queues that it names no more', () => {
  it('also when one of them is gone', () =>
    inWorld(async ({ create, update, remove, call }) => {
      const [one, two] = [
        await create(Queue, { QueueName: 'one' }),
        await create(Queue, { QueueName: 'two' }),
      ];
      const before = { PolicyDocument: allow('x'), Queues: [queueUrl('one'), queueUrl('two')] };
      const after = { PolicyDocument: allow('y'), Queues: [queueUrl('two')] };
      const made = await create(QueuePolicy, before, 'Policy');
      await remove(Queue, one);
      await update(QueuePolicy, made, before, after);
      const policy = () =>
        call('sqs', 'GetQueueAttributes', { QueueUrl: two.physicalId, AttributeNames: ['Policy'] });
      expect(await policy()).toEqual({ Attributes: { Policy: JSON.stringify(allow('y')) } });
      await remove(QueuePolicy, made, { ...before });
      expect(await policy()).toEqual({});
    }));
});

describe('A changed subscription', () => {
  it('can be moved from the body to the attributes of messages', () =>
    inWorld(async ({ create, update, call }) => {
      await create(Queue, { QueueName: 'orders' });
      await create(Topic, { TopicName: 'orders' });
      await call('sqs', 'SetQueueAttributes', {
        QueueUrl: queueUrl('orders'),
        Attributes: { Policy: JSON.stringify(allow('topic')) },
      });
      const place = { TopicArn: topicArn('orders'), Protocol: 'sqs', Endpoint: queueArn('orders') };
      const before = {
        ...place,
        FilterPolicyScope: 'MessageBody',
        FilterPolicy: { order: { total: [{ numeric: ['>', 10] }] } },
      };
      const after = { ...place, RawMessageDelivery: true, FilterPolicy: { type: ['placed'] } };
      const made = await create(Subscription, before);
      expect(await update(Subscription, made, before, after)).toEqual(made);
      const publish = (Message: string, type: string) =>
        call('sns', 'Publish', {
          TopicArn: topicArn('orders'),
          Message,
          MessageAttributes: { type: { DataType: 'String', StringValue: type } },
        });
      await publish('other', 'paid');
      await publish('this', 'placed');
      const { Messages } = await call<{ Messages: { Body: string }[] }>('sqs', 'ReceiveMessage', {
        QueueUrl: queueUrl('orders'),
        MaxNumberOfMessages: 10,
      });
      expect(Messages.map(({ Body }) => Body)).toEqual(['this']);
    }));

  it('is led back when SNS refused the half of it', () =>
    inWorld(async ({ create, update, call }) => {
      await create(Queue, { QueueName: 'orders' });
      await create(Topic, { TopicName: 'orders' });
      const place = { TopicArn: topicArn('orders'), Protocol: 'sqs', Endpoint: queueArn('orders') };
      const before = { ...place, FilterPolicy: { type: ['placed'] } };
      const wrong = { ...place, FilterPolicyScope: 'MessageBody', FilterPolicy: { type: 'no list' } };
      const made = await create(Subscription, before);
      const look = () => call('sns', 'GetSubscriptionAttributes', { SubscriptionArn: made.physicalId });
      const first = await look();
      await expect(update(Subscription, made, before, wrong)).rejects.toMatchObject({
        name: 'InvalidParameterException',
      });
      await update(Subscription, made, wrong, before);
      expect(await look()).toEqual(first);
    }));
});

describe('A topic that could not be subscribed', () => {
  it('is not left behind', () =>
    inWorld(async ({ create, call }) => {
      const Subscriptions = [{ Protocol: 'sms', Endpoint: '+1' }];
      await expect(create(Topic, { Subscription: Subscriptions })).rejects.toThrow(
        /knows 'sqs', 'email' and 'email-json'/,
      );
      expect(await call('sns', 'ListTopics')).toEqual({ Topics: [] });
    }));
});
