import { PublishCommand } from '@aws-sdk/client-sns';
import fc from 'fast-check';
import { defineMessaging, event, hours, minutes, seconds } from 'sluice';
import { consume, type Gap, type HandlerContext, PermanentError, publisher } from 'sluice/lambda';
import { createHarness, type Fault, type HarnessTools } from 'sluice/local';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { GroupNotMarked, liftGroup, listGroups } from '../../ops/groups/index.ts';

const Move = z.object({ id: z.string(), account: z.string(), bad: z.boolean().optional() });
type Move = z.output<typeof Move>;

const bank = defineMessaging({
  name: 'bank',
  topics: { moves: { fifo: true } },
  events: {
    moved: event({ topic: 'moves', schema: Move, key: (move) => move.id, group: (move) => move.account }),
  },
  subscribers: {
    ledger: {
      on: ['moved'],
      fifo: true,
      onDeadLetter: 'halt',
      handler: 'a.ts',
      lag: seconds(60),
      attempts: 2,
      retention: hours(8),
    },
    mail: {
      on: ['moved'],
      fifo: true,
      onDeadLetter: 'skip',
      handler: 'b.ts',
      lag: seconds(60),
      attempts: 2,
      retention: hours(1),
      deadLetterRetention: hours(1),
      replayMargin: seconds(0),
    },
  },
});

/** A bank whose handlers refuse what is bad, and keep what they did in order. */
async function open(
  subscriber: 'ledger' | 'mail',
  options: {
    readonly seed?: number;
    readonly handle?: (move: Move, context: HandlerContext) => Promise<void> | void;
  } = {},
) {
  const tried: string[] = [];
  const done: string[] = [];
  let healed = false;
  const harness = await createHarness(bank, {
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    handlers: {
      [subscriber]: (tools: HarnessTools) =>
        consume(
          bank,
          subscriber,
          async ({ data }, context) => {
            tried.push(data.id);
            if (data.bad === true && !healed) throw new PermanentError('bad');
            await options.handle?.(data, context);
            done.push(data.id);
          },
          tools,
        ),
    },
  });
  const till = publisher(bank, harness.tools);
  const table = harness.deployed.recordsTable;
  const client = harness.tools.dynamodb;
  return {
    harness,
    tried,
    done,
    heal: () => {
      healed = true;
    },
    send: (id: string, account: string, bad = false) => till.publish('moved', { id, account, bad }),
    list: () => listGroups(client, table, subscriber),
    lift: (group: string) => liftGroup(client, table, subscriber, group),
    letters: async () => (await harness.deadLetters(subscriber)).map(({ body }) => idOf(body)),
  };
}

const idOf = (body: string): string => {
  try {
    return (JSON.parse(body) as { data: Move }).data.id;
  } catch {
    return 'unreadable';
  }
};

const refuse = (action: string): Fault => ({
  service: 'dynamodb',
  action,
  effect: { error: { name: 'ThrottlingException', statusCode: 400 } },
});

