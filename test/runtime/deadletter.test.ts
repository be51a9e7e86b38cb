import fc from 'fast-check';
import { defineMessaging, event, minutes } from 'sluice';
import { consume, PermanentError, publisher, RetryLater } from 'sluice/lambda';
import { createHarness } from 'sluice/local';
import { describe, expect, it } from 'vitest';
import { letterAttributes } from '../../lambda/runtime/deadletter.ts';
import { describeError } from '../../lambda/runtime/errors.ts';
import { milliseconds, seconds } from '../../lib/topology/index.ts';
import { serviceError } from './support/dynamodb.ts';
import { again, asLetter, createWorld, message, OrderPlaced, recordOf } from './support/world.ts';

const facts = { reason: 'permanent', attempts: 3, subscriber: 'email' } as const;

describe('what cannot succeed goes aside, with its reason', () => {
  it('the letter has the body byte for byte, every attribute, the group, reason, attempts, error and time', async () => {
    const world = createWorld();
    const worker = world.worker(() => {
      throw new PermanentError('the card is unknown');
    });
    const record = message('1', {
      group: 'g',
      attributes: {
        tenant: { dataType: 'String', stringValue: 'ä' },
        count: { dataType: 'Number', stringValue: '7' },
        blob: { dataType: 'Binary', binaryValue: Buffer.from([0, 255]).toString('base64') },
      },
    });
    await worker.run([record]);
    expect(world.sqs.letters[0]).toEqual({
      QueueUrl: 'http://127.0.0.1/1/dead',
      MessageBody: record.body,
      MessageGroupId: 'g',
      MessageAttributes: {
        tenant: { DataType: 'String', StringValue: 'ä' },
        count: { DataType: 'Number', StringValue: '7' },
        blob: { DataType: 'Binary', BinaryValue: Buffer.from([0, 255]) },
        'sluice-reason': { DataType: 'String', StringValue: 'permanent' },
        'sluice-attempts': { DataType: 'Number', StringValue: '1' },
        'sluice-error': { DataType: 'String', StringValue: 'PermanentError: the card is unknown' },
        'sluice-failed-at': { DataType: 'String', StringValue: '2026-01-01T00:00:00.000Z' },
        'sluice-failure': { DataType: 'String', StringValue: expect.any(String) },
      },
    });
  });

  it('the trace goes on: the header of X-Ray, and `traceparent` where the original had it', async () => {
    const world = createWorld();
    const worker = world.worker(() => {
      throw new PermanentError('never');
    });
    const traceparent = {
      dataType: 'String',
      stringValue: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    };
    const header = 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1';
    const record = message('1', { attributes: { traceparent } });
    await worker.run([{ ...record, attributes: { ...record.attributes, AWSTraceHeader: header } }]);
    expect(world.sqs.letters[0]).toMatchObject({
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: header } },
      MessageAttributes: { traceparent: { DataType: 'String', StringValue: traceparent.stringValue } },
    });
  });

  it('one attribute says everything: class, message and stack, first and last failure, subscriber, version, message', async () => {
    const world = createWorld({ random: { next: () => 0.999 } });
    const worker = world.worker(function charge() {
      throw new TypeError('the card is unknown');
    });
    let record = message('1', { messageId: 'original' });
    for (let receives = 0; receives < 3; receives++) {
      await worker.run([record]);
      await world.clock.advance(milliseconds(60_000));
      record = again(record);
    }
    const { stack, ...failure } = JSON.parse(
      world.sqs.letters[0]!.MessageAttributes!['sluice-failure']!.StringValue!,
    );
    expect(failure).toEqual({
      reason: 'attempts',
      class: 'TypeError',
      message: 'the card is unknown',
      attempts: 3,
      firstFailedAt: '2026-01-01T00:00:00.000Z',
      failedAt: '2026-01-01T00:02:00.000Z',
      subscriber: 'email',
      functionVersion: '7',
      messageId: 'original',
    });
    // Frames only: class and message stand beside them.
    expect(stack).toMatch(/^at .*charge .*\n/);
    expect(stack.length).toBeLessThanOrEqual(4_096);
  });

  it('nothing that an event carries is on it or in the record, though the error quotes it: not even cut', async () => {
    const world = createWorld();
    const secret = 'SECRET-4111-1111-1111-1111';
    const worker = world.worker((event) => {
      const error = new PermanentError(
        `no card ${secret}, amount 1234567 of ${JSON.stringify(event)} (${secret.slice(0, 20)}...)`,
      );
      error.stack += `\n    at ${secret}`;
      throw error;
    });
    const record = message('1', { data: { orderId: '1', card: { number: secret }, amount: 1_234_567 } });
    await worker.run([record]);
    const [letter] = world.sqs.letters;
    expect(letter?.MessageBody).toBe(record.body);
    for (const text of [
      JSON.stringify(letter?.MessageAttributes),
      JSON.stringify(recordOf(world, '1')),
      world.log.join('\n'),
    ]) {
      expect(text).toContain('no card [data], amount [data] of');
      expect(text).not.toMatch(/SECRET|1234567/);
    }
  });

  it('whatever is in an error’s text, halves of emoji included, SQS takes the letter', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
          maxLength: 1_200,
        }),
        (text) => {
          const error = describeError(new Error(text), 1_000);
          const letter = letterAttributes(message('1'), { ...facts, error, stack: text }, milliseconds(0));
          // SQS API reference, SendMessage: the characters that a text may have.
          for (const name of ['sluice-error', 'sluice-failure'])
            expect(letter[name]?.StringValue).toMatch(
              /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u,
            );
        },
      ),
      { numRuns: 200, examples: [[`${'x'.repeat(992)}😀😀`], [`${'x'.repeat(991)}😀😀`]] },
    );
  });

  it('never more than ten attributes nor more bytes than SQS takes, and never less than the original', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10 }),
        fc.string({ unit: 'grapheme', maxLength: 3_000 }),
        fc.constantFrom(0, 1_048_000, 1_048_400, 1_048_570),
        (count, error, bodyBytes) => {
          const original = Object.fromEntries(
            Array.from({ length: count }, (_, index) => [
              `a${index}`,
              { dataType: 'String', stringValue: 'x' },
            ]),
          );
          const body = 'b'.repeat(Math.max(0, bodyBytes - count * 9));
          const record = { ...message('1', { attributes: original }), body };
          const attributes = letterAttributes(record, { ...facts, error, stack: 'at x' }, milliseconds(0));
          expect(Object.keys(attributes).length).toBeLessThanOrEqual(10);
          expect(attributes).toMatchObject(
            Object.fromEntries(
              Object.keys(original).map((name) => [name, { DataType: 'String', StringValue: 'x' }]),
            ),
          );
          let bytes = Buffer.byteLength(body);
          for (const [name, value] of Object.entries(attributes))
            bytes += Buffer.byteLength(name + value.DataType + value.StringValue);
          expect(bytes).toBeLessThanOrEqual(1_048_576);
          const failure = attributes['sluice-failure']?.StringValue;
          if (count < 10 && bodyBytes === 0)
            expect(JSON.parse(failure!)).toMatchObject({ reason: 'permanent', stack: 'at x' });
          if (count === 10) expect(failure).toBeUndefined();
          if (bodyBytes === 0)
            expect(attributes['sluice-reason']?.StringValue).toBe(count <= 5 ? 'permanent' : undefined);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('where the bytes are short the stack gives way first, then the message, then the rest', () => {
    const seen = new Set<string>();
    for (let room = 100; room < 8_000; room += 50) {
      const record = { ...message('1'), body: 'b'.repeat(1_048_576 - room) };
      const told = { ...facts, error: `Error: ${'m'.repeat(900)}`, stack: 's'.repeat(4_000) };
      const text = letterAttributes(record, told, milliseconds(0))['sluice-failure']?.StringValue;
      if (text === undefined) continue;
      const failure = JSON.parse(text) as Record<string, string>;
      expect(failure.reason).toBe('permanent');
      if (failure.stack !== undefined) expect(failure.message).toHaveLength(900);
      if (failure.message !== undefined) expect(failure.subscriber).toBe('email');
      seen.add(Object.keys(failure).sort().join());
    }
    expect(seen.size).toBeGreaterThanOrEqual(4);
  });

  it('if the copy cannot be sent the message is returned, and sent as a letter next time without another try', async () => {
    const world = createWorld();
    let runs = 0;
    const worker = world.worker(() => {
      runs++;
      throw new PermanentError('never');
    });
    world.sqs.intercept = ({ name }) => {
      if (name === 'SendMessage') throw serviceError('ServiceUnavailable', {}, 'server');
    };
    const record = message('1', { messageId: '1' });
    expect(await worker.run([record])).toEqual(['1']);
    expect(recordOf(world, '1')).toMatchObject({ state: 'FAILED', reason: 'permanent' });

    world.sqs.intercept = undefined;
    const failedAt = new Date(world.clock.now()).toISOString();
    await world.clock.advance(milliseconds(60_000));
    expect(await worker.run([again(record)])).toEqual([]);
    expect(runs).toBe(1);
    expect(world.sqs.letters[0]?.MessageAttributes).toMatchObject({
      'sluice-failed-at': { StringValue: failedAt },
      'sluice-failure': { StringValue: expect.stringContaining(`"firstFailedAt":"${failedAt}"`) },
      'sluice-reason': { StringValue: 'permanent' },
      'sluice-error': { StringValue: 'PermanentError: never' },
    });
  });

  it('one that SQS moved aside itself, since its letter could never be sent, is not swallowed when it is redriven', async () => {
    const world = createWorld();
    let healed = false;
    const worker = world.worker(() => {
      if (!healed) throw new PermanentError('never');
    });
    world.sqs.intercept = ({ name }) => {
      if (name === 'SendMessage') throw serviceError('AccessDenied');
    };
    expect(await worker.run([message('1', { messageId: '1' })])).toEqual(['1']);

    world.sqs.intercept = undefined;
    healed = true;
    await world.clock.advance(milliseconds(60_000));
    // As a redrive sends it: another id, another time, and nothing of ours on it.
    const sentAt = world.clock.now();
    expect(await worker.run([message('1', { messageId: '2', sentAt })])).toEqual([]);
    expect(world.sqs.letters).toHaveLength(1);
    const { MessageAttributes: carried = {} } = world.sqs.letters[0]!;
    const attributes = Object.fromEntries(
      Object.entries(carried).map(([name, { DataType, StringValue }]) => [
        name,
        { dataType: DataType!, stringValue: StringValue! },
      ]),
    );
    expect(await worker.run([message('1', { messageId: '3', sentAt, attributes })])).toEqual([]);
    expect(recordOf(world, '1')).toMatchObject({ state: 'COMPLETED' });
  });

  it('a letter that could not be sent is sent although its event has expired meanwhile', async () => {
    const world = createWorld();
    const worker = world.worker(() => {
      throw new PermanentError('never');
    });
    world.sqs.intercept = ({ name }) => {
      if (name === 'SendMessage') throw serviceError('ServiceUnavailable', {}, 'server');
    };
    const record = message('1', { messageId: '1', event: { expirytime: '2026-01-01T00:00:20.000Z' } });
    expect(await worker.run([record])).toEqual(['1']);

    world.sqs.intercept = undefined;
    await world.clock.advance(milliseconds(60_000));
    expect(await worker.run([again(record)])).toEqual([]);
    expect(world.sqs.letters).toHaveLength(1);
  });

  it.each(['before', 'after'] as const)(
    'who dies %s the letter was sent: it is sent again, and the event is not tried again',
    async (moment) => {
      const shop = defineMessaging({
        name: 'shop',
        topics: { orders: {} },
        events: { placed: event({ topic: 'orders', schema: OrderPlaced, key: ({ orderId }) => orderId }) },
        subscribers: { it: { on: ['placed'], handler: 'it.ts', lag: seconds(60), timeout: seconds(20) } },
      });
      let runs = 0;
      const harness = await createHarness(shop, {
        handlers: {
          it: (tools) =>
            consume(
              shop,
              'it',
              () => {
                if (runs++ === 0) throw new PermanentError('never');
              },
              tools,
            ),
        },
      });
      harness.befall({ subscriber: 'it', action: 'SendMessage', moment, at: 1, effect: 'crash' });
      await publisher(shop, harness.tools).publish('placed', { orderId: '1' });
      await harness.drain(minutes(30));
      expect(runs).toBe(1);
      const letters = await harness.deadLetters('it');
      expect(letters.map(({ attributes }) => attributes['sluice-reason'])).toEqual(
        Array(moment === 'before' ? 1 : 2).fill('permanent'),
      );
      harness.stop();
    },
  );

  it('a letter that is redriven runs again with all its attempts; a late copy of the buried delivery does not', async () => {
    const world = createWorld();
    let heal = false;
    let runs = 0;
    const attempts: number[] = [];
    const worker = world.worker((_, context) => {
      runs++;
      attempts.push(context.attempt);
      if (!heal) throw new PermanentError('never');
    });
    const record = message('1', { messageId: 'buried' });
    await worker.run([record]);
    expect(recordOf(world, '1')).toMatchObject({ state: 'FAILED', letter: 'buried' });

    expect(await worker.run([again(record)])).toEqual([]);
    expect(runs).toBe(1);
    heal = true;
    expect(await worker.run([message('1', { messageId: 'redriven', attributes: asLetter })])).toEqual([]);
    expect(attempts).toEqual([1, 1]);
    expect(recordOf(world, '1')).toMatchObject({ state: 'COMPLETED', fence: '2' });
    expect(recordOf(world, '1')?.reason).toBeUndefined();
  });

  it('a further message of a dead-lettered event is a copy, or a letter of its own when it was sent later; only a letter that is sent again opens it', async () => {
    const world = createWorld();
    let runs = 0;
    const worker = world.worker(() => {
      runs++;
      throw new PermanentError('never');
    });
    const sentAt = world.clock.now();
    const first = message('1', { messageId: 'first', sentAt });
    const copy = message('1', { messageId: 'copy', sentAt: sentAt + 10 });
    await world.clock.advance(milliseconds(60_000));
    expect(await worker.run([first])).toEqual([]);
    expect(await worker.run([copy])).toEqual([]);
    expect(world.sqs.letters).toHaveLength(1);
    const late = message('1', { messageId: 'published again', sentAt: world.clock.now() + 60_000 });
    expect(await worker.run([late])).toEqual([]);
    expect(runs).toBe(1);
    expect(world.sqs.letters).toHaveLength(2);

    const redriven = message('1', { messageId: 'redriven', attributes: asLetter });
    expect(await worker.run([redriven])).toEqual([]);
    expect(runs).toBe(2);
    expect(recordOf(world, '1')).toMatchObject({ state: 'FAILED', letter: 'redriven' });
    // The copies are no redrives of the new letter either: they do not open it by turns.
    for (const each of [first, copy, late]) expect(await worker.run([again(each)])).toEqual([]);
    expect(runs).toBe(2);
  });

  it('a letter that had no room to say that it is one is known by when it was sent', async () => {
    const world = createWorld();
    let runs = 0;
    const worker = world.worker(() => {
      runs++;
      throw new PermanentError('never');
    });
    const attributes = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`a${index}`, { dataType: 'String', stringValue: 'x' }]),
    );
    const sentAt = world.clock.now();
    await world.clock.advance(milliseconds(60_000));
    const run = (messageId: string, sent: number) =>
      worker.run([message('1', { messageId, sentAt: sent, attributes })]);
    await run('first', sentAt);
    await run('copy', sentAt + 10);
    expect(runs).toBe(1);
    await run('redriven', world.clock.now());
    expect(runs).toBe(2);
  });

  it('RetryLater chooses the wait; otherwise it is a random part of base x 2^(attempt-1) up to the cap', async () => {
    const world = createWorld({ random: { next: () => 0.999 } });
    let error: Error = new RetryLater({ after: seconds(120) });
    const worker = world.worker(() => {
      throw error;
    });
    await worker.run([message('1', { messageId: 'later' })]);
    expect(world.sqs.visibilityOf('later')).toBe(120);
    error = new Error('down');
    const record = message('2', { messageId: '2' });
    await worker.run([record]);
    expect(world.sqs.visibilityOf('2')).toBe(1);
    await worker.run([again(record)]);
    expect(world.sqs.visibilityOf('2')).toBe(2);
  });

  it('attempts are counted in the record: what the queue’s receive count says decides nothing', async () => {
    const world = createWorld();
    const attempts: number[] = [];
    const worker = world.worker((_, context) => {
      attempts.push(context.attempt);
      throw new Error('down');
    });
    const record = message('1', { messageId: '1', receives: 999 });
    expect(await worker.run([record])).toEqual(['1']);
    expect(attempts).toEqual([1]);
    expect(world.sqs.letters).toEqual([]);
  });

  it('no payload and no secret of a body gets into a log line', async () => {
    const world = createWorld();
    const worker = world.worker(() => {
      throw new Error('down');
    });
    await worker.run([
      message('1', { data: { orderId: '1', card: 'SECRET-4111' } }),
      message('2', { body: '{"card": "SECRET-4111", ' }),
      message('3', { data: { orderId: 7, card: 'SECRET-4111' } }),
    ]);
    expect(world.log.length).toBeGreaterThan(0);
    expect(world.log.join('\n')).not.toContain('SECRET');
  });
});
