import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../local/clock.ts';
import { createLambda, inProcessExecutor } from '../../../local/lambda/index.ts';
import { call, fakeQueue, modelContext } from './support.ts';

const queueArn = 'arn:aws:sqs:us-east-1:000000000000:queue';

function prepare() {
  const clock = createVirtualClock();
  const executor = inProcessExecutor({ clock, handlers: () => () => 'done' });
  const lambda = createLambda(modelContext(clock).context, { sqs: fakeQueue(clock), executor });
  const make = (input: object = {}) =>
    call<{ FunctionArn: string }>(lambda, 'CreateFunction', {
      FunctionName: 'worker',
      Role: 'role',
      ...input,
    });
  const map = () =>
    call<{ UUID: string }>(lambda, 'CreateEventSourceMapping', {
      FunctionName: 'worker',
      EventSourceArn: queueArn,
    });
  return { lambda, make, map };
}

/** How calls end that are made at the same moment. */
const endsOf = async (...calls: Promise<unknown>[]) =>
  (await Promise.allSettled(calls)).map((end) =>
    end.status === 'fulfilled' ? 'done' : (end.reason as Error).name,
  );

describe('Two calls at the same moment', () => {
  it('make one function, and one event source', async () => {
    const { lambda, make, map } = prepare();
    expect(await endsOf(make(), make())).toEqual(['done', 'ResourceConflictException']);
    expect(await endsOf(map(), map())).toEqual(['done', 'ResourceConflictException']);
    expect(lambda.eventSources()).toHaveLength(1);
    lambda.stop();
  });

  it('lose neither the code nor the configuration', async () => {
    const { lambda, make } = prepare();
    await make();
    const FunctionName = 'worker';
    await Promise.all([
      call(lambda, 'UpdateFunctionCode', { FunctionName }),
      call(lambda, 'UpdateFunctionConfiguration', { FunctionName, Timeout: 7 }),
    ]);
    await call(lambda, 'PublishVersion', { FunctionName });
    const invoked = await call(lambda, 'GetFunctionConfiguration', { FunctionName });
    expect(invoked).toMatchObject({ Timeout: 7 });
    lambda.stop();
  });

  it('nothing polls for an event source that was deleted while it was changed', async () => {
    const { lambda, make, map } = prepare();
    await make();
    const { UUID } = await map();
    const ends = await endsOf(
      call(lambda, 'UpdateEventSourceMapping', { UUID, BatchSize: 5 }),
      call(lambda, 'DeleteEventSourceMapping', { UUID }),
    );
    expect(ends).toEqual(['ResourceNotFoundException', 'done']);
    lambda.stop();
  });

  it('change different things of an event source, and both changes hold', async () => {
    const { lambda, make, map } = prepare();
    await make();
    const { UUID } = await map();
    await Promise.all([
      call(lambda, 'UpdateEventSourceMapping', { UUID, BatchSize: 5 }),
      call(lambda, 'UpdateEventSourceMapping', { UUID, Enabled: false }),
    ]);
    expect(await call(lambda, 'GetEventSourceMapping', { UUID })).toMatchObject({
      BatchSize: 5,
      State: 'Disabled',
    });
    lambda.stop();
  });
});
