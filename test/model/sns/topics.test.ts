import { describe, expect, it } from 'vitest';
import { ACCOUNT, queueArn, REGION, snsWithQueues } from './fixture.ts';

describe('topics', () => {
  it('are made once: the same call again answers the same topic, other attributes are refused', () => {
    const { call, topic } = snsWithQueues();
    const arn = topic('orders.fifo', { ContentBasedDeduplication: 'true' });
    expect(arn).toBe(`arn:aws:sns:${REGION}:${ACCOUNT}:orders.fifo`);
    expect(topic('orders.fifo', { ContentBasedDeduplication: 'true' })).toBe(arn);
    expect(() => topic('orders.fifo', { ContentBasedDeduplication: 'false' })).toThrow(
      'Topic already exists with different attributes',
    );
    expect(() =>
      call('CreateTopic', {
        Name: 'orders.fifo',
        Attributes: { FifoTopic: 'true' },
        Tags: [{ Key: 'a', Value: 'b' }],
      }),
    ).toThrow('Topic already exists with different tags');
  });

  it.each([
    ['orders', { FifoTopic: 'true' }, 'ends with .fifo'],
    ['orders.fifo', { FifoTopic: 'false' }, '.fifo needs FifoTopic=true'],
    ['a b', {}, "found 'a b'"],
    ['orders', { ContentBasedDeduplication: 'true' }, 'on a FIFO topic'],
    ['orders', { Nonsense: 'x' }, 'Unknown attribute Nonsense'],
    ['orders', { MaximumMessageSize: '2000000' }, 'from 1024 to 1048576'],
    ['orders', { Policy: 'no json' }, 'Policy takes a JSON object'],
  ])('refuse the name %s with %j', (Name, Attributes, message) => {
    const { call } = snsWithQueues();
    expect(() => call('CreateTopic', { Name, Attributes })).toThrow(message);
  });

  it('keep their attributes, and tell how many subscriptions they have', () => {
    const { call, topic, subscribe } = snsWithQueues();
    const TopicArn = topic('orders.fifo', { FifoThroughputScope: 'MessageGroup' });
    const SubscriptionArn = subscribe(TopicArn, 'a');
    subscribe(TopicArn, 'b');
    call('Unsubscribe', { SubscriptionArn });
    call('SetTopicAttributes', {
      TopicArn,
      AttributeName: 'KmsMasterKeyId',
      AttributeValue: 'alias/aws/sns',
    });
    expect(call<{ Attributes: object }>('GetTopicAttributes', { TopicArn }).Attributes).toMatchObject({
      TopicArn,
      Owner: ACCOUNT,
      FifoTopic: 'true',
      FifoThroughputScope: 'MessageGroup',
      KmsMasterKeyId: 'alias/aws/sns',
      SubscriptionsConfirmed: '1',
      SubscriptionsDeleted: '1',
    });
    expect(() =>
      call('SetTopicAttributes', { TopicArn, AttributeName: 'FifoThroughputScope', AttributeValue: 'Topic' }),
    ).toThrow('cannot be changed back');
  });

  it('are listed in pages of a hundred', () => {
    const { call, topic } = snsWithQueues();
    for (let count = 0; count < 101; count++) topic(`t${count}`);
    const first = call<{ Topics: object[]; NextToken: string }>('ListTopics', {});
    expect(first.Topics).toHaveLength(100);
    expect(call('ListTopics', { NextToken: first.NextToken })).toEqual({
      Topics: [{ TopicArn: `arn:aws:sns:${REGION}:${ACCOUNT}:t100` }],
    });
  });

  it('take their subscriptions with them; deleting again is no error', () => {
    const { call, topic, subscribe } = snsWithQueues();
    const TopicArn = topic('orders');
    subscribe(TopicArn, 'payments');
    call('DeleteTopic', { TopicArn });
    call('DeleteTopic', { TopicArn });
    expect(call('ListSubscriptions', {})).toEqual({ Subscriptions: [] });
    expect(() => call('GetTopicAttributes', { TopicArn })).toThrow('Topic does not exist');
  });

  it('carry tags', () => {
    const { call, topic } = snsWithQueues();
    const ResourceArn = topic('orders');
    call('TagResource', {
      ResourceArn,
      Tags: [
        { Key: 'a', Value: '1' },
        { Key: 'b', Value: '2' },
      ],
    });
    call('UntagResource', { ResourceArn, TagKeys: ['a'] });
    expect(call('ListTagsForResource', { ResourceArn })).toEqual({ Tags: [{ Key: 'b', Value: '2' }] });
  });
});

