import { describe, expect, it } from 'vitest';
import { createFixture, errorOf } from './fixture.ts';

describe('a queue is made once', () => {
  it('answers the same URL for the same attributes, and refuses others', () => {
    const { operations, create } = createFixture();
    const url = create('q', { DelaySeconds: '1', ReceiveMessageWaitTimeSeconds: '1' });
    expect(url).toBe('http://127.0.0.1:4566/000000000000/q');
    expect(create('q')).toBe(url);
    expect(create('q', { DelaySeconds: '1', VisibilityTimeout: '30' })).toBe(url);
    expect(errorOf(() => create('q', { DelaySeconds: '2' }))).toMatchObject({
      name: 'QueueNameExists',
      queryCode: 'QueueAlreadyExists',
      message: 'A queue already exists with the same name and a different value for attribute DelaySeconds',
    });
    operations.SetQueueAttributes({ QueueUrl: url, Attributes: { DelaySeconds: '2' } });
    expect(create('q', { DelaySeconds: '2' })).toBe(url);
    expect(errorOf(() => create('q', { DelaySeconds: '1' })).name).toBe('QueueNameExists');
  });

  it.each(['__proto__', 'constructor', 'toString'])(
    'knows no attribute %s, which every object has',
    (name) => {
      const { operations, create } = createFixture();
      const url = create('q');
      const Attributes = Object.fromEntries([[name, '1']]);
      expect(errorOf(() => operations.SetQueueAttributes({ QueueUrl: url, Attributes })).name).toBe(
        'InvalidAttributeName',
      );
      const AttributeNames = [name] as never[];
      expect(errorOf(() => operations.GetQueueAttributes({ QueueUrl: url, AttributeNames })).name).toBe(
        'InvalidAttributeName',
      );
    },
  );

  it('takes a policy for the same when only its blanks differ', () => {
    const { create, redrive, arnOf } = createFixture();
    create('dead');
    const url = create('q', redrive('dead', 3));
    const spaced = (count: number) => ({
      RedrivePolicy: `{ "deadLetterTargetArn": "${arnOf('dead')}", "maxReceiveCount": ${count} }`,
    });
    expect(create('q', spaced(3))).toBe(url);
    expect(errorOf(() => create('q', spaced(4))).name).toBe('QueueNameExists');
  });

  it('keeps a deleted queue’s name taken for 60 seconds', async () => {
    const { operations, create, send, wait } = createFixture();
    const url = create('q');
    operations.DeleteQueue({ QueueUrl: url });
    expect(errorOf(() => send(url, 'x'))).toMatchObject({
      name: 'QueueDoesNotExist',
      queryCode: 'AWS.SimpleQueueService.NonExistentQueue',
      message: 'The specified queue does not exist.',
    });
    expect(errorOf(() => create('q')).name).toBe('QueueDeletedRecently');
    await wait(60);
    create('q');
  });

  it.each([
    ['a name with a blank', 'a b', {}],
    ['a name that is too long', 'a'.repeat(81), {}],
    ['a standard queue with a FIFO name', 'q.fifo', {}],
    ['a FIFO queue without the suffix', 'q', { FifoQueue: 'true' }],
    ['a FIFO name of more than 80 characters', `${'a'.repeat(76)}.fifo`, { FifoQueue: 'true' }],
  ])('refuses %s', (_, QueueName, Attributes) => {
    const { operations } = createFixture();
    expect(errorOf(() => operations.CreateQueue({ QueueName, Attributes })).name).toBe(
      'InvalidParameterValue',
    );
  });

  it('is found by name and listed by prefix, page by page', () => {
    const { operations, create } = createFixture();
    const urls = ['a-1', 'a-2', 'a-3'].map((name) => create(name));
    create('b');
    expect(operations.GetQueueUrl({ QueueName: 'a-1' }).QueueUrl).toBe(urls[0]);
    expect(errorOf(() => operations.GetQueueUrl({ QueueName: 'c' })).name).toBe('QueueDoesNotExist');
    const first = operations.ListQueues({ QueueNamePrefix: 'a-', MaxResults: 2 });
    expect(first.QueueUrls).toEqual(urls.slice(0, 2));
    const second = operations.ListQueues({
      QueueNamePrefix: 'a-',
      MaxResults: 2,
      NextToken: first.NextToken,
    });
    expect(second).toEqual({ QueueUrls: urls.slice(2) });
    expect(operations.ListQueues({ QueueNamePrefix: 'x' })).toEqual({});
    expect(errorOf(() => operations.ListQueues({ MaxResults: 1001 })).name).toBe('InvalidParameterValue');
  });

  it('is addressed by its URL at any host, or by its bare name, in its own account', () => {
    const { send, create } = createFixture();
    create('q');
    send('http://localhost:9999/000000000000/q', 'x');
    send('q', 'x');
    expect(errorOf(() => send('http://127.0.0.1:4566/111111111111/q', 'x')).name).toBe('QueueDoesNotExist');
  });
});

