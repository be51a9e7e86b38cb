import { describe, expect, it } from 'vitest';
import { createFixture, errorOf } from './fixture.ts';

const kinds = [
  { kind: 'standard', suffix: '' },
  { kind: 'FIFO', suffix: '.fifo' },
] as const;

describe.each(kinds)('a $kind queue moves a message whose receives are used up', ({ suffix }) => {
  const prepare = (maxReceiveCount = 2) => {
    const fixture = createFixture();
    const dead = fixture.create(`dead${suffix}`);
    const url = fixture.create(`q${suffix}`, {
      VisibilityTimeout: '5',
      ...fixture.redrive(`dead${suffix}`, maxReceiveCount),
    });
    return { ...fixture, url, dead };
  };

  it('when a receive would next have returned it: with no poller it stays', async () => {
    const { url, dead, send, bodies, wait, sqs, arnOf } = prepare();
    send(url, 'x');
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await bodies(url)).toEqual(['x']);
      await wait(5);
    }
    await wait(60);
    expect(sqs.queue(arnOf(`q${suffix}`))).toMatchObject({ visible: 1 });
    expect(sqs.queue(arnOf(`dead${suffix}`))).toMatchObject({ visible: 0 });
    expect(await bodies(url)).toEqual([]);
    expect(sqs.queue(arnOf(`q${suffix}`))).toMatchObject({ visible: 0 });
    expect(await bodies(dead)).toEqual(['x']);
  });

  it('and returns the messages behind it in the same receive', async () => {
    const { url, send, bodies } = prepare(1);
    send(url, 'poison');
    await bodies(url, 10, { VisibilityTimeout: 0 });
    for (const body of ['1', '2', '3']) send(url, body);
    expect(await bodies(url, 3)).toEqual(['1', '2', '3']);
  });

  it('with its id, attributes, trace header, first receive and receive count, and says where it came from', async () => {
    const { url, dead, send, receive, wait, arnOf } = prepare(1);
    const trace = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';
    send(url, 'x', {
      MessageAttributes: { MyAttribute: { DataType: 'String', StringValue: 'foobar' } },
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: trace } },
    });
    const select = { MessageAttributeNames: ['All'] };
    const [before] = await receive(url, 10, select);
    await wait(5);
    await receive(url);
    const [after] = await receive(dead, 10, select);
    expect(after).toMatchObject({
      MessageId: before?.MessageId,
      MessageAttributes: before?.MessageAttributes,
      MD5OfMessageAttributes: before?.MD5OfMessageAttributes,
      Attributes: {
        ApproximateReceiveCount: '2',
        ApproximateFirstReceiveTimestamp: before?.Attributes?.ApproximateFirstReceiveTimestamp,
        AWSTraceHeader: trace,
        DeadLetterQueueSourceArn: arnOf(`q${suffix}`),
      },
    });
    expect(before?.Attributes?.DeadLetterQueueSourceArn).toBeUndefined();
  });

  it('under the retention of its own time of sending on standard queues, of the move on FIFO', async () => {
    const { url, send, bodies, operations, wait, sqs, arnOf, dead } = prepare(1);
    operations.SetQueueAttributes({ QueueUrl: dead, Attributes: { MessageRetentionPeriod: '100' } });
    send(url, 'x');
    await bodies(url);
    await wait(60);
    await bodies(url);
    expect(sqs.queue(arnOf(`dead${suffix}`))).toMatchObject({ visible: 1, oldestAge: 0 });
    await wait(41);
    expect(sqs.queue(arnOf(`dead${suffix}`))?.visible).toBe(suffix === '' ? 0 : 1);
    await wait(60);
    expect(sqs.queue(arnOf(`dead${suffix}`))?.visible).toBe(0);
  });

  it('and wakes who waits at the dead-letter queue, without counting it as sent', async () => {
    const { url, dead, send, bodies, wait, recorder } = prepare(1);
    send(url, 'x');
    await bodies(url);
    await wait(5);
    const poll = bodies(dead, 10, { WaitTimeSeconds: 20 });
    await bodies(url);
    expect(await poll).toEqual(['x']);
    expect(recorder.sum(`dead${suffix}`, 'NumberOfMessagesSent')).toBe(0);
  });

  it('stays where it is when the dead-letter queue is gone', async () => {
    const { url, dead, send, bodies, operations } = prepare(1);
    send(url, 'x');
    await bodies(url, 10, { VisibilityTimeout: 0 });
    operations.DeleteQueue({ QueueUrl: dead });
    expect(await bodies(url)).toEqual(['x']);
  });
});

