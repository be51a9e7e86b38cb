import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../../lib/base/index.ts';
import { queueArn, queueDown, queueGone, snsWithQueues } from './fixture.ts';

const minutes = (count: number) => milliseconds(count * 60_000);
const GROUP = { MessageGroupId: 'customer-1' };
const type = { type: { DataType: 'String', StringValue: 'order.placed' } };

describe('a published message reaches every queue', () => {
  it('raw: the body as it is, attributes as attributes, in the name of the topic', () => {
    const { topic, subscribe, publish, delivered } = snsWithQueues();
    const arn = topic('orders');
    subscribe(arn, 'payments', { RawMessageDelivery: 'true' });

    publish(arn, '{"a":1}', { MessageAttributes: type });

    expect(delivered).toEqual([
      {
        queue: 'payments',
        body: '{"a":1}',
        attributes: type,
        principal: { service: 'sns.amazonaws.com', sourceArn: arn, sourceAccount: '123456789012' },
      },
    ]);
  });

  it('enveloped: as a notification that says that it is not signed', () => {
    const { topic, subscribe, publish, bodies } = snsWithQueues();
    const arn = topic('orders');
    const subscription = subscribe(arn, 'payments');

    const { MessageId } = publish(arn, 'hello', {
      Subject: 'greeting',
      MessageAttributes: { ...type, bytes: { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2]) } },
    });

    expect(JSON.parse(bodies('payments')[0]!)).toEqual({
      Type: 'Notification',
      MessageId,
      TopicArn: arn,
      Subject: 'greeting',
      Message: 'hello',
      Timestamp: '2026-01-01T00:00:00.000Z',
      SignatureVersion: '1',
      Signature: 'unsigned-by-the-local-model',
      SigningCertURL: expect.stringContaining('unsigned'),
      UnsubscribeURL: expect.stringContaining(subscription),
      MessageAttributes: {
        type: { Type: 'String', Value: 'order.placed' },
        bytes: { Type: 'Binary', Value: 'AQI=' },
      },
    });
  });

  it('each protocol gets its own text of a message structured as JSON', () => {
    const { topic, subscribe, publish, bodies } = snsWithQueues();
    const arn = topic('orders');
    subscribe(arn, 'payments', { RawMessageDelivery: 'true' });
    publish(arn, '{"default":"d","sqs":"s"}', { MessageStructure: 'json' });
    publish(arn, '{"default":"d"}', { MessageStructure: 'json' });
    expect(bodies('payments')).toEqual(['s', 'd']);
    expect(() => publish(arn, '{"sqs":"s"}', { MessageStructure: 'json' })).toThrow('No default entry');
  });

  it('only where the filter lets it, and counts what it kept back', () => {
    const { topic, subscribe, publish, delivered, count } = snsWithQueues();
    const arn = topic('orders');
    subscribe(arn, 'all');
    subscribe(arn, 'placed', { FilterPolicy: '{"type":["order.placed"]}' });
    subscribe(arn, 'body', { FilterPolicy: '{"a":[1]}', FilterPolicyScope: 'MessageBody' });

    publish(arn, '{"a":2}', { MessageAttributes: type });
    publish(arn, 'no json');

    expect(delivered.map(({ queue }) => queue)).toEqual(['all', 'placed', 'all']);
    expect(count('NumberOfMessagesPublished')).toBe(2);
    expect(count('NumberOfNotificationsDelivered')).toBe(3);
    expect(count('NumberOfNotificationsFilteredOut')).toBe(3);
    expect(count('NumberOfNotificationsFilteredOut-MessageBody')).toBe(1);
    expect(count('NumberOfNotificationsFilteredOut-InvalidMessageBody')).toBe(1);
    expect(count('NumberOfNotificationsFilteredOut-NoMessageAttributes')).toBe(1);
  });

  it('a standard topic passes the group id on as the tenant of a fair queue', () => {
    const { topic, subscribe, publish, delivered } = snsWithQueues();
    const arn = topic('orders');
    subscribe(arn, 'payments');
    publish(arn, 'x', GROUP);
    expect(delivered[0]).toMatchObject({ groupId: 'customer-1' });
  });

  it('from another service of the model, to standard topics only', () => {
    const { sns, topic, subscribe, bodies } = snsWithQueues();
    const arn = topic('pages');
    subscribe(arn, 'pager', { RawMessageDelivery: 'true' });
    const principal = { service: 'cloudwatch.amazonaws.com' };
    sns.publishFromService(arn, { subject: 'ALARM', message: 'fire' }, principal);
    expect(bodies('pager')).toEqual(['fire']);
    expect(() => sns.publishFromService(topic('pages.fifo'), { message: 'fire' }, principal)).toThrow(
      'standard topics',
    );
    expect(() => sns.publishFromService('arn:aws:sns:x:y:z', { message: 'fire' }, principal)).toThrow(
      'does not exist',
    );
  });
});

