import { PurgeQueueCommand } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { seconds } from '../../lib/base/index.ts';
import { allDone, createWorld, settled } from './support.ts';

describe('A worker that is stopped loses nothing', () => {
  test('running invocations finish within the grace, and are acknowledged', async () => {
    const world = await createWorld();
    await world.send('a');
    const worker = world.start({
      concurrency: 2,
      poll: seconds(2),
      handler: async () => {
        await world.wait(6);
        return allDone;
      },
    });
    await world.advance(1);
    const took = await settled(world, worker.stop({ grace: seconds(20) }));
    expect(took).toBeCloseTo(5, 0);
    expect(worker.stats()).toMatchObject({ done: 1, running: 0 });
    expect(world.view()).toMatchObject({ deleted: 1, inFlight: 0 });
    await expect(worker.ended).resolves.toBeUndefined();
  });

  test('what the open poll still brings is given back at once, untried', async () => {
    const world = await createWorld();
    let runs = 0;
    const worker = world.start({
      handler: async () => {
        runs++;
        return allDone;
      },
    });
    await world.advance(5);
    const stopped = worker.stop();
    await world.advance(1);
    // The first ends the poll, the second finds nobody.
    for (const body of ['a', 'b']) await world.send(body);
    expect(await settled(world, stopped)).toBeLessThan(1);
    expect(runs).toBe(0);
    expect(worker.stats()).toMatchObject({ givenBack: 1 });
    expect(world.view()).toMatchObject({ visible: 2, inFlight: 0 });
  });

  test('an idle one stops when its poll is over, at most twenty seconds later', async () => {
    const world = await createWorld();
    const worker = world.start({ handler: async () => allDone });
    await world.advance(5);
    expect(await settled(world, worker.stop())).toBeCloseTo(15, 0);
    await world.send('later');
    await world.advance(60);
    expect(world.view()).toMatchObject({ visible: 1, inFlight: 0, received: 0 });
  });

  test('after the grace it waits for nothing: the poll is broken off, the invocation left alone', async () => {
    const world = await createWorld();
    await world.send('a');
    const worker = world.start({
      concurrency: 2,
      timeout: seconds(30),
      handler: async () => {
        await world.wait(25);
        return allDone;
      },
    });
    await world.advance(1);
    expect(await settled(world, worker.stop({ grace: seconds(3) }))).toBeCloseTo(3, 0);
    expect(worker.stats()).toMatchObject({ overrun: 1, failed: 1, running: 0, done: 0 });
    await world.advance(25);
    expect(world.view()).toMatchObject({ deleted: 0, inFlight: 1 });
    await world.advance(10);
    expect(world.view()).toMatchObject({ visible: 1 });
  });

  test('an invocation is told that its time has become the grace', async () => {
    const world = await createWorld();
    await world.send('a');
    const lefts: number[] = [];
    const worker = world.start({
      poll: seconds(1),
      handler: async (_, context) => {
        await new Promise<void>((resolve) =>
          context.shortened?.addEventListener('abort', () => {
            lefts.push(context.getRemainingTimeInMillis());
            resolve();
          }),
        );
        return allDone;
      },
    });
    await world.advance(1);
    expect(await settled(world, worker.stop({ grace: seconds(4) }))).toBeLessThan(2);
    expect(lefts).toEqual([4_000]);
    expect(worker.stats()).toMatchObject({ done: 1 });
  });

  test('stopped while it gathers, it gives back what it has', async () => {
    const world = await createWorld({ visibility: 400 });
    for (let index = 0; index < 5; index++) await world.send(`${index}`);
    const worker = world.start({
      batchSize: 100,
      batchWindow: seconds(300),
      poll: seconds(2),
      handler: async () => allDone,
    });
    await world.advance(5);
    expect(world.view()).toMatchObject({ inFlight: 5 });
    expect(await settled(world, worker.stop())).toBeLessThan(3);
    expect(world.view()).toMatchObject({ visible: 5, inFlight: 0 });
    expect(worker.stats()).toMatchObject({ invocations: 0, givenBack: 5 });
  });

  test('it says so when what it has cannot be given back', async () => {
    const world = await createWorld({ visibility: 400 });
    for (let index = 0; index < 3; index++) await world.send(`${index}`);
    const worker = world.start({
      batchSize: 100,
      batchWindow: seconds(300),
      poll: seconds(2),
      handler: async () => allDone,
    });
    await world.advance(5);
    await world.sqs.send(new PurgeQueueCommand({ QueueUrl: world.queueUrl }));
    await settled(world, worker.stop());
    expect(world.log).toEqual([expect.stringMatching(/^warn Messages could not be given back.*"count":3/)]);
  });

  test('stopped while nothing can be received, it does not wait for its pause', async () => {
    const world = await createWorld();
    world.aws.faults.add({
      service: 'sqs',
      action: 'GetQueueAttributes',
      effect: { error: { name: 'InternalError', statusCode: 500 } },
    });
    const worker = world.start({ handler: async () => allDone });
    await world.advance(100);
    expect(await settled(world, worker.stop())).toBe(0);
  });

  test('stopped twice, the shorter grace counts', async () => {
    const world = await createWorld();
    const worker = world.start({ handler: async () => allDone });
    await world.advance(1);
    void worker.stop({ grace: seconds(19) });
    await world.advance(1);
    expect(await settled(world, worker.stop({ grace: seconds(2) }))).toBeCloseTo(2, 0);
  });
});
