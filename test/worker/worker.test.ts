import { DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { type LambdaContext, startWorker } from 'sluice/worker';
import { describe, expect, it, test } from 'vitest';
import { seconds } from '../../lib/base/index.ts';
import { allDone, bodies, createWorld, type Record, settled } from './support.ts';

describe('A worker hands a function what Lambda would', () => {
  test('nothing twice in one batch: a queue that hides messages for less than they are gathered and run is refused', async () => {
    const world = await createWorld({ visibility: 30 });
    await world.send('a');
    const batches: string[][] = [];
    const worker = world.start({
      batchSize: 100,
      batchWindow: seconds(60),
      handler: async (event) => {
        batches.push(bodies(event));
        return allDone;
      },
    });
    const refused = expect(worker.ended).rejects.toThrow(
      /visibility timeout of .* is 30 s, shorter than the 70 s .* gathered \(60 s\) and run \(10 s\)/,
    );
    await world.advance(100);
    expect(batches).toEqual([]);
    await refused;
  });

  test('the records in Lambda’s shape, and a context that counts down', async () => {
    const world = await createWorld();
    const seen: { records: readonly Record[]; context: LambdaContext; left: number }[] = [];
    world.start({
      async handler(event, context) {
        await world.wait(3);
        seen.push({ records: event.Records, context, left: context.getRemainingTimeInMillis() });
        return allDone;
      },
    });
    await world.send('hello', {
      MessageAttributes: {
        type: { DataType: 'String', StringValue: 'order.placed' },
        raw: { DataType: 'Binary', BinaryValue: Buffer.from([1, 2, 255]) },
      },
    });
    await world.advance(4);
    expect(seen).toHaveLength(1);
    expect(seen[0]!.records).toEqual([
      {
        messageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        receiptHandle: expect.any(String),
        body: 'hello',
        attributes: expect.objectContaining({
          ApproximateReceiveCount: '1',
          SentTimestamp: expect.stringMatching(/^\d{13}$/),
          ApproximateFirstReceiveTimestamp: expect.any(String),
          SenderId: expect.any(String),
        }),
        messageAttributes: {
          type: {
            dataType: 'String',
            stringValue: 'order.placed',
            stringListValues: [],
            binaryListValues: [],
          },
          raw: { dataType: 'Binary', binaryValue: 'AQL/', stringListValues: [], binaryListValues: [] },
        },
        md5OfMessageAttributes: expect.stringMatching(/^[0-9a-f]{32}$/),
        md5OfBody: '5d41402abc4b2a76b9719d911017c592',
        eventSource: 'aws:sqs',
        eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:work',
        awsRegion: 'us-east-1',
      },
    ]);
    expect(seen[0]!.context.awsRequestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(seen[0]!.left).toBe(7_000);
    expect(world.view()).toMatchObject({ visible: 0, inFlight: 0, deleted: 1 });
  });

  test('batches are gathered up to their size within the window', async () => {
    const world = await createWorld();
    const sizes: number[] = [];
    world.start({
      batchSize: 25,
      batchWindow: seconds(5),
      handler: (event) => {
        sizes.push(event.Records.length);
        return Promise.resolve(allDone);
      },
    });
    await world.advance(1);
    for (let index = 0; index < 40; index++) await world.send(`${index}`);
    await world.advance(2);
    expect(sizes).toEqual([25]);
    await world.advance(4);
    expect(sizes).toEqual([25, 15]);
  });
});

describe('A worker takes no more than it may run', () => {
  test('never more invocations than its concurrency, and nothing received ahead of them', async () => {
    const world = await createWorld();
    for (let index = 0; index < 100; index++) await world.send(`${index}`);
    const worker = world.start({
      concurrency: 3,
      handler: async () => {
        await world.wait(5);
        return allDone;
      },
    });
    await world.advance(2);
    expect(world.most.invocations).toBe(3);
    expect(worker.stats()).toMatchObject({ running: 3, received: 30 });
    expect(world.view()).toMatchObject({ inFlight: 30, visible: 70 });
    await world.advance(30);
    expect(world.most.invocations).toBe(3);
    expect(worker.stats()).toMatchObject({ done: 100, failed: 0, running: 0 });
  });

  test('an idle worker has one poll open, however many it may run', async () => {
    const world = await createWorld();
    let idle = 0;
    let open = 0;
    let mostOpen = 0;
    const counting = {
      async send(command: object, options?: { abortSignal?: AbortSignal }) {
        const isReceive = command.constructor.name === 'ReceiveMessageCommand';
        if (isReceive) mostOpen = Math.max(mostOpen, ++open);
        try {
          return (await world.sqs.send(command as never, options as never)) as object;
        } finally {
          if (isReceive) open--;
        }
      },
    };
    for (let index = 0; index < 60; index++) await world.send(`${index}`);
    world.start({
      sqs: counting,
      concurrency: 20,
      handler: async () => {
        await world.wait(1);
        return allDone;
      },
      onIdle: () => {
        idle++;
      },
    });
    await world.advance(60);
    expect(open).toBe(1);
    mostOpen = 0;
    await world.advance(60);
    expect(mostOpen).toBe(1);
    expect(idle).toBeGreaterThan(2);
  });
});

describe('A worker judges an answer as Lambda does', () => {
  const answers: readonly [what: string, answer: (records: readonly Record[]) => unknown, deleted: number][] =
    [
      ['an empty list', () => ({ batchItemFailures: [] }), 3],
      ['an empty object', () => ({}), 3],
      ['nothing', () => undefined, 3],
      ['null', () => null, 3],
      ['an empty text', () => '', 3],
      ['a null list', () => ({ batchItemFailures: null }), 3],
      ['one failure', ([first]) => ({ batchItemFailures: [{ itemIdentifier: first!.messageId }] }), 2],
      ['an unknown id', () => ({ batchItemFailures: [{ itemIdentifier: 'nobody' }] }), 0],
      [
        'an unknown id beside a known one',
        ([first]) => ({ batchItemFailures: [{ itemIdentifier: first!.messageId }, { itemIdentifier: 'x' }] }),
        0,
      ],
      ['an empty id', () => ({ batchItemFailures: [{ itemIdentifier: '' }] }), 0],
      ['a null id', () => ({ batchItemFailures: [{ itemIdentifier: null }] }), 0],
      ['another name', ([first]) => ({ batchItemFailures: [{ messageId: first!.messageId }] }), 0],
      ['a null entry', () => ({ batchItemFailures: [null] }), 0],
      ['a list that is none', () => ({ batchItemFailures: 'all' }), 0],
      ['a text', () => 'done', 0],
      ['a list', () => [], 0],
      ['what JSON does not hold', () => ({ batchItemFailures: [], at: 1n }), 0],
    ];
  it.each(answers)('%s', async (_, answer, deleted) => {
    const world = await createWorld();
    for (const body of ['a', 'b', 'c']) await world.send(body);
    const worker = world.start({ handler: async ({ Records }) => answer(Records) as never });
    await world.advance(1);
    expect(world.view()).toMatchObject({ deleted, inFlight: 3 - deleted });
    expect(worker.stats()).toMatchObject({ done: deleted, failed: 3 - deleted, running: 0 });
  });

  test('a throw brings the whole batch back when its visibility ends', async () => {
    const world = await createWorld();
    for (const body of ['a', 'b']) await world.send(body);
    const runs: string[][] = [];
    world.start({
      handler: (event) => {
        runs.push(bodies(event).sort());
        if (runs.length === 1) throw new Error('no');
        return Promise.resolve(allDone);
      },
    });
    await world.advance(29);
    expect(runs).toHaveLength(1);
    await world.advance(25);
    expect(runs.flat().sort()).toEqual(['a', 'a', 'b', 'b']);
    expect(world.view()).toMatchObject({ deleted: 2, inFlight: 0, visible: 0 });
    expect(world.log).toEqual([
      'warn An invocation failed: its messages come again {"messages":2,"why":"Error: no"}',
    ]);
  });

  test('an invocation that overruns its time has failed, and what it answers later is not heard', async () => {
    const world = await createWorld();
    await world.send('slow');
    let runs = 0;
    const worker = world.start({
      timeout: seconds(5),
      handler: async () => {
        runs++;
        await world.wait(runs === 1 ? 8 : 1);
        return allDone;
      },
    });
    await world.advance(20);
    expect(worker.stats()).toMatchObject({ overrun: 1, done: 0, failed: 1, running: 0 });
    expect(world.view()).toMatchObject({ inFlight: 1, deleted: 0 });
    await world.advance(20);
    expect(worker.stats()).toMatchObject({ done: 1, received: 2 });
  });
});

describe('A worker on a FIFO queue keeps the order of every group', () => {
  test('groups run side by side, the messages of one never at once', async () => {
    const world = await createWorld({ fifo: true });
    for (let index = 0; index < 30; index++)
      await world.send(`${index}`, { MessageGroupId: `g${index % 3}`, MessageDeduplicationId: `${index}` });
    const running = new Set<string>();
    const order: { [group: string]: number[] } = {};
    world.start({
      batchSize: 2,
      concurrency: 5,
      handler: async ({ Records }) => {
        const groups = new Set(Records.map(({ attributes }) => attributes.MessageGroupId as string));
        for (const group of groups) {
          expect(running.has(group)).toBe(false);
          running.add(group);
        }
        await world.wait(1);
        for (const { body, attributes } of Records) {
          order[attributes.MessageGroupId as string] ??= [];
          order[attributes.MessageGroupId as string]!.push(Number(body));
        }
        for (const group of groups) running.delete(group);
        return allDone;
      },
    });
    await world.advance(30);
    expect(world.most.invocations).toBeGreaterThan(1);
    expect(world.view()).toMatchObject({ deleted: 30 });
    for (const [group, numbers] of Object.entries(order))
      expect([group, numbers]).toEqual([group, [...numbers].sort((a, b) => a - b)]);
  });

  test('a group whose visibility ended under a running invocation waits for its end', async () => {
    const world = await createWorld({ fifo: true, visibility: 10 });
    await world.send('1');
    let running = 0;
    let most = 0;
    const worker = world.start({
      concurrency: 2,
      handler: async ({ Records }) => {
        most = Math.max(most, ++running);
        if (Records[0]!.attributes.ApproximateReceiveCount === '1') {
          const { ChangeMessageVisibilityCommand } = await import('@aws-sdk/client-sqs');
          const { receiptHandle: ReceiptHandle } = Records[0]!;
          await world.sqs.send(
            new ChangeMessageVisibilityCommand({
              QueueUrl: world.queueUrl,
              ReceiptHandle,
              VisibilityTimeout: 1,
            }),
          );
        }
        await world.wait(8);
        running--;
        return allDone;
      },
    });
    await world.clock.settle();
    await world.advance(40);
    expect(worker.stats()).toMatchObject({ running: 0 });
    expect(worker.stats().givenBack).toBeGreaterThan(0);
    expect(most).toBe(1);
  });

  test('nothing is deleted behind a failed message of its group', async () => {
    const world = await createWorld({ fifo: true });
    for (const body of ['1', '2', '3']) await world.send(body);
    await world.send('other', { MessageGroupId: 'h' });
    const runs: string[][] = [];
    const worker = world.start({
      handler: async (event) => {
        runs.push(bodies(event));
        if (runs.length > 1) return allDone;
        return { batchItemFailures: [{ itemIdentifier: event.Records[1]!.messageId }] };
      },
    });
    await world.advance(1);
    expect(worker.stats()).toMatchObject({ done: 2, failed: 2 });
    await world.advance(40);
    expect(runs).toEqual([
      ['1', '2', '3', 'other'],
      ['2', '3'],
    ]);
  });
});

describe('A worker goes on through what passes, and ends on what does not', () => {
  test('receives that fail are repeated with growing pauses, a line for each', async () => {
    const world = await createWorld();
    await world.send('a');
    world.aws.faults.add({
      service: 'sqs',
      action: 'ReceiveMessage',
      at: [1, 2, 3, 4, 5, 6, 7, 8],
      effect: { error: { name: 'InternalError', message: 'We encountered\nan error', statusCode: 500 } },
    });
    const worker = world.start({ handler: async () => allDone });
    await world.advance(0.1);
    expect(world.log.length).toBeLessThan(3);
    await world.advance(200);
    expect(worker.stats()).toMatchObject({ receiveErrors: 8, done: 1 });
    expect(world.log).toHaveLength(8);
    const pauses = world.log.map((line) => {
      expect(line).toMatch(
        /^warn Nothing could be received; the worker tries again [^\n]*InternalError: We encountered"/,
      );
      return Number(/"afterMilliseconds":(\d+)/.exec(line)![1]);
    });
    for (const [index, pause] of pauses.entries())
      expect(pause).toBeLessThanOrEqual(Math.min(30_000, 1_000 * 2 ** index));
    expect(Math.max(...pauses)).toBeGreaterThan(2_000);
  });

  test('a receive whose answer got lost is repeated under its id on a FIFO queue: nothing waits for its visibility', async () => {
    const world = await createWorld({ fifo: true });
    for (const body of ['1', '2']) await world.send(body);
    world.aws.faults.add({ service: 'sqs', action: 'ReceiveMessage', at: 1, effect: { lostReply: true } });
    const worker = world.start({ handler: async () => allDone });
    await world.advance(3);
    expect(worker.stats()).toMatchObject({ receiveErrors: 1, received: 2, done: 2 });
  });

  test('denied access ends it', async () => {
    const world = await createWorld();
    world.aws.faults.add({
      service: 'sqs',
      action: 'ReceiveMessage',
      effect: { error: { name: 'AccessDenied', message: 'not you', statusCode: 403 } },
    });
    const worker = world.start({ handler: async () => allDone });
    await expect(worker.ended).rejects.toThrow('access is denied (AccessDenied: not you)');
  });

  test('a delete that fails in part is repeated for the rest, then said', async () => {
    const world = await createWorld();
    for (const body of ['a', 'b', 'c']) await world.send(body);
    let deletes = 0;
    const sqs = {
      async send(command: object, options?: object) {
        if (command.constructor.name !== 'DeleteMessageBatchCommand')
          return (await world.sqs.send(command as never, options as never)) as object;
        const { input } = command as {
          input: { QueueUrl: string; Entries: { Id: string; ReceiptHandle: string }[] };
        };
        deletes++;
        const [first, ...others] = input.Entries;
        const { DeleteMessageBatchCommand } = await import('@aws-sdk/client-sqs');
        if (others.length > 0)
          await world.sqs.send(new DeleteMessageBatchCommand({ ...input, Entries: others }));
        return { Failed: [{ Id: first!.Id, SenderFault: false, Code: 'InternalError' }] };
      },
    };
    const worker = world.start({ sqs, handler: async () => allDone });
    await world.advance(10);
    expect(deletes).toBe(4);
    expect(worker.stats()).toMatchObject({ done: 2, undeleted: 1, failed: 0 });
    expect(world.log).toEqual([
      'warn Messages that are done could not be deleted: they come again {"count":1,"why":"InternalError"}',
    ]);
  });

  test('a delete that is refused for good is not repeated: its handle has expired, and the message comes again', async () => {
    const world = await createWorld({ fifo: true, visibility: 10 });
    await world.send('a');
    let deletes = 0;
    const sqs = {
      async send(command: object, options?: object) {
        if (command.constructor.name === 'DeleteMessageBatchCommand') {
          deletes++;
          return { Failed: [{ Id: '0', SenderFault: true, Code: 'ReceiptHandleIsInvalid' }] };
        }
        return (await world.sqs.send(command as never, options as never)) as object;
      },
    };
    const worker = world.start({ sqs, handler: async () => allDone });
    await world.advance(5);
    expect(deletes).toBe(1);
    expect(worker.stats()).toMatchObject({ done: 0, undeleted: 1 });
  });

  test('a queue that does not exist ends it, with one error that says so', async () => {
    const world = await createWorld();
    await world.send('a');
    const worker = world.start({
      handler: async () => {
        await world.wait(5);
        return allDone;
      },
    });
    await world.advance(1);
    await world.sqs.send(new DeleteQueueCommand({ QueueUrl: world.queueUrl }));
    const ending = worker.ended.catch((error: Error) => error.message);
    await settled(world, ending);
    expect(await ending).toMatch(
      /^Nothing can be received from http\S+: the queue does not exist \(QueueDoesNotExist: /,
    );
    expect(worker.stats().running).toBe(0);
  });

  test('a queue that lends messages for less than an invocation’s time is refused', async () => {
    const world = await createWorld({ visibility: 5 });
    const worker = world.start({ handler: async () => allDone });
    await expect(worker.ended).rejects.toThrow('is 5 s, shorter than the 10 s that an invocation may take');
  });

  test('options that are not allowed are refused, all in one error', () => {
    expect(() =>
      startWorker({
        handler: async () => allDone,
        environment: {},
        ...{ batchSize: 11, concurrency: 0, timeout: seconds(0), poll: seconds(21) },
      }),
    ).toThrow(
      'The worker cannot start: queueUrl is missing, and so is the variable SLUICE_QUEUE_URL; batchSize is 11; allowed: 1 to 10 without a batchWindow; concurrency is 0; allowed: 1 to 1000; timeout is 0 s; allowed: more than 0, at most 43200; poll is 21 s; allowed: whole seconds, 1 to 20.',
    );
  });
});
