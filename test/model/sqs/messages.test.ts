import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createFixture, errorOf } from './fixture.ts';

const text = (StringValue: string) => ({ DataType: 'String', StringValue });

describe('a message arrives as it was sent, with digests that an SDK verifies', () => {
  const attributes = { Hello: text('There'), General: text('Kenobi'), 'Help.Me': text('Me') };
  const prepare = () => {
    const fixture = createFixture();
    const url = fixture.create('q');
    const sent = fixture.send(url, 'msg', { MessageAttributes: attributes });
    const read = async (...MessageAttributeNames: string[]) =>
      (await fixture.receive(url, 1, { MessageAttributeNames, VisibilityTimeout: 0 }))[0];
    return { ...fixture, url, sent, read };
  };

  it('has the digests of body and attributes that AWS answers', () => {
    expect(prepare().sent).toMatchObject({
      MD5OfMessageBody: '6e2baaf3b97dbeef01c0043275f9a0e7',
      MD5OfMessageAttributes: '4c360f3fdafd970e05fae2f149d997f5',
    });
  });

  it.each([
    { names: ['All'], digest: '4c360f3fdafd970e05fae2f149d997f5', found: ['General', 'Hello', 'Help.Me'] },
    { names: ['.*'], digest: '4c360f3fdafd970e05fae2f149d997f5', found: ['General', 'Hello', 'Help.Me'] },
    { names: ['Hello', 'General'], digest: 'fca026605781cb4126a1e9044df24232', found: ['General', 'Hello'] },
    { names: ['Hello', 'Nope'], digest: 'a311262e065454b75da111d535b8dacd', found: ['Hello'] },
    { names: ['Hel.*'], digest: '83fee93c1bcd8b9a5a923ffacdc636c7', found: ['Hello', 'Help.Me'] },
  ])('shows the attributes $names with the digest of these', async ({ names, digest, found }) => {
    const message = await prepare().read(...names);
    expect(Object.keys(message?.MessageAttributes ?? {}).sort()).toEqual(found);
    expect(message?.MD5OfMessageAttributes).toBe(digest);
  });

  it.each([[[]], [['Nope']]])('shows no attributes for the names %j', async (names) => {
    const message = await prepare().read(...names);
    expect(message).not.toHaveProperty('MessageAttributes');
    expect(message).not.toHaveProperty('MD5OfMessageAttributes');
  });

  it('takes binary attributes and numbers', () => {
    const { create, send } = createFixture();
    const BinaryValue = Buffer.from('traceparent\x1e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01');
    const sent = send(create('q'), 'test', {
      MessageAttributes: { attr1: { DataType: 'Binary', BinaryValue } },
    });
    expect(sent.MD5OfMessageAttributes).toBe('8cbe4db156db8a94db8b801b7addb984');
    send(create('q'), 'test', {
      MessageAttributes: { n: { DataType: 'Number.int', StringValue: '-1.5e3' } },
    });
  });

  it('shows the system attributes that were asked for, by either name of the parameter', async () => {
    const { operations, create, send, clock } = createFixture();
    const url = create('q');
    send(url, 'x');
    const read = async (input: object) => {
      const { Messages } = await operations.ReceiveMessage(
        { QueueUrl: url, VisibilityTimeout: 0, ...input },
        {},
      );
      return Messages?.[0]?.Attributes;
    };
    const now = String(clock.now());
    expect(await read({ AttributeNames: ['All'] })).toEqual({
      SenderId: '000000000000',
      SentTimestamp: now,
      ApproximateReceiveCount: '1',
      ApproximateFirstReceiveTimestamp: now,
    });
    expect(await read({ MessageSystemAttributeNames: ['ApproximateReceiveCount'] })).toEqual({
      ApproximateReceiveCount: '2',
    });
    expect(await read({})).toBeUndefined();
  });

  it('is not touched by what the sender does with its own objects afterwards', async () => {
    const { create, send, receive } = createFixture();
    const url = create('q');
    const mine = { a: text('1') };
    send(url, 'x', { MessageAttributes: mine });
    Object.assign(mine, { b: text('2') });
    const [message] = await receive(url, 1, { MessageAttributeNames: ['All'] });
    expect(message?.MessageAttributes).toEqual({ a: text('1') });
  });
});