describe('a FIFO topic', () => {
  it('gives rising sequence numbers and hands group and deduplication id on to FIFO queues', () => {
    const { topic, subscribe, publish, delivered } = snsWithQueues();
    const arn = topic('orders.fifo');
    subscribe(arn, 'payments.fifo', { RawMessageDelivery: 'true' });
    subscribe(arn, 'email', { RawMessageDelivery: 'true' });

    const first = publish(arn, 'a', { ...GROUP, MessageDeduplicationId: '1' });
    const second = publish(arn, 'b', { ...GROUP, MessageDeduplicationId: '2' });

    expect(first.SequenceNumber).toMatch(/^\d{20}$/);
    expect(BigInt(second.SequenceNumber!)).toBeGreaterThan(BigInt(first.SequenceNumber!));
    expect(delivered.map(({ principal: _, ...rest }) => rest)).toEqual([
      { queue: 'payments.fifo', body: 'a', groupId: 'customer-1', deduplicationId: '1' },
      { queue: 'email', body: 'a', groupId: 'customer-1' },
      { queue: 'payments.fifo', body: 'b', groupId: 'customer-1', deduplicationId: '2' },
      { queue: 'email', body: 'b', groupId: 'customer-1' },
    ]);
  });

  it('delivers one of equal messages within five minutes, and answers both alike', async () => {
    const { topic, subscribe, publish, bodies, clock } = snsWithQueues();
    const arn = topic('orders.fifo');
    subscribe(arn, 'payments.fifo', { RawMessageDelivery: 'true' });
    const once = () => publish(arn, 'a', { ...GROUP, MessageDeduplicationId: '1' });

    const first = once();
    await clock.advance(milliseconds(minutes(5) - 1));
    expect(once()).toEqual(first);
    expect(bodies('payments.fifo')).toEqual(['a']);

    await clock.advance(milliseconds(1));
    expect(once()).not.toEqual(first);
    expect(bodies('payments.fifo')).toEqual(['a', 'a']);
  });

  it('takes the content for the id when told so: equal bodies are equal messages', () => {
    const { topic, subscribe, publish, delivered } = snsWithQueues();
    const arn = topic('orders.fifo', { ContentBasedDeduplication: 'true' });
    subscribe(arn, 'payments.fifo', { RawMessageDelivery: 'true' });
    publish(arn, 'a', GROUP);
    publish(arn, 'a', { ...GROUP, MessageAttributes: type });
    publish(arn, 'b', GROUP);
    expect(delivered.map(({ body }) => body)).toEqual(['a', 'b']);
    // SHA-256 of 'a'.
    expect(delivered[0]!.deduplicationId).toMatch(/^ca978112ca1bbdca/);
  });

  it.each([
    ['Topic', 1],
    ['MessageGroup', 2],
  ])('looks for equal ids within the scope %s', (FifoThroughputScope, deliveries) => {
    const { topic, subscribe, publish, delivered } = snsWithQueues();
    const arn = topic('orders.fifo', { FifoThroughputScope });
    subscribe(arn, 'payments.fifo');
    publish(arn, 'a', { MessageGroupId: 'g1', MessageDeduplicationId: '1' });
    publish(arn, 'a', { MessageGroupId: 'g2', MessageDeduplicationId: '1' });
    expect(delivered).toHaveLength(deliveries);
  });

  it('keeps the order of a group through a queue that is down for a while; other groups go on', async () => {
    const { topic, subscribe, publish, failures, bodies, clock, count } = snsWithQueues();
    const arn = topic('orders.fifo');
    subscribe(arn, 'payments.fifo', { RawMessageDelivery: 'true' });
    const send = (body: string, group: string) =>
      publish(arn, body, { MessageGroupId: group, MessageDeduplicationId: body });

    failures.set('payments.fifo', queueDown);
    send('a1', 'a');
    failures.clear();
    send('a2', 'a');
    send('b1', 'b');
    expect(bodies('payments.fifo')).toEqual(['b1']);
    await clock.advance(minutes(1));
    send('a3', 'a');

    expect(bodies('payments.fifo')).toEqual(['b1', 'a1', 'a2', 'a3']);
    expect(count('NumberOfNotificationsFailed')).toBe(0);
  });

  it.each([
    [{}, 'The MessageGroupId parameter is required for FIFO topics'],
    [GROUP, 'either have ContentBasedDeduplication enabled or MessageDeduplicationId'],
    [{ MessageGroupId: 'a b', MessageDeduplicationId: '1' }, 'MessageGroupId Reason'],
    [{ ...GROUP, MessageDeduplicationId: 'x'.repeat(129) }, 'MessageDeduplicationId Reason'],
  ])('refuses the ids %j', (ids, message) => {
    const { topic, publish } = snsWithQueues();
    expect(() => publish(topic('orders.fifo'), 'a', ids)).toThrow(message);
  });
});

