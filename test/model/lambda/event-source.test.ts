import { describe, expect, it } from 'vitest';
import { milliseconds, sleep } from '../../../lib/base/index.ts';
import { createVirtualClock } from '../../../local/clock.ts';
import {
  createLambda,
  type EventSourceFaults,
  type InProcessHandler,
  inProcessExecutor,
  type SqsRecord,
} from '../../../local/lambda/index.ts';
import { call, fakeQueue, modelContext } from './support.ts';

const second = (count: number) => milliseconds(count * 1_000);
const recordsOf = (event: unknown) => (event as { Records: SqsRecord[] }).Records;

interface Setup {
  readonly handler?: InProcessHandler;
  readonly visibility?: number;
  readonly fifo?: boolean;
  readonly mapping?: object;
  readonly configuration?: object;
  readonly faults?: EventSourceFaults;
  readonly batchesAtOnce?: number;
}

/** A queue, a function and its event source; every batch that was handed over is kept. */
async function prepare(setup: Setup = {}) {
  const clock = createVirtualClock();
  const { context, total } = modelContext(clock);
  const sqs = fakeQueue(clock, setup);
  const batches: string[][] = [];
  const executor = inProcessExecutor({
    clock,
    handlers: {
      worker: (event, invocation, environment) => {
        batches.push(recordsOf(event).map(({ messageId }) => messageId));
        return setup.handler?.(event, invocation, environment);
      },
    },
  });
  const lambda = createLambda(context, {
    sqs,
    executor,
    ...(setup.faults && { faults: setup.faults }),
    ...(setup.batchesAtOnce && { batchesAtOnce: setup.batchesAtOnce }),
  });
  await call(lambda, 'CreateFunction', {
    FunctionName: 'worker',
    Role: 'arn:aws:iam::000000000000:role/worker',
    Timeout: 30,
    ...setup.configuration,
  });
  const EventSourceArn = `arn:aws:sqs:us-east-1:000000000000:queue${setup.fifo ? '.fifo' : ''}`;
  const create = (mapping: object = {}) =>
    call<{ UUID: string; State: string }>(lambda, 'CreateEventSourceMapping', {
      FunctionName: 'worker',
      EventSourceArn,
      ...setup.mapping,
      ...mapping,
    });
  return { clock, sqs, lambda, batches, total, create };
}

const partial = { FunctionResponseTypes: ['ReportBatchItemFailures'] };