describe('subscriptions', () => {
  it('are made once for each queue', () => {
    const { topic, subscribe } = snsWithQueues();
    const arn = topic('orders');
    const subscription = subscribe(arn, 'payments', { RawMessageDelivery: 'true' });
    expect(subscribe(arn, 'payments', { RawMessageDelivery: 'true' })).toBe(subscription);
    expect(() => subscribe(arn, 'payments', { RawMessageDelivery: 'false' })).toThrow(
      'already exists with different attributes',
    );
  });

  it('of a FIFO queue to a standard topic are refused; of a standard queue to a FIFO topic are not', () => {
    const { topic, subscribe } = snsWithQueues();
    expect(() => subscribe(topic('orders'), 'payments.fifo')).toThrow(
      'can not be subscribed to standard SNS topics',
    );
    expect(subscribe(topic('orders.fifo'), 'payments')).toContain('orders.fifo');
  });

  it('of other protocols are refused with what to do', () => {
    const { call, topic } = snsWithQueues();
    expect(() => call('Subscribe', { TopicArn: topic('orders'), Protocol: 'sms', Endpoint: '+1' })).toThrow(
      "knows 'sqs', 'email' and 'email-json'; found 'sms'",
    );
  });

  it.each([
    ['orders.fifo', {}],
    ['orders', { MaximumMessageSize: '262145' }],
  ])('of the topic %s with %j are a hundred at most', (name, attributes) => {
    const { topic, subscribe } = snsWithQueues();
    const arn = topic(name, attributes);
    for (let count = 0; count < 100; count++) subscribe(arn, `q${count}`);
    expect(() => subscribe(arn, 'one-more')).toThrow(
      expect.objectContaining({ name: 'SubscriptionLimitExceededException' }),
    );
  });

  it('change their attributes; a policy that does not fit its scope changes nothing', () => {
    const { call, topic, subscribe, publish, bodies } = snsWithQueues();
    const arn = topic('orders');
    const SubscriptionArn = subscribe(arn, 'payments', {
      FilterPolicy: '{"a":{"b":[1]}}',
      FilterPolicyScope: 'MessageBody',
      RawMessageDelivery: 'true',
    });
    const set = (AttributeName: string, AttributeValue: string) =>
      call('SetSubscriptionAttributes', { SubscriptionArn, AttributeName, AttributeValue });

    expect(() => set('FilterPolicyScope', 'MessageAttributes')).toThrow('does not support nested');
    expect(() => set('FilterPolicyScope', 'Header')).toThrow(
      'Please use either MessageBody or MessageAttributes',
    );
    expect(() => set('ReplayPolicy', '{}')).toThrow("found 'ReplayPolicy'");
    expect(() => set('RawMessageDelivery', 'maybe')).toThrow('true or false');
    expect(
      call<{ Attributes: object }>('GetSubscriptionAttributes', { SubscriptionArn }).Attributes,
    ).toMatchObject({
      FilterPolicy: '{"a":{"b":[1]}}',
      FilterPolicyScope: 'MessageBody',
      RawMessageDelivery: 'true',
      Protocol: 'sqs',
      Endpoint: queueArn('payments'),
      PendingConfirmation: 'false',
    });

    publish(arn, '{"a":{"b":2}}');
    set('FilterPolicy', '');
    publish(arn, '{"a":{"b":3}}');
    expect(bodies('payments')).toEqual(['{"a":{"b":3}}']);
  });

  it.each([
    ['no json', 'failed to parse JSON'],
    ['{}', 'must be the ARN of an SQS queue'],
    [
      JSON.stringify({ deadLetterTargetArn: `arn:aws:sqs:us-west-2:${ACCOUNT}:dead` }),
      "topic's account and Region",
    ],
    [JSON.stringify({ deadLetterTargetArn: queueArn('dead.fifo') }), 'cannot be the dead-letter queue'],
  ])('refuse the redrive policy %s', (RedrivePolicy, message) => {
    const { topic, subscribe } = snsWithQueues();
    expect(() => subscribe(topic('orders'), 'payments', { RedrivePolicy })).toThrow(message);
  });

  it('are listed for all topics and for one', () => {
    const { call, topic, subscribe } = snsWithQueues();
    const orders = topic('orders');
    const SubscriptionArn = subscribe(orders, 'payments');
    subscribe(topic('mails'), 'email');
    expect(call<{ Subscriptions: object[] }>('ListSubscriptions', {}).Subscriptions).toHaveLength(2);
    expect(call('ListSubscriptionsByTopic', { TopicArn: orders })).toEqual({
      Subscriptions: [
        {
          SubscriptionArn,
          TopicArn: orders,
          Owner: ACCOUNT,
          Protocol: 'sqs',
          Endpoint: queueArn('payments'),
        },
      ],
    });
    expect(() => call('GetSubscriptionAttributes', { SubscriptionArn: `${orders}:gone` })).toThrow(
      'Subscription does not exist',
    );
  });
});