describe('a delivery that fails', () => {
  const dead = {
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: queueArn('dead') }),
    RawMessageDelivery: 'true',
  };

  it('because the queue is gone is not tried again: it goes to the dead-letter queue of the subscription', async () => {
    const { topic, subscribe, publish, failures, delivered, clock, count } = snsWithQueues();
    const arn = topic('orders');
    subscribe(arn, 'payments', dead);
    failures.set('payments', queueGone);

    publish(arn, 'a', { MessageAttributes: type });
    failures.clear();
    await clock.advance(minutes(60));

    expect(delivered).toMatchObject([{ queue: 'dead', body: 'a', attributes: type }]);
    expect(count('NumberOfNotificationsFailed')).toBe(1);
    expect(count('NumberOfNotificationsRedrivenToDlq')).toBe(1);
    expect(count('NumberOfNotificationsFailedToRedriveToDlq')).toBe(0);
    expect(count('NumberOfNotificationsDelivered')).toBe(0);
  });

  it('is lost and counted without a dead-letter queue', () => {
    const { topic, subscribe, publish, failures, delivered, count } = snsWithQueues();
    const arn = topic('orders');
    subscribe(arn, 'payments');
    subscribe(arn, 'email');
    failures.set('payments', queueGone);
    publish(arn, 'a');
    expect(delivered.map(({ queue }) => queue)).toEqual(['email']);
    expect(count('NumberOfNotificationsFailed')).toBe(1);
    expect(count('NumberOfNotificationsRedrivenToDlq')).toBe(0);
  });

  it('is lost and counted apart when the dead-letter queue refuses it too', () => {
    const { topic, subscribe, publish, failures, delivered, count } = snsWithQueues();
    const arn = topic('orders');
    subscribe(arn, 'payments', dead);
    failures.set('payments', queueGone);
    failures.set('dead', queueGone);
    publish(arn, 'a');
    expect(delivered).toEqual([]);
    expect(count('NumberOfNotificationsFailed')).toBe(1);
    expect(count('NumberOfNotificationsFailedToRedriveToDlq')).toBe(1);
  });

  it('keeps its group and deduplication id in a FIFO dead-letter queue, also from a standard queue', () => {
    const { topic, subscribe, publish, failures, delivered } = snsWithQueues();
    const arn = topic('orders.fifo');
    subscribe(arn, 'email', {
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: queueArn('dead.fifo') }),
    });
    failures.set('email', queueGone);
    publish(arn, 'a', { ...GROUP, MessageDeduplicationId: '1' });
    expect(delivered).toMatchObject([{ queue: 'dead.fifo', groupId: 'customer-1', deduplicationId: '1' }]);
  });

  it('because SQS is down is tried again until it is up', async () => {
    const { topic, subscribe, publish, failures, bodies, clock, count } = snsWithQueues();
    const arn = topic('orders');
    subscribe(arn, 'payments', dead);
    failures.set('payments', queueDown);
    publish(arn, 'a');
    await clock.advance(minutes(10));
    failures.clear();
    await clock.advance(minutes(1));
    expect(bodies('payments')).toEqual(['a']);
    expect(bodies('dead')).toEqual([]);
    expect(count('NumberOfNotificationsDelivered')).toBe(1);
  });

  it('is not tried again after the subscription has ended', async () => {
    const { topic, subscribe, publish, failures, call, delivered, clock } = snsWithQueues();
    const arn = topic('orders');
    const SubscriptionArn = subscribe(arn, 'payments');
    failures.set('payments', queueDown);
    publish(arn, 'a');
    call('Unsubscribe', { SubscriptionArn });
    failures.clear();
    await clock.advance(minutes(10));
    expect(delivered).toEqual([]);
  });

  it('with more than ten attributes on a raw subscription is a client error', () => {
    const { topic, subscribe, publish, bodies } = snsWithQueues();
    const arn = topic('orders');
    subscribe(arn, 'payments', dead);
    subscribe(arn, 'email');
    const attributes = Object.fromEntries([...'abcdefghijk'].map((name) => [name, type.type]));
    publish(arn, 'a', { MessageAttributes: attributes });
    expect(bodies('payments')).toEqual([]);
    expect(bodies('email')).toHaveLength(1);
  });
});

