import { describe, expect, it } from 'vitest';
import { createFixture, errorOf } from './fixture.ts';

async function oneReceived(visibility = 5) {
  const fixture = createFixture();
  const url = fixture.create('q', { VisibilityTimeout: String(visibility) });
  fixture.send(url, 'hello');
  const [message] = await fixture.receive(url);
  return { ...fixture, url, message };
}

describe('receipt handles of a standard queue outlive the visibility timeout', () => {
  it('deletes a message whose visibility ended, when nobody received it since', async () => {
    const { url, message, remove, wait, bodies } = await oneReceived();
    await wait(6);
    remove(url, message);
    expect(await bodies(url)).toEqual([]);
  });

  it('takes repeated deletes without an error', async () => {
    const { url, message, remove, sqs, arnOf } = await oneReceived();
    remove(url, message);
    remove(url, message);
    expect(sqs.queue(arnOf('q'))).toMatchObject({ deleted: 1, visible: 0, inFlight: 0 });
  });

  it('changes the visibility of a message that is visible again', async () => {
    const { url, message, change, wait, bodies } = await oneReceived();
    await wait(6);
    change(url, message, 10);
    expect(await bodies(url)).toEqual([]);
    await wait(10);
    expect(await bodies(url)).toEqual(['hello']);
  });

  it('refuses to change the visibility of a deleted message', async () => {
    const { url, message, remove, change } = await oneReceived();
    remove(url, message);
    const error = errorOf(() => change(url, message, 10));
    expect(error.name).toBe('InvalidParameterValue');
    expect(error.message).toBe(
      `Value ${message?.ReceiptHandle} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.`,
    );
  });

  it('does nothing on a delete with an old handle once somebody else has received the message', async () => {
    const { url, message, remove, wait, receive, sqs, arnOf } = await oneReceived();
    await wait(6);
    const [owned] = await receive(url);
    remove(url, message);
    expect(sqs.queue(arnOf('q'))).toMatchObject({ inFlight: 1, deleted: 0 });
    remove(url, owned);
    expect(sqs.queue(arnOf('q'))).toMatchObject({ inFlight: 0, deleted: 1 });
  });

  it('changes the visibility with an old handle even when somebody else has received the message', async () => {
    const { url, message, change, wait, receive } = await oneReceived();
    await wait(6);
    await receive(url, 1, { VisibilityTimeout: 30 });
    change(url, message, 0);
    expect(await receive(url)).toHaveLength(1);
  });

  it('refuses what is not a handle of this queue', async () => {
    const { url, operations, create, message } = await oneReceived();
    const other = create('other');
    for (const [QueueUrl, ReceiptHandle] of [
      [url, 'nonsense'],
      [other, message?.ReceiptHandle],
    ] as const) {
      const error = errorOf(() => operations.DeleteMessage({ QueueUrl, ReceiptHandle }));
      expect(error).toMatchObject({ name: 'ReceiptHandleIsInvalid', statusCode: 404 });
    }
  });
});

describe('a visibility timeout ends twelve hours after the receive at the latest', () => {
  it('extends again and again up to the total, then refuses', async () => {
    const { url, message, change, wait, bodies } = await oneReceived(3600);
    for (let hour = 1; hour < 12; hour++) {
      await wait(3599);
      change(url, message, 3600);
    }
    const error = errorOf(() => change(url, message, 7200));
    expect(error.name).toBe('InvalidParameterValue');
    expect(error.message).toContain(
      'Total VisibilityTimeout for the message is beyond the limit [43200 seconds]',
    );
    await wait(3600);
    expect(await bodies(url)).toEqual(['hello']);
  });

  it.each([-1, 43_201, 1.5])('refuses a visibility timeout of %d', async (seconds) => {
    const { url, message, change } = await oneReceived();
    expect(errorOf(() => change(url, message, seconds)).name).toBe('InvalidParameterValue');
  });
});

