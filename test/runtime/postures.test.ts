import {
  CreateTableCommand,
  GetItemCommand,
  type GetItemCommandOutput,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb';
import { defineMessaging, type Effects, event, milliseconds, minutes, type Seconds, seconds } from 'sluice';
import {
  ConditionFailed,
  consume,
  type HandlerFor,
  PermanentError,
  publisher,
  type TransactionalContext,
} from 'sluice/lambda';
import { createHarness, type Fault } from 'sluice/local';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { sleep } from '../../lib/base/index.ts';

const order = z.object({ id: z.string(), group: z.string().default('g') });
type Order = z.infer<typeof order>;

const declare = <const Posture extends Effects>(
  effects: Posture,
  more: {
    readonly fifo?: boolean;
    readonly batchSize?: number;
    readonly attempts?: number;
    readonly lease?: Seconds;
  } = {},
) =>
  defineMessaging({
    name: 'shop',
    topics: { orders: { fifo: true } },
    events: { placed: event({ topic: 'orders', schema: order, key: (o) => o.id, group: (o) => o.group }) },
    subscribers: {
      it: {
        on: ['placed'],
        handler: 'it.ts',
        lag: seconds(60),
        timeout: seconds(20),
        backoff: { base: seconds(1), cap: seconds(2) },
        effects,
        ...more,
      },
    },
  });
type Shop<Posture extends Effects> = ReturnType<typeof declare<Posture>>;

/** A stack with one subscriber, and a table of effects. */
async function play<Posture extends Effects>(
  shop: Shop<Posture>,
  handler: HandlerFor<Shop<Posture>, 'it'>,
  faults: readonly Fault[] = [],
) {
  const harness = await createHarness(shop, {
    handlers: { it: (tools) => consume(shop, 'it', handler, tools) },
    faults,
  });
  await harness.tools.dynamodb.send(
    new CreateTableCommand({
      TableName: 'effects',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    }),
  );
  const events = publisher(shop as Shop<Effects>, harness.tools);
  const items = () =>
    Object.fromEntries(
      harness.aws.dynamodb
        .items('effects')
        .map((item) => [
          (item.pk as { S: string }).S,
          (item.done as { L?: { S: string }[] } | undefined)?.L?.map(({ S }) => S) ??
            Number((item.n as { N: string }).N),
        ]),
    );
  const calls: string[] = [];
  for (const action of ['TransactWriteItems', 'BatchExecuteStatement', 'BatchGetItem', 'UpdateItem'])
    harness.aws.faults.add({
      service: 'dynamodb',
      action,
      where: () => {
        calls.push(action);
        return false;
      },
      effect: { lostReply: true },
    });
  return {
    harness,
    items,
    calls,
    publish: (...ids: string[]) =>
      events.publishBatch(
        ids.map((id) => ({ type: 'placed' as const, data: { id, group: id.split('-')[0] ?? id } })),
      ),
    records: () => harness.records().map((record) => (record.state as { S: string }).S),
    letters: async () =>
      (await harness.deadLetters('it')).map(({ attributes }) => attributes['sluice-reason']),
  };
}

/** Invokes the function with one batch, as an event source with full batches would. */
async function playBatch<Posture extends Effects>(
  shop: Shop<Posture>,
  handler: HandlerFor<Shop<Posture>, 'it'>,
  ids: readonly string[],
  faults: readonly Fault[] = [],
) {
  const world = await play<Posture>(shop, handler, faults);
  const { harness } = world;
  const { environment } = harness.deployed.subscribers.it!;
  const invoke = consume(shop, 'it', handler, { ...harness.tools, environment });
  const Records = ids.map((id) => ({
    messageId: `m-${id}`,
    receiptHandle: `r-${id}`,
    body: JSON.stringify({
      ...{ specversion: '1.0', id: `placed:${id}`, source: 'sluice/shop', type: 'placed' },
      data: { id, group: id.split('-')[0] },
    }),
    attributes: { ApproximateReceiveCount: '1', MessageGroupId: id.split('-')[0] },
    messageAttributes: {},
  }));
  const running = invoke({ Records }, { awsRequestId: 'r', getRemainingTimeInMillis: () => 20_000 });
  await harness.advance(seconds(20));
  const { batchItemFailures } = await running;
  return { ...world, returned: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) };
}

