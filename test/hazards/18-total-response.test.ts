import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { SendMessageCommandInput } from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import {
  ConfigurationError,
  type LogFields,
  type Logger,
  PermanentError,
  type SqsEvent,
  type SqsRecord,
  type SqsRecordAttribute,
} from 'sluice/lambda';
import { describe, expect, it } from 'vitest';
import { type Effects, milliseconds } from '../../lib/topology/index.ts';
import { serviceError } from '../runtime/support/dynamodb.ts';
import { again, createWorld, finish, message, recordOf, table } from '../runtime/support/world.ts';
import { hostile, raise, returned, thrown, withGetters } from './support/oddities.ts';

describe('18: whatever handlers do and messages hold, the batch response acknowledges what is done and nothing else', () => {
  it('whatever handlers throw or return, it names exactly what is not done, once, by ids of the batch', async () => {
    const ends = fc.constantFrom<{ fails: boolean; run: () => unknown }[]>(
      { fails: false, run: () => undefined },
      { fails: false, run: () => null },
      { fails: false, run: () => 'text' },
      { fails: false, run: () => Promise.resolve({ batchItemFailures: [] }) },
      { fails: true, run: () => Promise.reject(undefined) },
      { fails: true, run: () => Promise.reject(null) },
      {
        fails: true,
        run: () => {
          throw undefined;
        },
      },
      {
        fails: true,
        run: () => {
          throw 'text';
        },
      },
      {
        fails: true,
        run: () => {
          throw Object.freeze({ name: 7 });
        },
      },
      {
        fails: true,
        run: () => Promise.reject(Object.assign(new Error('x'), { name: undefined, message: undefined })),
      },
      {
        fails: true,
        run: () => ({
          // biome-ignore lint/suspicious/noThenProperty: a thenable that fails is one of the things a handler returns
          then: (_: unknown, reject: (error: unknown) => void) => reject('thenable'),
        }),
      },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(ends, fc.constantFrom('a', 'b', 'c', 'd')), { minLength: 1, maxLength: 10 }),
        fc.constantFrom('payments' as const, 'email' as const),
        async (plan, subscriber) => {
          const world = createWorld();
          const worker = world.worker((event) => plan[Number(event.data.orderId)]![0].run() as undefined, {
            subscriber,
          });
          const records = plan.map(([, group], index) =>
            message(String(index), { messageId: `id${index}`, group }),
          );
          const response = await finish(world.clock, worker.start(records));

          const broken = new Set<string>();
          const expected = plan.flatMap(([{ fails }, group], index) => {
            if (fails) broken.add(group);
            return fails || (subscriber === 'payments' && broken.has(group)) ? [`id${index}`] : [];
          });
          expect(response.batchItemFailures.map((failure) => failure.itemIdentifier)).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('an invocation that is no batch fails as a whole: nothing is acknowledged', async () => {
    const world = createWorld();
    const worker = world.worker(() => undefined);
    for (const records of [undefined, null, 'x', [{}], [null], [{ messageId: '', body: '' }]])
      await expect(worker.start(records as unknown as SqsEvent['Records'])).rejects.toThrow(
        ConfigurationError,
      );
  });
});

describe('18: whatever a handler throws is a failed try of its own message: tried again, then a letter, never a crash', () => {
  it.each(thrown)('%s', async (_, make) => {
    for (const how of ['throws', 'rejects'] as const)
      for (const subscriber of ['email', 'payments'] as const)
        await failsAlone(subscriber, () => {
          if (how === 'rejects') return Promise.reject(make());
          throw make();
        });
  });

  it('a proxy that throws at the n-th look', async () => {
    for (let looks = 0; looks < 40; looks++) await failsAlone('email', () => Promise.reject(hostile(looks)));
  });

  it('an error that cannot be read, after the commit, takes nothing back', async () => {
    const world = createWorld();
    const worker = world.worker(async (_, context) => {
      await context.commitWith([]);
      throw withGetters(new Error('x'), ['name', 'message']);
    });
    expect(await worker.run(batchOf('odd'))).toEqual([]);
    expect(world.measures[0]).toMatchObject({ processed: 1, failed: 0 });
  });

  it.each(returned)('it gives back %s', async (_, fails, make) => {
    if (fails) return failsAlone('email', make);
    const world = createWorld();
    const worker = world.worker((event) =>
      event.data.orderId === 'odd' ? (make() as undefined) : undefined,
    );
    expect(await worker.run(batchOf('odd', 'mate-0', 'mate-1'))).toEqual([]);
    expect(recordOf(world, 'odd')?.state).toBe('COMPLETED');
  });

  /** The odd message fails all its tries and becomes a letter; its mates are done at once, and once. */
  async function failsAlone(subscriber: 'email' | 'payments', run: () => unknown) {
    const world = createWorld();
    const runs = new Map<string, number>();
    const worker = world.worker(
      (event) => {
        const name = event.data.orderId;
        runs.set(name, (runs.get(name) ?? 0) + 1);
        return name === 'odd' ? (run() as undefined) : undefined;
      },
      { subscriber },
    );
    const records = batchOf('mate-0', 'odd', 'mate-1');
    const attempts = subscriber === 'email' ? 3 : 5;
    expect(await worker.run(records)).toEqual(['odd']);
    expect(recordOf(world, 'odd', subscriber)).toMatchObject({ state: 'RELEASED', attempts: '1' });
    for (const mate of ['mate-0', 'mate-1']) {
      expect(runs.get(mate)).toBe(1);
      expect(recordOf(world, mate, subscriber)?.state).toBe('COMPLETED');
    }
    let record = records[1]!;
    for (let delivery = 2; world.sqs.letters.length === 0 && delivery < 10; delivery++) {
      record = again(record);
      await worker.run([record]);
    }
    expect(runs.get('odd')).toBe(attempts);
    expect(world.sqs.letters).toHaveLength(1);
    expect(world.sqs.letters[0]?.MessageBody).toBe(record.body);
    expect(world.sqs.letters[0]?.MessageAttributes).toMatchObject({
      'sluice-reason': { StringValue: 'attempts' },
      'sluice-attempts': { StringValue: String(attempts) },
    });
    const text = world.sqs.letters[0]?.MessageAttributes?.['sluice-error']?.StringValue ?? '';
    expect(text).toMatch(/^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]{3,1024}$/u);
    expect(JSON.stringify([...world.dynamodb.items(table).values()])).not.toMatch(/\\ud[89a-f]/);
    expect(world.log.join()).not.toContain('broken off: what is not done');
  }
});

describe('18: all of this holds in every posture', () => {
  it.each(['transactional', 'atLeastOnce', 'atMostOnce'] as const)(
    '%s: what a handler throws',
    async (effects) => {
      for (const [, make] of thrown)
        for (const how of ['throws', 'rejects'] as const)
          await failsAlone(effects, () => {
            if (how === 'rejects') return Promise.reject(make());
            throw make();
          });
    },
  );

  it.each(['transactional', 'atLeastOnce', 'atMostOnce'] as const)(
    '%s: a proxy that throws at the n-th look',
    async (effects) => {
      for (let looks = 0; looks < 20; looks++)
        await failsAlone(effects, () => Promise.reject(hostile(looks)));
    },
  );

  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['null', () => null],
    ['a text', () => 'writes'],
    ['an object', () => ({ Put: {} })],
    ['a hole', () => new Array(3)],
    ['a list of nothing', () => [undefined]],
    ['a list of null', () => [null]],
    ['a list of numbers', () => [7]],
    ['a list of empty objects', () => [{}]],
    ['a bigint', () => [{ Put: { TableName: 't', Item: { pk: { N: 1n } } } }]],
    [
      'a circle',
      () => {
        const item: Record<string, unknown> = {};
        item.Put = item;
        return [item];
      },
    ],
    ['a proxy', () => [hostile(0)]],
    ['a proxy of a list', () => new Proxy([], { get: raise })],
    ['getters that throw', () => [withGetters({}, ['Put', 'Update', 'Delete', 'ConditionCheck'])]],
    [
      'a hundred writes',
      () =>
        Array.from({ length: 100 }, (_, index) => ({
          Put: { TableName: 't', Item: { pk: { S: `${index}` } } },
        })),
    ],
  ])('transactional: writes that are none: %s', async (_, make) => {
    await failsAlone('transactional', make);
  });

  /** Whatever the posture: the mates are done at the first delivery, the odd one ends as a letter, and runs no more. */
  async function failsAlone(effects: Effects, run: () => unknown) {
    const world = createWorld({ effects });
    const runs = new Map<string, number>();
    const worker = world.worker((event) => {
      const name = event.data.orderId;
      runs.set(name, (runs.get(name) ?? 0) + 1);
      return (name === 'odd' ? run() : []) as undefined;
    });
    const records = batchOf('mate-0', 'odd', 'mate-1');
    let open = await worker.run(records);
    // Nobody but the odd one; that is a letter at once where another try makes no sense.
    expect(open.filter((id) => id !== 'odd')).toEqual([]);
    let record = records[1]!;
    for (let delivery = 2; open.length > 0 && delivery < 10; delivery++) {
      record = again(record);
      open = await worker.run([record]);
    }
    expect([runs.get('mate-0'), runs.get('mate-1')]).toEqual([1, 1]);
    expect(world.sqs.letters).toHaveLength(1);
    expect(world.sqs.letters[0]?.MessageAttributes?.['sluice-reason']?.StringValue).toMatch(
      /^(attempts|permanent)$/,
    );
    expect(world.log.join()).not.toContain('broken off: what is not done');
  }
});