describe('a standard dead-letter queue holds messages by the time of their sending', () => {
  it('whichever came first: the older leaves first, the age counts from the first to come', async () => {
    const { create, send, bodies, redrive, wait, sqs, arnOf, recorder } = createFixture();
    const dead = create('dead', { MessageRetentionPeriod: '100' });
    const first = create('first', redrive('dead', 1));
    const second = create('second', redrive('dead', 1));
    send(first, 'older');
    await wait(10);
    send(second, 'newer');
    for (const url of [first, second]) await bodies(url, 1, { VisibilityTimeout: 0 });
    await bodies(second);
    await wait(20);
    await bodies(first);
    expect(recorder.read('dead', 'ApproximateAgeOfOldestMessage')).toBe(20);
    expect(sqs.queue(arnOf('dead'))?.visible).toBe(2);
    await wait(70);
    expect(await bodies(dead)).toEqual(['newer']);
  });
});

describe('a redrive policy is checked when it is set', () => {
  it('takes a count from 1 to 1000, as a number or a text', () => {
    const { create, arnOf, operations } = createFixture();
    create('dead');
    const url = create('q');
    const set = (policy: object) =>
      operations.SetQueueAttributes({ QueueUrl: url, Attributes: { RedrivePolicy: JSON.stringify(policy) } });
    const deadLetterTargetArn = arnOf('dead');
    set({ deadLetterTargetArn, maxReceiveCount: '42' });
    for (const maxReceiveCount of [0, 1001, 1.5, 'invalid', undefined]) {
      expect(errorOf(() => set({ deadLetterTargetArn, maxReceiveCount })).name).toBe('InvalidParameterValue');
    }
    expect(errorOf(() => set({ maxReceiveCount: 3 })).name).toBe('InvalidParameterValue');
  });

  it('refuses an ARN that is none before it looks for the queue', () => {
    const { create } = createFixture();
    const RedrivePolicy = '{"deadLetterTargetArn": "dummy", "maxReceiveCount": 42}';
    expect(errorOf(() => create('q', { RedrivePolicy })).message).toBe(
      `Value ${RedrivePolicy} for parameter RedrivePolicy is invalid. Reason: Invalid value for deadLetterTargetArn.`,
    );
  });

  it('refuses a queue that does not exist or is of the other kind', () => {
    const { create, redrive } = createFixture();
    create('dead.fifo');
    expect(errorOf(() => create('q', redrive('nowhere', 3))).message).toContain('does not exist');
    expect(errorOf(() => create('q', redrive('dead.fifo', 3))).message).toContain('same type of queue');
  });

  it('takes the queue itself: a message that is used up then begins anew', async () => {
    const { create, redrive, operations, send, receive } = createFixture();
    const url = create('q', { VisibilityTimeout: '0' });
    operations.SetQueueAttributes({ QueueUrl: url, Attributes: redrive('q', 2) });
    send(url, 'again');
    for (const count of ['1', '2', '3', '4']) {
      const [message] = await receive(url);
      expect(message?.Attributes?.ApproximateReceiveCount).toBe(count);
    }
  });

  it('is removed by an empty text', () => {
    const { create, redrive, operations } = createFixture();
    create('dead');
    const url = create('q', redrive('dead', 3));
    operations.SetQueueAttributes({ QueueUrl: url, Attributes: { RedrivePolicy: '' } });
    const { Attributes } = operations.GetQueueAttributes({ QueueUrl: url, AttributeNames: ['All'] });
    expect(Attributes).not.toHaveProperty('RedrivePolicy');
  });

  it('respects the redrive-allow policy of the dead-letter queue, also one that came later', async () => {
    const { create, redrive, operations, arnOf, send, bodies, sqs } = createFixture();
    const allow = (policy: object) => ({ RedriveAllowPolicy: JSON.stringify(policy) });
    const dead = create('dead', allow({ redrivePermission: 'byQueue', sourceQueueArns: [arnOf('friend')] }));
    expect(errorOf(() => create('stranger', redrive('dead', 1))).message).toContain('RedriveAllowPolicy');
    const friend = create('friend', redrive('dead', 1));
    operations.SetQueueAttributes({ QueueUrl: dead, Attributes: allow({ redrivePermission: 'denyAll' }) });
    send(friend, 'x');
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await bodies(friend, 10, { VisibilityTimeout: 0 })).toEqual(['x']);
    }
    expect(sqs.queue(arnOf('dead'))).toMatchObject({ visible: 0 });
    for (const wrong of [
      {},
      { redrivePermission: 'some' },
      { redrivePermission: 'byQueue' },
      { redrivePermission: 'allowAll', sourceQueueArns: [arnOf('q')] },
    ]) {
      expect(
        errorOf(() => operations.SetQueueAttributes({ QueueUrl: dead, Attributes: allow(wrong) })).name,
      ).toBe('InvalidParameterValue');
    }
  });

  it('lists the queues that have this dead-letter queue, page by page', () => {
    const { create, redrive, operations } = createFixture();
    const dead = create('dead');
    const sources = ['a', 'b', 'c'].map((name) => create(name, redrive('dead', 3)));
    const first = operations.ListDeadLetterSourceQueues({ QueueUrl: dead, MaxResults: 2 });
    expect(first.queueUrls).toEqual(sources.slice(0, 2));
    const second = operations.ListDeadLetterSourceQueues({
      QueueUrl: dead,
      MaxResults: 2,
      NextToken: first.NextToken,
    });
    expect(second).toEqual({ queueUrls: sources.slice(2) });
  });
});