const count = (pk: string): TransactWriteItem => ({
  Update: {
    TableName: 'effects',
    Key: { pk: { S: pk } },
    UpdateExpression: 'ADD n :one',
    ExpressionAttributeValues: { ':one': { N: '1' } },
  },
});
const append = ({ id, group }: Order): TransactWriteItem => ({
  Update: {
    TableName: 'effects',
    Key: { pk: { S: group } },
    UpdateExpression: 'SET done = list_append(if_not_exists(done, :none), :id)',
    ExpressionAttributeValues: { ':none': { L: [] }, ':id': { L: [{ S: id }] } },
  },
});
const tenOrders = Array.from({ length: 10 }, (_, index) => `${index}-1`);

describe('exactlyOnceEffect: nothing is lost, what commits with the record happens once, an effect without a key may repeat', () => {
  test('ten first deliveries cost two calls, ten that commit eleven', async () => {
    const outside = await playBatch(declare('exactlyOnceEffect'), () => {}, tenOrders);
    expect(outside.calls).toEqual(['BatchExecuteStatement', 'BatchExecuteStatement']);
    const { calls, items } = await playBatch(
      declare('exactlyOnceEffect'),
      ({ data }, { commitWith }) => commitWith([count(data.id)]),
      tenOrders,
    );
    expect(calls.sort()).toEqual(['BatchExecuteStatement', ...Array(10).fill('TransactWriteItems')]);
    expect(items()).toEqual(Object.fromEntries(tenOrders.map((id) => [id, 1])));
  });

  test.each(['before', 'after'] as const)(
    'who dies %s the commit: its effect is there once',
    async (moment) => {
      const { harness, publish, items, records, letters } = await play(
        declare('exactlyOnceEffect'),
        ({ data }, { commitWith }) => commitWith([count(data.id)]),
      );
      harness.befall({ subscriber: 'it', action: 'TransactWriteItems', moment, at: 1, effect: 'crash' });
      await publish('a-1', 'b-1');
      await harness.drain(minutes(30));
      expect(harness.mishaps).toHaveLength(1);
      expect(items()).toEqual({ 'a-1': 1, 'b-1': 1 });
      expect(records()).toEqual(['COMPLETED', 'COMPLETED']);
      expect(await letters()).toEqual([]);
    },
  );

  test('who dies between an effect outside and the record: it is asked for again, under the same key', async () => {
    const keys: string[] = [];
    const { harness, publish, letters } = await play(declare('exactlyOnceEffect'), ({ id }) => {
      keys.push(id);
    });
    const action = 'BatchExecuteStatement';
    harness.befall({ subscriber: 'it', action, moment: 'before', at: 2, effect: 'crash' });
    await publish('a-1');
    await harness.drain(minutes(30));
    expect(keys).toEqual(['placed:a-1', 'placed:a-1']);
    expect(await letters()).toEqual([]);
  });

  test('the same event published again, and an acknowledgement that is lost, repeat nothing', async () => {
    let runs = 0;
    const { harness, publish } = await play(declare('exactlyOnceEffect'), () => void runs++, [
      {
        service: 'sqs',
        action: 'DeleteMessageBatch',
        at: [1, 2],
        effect: { error: { name: 'InternalError', statusCode: 500 } },
      },
    ]);
    await publish('a-1');
    await harness.drain(minutes(30));
    await publish('a-1');
    await harness.drain(minutes(30));
    expect(runs).toBe(1);
  });
});

