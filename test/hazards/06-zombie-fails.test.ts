import { PermanentError } from 'sluice/lambda';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/topology/index.ts';
import { wait } from '../runtime/support/effects.ts';
import { createWorld, gate, message, recordOf, takeOver } from '../runtime/support/world.ts';

describe('6: a worker that fails after its event was taken over neither releases nor buries what another owns', () => {
  it('however it ends, the record and the message stay the other’s', async () => {
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

  it('with its last attempt, or for good: no letter is sent for an event that another works on', async () => {
    for (const error of [new PermanentError('never'), new Error('last')]) {
      const world = createWorld();
      let attempts = 0;
      const worker = world.worker(async () => {
        if (error.name === 'Error' && ++attempts < 3) throw error;
        takeOver(world);
        // Its lease is over: no beat and no timer of its own has told it so.
        await wait(world, 0);
        const { now } = world.clock;
        const woken = now() + 40_000;
        world.clock.now = () => milliseconds(Math.max(now(), woken));
        throw error;
      });
      for (let receives = 1; receives <= (error.name === 'Error' ? 3 : 1); receives++)
        expect(await worker.run([message('1', { messageId: '1', receives })])).toEqual(['1']);
      expect(recordOf(world, '1')).toMatchObject({ state: 'IN_PROGRESS', owner: 'another' });
      expect(world.sqs.letters).toEqual([]);
    }
  });

  it('a batch mate of a lost event is released, the lost one is not', async () => {
    const world = createWorld();
    const worker = world.worker((event) => {
      if (event.data.orderId === '1') takeOver(world);
      throw new Error('down');
    });
    expect(await worker.run([message('1', { messageId: '1' }), message('2', { messageId: '2' })])).toEqual([
      '1',
      '2',
    ]);
    expect(recordOf(world, '1')).toMatchObject({ state: 'IN_PROGRESS', owner: 'another', fence: '2' });
    expect(recordOf(world, '2')).toMatchObject({ state: 'RELEASED', attempts: '1' });
    // Its visibility is the other's, its mate's is the backoff.
    expect(world.sqs.visibilityOf('1')).toBeUndefined();
    expect(world.sqs.visibilityOf('2')).toBeDefined();
  });
});