describe('16: halt: behind a dead letter its group waits until an operator lifts it; nothing overtakes', () => {
  it('what is in the same batch and what comes later goes back untouched; other groups go on; lifted, it goes on in order', async () => {
    const bench = await open('ledger');
    const { harness, send, tried, done } = bench;
    await send('a1', 'a');
    await send('a2', 'a', true);
    for (const id of ['a3', 'a4']) await send(id, 'a');
    await send('b1', 'b');
    await harness.advance(minutes(10));
    await send('a5', 'a');
    await send('b2', 'b');
    await harness.advance(minutes(60));

    expect(tried.filter((id) => id.startsWith('a'))).toEqual(['a1', 'a2']);
    expect(done).toEqual(['a1', 'b1', 'b2']);
    expect(await bench.letters()).toEqual(['a2']);
    const [marker, ...others] = await bench.list();
    expect(others).toEqual([]);
    expect(marker).toMatchObject({
      group: 'a',
      state: 'PARKED',
      letters: 1,
      first: { id: 'moved:a2', source: 'sluice/bank', reason: 'permanent' },
      last: { id: 'moved:a2', reason: 'permanent' },
    });

    await bench.lift('a');
    expect(await bench.list()).toEqual([]);
    await expect(bench.lift('a')).rejects.toThrow(GroupNotMarked);
    await harness.drain(hours(1));
    expect(done).toEqual(['a1', 'b1', 'b2', 'a3', 'a4', 'a5']);
    // Nothing was tried that did not run.
    expect(harness.records().map(({ attempts }) => attempts)).not.toContainEqual({ N: '2' });
    harness.stop();
  });

  it('it waits as long as the queue keeps it: SQS’s own redrive does not take what was never tried', async () => {
    const { harness, send, tried, letters, lift, done } = await open('ledger');
    await send('a1', 'a', true);
    for (const id of ['a2', 'a3']) await send(id, 'a');
    await harness.advance(minutes(7 * 60 + 50));
    expect(tried).toEqual(['a1']);
    expect(await letters()).toEqual(['a1']);
    // Received all the time, and far from often enough to be taken.
    expect(harness.queue('ledger').received).toBeGreaterThan(100);
    await lift('a');
    await harness.drain(minutes(30));
    expect(done).toEqual(['a2', 'a3']);
    harness.stop();
  });

  it('what cannot be read is a hole too', async () => {
    const { harness, send, list, tried, letters } = await open('ledger');
    const TopicArn = harness.deployed.topicArns.moves;
    await harness.tools.sns.send(
      new PublishCommand({ TopicArn, Message: 'x', MessageGroupId: 'a', MessageDeduplicationId: 'x' }),
    );
    await send('a1', 'a');
    await harness.advance(minutes(5));
    expect(tried).toEqual([]);
    expect(await letters()).toEqual(['unreadable']);
    expect(await list()).toMatchObject([
      { group: 'a', state: 'PARKED', first: { reason: 'undecodable', source: '' } },
    ]);
    harness.stop();
  });

  it('as long as the marker cannot be written the message is not acknowledged, and its letter is one', async () => {
    const { harness, send, tried, list, letters } = await open('ledger');
    const end = harness.aws.faults.add(refuse('UpdateItem'));
    await send('a1', 'a', true);
    await send('a2', 'a');
    await harness.advance(seconds(60));
    expect(harness.queue('ledger').deleted).toBe(0);
    expect(tried).toEqual(['a1']);
    expect(await list()).toEqual([]);
    end();
    await harness.advance(minutes(10));
    // No further try: the record knew the cause. The same letter: a FIFO queue knows it for five minutes.
    expect(tried).toEqual(['a1']);
    expect(await letters()).toEqual(['a1']);
    expect(await list()).toMatchObject([{ group: 'a', state: 'PARKED', letters: 1 }]);
    expect(harness.queue('ledger').deleted).toBe(1);
    harness.stop();
  });

  it('when its worker dies between marker and acknowledgement, it is one letter, and the group is lifted once', async () => {
    const { harness, send, done, list, lift, letters } = await open('ledger');
    harness.befall({ subscriber: 'ledger', action: 'UpdateItem', moment: 'after', at: 1, effect: 'crash' });
    await send('a1', 'a', true);
    await send('a2', 'a');
    // Longer than a FIFO queue knows a letter that is sent again.
    await harness.advance(minutes(30));
    expect(harness.mishaps).toHaveLength(1);
    expect(await list()).toMatchObject([{ group: 'a', state: 'PARKED', letters: 1 }]);
    await lift('a');
    await harness.drain(hours(1));
    expect(done).toEqual(['a2']);
    expect(await letters()).toEqual(['a1']);
    expect(await list()).toEqual([]);
    harness.stop();
  });

  it('a marker whose reply is lost counts one letter', async () => {
    const { harness, send, list } = await open('ledger');
    harness.aws.faults.add({ service: 'dynamodb', action: 'UpdateItem', at: 1, effect: { lostReply: true } });
    await send('a1', 'a', true);
    await harness.advance(minutes(5));
    expect(await list()).toMatchObject([{ letters: 1 }]);
    harness.stop();
  });

  it('as long as the markers cannot be read nothing runs and nothing is claimed', async () => {
    const { harness, send, tried, done } = await open('ledger');
    const end = harness.aws.faults.add(refuse('BatchGetItem'));
    for (const id of ['a1', 'a2']) await send(id, 'a');
    await harness.advance(minutes(5));
    expect(tried).toEqual([]);
    expect(harness.records()).toEqual([]);
    end();
    await harness.drain(minutes(30));
    expect(done).toEqual(['a1', 'a2']);
    harness.stop();
  });

  it('parked deliveries are counted', async () => {
    const { harness, send } = await open('ledger');
    await send('a1', 'a', true);
    await send('a2', 'a');
    await harness.advance(minutes(30));
    const { Metrics = [] } = (await harness.aws.call('cloudwatch', 'ListMetrics', {
      Namespace: 'sluice',
    })) as {
      Metrics?: { MetricName?: string }[];
    };
    expect(Metrics.map(({ MetricName }) => MetricName)).toContain('parked');
    harness.stop();
  });

  it('whatever dies or is refused on the way: no effect of a group follows its dead letter before it is lifted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.array(fc.record({ account: fc.constantFrom('a', 'b'), bad: fc.boolean() }), {
          minLength: 2,
          maxLength: 8,
        }),
        fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 3 }),
        fc.constantFrom('UpdateItem', 'BatchGetItem', 'BatchExecuteStatement', 'SendMessage'),
        fc.constantFrom<Fault['effect']>({ lostReply: true }, { error: { name: 'ThrottlingException' } }),
        async (seed, plan, kills, action, effect) => {
          const { harness, send, done, letters, list, lift, heal } = await open('ledger', { seed });
          const end = harness.aws.faults.add({ action, at: { chance: 0.3 }, effect });
          for (const [index, { account, bad }] of plan.entries()) await send(`${index}`, account, bad);
          for (const pause of kills) {
            await harness.advance(seconds(Math.ceil(pause / 1_000)));
            harness.kill('ledger');
          }
          await harness.advance(minutes(20));
          end();
          await harness.advance(minutes(60));

          const buried = new Set(await letters());
          const parked = new Map((await list()).map((marker) => [marker.group, marker]));
          for (const account of ['a', 'b']) {
            const members = plan.flatMap((each, index) => (each.account === account ? [`${index}`] : []));
            const hole = members.findIndex((id) => plan[Number(id)]!.bad);
            const before = hole < 0 ? members : members.slice(0, hole);
            const effects = done.filter((id) => members.includes(id));
            expect([...new Set(effects)]).toEqual(before);
            expect(members.filter((id) => buried.has(id))).toEqual(hole < 0 ? [] : [members[hole]]);
            expect(parked.get(account)?.state).toBe(hole < 0 ? undefined : 'PARKED');
          }
          heal();
          for (const group of parked.keys()) await lift(group);
          await harness.drain(hours(2));
          for (const account of ['a', 'b']) {
            const members = plan.flatMap((each, index) => (each.account === account ? [`${index}`] : []));
            const effects = [...new Set(done.filter((id) => members.includes(id)))];
            expect(effects).toEqual(members.filter((id) => !buried.has(id)));
          }
          harness.stop();
        },
      ),
      { numRuns: 25 },
    );
  }, 60_000);
});