describe('transactional: the writes of a batch and its records commit together, each once', () => {
  test('ten first deliveries cost one call', async () => {
    const { returned, items, calls, records } = await playBatch(
      declare('transactional'),
      ({ data }) => [count(data.id)],
      tenOrders,
    );
    expect(returned).toEqual([]);
    expect(items()).toEqual(Object.fromEntries(tenOrders.map((id) => [id, 1])));
    expect(records()).toEqual(Array(10).fill('COMPLETED'));
    expect(calls).toEqual(['TransactWriteItems']);
  });

  test('two events that write one item commit in two transactions, and both count', async () => {
    const { harness, publish, items, calls } = await play(declare('transactional'), () => [count('sum')]);
    await publish('a-1', 'b-1', 'c-1');
    await harness.drain(minutes(5));
    expect(items()).toEqual({ sum: 3 });
    expect(calls).toEqual(Array(3).fill('TransactWriteItems'));
  });

  test('what does not fit into a hundred actions is spread', async () => {
    const { items, calls } = await playBatch(
      declare('transactional'),
      ({ data }) => Array.from({ length: 30 }, (_, index) => count(`${data.id} ${index}`)),
      tenOrders,
    );
    expect(Object.keys(items())).toHaveLength(300);
    expect(calls).toEqual(Array(4).fill('TransactWriteItems'));
  });

  test('puts on one item, which only the service can see, commit one by one', async () => {
    const { harness, publish, items } = await play(declare('transactional'), () => [
      { Put: { TableName: 'effects', Item: { pk: { S: 'last' }, n: { N: '1' } } } },
    ]);
    await publish('a-1', 'b-1', 'c-1');
    await harness.drain(minutes(5));
    expect(items()).toEqual({ last: 1 });
    expect(harness.records()).toHaveLength(3);
  });

  test('one event’s condition that fails does not hold up the others; its handler is asked again with what was found', async () => {
    const refusals: (TransactionalContext['refused'] | undefined)[] = [];
    const { harness, publish, items, letters } = await play(
      declare('transactional'),
      ({ data }, { refused }) => {
        if (data.id !== '3-1') return [count(data.id)];
        refusals.push(refused);
        if (refused !== undefined) return [count('back order')];
        return [
          count(data.id),
          {
            ConditionCheck: {
              TableName: 'effects',
              Key: { pk: { S: 'shelf' } },
              ConditionExpression: 'attribute_exists(pk)',
            },
          },
        ];
      },
    );
    await publish(...tenOrders);
    await harness.drain(minutes(5));
    expect(items()).toEqual({
      ...Object.fromEntries(tenOrders.filter((id) => id !== '3-1').map((id) => [id, 1])),
      'back order': 1,
    });
    expect(refusals.at(-1)).toBeInstanceOf(ConditionFailed);
    expect(await letters()).toEqual([]);
  });

  test('a condition that never holds uses up the attempts, and the letter says so', async () => {
    const { harness, publish, items, letters } = await play(
      declare('transactional', { attempts: 2 }),
      ({ data }) => [
        count(data.id),
        {
          ConditionCheck: {
            TableName: 'effects',
            Key: { pk: { S: '-' } },
            ConditionExpression: 'attribute_exists(pk)',
          },
        },
      ],
    );
    await publish('a-1');
    await harness.drain(minutes(5));
    expect(items()).toEqual({});
    expect(await letters()).toEqual(['attempts']);
  });

  test('one handler that throws is tried again by itself; the first run counts as its first attempt', async () => {
    const attempts: number[] = [];
    const { harness, publish, items } = await play(declare('transactional'), ({ data }, { attempt }) => {
      if (data.id === '4-1') {
        attempts.push(attempt);
        if (attempt < 3) throw new Error('not yet');
      }
      return [count(data.id)];
    });
    await publish(...tenOrders);
    await harness.drain(minutes(5));
    expect(items()).toEqual(Object.fromEntries(tenOrders.map((id) => [id, 1])));
    expect(attempts).toEqual([1, 2, 3]);
  });

  test.each<[string, Fault]>([
    [
      'the reply is lost after the commit',
      { action: 'TransactWriteItems', at: 1, effect: { lostReply: true } },
    ],
    [
      'no reply ever comes',
      { action: 'TransactWriteItems', at: [1, 2, 3, 4, 5, 6, 7, 8, 9], effect: { lostReply: true } },
    ],
    [
      'nothing can be read either',
      {
        service: 'dynamodb',
        action: 'TransactWriteItems',
        at: [1, 2, 3, 4, 5, 6],
        effect: { lostReply: true },
      },
    ],
    [
      'the table throttles',
      { action: 'TransactWriteItems', at: [1, 2, 3, 4], effect: { error: { name: 'ThrottlingException' } } },
    ],
    [
      'the acknowledgement is lost, and the message comes again',
      {
        service: 'sqs',
        action: 'DeleteMessageBatch',
        at: [1, 2],
        effect: { error: { name: 'InternalError', statusCode: 500 } },
      },
    ],
  ])('once, although %s', async (_, fault) => {
    const { harness, publish, items } = await play(declare('transactional'), ({ data }) => [count(data.id)], [
      fault,
    ]);
    await publish(...tenOrders);
    await publish(...tenOrders.slice(0, 4));
    await harness.drain(minutes(30));
    expect(items()).toEqual(Object.fromEntries(tenOrders.map((id) => [id, 1])));
  });

  test('a killed worker leaves nothing half-written, and nothing twice', async () => {
    let runs = 0;
    const { harness, publish, items } = await play(declare('transactional'), async ({ data }) => {
      if (runs++ === 0) {
        harness.kill('it');
        await new Promise(() => undefined);
      }
      return [count(data.id)];
    });
    await publish('a-1', 'b-1');
    await harness.drain(minutes(30));
    expect(items()).toEqual({ 'a-1': 1, 'b-1': 1 });
  });

  test('on FIFO a group keeps its order behind one that fails, and others go on', async () => {
    const { harness, publish, items, records } = await play(
      declare('transactional', { fifo: true }),
      ({ data }, { attempt }) => {
        if (data.id === 'a-2' && attempt < 3) throw new Error('not yet');
        return [append(data)];
      },
    );
    await publish('a-1', 'a-2', 'b-1', 'a-3', 'b-2');
    await harness.drain(minutes(30));
    expect(items()).toEqual({ a: ['a-1', 'a-2', 'a-3'], b: ['b-1', 'b-2'] });
    expect(records()).toEqual(Array(5).fill('COMPLETED'));
  });

  test('on FIFO nothing overtakes an event whose transaction got no answer', async () => {
    const fault: Fault = {
      service: 'dynamodb',
      action: 'TransactWriteItems',
      // Every try of the first transaction, those inside a call too.
      at: Array.from({ length: 15 }, (_, call) => call + 1),
      effect: { error: { name: 'InternalServerError', statusCode: 500 } },
    };
    const { returned, items } = await playBatch(
      declare('transactional', { fifo: true }),
      ({ data }) => [append(data)],
      ['a-1', 'a-2', 'b-1', 'a-3', 'b-2'],
      [fault],
    );
    // What went back is the end of its group, and what was done is the beginning.
    expect(returned).toEqual(['m-a-1', 'm-a-2', 'm-b-1', 'm-a-3', 'm-b-2']);
    expect(items()).toEqual({});
  });

  test('on FIFO an event that builds on what an earlier one of its batch writes says so by a condition, and is asked again', async () => {
    const key = { pk: { S: 'balance' } };
    let calls = 0;
    const { harness, publish, items } = await play(
      declare('transactional', { fifo: true, batchSize: 10 }),
      async () => {
        calls++;
        const { Item } = (await harness.tools.dynamodb.send(
          new GetItemCommand({ TableName: 'effects', Key: key, ConsistentRead: true }),
        )) as GetItemCommandOutput;
        const found = Item?.n?.N;
        return [
          {
            Put: {
              TableName: 'effects',
              Item: { ...key, n: { N: String(Number(found ?? 0) + 1) } },
              ConditionExpression: found === undefined ? 'attribute_not_exists(pk)' : 'n = :found',
              ...(found === undefined ? {} : { ExpressionAttributeValues: { ':found': { N: found } } }),
            },
          },
        ];
      },
    );
    await publish('a-1', 'a-2', 'a-3');
    await harness.drain(minutes(5));
    expect(items()).toEqual({ balance: 3 });
    // All are asked before the first is committed.
    expect(calls).toBeGreaterThan(3);
  });

  test('what the handler returns is checked: no array and too many writes go aside at once', async () => {
    const { harness, publish, letters } = await play(declare('transactional'), (({
      data,
    }: {
      data: Order;
    }) => (data.id === 'a-1' ? undefined : Array(100).fill(count('x')))) as never);
    await publish('a-1', 'b-1');
    await harness.drain(minutes(5));
    expect(await letters()).toEqual(['permanent', 'permanent']);
    expect((await harness.deadLetters('it'))[0]?.attributes['sluice-error']).toContain('returns an array');
  });
});