describe('attributes of a queue', () => {
  it('are shown with their defaults', () => {
    const { operations, create, arnOf, clock } = createFixture();
    const all = (url: string) =>
      operations.GetQueueAttributes({ QueueUrl: url, AttributeNames: ['All'] }).Attributes;
    const now = String(clock.now() / 1000);
    const common = {
      ApproximateNumberOfMessages: '0',
      ApproximateNumberOfMessagesDelayed: '0',
      ApproximateNumberOfMessagesNotVisible: '0',
      CreatedTimestamp: now,
      DelaySeconds: '0',
      LastModifiedTimestamp: now,
      MaximumMessageSize: '1048576',
      MessageRetentionPeriod: '345600',
      ReceiveMessageWaitTimeSeconds: '0',
      SqsManagedSseEnabled: 'true',
      VisibilityTimeout: '30',
    };
    expect(all(create('q'))).toEqual({ ...common, QueueArn: arnOf('q') });
    expect(all(create('q.fifo'))).toEqual({
      ...common,
      QueueArn: arnOf('q.fifo'),
      FifoQueue: 'true',
      ContentBasedDeduplication: 'false',
      DeduplicationScope: 'queue',
      FifoThroughputLimit: 'perQueue',
    });
  });

  it('are answered for the names that were asked, and counted', async () => {
    const { operations, create, send, receive } = createFixture();
    const url = create('q');
    send(url, '1');
    send(url, '2');
    send(url, '3', { DelaySeconds: 9 });
    await receive(url, 1);
    expect(
      operations.GetQueueAttributes({
        QueueUrl: url,
        AttributeNames: [
          'ApproximateNumberOfMessages',
          'ApproximateNumberOfMessagesNotVisible',
          'ApproximateNumberOfMessagesDelayed',
        ],
      }).Attributes,
    ).toEqual({
      ApproximateNumberOfMessages: '1',
      ApproximateNumberOfMessagesNotVisible: '1',
      ApproximateNumberOfMessagesDelayed: '1',
    });
    expect(operations.GetQueueAttributes({ QueueUrl: url })).toEqual({});
  });

  it.each([
    ['VisibilityTimeout', '-1'],
    ['VisibilityTimeout', '43201'],
    ['DelaySeconds', '901'],
    ['MaximumMessageSize', '1023'],
    ['MaximumMessageSize', '1048577'],
    ['MessageRetentionPeriod', '59'],
    ['MessageRetentionPeriod', '1209601'],
    ['ReceiveMessageWaitTimeSeconds', '21'],
    ['ReceiveMessageWaitTimeSeconds', 'long'],
    ['SqsManagedSseEnabled', 'maybe'],
    ['KmsDataKeyReusePeriodSeconds', '59'],
    ['Policy', 'not json'],
  ])('refuse %s = %s, and change nothing then', (name, value) => {
    const { operations, create } = createFixture();
    const url = create('q');
    const error = errorOf(() =>
      operations.SetQueueAttributes({ QueueUrl: url, Attributes: { DelaySeconds: '7', [name]: value } }),
    );
    expect(error.name).toBe('InvalidAttributeValue');
    expect(error.message).toContain(`Invalid value for the parameter ${name}.`);
    const { Attributes } = operations.GetQueueAttributes({ QueueUrl: url, AttributeNames: ['DelaySeconds'] });
    expect(Attributes).toEqual({ DelaySeconds: '0' });
  });

  it.each([
    ['FifoQueue', 'true', 'Unknown Attribute FifoQueue.'],
    ['ContentBasedDeduplication', 'false', 'Unknown Attribute ContentBasedDeduplication.'],
    [
      'DeduplicationScope',
      'queue',
      'You can specify the DeduplicationScope only when FifoQueue is set to true.',
    ],
    [
      'FifoThroughputLimit',
      'perQueue',
      'You can specify the FifoThroughputLimit only when FifoQueue is set to true.',
    ],
    ['Color', 'blue', 'Unknown Attribute Color.'],
    ['QueueArn', 'x', 'Unknown Attribute QueueArn.'],
  ])('of a standard queue do not include %s', (name, value, message) => {
    const { operations, create } = createFixture();
    const url = create('q');
    const error = errorOf(() =>
      operations.SetQueueAttributes({ QueueUrl: url, Attributes: { [name]: value } }),
    );
    expect(error).toMatchObject({ name: 'InvalidAttributeName', message });
  });

  it('of a FIFO queue cannot turn it into a standard one, and allow high throughput only per group', () => {
    const { operations, create } = createFixture();
    const url = create('q.fifo');
    const set = (Attributes: Record<string, string>) =>
      operations.SetQueueAttributes({ QueueUrl: url, Attributes });
    expect(errorOf(() => set({ FifoQueue: 'false' })).message).toBe(
      'Invalid value for the parameter FifoQueue. Reason: Modifying queue type is not supported.',
    );
    expect(errorOf(() => set({ FifoThroughputLimit: 'perMessageGroupId' })).name).toBe(
      'InvalidParameterValue',
    );
    set({ FifoThroughputLimit: 'perMessageGroupId', DeduplicationScope: 'messageGroup' });
  });

  it('have one kind of encryption at a time', () => {
    const { operations, create } = createFixture();
    const url = create('q', { KmsMasterKeyId: 'testKeyId', KmsDataKeyReusePeriodSeconds: '6000' });
    const read = () =>
      operations.GetQueueAttributes({ QueueUrl: url, AttributeNames: ['SqsManagedSseEnabled'] }).Attributes;
    expect(read()).toEqual({ SqsManagedSseEnabled: 'false' });
    expect(
      errorOf(() =>
        operations.SetQueueAttributes({ QueueUrl: url, Attributes: { SqsManagedSseEnabled: 'true' } }),
      ).message,
    ).toBe(
      'You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.',
    );
  });

  it('take effect at once: a longer visibility for later receives, a shorter retention for all messages', async () => {
    const { operations, create, send, bodies, wait } = createFixture();
    const url = create('q', { VisibilityTimeout: '5' });
    send(url, 'x');
    operations.SetQueueAttributes({ QueueUrl: url, Attributes: { VisibilityTimeout: '50' } });
    await bodies(url);
    await wait(49);
    expect(await bodies(url)).toEqual([]);
    await wait(50);
    operations.SetQueueAttributes({ QueueUrl: url, Attributes: { MessageRetentionPeriod: '60' } });
    expect(await bodies(url)).toEqual([]);
  });
});

