import { type MessageAttributeValue, SendMessageCommand } from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { milliseconds, minutes } from 'sluice';
import { consume, PermanentError, type SqsRecord } from 'sluice/lambda';
import { createHarness, type HarnessTools } from 'sluice/local';
import { describe, expect, it } from 'vitest';
import { parseEnvelope } from '../../lambda/runtime/envelope.ts';
import { Undeliverable } from '../../lambda/runtime/errors.ts';
import { corpus, type Entry, mostBytes } from '../corpus/corpus.ts';
import { serviceError } from '../runtime/support/dynamodb.ts';
import { again, createWorld, message, shop } from '../runtime/support/world.ts';

const entries = corpus();

describe('13: a message that can never succeed goes aside at once, with its reason', () => {
  it('permanent errors are dead-lettered at once, passing ones back off, and attempts end', async () => {
    const kinds = ['undecodable', 'schema', 'permanent', 'predicate', 'passing'] as const;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 8 }), async (plan) => {
        const world = createWorld();
        const runs = new Map<string, number>();
        const worker = world.worker(
          (event) => {
            const index = event.data.orderId;
            runs.set(index, (runs.get(index) ?? 0) + 1);
            if (plan[Number(index)] === 'permanent') throw new PermanentError('never');
            throw plan[Number(index)] === 'predicate' ? new TypeError('bug') : new Error('down');
          },
          { permanent: (error) => error instanceof TypeError },
        );
        const records = plan.map((kind, index) =>
          message(String(index), {
            messageId: String(index),
            ...(kind === 'undecodable' ? { body: 'no JSON' } : {}),
            ...(kind === 'schema' ? { data: { orderId: 7 } } : {}),
          }),
        );
        let open = records;
        for (let delivery = 1; delivery <= 3; delivery++) {
          const returned = await worker.run(open);
          const passing = plan.flatMap((kind, index) => (kind === 'passing' ? [String(index)] : []));
          expect(returned).toEqual(delivery < 3 ? passing : []);
          open = open.filter((record) => returned.includes(record.messageId)).map(again);
        }
        const reasons = {
          undecodable: 'undecodable',
          schema: 'schema',
          permanent: 'permanent',
          predicate: 'permanent',
          passing: 'attempts',
        };
        const letters = new Map(
          world.sqs.letters.map((letter) => [
            records.find((record) => record.body === letter.MessageBody)!.messageId,
            letter.MessageAttributes?.['sluice-reason']?.StringValue,
          ]),
        );
        for (const [index, kind] of plan.entries()) {
          if (kind !== 'undecodable') expect(letters.get(String(index))).toBe(reasons[kind]);
          const expected =
            kind === 'passing' ? 3 : kind === 'undecodable' || kind === 'schema' ? undefined : 1;
          expect(runs.get(String(index))).toBe(expected);
        }
        expect(world.sqs.letters).toHaveLength(plan.length);
      }),
      { numRuns: 30 },
    );
  });
});

