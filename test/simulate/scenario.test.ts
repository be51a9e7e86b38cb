import { setTimeout as pause } from 'node:timers/promises';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { EventFor } from 'sluice';
import { hours, milliseconds, minutes, seconds } from 'sluice';
import { consume, type Handler, type HandlerContext, PermanentError, publisher } from 'sluice/lambda';
import { type HandlerFactory, type Simulation, simulate } from 'sluice/local';
import { describe, expect, test } from 'vitest';
import { arrive, place, shop, start } from './shop.ts';

type Charge = Handler<EventFor<typeof shop, 'payments'>>;

/** Charges in one transaction with the record, after so many seconds of work. */
const charging =
  (work: number) =>
  async (event: EventFor<typeof shop, 'payments'>, { commitWith }: HandlerContext): Promise<void> => {
    await pause(work * 1000);
    await commitWith([
      {
        Put: {
          TableName: 'charges',
          Item: {
            id: { S: event.data.id },
            cents: { N: String(event.data.cents) },
            at: { N: String((Date.now() - start) / 1000) },
          },
        },
      },
    ]);
  };
const paying =
  (charge: Charge): HandlerFactory =>
  (tools) =>
    consume(shop, 'payments', charge, tools);
const tables = { charges: 'id' };

describe('a scenario decides what happens to its workers', () => {
  test('one that is killed in the middle of its work: the effect happens once', () =>
    simulate(
      shop,
      { payments: paying(charging(20)) },
      async (simulation) => {
        await place(simulation, 'o-1');
        await simulation.advance(seconds(15));
        expect(simulation.kill('payments')).toBe(true);
        expect(simulation.kill('payments')).toBe(false);
        await simulation.drain();
        const [charge, ...others] = simulation.effects('charges');
        expect(charge).toMatchObject({ id: 'o-1', cents: 1200 });
        // The first worker would have charged at 20 s: its timer died with it.
        expect(charge?.at).toBeGreaterThan(15 + 20);
        expect(charge?.at).toBeLessThan(15 + 45 + 20);
        expect(others).toEqual([]);
        expect(simulation.deadLetters('payments')).toEqual([]);
      },
      { tables },
    ));

  test('one that stands still past its lease: another one does the work, and the first cannot', async () => {
    const ends: string[] = [];
    await simulate(
      shop,
      {
        payments: (tools) =>
          consume(
            shop,
            'payments',
            async (event, context) => {
              await charging(20)(event, context).then(
                () => ends.push('charged'),
                (error: Error) => {
                  ends.push(error.name);
                  throw error;
                },
              );
            },
            tools,
          ),
      },
      async (simulation) => {
        await place(simulation, 'o-1');
        await simulation.advance(seconds(15));
        expect(simulation.freeze('payments', seconds(60))).toBe(true);
        await simulation.drain();
        await simulation.advance(minutes(2));
        expect(simulation.effects('charges')).toHaveLength(1);
        expect(simulation.mishaps).toMatchObject([{ subscriber: 'payments', effect: { freeze: 60 } }]);
      },
      { tables },
    );
    expect(ends).toEqual(['charged', 'LeaseLost']);
  });

  test('one that dies between its commit and the answer, or is replaced by a new version', () =>
    simulate(
      shop,
      { payments: paying(charging(0)) },
      async (simulation) => {
        simulation.befall({ action: 'TransactWriteItems', moment: 'after', at: 1, effect: 'crash' });
        await place(simulation, 'o-1');
        await simulation.drain(hours(2));
        await simulation.deploy('payments');
        await place(simulation, 'o-2');
        await simulation.drain();
        expect(simulation.effects('charges').map(({ id }) => id)).toEqual(['o-1', 'o-2']);
        expect(simulation.mishaps).toMatchObject([{ call: 'after TransactWriteItems', effect: 'crash' }]);
      },
      { tables },
    ));

  test('one whose timer throws ends there, as on Lambda, and its event is tried again', async () => {
    let runs = 0;
    const logs = await simulate(
      shop,
      {
        readers: (tools) =>
          consume(
            shop,
            'readers',
            async () => {
              if (++runs > 1) return;
              setTimeout(() => {
                throw new Error('out of the blue');
              }, 1_000);
              await pause(60_000);
            },
            tools,
          ),
      },
      async (simulation) => {
        await arrive(simulation, 'one');
        await simulation.drain();
        return simulation.logs;
      },
    );
    expect(runs).toBe(2);
    expect(logs.filter(({ message }) => message.startsWith('A timer threw'))).toMatchObject([
      {
        level: 'error',
        fields: { subscriber: 'readers', error: expect.stringContaining('out of the blue') },
      },
    ]);
  });
});