describe('a message that SNS does not take', () => {
  it.each([
    ['', {}, 'Empty message'],
    ['x'.repeat(262_145), {}, 'Message too long: 262145 bytes'],
    // Two bytes a character, and the attribute's name, type and value count as well.
    ['é'.repeat(131_062), { MessageAttributes: type }, 'Message too long: 262146 bytes'],
    ['x', { Subject: 'two\nlines' }, 'Subject'],
    ['x', { MessageAttributes: { 'a..b': type.type } }, "Invalid message attribute name 'a..b'"],
    [
      'x',
      { MessageAttributes: { a: { DataType: 'Text', StringValue: 'x' } } },
      "invalid message attribute type 'Text'",
    ],
    ['x', { MessageAttributes: { a: { DataType: 'String', StringValue: '' } } }, 'must contain non-empty'],
    ['x', { MessageAttributes: { a: { DataType: 'Number', StringValue: 'one' } } }, 'Could not cast'],
    ['x', { MessageDeduplicationId: '1' }, 'not valid for this topic type'],
    ['x', { PhoneNumber: '+491' }, 'topics only'],
  ])('%#: %s', (message, more, reason) => {
    const { topic, publish } = snsWithQueues();
    expect(() => publish(topic('orders'), message, more)).toThrow(reason);
  });

  it('the limit grows to MaximumMessageSize', () => {
    const { topic, publish } = snsWithQueues();
    const arn = topic('orders', { MaximumMessageSize: '1048576' });
    expect(publish(arn, 'x'.repeat(1_048_576)).MessageId).toBeDefined();
    expect(() => publish(arn, 'x'.repeat(1_048_577))).toThrow('at most 1048576');
  });

  it('for a topic that is not there', () => {
    const { publish } = snsWithQueues();
    expect(() => publish('arn:aws:sns:eu-central-1:123456789012:gone', 'x')).toThrow(
      expect.objectContaining({ name: 'NotFoundException', statusCode: 404 }),
    );
  });
});

describe('a batch', () => {
  it('answers for each entry, in part well and in part not', () => {
    const { topic, subscribe, publishBatch, bodies } = snsWithQueues();
    const arn = topic('orders');
    subscribe(arn, 'payments', { RawMessageDelivery: 'true' });

    const result = publishBatch(arn, [
      { Id: 'a', Message: 'one' },
      { Id: 'b', Message: '' },
      { Id: 'c', Message: 'three' },
    ]);

    expect(result.Successful!.map(({ Id }) => Id)).toEqual(['a', 'c']);
    expect(result.Failed).toEqual([
      { Id: 'b', Code: 'InvalidParameter', Message: 'Invalid parameter: Empty message', SenderFault: true },
    ]);
    expect(bodies('payments')).toEqual(['one', 'three']);
  });

  it.each<[string, object[], string]>([
    ['EmptyBatchRequestException', [], "doesn't contain"],
    [
      'TooManyEntriesInBatchRequestException',
      Array.from({ length: 11 }, (_, Id) => ({ Id: `${Id}`, Message: 'x' })),
      '11',
    ],
    [
      'BatchEntryIdsNotDistinctException',
      [
        { Id: 'a', Message: 'x' },
        { Id: 'a', Message: 'y' },
      ],
      'same Id',
    ],
    ['InvalidBatchEntryIdException', [{ Id: 'a b', Message: 'x' }], "'a b'"],
    [
      'BatchRequestTooLongException',
      [
        { Id: 'a', Message: 'x'.repeat(200_000) },
        { Id: 'b', Message: 'x'.repeat(100_000) },
      ],
      '300000 bytes',
    ],
  ])('%s refuses it as a whole', (name, entries, message) => {
    const { topic, publishBatch } = snsWithQueues();
    const arn = topic('orders');
    expect(() => publishBatch(arn, entries)).toThrow(
      expect.objectContaining({ name, message: expect.stringContaining(message) }),
    );
  });

  it('without group ids on a FIFO topic is refused before anything is sent', () => {
    const { topic, subscribe, publishBatch, delivered } = snsWithQueues();
    const arn = topic('orders.fifo', { ContentBasedDeduplication: 'true' });
    subscribe(arn, 'payments.fifo');
    expect(() =>
      publishBatch(arn, [
        { Id: 'a', Message: 'x', ...GROUP },
        { Id: 'b', Message: 'y' },
      ]),
    ).toThrow('MessageGroupId parameter is required');
    expect(delivered).toEqual([]);
  });
});
