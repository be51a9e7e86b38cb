import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/topology/index.ts';
import { again, createWorld, message, recordOf } from '../runtime/support/world.ts';

describe('35: before the function’s deadline nothing new starts, and what is not done goes back', () => {
  it('before the end nothing new starts; what has not started goes back untouched and visible', async () => {
    const world = createWorld();
    const started: string[] = [];
    const worker = world.worker(
      (event) => {
        started.push(event.data.orderId);
        return new Promise((resolve) => void world.clock.after(milliseconds(4_000), resolve));
      },
      { concurrency: 1 },
    );
    const records = ['0', '1', '2', '3'].map((id) => message(id, { messageId: id }));
    const startedAt = world.clock.now();
    expect(await worker.run(records, milliseconds(10_000))).toEqual(['2', '3']);
    expect(started).toEqual(['0', '1']);
    expect(world.clock.now() - startedAt).toBeLessThan(10_000);
    expect(recordOf(world, '3')).toMatchObject({ state: 'RELEASED', attempts: '0' });
    expect(world.sqs.visibilityOf('3')).toBe(0);
  });

  it('the signal fires before the end; whether it is heeded or not, the try counts', async () => {
    for (const heeds of [true, false]) {
      const world = createWorld();
      let reason: unknown;
      const worker = world.worker(
        (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reason = signal.reason;
              if (heeds) reject(new Error('stopped'));
            });
          }),
      );
      const startedAt = world.clock.now();
      expect(await worker.run([message('1', { messageId: '1' })], milliseconds(60_000))).toEqual(['1']);
      expect(world.clock.now() - startedAt).toBeLessThan(60_000);
      expect((reason as Error).name).toBe('DeadlineReached');
      expect(recordOf(world, '1')).toMatchObject({ state: 'RELEASED', attempts: '1' });
    }
  });

  it('a handler that heeds its signal at every deadline is dead-lettered after its attempts', async () => {
    const world = createWorld();
    let runs = 0;
    const worker = world.worker((_, { signal }) => {
      runs++;
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    });
    let record = message('1', { messageId: '1' });
    for (let receives = 0; receives < 10 && world.sqs.letters.length === 0; receives++) {
      await worker.run([record]);
      record = again(record);
    }
    expect(runs).toBe(3);
    expect(world.sqs.letters[0]?.MessageAttributes).toMatchObject({
      'sluice-reason': { StringValue: 'attempts' },
      'sluice-attempts': { StringValue: '3' },
    });
    expect(world.sqs.letters[0]?.MessageAttributes?.['sluice-error']?.StringValue).toContain(
      'DeadlineReached',
    );
  });

  it('a run that began in the second half of the function’s time, and heeds its signal, uses no attempt', async () => {
    const stopAt = 28_000;
    for (const [begins, attempts] of [
      [stopAt / 2, '1'],
      [stopAt / 2 + 1, '0'],
    ] as const) {
      const world = createWorld();
      const worker = world.worker(
        (event, { signal }) =>
          event.data.orderId === 'first'
            ? new Promise((resolve) => void world.clock.after(milliseconds(begins), resolve))
            : new Promise((_resolve, reject) =>
                signal.addEventListener('abort', () => reject(signal.reason as Error)),
              ),
        { concurrency: 1 },
      );
      const records = [message('first'), message('1', { messageId: '1' })];
      expect(await worker.run(records)).toEqual(['1']);
      expect(recordOf(world, '1')).toMatchObject({ state: 'RELEASED', attempts });
    }
  });

  it('a service that does not answer does not hold the response beyond the end', async () => {
    for (const at of ['claim', 'completion'] as const) {
      const world = createWorld();
      const never = () => new Promise<void>(() => undefined);
      if (at === 'claim') world.dynamodb.intercept = never;
      const worker = world.worker(() => {
        world.dynamodb.intercept = never;
      });
      const startedAt = world.clock.now();
      expect(await worker.run([message('1', { messageId: '1' })], milliseconds(20_000))).toEqual(['1']);
      expect(world.clock.now() - startedAt).toBeLessThan(20_000);
    }
  });
});