describe('a scenario decides what fails', () => {
  test('single calls, and stretches in which a service is away', () =>
    simulate(
      shop,
      { payments: paying(charging(0)) },
      async (simulation) => {
        simulation.outage('dynamodb', minutes(3));
        const end = simulation.fail({
          service: 'sqs',
          action: 'ReceiveMessage',
          effect: { error: { name: 'InternalFailure', statusCode: 500 } },
        });
        await place(simulation, 'o-1');
        await simulation.advance(seconds(60));
        end();
        await simulation.drain();
        const [charge] = simulation.effects('charges');
        expect(charge?.at).toBeGreaterThan(180);
        expect(new Set(simulation.faults.map(({ service }) => service))).toEqual(
          new Set(['sqs', 'dynamodb']),
        );
        const { now, worst } = simulation.lag('payments');
        expect(now).toBe(0);
        expect(worst).toBe(charge?.at);
      },
      { tables },
    ));

  test.each(['sqs', 'sns'] as const)(
    '%s is away: a message on its way arrives later, and drain waits for it',
    (service) =>
      simulate(
        shop,
        { payments: paying(charging(0)) },
        async (simulation) => {
          simulation.fail({
            action: 'Deliver',
            at: 1,
            effect: { error: { name: 'InternalFailure', statusCode: 500 } },
          });
          simulation.outage(service, minutes(3));
          await place(simulation, 'o-1');
          await place(simulation, 'o-2');
          await simulation.drain();
          for (const charge of simulation.effects('charges')) expect(charge.at).toBeGreaterThanOrEqual(180);
          expect(simulation.effects('charges')).toHaveLength(2);
        },
        { tables, attempts: 20 },
      ),
  );

  test('and an outage that is ended earlier', () =>
    simulate(
      shop,
      { payments: paying(charging(0)) },
      async (simulation) => {
        const end = simulation.outage('dynamodb', minutes(30));
        await place(simulation, 'o-1');
        await simulation.advance(seconds(60));
        expect(simulation.lag('payments')).toEqual({ now: 60, worst: 60 });
        end();
        await simulation.drain(minutes(10));
      },
      { tables },
    ));

  test('time passes by itself while the scenario waits for a call of its own', () =>
    simulate(shop, {}, async (simulation) => {
      simulation.fail({
        action: 'Publish',
        at: [1, 2],
        effect: { error: { name: 'Throttled', statusCode: 500 } },
      });
      simulation.fail({ action: 'Publish', at: 2, effect: { delay: milliseconds(700) } });
      await arrive(simulation, 'one');
      expect(simulation.queue('readers').sent).toBe(1);
      expect(simulation.now()).toBeGreaterThan(start + 700);
      simulation.fail({ action: 'PublishBatch', at: 1, effect: { delay: milliseconds(5_000) } });
      const { failed } = await publisher(shop, simulation.tools).publishBatch([
        { type: 'arrived', data: { id: 'two' } },
      ]);
      expect(failed).toEqual([]);
      const { clock } = simulation.tools;
      await new Promise<void>((resolve) => clock.after(milliseconds(60_000), resolve));
      expect(simulation.now()).toBeGreaterThan(start + 65_700);
      expect(simulation.queue('readers').sent).toBe(2);
    }));
});

