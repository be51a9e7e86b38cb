import { PermanentError } from 'sluice/lambda';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/topology/index.ts';
import { createWorld, gate, keyOf, message, recordOf, table, type World } from '../runtime/support/world.ts';

const long = milliseconds(900_000);

describe('45: a handler that blocks the event loop past its lease owns nothing until the record says so', () => {
  it('a blocked event loop: a lease that ended before the handler did counts as lost, the fence decides', async () => {
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

  it('... and who fails after its lease buries nothing that another owner has', async () => {
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

  it('a late heartbeat is measured and said, with what to do about it', async () => {
    const world = createWorld();
    const busy = gate();
    const running = world
      .worker(() => {
        block(world, 25_000);
        return busy.opened;
      })
      .start([message('1')], long);
    // The beat of the first second.
    await world.clock.advance(milliseconds(1_000));
    busy.open();
    expect((await running).batchItemFailures).toEqual([]);
    const line = world.log.find((text) => text.startsWith('warn The heartbeat came late'));
    expect(line).toContain('"lateMilliseconds":24000');
    expect(line).toContain('worker thread');
  });
});

/** Lets time pass as a computation does: no timer runs. */
function block(world: World, length: number) {
  const { now } = world.clock;
  const start = now();
  world.clock.now = () => milliseconds(Math.max(now(), start + length));
}