describe('18: whatever a handler does to what it is given decides nothing', () => {
  it.each<[string, (event: Record<string, unknown>, context: Record<string, unknown>) => void]>([
    ['changes the data', (event) => Object.assign(event.data as object, { orderId: 'other', more: {} })],
    [
      'changes the envelope',
      (event) => Object.assign(event, { id: 'other', source: 7, type: null, data: undefined }),
    ],
    [
      'empties the envelope',
      (event) => {
        for (const name of Object.keys(event)) delete event[name];
      },
    ],
    ['lays traps in the envelope', (event) => void withGetters(event, ['id', 'source', 'type', 'data'])],
    [
      'freezes event and context',
      (event, context) => {
        Object.freeze(event);
        Object.freeze(context);
      },
    ],
    [
      'changes the context',
      (_, context) => Object.assign(context, { attempt: 99, fence: -1, deadline: 0, commitWith: undefined }),
    ],
    [
      'takes the prototypes away',
      (event, context) => {
        Object.setPrototypeOf(event, null);
        Object.setPrototypeOf(context, null);
      },
    ],
    [
      'logs what cannot be looked at',
      (_, { logger }) => (logger as Logger).info('x', hostile(0) as LogFields),
    ],
    ['logs a getter that throws', (_, { logger }) => (logger as Logger).warn('x', withGetters({}, ['a']))],
  ])('it %s', async (_, act) => {
    for (const fails of [false, true]) {
      const world = createWorld();
      const worker = world.worker((event, context) => {
        if (event.data.orderId !== 'odd') return;
        act(event as never, context as never);
        if (fails) throw new Error('down');
      });
      const records = batchOf('mate-0', 'odd', 'mate-1');
      expect(await worker.run(records)).toEqual(fails ? ['odd'] : []);
      expect(recordOf(world, 'odd')).toMatchObject({
        state: fails ? 'RELEASED' : 'COMPLETED',
        attempts: fails ? '1' : '0',
      });
      expect(recordOf(world, 'mate-1')?.state).toBe('COMPLETED');
      // Neither is a redelivery taken for another event, nor for another payload.
      expect(await worker.run([again(records[1]!)])).toEqual(fails ? ['odd'] : []);
      expect(world.sqs.letters).toEqual([]);
      if (fails)
        expect(world.log.filter((line) => line.includes('A try failed')).join()).toContain(
          'order.placed:odd',
        );
    }
  });

  it('a logger, a metrics sink or a predicate that answers with promises decides nothing either', async () => {
    const world = createWorld();
    const later = async () => {
      throw new Error('broken');
    };
    const worker = world.worker(raise, {
      logger: { debug: later, info: later, warn: later, error: later },
      metrics: { record: later },
      permanent: (async () => true) as unknown as (error: Error) => boolean,
    });
    expect(await worker.run(batchOf('odd'))).toEqual(['odd']);
    expect(recordOf(world, 'odd')).toMatchObject({ state: 'RELEASED', attempts: '1' });
  });
});