describe('a scenario sees what came of it', () => {
  test('dead letters with their reason, their error and the event', () =>
    simulate(
      shop,
      {
        readers: (tools) =>
          consume(
            shop,
            'readers',
            ({ data }) => {
              if (data.id === 'bad') throw new PermanentError('cannot be read');
              throw new TypeError('not today');
            },
            tools,
          ),
      },
      async (simulation) => {
        await arrive(simulation, 'bad', 'late');
        const { url } = simulation.queue('readers');
        await simulation.tools.sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'no event' }));
        const crowd = Object.fromEntries(
          Array.from({ length: 8 }, (_, index) => [`a${index}`, { DataType: 'String', StringValue: 'x' }]),
        );
        await simulation.tools.sqs.send(
          new SendMessageCommand({ QueueUrl: url, MessageBody: '[]', MessageAttributes: crowd }),
        );
        await simulation.drain();
        const letters = simulation.deadLetters('readers');
        expect(letters).toHaveLength(4);
        expect(letters).toEqual(
          expect.arrayContaining([
            expect.objectContaining({
              event: expect.objectContaining({ type: 'arrived', data: { id: 'bad' } }),
              reason: 'permanent',
              attempts: 1,
              error: expect.stringContaining('cannot be read'),
              failedAt: expect.stringMatching(/^2026-01-01T00:00:/),
            }),
            expect.objectContaining({
              event: expect.objectContaining({ data: { id: 'late' } }),
              reason: 'attempts',
              attempts: 5,
              error: expect.stringContaining('TypeError: not today'),
            }),
            expect.objectContaining({ event: undefined, body: 'no event', reason: 'undecodable' }),
            // Its facts are packed into one attribute: there is no room for more.
            expect.objectContaining({ event: undefined, body: '[]', reason: 'undecodable', attempts: 0 }),
          ]),
        );
      },
    ));

  test('effects as plain values, of tables by their key or by all that CreateTable takes', () =>
    simulate(
      shop,
      {},
      async (simulation) => {
        const nested = {
          list: { L: [{ N: '1.5' }, { NULL: true }, { BOOL: false }] },
          bytes: { B: Buffer.from('x') },
        };
        await simulation.tools.dynamodb.send(
          new PutItemCommand({
            TableName: 'lines',
            Item: {
              order: { S: 'o-1' },
              line: { N: '2' },
              ...nested,
              tags: { SS: ['a'] },
              big: { N: '12345678901234567890' },
            },
          }),
        );
        expect(simulation.effects('lines')).toEqual([
          {
            order: 'o-1',
            line: 2,
            list: [1.5, null, false],
            bytes: new Uint8Array(Buffer.from('x')),
            tags: new Set(['a']),
            big: '12345678901234567890',
          },
        ]);
        expect(simulation.effects('charges')).toEqual([]);
      },
      {
        tables: {
          charges: 'id',
          lines: {
            KeySchema: [
              { AttributeName: 'order', KeyType: 'HASH' },
              { AttributeName: 'line', KeyType: 'RANGE' },
            ],
            AttributeDefinitions: [
              { AttributeName: 'order', AttributeType: 'S' },
              { AttributeName: 'line', AttributeType: 'N' },
            ],
          },
        },
      },
    ));

  test('the lag of each subscriber, at this moment and at its worst', () =>
    simulate(
      shop,
      { payments: paying(charging(7)) },
      async (simulation) => {
        await place(simulation, 'o-1');
        await place(simulation, 'o-2');
        await arrive(simulation, 'unheard');
        await simulation.advance(seconds(10));
        expect(simulation.lag('readers')).toEqual({ now: 10, worst: 10 });
        await simulation.drain();
        expect(simulation.lag('payments').now).toBe(0);
        expect(simulation.lag('payments').worst).toBeGreaterThanOrEqual(7);
        expect(simulation.records()).toHaveLength(2);
      },
      { tables },
    ));

  test('what does not come to an end is named', async () => {
    const failing = (simulation: Simulation<typeof shop>) => simulation.drain(minutes(1));
    await expect(
      simulate(
        shop,
        {
          readers:
            () =>
            ({ Records }) => ({
              batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })),
            }),
        },
        async (simulation) => {
          await arrive(simulation, 'one');
          await failing(simulation);
        },
      ),
    ).rejects.toThrow(
      'After 60 s there are messages left: readers: 0 wait, 1 in flight. Nothing was logged of it.',
    );
  });

  test('two that move the clock at once take their turns', () =>
    simulate(shop, {}, async (simulation) => {
      await Promise.all([simulation.advance(seconds(10)), simulation.advance(seconds(20))]);
      expect(simulation.now()).toBe(start + 30_000);
    }));

  test('drain ends at the moment at which the last message is done', () =>
    simulate(
      shop,
      { payments: paying(charging(7)) },
      async (simulation) => {
        await place(simulation, 'o-1');
        expect(await simulation.drain()).toBeCloseTo(7, 1);
      },
      { tables },
    ));
});
