import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { payloadHash } from '../../lambda/runtime/identity.ts';
import { milliseconds } from '../../lib/topology/index.ts';
import { lostReply } from './support/dynamodb.ts';
import { again, createWorld, gate, keyOf, message, recordOf, table } from './support/world.ts';

describe('an event that was handled is not handled again', () => {
  it('runs a first delivery once: one call claims the batch, one completes it, none per message', async () => {
    const world = createWorld();
    const seen: string[] = [];
    const worker = world.worker((event) => void seen.push(event.data.orderId));

    const returned = await worker.run(Array.from({ length: 10 }, (_, index) => message(String(index))));

    expect(returned).toEqual([]);
    expect(seen).toHaveLength(10);
    expect(recordOf(world, '7')).toMatchObject({ state: 'COMPLETED', fence: '1' });
    expect(world.dynamodb.calls.map((call) => call.name)).toEqual([
      'BatchExecuteStatement',
      'BatchExecuteStatement',
    ]);
    expect(world.sqs.calls).toEqual([]);
    expect(world.measures[0]).toMatchObject({ processed: 10, failed: 0, duplicates: 0 });
  });

  it('3: a crash after the record and before the delete: the redelivery is acknowledged, the effect not repeated', async () => {
    const world = createWorld();
    let runs = 0;
    const worker = world.worker(() => void runs++);
    const record = message('1');
    await worker.run([record]);

    expect(await worker.run([again(record)])).toEqual([]);
    expect(runs).toBe(1);
    expect(world.measures[1]).toMatchObject({ processed: 0, duplicates: 1 });
  });

  it('24: a redrive changes the message id: the producer’s id still names the event', async () => {
    const world = createWorld();
    let runs = 0;
    const worker = world.worker(() => void runs++);
    await worker.run([message('1', { messageId: 'before' })]);

    expect(await worker.run([message('1', { messageId: 'after' })])).toEqual([]);
    expect(runs).toBe(1);
  });

  it('22: a completed record that TTL has not deleted yet counts until its life ends, with a margin for skew', async () => {
    const world = createWorld();
    let runs = 0;
    const worker = world.worker(() => void runs++);
    await worker.run([message('1')]);
    const ends = Number(recordOf(world, '1')?.ttl) * 1000;

    await world.clock.advance(milliseconds(ends - world.clock.now() + 1_500));
    await worker.run([message('1')]);
    expect(runs).toBe(1);

    await world.clock.advance(milliseconds(1_000));
    await worker.run([message('1')]);
    expect(runs).toBe(2);
    expect(recordOf(world, '1')).toMatchObject({ state: 'COMPLETED', fence: '2' });
    expect(Number(recordOf(world, '1')?.ttl) * 1000).toBeGreaterThan(ends);
  });

  it('47: a claim and a completion whose replies are lost are found again, not guessed', async () => {
    const world = createWorld();
    let runs = 0;
    const lost = new Set<number>([1, 3]);
    let writes = 0;
    world.dynamodb.intercept = ({ name }, phase) => {
      if (name === 'BatchExecuteStatement' && phase === 'after' && lost.has(++writes)) throw lostReply();
    };
    const worker = world.worker(() => void runs++);

    expect(await worker.run([message('1'), message('2')])).toEqual([]);
    expect(runs).toBe(2);
    expect(recordOf(world, '1')).toMatchObject({ state: 'COMPLETED', fence: '1' });
  });

  it('47: when no try of a completion gets a reply, the record is read', async () => {
    const world = createWorld();
    const worker = world.worker(() => {
      world.dynamodb.intercept = ({ name }, phase) => {
        if (name === 'BatchExecuteStatement' && phase === 'after') throw lostReply();
      };
    });
    expect(await worker.run([message('1'), message('2')])).toEqual([]);
    expect(world.measures[0]?.processed).toBe(2);
  });

  it('47: when even reading does not tell, the message goes back and the record suppresses the repeat', async () => {
    const world = createWorld();
    let runs = 0;
    const worker = world.worker(() => {
      runs++;
      world.dynamodb.intercept = (_, phase) => {
        if (phase === 'after') throw lostReply();
      };
    });
    const record = message('1');
    expect(await worker.run([record])).toEqual([record.messageId]);

    world.dynamodb.intercept = undefined;
    expect(await worker.run([again(record)])).toEqual([]);
    expect(runs).toBe(1);
  });
});