describe('a standard queue promises at least once, in roughly the order of sending', () => {
  it('keeps the order of sending unless it is told to reorder', async () => {
    const { create, send, bodies } = createFixture();
    const url = create('q');
    const sent = Array.from({ length: 10 }, (_, index) => String(index));
    for (const body of sent) send(url, body);
    expect(await bodies(url)).toEqual(sent);
  });

  it('lets messages overtake one another within the window', async () => {
    const window = 4;
    const { create, send, bodies } = createFixture({ reorderWindow: window });
    const url = create('q');
    for (let index = 0; index < 100; index++) send(url, String(index));
    const received: number[] = [];
    for (let batch = await bodies(url); batch.length > 0; batch = await bodies(url))
      received.push(...batch.map(Number));
    expect([...received].sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index));
    expect(received).not.toEqual([...received].sort((a, b) => a - b));
    received.forEach((value, rank) => {
      expect(Math.abs(value - rank)).toBeLessThanOrEqual(window);
    });
  });

  it('delivers some messages more than once, each at least once, and counts it', async () => {
    const { create, send, receive, remove, wait, sqs, arnOf } = createFixture({ duplicateRate: 0.3 });
    const url = create('q', { VisibilityTimeout: '1' });
    for (let index = 0; index < 100; index++) send(url, String(index));
    const seen = new Map<string, number>();
    for (let round = 0; round < 60; round++) {
      for (const message of await receive(url)) {
        seen.set(message.Body ?? '', (seen.get(message.Body ?? '') ?? 0) + 1);
        remove(url, message);
      }
      await wait(2);
    }
    expect(seen.size).toBe(100);
    expect([...seen.values()].some((times) => times > 1)).toBe(true);
    const view = sqs.queue(arnOf('q'));
    expect(view).toMatchObject({ visible: 0, inFlight: 0 });
    expect(view?.totals.deleted).toBe(100 + (view?.totals.duplicated ?? 0));
  });

  it('repeats the same run from the same seed', async () => {
    const run = async () => {
      const { create, send, receive } = createFixture({ duplicateRate: 0.5, reorderWindow: 5, seed: 9 });
      const url = create('q');
      for (let index = 0; index < 30; index++) send(url, String(index));
      return [await receive(url), await receive(url), await receive(url)];
    };
    expect(await run()).toEqual(await run());
  });

  it('puts a message behind the others after three receives', async () => {
    const { create, send, bodies } = createFixture();
    const url = create('q');
    send(url, 'poison');
    send(url, 'good');
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await bodies(url, 1, { VisibilityTimeout: 0 })).toEqual(['poison']);
    }
    expect(await bodies(url, 1)).toEqual(['good']);
  });
});

describe('a standard queue takes a message group id (fair queues)', () => {
  it('returns it as an attribute, without an order or a lock', async () => {
    const { create, send, receive, bodies } = createFixture();
    const url = create('q');
    for (const body of ['1', '2']) send(url, body, { MessageGroupId: 'tenant' });
    const [first] = await receive(url, 1);
    expect(first?.Attributes?.MessageGroupId).toBe('tenant');
    expect(first?.Attributes?.SequenceNumber).toBeUndefined();
    expect(await bodies(url)).toEqual(['2']);
  });

  it.each(['', 'a'.repeat(129), 'group 123'])('refuses the group id "%s"', (id) => {
    const { create, send } = createFixture();
    const error = errorOf(() => send(create('q'), 'x', { MessageGroupId: id }));
    expect(error.message).toBe(
      `Value ${id} for parameter MessageGroupId is invalid. Reason: MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length.`,
    );
  });
});