describe('16: skip: behind a dead letter its group goes on, and knows what it has skipped', () => {
  it('handlers of later events can ask for the gap; it is listed, and ends with the record’s life', async () => {
    const gaps = new Map<string, Gap | undefined>();
    const { harness, send, done, list } = await open('mail', {
      handle: async ({ id }, context) => void gaps.set(id, await context.gap()),
    });
    const started = harness.clock.now();
    await send('a1', 'a');
    await send('a2', 'a', true);
    await send('a3', 'a');
    await send('a4', 'a', true);
    await send('a5', 'a');
    await send('b1', 'b');
    await harness.drain(minutes(5));
    expect(done.filter((id) => id.startsWith('a'))).toEqual(['a1', 'a3', 'a5']);
    expect(gaps.get('a1')).toBeUndefined();
    expect(gaps.get('b1')).toBeUndefined();
    const letter = { source: 'sluice/bank', reason: 'permanent' };
    expect(gaps.get('a3')).toMatchObject({ letters: 1, first: { id: 'moved:a2', ...letter } });
    expect(gaps.get('a5')).toMatchObject({
      letters: 2,
      first: { id: 'moved:a2', ...letter },
      last: { id: 'moved:a4', ...letter },
    });
    expect(gaps.get('a5')!.last.at).toBeGreaterThanOrEqual(started);
    expect(await list()).toMatchObject([{ group: 'a', state: 'GAP', letters: 2 }]);

    // TTL deletes within days of its time, and no sooner: the gap is over at its time all the same.
    await harness.advance(minutes(121));
    await send('a6', 'a');
    await harness.drain(minutes(5));
    expect(gaps.get('a6')).toBeUndefined();
    harness.stop();
  });

  it('as long as the marker cannot be written, the group does not go on in silence', async () => {
    const { harness, send, done, list } = await open('mail');
    const end = harness.aws.faults.add(refuse('UpdateItem'));
    await send('a1', 'a', true);
    await send('a2', 'a');
    await harness.advance(seconds(60));
    expect(done).toEqual([]);
    end();
    await harness.drain(minutes(10));
    expect(done).toEqual(['a2']);
    expect(await list()).toMatchObject([{ state: 'GAP', letters: 1 }]);
    harness.stop();
  });
});
