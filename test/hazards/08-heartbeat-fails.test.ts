import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/topology/index.ts';
import { lostReply, serviceError } from '../runtime/support/dynamodb.ts';
import { wait } from '../runtime/support/effects.ts';
import {
  createWorld,
  finish,
  gate,
  keyOf,
  message,
  recordOf,
  table,
  takeOver,
} from '../runtime/support/world.ts';

const long = milliseconds(900_000);

describe('8: a heartbeat that fails is tried again; when its slack is gone the handler is told, and nothing is assumed', () => {
  it('a beat that is throttled is tried again within the slack, and nothing is lost', async () => {
    const world = createWorld();
    let throttled = 0;
    const busy = gate();
    let aborted = false;
    const running = world
      .worker((_, { signal }) => {
        signal.addEventListener('abort', () => {
          aborted = true;
        });
        world.dynamodb.intercept = (_call, phase) => {
          if (phase === 'before' && throttled++ < 9) throw serviceError('ThrottlingException');
        };
        return busy.opened;
      })
      .start([message('1')], long);
    await world.clock.advance(milliseconds(25_000));
    expect(throttled).toBeGreaterThan(9);
    expect(Number(recordOf(world, '1')?.leaseEnd)).toBeGreaterThan(world.clock.now() + 20_000);
    expect(aborted).toBe(false);
    busy.open();
    expect((await finish(world.clock, running)).batchItemFailures).toEqual([]);
  });

  it('it is tried again until the slack is gone, not only at the next beat', async () => {
    const world = createWorld();
    const start = world.clock.now();
    let aborted = false;
    void world
      .worker((_, { signal }) => {
        signal.addEventListener('abort', () => {
          aborted = true;
        });
        return new Promise(() => undefined);
      })
      .start([message('1')], long);
    await world.clock.advance(milliseconds(5_000));
    // The beats of 11 and 21 s meet it; the lease of the first beat ends after 31 s.
    world.dynamodb.intercept = () => {
      if (world.clock.now() - start < 28_000) throw serviceError('ThrottlingException');
    };
    await world.clock.advance(milliseconds(30_000));
    expect(aborted).toBe(false);
    expect(Number(recordOf(world, '1')?.leaseEnd)).toBeGreaterThanOrEqual(start + 58_000);
  });

  it('when the slack is gone the signal fires before the lease ends, even if the call hangs', async () => {
    for (const trouble of ['throttled', 'hangs'] as const) {
      const world = createWorld();
      let firedAt = 0;
      let reason: unknown;
      const startedAt = world.clock.now();
      void world
        .worker((_, { signal }) => {
          signal.addEventListener('abort', () => {
            firedAt = world.clock.now();
            reason = signal.reason;
          });
          world.dynamodb.intercept = () => {
            if (trouble === 'throttled') throw serviceError('ThrottlingException');
            return new Promise(() => undefined);
          };
          return new Promise(() => undefined);
        })
        .start([message('1')], long);
      await world.clock.advance(milliseconds(60_000));
      expect((reason as Error | undefined)?.name).toBe('LeaseLost');
      expect(firedAt - startedAt).toBeGreaterThan(20_000);
      expect(firedAt - startedAt).toBeLessThan(30_000);
    }
  });

  it('a completion that hangs does not hold up the leases, nor does a visibility', async () => {
    for (const hangs of ['completion', 'visibility'] as const) {
      const world = createWorld();
      const quick = gate();
      let told = false;
      void world
        .worker((event, { signal }) => {
          if (event.data.orderId === 'quick') return quick.opened;
          signal.addEventListener('abort', () => {
            told = true;
          });
          return new Promise(() => undefined);
        })
        .start([message('1'), message('quick')], long);
      await world.clock.settle();
      if (hangs === 'visibility') world.sqs.intercept = () => new Promise(() => undefined);
      else {
        quick.open();
        await world.clock.settle();
        world.dynamodb.intercept = ({ input }, phase) => {
          if (phase === 'before' && JSON.stringify(input).includes('COMPLETED'))
            return new Promise(() => undefined);
        };
      }
      await world.clock.advance(milliseconds(100_000));
      expect(told).toBe(false);
      expect(Number(recordOf(world, '1')?.leaseEnd)).toBeGreaterThan(world.clock.now());
    }
  });

  it('whatever hangs as long as a client lets it, every handler is told before its lease is over for others', async () => {
    for (const hangs of ['sqs', 'dynamodb', 'both'] as const) {
      const world = createWorld({ lease: 6 });
      const told = new Set<string>();
      const stuck = async (_call: object, phase: 'before' | 'after') => {
        if (phase === 'after') return;
        await wait(world, 9_500);
        throw lostReply();
      };
      const ids = Array.from({ length: 60 }, (_, index) => String(index));
      void world
        .worker(
          (event, { signal }) => {
            signal.addEventListener('abort', () => told.add(event.data.orderId));
            return new Promise(() => undefined);
          },
          { concurrency: 60 },
        )
        .start(
          ids.map((id) => message(id)),
          milliseconds(600_000),
        );
      await world.clock.settle();
      expect(Number(recordOf(world, '0')?.leaseEnd) - world.clock.now()).toBe(6_000);
      if (hangs !== 'dynamodb') world.sqs.intercept = stuck;
      if (hangs !== 'sqs') world.dynamodb.intercept = stuck;
      for (let passed = 0; passed < 60_000; passed += 500) {
        await world.clock.advance(milliseconds(500));
        for (const id of ids)
          if (Number(recordOf(world, id)?.leaseEnd) + 2_000 < world.clock.now()) expect(told).toContain(id);
      }
      expect(told.size).toBe(hangs === 'sqs' ? 0 : 60);
    }
  });

  it('a take-over fires the signal at the next beat', async () => {
    const world = createWorld();
    let reason: unknown;
    void world
      .worker((_, { signal }) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
        });
        return new Promise(() => undefined);
      })
      .start([message('1', { messageId: '1' })], long);
    await world.clock.settle();
    const item = world.dynamodb.items(table).get(keyOf('1'))!;
    world.dynamodb.put(table, { ...item, owner: { S: 'another' }, fence: { N: '2' } });
    await world.clock.advance(milliseconds(1_000));
    expect((reason as Error | undefined)?.name).toBe('LeaseLost');
    // Its visibility is the other's now.
    expect(world.sqs.visibilityOf('1')).toBeUndefined();
  });

  it('an event whose lease was lost before its turn came does not start, and goes back unused', async () => {
    for (const how of ['could not be extended', 'was taken over'] as const) {
      const world = createWorld();
      const ran: string[] = [];
      const worker = world.worker(
        async (event) => {
          ran.push(event.data.orderId);
          if (event.data.orderId === '2') return;
          await wait(world, 5_000);
          if (how === 'was taken over') takeOver(world, '2');
          else world.dynamodb.intercept = () => Promise.reject(serviceError('ThrottlingException'));
          await wait(world, 40_000);
          world.dynamodb.intercept = undefined;
        },
        { concurrency: 1 },
      );
      const batch = [message('1', { messageId: '1' }), message('2', { messageId: '2' })];
      expect(await worker.run(batch, long)).toEqual(['2']);
      expect({ how, ran }).toEqual({ how, ran: ['1'] });
      if (how === 'was taken over') {
        expect(recordOf(world, '2')).toMatchObject({ state: 'IN_PROGRESS', owner: 'another' });
        // Its visibility is the other's since then.
        expect(world.sqs.visibilityOf('2')).not.toBe(0);
      } else expect(recordOf(world, '2')).toMatchObject({ state: 'RELEASED', attempts: '0' });
    }
  });

  it('a claim whose reply came too late is asked about before anything starts', async () => {
    for (const taken of [true, false]) {
      const world = createWorld();
      world.dynamodb.intercept = async (_, phase) => {
        if (phase !== 'after') return;
        world.dynamodb.intercept = undefined;
        await wait(world, 35_000);
        if (taken) takeOver(world);
      };
      let ran = 0;
      const worker = world.worker(() => void ran++);
      expect(await worker.run([message('1', { messageId: '1' })], long)).toEqual(taken ? ['1'] : []);
      expect(ran).toBe(taken ? 0 : 1);
      expect(recordOf(world, '1')).toMatchObject(
        taken ? { state: 'IN_PROGRESS', owner: 'another' } : { state: 'COMPLETED', fence: '1' },
      );
    }
  });
});