describe('18: what a handler leaves behind is not taken for done', () => {
  it('a promise that is left alone and rejects ends the process, and nothing else: the leaker is found, its mates are done', async () => {
    const script = fileURLToPath(new URL('./support/leaking.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script]);
    const mates = ['a', 'b', 'c', 'd', 'e'];
    const each = <Value>(value: Value) => Object.fromEntries(mates.map((mate) => [mate, value]));
    expect(JSON.parse(stdout)).toEqual({
      // Once in the crowd, where nobody knew who it was, then alone, as often as attempts are allowed.
      deaths: 4,
      runs: { ...each(2), 'leaks at once': 4, 'leaks a commit': 4 },
      states: { ...each('COMPLETED'), 'leaks at once': 'FAILED', 'leaks a commit': 'FAILED' },
      letters: [
        ['leaks at once', 'crash'],
        ['leaks a commit', 'attempts'],
      ],
    });
  });

  it('a commit that failed, and to which nobody listened, fails the try, however long ago it was', async () => {
    const missing = {
      Update: {
        TableName: 't',
        Key: { pk: { S: 'x' } },
        UpdateExpression: 'SET n = :n',
        ConditionExpression: 'n >= :n',
        ExpressionAttributeValues: { ':n': { N: '1' } },
      },
    };
    for (const heard of [true, false]) {
      const world = createWorld();
      const worker = world.worker(async (_, context) => {
        const commit = context.commitWith([missing]);
        if (heard) await commit.catch(() => undefined);
        await new Promise<void>((resolve) => void world.clock.after(milliseconds(5_000), resolve));
      });
      expect(await worker.run(batchOf('odd'))).toEqual(heard ? [] : ['odd']);
      expect(recordOf(world, 'odd')?.state).toBe(heard ? 'COMPLETED' : 'RELEASED');
      if (!heard) expect(world.log.join()).toContain('ConditionFailed');
    }
  });

  it('timers and calls of a run that is over change nothing, at whichever moment they come', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 120_000 }), fc.boolean(), async (delay, fails) => {
        const world = createWorld();
        const outcomes: string[] = [];
        const worker = world.worker((_, context) => {
          world.clock.after(milliseconds(delay), () => {
            context.logger.info('late');
            void context.signal.aborted;
            context.commitWith([]).then(
              () => outcomes.push('committed'),
              (error: Error) => outcomes.push(error.name),
            );
          });
          if (fails) throw new Error('down');
        });
        const record = message('odd', { messageId: 'odd' });
        expect(await worker.run([record])).toEqual(fails ? ['odd'] : []);
        const before = recordOf(world, 'odd');
        await world.clock.advance(milliseconds(200_000));
        expect(outcomes).toEqual(['LeaseLost']);
        expect(recordOf(world, 'odd')).toEqual(before);
      }),
      { numRuns: 30 },
    );
  });
});

