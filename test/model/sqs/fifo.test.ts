import { describe, expect, it } from 'vitest';
import { createFixture, errorOf } from './fixture.ts';

/** A FIFO queue with three messages of one group, received together. */
async function threeReceived() {
  const fixture = createFixture();
  const url = fixture.create('q.fifo');
  for (const body of ['1', '2', '3']) fixture.send(url, body);
  const [first, second, third] = await fixture.receive(url, 10, { VisibilityTimeout: 10 });
  return { ...fixture, url, first, second, third };
}

describe('a FIFO queue gives a message if and only if no earlier one of its group is in flight', () => {
  it('gives nothing when only the first of three was extended, until its time is over', async () => {
    const { url, first, change, bodies, wait } = await threeReceived();
    change(url, first, 60);
    await wait(11);
    expect(await bodies(url)).toEqual([]);
    await wait(50);
    expect(await bodies(url)).toEqual(['1', '2', '3']);
  });

  it('gives the first alone when the second was extended', async () => {
    const { url, second, change, bodies, wait } = await threeReceived();
    change(url, second, 60);
    await wait(11);
    expect(await bodies(url)).toEqual(['1']);
  });

  it('gives the first and the second when the third was extended', async () => {
    const { url, third, change, bodies, wait } = await threeReceived();
    change(url, third, 60);
    await wait(11);
    expect(await bodies(url)).toEqual(['1', '2']);
  });

  it('gives the first again at once, alone, when its visibility is ended while the second is in flight', async () => {
    const { url, first, change, bodies } = await threeReceived();
    change(url, first, 0);
    expect(await bodies(url)).toEqual(['1']);
  });

  it('gives nothing when the second and third are ended while the first is in flight', async () => {
    const { url, second, third, change, bodies } = await threeReceived();
    change(url, second, 0);
    change(url, third, 0);
    expect(await bodies(url)).toEqual([]);
  });

  it('keeps a group locked when one of its two messages in flight is deleted, frees it with the other', async () => {
    const { create, send, receive, bodies, remove } = createFixture();
    const url = create('q.fifo');
    for (const body of ['1', '2', '3']) send(url, body);
    const [first, second] = await receive(url, 2);
    remove(url, first);
    expect(await bodies(url)).toEqual([]);
    remove(url, second);
    expect(await bodies(url)).toEqual(['3']);
  });

  it('returns from a waiting long poll at once when the delete frees the group', async () => {
    const { clock, create, send, receive, bodies, remove } = createFixture();
    const url = create('q.fifo');
    for (const body of ['1', '2']) send(url, body);
    const [first] = await receive(url, 1);
    const poll = bodies(url, 10, { WaitTimeSeconds: 20 });
    const start = clock.now();
    await clock.settle();
    remove(url, first);
    expect(await poll).toEqual(['2']);
    expect(clock.now()).toBe(start);
  });

  it('does not free a group by a new message', async () => {
    const { create, send, receive, bodies } = createFixture();
    const url = create('q.fifo');
    send(url, '1');
    await receive(url);
    send(url, '2');
    expect(await bodies(url)).toEqual([]);
  });

  it('gives delayed messages the queue’s new delay, from when they were sent', async () => {
    const { operations, create, send, bodies, wait } = createFixture();
    const url = create('q.fifo', { DelaySeconds: '30' });
    const delay = (DelaySeconds: string) =>
      operations.SetQueueAttributes({ QueueUrl: url, Attributes: { DelaySeconds } });
    send(url, 'first');
    await wait(10);
    delay('60');
    await wait(49);
    expect(await bodies(url)).toEqual([]);
    send(url, 'second');
    delay('0');
    expect(await bodies(url)).toEqual(['first', 'second']);
  });
});

