import { describe, expect, it } from 'vitest';
import { milliseconds, sleep } from '../../../lib/base/index.ts';
import { createVirtualClock, type VirtualClock } from '../../../local/clock.ts';
import { createLambda, type InProcessHandler, inProcessExecutor } from '../../../local/lambda/index.ts';
import { call, fakeQueue, modelContext } from './support.ts';

const second = (count: number) => milliseconds(count * 1_000);

/** A function `worker` in process, and `invoke` for it. */
async function prepare(makeHandler: (clock: VirtualClock) => InProcessHandler, options: object = {}) {
  const clock = createVirtualClock();
  const { context, total } = modelContext(clock);
  const executor = inProcessExecutor({ clock, handlers: { worker: makeHandler(clock) } });
  const lambda = createLambda(context, { sqs: fakeQueue(clock), executor, ...options });
  await call(lambda, 'CreateFunction', { FunctionName: 'worker', Role: 'role', Timeout: 10 });
  const invoke = (event: unknown = {}, input: object = {}) =>
    call<{ StatusCode: number; FunctionError?: string; Payload?: Uint8Array }>(lambda, 'Invoke', {
      FunctionName: 'worker',
      Payload: Buffer.from(JSON.stringify(event)),
      ...input,
    });
  const value = async (answer: ReturnType<typeof invoke>) =>
    JSON.parse(Buffer.from((await answer).Payload!).toString());
  return { clock, lambda, invoke, value, total };
}

describe('A function is invoked', () => {
  it('and answers with JSON, an error as Lambda reports it', async () => {
    const { invoke, value } = await prepare(() => (event) => {
      if ((event as { bad?: boolean }).bad) throw new TypeError('bad event');
      return { got: event, lost: undefined };
    });
    expect(await value(invoke({ a: 1 }))).toEqual({ got: { a: 1 } });
    const failed = await invoke({ bad: true });
    expect(failed).toMatchObject({ StatusCode: 200, FunctionError: 'Unhandled' });
    expect(JSON.parse(Buffer.from(failed.Payload!).toString())).toMatchObject({
      errorType: 'TypeError',
      errorMessage: 'bad event',
    });
  });

  it('and is killed at its timeout; what it does later has no effect', async () => {
    const aborted: boolean[] = [];
    const { clock, invoke, value, lambda, total } = await prepare(
      (virtual) =>
        async (_event, context, { signal }) => {
          aborted.push(signal.aborted);
          expect(context.getRemainingTimeInMillis()).toBe(10_000);
          await sleep(virtual, second(20));
          aborted.push(signal.aborted);
          return 'too late';
        },
    );
    const answer = value(invoke());
    await clock.advance(second(10));
    expect(await answer).toMatchObject({
      errorType: 'Sandbox.Timedout',
      errorMessage: expect.stringMatching(/Task timed out after 10\.00 seconds$/),
    });
    await clock.advance(second(15));
    expect(aborted).toEqual([false, true]);
    expect(lambda.environments()).toEqual([]);
    expect(total('Duration')).toBe(10_000);
  });

  it('without running when it is a dry run', async () => {
    const { invoke, total } = await prepare(() => () => 1);
    expect(await invoke({}, { InvocationType: 'DryRun' })).toMatchObject({ StatusCode: 204 });
    expect(total('Invocations')).toBe(0);
  });

  it('asynchronously: at once, one and two minutes after failures, then no more', async () => {
    const at: number[] = [];
    const { clock, invoke, total } = await prepare((virtual) => () => {
      at.push(virtual.now());
      throw new Error('again');
    });
    const start = clock.now();
    expect(await invoke({}, { InvocationType: 'Event' })).toEqual({ StatusCode: 202 });
    await clock.advance(second(3_600));
    expect(at.map((moment) => moment - start)).toEqual([0, 60_000, 180_000]);
    expect(total('AsyncEventsDropped')).toBe(1);
  });

  it('asynchronously: waits for room when it is throttled, without using up its retries', async () => {
    let runs = 0;
    const { clock, lambda, invoke, total } = await prepare(() => () => void runs++);
    await call(lambda, 'PutFunctionConcurrency', { FunctionName: 'worker', ReservedConcurrentExecutions: 0 });
    await invoke({}, { InvocationType: 'Event' });
    await clock.advance(second(60));
    expect([runs, total('Throttles') > 3]).toEqual([0, true]);
    await call(lambda, 'DeleteFunctionConcurrency', { FunctionName: 'worker' });
    await clock.advance(second(120));
    expect(runs).toBe(1);
  });

  it('or throttled, when the bound is reached', async () => {
    const { clock, invoke } = await prepare((virtual) => () => sleep(virtual, second(1)), {
      environmentsPerFunction: 1,
    });
    const first = invoke();
    await expect(invoke()).rejects.toMatchObject({ name: 'TooManyRequestsException', statusCode: 429 });
    await clock.advance(second(1));
    await first;
  });

  it('or refused, when the payload is no JSON, too large, or the function is not there', async () => {
    const { invoke } = await prepare(() => () => 1);
    await expect(invoke({}, { Payload: Buffer.from('{') })).rejects.toMatchObject({
      name: 'InvalidRequestContentException',
    });
    await expect(invoke('x'.repeat(6 * 1_048_576))).rejects.toMatchObject({
      name: 'RequestTooLargeException',
    });
    await expect(invoke({}, { FunctionName: 'other' })).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'Function not found: arn:aws:lambda:us-east-1:000000000000:function:other',
    });
  });
});

