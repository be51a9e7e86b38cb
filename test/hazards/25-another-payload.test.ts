import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fifoId, payloadHash, recordKey } from '../../lambda/runtime/identity.ts';
import { again, createWorld, gate, message, recordOf } from '../runtime/support/world.ts';

describe('25: another payload under the same key is dead-lettered as a conflict, never taken for done', () => {
  it('is dead-lettered as `conflict`, never a silent success, whatever state the record has', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue(),
        fc.constantFrom('COMPLETED', 'RELEASED', 'IN_PROGRESS'),
        async (extra, state) => {
          const world = createWorld();
          let fails = state === 'RELEASED';
          const busy = gate();
          const worker = world.worker(async () => {
            if (state === 'IN_PROGRESS') await busy.opened;
            if (fails) throw new Error('down');
          });
          const first = worker.start([message('1')]);
          await world.clock.settle();
          fails = false;
          const before = recordOf(world, '1');
          expect(before?.state).toBe(state);

          const changed = message('1', { data: { orderId: '1', extra } });
          expect(await worker.run([changed])).toEqual([]);
          expect(world.sqs.letters).toHaveLength(1);
          expect(world.sqs.letters[0]?.MessageAttributes?.['sluice-reason']?.StringValue).toBe('conflict');
          expect(recordOf(world, '1')).toEqual(before);
          busy.open();
          await first;
        },
      ),
      { numRuns: 30 },
    );
  });

  it('twice in one batch with different payloads: the second is judged by the record at its next delivery', async () => {
    const world = createWorld();
    let runs = 0;
    const worker = world.worker(() => void runs++);
    const changed = message('1', { messageId: 'changed', data: { orderId: '1', amount: 2 } });

    expect(await worker.run([message('1'), changed])).toEqual(['changed']);
    expect(await worker.run([again(changed)])).toEqual([]);
    expect(runs).toBe(1);
    expect(world.sqs.letters).toHaveLength(1);
  });

  it('the order of an object’s members is no difference', async () => {
    const world = createWorld();
    const worker = world.worker(() => undefined);
    await worker.run([message('1', { data: { orderId: '1', amount: 2, customerId: 'c' } })]);
    await worker.run([message('1', { data: { customerId: 'c', amount: 2, orderId: '1' } })]);
    expect(world.sqs.letters).toEqual([]);
    expect(world.measures[1]).toMatchObject({ duplicates: 1 });
  });

  it('what JSON would write as one, and a handler sees as different, is different: numbers beyond every double', async () => {
    const bodyOf = (amount: string) =>
      message('1').body.replace('{"orderId":"1"}', `{"orderId":"1","amount":${amount}}`);
    for (const [first, second, same] of [
      ['1e400', 'null', false],
      ['1e400', '-1e400', false],
      ['1e400', '9e999', true],
      ['1.0', '1', true],
      ['"1"', '1', false],
    ] as const) {
      const world = createWorld();
      const worker = world.worker(() => undefined);
      await worker.run([message('1', { body: bodyOf(first) })]);
      await worker.run([message('1', { body: bodyOf(second) })]);
      expect(world.sqs.letters).toHaveLength(same ? 0 : 1);
    }
  });

  it('ids that differ in halves of emoji alone are different events, at home and on a FIFO topic', () => {
    const ids = [
      '\ud800',
      '\ud801',
      '\udfff',
      '\ufffd',
      '\\ud800',
      '"\\ud800"',
      ...['\ud800', '\ud801'].map((half) => half + 'x'.repeat(2_000)),
    ];
    expect(new Set(ids.map((id) => recordKey('s', 'source', id))).size).toBe(ids.length);
    expect(new Set(ids.map(fifoId)).size).toBe(ids.length);
    for (const id of ids) expect(recordKey('s', 'source', id)).not.toMatch(/\p{Surrogate}/u);
  });

  it('data nested deeper than any stack are told apart too', () => {
    const deep = (core: string) =>
      JSON.parse('[{"a":'.repeat(50_000) + core + '}]'.repeat(50_000)) as unknown;
    expect(payloadHash(deep('1'))).toBe(payloadHash(deep('1.0')));
    expect(payloadHash(deep('1'))).not.toBe(payloadHash(deep('2')));
  });
});