describe('tags and permissions of a queue', () => {
  it('keep, replace and drop tags', () => {
    const { operations, create } = createFixture();
    const QueueUrl = create('q');
    operations.TagQueue({ QueueUrl, Tags: { tag1: 'value1', tag2: 'value2', tag3: '' } });
    operations.UntagQueue({ QueueUrl, TagKeys: ['tag1', 'tag3'] });
    expect(operations.ListQueueTags({ QueueUrl })).toEqual({ Tags: { tag2: 'value2' } });
    operations.UntagQueue({ QueueUrl, TagKeys: ['tag2'] });
    expect(operations.ListQueueTags({ QueueUrl })).toEqual({});
  });

  it('write and remove statements of the policy by label', () => {
    const { operations, create, arnOf } = createFixture();
    const QueueUrl = create('q');
    const policy = () => {
      const { Attributes } = operations.GetQueueAttributes({ QueueUrl, AttributeNames: ['Policy'] });
      return Attributes?.Policy === undefined ? undefined : JSON.parse(Attributes.Policy);
    };
    const add = () =>
      operations.AddPermission({
        QueueUrl,
        Label: 'crossaccount',
        AWSAccountIds: ['111111111111', '222222222222'],
        Actions: ['ReceiveMessage'],
      });
    add();
    expect(policy()).toEqual({
      Version: '2008-10-17',
      Id: `${arnOf('q')}/SQSDefaultPolicy`,
      Statement: [
        {
          Sid: 'crossaccount',
          Effect: 'Allow',
          Principal: { AWS: ['arn:aws:iam::111111111111:root', 'arn:aws:iam::222222222222:root'] },
          Action: 'SQS:ReceiveMessage',
          Resource: arnOf('q'),
        },
      ],
    });
    expect(errorOf(add).message).toBe(
      'Value crossaccount for parameter Label is invalid. Reason: Already exists.',
    );
    operations.RemovePermission({ QueueUrl, Label: 'crossaccount' });
    expect(policy()).toBeUndefined();
    expect(errorOf(() => operations.RemovePermission({ QueueUrl, Label: 'crossaccount' })).message).toBe(
      "Value crossaccount for parameter Label is invalid. Reason: can't find label.",
    );
  });
});
