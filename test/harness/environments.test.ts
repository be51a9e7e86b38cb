import { CreateTableCommand, PutItemCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { defineMessaging, event, hours, type Milliseconds, milliseconds, minutes, seconds } from 'sluice';
import { consume, publisher } from 'sluice/lambda';
import { createHarness, type HarnessTools, type Mishap } from 'sluice/local';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sleep } from '../../lib/base/index.ts';

const shop = defineMessaging({
  name: 'shop',
  topics: { news: {} },
  events: {
    arrived: event({ topic: 'news', schema: z.object({ text: z.string() }), key: ({ text }) => text }),
  },
  subscribers: {
    readers: { on: ['arrived'], handler: 'a.ts', lag: minutes(5), timeout: seconds(60), lease: seconds(10) },
    copies: { on: ['arrived'], handler: 'b.ts', lag: minutes(5), timeout: seconds(60), lease: seconds(10) },
  },
});

type Work = (tools: HarnessTools, note: (what: string) => void) => Promise<void>;

/** A harness whose readers do the work with one event; what they note has the seconds since the start before it. */
async function reading(work: Work, options: Parameters<typeof createHarness<typeof shop>>[1] = {}) {
  const notes: string[] = [];
  const harness = await createHarness(shop, {
    handlers: {
      readers: (tools) => () =>
        work(tools, (what) => notes.push(`${Math.round((harness.clock.now() - start) / 1_000)} ${what}`)),
    },
    ...options,
  });
  const start = harness.clock.now();
  await publisher(shop, harness.tools).publish('arrived', { text: 'x' });
  return { harness, notes, start };
}

const put = (tools: HarnessTools, name: string) =>
  tools.dynamodb.send(new PutItemCommand({ TableName: 'shop-records', Item: { pk: { S: name } } }));
const names = (items: readonly { pk?: { S?: string } }[]) => items.map(({ pk }) => pk?.S);

describe('an environment stands still, and the world goes on', () => {
  test('its timers fire when it goes on, in their order', async () => {
    const { harness, notes } = await reading(async ({ clock }, note) => {
      for (const after of [2, 4, 8]) clock.after(milliseconds(after * 1_000), () => note(`timer ${after}`));
      await sleep(clock, milliseconds(9_000));
      note('done');
    });
    await harness.advance(seconds(3));
    expect(harness.freeze('readers', seconds(4))).toBe(true);
    expect(harness.freeze('readers', seconds(4))).toBe(false);
    expect(harness.freeze('copies', seconds(4))).toBe(false);
    harness.clock.after(milliseconds(1_000), () => notes.push('the world at 4'));
    await harness.advance(seconds(10));
    expect(notes).toEqual(['2 timer 2', 'the world at 4', '7 timer 4', '8 timer 8', '9 done']);
    expect(harness.mishaps).toMatchObject([{ subscriber: 'readers', environment: 1, effect: { freeze: 4 } }]);
    harness.stop();
  });

  test('its call is done meanwhile, and the answer reaches it late', async () => {
    const { harness, notes } = await reading(
      async (tools, note) => {
        await put(tools, 'it');
        note('answered');
      },
      {
        mishaps: [
          {
            subscriber: 'readers',
            action: 'PutItem',
            moment: 'after',
            at: 1,
            effect: { freeze: seconds(5) },
          },
        ],
      },
    );
    await harness.advance(seconds(1));
    expect(names(harness.records())).toEqual(['it']);
    await harness.advance(seconds(9));
    expect(notes).toEqual(['5 answered']);
    harness.stop();
  });

  test('a call that it was about to make is made late', async () => {
    const { harness, notes } = await reading(
      async (tools, note) => {
        await put(tools, 'it');
        note('answered');
      },
      { mishaps: [{ action: 'PutItem', moment: 'before', effect: { freeze: seconds(5) } }] },
    );
    await harness.advance(seconds(1));
    expect(harness.records()).toEqual([]);
    await harness.advance(seconds(9));
    expect(notes).toEqual(['5 answered']);
    harness.stop();
  });

  test('between two invocations, where that is asked for: what was left running goes on with the next', async () => {
    const { harness, notes } = await reading(
      async ({ clock }, note) => {
        note('invoked');
        clock.after(milliseconds(3_000), () => note('left running'));
        await sleep(clock, milliseconds(500));
      },
      { idle: 'frozen' },
    );
    await harness.advance(seconds(20));
    await publisher(shop, harness.tools).publish('arrived', { text: 'y' });
    await harness.advance(seconds(1));
    expect(notes).toEqual(['0 invoked', '20 invoked', '20 left running']);
    harness.stop();
  });

  test('the time-out of its function ends it all the same', async () => {
    const { harness, notes } = await reading(async ({ clock }, note) => {
      note('begins');
      await sleep(clock, milliseconds(10_000));
      note('goes on');
    });
    await harness.advance(seconds(1));
    harness.freeze('readers', minutes(2));
    await harness.advance(seconds(180));
    expect(notes).toEqual(['0 begins']);
    harness.stop();
  });

  test('longer than its lease: another does the work, and what it does late is refused', async () => {
    const effects: string[] = [];
    let runs = 0;
    const harness = await createHarness(shop, {
      handlers: {
        readers: (tools) =>
          consume(
            shop,
            'readers',
            async (_event, context) => {
              const run = ++runs;
              await sleep(tools.clock, milliseconds(1_000));
              await context.commitWith([
                { Put: { TableName: 'shop-records', Item: { pk: { S: `effect ${run}` } } } },
              ]);
              effects.push(`run ${run}`);
            },
            tools,
          ),
      },
    });
    await publisher(shop, harness.tools).publish('arrived', { text: 'x' });
    await harness.advance(seconds(0));
    harness.clock.after(milliseconds(500), () => harness.freeze('readers', seconds(55)));
    await harness.drain(minutes(30));
    expect(names(harness.records()).filter((name) => name?.startsWith('effect'))).toHaveLength(1);
    expect(effects).toHaveLength(1);
    harness.stop();
  });
});