describe('13: whatever comes in is handled, or goes aside with its reason, and its batch mates are done', () => {
  it('the corpus covers every fate, each entry once, and what it sends is what SQS takes', () => {
    const names = entries.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(entries.map(({ body }) => body)).size).toBe(entries.length);
    expect(entries.length).toBeGreaterThan(190);
    for (const { body } of entries) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(mostBytes);
  });

  it.each(['email', 'payments'] as const)('through the queue of %s', async (subscriber) => {
    const runs = new Map<string, number>();
    const measured = { unwanted: 0, expired: 0 };
    const harness = await createHarness(shop, {
      handlers: {
        [subscriber]: (tools: HarnessTools) =>
          consume(
            shop,
            subscriber,
            ({ data }) => void runs.set(data.orderId, (runs.get(data.orderId) ?? 0) + 1),
            {
              ...tools,
              metrics: {
                record(_, { unwanted, expired }) {
                  measured.unwanted += unwanted;
                  measured.expired += expired;
                },
              },
            },
          ),
      },
    });
    const { url } = harness.deployed.subscribers[subscriber]!.queue;
    const mates: string[] = [];
    const send = async (
      body: string,
      group: string,
      messageAttributes: SqsRecord['messageAttributes'] = {},
    ) =>
      harness.tools.sqs.send(
        new SendMessageCommand({
          QueueUrl: url,
          MessageBody: body,
          MessageAttributes: Object.fromEntries(
            Object.entries(messageAttributes).map(([name, value]) => [name, sent(value)]),
          ),
          ...(subscriber === 'payments'
            ? { MessageGroupId: group, MessageDeduplicationId: `${mates.length}` }
            : {}),
        }),
      );
    const mate = async (group: string) => {
      const name = `mate-${mates.length}`;
      mates.push(name);
      await send(message(name).body, group);
    };
    for (const [index, { body, messageAttributes }] of entries.entries()) {
      await mate(`group-${index}`);
      mates.push('');
      await send(body, `group-${index}`, messageAttributes);
      await mate(`group-${index}`);
    }
    await harness.drain(minutes(10));

    for (const name of mates.filter((text) => text !== '')) expect(runs.get(name), name).toBe(1);
    const letters = new Map(
      harness.aws.sqs
        .messages(harness.deployed.subscribers[subscriber]!.deadLetterQueue.arn)
        .map((letter) => [letter.body, letter]),
    );
    expect(letters.size).toBe(
      harness.aws.sqs.queue(harness.deployed.subscribers[subscriber]!.deadLetterQueue.arn)!.visible,
    );
    for (const entry of entries) {
      expect(runs.get(entry.name) ?? 0, entry.name).toBe(entry.fate === 'handled' ? 1 : 0);
      const letter = letters.get(entry.body);
      letters.delete(entry.body);
      expect(letter !== undefined, entry.name).toBe(entry.fate === 'undecodable' || entry.fate === 'schema');
      if (letter !== undefined) expectLetter(entry, letter.attributes);
    }
    expect([...letters.keys()]).toEqual([]);
    expect(measured).toEqual({ unwanted: count('unwanted'), expired: count('expired') });
    const reasons = harness.logs.flatMap(({ fields }) =>
      fields.reason === undefined ? [] : [fields.reason],
    );
    for (const fate of ['undecodable', 'schema'] as const)
      expect(reasons.filter((reason) => reason === fate)).toHaveLength(count(fate));
    expect(harness.logs.filter(({ message }) => /broken off|could not be/.test(message))).toEqual([]);
    harness.stop();
  });

  it('by direct invocation, between two mates', async () => {
    for (const entry of entries) {
      const world = createWorld();
      const runs: string[] = [];
      const worker = world.worker((event) => void runs.push(event.data.orderId));
      const record = message('x', { body: entry.body, attributes: entry.messageAttributes });
      expect(await worker.run([message('first'), record, message('last')]), entry.name).toEqual([]);
      expect(runs.sort(), entry.name).toEqual(
        ['first', 'last', ...(entry.fate === 'handled' ? [entry.name] : [])].sort(),
      );
      const isLetter = entry.fate === 'undecodable' || entry.fate === 'schema';
      expect(world.sqs.letters, entry.name).toHaveLength(isLetter ? 1 : 0);
      expect(world.measures[0], entry.name).toMatchObject({
        unwanted: entry.fate === 'unwanted' ? 1 : 0,
        expired: entry.fate === 'expired' ? 1 : 0,
        deadLettered: new Map(isLetter ? [[entry.fate, 1]] : []),
      });
      if (isLetter) expectLetter(entry, world.sqs.letters[0]!.MessageAttributes!);
    }
  });

  it('the decoder gives what handlers are promised, or says what is wrong, for any text', () => {
    const part = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('1.0', '2026-01-01T00:00:00Z', 'application/json', 'x', null),
    );
    const names = [
      ...[
        'specversion',
        'id',
        'source',
        'type',
        'time',
        'expirytime',
        'partitionkey',
        'sequence',
        'traceparent',
      ],
      ...['dataref', 'datacontenttype', 'data', 'data_base64', 'Type', 'Message', '__proto__', 'constructor'],
    ];
    const whole = JSON.parse(message('1').body) as object;
    const changed = fc
      .array(fc.tuple(fc.constantFrom(...names), part), { maxLength: 3 })
      .map((changes) => JSON.stringify(Object.fromEntries([...Object.entries(whole), ...changes])));
    const isText = (value: unknown) => value === undefined || typeof value === 'string';
    fc.assert(
      fc.property(
        fc.oneof({ weight: 4, arbitrary: changed }, fc.string({ unit: 'binary' }), fc.json()),
        (body) => {
          try {
            const read = parseEnvelope(body, () => milliseconds(0));
            expect(read.specversion).toBe('1.0');
            for (const name of ['id', 'source', 'type'] as const)
              expect(read[name].length).toBeGreaterThan(0);
            expect(new Date(read.time).getTime()).not.toBeNaN();
            expect(read.datacontenttype).toContain('json');
            for (const name of ['expirytime', 'partitionkey', 'sequence', 'traceparent', 'dataref'] as const)
              expect(isText(read[name])).toBe(true);
            expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
          } catch (error) {
            if (!(error instanceof Undeliverable)) throw error;
            expect(error.reason).toBe('undecodable');
            expect(error.message).toMatch(/expected|allowed/);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('what no queue can hold is not acknowledged either: SQS refuses the letter, and the message stays', async () => {
    for (const body of ['\u0000', `{"id":"${'\ud800'}"}`, '\uffff']) {
      const world = createWorld();
      world.sqs.intercept = ({ name }) => {
        if (name === 'SendMessage') throw serviceError('InvalidMessageContents');
      };
      const worker = world.worker(() => undefined);
      expect(await worker.run([message('first'), message('x', { messageId: 'x', body })])).toEqual(['x']);
    }
  });

  it('an invocation without the attributes of an event source is handled, or goes aside, all the same', async () => {
    const world = createWorld();
    const seen: string[] = [];
    const worker = world.worker((event) => void seen.push(event.data.orderId));
    const bare = ({ messageId, body }: SqsRecord) => ({ messageId, body }) as SqsRecord;
    const records = [bare(message('1')), bare(message('2', { body: 'no JSON' })), bare(message('3'))];
    expect(await worker.run(records)).toEqual([]);
    expect(seen).toEqual(['1', '3']);
    expect(world.sqs.letters).toHaveLength(1);
  });

  const count = (fate: Entry['fate']) => entries.filter((entry) => entry.fate === fate).length;

  /** Every original attribute, and the reason where there is room for it. */
  function expectLetter(entry: Entry, attributes: Record<string, MessageAttributeValue>) {
    const found = Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [name, canonical(value)]),
    );
    expect(Object.keys(attributes).length, entry.name).toBeLessThanOrEqual(10);
    const original = Object.entries(entry.messageAttributes).filter(([name]) => !ours.has(name));
    for (const [name, value] of original) expect(found[name], entry.name).toEqual(canonical(sent(value)));
    const reasons = {
      attributes: attributes['sluice-reason']?.StringValue,
      packed: (JSON.parse(attributes['sluice-failure']?.StringValue ?? '{}') as { reason?: string }).reason,
      log: undefined,
    };
    expect(reasons[entry.letter], entry.name).toBe(entry.letter === 'log' ? undefined : entry.fate);
    const bytes = Object.entries(attributes).reduce(
      (sum, [name, { DataType = '', StringValue, BinaryValue }]) =>
        sum +
        Buffer.byteLength(name + DataType) +
        (BinaryValue?.byteLength ?? Buffer.byteLength(StringValue ?? '')),
      Buffer.byteLength(entry.body),
    );
    expect(bytes, entry.name).toBeLessThanOrEqual(mostBytes);
  }

  const ours = new Set([
    'sluice-reason',
    'sluice-attempts',
    'sluice-error',
    'sluice-failed-at',
    'sluice-failure',
    'sluice-replay',
  ]);
  const sent = (value: SqsRecord['messageAttributes'][string]): MessageAttributeValue =>
    value.binaryValue === undefined
      ? { DataType: value.dataType, StringValue: value.stringValue }
      : { DataType: value.dataType, BinaryValue: Buffer.from(value.binaryValue, 'base64') };
  const canonical = ({ DataType, StringValue, BinaryValue }: MessageAttributeValue) => [
    DataType,
    StringValue ?? Buffer.from(BinaryValue!).toString('base64'),
  ];
});