describe('a message that SQS would not take is refused', () => {
  it.each([
    ['no body', { MessageBody: '' }, 'MissingParameter'],
    ['control characters', { MessageBody: 'a\u0000b' }, 'InvalidMessageContents'],
    ['a non-character', { MessageBody: 'a\uffff' }, 'InvalidMessageContents'],
    ['half of a surrogate pair', { MessageBody: 'a\ud83d' }, 'InvalidMessageContents'],
    ['a delay over 15 minutes', { DelaySeconds: 901 }, 'InvalidParameterValue'],
    ['a deduplication id on a standard queue', { MessageDeduplicationId: 'd' }, 'InvalidParameterValue'],
    ['an empty attribute', { MessageAttributes: { a: text('') } }, 'InvalidParameterValue'],
    [
      'an attribute of no known type',
      { MessageAttributes: { a: { DataType: 'Blob' } } },
      'InvalidParameterValue',
    ],
    ['an attribute without a type', { MessageAttributes: { a: { DataType: '' } } }, 'InvalidParameterValue'],
    ['a reserved attribute name', { MessageAttributes: { 'AWS.x': text('1') } }, 'InvalidParameterValue'],
    [
      'an attribute name ending in a dot',
      { MessageAttributes: { 'x.': text('1') } },
      'InvalidParameterValue',
    ],
    ['an attribute name with a blank', { MessageAttributes: { 'a b': text('1') } }, 'InvalidParameterValue'],
    ['control characters in an attribute', { MessageAttributes: { a: text('\b') } }, 'InvalidParameterValue'],
    [
      'a number that is none',
      { MessageAttributes: { a: { DataType: 'Number', StringValue: 'one' } } },
      'InvalidParameterValue',
    ],
    [
      'eleven attributes',
      {
        MessageAttributes: Object.fromEntries(
          Array.from({ length: 11 }, (_, index) => [`a${index}`, text('1')]),
        ),
      },
      'InvalidParameterValue',
    ],
  ])('for %s', (_, more, name) => {
    const { create, send } = createFixture();
    expect(errorOf(() => send(create('q'), 'x', more)).name).toBe(name);
  });

  it('keeps whole emoji and other characters outside the basic plane', async () => {
    const { create, send, bodies } = createFixture();
    const url = create('q');
    send(url, 'naïve 🚚 日本');
    expect(await bodies(url)).toEqual(['naïve 🚚 日本']);
  });

  it('for a missing group, or a missing deduplication id, on a FIFO queue', () => {
    const { create, operations } = createFixture();
    const input = { QueueUrl: create('q.fifo'), MessageBody: 'x' };
    expect(
      errorOf(() => operations.SendMessage({ ...input, MessageDeduplicationId: 'd' }, {})),
    ).toMatchObject({
      name: 'MissingParameter',
      message: 'The request must contain the parameter MessageGroupId.',
    });
    expect(errorOf(() => operations.SendMessage({ ...input, MessageGroupId: 'g' }, {}))).toMatchObject({
      name: 'InvalidParameterValue',
      message:
        'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
    });
  });

  it.each(['', 'a'.repeat(129), 'group 123'])('for the deduplication id "%s"', (id) => {
    const { create, send } = createFixture();
    expect(errorOf(() => send(create('q.fifo'), 'x', { MessageDeduplicationId: id })).message).toBe(
      `Value ${id} for parameter MessageDeduplicationId is invalid. Reason: MessageDeduplicationId can only include alphanumeric and punctuation characters. 1 to 128 in length.`,
    );
  });

  it('for more UTF-8 bytes of body and attributes than the queue takes', () => {
    const { create, send } = createFixture();
    const url = create('q', { MaximumMessageSize: '1024' });
    send(url, 'a'.repeat(1024));
    send(url, 'é'.repeat(512));
    expect(errorOf(() => send(url, 'é'.repeat(513))).message).toBe(
      'One or more parameters are invalid. Reason: Message must be shorter than 1024 bytes.',
    );
    const attribute = { MessageAttributes: { k: text('x') } };
    send(url, 'a'.repeat(1024 - 8), attribute);
    expect(errorOf(() => send(url, 'a'.repeat(1024 - 7), attribute)).name).toBe('InvalidParameterValue');
    const large = create('large');
    send(large, 'a'.repeat(1_048_576));
    expect(errorOf(() => send(large, 'a'.repeat(1_048_577))).message).toContain('shorter than 1048576 bytes');
  });
});

