import fc from 'fast-check';
import { PermanentError, type SqsRecord } from 'sluice/lambda';
import { describe, expect, it } from 'vitest';
import { milliseconds, toMilliseconds } from '../../lib/base/index.ts';
import { createWorld, message, shop, table, type World } from '../runtime/support/world.ts';

const life = toMilliseconds(shop.subscribers.email.recordLife);
const day = 86_400_000;

/** What the dead-letter queue holds, as the queue hands it out after a redrive, with what an operator adds. */
function redriven(world: World, messageId: string, more: SqsRecord['messageAttributes'] = {}): SqsRecord {
  const letter = world.sqs.letters.at(-1)!;
  const attributes = Object.fromEntries(
    Object.entries(letter.MessageAttributes ?? {}).map(([name, { DataType = '', StringValue = '' }]) => [
      name,
      { dataType: DataType, stringValue: StringValue },
    ]),
  );
  return message('1', { messageId, body: letter.MessageBody!, attributes: { ...attributes, ...more } });
}

const accept = { 'sluice-replay': { dataType: 'String', stringValue: 'accept' } };
const reasonOf = (world: World) => {
  const { 'sluice-reason': reason, 'sluice-failure': failure } = world.sqs.letters.at(-1)!.MessageAttributes!;
  return reason?.StringValue ?? JSON.parse(failure!.StringValue!).reason;
};

describe('23: a replay that nobody can judge any more does not run unless an operator says so', () => {
  it('whatever its age: younger than the record it runs, older it is refused, again and again, until it is accepted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.integer({ min: 0, max: 2 * life }),
          fc.integer({ min: -5_000, max: 5_000 }).map((offset) => life + offset),
        ),
        fc.integer({ min: 0, max: 9 }),
        fc.boolean(),
        fc.boolean(),
        async (age, originals, deleted, accepted) => {
          const world = createWorld();
          let runs = 0;
          let heals = false;
          const worker = world.worker(() => {
            runs++;
            if (!heals) throw new PermanentError('never');
          });
          const attributes = Object.fromEntries(
            Array.from({ length: originals }, (_, index) => [
              `a${index}`,
              { dataType: 'String', stringValue: 'x' },
            ]),
          );
          await worker.run([message('1', { messageId: 'first', attributes })]);
          await world.clock.advance(milliseconds(age));
          // TTL deletes late, or in time: it makes no difference.
          if (deleted && age > life) world.dynamodb.items(table).clear();
          heals = true;
          const inTime = age < life - 2_000;
          const redrive = redriven(world, 'second', originals < 9 && accepted ? accept : {});

          expect(await worker.run([redrive])).toEqual([]);

          const ran = inTime || (originals < 9 && accepted);
          expect(runs).toBe(ran ? 2 : 1);
          expect(world.sqs.letters).toHaveLength(ran ? 1 : 2);
          if (ran) return;
          expect(reasonOf(world)).toBe('too-late');
          // A refusal is no new failure: at the next replay it is as late as before.
          await worker.run([redriven(world, 'third')]);
          expect(runs).toBe(1);
          expect(reasonOf(world)).toBe('too-late');
        },
      ),
      { numRuns: 150 },
    );
  });

  it('the letter keeps the moments of the failure and says what to do', async () => {
    const world = createWorld();
    const worker = world.worker(() => {
      throw new PermanentError('never');
    });
    await worker.run([message('1')]);
    await world.clock.advance(milliseconds(40 * day));
    await worker.run([redriven(world, 'late')]);
    const attributes = world.sqs.letters[1]!.MessageAttributes!;
    expect(attributes['sluice-failed-at']?.StringValue).toBe('2026-01-01T00:00:00.000Z');
    expect(attributes['sluice-error']?.StringValue).toMatch(
      /^ReplayRefused: It failed 40 days ago, and records are kept for 25 days: .* sluice-replay = accept\.$/,
    );
    expect(JSON.parse(attributes['sluice-failure']!.StringValue!)).toMatchObject({
      reason: 'too-late',
      class: 'ReplayRefused',
      firstFailedAt: '2026-01-01T00:00:00.000Z',
    });
  });

  it('an acceptance holds for one delivery: when it fails again, the letter does not carry it', async () => {
    const world = createWorld();
    const worker = world.worker(() => {
      throw new PermanentError('never');
    });
    await worker.run([message('1')]);
    await world.clock.advance(milliseconds(40 * day));
    await worker.run([redriven(world, 'late', accept)]);
    expect(reasonOf(world)).toBe('permanent');
    expect(world.sqs.letters[1]!.MessageAttributes).not.toHaveProperty('sluice-replay');
    await world.clock.advance(milliseconds(40 * day));
    await worker.run([redriven(world, 'later')]);
    expect(reasonOf(world)).toBe('too-late');
  });

  it('attributes of these names that hold no moment are the publisher’s own: the event is no replay', async () => {
    const world = createWorld();
    let runs = 0;
    const worker = world.worker(() => void runs++);
    const own = [
      ['sluice-failed-at', 'yesterday'],
      ['sluice-failed-at', '1'],
      ['sluice-failure', '{'],
      ['sluice-failure', 'null'],
      ['sluice-failure', '{"failedAt": 7e99}'],
    ] as const;
    for (const [index, [name, stringValue]] of own.entries())
      await worker.run([
        message(String(index), { attributes: { [name]: { dataType: 'String', stringValue } } }),
      ]);
    expect(runs).toBe(own.length);
  });
});