describe('An event source of Lambda hands messages to the function and deletes what succeeded', () => {
  it('hands over records in the shape that handlers know', async () => {
    const seen: SqsRecord[] = [];
    const { clock, sqs, create } = await prepare({ handler: (event) => void seen.push(...recordsOf(event)) });
    await create();
    sqs.send('m1', 'hello', 'tenant', {
      MessageAttributes: {
        type: { DataType: 'String', StringValue: 'order.placed' },
        raw: { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2]) },
      },
    });
    await clock.settle();
    expect(seen).toEqual([
      {
        messageId: 'm1',
        receiptHandle: 'handle-m1',
        body: 'hello',
        attributes: {
          ApproximateReceiveCount: '1',
          SentTimestamp: '1767225600000',
          MessageGroupId: 'tenant',
          SequenceNumber: '1',
        },
        messageAttributes: {
          type: {
            stringValue: 'order.placed',
            stringListValues: [],
            binaryListValues: [],
            dataType: 'String',
          },
          raw: { binaryValue: 'AQI=', stringListValues: [], binaryListValues: [], dataType: 'Binary' },
        },
        md5OfBody: 'md5',
        eventSource: 'aws:sqs',
        eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:queue',
        awsRegion: 'us-east-1',
      },
    ]);
    expect(sqs.deleted).toEqual(['m1']);
  });

  it('gathers a batch from several receives until it is full', async () => {
    const { clock, sqs, batches, create } = await prepare({
      mapping: { BatchSize: 25, MaximumBatchingWindowInSeconds: 5 },
    });
    for (let index = 0; index < 125; index++) sqs.send(`m${index}`);
    await create();
    await clock.settle();
    expect(batches.map((batch) => batch.length)).toEqual([25, 25, 25, 25, 25]);
  });

  it('closes a batch when its window ends, and takes what came in the meantime', async () => {
    const { clock, sqs, batches, create } = await prepare({
      configuration: { Timeout: 3 },
      mapping: { BatchSize: 10, MaximumBatchingWindowInSeconds: 5, ScalingConfig: { MaximumConcurrency: 2 } },
    });
    await create();
    sqs.send('m1');
    await clock.advance(second(3));
    expect(batches).toEqual([]);
    await clock.advance(second(3));
    expect(batches).toEqual([['m1']]);
  });

  it('closes a batch before its event is larger than 6 MB', async () => {
    const { clock, sqs, batches, create } = await prepare();
    for (let index = 0; index < 8; index++) sqs.send(`m${index}`, 'x'.repeat(1_000_000));
    await create();
    await clock.settle();
    expect(batches.map((batch) => batch.length)).toEqual([6, 2]);
    expect(sqs.left()).toEqual([]);
  });

  it('deletes what no filter matches without running the function', async () => {
    const { clock, sqs, batches, create } = await prepare({
      mapping: {
        FilterCriteria: {
          Filters: [{ Pattern: JSON.stringify({ body: { amount: [{ numeric: ['>', 10] }] } }) }],
        },
      },
    });
    sqs.send('small', JSON.stringify({ amount: 1 }));
    sqs.send('large', JSON.stringify({ amount: 11 }));
    sqs.send('text', 'not json');
    await create();
    await clock.settle();
    expect(batches).toEqual([['large']]);
    expect(sqs.left()).toEqual([]);
  });

  it('returns the whole batch after its visibility when the function fails', async () => {
    let runs = 0;
    const { clock, sqs, batches, create, total } = await prepare({
      mapping: partial,
      handler: () => {
        if (++runs === 1) throw new TypeError('broken');
      },
    });
    sqs.send('m1');
    sqs.send('m2');
    await create();
    await clock.advance(second(59));
    expect(batches).toEqual([['m1', 'm2']]);
    await clock.advance(second(2));
    expect(batches).toHaveLength(2);
    expect(sqs.left()).toEqual([]);
    expect([total('Invocations'), total('Errors')]).toEqual([2, 1]);
  });

  it('returns only the messages that the response names', async () => {
    const { clock, sqs, create } = await prepare({
      mapping: partial,
      handler: () => ({ batchItemFailures: [{ itemIdentifier: 'm2' }] }),
    });
    for (const id of ['m1', 'm2', 'm3']) sqs.send(id);
    await create();
    await clock.settle();
    expect(sqs.deleted).toEqual(['m1', 'm3']);
  });

  it.each([
    ['null', null, true],
    ['an empty object', {}, true],
    ['an empty list', { batchItemFailures: [] }, true],
    ['a null list', { batchItemFailures: null }, true],
    ['nothing', undefined, true],
    ['an empty id', { batchItemFailures: [{ itemIdentifier: '' }] }, false],
    ['a null id', { batchItemFailures: [{ itemIdentifier: null }] }, false],
    ['an unknown id', { batchItemFailures: [{ itemIdentifier: 'm1' }, { itemIdentifier: 'other' }] }, false],
    ['a wrong key', { batchItemFailures: [{ id: 'm1' }] }, false],
    ['an entry that is null', { batchItemFailures: [null] }, false],
    ['a list that is a text', { batchItemFailures: 'm1' }, false],
    ['a list that is a number', { batchItemFailures: 1 }, false],
    ['a list that is an object', { batchItemFailures: {} }, false],
    ['a text', 'done', false],
  ])('hazard 18: takes %s as the response that AWS takes it for', async (_name, response, succeeded) => {
    const { clock, sqs, create } = await prepare({ mapping: partial, handler: () => response });
    sqs.send('m1');
    sqs.send('m2');
    await create();
    await clock.settle();
    expect(sqs.left()).toEqual(succeeded ? [] : ['m1', 'm2']);
  });

  it('hazard 19: reads no response when partial responses are off', async () => {
    const { clock, sqs, create } = await prepare({
      handler: () => ({ batchItemFailures: [{ itemIdentifier: 'm1' }] }),
    });
    sqs.send('m1');
    await create();
    await clock.settle();
    expect(sqs.left()).toEqual([]);
  });

  it('hazard 42: returns the batch of an environment that was killed', async () => {
    const clockOf: { clock?: ReturnType<typeof createVirtualClock> } = {};
    const { clock, sqs, lambda, batches, create } = await prepare({
      handler: () => sleep(clockOf.clock!, second(10)),
    });
    clockOf.clock = clock;
    sqs.send('m1');
    await create();
    await clock.advance(second(5));
    expect(lambda.kill('worker')).toBe(true);
    await clock.advance(second(50));
    expect(sqs.left()).toEqual(['m1']);
    await clock.advance(second(20));
    expect(batches).toEqual([['m1'], ['m1']]);
    expect(sqs.left()).toEqual([]);
  });

  it('starts nothing once its function is deleted', async () => {
    const { clock, sqs, lambda, batches, create } = await prepare();
    await create();
    await call(lambda, 'DeleteFunction', { FunctionName: 'worker' });
    sqs.send('m1');
    await clock.advance(second(30));
    expect([batches, lambda.environments(), sqs.left()]).toEqual([[], [], ['m1']]);
    expect(await call(lambda, 'ListEventSourceMappings', {})).toMatchObject({
      EventSourceMappings: [{ LastProcessingResult: expect.stringMatching(/^PROBLEM: Function not found/) }],
    });
  });

  it('hazard 12: leaves finished messages in the queue when the acknowledgement is lost', async () => {
    const verdicts: ('lose' | 'deliver')[] = ['lose', 'deliver'];
    const { clock, sqs, batches, create } = await prepare({
      faults: { beforeAcknowledge: () => verdicts.shift() ?? 'deliver' },
    });
    sqs.send('m1');
    await create();
    await clock.settle();
    expect(sqs.left()).toEqual(['m1']);
    await clock.advance(second(61));
    expect(batches).toEqual([['m1'], ['m1']]);
    expect(sqs.left()).toEqual([]);
  });
});