describe('atLeastOnce: nothing is lost, anything may happen again, and nothing is kept of what went well', () => {
  test('a first delivery that goes well touches no table', async () => {
    let runs = 0;
    const { harness, publish, calls, records } = await play(declare('atLeastOnce'), () => {
      runs++;
    });
    await publish(...tenOrders);
    await harness.drain(minutes(5));
    expect({ runs, calls, records: records() }).toEqual({ runs: 10, calls: [], records: [] });
  });

  test('the same event published again runs again', async () => {
    let runs = 0;
    const { harness, publish } = await play(declare('atLeastOnce'), () => {
      runs++;
    });
    await publish('a-1');
    await harness.drain(minutes(5));
    await harness.advance(minutes(6));
    await publish('a-1');
    await harness.drain(minutes(5));
    expect(runs).toBe(2);
  });

  test('a lost acknowledgement repeats an effect: that is declared', async () => {
    let runs = 0;
    const { harness, publish } = await play(declare('atLeastOnce'), () => {
      runs++;
    }, [
      {
        service: 'sqs',
        action: 'DeleteMessageBatch',
        at: [1, 2, 3],
        effect: { error: { name: 'InternalError', statusCode: 500 } },
      },
    ]);
    await publish('a-1');
    await harness.drain(minutes(30));
    expect(runs).toBeGreaterThan(1);
  });

  test('failures are counted from the first run on, and end in the dead-letter queue', async () => {
    const attempts: number[] = [];
    const { harness, publish, letters } = await play(
      declare('atLeastOnce', { attempts: 3 }),
      (_, { attempt }) => {
        attempts.push(attempt);
        throw new Error('never');
      },
    );
    await publish('a-1');
    await harness.drain(minutes(30));
    expect(attempts).toEqual([1, 2, 3]);
    expect(await letters()).toEqual(['attempts']);
  });

  test('a crash repeats it; a message that kills every time is found', async () => {
    const { harness, publish, letters } = await play(
      declare('atLeastOnce', { attempts: 2 }),
      async ({ data }) => {
        if (data.id === 'a-1') {
          harness.kill('it');
          await new Promise(() => undefined);
        }
      },
    );
    await publish('a-1', 'b-1');
    await harness.drain(minutes(60));
    expect(await letters()).toEqual(['crash']);
  });

  test('on FIFO nothing overtakes a failure', async () => {
    const done: string[] = [];
    const { harness, publish } = await play(
      declare('atLeastOnce', { fifo: true }),
      ({ data }, { attempt }) => {
        if (data.id === 'a-1' && attempt < 3) throw new Error('not yet');
        done.push(data.id);
      },
    );
    await publish('a-1', 'a-2', 'a-3');
    await harness.drain(minutes(30));
    expect(done).toEqual(['a-1', 'a-2', 'a-3']);
  });
});