describe('a batch succeeds and fails entry by entry', () => {
  it('sends what is right and names what is wrong', async () => {
    const { create, operations, bodies } = createFixture();
    const url = create('q', { MaximumMessageSize: '1024' });
    const result = operations.SendMessageBatch(
      {
        QueueUrl: url,
        Entries: [
          { Id: 'good', MessageBody: 'a'.repeat(1024) },
          { Id: 'large', MessageBody: 'a'.repeat(1025) },
          { Id: 'empty', MessageBody: '' },
        ],
      },
      {},
    );
    expect(result).toMatchObject({
      Successful: [{ Id: 'good', MD5OfMessageBody: 'c9a34cfc85d982698c6ac89f76071abd' }],
      Failed: [
        {
          Id: 'large',
          SenderFault: true,
          Code: 'InvalidParameterValue',
          Message:
            'One or more parameters cannot be validated. Reason: Message must be shorter than 1024 bytes.',
        },
        { Id: 'empty', SenderFault: true, Code: 'MissingParameter' },
      ],
    });
    expect(await bodies(url)).toHaveLength(1);
  });

  it('keeps the order of its entries within a FIFO group', async () => {
    const { create, operations, bodies } = createFixture();
    const url = create('q.fifo');
    const Entries = Array.from({ length: 10 }, (_, index) => ({
      Id: String(index),
      MessageBody: String(index),
      MessageGroupId: 'g',
      MessageDeduplicationId: String(index),
    }));
    operations.SendMessageBatch({ QueueUrl: url, Entries }, {});
    expect(await bodies(url)).toEqual(Entries.map(({ MessageBody }) => MessageBody));
  });

  it('deletes and changes visibility with partial results', async () => {
    const { create, operations, send, receive, bodies } = createFixture();
    const QueueUrl = create('q');
    for (const body of ['1', '2', '3']) send(QueueUrl, body);
    const [first, second, third] = await receive(QueueUrl);
    expect(
      operations.DeleteMessageBatch({
        QueueUrl,
        Entries: [
          { Id: 'a', ReceiptHandle: first?.ReceiptHandle },
          { Id: 'b', ReceiptHandle: 'nonsense' },
        ],
      }),
    ).toMatchObject({
      Successful: [{ Id: 'a' }],
      Failed: [{ Id: 'b', Code: 'ReceiptHandleIsInvalid', SenderFault: true }],
    });
    const changed = operations.ChangeMessageVisibilityBatch({
      QueueUrl,
      Entries: [
        { Id: 'a', ReceiptHandle: first?.ReceiptHandle, VisibilityTimeout: 0 },
        { Id: 'b', ReceiptHandle: second?.ReceiptHandle, VisibilityTimeout: 0 },
        { Id: 'c', ReceiptHandle: third?.ReceiptHandle, VisibilityTimeout: 99_999 },
        { Id: 'd', ReceiptHandle: third?.ReceiptHandle },
      ],
    });
    expect(changed.Successful).toEqual([{ Id: 'b' }]);
    expect(changed.Failed?.map(({ Id, Code }) => [Id, Code])).toEqual([
      ['a', 'InvalidParameterValue'],
      ['c', 'InvalidParameterValue'],
      ['d', 'MissingParameter'],
    ]);
    expect(await bodies(QueueUrl)).toEqual(['2']);
  });

  it.each([
    ['nothing in it', [], 'EmptyBatchRequest', 'AWS.SimpleQueueService.EmptyBatchRequest'],
    [
      'eleven entries',
      Array.from({ length: 11 }, (_, index) => ({ Id: String(index) })),
      'TooManyEntriesInBatchRequest',
      'AWS.SimpleQueueService.TooManyEntriesInBatchRequest',
    ],
    [
      'an id with a colon',
      [{ Id: 'a:b' }],
      'InvalidBatchEntryId',
      'AWS.SimpleQueueService.InvalidBatchEntryId',
    ],
    [
      'an id of 81 characters',
      [{ Id: 'a'.repeat(81) }],
      'InvalidBatchEntryId',
      'AWS.SimpleQueueService.InvalidBatchEntryId',
    ],
    [
      'one id twice',
      [{ Id: 'a' }, { Id: 'a' }],
      'BatchEntryIdsNotDistinct',
      'AWS.SimpleQueueService.BatchEntryIdsNotDistinct',
    ],
  ])('is refused as a whole with %s', (_, entries, name, queryCode) => {
    const { create, operations } = createFixture();
    const QueueUrl = create('q');
    const handles = entries.map((entry) => ({ ...entry, ReceiptHandle: 'x', VisibilityTimeout: 1 }));
    for (const run of [
      () =>
        operations.SendMessageBatch(
          { QueueUrl, Entries: entries.map((entry) => ({ ...entry, MessageBody: 'x' })) },
          {},
        ),
      () => operations.DeleteMessageBatch({ QueueUrl, Entries: handles }),
      () => operations.ChangeMessageVisibilityBatch({ QueueUrl, Entries: handles }),
    ]) {
      expect(errorOf(run)).toMatchObject({ name, queryCode });
    }
  });

  it('is refused as a whole when it is too long, or an entry lacks what a FIFO queue needs', () => {
    const { create, operations } = createFixture();
    const send = (QueueUrl: string, more: object) =>
      operations.SendMessageBatch({ QueueUrl, Entries: [{ Id: 'a', MessageBody: 'x', ...more }] }, {});
    const MessageBody = 'a'.repeat(1_048_576 - 7);
    expect(
      errorOf(() => send(create('q'), { MessageBody, MessageAttributes: { k: text('x') } })).message,
    ).toBe('Batch requests cannot be longer than 1048576 bytes. You have sent 1048577 bytes.');
    const fifo = create('q.fifo');
    expect(errorOf(() => send(fifo, { MessageDeduplicationId: 'd' }))).toMatchObject({
      name: 'InvalidParameterValue',
      message: 'The request must contain the parameter MessageGroupId.',
    });
    expect(errorOf(() => send(fifo, { MessageGroupId: 'g' })).message).toContain(
      'ContentBasedDeduplication enabled',
    );
  });
});