describe('An event source of Lambda scales as AWS documents it', () => {
  const slow =
    (seconds: number): ((clock: ReturnType<typeof createVirtualClock>) => InProcessHandler) =>
    (clock) =>
    () =>
      sleep(clock, second(seconds));

  async function prepareSlow(mapping: object, visibility = 600, more: Setup = {}) {
    let handler: InProcessHandler = () => undefined;
    const prepared = await prepare({
      ...more,
      visibility,
      mapping,
      handler: (...input) => handler(...input),
    });
    handler = slow(20)(prepared.clock);
    return prepared;
  }

  it('starts with five pollers and adds 300 a minute while all are busy', async () => {
    const { clock, sqs, lambda, create } = await prepareSlow({ BatchSize: 1 });
    for (let index = 0; index < 400; index++) sqs.send(`m${index}`);
    await create();
    await clock.settle();
    const busy = () => lambda.eventSources()[0]!.busy;
    expect(busy()).toBe(5);
    await clock.advance(second(10));
    expect(busy()).toBe(55);
  });

  it('goes back to five pollers when the queue is empty, each polling three times a minute', async () => {
    const { clock, sqs, lambda, create } = await prepareSlow({ BatchSize: 1 });
    for (let index = 0; index < 100; index++) sqs.send(`m${index}`);
    await create();
    await clock.advance(second(300));
    expect(lambda.eventSources()[0]).toMatchObject({ pollers: 5, busy: 0 });
    const before = sqs.receives();
    await clock.advance(second(60));
    expect(sqs.receives() - before).toBe(15);
  });

  it('hazard 14: never runs more invocations than the maximum concurrency, without a throttle', async () => {
    const { clock, sqs, lambda, create, total } = await prepareSlow({
      BatchSize: 1,
      ScalingConfig: { MaximumConcurrency: 7 },
    });
    for (let index = 0; index < 100; index++) sqs.send(`m${index}`);
    await create();
    for (let elapsed = 0; elapsed < 60; elapsed++) {
      await clock.advance(second(1));
      expect(lambda.environments().filter(({ state }) => state === 'busy').length).toBeLessThanOrEqual(7);
    }
    expect(total('Throttles')).toBe(0);
  });

  it.each([
    ['as many batches at once as the machine is said to bear', {}, 2],
    ['its own maximum concurrency, where it has one', { ScalingConfig: { MaximumConcurrency: 7 } }, 7],
  ])('runs %s', async (_what, scaling, most) => {
    const { clock, sqs, lambda, create } = await prepareSlow({ BatchSize: 1, ...scaling }, 600, {
      batchesAtOnce: 2,
    });
    for (let index = 0; index < 100; index++) sqs.send(`m${index}`);
    await create();
    let seen = 0;
    for (let elapsed = 0; elapsed < 30; elapsed++) {
      await clock.advance(second(1));
      seen = Math.max(seen, lambda.eventSources()[0]!.busy);
    }
    expect(seen).toBe(most);
  });

  it('hazard 14: burns receives when reserved concurrency is the bound', async () => {
    const { clock, sqs, lambda, create, total } = await prepareSlow({ BatchSize: 1 }, 30);
    await call(lambda, 'PutFunctionConcurrency', { FunctionName: 'worker', ReservedConcurrentExecutions: 1 });
    for (let index = 0; index < 5; index++) sqs.send(`m${index}`);
    await create();
    await clock.settle();
    expect(total('Throttles')).toBe(4);
  });

  it('FIFO: runs different groups in parallel, one group never', async () => {
    const running = new Map<string, number>();
    let most = 0;
    const order: string[] = [];
    const clockOf: { clock?: ReturnType<typeof createVirtualClock> } = {};
    const { clock, sqs, create } = await prepare({
      fifo: true,
      visibility: 180,
      mapping: { BatchSize: 2 },
      handler: async (event) => {
        const groups = new Set(recordsOf(event).map(({ attributes }) => attributes.MessageGroupId!));
        for (const group of groups) {
          running.set(group, (running.get(group) ?? 0) + 1);
          expect(running.get(group)).toBe(1);
        }
        most = Math.max(
          most,
          [...running.values()].reduce((sum, count) => sum + count, 0),
        );
        order.push(...recordsOf(event).map(({ messageId }) => messageId));
        await sleep(clockOf.clock!, second(2));
        for (const group of groups) running.set(group, running.get(group)! - 1);
      },
    });
    clockOf.clock = clock;
    for (let index = 0; index < 6; index++)
      for (const group of ['a', 'b', 'c']) sqs.send(`${group}${index}`, '', group);
    await create();
    await clock.advance(second(60));
    expect(sqs.left()).toEqual([]);
    expect(most).toBeGreaterThan(1);
    for (const group of ['a', 'b', 'c']) {
      expect(order.filter((id) => id.startsWith(group))).toEqual(
        [0, 1, 2, 3, 4, 5].map((index) => `${group}${index}`),
      );
    }
  });
});

