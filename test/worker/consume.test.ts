import * as fc from 'fast-check';
import { defineMessaging, event, minutes, seconds } from 'sluice';
import { consume, type HandlerContext, PermanentError, publisher } from 'sluice/lambda';
import { createHarness, modelClient } from 'sluice/local';
import { startWorker, type Worker } from 'sluice/worker';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { milliseconds, sleep } from '../../lib/base/index.ts';

const shop = defineMessaging({
  name: 'shop',
  topics: { orders: { fifo: true } },
  events: {
    placed: event({
      topic: 'orders',
      schema: v.object({ id: v.string(), customer: v.string() }),
      key: (order) => order.id,
      group: (order) => order.customer,
    }),
  },
  subscribers: {
    payments: {
      ...{ on: ['placed'], fifo: true, handler: 'payments.ts', lag: seconds(60), concurrency: 3 },
      ...{ timeout: seconds(20), lease: seconds(6), attempts: 4 },
      backoff: { base: seconds(1), cap: seconds(3) },
    },
    email: {
      ...{ on: ['placed'], handler: 'email.ts', lag: seconds(60), concurrency: 2 },
      ...{ timeout: seconds(20), lease: seconds(6), attempts: 4 },
      ...{ batchSize: 20, batchWindow: seconds(1), backoff: { base: seconds(1), cap: seconds(3) } },
    },
  },
});

type Name = keyof typeof shop.subscribers & string;
type Work = (id: string, customer: string, context: HandlerContext) => Promise<void> | void;

/** A topic with two subscribers and no functions: workers consume. */
async function createShop(seed: number) {
  const harness = await createHarness(shop, { seed });
  const { clock, random } = harness.tools;
  const clients = () => ({
    sqs: modelClient(harness.aws, 'sqs', { attempts: 3 }),
    dynamodb: modelClient(harness.aws, 'dynamodb', { attempts: 3 }),
  });
  const log: string[] = [];
  const keep = (message: string, fields?: object) => void log.push(`${message} ${JSON.stringify(fields)}`);
  return {
    ...{ harness, clock, random, log },
    till: publisher(shop, harness.tools),
    start(name: Name, work: Work): Worker {
      const { environment } = harness.deployed.subscribers[name]!;
      const handler = consume(
        shop,
        name,
        (event, context) => work(event.data.id, event.data.customer, context),
        { ...harness.tools, ...clients(), environment },
      );
      const { sqs } = clients();
      const logger = { debug: () => {}, info: keep, warn: keep, error: keep };
      return startWorker({ ...shop.subscribers[name], handler, sqs, environment, clock, random, logger });
    },
    letters: (name: Name) => {
      const { arn } = harness.deployed.subscribers[name]!.deadLetterQueue;
      return harness.aws.sqs.queue(arn)!.visible;
    },
    queue: (name: Name) => harness.aws.sqs.queue(harness.deployed.subscribers[name]!.queue.arn)!,
    advance: (length: number) => harness.advance(seconds(length)),
  };
}

describe('consume behind a worker is consume behind an event source', () => {
  test('a long job keeps its message: its heartbeat extends the visibility, nobody receives it again', async () => {
    const place = await createShop(1);
    let runs = 0;
    const work = async () => {
      runs++;
      await sleep(place.clock, milliseconds(15_000));
    };
    const workers = [place.start('payments', work), place.start('payments', work)];
    await place.till.publish('placed', { id: 'a', customer: 'anna' });
    // The first beat makes the visibility as short as the lease: without further ones it would end at 7 s.
    await place.advance(14);
    expect(place.queue('payments')).toMatchObject({ inFlight: 1, visible: 0 });
    await place.advance(20);
    expect(runs).toBe(1);
    expect(workers.map((worker) => worker.stats().received).sort()).toEqual([0, 1]);
    expect(place.queue('payments')).toMatchObject({ inFlight: 0, visible: 0, deleted: 1 });
    place.harness.stop();
  });

  test('stopped in the middle of a long job, it puts the job back before its grace is over, and no try is lost', async () => {
    const place = await createShop(1);
    const attempts: number[] = [];
    const reasons: string[] = [];
    const work: Work = async (_id, _customer, { attempt, signal }) => {
      attempts.push(attempt);
      if (attempts.length > 1) return;
      await sleep(place.clock, milliseconds(60_000), signal);
      reasons.push(signal.aborted ? (signal.reason as Error).name : 'none');
      signal.throwIfAborted();
    };
    const worker = place.start('payments', work);
    await place.till.publish('placed', { id: 'a', customer: 'anna' });
    await place.advance(3);
    let ended = false;
    void worker.stop({ grace: seconds(5) }).then(() => {
      ended = true;
    });
    await place.advance(4.9);
    expect(reasons).toEqual(['DeadlineReached']);
    await place.advance(0.2);
    expect(ended).toBe(true);
    expect(worker.stats()).toMatchObject({ overrun: 0, failed: 1, running: 0 });
    place.start('payments', work);
    await place.advance(10);
    expect(attempts).toEqual([1, 1]);
    expect(place.queue('payments')).toMatchObject({ deleted: 1 });
    place.harness.stop();
  });
});

