import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../local/clock.ts';
import { createLambda, inProcessExecutor, type SqsRecord } from '../../../local/lambda/index.ts';
import { ServiceError } from '../../../local/service.ts';
import { call, fakeQueue, modelContext } from './support.ts';

const minute = 60_000 as Parameters<ReturnType<typeof createVirtualClock>['advance']>[0];
const second = 1_000 as typeof minute;

/** A queue whose calls can be made to fail, and the event source behind it. */
async function prepare(mapping: object = {}) {
  const clock = createVirtualClock();
  const { context } = modelContext(clock);
  const queue = fakeQueue(clock, { visibility: 600 });
  const fails: { receive?: (call: number) => Error | undefined; remove?: () => Error | undefined } = {};
  let receives = 0;
  const operations = {
    ...queue.operations,
    ReceiveMessage: (async (input, at) => {
      const error = fails.receive?.(++receives);
      if (error !== undefined) throw error;
      return queue.operations.ReceiveMessage?.(input, at) ?? {};
    }) satisfies (typeof queue.operations)[string],
    DeleteMessageBatch: (async (input, at) => {
      const error = fails.remove?.();
      if (error !== undefined) throw error;
      return queue.operations.DeleteMessageBatch?.(input, at) ?? {};
    }) satisfies (typeof queue.operations)[string],
  };
  const batches: string[][] = [];
  const lines: string[] = [];
  const handlers = {
    worker: (event: unknown) =>
      void batches.push((event as { Records: SqsRecord[] }).Records.map(({ messageId }) => messageId)),
  };
  const lambda = createLambda(context, {
    sqs: { operations },
    executor: inProcessExecutor({ clock, handlers }),
    log: (functionName, _requestId, line) => lines.push(`${functionName}: ${line}`),
  });
  await call(lambda, 'CreateFunction', { FunctionName: 'worker', Role: 'role', Timeout: 30 });
  const create = () =>
    call<{ UUID: string }>(lambda, 'CreateEventSourceMapping', {
      FunctionName: 'worker',
      EventSourceArn: 'arn:aws:sqs:us-east-1:000000000000:queue',
      ...mapping,
    });
  const result = async (UUID: string) =>
    (await call<{ LastProcessingResult: string }>(lambda, 'GetEventSourceMapping', { UUID }))
      .LastProcessingResult;
  return { clock, queue, lambda, batches, lines, fails, create, result };
}

const refused = () => new ServiceError('InternalFailure', 'the queue is down', { statusCode: 500 });

describe('An event source lives through trouble and says what it met', () => {
  it('a receive that fails in a batching window does not hold back what was gathered', async () => {
    const { clock, queue, batches, fails, create } = await prepare({
      BatchSize: 100,
      MaximumBatchingWindowInSeconds: 20,
      ScalingConfig: { MaximumConcurrency: 2 },
    });
    // Two pollers wait in their first receive; the third call is the gathering of the one that got the message.
    fails.receive = (count) => (count === 3 ? refused() : undefined);
    await create();
    queue.send('m1');
    await clock.settle();
    expect(batches).toEqual([['m1']]);
    expect(queue.deleted).toEqual(['m1']);
  });

  it('a receive that fails leaves no timer of its window behind', async () => {
    const { clock, queue, lambda, fails, create } = await prepare({
      BatchSize: 100,
      MaximumBatchingWindowInSeconds: 300,
      ScalingConfig: { MaximumConcurrency: 2 },
    });
    fails.receive = (count) => (count === 3 ? refused() : undefined);
    await create();
    queue.send('m1');
    await clock.settle();
    const started = clock.now();
    lambda.stop();
    await clock.settle();
    expect((clock.nextTimer() ?? started) - started).toBeLessThan(300_000);
    expect(clock.nextTimer()).toBeUndefined();
  });

  it('an error that is none of a service is logged once, and the queue is polled on', async () => {
    const { clock, queue, lambda, batches, lines, fails, create, result } = await prepare();
    fails.receive = () => new TypeError('the model is broken');
    const { UUID } = await create();
    await clock.advance(minute);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^worker: The event source of .*:queue met an error.* TypeError: the model is broken/,
    );
    expect(await result(UUID)).toBe('PROBLEM: the model is broken');
    expect(lambda.eventSources()).toMatchObject([{ pollers: 5 }]);
    fails.receive = () => undefined;
    queue.send('m1');
    await clock.advance(minute);
    expect(batches).toEqual([['m1']]);
    lambda.stop();
    await clock.advance(minute);
    expect(lambda.eventSources()).toMatchObject([{ pollers: 0 }]);
  });

  it('a delete that fails is told, and the message comes back', async () => {
    const { clock, queue, batches, lines, fails, create, result } = await prepare();
    let broken = true;
    fails.remove = () => (broken ? refused() : undefined);
    const { UUID } = await create();
    queue.send('m1');
    await clock.advance(second);
    expect(await result(UUID)).toBe('PROBLEM: the queue is down');
    expect(lines).toEqual([]);
    broken = false;
    for (let passed = 0; passed < 11; passed++) await clock.advance(minute);
    expect(batches).toEqual([['m1'], ['m1']]);
    expect(queue.deleted).toEqual(['m1']);
  });
});