describe('an environment dies at one of its calls', () => {
  const dying = (mishap: Pick<Mishap, 'moment' | 'at'>) =>
    reading(
      async (tools, note) => {
        note('begins');
        await put(tools, 'it');
        note('answered');
      },
      { mishaps: [{ action: 'PutItem', service: 'dynamodb', effect: 'crash', ...mishap }] },
    );

  test('before it: the call was never made', async () => {
    const { harness, notes } = await dying({ moment: 'before', at: [1] });
    await harness.advance(seconds(30));
    expect({ notes, records: names(harness.records()) }).toEqual({ notes: ['0 begins'], records: [] });
    await harness.drain(minutes(20));
    expect(notes.slice(1)).toEqual([expect.stringContaining('begins'), expect.stringContaining('answered')]);
    expect(harness.mishaps).toMatchObject([{ call: 'before PutItem', effect: 'crash', environment: 1 }]);
    harness.stop();
  });

  test('after it: the call was made, the answer never seen', async () => {
    const { harness, notes } = await dying({ moment: 'after', at: 1 });
    await harness.advance(seconds(30));
    expect({ notes, records: names(harness.records()) }).toEqual({ notes: ['0 begins'], records: ['it'] });
    harness.stop();
  });

  test('a plan that was taken out meets nobody', async () => {
    const { harness, notes } = await reading(async (tools, note) => {
      await put(tools, 'it');
      note('answered');
    });
    harness.befall({ action: 'PutItem', moment: 'before', effect: 'crash' })();
    harness.befall({ action: 'PutItem', subscriber: 'copies', moment: 'before', effect: 'crash' });
    harness.befall({ action: 'PutItem', service: 'sqs', moment: 'before', effect: 'crash' });
    await harness.advance(seconds(1));
    expect(notes).toEqual(['0 answered']);
    harness.stop();
  });
});

describe('an environment has a clock and a version of its own', () => {
  test('clocks disagree by what is planned for each', async () => {
    const seen: number[] = [];
    const note = (tools: HarnessTools) => async () => void seen.push(tools.clock.now());
    const harness = await createHarness(shop, {
      handlers: { readers: note, copies: note },
      skew: (environment) => milliseconds(environment * 1_000),
    });
    const now: Milliseconds = harness.clock.now();
    await publisher(shop, harness.tools).publish('arrived', { text: 'x' });
    await harness.advance(seconds(0));
    expect(seen).toEqual([now + 1_000, now + 2_000]);
    expect(harness.tools.clock.now()).toBe(now);
    harness.stop();
  });

  test('a new version replaces those at work when they have finished', async () => {
    let versions = 0;
    const done: string[] = [];
    const harness = await createHarness(shop, {
      handlers: {
        readers: (tools) => {
          const version = ++versions;
          return async () => {
            await sleep(tools.clock, milliseconds(5_000));
            done.push(`version ${version}`);
          };
        },
      },
    });
    const till = publisher(shop, harness.tools);
    await till.publish('arrived', { text: 'x' });
    await harness.advance(seconds(1));
    await harness.deploy('readers');
    await harness.advance(seconds(1));
    await till.publish('arrived', { text: 'y' });
    await harness.advance(seconds(20));
    expect(done).toEqual(['version 1', 'version 2']);
    harness.stop();
  });
});

test('expired items go as late as is planned', async () => {
  const harness = await createHarness(shop, { dynamodb: { expiryDelay: milliseconds(hours(5) * 1_000) } });
  const { dynamodb } = harness.tools;
  await dynamodb.send(
    new CreateTableCommand({
      TableName: 'short',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    }),
  );
  await dynamodb.send(
    new UpdateTimeToLiveCommand({
      TableName: 'short',
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    }),
  );
  const ttl = { N: String(harness.clock.now() / 1_000 + 3_600) };
  await dynamodb.send(new PutItemCommand({ TableName: 'short', Item: { pk: { S: 'it' }, ttl } }));
  await harness.advance(hours(5));
  expect(harness.aws.dynamodb.items('short')).toHaveLength(1);
  await harness.advance(hours(2));
  expect(harness.aws.dynamodb.items('short')).toHaveLength(0);
  harness.stop();
});