describe('whatever fails, stops and starts: every event is done once or dead-lettered, and FIFO keeps its order', () => {
  const act = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('publish' as const), customer: fc.nat(3) }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('wait' as const), length: fc.integer({ min: 1, max: 40 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('stop' as const), grace: fc.nat(8) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('start' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('fault' as const), which: fc.nat(2) }) },
  );

  test.each(['payments', 'email'] as const)('%s', async (name) => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 10, maxLength: 40 }), fc.nat(1_000), async (acts, seed) => {
        const place = await createShop(seed);
        const dice = place.random;
        const done = new Map<string, number>();
        const order = new Map<string, string[]>();
        const doomed = new Set<string>();
        const busy = new Set<string>();
        const work: Work = async (id, customer, { signal }) => {
          if (name === 'payments') {
            expect(busy.has(customer), `two runs of ${customer} at once`).toBe(false);
            busy.add(customer);
          }
          try {
            const fate = doomed.has(id) ? 0 : dice.next();
            if (fate < 0.1) throw doomed.has(id) ? new PermanentError('never') : new Error('not now');
            await sleep(place.clock, milliseconds(fate < 0.2 ? 9_000 : fate * 400), signal);
            signal.throwIfAborted();
            done.set(id, (done.get(id) ?? 0) + 1);
            if (!order.has(customer)) order.set(customer, []);
            order.get(customer)!.push(id);
          } finally {
            busy.delete(customer);
          }
        };
        const workers: Worker[] = [place.start(name, work)];
        const published: { id: string; customer: string }[] = [];
        for (const each of acts)
          if (each.kind === 'publish') {
            const event = { id: `e${published.length}`, customer: `c${each.customer}` };
            if (dice.next() < 0.08) doomed.add(event.id);
            published.push(event);
            await place.till.publish('placed', event);
          } else if (each.kind === 'wait') await place.advance(each.length);
          else if (each.kind === 'start' && workers.length < 3) workers.push(place.start(name, work));
          else if (each.kind === 'stop') void workers.shift()?.stop({ grace: seconds(each.grace) });
          else if (each.kind === 'fault')
            place.harness.aws.faults.add({
              service: 'sqs',
              action: ['ReceiveMessage', 'DeleteMessageBatch', 'ChangeMessageVisibilityBatch'][each.which]!,
              at: 1,
              effect:
                dice.next() < 0.5
                  ? { lostReply: true }
                  : { error: { name: 'InternalError', statusCode: 500 } },
            });
        workers.push(place.start(name, work));
        await place.harness.advance(minutes(30));

        const letters = place.letters(name);
        const undone = published.filter(({ id }) => !done.has(id));
        expect(place.queue(name)).toMatchObject({ visible: 0, inFlight: 0 });
        expect(
          [...done.values()].every((times) => times === 1),
          'an event was done twice',
        ).toBe(true);
        expect(undone.length, 'neither done nor dead-lettered').toBe(letters);
        for (const id of doomed) expect(done.has(id)).toBe(false);
        if (name === 'payments')
          for (const [customer, ids] of order) {
            const due = published.filter((each) => each.customer === customer && done.has(each.id));
            expect(ids).toEqual(due.map(({ id }) => id));
          }
        for (const worker of workers) void worker.stop({ grace: seconds(0) });
        await place.advance(1);
        place.harness.stop();
      }),
      { numRuns: 25, seed: 1 },
    );
  });
});