describe('Environments are kept as on Lambda', () => {
  it('one is used again, more are made when they run side by side, idle ones end', async () => {
    const { clock, invoke, value, lambda } = await prepare(
      (virtual) =>
        async (_event, _context, { number }) => {
          await sleep(virtual, second(1));
          return number;
        },
    );
    const side = [value(invoke()), value(invoke())];
    await clock.advance(second(1));
    expect(await Promise.all(side)).toEqual([1, 2]);
    const next = value(invoke());
    await clock.advance(second(1));
    expect(await next).toBe(2);
    expect(lambda.environments().map(({ state }) => state)).toEqual(['idle', 'idle']);
    await clock.advance(second(5 * 60 + 1));
    expect(lambda.environments()).toEqual([]);
  });

  it('a killed one fails its invocation and is replaced', async () => {
    const { clock, invoke, value, lambda } = await prepare(
      (virtual) =>
        async (_event, _context, { number }) => {
          await sleep(virtual, second(1));
          return number;
        },
    );
    expect(lambda.kill('worker')).toBe(false);
    const running = value(invoke());
    await clock.settle();
    expect(lambda.kill('worker')).toBe(true);
    expect(await running).toMatchObject({ errorType: 'Runtime.ExitError' });
    const next = value(invoke());
    await clock.advance(second(1));
    expect(await next).toBe(2);
  });

  it('a change of the configuration ends those that are idle', async () => {
    const { invoke, value, lambda } = await prepare(() => (_event, context, { number }) => [
      number,
      context.memoryLimitInMB,
    ]);
    expect(await value(invoke())).toEqual([1, '128']);
    await call(lambda, 'UpdateFunctionConfiguration', { FunctionName: 'worker', MemorySize: 512 });
    expect(await value(invoke())).toEqual([2, '512']);
  });
});

describe('A change reaches an environment', () => {
  it('that is busy once it is free: it is not used again', async () => {
    const { clock, invoke, value, lambda } = await prepare(
      (virtual) =>
        async (_event, context, { number }) => {
          await sleep(virtual, second(1));
          return [number, context.memoryLimitInMB];
        },
    );
    const running = value(invoke());
    await clock.settle();
    await call(lambda, 'UpdateFunctionConfiguration', { FunctionName: 'worker', MemorySize: 512 });
    await clock.advance(second(1));
    expect(await running).toEqual([1, '128']);
    const next = value(invoke());
    await clock.advance(second(1));
    expect(await next).toEqual([2, '512']);
  });
});