describe('An event source of Lambda can be changed and is refused with a reason', () => {
  it('stops when it is disabled, goes on when it is enabled, ends when it is deleted', async () => {
    const { clock, sqs, lambda, create } = await prepare();
    const { UUID } = await create();
    await call(lambda, 'UpdateEventSourceMapping', { UUID, Enabled: false });
    sqs.send('m1');
    await clock.advance(second(30));
    expect(sqs.left()).toEqual(['m1']);
    await call(lambda, 'UpdateEventSourceMapping', { UUID, Enabled: true });
    await clock.settle();
    expect(sqs.left()).toEqual([]);
    await call(lambda, 'DeleteEventSourceMapping', { UUID });
    sqs.send('m2');
    await clock.advance(second(30));
    expect(sqs.left()).toEqual(['m2']);
    expect(clock.nextTimer()).toBeDefined();
    lambda.stop();
  });

  it('hands over what it has gathered when it is disabled, and nothing once the model stops', async () => {
    const mapping = { MaximumBatchingWindowInSeconds: 60, ScalingConfig: { MaximumConcurrency: 2 } };
    const configuration = { Timeout: 3 };
    const disabled = await prepare({ mapping, configuration });
    const { UUID } = await disabled.create();
    disabled.sqs.send('m1');
    await disabled.clock.advance(second(1));
    await call(disabled.lambda, 'UpdateEventSourceMapping', { UUID, Enabled: false });
    await disabled.clock.settle();
    expect(disabled.batches).toEqual([['m1']]);

    const stopped = await prepare({ mapping, configuration });
    await stopped.create();
    stopped.sqs.send('m1');
    await stopped.clock.advance(second(1));
    stopped.lambda.stop();
    await stopped.clock.advance(second(120));
    expect([stopped.batches, stopped.lambda.environments()]).toEqual([[], []]);
  });

  it.each([
    [
      'a large batch without a window',
      { BatchSize: 11 },
      false,
      /Maximum batch window in seconds must be greater than 0/,
    ],
    ['a window on FIFO', { MaximumBatchingWindowInSeconds: 1 }, true, /not supported for FIFO/],
    ['a large batch on FIFO', { BatchSize: 11, MaximumBatchingWindowInSeconds: 1 }, true, /between 1 and 10/],
    ['a window over 300 s', { MaximumBatchingWindowInSeconds: 301 }, false, /between 0 and 300/],
    ['a maximum concurrency of 1', { ScalingConfig: { MaximumConcurrency: 1 } }, false, /between 2 and 1000/],
    [
      'six filters',
      { FilterCriteria: { Filters: Array(6).fill({ Pattern: '{"body":["a"]}' }) } },
      false,
      /At most 5/,
    ],
    ['a pattern of no JSON', { FilterCriteria: { Filters: [{ Pattern: '{' }] } }, false, /not JSON/],
    [
      'an unknown rule',
      { FilterCriteria: { Filters: [{ Pattern: '{"body":[{"like":"a"}]}' }] } },
      false,
      /like/,
    ],
  ])('refuses %s', async (_name, mapping, fifo, message) => {
    const { create } = await prepare({ fifo, mapping });
    await expect(create()).rejects.toThrow(message);
  });

  it('refuses a queue whose visibility is shorter than the timeout, with the words of AWS', async () => {
    const { create } = await prepare({ visibility: 29 });
    await expect(create()).rejects.toMatchObject({
      name: 'InvalidParameterValueException',
      message: 'Queue visibility timeout: 29 seconds is less than Function timeout: 30 seconds',
    });
  });

  it('refuses a second mapping of the same queue and function, and names the first', async () => {
    const { create } = await prepare();
    const { UUID } = await create();
    await expect(create()).rejects.toThrow(`Please update or delete the existing mapping with UUID ${UUID}`);
  });
});