describe('a FIFO queue serves group after group', () => {
  const sendGroups = () => {
    const fixture = createFixture();
    const url = fixture.create('q.fifo');
    for (const [group, body] of [
      ['g1', 'g1-1'],
      ['g2', 'g2-1'],
      ['g1', 'g1-2'],
      ['g1', 'g1-3'],
    ] as const) {
      fixture.send(url, body, { MessageGroupId: group });
    }
    return { ...fixture, url };
  };

  it('returns as many messages of one group as there are before it goes to the next', async () => {
    const { url, bodies } = sendGroups();
    expect(await bodies(url)).toEqual(['g1-1', 'g1-2', 'g1-3', 'g2-1']);
  });

  it('gives messages in order and locks nothing with visibility 0, and goes to the group not served', async () => {
    const { url, bodies } = sendGroups();
    expect(await bodies(url, 2, { VisibilityTimeout: 0 })).toEqual(['g1-1', 'g1-2']);
    expect(await bodies(url, 1, { VisibilityTimeout: 0 })).toEqual(['g2-1']);
    expect(await bodies(url, 10, { VisibilityTimeout: 0 })).toEqual(['g1-1', 'g1-2', 'g1-3', 'g2-1']);
  });

  it('hides other groups behind the backlog of a hot one beyond the depth of its search', async () => {
    const { create, send, bodies, receive, remove } = createFixture({ fifoSearchDepth: 5 });
    const url = create('q.fifo');
    for (let index = 0; index < 6; index++) send(url, `hot-${index}`, { MessageGroupId: 'hot' });
    send(url, 'cold', { MessageGroupId: 'cold' });
    const [hot] = await receive(url, 1);
    expect(await bodies(url)).toEqual([]);
    remove(url, hot);
    const next = await receive(url, 2);
    expect(next.map(({ Body }) => Body)).toEqual(['hot-1', 'hot-2']);
    expect(await bodies(url)).toEqual([]);
    remove(url, next[0]);
    expect(await bodies(url)).toEqual(['cold']);
  });

  it('does not search deeper within the hot group either', async () => {
    const { create, send, bodies } = createFixture({ fifoSearchDepth: 5 });
    const url = create('q.fifo');
    for (let index = 0; index < 8; index++) send(url, String(index), { MessageGroupId: 'hot' });
    expect(await bodies(url)).toEqual(['0', '1', '2', '3', '4']);
  });

  it('finds out as fast that 20,000 groups are blocked as that 20 are', async () => {
    const secondsFor = async (groups: number) => {
      const { create, send, receive, operations } = createFixture();
      const url = create('q.fifo');
      for (let round = 0; round < 2; round++) {
        for (let index = 0; index < groups; index++) send(url, 'x', { MessageGroupId: `g${index}` });
        if (round === 0) while ((await receive(url)).length > 0);
      }
      const start = process.cpuUsage().user;
      for (let index = 0; index < 500; index++) operations.ReceiveMessage({ QueueUrl: url }, {});
      return (process.cpuUsage().user - start) / 1e6;
    };
    await secondsFor(20);
    // A walk through all groups would take seconds; the margin is for a busy machine.
    expect(await secondsFor(20_000)).toBeLessThan((await secondsFor(20)) * 20 + 0.2);
  });
});

describe('receipt handles of a FIFO queue expire', () => {
  it('refuses a delete after the visibility ended', async () => {
    const { create, send, receive, remove, wait } = createFixture();
    const url = create('q.fifo', { VisibilityTimeout: '2' });
    send(url, '1');
    const [message] = await receive(url);
    await wait(2);
    const error = errorOf(() => remove(url, message));
    expect(error.name).toBe('InvalidParameterValue');
    expect(error.message).toBe(
      `Value ${message?.ReceiptHandle} for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.`,
    );
  });

  it('accepts the delete within an extended visibility', async () => {
    const { create, send, receive, remove, change, wait, sqs, arnOf } = createFixture();
    const url = create('q.fifo', { VisibilityTimeout: '2' });
    send(url, '1');
    const [message] = await receive(url);
    change(url, message, 10);
    await wait(5);
    remove(url, message);
    expect(sqs.queue(arnOf('q.fifo'))).toMatchObject({ visible: 0, inFlight: 0, deleted: 1 });
  });

  it('refuses an old handle when the message is in flight under a newer one', async () => {
    const { create, send, receive, remove, change, wait } = createFixture();
    const url = create('q.fifo', { VisibilityTimeout: '2' });
    send(url, '1');
    const [zombie] = await receive(url);
    await wait(2);
    const [owner] = await receive(url);
    expect(errorOf(() => remove(url, zombie)).message).toContain('The receipt handle has expired.');
    expect(errorOf(() => change(url, zombie, 60)).message).toContain('The receipt handle has expired.');
    remove(url, owner);
  });
});

