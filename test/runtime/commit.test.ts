import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { type HandlerContext, LeaseLost, PermanentError } from 'sluice/lambda';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/topology/index.ts';
import { lostReply, serviceError } from './support/dynamodb.ts';
import { addOne, take, total, wait } from './support/effects.ts';
import { again, createWorld, message, recordOf } from './support/world.ts';

describe('commitWith: effect and record in one transaction', () => {
  it('writes the items and completes the record, once, and nothing else is called to complete it', async () => {
    const world = createWorld();
    const worker = world.worker((_, context) => context.commitWith([addOne]));
    const record = message('1');
    expect(await worker.run([record])).toEqual([]);
    expect(await worker.run([again(record)])).toEqual([]);
    expect(total(world)).toBe(1);
    expect(recordOf(world, '1')).toMatchObject({ state: 'COMPLETED', fence: '1' });
    expect(world.dynamodb.calls.map((call) => call.name)).toEqual([
      'BatchExecuteStatement',
      'TransactWriteItems',
      'BatchGetItem',
    ]);
  });

  it('21: throttled beyond all tries, nothing is committed and no attempt is used; the wait grows with the receives', async () => {
    const world = createWorld({ random: { next: () => 0.999 } });
    world.dynamodb.intercept = ({ name }) => {
      if (name === 'TransactWriteItems') throw serviceError('ThrottlingException');
    };
    const worker = world.worker((_, context) => context.commitWith([addOne]));
    expect(await worker.run([message('1', { messageId: '1', receives: 4 })])).toEqual(['1']);
    expect(recordOf(world, '1')).toMatchObject({ state: 'RELEASED', attempts: '0' });
    expect(world.sqs.visibilityOf('1')).toBe(8);
  });

  it('a commit that the handler forgot to await is judged all the same', async () => {
    const world = createWorld();
    const forgetful = (items: readonly TransactWriteItem[]) =>
      world.worker((_, context: HandlerContext) => {
        void context.commitWith(items).catch(() => undefined);
      });
    expect(await forgetful([take('nothing')]).run([message('1', { messageId: '1' })])).toEqual(['1']);
    expect(await forgetful([addOne]).run([message('2')])).toEqual([]);
    expect(total(world)).toBe(1);
  });

  it('an error after the commit does not run the event again; a second commit is refused', async () => {
    const world = createWorld();
    const worker = world.worker(async (_, context) => {
      await context.commitWith([addOne]);
      await context.commitWith([addOne]);
    });
    expect(await worker.run([message('1')])).toEqual([]);
    expect(total(world)).toBe(1);
    expect(world.log.join()).toContain('commitWith was called again');
  });

  it('a commit in the middle of a heartbeat is not taken for a take-over', async () => {
    const world = createWorld();
    let aborted = false;
    const worker = world.worker(async (_, context) => {
      context.signal.addEventListener('abort', () => {
        aborted = true;
      });
      world.dynamodb.intercept = async ({ name }, phase) => {
        // The transaction is applied, its reply is under way while the beat extends.
        if (name === 'TransactWriteItems' && phase === 'after')
          await new Promise<void>((resolve) => void world.clock.after(milliseconds(3_000), resolve));
      };
      await context.commitWith([addOne]);
    });
    expect(await worker.run([message('1')], milliseconds(60_000))).toEqual([]);
    expect(aborted).toBe(false);
  });

  it('more than 99 items are refused before anything is sent', async () => {
    const world = createWorld();
    let error: unknown;
    const worker = world.worker(async (_, context) => {
      await context.commitWith(Array.from({ length: 100 }, () => addOne)).catch((thrown: unknown) => {
        error = thrown;
      });
    });
    await worker.run([message('1')]);
    expect(error).toBeInstanceOf(RangeError);
  });
});

describe('an event is committed or dead-lettered, never both', () => {
  it('whenever the handler gives up while its commit is under way, however long the reply takes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 30_000 }),
        fc.integer({ min: 0, max: 4_000 }),
        fc.integer({ min: 0, max: 4_000 }),
        fc.integer({ min: 0, max: 3_000 }),
        fc.constantFrom('permanent', 'last attempt', 'never ends') as fc.Arbitrary<string>,
        async (begins, request, reply, gaveUp, how) => {
          const world = createWorld();
          world.dynamodb.intercept = ({ name }, phase) => {
            if (name === 'TransactWriteItems') return wait(world, phase === 'before' ? request : reply);
          };
          let runs = 0;
          const worker = world.worker(async (_, context) => {
            if (++runs < 3 && how === 'last attempt') throw new Error('down');
            await wait(world, begins);
            const commit = context.commitWith([addOne]);
            if (how === 'never ends') return new Promise<void>(() => undefined);
            const givesUp = wait(world, gaveUp).then(() => {
              if (how === 'permanent') throw new PermanentError('never');
              throw new Error('down');
            });
            await Promise.all([commit, givesUp]);
          });
          let record = message('1', { messageId: '1' });
          for (let receives = 0; receives < 6; receives++) {
            const returned = await worker.run([record]);
            await world.clock.advance(milliseconds(60_000));
            record = again(record);
            if (returned.length === 0) break;
          }
          const committed = total(world) > 0;
          expect(total(world)).toBeLessThanOrEqual(1);
          expect(world.sqs.letters).toHaveLength(committed ? 0 : 1);
          expect(recordOf(world, '1')?.state).toBe(committed ? 'COMPLETED' : 'FAILED');
        },
      ),
      { numRuns: 150 },
    );
  });

  it('a reply that comes in time is waited for: the event is done at once', async () => {
    const world = createWorld();
    world.dynamodb.intercept = ({ name }, phase) => {
      if (name === 'TransactWriteItems' && phase === 'after') return wait(world, 50);
    };
    const worker = world.worker(async (_, context) => {
      await Promise.all([context.commitWith([addOne]), Promise.reject(new PermanentError('never'))]);
    });
    expect(await worker.run([message('1')])).toEqual([]);
    expect(total(world)).toBe(1);
    expect(world.sqs.letters).toEqual([]);
    expect(world.measures[0]?.processed).toBe(1);
  });

  it('a handler that was given up cannot commit while its letter is being sent', async () => {
    const world = createWorld();
    world.sqs.intercept = ({ name }, phase) => {
      if (name === 'SendMessage' && phase === 'before') return wait(world, 1_000);
    };
    let error: unknown;
    const worker = world.worker(async (_, context) => {
      const late = wait(world, 500).then(() => context.commitWith([addOne]));
      late.catch((thrown: unknown) => {
        error = thrown;
      });
      await Promise.all([late, Promise.reject(new PermanentError('never'))]);
    });
    expect(await worker.run([message('1')])).toEqual([]);
    expect(error).toBeInstanceOf(LeaseLost);
    expect(total(world)).toBe(0);
    expect(world.sqs.letters).toHaveLength(1);
  });

  it('a commit without a reply, and a handler that makes something permanent of it: the record decides', async () => {
    for (const applied of [true, false]) {
      const world = createWorld();
      world.dynamodb.intercept = ({ name }, phase) => {
        if (name === 'TransactWriteItems' && phase === (applied ? 'after' : 'before')) throw lostReply();
        if (name === 'BatchGetItem') throw lostReply();
      };
      const worker = world.worker((_, context) =>
        context.commitWith([addOne]).catch(() => {
          throw new PermanentError('never');
        }),
      );
      expect(await worker.run([message('1')])).toEqual([]);
      expect(total(world)).toBe(applied ? 1 : 0);
      expect(world.sqs.letters).toHaveLength(applied ? 0 : 1);
    }
  });
});
