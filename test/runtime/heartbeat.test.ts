import { PermanentError } from 'sluice/lambda';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/topology/index.ts';
import { createWorld, finish, gate, keyOf, message, recordOf, table, type World } from './support/world.ts';

const long = milliseconds(900_000);

describe('lease and visibility go together', () => {
  it('a batch that is done within the first second pays nothing for the heartbeat', async () => {
    const world = createWorld();
    const busy = gate();
    const running = world.worker(() => busy.opened).start([message('1')]);
    await world.clock.advance(milliseconds(999));
    expect(world.sqs.calls).toEqual([]);
    expect(world.dynamodb.calls).toHaveLength(1);
    busy.open();
    await finish(world.clock, running);
    expect(world.sqs.calls).toEqual([]);
  });

  it('45: a blocked event loop: a lease that ended before the handler did counts as lost, the fence decides', async () => {
    for (const taken of [true, false]) {
      const world = createWorld();
      const worker = world.worker(async () => {
        // No timer runs while the handler computes: time passes without the clock's timers.
        const item = world.dynamodb.items(table).get(keyOf('1'))!;
        block(world, 40_000);
        if (taken) world.dynamodb.put(table, { ...item, owner: { S: 'another' }, fence: { N: '2' } });
        await Promise.resolve();
      });
      const returned = await worker.run([message('1', { messageId: '1' })], long);
      expect(returned).toEqual(taken ? ['1'] : []);
      expect(recordOf(world, '1')).toMatchObject(
        taken ? { state: 'IN_PROGRESS', owner: 'another' } : { state: 'COMPLETED' },
      );
      expect(world.log.join('\n')).toContain('The lease ended before the handler did');
    }
  });

  it('45: ... and who fails after its lease buries nothing that another owner has', async () => {
    for (const taken of [true, false]) {
      const world = createWorld();
      const worker = world.worker(() => {
        const item = world.dynamodb.items(table).get(keyOf('1'))!;
        block(world, 40_000);
        if (taken) world.dynamodb.put(table, { ...item, owner: { S: 'another' }, fence: { N: '2' } });
        throw new PermanentError('never');
      });
      expect(await worker.run([message('1', { messageId: '1' })], long)).toEqual(taken ? ['1'] : []);
      expect(world.sqs.letters).toHaveLength(taken ? 0 : 1);
      expect(recordOf(world, '1')?.state).toBe(taken ? 'IN_PROGRESS' : 'FAILED');
    }
  });

  it('what is done is written down at the next beat, not at the end of a long batch', async () => {
    const world = createWorld();
    void world
      .worker((event) => (event.data.orderId === 'long' ? new Promise(() => undefined) : undefined))
      .start([message('short'), message('long')], long);
    await world.clock.advance(milliseconds(1_000));
    expect(recordOf(world, 'short')?.state).toBe('COMPLETED');
    expect(recordOf(world, 'long')?.state).toBe('IN_PROGRESS');
  });
});

/** Lets time pass as a computation does: no timer runs. */
function block(world: World, length: number) {
  const { now } = world.clock;
  const start = now();
  world.clock.now = () => milliseconds(Math.max(now(), start + length));
}