describe('a move task brings dead letters back', () => {
  const prepare = async (count: number, suffix = '') => {
    const fixture = createFixture();
    const { create, send, bodies, redrive } = fixture;
    const dead = create(`dead${suffix}`);
    const url = create(`q${suffix}`, redrive(`dead${suffix}`, 1));
    for (let index = 0; index < count; index++) {
      send(url, String(index));
      await bodies(url, 1, { VisibilityTimeout: 0 });
      await bodies(url);
    }
    const SourceArn = fixture.arnOf(`dead${suffix}`);
    const list = () => fixture.operations.ListMessageMoveTasks({ SourceArn, MaxResults: 10 }).Results;
    return { ...fixture, dead, url, SourceArn, list };
  };

  it.each(['', '.fifo'])('to their own sources when no destination is named (%s)', async (suffix) => {
    const { operations, SourceArn, wait, receive, url, dead, list, arnOf, redrive, create, send, bodies } =
      await prepare(2, suffix);
    const other = create(`other${suffix}`, redrive(`dead${suffix}`, 1));
    send(other, 'other');
    await bodies(other, 1, { VisibilityTimeout: 0 });
    await bodies(other);
    operations.StartMessageMoveTask({ SourceArn });
    await wait(1);
    expect(list()).toEqual([
      {
        Status: 'COMPLETED',
        SourceArn: arnOf(`dead${suffix}`),
        ApproximateNumberOfMessagesMoved: 3,
        ApproximateNumberOfMessagesToMove: 3,
        StartedTimestamp: expect.any(Number),
      },
    ]);
    const back = await receive(url);
    expect(back.map(({ Body }) => Body)).toEqual(['0', '1']);
    expect(await bodies(other)).toEqual(['other']);
    expect(await bodies(dead)).toEqual([]);
  });

  it('with a new message id, a new time of sending and a new receive count', async () => {
    const { operations, SourceArn, wait, receive, url, dead } = await prepare(1);
    const [letter] = await receive(dead, 1, { VisibilityTimeout: 0 });
    await wait(100);
    operations.StartMessageMoveTask({ SourceArn });
    await wait(1);
    const [back] = await receive(url);
    expect(back?.MessageId).not.toBe(letter?.MessageId);
    expect(Number(back?.Attributes?.SentTimestamp)).toBe(Number(letter?.Attributes?.SentTimestamp) + 100_000);
    expect(back?.Attributes?.ApproximateReceiveCount).toBe('1');
    expect(back?.Attributes?.DeadLetterQueueSourceArn).toBeUndefined();
  });

  it('at the rate it was given, and stops when it is cancelled', async () => {
    const { operations, SourceArn, wait, list, create, arnOf, sqs } = await prepare(10);
    create('elsewhere');
    const { TaskHandle } = operations.StartMessageMoveTask({
      SourceArn,
      DestinationArn: arnOf('elsewhere'),
      MaxNumberOfMessagesPerSecond: 1,
    });
    await wait(2);
    expect(list()[0]).toMatchObject({
      TaskHandle,
      Status: 'RUNNING',
      MaxNumberOfMessagesPerSecond: 1,
      DestinationArn: arnOf('elsewhere'),
    });
    expect(errorOf(() => operations.StartMessageMoveTask({ SourceArn })).message).toBe(
      'There is already a task running. Only one active task is allowed for a source queue arn at a given time.',
    );
    const { ApproximateNumberOfMessagesMoved } = operations.CancelMessageMoveTask({ TaskHandle });
    expect(ApproximateNumberOfMessagesMoved).toBe(3);
    await wait(10);
    expect(sqs.queue(arnOf('elsewhere'))?.visible).toBe(3);
    expect(list()[0]).toMatchObject({ Status: 'CANCELLED' });
    expect(list()[0]).not.toHaveProperty('TaskHandle');
    expect(errorOf(() => operations.CancelMessageMoveTask({ TaskHandle })).name).toBe(
      'InvalidParameterValue',
    );
  });

  it('moves 500 messages a second without a rate', async () => {
    const { operations, dead, send, wait, list, create, redrive, arnOf } = createFixtureWithList();
    create('q', redrive('dead', 1));
    create('to');
    for (let index = 0; index < 1000; index++) send(dead, String(index));
    operations.StartMessageMoveTask({ SourceArn: arnOf('dead'), DestinationArn: arnOf('to') });
    await wait(0.95);
    expect(list()[0]).toMatchObject({ ApproximateNumberOfMessagesMoved: 500, Status: 'RUNNING' });
    await wait(1);
    expect(list()[0]).toMatchObject({ ApproximateNumberOfMessagesMoved: 1000, Status: 'COMPLETED' });
  });

  it('fails when the destination is deleted, or a message came from nowhere', async () => {
    const { operations, SourceArn, wait, list, create, arnOf, send, dead } = await prepare(5);
    const elsewhere = create('elsewhere');
    operations.StartMessageMoveTask({
      SourceArn,
      DestinationArn: arnOf('elsewhere'),
      MaxNumberOfMessagesPerSecond: 1,
    });
    await wait(1);
    operations.DeleteQueue({ QueueUrl: elsewhere });
    await wait(2);
    expect(list()[0]).toMatchObject({
      Status: 'FAILED',
      FailureReason: 'AWS.SimpleQueueService.NonExistentQueue',
    });
    send(dead, 'by hand');
    operations.StartMessageMoveTask({ SourceArn });
    await wait(1);
    expect(list()[0]).toMatchObject({ Status: 'FAILED', FailureReason: 'CouldNotDetermineMessageSource' });
  });

  it('needs a dead-letter queue, a destination that is there, and its own handle', async () => {
    const { operations, SourceArn, arnOf } = await prepare(0);
    expect(errorOf(() => operations.StartMessageMoveTask({ SourceArn: arnOf('q') })).message).toBe(
      'Source queue must be configured as a Dead Letter Queue.',
    );
    expect(
      errorOf(() => operations.StartMessageMoveTask({ SourceArn, DestinationArn: arnOf('nowhere') })),
    ).toMatchObject({
      name: 'ResourceNotFoundException',
      statusCode: 404,
      message: "The resource that you specified for the DestinationArn parameter doesn't exist.",
    });
    const handle = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64');
    const cancel = (TaskHandle: string) => errorOf(() => operations.CancelMessageMoveTask({ TaskHandle }));
    expect(cancel('foobar').message).toBe('Value for parameter TaskHandle is invalid.');
    expect(cancel(handle({ taskId: '1', sourceArn: arnOf('nowhere') })).message).toBe(
      "The resource that you specified for the SourceArn parameter doesn't exist.",
    );
    expect(cancel(handle({ taskId: '1', sourceArn: SourceArn })).message).toBe('Task does not exist.');
  });

  function createFixtureWithList() {
    const fixture = createFixture();
    const dead = fixture.create('dead');
    const list = () => fixture.operations.ListMessageMoveTasks({ SourceArn: fixture.arnOf('dead') }).Results;
    return { ...fixture, dead, list };
  }
});
