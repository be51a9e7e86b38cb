import fc from 'fast-check';
import { LeaseLost, PermanentError, TableUnavailable } from 'sluice/lambda';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/topology/index.ts';
import { lostReply, serviceError } from './support/dynamodb.ts';
import {
  again,
  asLetter,
  createWorld,
  keyOf,
  message,
  recordOf,
  table,
  takeOver,
  type World,
} from './support/world.ts';

describe('a long job saves how far it has come, and the next attempt goes on from there', () => {
  it('what is saved is handed to the next attempt, whatever JSON it is, and dropped when the event is done', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const world = createWorld();
        const seen: unknown[] = [];
        const worker = world.worker(async (_, { progress, attempt }) => {
          seen.push(progress.saved);
          if (attempt === 2) return;
          await progress.save(value);
          seen.push(progress.saved);
          throw new Error('down');
        });
        const record = message('1');
        await worker.run([record]);
        expect(JSON.parse(recordOf(world, '1')?.progress ?? '')).toEqual(JSON.parse(JSON.stringify(value)));
        await worker.run([again(record)]);
        const plain = JSON.parse(JSON.stringify(value));
        expect(seen).toEqual([undefined, plain, plain]);
        expect(recordOf(world, '1')).toMatchObject({ state: 'COMPLETED' });
        expect(recordOf(world, '1')?.progress).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  });

  it('a commit drops it as well', async () => {
    const world = createWorld();
    const worker = world.worker(async (_, { progress, commitWith }) => {
      await progress.save(1);
      expect(recordOf(world, '1')?.progress).toBe('1');
      await commitWith([]);
    });
    await worker.run([message('1')]);
    expect(recordOf(world, '1')).toMatchObject({ state: 'COMPLETED' });
    expect(recordOf(world, '1')?.progress).toBeUndefined();
  });

  it('a dead letter that is sent again starts from the beginning', async () => {
    const world = createWorld();
    const seen: unknown[] = [];
    const worker = world.worker(async (_, { progress }) => {
      seen.push(progress.saved);
      await progress.save(1);
      throw new PermanentError('never');
    });
    await worker.run([message('1', { messageId: 'first' })]);
    await worker.run([message('1', { messageId: 'redriven', attributes: asLetter })]);
    expect(seen).toEqual([undefined, undefined]);
  });

  it('the next attempt of a process that died has it too', async () => {
    const world = createWorld();
    void world
      .worker(async (_, { progress }) => {
        await progress.save('half');
        return new Promise(() => undefined);
      })
      .start([message('1')], milliseconds(900_000));
    await world.clock.settle();
    const item = { ...world.dynamodb.items(table).get(keyOf('1')), leaseEnd: { N: '1' } };
    world.dynamodb.put(table, item);
    let saved: unknown;
    const next = world.worker((_, { progress }) => {
      saved = progress.saved;
    });
    await next.run([message('1', { receives: 2 })]);
    expect(saved).toBe('half');
  });

  it('saves that nobody waits for are written in their order, and the last one counts', async () => {
    const world = createWorld({ random: { next: () => 0 } });
    const delays = [300, 200, 100];
    world.dynamodb.intercept = async ({ input }, phase) => {
      if (phase === 'before' && JSON.stringify(input).includes('progress'))
        await wait(world, delays.shift() ?? 0);
    };
    const worker = world.worker((_, { progress }) => {
      for (const step of [1, 2, 3]) void progress.save(step);
      throw new Error('down');
    });
    await worker.run([message('1')]);
    expect(recordOf(world, '1')).toMatchObject({ state: 'RELEASED', progress: '3' });
  });

  it('what is no JSON, or too large, is refused before anything is written, by what was found and what is allowed', async () => {
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    const refused = [
      [undefined, TypeError, 'found undefined'],
      [() => 1, TypeError, 'found function'],
      [1n, TypeError, 'found a cycle, a bigint'],
      [cyclic, TypeError, 'found a cycle'],
      ['ß'.repeat(16_384), RangeError, '32770 bytes of JSON; allowed are 32768'],
    ] as const;
    const world = createWorld();
    const errors: unknown[] = [];
    const worker = world.worker(async (_, { progress }) => {
      for (const [value] of refused) {
        await progress.save(value).catch((error: unknown) => errors.push(error));
        // Nobody waits for this one: it must not end the process.
        void progress.save(value);
      }
      expect(progress.saved).toBeUndefined();
      await progress.save('ß'.repeat(16_383));
    });
    expect(await worker.run([message('1')])).toEqual([]);
    for (const [index, [, kind, text]] of refused.entries()) {
      expect(errors[index]).toBeInstanceOf(kind);
      expect((errors[index] as Error).message).toContain(text);
    }
  });
});