describe('atMostOnce: never again, whatever happens; a crash loses it', () => {
  test('the record is completed before the handler runs, and a batch’s claims and completions travel together', async () => {
    const shop = declare('atMostOnce');
    const seen: string[] = [];
    let states: () => string[] = () => [];
    const harness = await createHarness(shop, {
      handlers: { it: (tools) => consume(shop, 'it', () => void seen.push(...states()), tools) },
    });
    states = () => harness.records().map((record) => (record.state as { S: string }).S);
    await publisher(shop, harness.tools).publish('placed', { id: 'a-1' });
    await harness.drain(minutes(5));
    expect(seen).toEqual(['COMPLETED']);

    const { calls } = await playBatch(shop, () => {}, tenOrders);
    expect(calls).toEqual(['BatchExecuteStatement', 'BatchExecuteStatement']);
  });

  test('a killed worker: the event is lost, and never comes twice', async () => {
    const ran: string[] = [];
    const { harness, publish, letters } = await play(
      declare('atMostOnce', { batchSize: 1 }),
      async ({ data }) => {
        ran.push(data.id);
        if (data.id === 'a-1') {
          harness.kill('it');
          await new Promise(() => undefined);
        }
      },
    );
    await publish('a-1', 'b-1');
    await harness.drain(minutes(60));
    expect(ran.sort()).toEqual(['a-1', 'b-1']);
    expect(await letters()).toEqual([]);
  });

  test('batch mates that had not begun when their worker died are handled', async () => {
    const ran: string[] = [];
    const shop = declare('atMostOnce');
    const harness = await createHarness(shop, {
      handlers: {
        it: (tools) =>
          consume(
            shop,
            'it',
            async ({ data }) => {
              ran.push(data.id);
              if (data.id === 'a-1') {
                harness.kill('it');
                await new Promise(() => undefined);
              }
            },
            { ...tools, concurrency: 1 },
          ),
      },
    });
    const events = publisher(shop, harness.tools);
    await events.publishBatch(
      ['a-1', 'b-1', 'c-1'].map((id) => ({ type: 'placed' as const, data: { id, group: id } })),
    );
    await harness.drain(minutes(60));
    expect(ran.sort()).toEqual(['a-1', 'b-1', 'c-1']);
  });

  test('on FIFO nothing passes a worker that stands still past its lease', async () => {
    const shop = declare('atMostOnce', { fifo: true, lease: seconds(3) });
    const done: string[] = [];
    const harness = await createHarness(shop, {
      handlers: {
        it: (tools) =>
          consume(
            shop,
            'it',
            async ({ data }) => {
              if (data.id === 'a-1') await sleep(tools.clock, milliseconds(2_000));
              done.push(data.id);
            },
            tools,
          ),
      },
    });
    const events = publisher(shop, harness.tools);
    await events.publish('placed', { id: 'a-1', group: 'a' });
    // Behind the first beat.
    await harness.clock.advance(milliseconds(1_500));
    expect(harness.freeze('it', seconds(12))).toBe(true);
    await events.publish('placed', { id: 'a-2', group: 'a' });
    await harness.drain(minutes(60));
    expect(done).toEqual(['a-1', 'a-2']);
  });

  test('an error is not tried again: it is dead-lettered with its reason', async () => {
    let runs = 0;
    const { harness, publish, letters, records } = await play(declare('atMostOnce'), ({ data }) => {
      runs++;
      throw data.id === 'a-1' ? new Error('no') : new PermanentError('never');
    });
    await publish('a-1', 'b-1');
    await harness.drain(minutes(60));
    expect(runs).toBe(2);
    expect((await letters()).sort()).toEqual(['attempts', 'permanent']);
    expect(records()).toEqual(['FAILED', 'FAILED']);
  });

  test.each([
    ['throttled', ['BatchExecuteStatement']],
    ['away', ['BatchExecuteStatement', 'BatchGetItem', 'UpdateItem']],
  ] as const)(
    'an error has its letter also when the table of records is %s for a while',
    async (_, actions) => {
      let failedAt: number | undefined;
      let refused = 0;
      const now = (): number => harness.clock.now();
      const { harness, publish, letters } = await play(
        declare('atMostOnce'),
        () => {
          failedAt = now();
          throw new Error('no');
        },
        actions.map(
          (action): Fault => ({
            service: 'dynamodb',
            action,
            where: () => failedAt !== undefined && now() < failedAt + 10_000 && ++refused > 0,
            effect: { error: { name: 'ThrottlingException', statusCode: 400 } },
          }),
        ),
      );
      await publish('a-1');
      await harness.drain(minutes(60));
      expect(refused).toBeGreaterThan(3);
      expect(await letters()).toEqual(['attempts']);
    },
  );

  test('unknown whether it was completed: it does not run', async () => {
    let runs = 0;
    const { harness, publish } = await play(declare('atMostOnce'), () => {
      runs++;
    }, [
      {
        service: 'dynamodb',
        action: 'BatchExecuteStatement',
        at: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
        effect: { lostReply: true },
      },
      {
        service: 'dynamodb',
        action: 'BatchGetItem',
        at: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
        effect: { error: { name: 'InternalServerError', statusCode: 500 } },
      },
    ]);
    await publish('a-1');
    await harness.drain(minutes(60));
    expect(runs).toBe(0);
    expect(harness.records()).toHaveLength(1);
  });
});

describe('a handler has the shape that its posture asks for', () => {
  test('by type', () => {
    expectTypeOf<ReturnType<HandlerFor<Shop<'transactional'>, 'it'>>>().toEqualTypeOf<
      readonly TransactWriteItem[] | Promise<readonly TransactWriteItem[]>
    >();
    const shop = declare('atMostOnce');
    // @ts-expect-error: what is completed before it runs has nothing to commit with
    expectTypeOf<Parameters<HandlerFor<typeof shop, 'it'>>[1]['commitWith']>().toBeFunction();
    const transactional = declare('transactional');
    // @ts-expect-error: a transactional handler returns its writes
    const wrong: HandlerFor<typeof transactional, 'it'> = async () => {};
    expect(wrong).toBeTypeOf('function');
  });
});