describe('delay, retention and quotas', () => {
  it('hides a message for its own delay, or the delay of the queue', async () => {
    const { create, send, bodies, wait, sqs, arnOf } = createFixture();
    const url = create('q', { DelaySeconds: '10' });
    send(url, 'queue');
    send(url, 'own', { DelaySeconds: 5 });
    send(url, 'none', { DelaySeconds: 0 });
    expect(sqs.queue(arnOf('q'))).toMatchObject({ visible: 1, delayed: 2 });
    expect(await bodies(url)).toEqual(['none']);
    await wait(5);
    expect(await bodies(url)).toEqual(['own']);
    await wait(5);
    expect(await bodies(url)).toEqual(['queue']);
  });

  it('drops a message at the end of the retention period, even in flight', async () => {
    const { create, send, receive, wait, sqs, arnOf } = createFixture();
    const url = create('q', { MessageRetentionPeriod: '60', VisibilityTimeout: '50' });
    send(url, 'in flight');
    send(url, 'waiting');
    await wait(20);
    await receive(url, 1);
    await wait(39.999);
    expect(sqs.queue(arnOf('q'))).toMatchObject({ visible: 1, inFlight: 1 });
    await wait(0.001);
    expect(sqs.queue(arnOf('q'))).toMatchObject({ visible: 0, inFlight: 0 });
    expect(sqs.queue(arnOf('q'))?.totals.expired).toBe(2);
  });

  it('answers OverLimit to a short poll at the in-flight quota, nothing to a long poll, nothing on FIFO', async () => {
    const { create, send, receive, wait } = createFixture({ inFlightQuota: 2 });
    for (const name of ['q', 'q.fifo']) {
      const url = create(name);
      for (let index = 0; index < 3; index++)
        send(url, String(index), name === 'q' ? {} : { MessageGroupId: `g${index}` });
      expect(await receive(url)).toHaveLength(2);
      if (name === 'q') {
        await expect(receive(url)).rejects.toMatchObject({ name: 'OverLimit', statusCode: 403 });
      } else expect(await receive(url)).toEqual([]);
      const poll = receive(url, 10, { WaitTimeSeconds: 1 });
      await wait(1);
      expect(await poll).toEqual([]);
    }
  });

  it('purges once in 60 seconds', async () => {
    const { create, send, receive, operations, wait, sqs, arnOf } = createFixture();
    const url = create('q', { DelaySeconds: '0' });
    send(url, 'visible');
    send(url, 'in flight');
    send(url, 'delayed', { DelaySeconds: 5 });
    await receive(url, 1);
    operations.PurgeQueue({ QueueUrl: url });
    expect(sqs.queue(arnOf('q'))).toMatchObject({ visible: 0, inFlight: 0, delayed: 0 });
    const error = errorOf(() => operations.PurgeQueue({ QueueUrl: url }));
    expect(error).toMatchObject({
      name: 'PurgeQueueInProgress',
      queryCode: 'AWS.SimpleQueueService.PurgeQueueInProgress',
      message: 'Only one PurgeQueue operation on q is allowed every 60 seconds.',
    });
    await wait(60);
    operations.PurgeQueue({ QueueUrl: url });
  });
});

describe('a long poll waits for the first message', () => {
  it('returns as soon as one is sent, released, or its delay is over', async () => {
    const { create, send, receive, bodies, change, wait, clock } = createFixture();
    const url = create('q', { ReceiveMessageWaitTimeSeconds: '20', VisibilityTimeout: '7' });
    const start = clock.now();
    const sent = bodies(url);
    await wait(1);
    send(url, 'sent');
    expect(await sent).toEqual(['sent']);
    const ended = bodies(url);
    await wait(7);
    expect(await ended).toEqual(['sent']);
    const delayed = receive(url);
    send(url, 'delayed', { DelaySeconds: 3 });
    await wait(3);
    const [message] = await delayed;
    expect(message?.Body).toBe('delayed');
    const released = bodies(url);
    change(url, message, 0);
    expect(await released).toEqual(['delayed']);
    expect(clock.now() - start).toBe(11_000);
  });

  it('answers an empty receive when the time is over, and leaves no timer behind', async () => {
    const { create, bodies, wait, clock, recorder } = createFixture();
    const url = create('q');
    const poll = bodies(url, 10, { WaitTimeSeconds: 20 });
    await wait(20);
    expect(await poll).toEqual([]);
    expect(recorder.sum('q', 'NumberOfEmptyReceives')).toBe(1);
    expect(clock.nextTimer()).toBeUndefined();
  });

  it('serves those who wait in the order in which they came', async () => {
    const { create, send, bodies } = createFixture();
    const url = create('q');
    const first = bodies(url, 10, { WaitTimeSeconds: 20 });
    const second = bodies(url, 10, { WaitTimeSeconds: 20 });
    send(url, '1');
    send(url, '2');
    expect(await Promise.all([first, second])).toEqual([['1'], ['2']]);
  });

  it('takes nothing when its caller has gone', async () => {
    const { create, send, operations, bodies, clock } = createFixture();
    const url = create('q');
    const caller = new AbortController();
    const gone = operations.ReceiveMessage({ QueueUrl: url, WaitTimeSeconds: 20 }, { signal: caller.signal });
    caller.abort();
    expect(await gone).toEqual({});
    send(url, '1');
    expect(operations.ReceiveMessage({ QueueUrl: url }, { signal: caller.signal })).toEqual({});
    expect(await bodies(url)).toEqual(['1']);
    expect(clock.nextTimer()).toBeUndefined();
  });

  it('ends when the queue is deleted', async () => {
    const { create, operations, bodies } = createFixture();
    const url = create('q');
    const poll = bodies(url, 10, { WaitTimeSeconds: 20 });
    operations.DeleteQueue({ QueueUrl: url });
    expect(await poll).toEqual([]);
  });
});