describe('a save is under owner and fence, and its outcome is never guessed', () => {
  it('another owner has the event: nothing of it is overwritten, the signal fires, the run is over', async () => {
    const world = createWorld();
    const errors: unknown[] = [];
    let reason: unknown;
    const worker = world.worker(async (_, { progress, signal }) => {
      takeOver(world);
      await progress.save('zombie').catch((error: unknown) => errors.push(error));
      reason = signal.reason;
      await progress.save('again').catch((error: unknown) => errors.push(error));
    });
    const record = message('1', { messageId: '1' });
    expect(await worker.run([record])).toEqual(['1']);
    expect(errors).toHaveLength(2);
    for (const error of [...errors, reason]) expect(error).toBeInstanceOf(LeaseLost);
    expect(recordOf(world, '1')).toMatchObject({ state: 'IN_PROGRESS', owner: 'another' });
    expect(recordOf(world, '1')?.progress).toBeUndefined();
    expect(world.sqs.visibilityOf('1')).toBeUndefined();
  });

  it('a reply that is lost: the record says whether it was saved, or whose the event is', async () => {
    for (const what of ['applied', 'not applied', 'taken', 'not readable'] as const) {
      const world = createWorld();
      let error: unknown;
      let saved: unknown;
      const worker = world.worker(async (_, { progress }) => {
        await progress.save('before');
        if (what === 'taken') takeOver(world);
        world.dynamodb.intercept = ({ name }, phase) => {
          if (name === 'BatchExecuteStatement' && phase === (what === 'applied' ? 'after' : 'before'))
            throw lostReply();
          if (name === 'BatchGetItem' && what === 'not readable') throw lostReply();
        };
        await progress.save('now').catch((thrown: unknown) => {
          error = thrown;
        });
        saved = progress.saved;
        world.dynamodb.intercept = undefined;
        if (error !== undefined) throw error;
      });
      const returned = await worker.run([message('1', { messageId: '1' })]);
      if (what === 'applied') expect(error).toBeUndefined();
      else expect(error).toBeInstanceOf(what === 'taken' ? LeaseLost : TableUnavailable);
      expect(saved).toBe(what === 'applied' ? 'now' : 'before');
      expect(returned).toEqual(what === 'applied' ? [] : ['1']);
      // Neither is the event's fault.
      if (what === 'not applied' || what === 'not readable')
        expect(recordOf(world, '1')).toMatchObject({
          state: 'RELEASED',
          attempts: '0',
          progress: '"before"',
        });
    }
  });

  it('throttled, it is tried again; then it says so, and the event is still the handler’s', async () => {
    const world = createWorld();
    let throttled = 3;
    let error: unknown;
    const worker = world.worker(async (_, { progress }) => {
      world.dynamodb.intercept = (_call, phase) => {
        if (phase === 'before' && throttled-- > 0) throw serviceError('ThrottlingException');
      };
      await progress.save('first');
      throttled = 4;
      await progress.save('second').catch((thrown: unknown) => {
        error = thrown;
      });
    });
    expect(await worker.run([message('1')])).toEqual([]);
    expect(error).toBeInstanceOf(TableUnavailable);
    expect(recordOf(world, '1')?.state).toBe('COMPLETED');
  });

  it('a save that comes after the end of its run changes nothing', async () => {
    for (const ends of ['done', 'failed'] as const) {
      const world = createWorld();
      let error: unknown;
      const worker = world.worker((_, { progress }) => {
        void wait(world, 10)
          .then(() => progress.save('late'))
          .catch((thrown: unknown) => {
            error = thrown;
          });
        if (ends === 'failed') throw new Error('down');
      });
      await worker.run([message('1')]);
      const before = recordOf(world, '1');
      await world.clock.advance(milliseconds(1_000));
      expect(error).toBeInstanceOf(LeaseLost);
      expect(recordOf(world, '1')).toEqual(before);
    }
  });
});

