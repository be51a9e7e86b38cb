import { PermanentError } from 'sluice/lambda';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/topology/index.ts';
import { again, createWorld, gate, message, recordOf, table } from './support/world.ts';

describe('the batch response is total', () => {
  it('an SNS envelope, where raw delivery was expected, is opened', async () => {
    const world = createWorld();
    const seen: string[] = [];
    const worker = world.worker((event) => void seen.push(event.data.orderId));
    const wrapped = JSON.stringify({ Type: 'Notification', Message: message('1').body });
    expect(await worker.run([message('x', { body: wrapped })])).toEqual([]);
    expect(seen).toEqual(['1']);
  });

  it('what is expired or was not asked for is acknowledged and counted, without a record', async () => {
    const world = createWorld();
    const worker = world.worker(() => undefined);
    const returned = await worker.run([
      message('1', { event: { expirytime: '2025-12-31T23:59:59Z' } }),
      message('2', { event: { type: 'order.cancelled' } }),
      message('3', { event: { type: 'never.heard', expirytime: '2027-01-01T00:00:00Z' } }),
      message('4', { event: { expirytime: '2027-01-01T00:00:00Z' } }),
    ]);
    expect(returned).toEqual([]);
    expect(world.measures[0]).toMatchObject({ expired: 1, unwanted: 2, processed: 1 });
    expect(world.dynamodb.items(table).size).toBe(1);
  });

  it('missing variables are named, all of them, and the batch stays', async () => {
    const world = createWorld();
    const worker = world.worker(() => undefined, { environment: {} });
    await expect(worker.run([message('1')])).rejects.toThrow(
      /SLUICE_RECORDS_TABLE, SLUICE_QUEUE_URL, SLUICE_DEAD_LETTER_QUEUE_URL/,
    );
  });

  it('a logger or a metrics sink that throws decides nothing', async () => {
    const world = createWorld();
    const broken = () => {
      throw new Error('broken');
    };
    const worker = world.worker(
      () => {
        throw new Error('down');
      },
      { logger: { debug: broken, info: broken, warn: broken, error: broken }, metrics: { record: broken } },
    );
    expect(await worker.run([message('1', { messageId: '1' })])).toEqual(['1']);
  });

  it.each([0, -1, Number.NaN])(
    'a concurrency of %s, at which nothing would ever run, is refused at once',
    (concurrency) => {
      expect(() => createWorld().worker(() => {}, { concurrency })).toThrow('allowed: 1 and more');
    },
  );

  it('a batch of more than a hundred messages runs with bounded concurrency', async () => {
    const world = createWorld();
    let running = 0;
    let most = 0;
    const worker = world.worker(
      async () => {
        most = Math.max(most, ++running);
        await Promise.resolve();
        running--;
      },
      { concurrency: 7 },
    );
    expect(await worker.run(Array.from({ length: 230 }, (_, index) => message(String(index))))).toEqual([]);
    expect(most).toBe(7);
    expect(world.measures[0]?.processed).toBe(230);
  });
});

describe('what goes on after the response is out', () => {
  it('nothing is sent after the response is out, whatever answers when the environment is thawed', async () => {
    for (const hangs of ['claim', 'release', 'letter', 'visibility'] as const) {
      const world = createWorld();
      const answer = gate();
      const wait = (when: boolean) => (when ? answer.opened : undefined);
      world.dynamodb.intercept = ({ input }, phase) =>
        wait(
          phase === 'before' &&
            (hangs === 'claim' || (hangs === 'release' && JSON.stringify(input).includes('RELEASED'))),
        );
      world.sqs.intercept = ({ name }, phase) =>
        wait(
          phase === 'before' &&
            ((hangs === 'letter' && name === 'SendMessage') ||
              (hangs === 'visibility' && name !== 'SendMessage')),
        );
      const worker = world.worker(() => {
        throw hangs === 'letter' ? new PermanentError('never') : new Error('down');
      });
      const records = Array.from({ length: 60 }, (_, index) => message(String(index)));
      expect(await worker.run(records, milliseconds(20_000))).toHaveLength(60);
      const before = [world.dynamodb.calls.length, world.sqs.calls.length];
      answer.open();
      await world.clock.advance(milliseconds(600_000));
      expect([world.dynamodb.calls.length, world.sqs.calls.length]).toEqual(before);
    }
  });

  it('calls under way are broken off when the response is out', async () => {
    const world = createWorld();
    const signals: (AbortSignal | undefined)[] = [];
    const dynamodb = {
      send(command: object, options?: { readonly abortSignal?: AbortSignal }) {
        signals.push(options?.abortSignal);
        return signals.length === 1 ? world.dynamodb.send(command) : new Promise<object>(() => undefined);
      },
    };
    const worker = world.worker(() => new Promise(() => undefined), { dynamodb });
    await worker.run([message('1')], milliseconds(20_000));
    // The claim, as most calls, goes without one.
    expect(signals[0]).toBeUndefined();
    expect(signals.length).toBeGreaterThan(1);
    for (const signal of signals.slice(1)) expect(signal?.aborted).toBe(true);
  });

  it('what a handler that was left behind does later changes nothing', async () => {
    const world = createWorld();
    const late = gate();
    let commit: Promise<unknown> | undefined;
    const worker = world.worker(async (_, context) => {
      if (context.attempt > 1) return;
      await late.opened;
      commit = context.commitWith([]).catch((error: unknown) => error);
    });
    const record = message('1', { messageId: '1' });
    await worker.run([record], milliseconds(5_000));
    await worker.run([again(record)]);
    const before = recordOf(world, '1');
    late.open();
    await world.clock.settle();
    expect(((await commit) as Error).name).toBe('LeaseLost');
    expect(recordOf(world, '1')).toEqual(before);
  });
});
