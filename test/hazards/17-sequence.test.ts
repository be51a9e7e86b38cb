import { CreateTableCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { defineMessaging, event, minutes, seconds } from 'sluice';
import { ConditionFailed, consume, LeaseLost, PermanentError, publisher, StaleSequence } from 'sluice/lambda';
import { createHarness, type Harness } from 'sluice/local';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { normalSequence } from '../../lambda/runtime/sequence.ts';
import { milliseconds } from '../../lib/topology/index.ts';
import { lostReply } from '../runtime/support/dynamodb.ts';
import {
  again,
  createWorld,
  finish,
  message,
  recordOf,
  table,
  takeOver,
  type World,
} from '../runtime/support/world.ts';

describe('17: an event older than the last one applied of its key is dropped and counted, not applied', () => {
  it('in whatever order and however often a standard queue delivers, the last word is the newest event’s', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 2, maxLength: 8 }),
        fc.constantFrom('commit', 'plain'),
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 8, maxLength: 8 }),
        async (scheduler, sequences, how, sizes) => {
          const world = createWorld();
          world.dynamodb.intercept = async ({ name }, phase) => {
            await scheduler.schedule(Promise.resolve(), `${name} ${phase}`);
          };
          const worker = world.worker(
            async (event, context) => {
              await scheduler.schedule(Promise.resolve(), `handler ${event.sequence}`);
              if (how === 'commit') await context.commitWith([setTo(event.sequence!)]);
            },
            { subscriber: 'stock' },
          );
          const left = sequences.map((sequence, index) =>
            message(`${sequence}-${index}`, about('sku', String(sequence))),
          );
          const open: Promise<string[]>[] = [];
          for (const size of sizes)
            if (left.length > 0)
              open.push(
                worker
                  .start(left.splice(0, size))
                  .then(({ batchItemFailures }) => batchItemFailures.map((one) => one.itemIdentifier)),
              );
          let ended = false;
          const all = Promise.all(open).finally(() => {
            ended = true;
          });
          for (let step = 0; !ended && step < 300; step++) {
            await scheduler.waitIdle();
            await world.clock.advance(milliseconds(20));
          }

          expect((await all).flat()).toEqual([]);
          const newest = String(Math.max(...sequences));
          expect(guardOf(world, 'sku')).toBe(normalSequence(newest));
          if (how === 'commit') expect(storedIn(world)).toBe(newest);
          const count = (name: 'processed' | 'stale') =>
            world.measures.reduce((sum, measures) => sum + measures[name], 0);
          expect(count('processed') + count('stale')).toBe(sequences.length);
          for (const [index, sequence] of sequences.entries())
            expect(recordOf(world, `${sequence}-${index}`, 'stock')?.state).toBe('COMPLETED');
        },
      ),
      { numRuns: 120 },
    );
  });

  it('what is stale at its delivery does not run: one read for the batch, acknowledged, completed, counted', async () => {
    const world = createWorld();
    const ran: string[] = [];
    const worker = world.worker((event) => void ran.push(event.data.orderId), { subscriber: 'stock' });
    await worker.run([message('new', about('sku', '12')), message('other', about('other', '1'))]);
    world.dynamodb.calls.length = 0;

    const late = [message('late', about('sku', '9')), message('newer', about('sku', '13')), message('free')];
    expect(await worker.run(late)).toEqual([]);
    expect(ran).toEqual(['new', 'other', 'newer', 'free']);
    expect(world.measures[1]).toMatchObject({ processed: 2, stale: 1, failed: 0 });
    expect(recordOf(world, 'late', 'stock')?.state).toBe('COMPLETED');
    expect(world.dynamodb.calls.filter(({ name }) => name === 'BatchGetItem')).toHaveLength(1);
  });

  it('sequences that are numbers compare as numbers, others as text; the same one is not stale', () => {
    const decimal = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 38n - 1n }), fc.bigInt({ min: 0n, max: 200n }));
    fc.assert(
      fc.property(decimal, decimal, fc.nat(3), (one, other, zeros) => {
        const texts = [`${'0'.repeat(zeros)}${one}`.slice(-38), String(other)].map(normalSequence);
        expect(texts[0]! < texts[1]!).toBe(one < other);
        expect(texts[0] === texts[1]).toBe(one === other);
      }),
    );
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        if (!/^\d{1,38}$/.test(text)) expect(normalSequence(text)).toBe(text);
      }),
    );
  });

  it('a newer one applied while the handler ran: its commit is refused and typed, and whatever it makes of that, it is dropped', async () => {
    for (const then of ['throws', 'throws another', 'swallows', 'commits another', 'forgets'] as const) {
      const world = createWorld();
      let error: unknown;
      const worker = world.worker(
        async (event, context) => {
          if (event.data.orderId !== 'old') return;
          await world
            .worker(() => undefined, { subscriber: 'stock' })
            .start([message('new', about('sku', '2'))]);
          const commit = context.commitWith([setTo('1')]).catch((thrown: unknown) => {
            error = thrown;
            if (then === 'throws') throw thrown;
            if (then === 'throws another') throw new Error('down');
            if (then === 'commits another') return context.commitWith([setTo('1 again')]);
          });
          if (then !== 'forgets') await commit;
        },
        { subscriber: 'stock' },
      );
      expect(await worker.run([message('old', about('sku', '1'))])).toEqual([]);
      expect(error).toBeInstanceOf(StaleSequence);
      expect(error).toMatchObject({
        sequence: normalSequence('1'),
        applied: { sequence: normalSequence('2'), id: 'order.placed:new' },
      });
      expect((error as Error).message).toContain('sequence 1, and 2 of its key');
      expect(storedIn(world)).toBeUndefined();
      expect(recordOf(world, 'old', 'stock')?.state).toBe('COMPLETED');
      expect(guardOf(world, 'sku')).toBe(normalSequence('2'));
      expect(world.measures[1]).toMatchObject({ processed: 0, stale: 1, failed: 0 });
      expect(world.sqs.letters).toEqual([]);
    }
  });

  it('a handler that commits nothing: record and guard are completed together, and a lost reply is read', async () => {
    for (const phase of ['before', 'after'] as const) {
      const world = createWorld();
      let lost = 2;
      world.dynamodb.intercept = ({ name }, when) => {
        if (name === 'TransactWriteItems' && when === phase && lost-- > 0) throw lostReply();
      };
      const worker = world.worker(() => undefined, { subscriber: 'stock' });
      expect(await worker.run([message('1', about('sku', '1'))])).toEqual([]);
      expect(guardOf(world, 'sku')).toBe(normalSequence('1'));
      expect(recordOf(world, '1', 'stock')?.state).toBe('COMPLETED');
      expect(world.measures[0]).toMatchObject({ processed: 1, stale: 0 });
    }
  });

  it('who has lost the lease moves no guard', async () => {
    const world = createWorld();
    let error: unknown;
    const worker = world.worker(
      async (_, context) => {
        takeOver(world, '1', 'stock');
        await context.commitWith([setTo('1')]).catch((thrown: unknown) => {
          error = thrown;
        });
      },
      { subscriber: 'stock' },
    );
    const record = message('1', about('sku', '1'));
    expect(await worker.run([record])).toEqual([record.messageId]);
    expect(error).toBeInstanceOf(LeaseLost);
    expect(guardOf(world, 'sku')).toBeUndefined();
  });

  it('the handler’s own failed condition moves no guard, and keeps its place in the list', async () => {
    const world = createWorld();
    let error: unknown;
    const impossible: TransactWriteItem = {
      ConditionCheck: {
        TableName: 'effects',
        Key: { pk: { S: 'nothing' } },
        ConditionExpression: 'n >= :n',
        ExpressionAttributeValues: { ':n': { N: '1' } },
      },
    };
    const worker = world.worker(
      async (_, context) => {
        await context.commitWith([setTo('1'), impossible]).catch((thrown: unknown) => {
          error = thrown;
          expect(guardOf(world, 'sku')).toBeUndefined();
        });
      },
      { subscriber: 'stock' },
    );
    expect(await worker.run([message('1', about('sku', '1'))])).toEqual([]);
    expect((error as ConditionFailed).failures.map(({ index }) => index)).toEqual([1]);
    expect(error).toBeInstanceOf(ConditionFailed);
    // It decided that there is nothing to do: the event is applied all the same.
    expect(guardOf(world, 'sku')).toBe(normalSequence('1'));
  });

  it('guards that cannot be read: nothing runs on a guess, the claim is given back, no attempt is used', async () => {
    const world = createWorld();
    let runs = 0;
    const worker = world.worker(() => void runs++, { subscriber: 'stock' });
    world.dynamodb.intercept = ({ name }) => {
      if (name === 'BatchGetItem') throw lostReply();
    };
    const record = message('1', { messageId: '1', ...about('sku', '1') });
    expect(await worker.run([record])).toEqual(['1']);
    expect(runs).toBe(0);
    expect(recordOf(world, '1', 'stock')).toMatchObject({ state: 'RELEASED', attempts: '0' });

    world.dynamodb.intercept = undefined;
    expect(await worker.run([again(record)])).toEqual([]);
    expect(runs).toBe(1);
  });

  it('an event without sequence or key passes, as does every event of a subscriber without guard', async () => {
    const world = createWorld();
    let runs = 0;
    const guarded = world.worker(() => void runs++, { subscriber: 'stock' });
    const free = world.worker(() => void runs++);
    await guarded.run([message('1', about('sku', '5'))]);
    await guarded.run([
      message('2', { event: { sequence: '1' } }),
      message('3', { event: { partitionkey: 'sku' } }),
    ]);
    await free.run([message('4', about('sku', '5')), message('5', about('sku', '1'))]);
    expect(runs).toBe(5);
    expect([...world.dynamodb.items(table).keys()].filter((key) => key.startsWith('sequence:'))).toHaveLength(
      1,
    );
  });

  it('98 items fit beside record and guard, one more is refused by name', async () => {
    const world = createWorld();
    const errors: unknown[] = [];
    const worker = world.worker(
      async (_, context) => {
        const items = Array.from({ length: 99 }, (_none, index) => setTo('1', `item ${index}`));
        await context.commitWith(items).catch((thrown: unknown) => void errors.push(thrown));
        await context.commitWith(items.slice(1));
      },
      { subscriber: 'stock' },
    );
    expect(await worker.run([message('1', about('sku', '1'))])).toEqual([]);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(RangeError);
    expect((errors[0] as Error).message).toContain('up to 98');
  });

  it('the guard lives as long as the record; keys are short enough for DynamoDB and never meet', async () => {
    const world = createWorld();
    const worker = world.worker(() => undefined, { subscriber: 'stock' });
    const long = 'ß'.repeat(2_000);
    const pairs = [
      ['a#b', 'c'],
      ['a', 'b#c'],
      ['a%23b', 'c'],
      ['a', long],
      ['a', `${long}x`],
    ] as const;
    await finish(
      world.clock,
      worker.start(
        pairs.map(([source, partitionkey], index) =>
          message(String(index), { event: { source, partitionkey, sequence: '1' } }),
        ),
      ),
    );
    const guards = [...world.dynamodb.items(table).values()].filter(({ pk }) =>
      pk?.S?.startsWith('sequence:'),
    );
    expect(guards).toHaveLength(pairs.length);
    for (const { pk, ttl } of guards) {
      expect(Buffer.byteLength(pk?.S ?? '')).toBeLessThanOrEqual(2_048);
      expect(ttl?.N).toBe([...world.dynamodb.items(table).values()].find(({ state }) => state)?.ttl?.N);
    }
  });

  it('on the model: reordered, doubled and batched, the store ends with the newest of each key, whatever the posture', async () => {
    for (const effects of ['exactlyOnceEffect', 'transactional'] as const)
      for (const seed of [1, 2, 3]) {
        const prices = priceList(effects);
        const set = (event: PriceSet): TransactWriteItem => ({
          Put: {
            TableName: 'prices',
            Item: { pk: { S: event.data.sku }, price: { N: String(event.data.price) } },
          },
        });
        const harness: Harness<typeof prices> = await createHarness(prices, {
          seed,
          sqs: { duplicateRate: 0.3, reorderWindow: 8 },
          handlers: {
            index: (tools) =>
              effects === 'transactional'
                ? consume(priceList('transactional'), 'index', (event) => [set(event)], tools)
                : consume(
                    priceList('exactlyOnceEffect'),
                    'index',
                    (event, { commitWith }) => commitWith([set(event)]),
                    tools,
                  ),
          },
        });
        await harness.tools.dynamodb.send(
          new CreateTableCommand({
            TableName: 'prices',
            BillingMode: 'PAY_PER_REQUEST',
            AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
            KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
          }),
        );
        const shopEvents = publisher(prices, harness.tools);
        await shopEvents.publishBatch(
          Array.from({ length: 60 }, (_none, index) => ({
            type: 'price.set' as const,
            data: { sku: `sku${index % 3}`, price: index },
            sequence: String(index),
          })),
        );
        await harness.drain(minutes(60));
        const found = harness.aws.dynamodb.items('prices').map(({ pk, price }) => [pk?.S, price?.N]);
        expect(found.sort()).toEqual([
          ['sku0', '57'],
          ['sku1', '58'],
          ['sku2', '59'],
        ]);
        expect(await harness.deadLetters('index')).toEqual([]);
        harness.stop();
      }
  });

  it('an older one that was dead-lettered and is sent again is dropped, and counted in the metric', async () => {
    const prices = priceList('exactlyOnceEffect');
    const ran: (string | undefined)[] = [];
    const counts: number[] = [];
    const harness = await createHarness(prices, {
      handlers: {
        index: (tools) =>
          consume(
            prices,
            'index',
            (event) => {
              ran.push(event.sequence);
              if (event.sequence === '1') throw new PermanentError('never');
            },
            { ...tools, metrics: { record: (_, { stale }) => void counts.push(stale) } },
          ),
      },
    });
    const shopEvents = publisher(prices, harness.tools);
    for (const sequence of ['1', '2']) {
      await shopEvents.publish('price.set', { sku: 'a', price: 1 }, { sequence });
      await harness.drain(minutes(5));
    }
    const { deadLetterQueue, queue } = harness.deployed.subscribers.index!;
    await harness.aws.sqs.operations.StartMessageMoveTask!(
      { SourceArn: deadLetterQueue.arn, DestinationArn: queue.arn },
      {},
    );
    await harness.advance(seconds(30));
    await harness.drain(minutes(5));
    expect(ran).toEqual(['1', '2']);
    expect(counts).toEqual([0, 0, 1]);
    expect(await harness.deadLetters('index')).toEqual([]);
    harness.stop();
  });

  it('a publisher refuses a sequence that is empty', async () => {
    const harness = await createHarness(priceList('exactlyOnceEffect'));
    const shopEvents = publisher(priceList('exactlyOnceEffect'), harness.tools);
    await expect(shopEvents.publish('price.set', { sku: 'a', price: 1 }, { sequence: '' })).rejects.toThrow(
      'sequence is empty',
    );
    harness.stop();
  });
});

const priceSet = z.object({ sku: z.string(), price: z.number() });
interface PriceSet {
  readonly data: z.infer<typeof priceSet>;
}
const priceList = <const Posture extends 'exactlyOnceEffect' | 'transactional'>(effects: Posture) =>
  defineMessaging({
    name: 'prices',
    topics: { prices: {} },
    events: { 'price.set': event({ topic: 'prices', schema: priceSet, group: ({ sku }) => sku }) },
    subscribers: {
      index: { on: ['price.set'], handler: 'index.ts', lag: minutes(10), effects, sequenceGuard: true },
    },
  });

const about = (partitionkey: string, sequence: string) => ({ event: { partitionkey, sequence } });

const setTo = (value: string, item = 'value'): TransactWriteItem => ({
  Put: { TableName: 'effects', Item: { pk: { S: item }, value: { S: value } } },
});

const storedIn = (world: World) => world.dynamodb.items('effects').get('value')?.value?.S;
const guardOf = (world: World, key: string) =>
  world.dynamodb.items(table).get(`sequence:stock#sluice/shop#${key}`)?.sequence?.S;