describe('a receive asks for 1 to 10 messages and waits 0 to 20 seconds', () => {
  it.each([0, 11])('refuses %d messages', async (MaxNumberOfMessages) => {
    const { create, operations } = createFixture();
    expect(
      errorOf(() => operations.ReceiveMessage({ QueueUrl: create('q'), MaxNumberOfMessages }, {})).message,
    ).toBe(
      `Value ${MaxNumberOfMessages} for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided.`,
    );
  });

  it.each([-1, 21])('refuses to wait %d seconds', (WaitTimeSeconds) => {
    const { create, operations } = createFixture();
    expect(
      errorOf(() => operations.ReceiveMessage({ QueueUrl: create('q'), WaitTimeSeconds }, {})).message,
    ).toBe(
      `Value ${WaitTimeSeconds} for parameter WaitTimeSeconds is invalid. Reason: Must be >= 0 and <= 20, if provided.`,
    );
  });

  it('takes an attempt id only on FIFO queues', () => {
    const { create, operations } = createFixture();
    const input = { QueueUrl: create('q'), ReceiveRequestAttemptId: 'a' };
    expect(errorOf(() => operations.ReceiveMessage(input, {})).name).toBe('InvalidParameterValue');
  });
});

describe('another service delivers under the policy of the queue', () => {
  const topic = 'arn:aws:sns:us-east-1:000000000000:orders';
  const principal = { service: 'sns.amazonaws.com', sourceArn: topic, sourceAccount: '000000000000' };
  const policy = (Resource: string, Condition: object) => ({
    Policy: JSON.stringify({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: 'sns.amazonaws.com' },
          Action: 'sqs:SendMessage',
          Resource,
          Condition,
        },
        {
          Effect: 'Deny',
          Principal: { AWS: '*' },
          Action: 'sqs:*',
          Resource,
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        },
      ],
    }),
  });

  it('when the policy allows its source', async () => {
    const { create, sqs, arnOf, receive } = createFixture();
    const url = create('q.fifo', policy(arnOf('q.fifo'), { ArnEquals: { 'aws:SourceArn': topic } }));
    const delivered = sqs.deliver(
      arnOf('q.fifo'),
      {
        body: 'hello',
        attributes: { type: text('order.placed') },
        groupId: 'g',
        deduplicationId: 'd',
        traceHeader: 'Root=1-2-3',
      },
      principal,
    );
    const [message] = await receive(url, 1, { MessageAttributeNames: ['All'] });
    expect(message).toMatchObject({
      MessageId: delivered.messageId,
      Body: 'hello',
      MD5OfBody: createHash('md5').update('hello').digest('hex'),
      MessageAttributes: { type: text('order.placed') },
      Attributes: {
        SenderId: 'AIDAIT2UOQQY3AUEKVGXU',
        SequenceNumber: delivered.sequenceNumber,
        MessageGroupId: 'g',
        MessageDeduplicationId: 'd',
        AWSTraceHeader: 'Root=1-2-3',
      },
    });
  });

  it('without the deduplication id on the way to a standard queue', async () => {
    const { create, sqs, arnOf, receive } = createFixture();
    const url = create('q', policy(arnOf('q'), { ArnLike: { 'aws:SourceArn': 'arn:aws:sns:*:*:orders' } }));
    sqs.deliver(arnOf('q'), { body: 'x', groupId: 'g', deduplicationId: 'd' }, principal);
    const [message] = await receive(url);
    expect(message?.Attributes).toMatchObject({ MessageGroupId: 'g' });
    expect(message?.Attributes).not.toHaveProperty('MessageDeduplicationId');
  });

  it.each([
    ['there is no policy', undefined],
    ['the source is another topic', { ArnEquals: { 'aws:SourceArn': `${topic}-other` } }],
    ['the account is another', { StringEquals: { 'aws:SourceAccount': '111111111111' } }],
  ])('but not when %s', (_, condition) => {
    const { create, sqs, arnOf } = createFixture();
    create('q', condition === undefined ? {} : policy(arnOf('q'), condition));
    expect(errorOf(() => sqs.deliver(arnOf('q'), { body: 'x' }, principal))).toMatchObject({
      name: 'AccessDenied',
      statusCode: 403,
    });
    expect(sqs.queue(arnOf('q'))?.sent).toBe(0);
  });

  it('for the account’s own administrator without a policy, but not against a denial', () => {
    const { create, sqs, arnOf } = createFixture();
    create('q');
    sqs.deliver(arnOf('q'), { body: 'x' }, {});
    create('closed', {
      Policy: JSON.stringify({
        Statement: { Effect: 'Deny', Principal: '*', Action: '*', Resource: arnOf('closed') },
      }),
    });
    expect(errorOf(() => sqs.deliver(arnOf('closed'), { body: 'x' }, {})).name).toBe('AccessDenied');
  });

  it('and learns that the queue is gone, or that the message is too large', () => {
    const { create, sqs, arnOf } = createFixture();
    expect(errorOf(() => sqs.deliver(arnOf('q'), { body: 'x' }, principal)).name).toBe('QueueDoesNotExist');
    create('q', { ...policy(arnOf('q'), {}), MaximumMessageSize: '1024' });
    expect(errorOf(() => sqs.deliver(arnOf('q'), { body: 'x'.repeat(1025) }, principal)).name).toBe(
      'InvalidParameterValue',
    );
  });
});
