import { describe, expect, it } from 'vitest';
import { createFixture } from './fixture.ts';

describe('a queue publishes the metrics of CloudWatch', () => {
  it('counts what was sent, received, found empty and deleted', async () => {
    const { create, send, receive, operations, recorder } = createFixture();
    const QueueUrl = create('q');
    for (const body of ['1', '22', '333']) send(QueueUrl, body);
    const messages = await receive(QueueUrl);
    await receive(QueueUrl);
    operations.DeleteMessageBatch({
      QueueUrl,
      Entries: messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
    });
    expect(recorder.sum('q', 'NumberOfMessagesSent')).toBe(3);
    expect(recorder.sum('q', 'NumberOfMessagesReceived')).toBe(3);
    expect(recorder.sum('q', 'NumberOfEmptyReceives')).toBe(1);
    expect(recorder.sum('q', 'NumberOfMessagesDeleted')).toBe(3);
    expect(recorder.counts.get('q SentMessageSize')).toEqual([1, 2, 3]);
  });

  it('shows how many messages wait, are in flight and are delayed, and how many groups are busy', async () => {
    const { create, send, bodies, recorder, wait } = createFixture();
    const url = create('q.fifo', { VisibilityTimeout: '10' });
    for (const group of ['a', 'a', 'b', 'c']) send(url, 'x', { MessageGroupId: group });
    await bodies(url, 3);
    const read = () =>
      [
        'ApproximateNumberOfMessagesVisible',
        'ApproximateNumberOfMessagesNotVisible',
        'ApproximateNumberOfMessagesDelayed',
        'ApproximateNumberOfGroupsWithInflightMessages',
      ].map((name) => recorder.read('q.fifo', name));
    expect(read()).toEqual([1, 3, 0, 2]);
    await wait(10);
    expect(read()).toEqual([4, 0, 0, 0]);
  });

  it('shows the age of the oldest message in seconds, in flight or not, and 0 for an empty queue', async () => {
    const { create, send, bodies, receive, remove, recorder, wait } = createFixture();
    const url = create('q');
    const age = () => recorder.read('q', 'ApproximateAgeOfOldestMessage');
    expect(age()).toBe(0);
    send(url, '1');
    await wait(10);
    send(url, '2');
    const [first] = await receive(url, 1, { VisibilityTimeout: 100 });
    await wait(5);
    expect(age()).toBe(15);
    remove(url, first);
    expect(age()).toBe(5);
    expect(await bodies(url)).toEqual(['2']);
  });

  it('leaves a message out of the age after three receives on standard queues, never on FIFO', async () => {
    const { create, send, bodies, recorder, wait } = createFixture();
    for (const name of ['q', 'q.fifo']) {
      const url = create(name);
      send(url, 'poison');
      for (let attempt = 0; attempt < 3; attempt++) await bodies(url, 1, { VisibilityTimeout: 0 });
    }
    await wait(60);
    expect(recorder.read('q', 'ApproximateAgeOfOldestMessage')).toBe(0);
    expect(recorder.read('q.fifo', 'ApproximateAgeOfOldestMessage')).toBe(60);
  });

  it('counts the age in a dead-letter queue from the move, however often the message was received before', async () => {
    const { create, send, bodies, redrive, recorder, wait } = createFixture();
    create('dead');
    const url = create('q', redrive('dead', 5));
    send(url, 'poison');
    for (let attempt = 0; attempt < 5; attempt++) await bodies(url, 1, { VisibilityTimeout: 0 });
    await wait(60);
    await bodies(url);
    await wait(7);
    expect(recorder.read('dead', 'ApproximateAgeOfOldestMessage')).toBe(7);
  });

  it('ends its gauges with the queue', () => {
    const { create, operations, recorder } = createFixture();
    operations.DeleteQueue({ QueueUrl: create('q') });
    expect(recorder.gauges.size).toBe(0);
  });
});

describe('a view shows a queue as it is now', () => {
  it('with the age of the oldest message that waits', async () => {
    const { create, send, bodies, sqs, arnOf, wait } = createFixture();
    const url = create('q', { VisibilityTimeout: '30' });
    send(url, '1');
    await wait(10);
    send(url, '2');
    await bodies(url, 1);
    await wait(5);
    expect(sqs.queue(arnOf('q'))).toMatchObject({
      name: 'q',
      url,
      arn: arnOf('q'),
      fifo: false,
      visible: 1,
      inFlight: 1,
      delayed: 0,
      oldestAge: 5000,
      oldestUndeletedAge: 15_000,
      sent: 2,
      received: 1,
      deleted: 0,
      groupsInFlight: 0,
    });
    await wait(30);
    expect(sqs.queue(arnOf('q'))?.oldestAge).toBe(45_000);
    expect(sqs.queue(arnOf('nowhere'))).toBeUndefined();
    expect(sqs.queues().map(({ name }) => name)).toEqual(['q']);
  });
});