describe('a job that is told to stop saves and goes back without using an attempt, as long as it moves', () => {
  /** An invocation of 30 s: its signal fires after 28. */
  const run = async (
    world: World,
    saves: readonly unknown[],
    how: 'heeds' | 'ignores' | 'gives up' = 'heeds',
  ) => {
    let attempt = 0;
    const worker = world.worker(async (_, context) => {
      attempt = context.attempt;
      for (const value of saves) await context.progress.save(value);
      if (how === 'ignores') return new Promise<void>(() => undefined);
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
      throw how === 'gives up' ? new PermanentError('never') : context.signal.reason;
    });
    const returned = await worker.run([message('1', { messageId: '1', receives: 2 })]);
    return { attempt, returned, record: recordOf(world, '1') };
  };

  it('whenever it began, it comes back after a second with all its attempts; 50 runs long', async () => {
    const world = createWorld();
    for (let step = 1; step <= 50; step++) {
      const { attempt, returned, record } = await run(world, [step]);
      expect({ attempt, returned }).toEqual({ attempt: 1, returned: ['1'] });
      expect(record).toMatchObject({ state: 'RELEASED', attempts: '0', progress: String(step) });
      expect(world.sqs.visibilityOf('1')).toBe(1);
    }
    expect(world.sqs.letters).toEqual([]);
  });

  it('a job that is cut off, since it ignores its signal, has moved all the same', async () => {
    const { record } = await run(createWorld(), ['further'], 'ignores');
    expect(record).toMatchObject({ state: 'RELEASED', attempts: '0', progress: '"further"' });
  });

  it('a job that saves the same again, or nothing, ends: each of its runs is a try', async () => {
    for (const saves of [['same'], ['other', 'same'], []] as const) {
      const world = createWorld();
      await run(world, ['same']);
      for (let attempt = 1; attempt <= 3; attempt++) expect((await run(world, saves)).attempt).toBe(attempt);
      expect(world.sqs.letters).toHaveLength(1);
      expect(world.sqs.letters[0]?.MessageAttributes?.['sluice-reason']?.StringValue).toBe('attempts');
    }
  });

  it('a job whose lease could not be extended in time is told, saves, and goes back as unused', async () => {
    const world = createWorld();
    let reason: unknown;
    const worker = world.worker(async (_, { progress, signal }) => {
      world.dynamodb.intercept = () => {
        throw serviceError('ThrottlingException');
      };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      reason = signal.reason;
      world.dynamodb.intercept = undefined;
      await progress.save('half');
      throw new Error('stopped half-way');
    });
    const record = message('1', { messageId: '1', receives: 9 });
    expect(await worker.run([record], milliseconds(900_000))).toEqual(['1']);
    expect(reason).toBeInstanceOf(LeaseLost);
    expect(recordOf(world, '1')).toMatchObject({ state: 'RELEASED', attempts: '0', progress: '"half"' });
    expect(world.sqs.visibilityOf('1')).toBe(1);
  });

  it('an error of its own is a try, whatever it saved; a permanent one is permanent', async () => {
    const world = createWorld();
    const worker = world.worker(async (_, { progress }) => {
      await progress.save('further');
      throw new Error('down');
    });
    await worker.run([message('1')]);
    expect(recordOf(world, '1')).toMatchObject({ state: 'RELEASED', attempts: '1' });

    expect((await run(createWorld(), ['further'], 'gives up')).record).toMatchObject({ state: 'FAILED' });
  });

  it('a job taken over from a process that died, and stopped, gives its marked attempt back', async () => {
    const world = createWorld();
    void world.worker(() => new Promise(() => undefined)).start([message('1')], milliseconds(900_000));
    await world.clock.settle();
    world.dynamodb.put(table, { ...world.dynamodb.items(table).get(keyOf('1')), leaseEnd: { N: '1' } });
    const { record } = await run(world, ['further']);
    expect(record).toMatchObject({ state: 'RELEASED', attempts: '0', progress: '"further"' });
  });
});

const wait = (world: World, length: number) =>
  new Promise<void>((resolve) => void world.clock.after(milliseconds(length), resolve));
