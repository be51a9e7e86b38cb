import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/topology/index.ts';
import { createWorld, finish, gate, message, recordOf } from './support/world.ts';

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