describe('Functions are described, changed and removed', () => {
  it('by name, partial ARN or ARN', async () => {
    const { lambda } = await prepare(() => () => 1);
    const arn = 'arn:aws:lambda:us-east-1:000000000000:function:worker';
    for (const FunctionName of ['worker', arn, `${arn}:$LATEST`, '000000000000:function:worker']) {
      expect(await call(lambda, 'GetFunctionConfiguration', { FunctionName })).toMatchObject({
        FunctionArn: arn,
        State: 'Active',
        Timeout: 10,
        MemorySize: 128,
      });
    }
    await call(lambda, 'TagResource', { Resource: arn, Tags: { team: 'shop' } });
    expect(await call(lambda, 'GetFunction', { FunctionName: 'worker' })).toMatchObject({
      Tags: { team: 'shop' },
    });
    await call(lambda, 'DeleteFunction', { FunctionName: 'worker' });
    expect(await call(lambda, 'ListFunctions', {})).toEqual({ Functions: [] });
  });

  it.each([
    ['a name that exists', { FunctionName: 'worker' }, /^Function already exist: worker$/],
    ['a timeout over 900 s', { FunctionName: 'other', Timeout: 901 }, /whole seconds from 1 to 900/],
    ['memory under 128 MB', { FunctionName: 'other', MemorySize: 64 }, /from 128 to 10240, found 64/],
    ['another runtime', { FunctionName: 'other', Runtime: 'python3.13' }, /runs Node.js functions only/],
    ['a bad name', { FunctionName: 'a b' }, /Value 'a b' at 'functionName'/],
    [
      'a reserved variable',
      { FunctionName: 'other', Environment: { Variables: { AWS_REGION: 'x' } } },
      /Reserved keys used in this request: AWS_REGION/,
    ],
    [
      'a handler that nobody knows',
      { FunctionName: 'other' },
      /No handler for function other; known are: worker/,
    ],
    ['an image', { FunctionName: 'other', Code: { ImageUri: 'x' } }, /is a container image/],
    [
      'code that is nowhere',
      { FunctionName: 'other', Code: { S3Bucket: 'b', S3Key: 'k' } },
      /not exist: b\/k/,
    ],
  ])('refuses %s', async (_name, input, message) => {
    const { lambda } = await prepare(() => () => 1);
    await expect(call(lambda, 'CreateFunction', { Role: 'role', ...input })).rejects.toThrow(message);
  });

  it('keeps the statements of its policy', async () => {
    const { lambda } = await prepare(() => () => 1);
    const statement = { FunctionName: 'worker', StatementId: 's1', Action: 'lambda:InvokeFunction' };
    await call(lambda, 'AddPermission', { ...statement, Principal: 'sns.amazonaws.com', SourceArn: 'arn' });
    const { Policy } = await call<{ Policy: string }>(lambda, 'GetPolicy', { FunctionName: 'worker' });
    expect(JSON.parse(Policy).Statement).toEqual([
      {
        Sid: 's1',
        Effect: 'Allow',
        Principal: { Service: 'sns.amazonaws.com' },
        Action: 'lambda:InvokeFunction',
        Resource: 'arn:aws:lambda:us-east-1:000000000000:function:worker',
        Condition: { ArnLike: { 'AWS:SourceArn': 'arn' } },
      },
    ]);
    await expect(call(lambda, 'AddPermission', statement)).rejects.toMatchObject({
      name: 'ResourceConflictException',
    });
    await call(lambda, 'RemovePermission', { FunctionName: 'worker', StatementId: 's1' });
    await expect(call(lambda, 'GetPolicy', { FunctionName: 'worker' })).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });
});

describe('An asynchronous event', () => {
  const failing = () => prepare(() => () => Promise.reject(new Error('not now')));
  const invocations = async (settings: object, wait: number) => {
    const { clock, lambda, invoke, total } = await failing();
    const place = { FunctionName: 'worker', Qualifier: '$LATEST' };
    await call(lambda, 'PutFunctionEventInvokeConfig', { ...place, ...settings });
    await invoke({}, { InvocationType: 'Event' });
    await clock.advance(second(wait));
    return total('Invocations');
  };

  it('is tried again as often as its function asks', async () => {
    expect(await invocations({}, 3_600)).toBe(3);
    expect(await invocations({ MaximumRetryAttempts: 1 }, 3_600)).toBe(2);
    expect(await invocations({ MaximumRetryAttempts: 0 }, 3_600)).toBe(1);
  });

  it('is not tried again beyond the age that its function allows', async () => {
    expect(await invocations({ MaximumEventAgeInSeconds: 90 }, 3_600)).toBe(2);
  });

  it('has bounds, and no destinations', async () => {
    await expect(invocations({ MaximumRetryAttempts: 3 }, 0)).rejects.toThrow('from 0 to 2, found 3');
    await expect(invocations({ MaximumEventAgeInSeconds: 59 }, 0)).rejects.toThrow('from 60 to 21600');
    const DestinationConfig = { OnFailure: { Destination: 'arn:aws:sqs:us-east-1:000000000000:failed' } };
    await expect(invocations({ DestinationConfig }, 0)).rejects.toThrow(
      'DestinationConfig is not part of the model',
    );
  });
});