describe('two deliveries at once', () => {
  it('4: the loser does not acknowledge and does not run: it waits for the rest of the lease, plus jitter', async () => {
    const world = createWorld();
    const busy = gate();
    const owner = world.worker(() => busy.opened);
    const running = owner.start([message('1', { messageId: 'first' })]);
    await world.clock.advance(milliseconds(500));
    let ran = false;

    const returned = await world
      .worker(() => {
        ran = true;
      })
      .run([message('1', { messageId: 'second' })]);

    expect(returned).toEqual(['second']);
    expect(ran).toBe(false);
    // 30 s of lease, 2 s of clock margin, up to 6 s of jitter, half a second is over.
    expect(world.sqs.visibilityOf('second')).toBeGreaterThanOrEqual(32);
    expect(world.sqs.visibilityOf('second')).toBeLessThanOrEqual(38);
    busy.open();
    expect((await running).batchItemFailures).toEqual([]);
    expect(world.measures[0]).toMatchObject({ deferred: 1 });
  });

  it('22: a lease is over for others only after a margin for clock skew', async () => {
    const world = createWorld();
    const leaseEnd = world.clock.now();
    world.dynamodb.put(table, inProgress(leaseEnd));
    await world.clock.advance(milliseconds(1_999));
    let ran = false;
    const worker = world.worker(() => {
      ran = true;
    });
    const record = message('1', { receives: 2 });
    expect(await worker.run([record])).toEqual([record.messageId]);
    expect(ran).toBe(false);
  });

  it('5, 6: a zombie can neither complete, fail, release nor extend what another owner has', async () => {
    for (const wakes of ['succeeds', 'fails'] as const) {
      const world = createWorld();
      const frozen = gate();
      const record = message('1');
      const zombie = world.worker(() => frozen.opened);
      const running = zombie.start([record], milliseconds(900_000));
      await world.clock.settle();
      // The zombie's lease is over and its beats do not come through: the process was frozen.
      takeOver(world);
      const before = recordOf(world, '1');
      if (wakes === 'succeeds') frozen.open();
      else frozen.fail(new Error('late'));

      expect((await running).batchItemFailures).toEqual([{ itemIdentifier: record.messageId }]);
      expect(recordOf(world, '1')).toEqual(before);
      expect(world.sqs.visibilityOf(record.messageId)).toBeUndefined();
    }
  });

  it('4, 5, 6: under every interleaving one worker wins, and no effect under the fence happens twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 4 }),
        fc.array(fc.constantFrom('commit', 'throw', 'plain'), { minLength: 2, maxLength: 3 }),
        fc.constantFrom('new', 'dead owner', 'released'),
        async (scheduler, jumps, behaviours, found) => {
          const world = createWorld();
          if (found === 'dead owner') world.dynamodb.put(table, inProgress(world.clock.now() - 10_000));
          if (found === 'released')
            world.dynamodb.put(table, { ...inProgress(0), state: { S: 'RELEASED' }, attempts: { N: '1' } });
          world.dynamodb.intercept = async ({ name }, phase) => {
            await scheduler.schedule(Promise.resolve(), `${name} ${phase}`);
          };
          const fences: number[] = [];
          const effect = {
            Update: {
              TableName: 'effects',
              Key: { pk: { S: 'total' } },
              UpdateExpression: 'SET n = n + :one',
              ExpressionAttributeValues: { ':one': { N: '1' } },
            },
          };
          let plain = 0;
          const workers = behaviours.map((behaviour) =>
            world.worker(async (_, context) => {
              fences.push(context.fence);
              await scheduler.schedule(Promise.resolve(), `handler ${behaviour}`);
              if (behaviour === 'throw') throw new Error('down');
              if (behaviour === 'commit') await context.commitWith([effect]);
              else plain++;
            }),
          );
          const invocations = workers.map((worker, index) =>
            worker.start(
              [message('1', { messageId: `w${index}`, receives: found === 'new' ? index + 1 : 2 })],
              milliseconds(900_000),
            ),
          );
          let settled = false;
          const all = Promise.all(invocations).then((responses) => {
            settled = true;
            return responses;
          });
          for (let step = 0; !settled && step < 200; step++) {
            await scheduler.waitIdle();
            await world.clock.advance(milliseconds(jumps[step] ?? 1_000));
          }
          const responses = await all;

          const total = Number(world.dynamodb.items('effects').get('total')?.n?.N ?? 0);
          const record = recordOf(world, '1')!;
          // Commits happen at most once, and with one the record is complete.
          expect(total).toBeLessThanOrEqual(1);
          if (total === 1) expect(record.state).toBe('COMPLETED');
          // Each start has a fence of its own: no two owners at one fence.
          expect(new Set(fences).size).toBe(fences.length);
          // Nothing is acknowledged that is neither complete nor a letter.
          const acknowledged = responses.filter((response) => response.batchItemFailures.length === 0).length;
          if (acknowledged > world.sqs.letters.length) expect(record.state).toBe('COMPLETED');
          if (record.state === 'COMPLETED') expect(total + plain).toBeGreaterThan(0);
        },
      ),
      { numRuns: 150 },
    );
  });

  /** Another owner has taken the event over. */
  function takeOver(world: ReturnType<typeof createWorld>) {
    const item = world.dynamodb.items(table).get(keyOf('1'))!;
    world.dynamodb.put(table, {
      ...item,
      owner: { S: 'another' },
      fence: { N: '2' },
      leaseEnd: { N: String(world.clock.now() + 30_000) },
    });
  }

  const inProgress = (leaseEnd: number) => ({
    pk: { S: keyOf('1') },
    state: { S: 'IN_PROGRESS' },
    owner: { S: 'another' },
    fence: { N: '1' },
    leaseEnd: { N: String(leaseEnd) },
    attempts: { N: '0' },
    payload: { S: payloadOf('1') },
    ttl: { N: '9999999999' },
  });
  const payloadOf = (orderId: string) => payloadHash({ orderId });
});