describe('a FIFO queue sends once what has one deduplication id', () => {
  const twice = { MessageGroupId: 'g', MessageDeduplicationId: 'same' };

  it('answers a repeat with the first message and its sequence number, and stores nothing', async () => {
    const { create, send, bodies, recorder } = createFixture();
    const url = create('q.fifo');
    const first = send(url, '1', twice);
    const second = send(url, '2', twice);
    expect(second).toMatchObject({ MessageId: first.MessageId, SequenceNumber: first.SequenceNumber });
    expect(await bodies(url)).toEqual(['1']);
    expect(recorder.sum('q.fifo', 'NumberOfDeduplicatedSentMessages')).toBe(1);
  });

  it('remembers the id after the message is deleted, for five minutes', async () => {
    const { create, send, receive, bodies, remove, wait } = createFixture();
    const url = create('q.fifo');
    send(url, '1', twice);
    remove(url, (await receive(url))[0]);
    await wait(299);
    send(url, '2', twice);
    expect(await bodies(url)).toEqual([]);
    await wait(1);
    send(url, '3', twice);
    expect(await bodies(url)).toEqual(['3']);
  });

  it('looks at the whole queue by default, at the group with scope messageGroup', async () => {
    const { create, send, bodies } = createFixture();
    const perQueue = create('a.fifo');
    const perGroup = create('b.fifo', { DeduplicationScope: 'messageGroup' });
    for (const url of [perQueue, perGroup]) {
      send(url, 'g', { ...twice });
      send(url, 'h', { ...twice, MessageGroupId: 'h' });
    }
    expect(await bodies(perQueue)).toEqual(['g']);
    expect(await bodies(perGroup)).toEqual(['g', 'h']);
  });

  it('forgets its ids with a purge', async () => {
    const { operations, create, send, bodies } = createFixture();
    const url = create('q.fifo');
    send(url, '1', twice);
    operations.PurgeQueue({ QueueUrl: url });
    send(url, '2', twice);
    expect(await bodies(url)).toEqual(['2']);
  });

  it('takes the SHA-256 of the body with ContentBasedDeduplication, unless an id is given', async () => {
    const { create, operations, receive } = createFixture();
    const url = create('q.fifo', { ContentBasedDeduplication: 'true' });
    const input = { QueueUrl: url, MessageBody: 'hello', MessageGroupId: 'g' };
    operations.SendMessage(input, {});
    operations.SendMessage(input, {});
    operations.SendMessage({ ...input, MessageDeduplicationId: 'mine' }, {});
    const ids = (await receive(url)).map(({ Attributes }) => Attributes?.MessageDeduplicationId);
    expect(ids).toEqual(['2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824', 'mine']);
  });

  it('refuses a delay of a message but takes that of the queue', async () => {
    const { create, send, bodies, wait } = createFixture();
    const url = create('q.fifo', { DelaySeconds: '2' });
    expect(errorOf(() => send(url, '1', { DelaySeconds: 2 })).message).toBe(
      'Value 2 for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for this queue type.',
    );
    send(url, '1', { DelaySeconds: 0 });
    expect(await bodies(url)).toEqual([]);
    await wait(2);
    expect(await bodies(url)).toEqual(['1']);
  });

  it('numbers messages in rising order with 20 digits', () => {
    const { create, send } = createFixture();
    const url = create('q.fifo');
    const numbers = ['1', '2', '3'].map((body) => send(url, body).SequenceNumber ?? '');
    expect(numbers.every((number) => /^\d{20}$/.test(number))).toBe(true);
    expect([...numbers].sort()).toEqual(numbers);
  });
});

describe('a receive whose reply was lost can be repeated with its attempt id', () => {
  const attempt = { ReceiveRequestAttemptId: 'try-1', VisibilityTimeout: 30 };

  it('gives the same messages under the same handles and starts their visibility again', async () => {
    const { create, send, receive, remove, wait } = createFixture();
    const url = create('q.fifo');
    for (const body of ['1', '2']) send(url, body);
    const first = await receive(url, 10, attempt);
    await wait(20);
    const second = await receive(url, 10, attempt);
    expect(second.map(({ ReceiptHandle }) => ReceiptHandle)).toEqual(
      first.map(({ ReceiptHandle }) => ReceiptHandle),
    );
    await wait(20);
    remove(url, first[0]);
  });

  it('is a new receive once a message was deleted or its visibility changed', async () => {
    const { create, send, receive, remove, change } = createFixture();
    const url = create('q.fifo');
    for (const body of ['1', '2']) send(url, body);
    const [first, second] = await receive(url, 10, attempt);
    remove(url, first);
    expect(await receive(url, 10, attempt)).toEqual([]);
    change(url, second, 0);
    const again = await receive(url, 10, attempt);
    expect(again[0]?.Attributes?.ApproximateReceiveCount).toBe('2');
    change(url, again[0], 100);
    expect(await receive(url, 10, attempt)).toEqual([]);
  });
});
