import type { TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { OutcomeUnknown } from 'sluice/lambda';
import { describe, expect, it } from 'vitest';
import { lostReply } from '../runtime/support/dynamodb.ts';
import { addOne, total } from '../runtime/support/effects.ts';
import { again, createWorld, message, recordOf } from '../runtime/support/world.ts';
import { count, counted, crashing, publishOne, recordIn } from './support/crashes.ts';

describe('47: the reply of a write is lost: the record is read, never guessed, and the effect happens once', () => {
  it('a claim and a completion whose replies are lost are found again, not guessed', async () => {
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

  it('when no try of a completion gets a reply, the record is read', async () => {
    const world = createWorld();
    const worker = world.worker(() => {
      world.dynamodb.intercept = ({ name }, phase) => {
        if (name === 'BatchExecuteStatement' && phase === 'after') throw lostReply();
      };
    });
    expect(await worker.run([message('1'), message('2')])).toEqual([]);
    expect(world.measures[0]?.processed).toBe(2);
  });

  it('when even reading does not tell, the message goes back and the record suppresses the repeat', async () => {
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

  it('the reply of a transaction is lost: the record is read, the effect happens once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('before', 'after'),
        async (losses, when) => {
          const world = createWorld();
          let left = losses;
          world.dynamodb.intercept = ({ name }, phase) => {
            if (name === 'TransactWriteItems' && phase === when && left-- > 0) throw lostReply();
          };
          const record = message('1');
          const worker = world.worker((_, context) => context.commitWith([addOne]));
          expect(await worker.run([record])).toEqual([]);
          expect(total(world)).toBe(1);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('no reply and no reading either: unknown is said, the message goes back unused, and a commit that was applied counts', async () => {
    for (const applied of [true, false]) {
      const world = createWorld();
      let error: unknown;
      let away = true;
      world.dynamodb.intercept = ({ name }, phase) => {
        if (away && name === 'TransactWriteItems' && phase === (applied ? 'after' : 'before'))
          throw lostReply();
        if (away && name === 'BatchGetItem') throw lostReply();
      };
      const worker = world.worker(async (_, context) => {
        await context.commitWith([addOne]).catch((thrown: unknown) => {
          error = thrown;
          throw thrown;
        });
      });
      const record = message('1', { messageId: '1' });
      const returned = await worker.run([record]);
      expect(error).toBeInstanceOf(OutcomeUnknown);
      // The release is refused where the commit was applied, and tells so.
      expect(returned).toEqual(applied ? [] : ['1']);
      expect(recordOf(world, '1')).toMatchObject(
        applied ? { state: 'COMPLETED' } : { state: 'RELEASED', attempts: '0' },
      );
      away = false;
      await worker.run([again(record)]);
      expect(total(world)).toBe(1);
    }
  });

  it('a transaction that is sent again is the same under the same token; another attempt’s is another', async () => {
    const world = createWorld();
    const sent: TransactWriteItemsCommandInput[] = [];
    let losses = 3;
    world.dynamodb.intercept = ({ name, input }, phase) => {
      if (name !== 'TransactWriteItems' || phase !== 'before') return;
      sent.push(structuredClone(input) as TransactWriteItemsCommandInput);
      if (losses-- > 0) throw lostReply();
    };
    let fails = true;
    const worker = world.worker(async (_, { commitWith }) => {
      if (!fails) return commitWith([addOne]);
      fails = false;
      losses = 9;
      return commitWith([addOne]);
    });
    const record = message('1');
    expect(await worker.run([record])).toEqual([record.messageId]);
    losses = 2;
    expect(await worker.run([again(record)])).toEqual([]);
    expect(total(world)).toBe(1);
    const tokens = sent.map(({ ClientRequestToken }) => ClientRequestToken);
    expect(tokens.length).toBeGreaterThan(5);
    expect(new Set(tokens).size).toBe(2);
    for (const token of tokens) expect(token).toMatch(/^[\w-]{36}$/);
    for (const token of new Set(tokens)) {
      const contents = sent
        .filter((input) => input.ClientRequestToken === token)
        .map((input) => JSON.stringify(input));
      expect(new Set(contents).size).toBe(1);
    }
  });

  it('whichever replies are lost on the way, of claim, transaction or completion, the effect happens once', async () => {
    for (const commits of [true, false])
      for (const at of [[1], [2], [1, 2], [2, 3], [1, 3], [1, 2, 3, 4]]) {
        const harness = await crashing('short', async (_, { commitWith }) => {
          if (commits) await commitWith([count(harness)]);
        });
        let calls = 0;
        const isOne = () => at.includes(++calls);
        for (const action of ['BatchExecuteStatement', 'TransactWriteItems'])
          harness.aws.faults.add({ service: 'dynamodb', action, where: isOne, effect: { lostReply: true } });
        await publishOne(harness);
        expect({ commits, at, effects: counted(harness) }).toEqual({ commits, at, effects: commits ? 1 : 0 });
        expect(recordIn(harness, 'short')).toMatchObject({ state: { S: 'COMPLETED' } });
        expect(harness.aws.faults.happened.length).toBeGreaterThan(0);
        harness.stop();
      }
  });
});