const batchOf = (...names: string[]) => names.map((name) => message(name, { messageId: name, group: name }));

describe('18: whatever is mixed into a batch, what is good is done, and what is bad lies aside whole, with its reason', () => {
  it('for any bodies, attributes and receive counts, with letters that cannot be sent at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyMessage, { minLength: 1, maxLength: 12 }),
        fc.array(fc.boolean(), { maxLength: 6 }),
        async (messages, letterFails) => {
          const world = createWorld();
          const failures = [...letterFails];
          world.sqs.intercept = ({ name }, phase) => {
            if (name === 'SendMessage' && phase === 'before' && failures.shift())
              throw serviceError('ServiceUnavailable', {}, 'server');
          };
          const seen: string[] = [];
          const worker = world.worker((event) => {
            seen.push(event.data.orderId);
            if (event.data.orderId.startsWith('never')) throw new PermanentError('never');
            if (event.data.orderId.startsWith('fails')) throw new Error('down');
          });
          const records = messages.map(({ kind, ...rest }, index) => toRecord(`${kind}-${index}`, rest));
          let open = records;
          for (let delivery = 1; open.length > 0; delivery++) {
            expect(delivery).toBeLessThan(20);
            const response = await finish(world.clock, worker.start(open));
            expect(Object.keys(response)).toEqual(['batchItemFailures']);
            const ids = response.batchItemFailures.map((failure) => failure.itemIdentifier);
            expect(new Set(ids).size).toBe(ids.length);
            expect(open.map((record) => record.messageId)).toEqual(expect.arrayContaining(ids));
            if (delivery === 1) expect(ids.filter((id) => id.startsWith('good'))).toEqual([]);
            // What is acknowledged was done, was not asked for, or lies aside: each is counted, nothing is silent.
            const { processed, duplicates, expired, unwanted, deadLettered } = world.measures.at(-1)!;
            const letters = [...deadLettered.values()].reduce((sum, count) => sum + count, 0);
            expect(processed + duplicates + expired + unwanted + letters).toBe(open.length - ids.length);
            open = open.filter((record) => ids.includes(record.messageId)).map(again);
          }
          for (const { messageId, body } of records) {
            const runs = seen.filter((name) => name === messageId).length;
            const letters = world.sqs.letters.filter((letter) => letter.MessageBody === body).length;
            if (messageId.startsWith('good')) expect([runs, letters]).toEqual([1, 0]);
            if (messageId.startsWith('never')) expect([runs, letters]).toEqual([1, 1]);
            if (messageId.startsWith('fails')) expect([runs, letters]).toEqual([3, 1]);
          }
          for (const letter of world.sqs.letters) {
            const originals = records.filter((record) => record.body === letter.MessageBody);
            expect(originals.some((original) => isWhole(letter, original))).toBe(true);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  /** A letter with every attribute of the message, a reason where there is room, and no more than SQS takes. */
  function isWhole(letter: SendMessageCommandInput, { body, messageAttributes }: SqsRecord): boolean {
    const attributes = letter.MessageAttributes ?? {};
    const kept = Object.entries(messageAttributes).filter(([name]) => !ourNames.includes(name));
    const bytes = Object.entries(attributes).map(
      ([name, { DataType, StringValue, BinaryValue }]) =>
        Buffer.byteLength(`${name}${DataType}`) +
        (BinaryValue?.byteLength ?? Buffer.byteLength(StringValue ?? '')),
    );
    const total = bytes.reduce((sum, size) => sum + size, Buffer.byteLength(body));
    const packed = attributes['sluice-failure']?.StringValue;
    const reason =
      attributes['sluice-reason']?.StringValue ??
      (packed && (JSON.parse(packed) as { reason: string }).reason);
    return (
      kept.every(([name, value]) => {
        const found = attributes[name];
        return (
          found?.DataType === value.dataType &&
          (value.binaryValue === undefined
            ? found.StringValue === value.stringValue
            : Buffer.from(found.BinaryValue!).toString('base64') === value.binaryValue)
        );
      }) &&
      bytes.length <= 10 &&
      total <= mostBytes &&
      (kept.length === 10 || total > mostBytes - 200 || reasons.includes(reason ?? ''))
    );
  }
});

const reasons = ['undecodable', 'schema', 'conflict', 'permanent', 'attempts'];
const ourNames = ['sluice-reason', 'sluice-attempts', 'sluice-error', 'sluice-failed-at', 'sluice-failure'];
/** SQS quotas. */
const mostBytes = 1_048_576;

/** What SQS takes as text. */
const legalText = (options: { readonly minLength?: number; readonly maxLength?: number }) =>
  fc
    .string({ unit: 'binary', ...options })
    .map((text) => text.replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, ' '));

const anyAttribute: fc.Arbitrary<SqsRecordAttribute> = fc.oneof(
  legalText({ minLength: 1, maxLength: 20 }).map((stringValue) => ({ dataType: 'String', stringValue })),
  fc.integer().map((value) => ({ dataType: 'Number.int', stringValue: String(value) })),
  fc.uint8Array({ minLength: 1, maxLength: 20 }).map((bytes) => ({
    dataType: 'Binary',
    binaryValue: Buffer.from(bytes).toString('base64'),
  })),
);

const anyAttributes = fc.dictionary(
  fc.oneof(
    fc.constantFrom('type', 'traceparent', 'constructor', 'toString', 'Sluice-Reason', ...ourNames),
    fc.stringMatching(/^[A-Za-z0-9_-]{1,30}$/).filter((name) => name !== '__proto__'),
  ),
  anyAttribute,
  { maxKeys: 10, noNullPrototype: true },
);

/** An event with one member changed for the worse, or for something else. */
const changedEvent = fc
  .record({
    name: fc.constantFrom(
      'specversion',
      'id',
      'source',
      'type',
      'time',
      'expirytime',
      'data',
      'sequence',
      'data_base64',
      'datacontenttype',
      'Type',
      'Message',
    ),
    value: fc.jsonValue(),
  })
  .map(({ name, value }) =>
    JSON.stringify({ ...(JSON.parse(message('changed').body) as object), [name]: value }),
  );

const anyBody = fc.oneof(
  legalText({ minLength: 1, maxLength: 60 }),
  fc.json(),
  changedEvent,
  fc.tuple(changedEvent, fc.nat()).map(([body, cut]) => body.slice(0, 1 + (cut % body.length))),
  fc.oneof(changedEvent, fc.json()).map((body) => JSON.stringify({ Type: 'Notification', Message: body })),
  fc.constantFrom('[', '{"a":').map((open) => open.repeat(20_000)),
);

const anyMessage = fc.record({
  kind: fc.constantFrom('good', 'never', 'fails', 'any', 'any'),
  body: anyBody,
  attributes: anyAttributes,
  receives: fc.constantFrom('1', '7', '0', '-1', '', 'x', '99999999999999999999'),
  /** Bytes that SQS's bound has left. */
  room: fc.oneof(
    { weight: 60, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 400 }) },
  ),
});

function toRecord(
  name: string,
  {
    body,
    attributes,
    receives,
    room,
  }: Omit<typeof anyMessage extends fc.Arbitrary<infer Value> ? Value : never, 'kind'>,
): SqsRecord {
  const attributeBytes = Object.entries(attributes).reduce(
    (sum, [key, { dataType, stringValue, binaryValue }]) =>
      sum +
      Buffer.byteLength(key + dataType) +
      (stringValue === undefined
        ? Buffer.from(binaryValue!, 'base64').byteLength
        : Buffer.byteLength(stringValue)),
    0,
  );
  const padded = (pad: string) => message(name, { data: { orderId: name, pad } }).body;
  const pad =
    room === undefined ? '' : 'x'.repeat(mostBytes - room - attributeBytes - Buffer.byteLength(padded('')));
  const record = message(name, {
    messageId: name,
    attributes,
    body: name.startsWith('any') ? body : padded(pad),
  });
  return { ...record, attributes: { ...record.attributes, ApproximateReceiveCount: receives } };
}
