import fc from 'fast-check';
import {
  DeclarationError,
  defineMessaging,
  event,
  type Subscriber,
  type SubscriberDeclaration,
} from 'sluice';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';

const events = {
  placed: event({ topic: 'orders', schema: v.object({}) }),
  told: event({ topic: 'news', schema: v.object({}) }),
  asked: event({ topic: 'news', schema: v.object({}) }),
};

const complete = (subscriber: unknown): Subscriber =>
  defineMessaging({
    name: 'shop',
    topics: { orders: { fifo: true }, news: {} },
    events,
    subscribers: { it: subscriber as SubscriberDeclaration<keyof typeof events> },
  }).subscribers.it;

/** A range that is met at its ends more often than by chance. */
const within = (least: number, most: number) =>
  fc.oneof(fc.constant(least), fc.constant(most), fc.integer({ min: least, max: most }));
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
/** What is left out is left out, not undefined. */
const said = (record: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));

const fourteenDays = 1_209_600;

/** Declarations by the book: what has fixed limits is free, the rest is left to be computed or keeps its distance. */
const valid = fc
  .boolean()
  .chain((fifo) =>
    fc.record({
      fifo: fc.constant(fifo),
      on: fc.constant(fifo ? ['placed'] : ['told']),
      handler: fc.constant('it.ts'),
      lag: within(1, 86_400),
      alarms: fc.constantFrom(undefined, 'lean', 'full'),
      traffic: maybe(fc.double({ min: 0, max: 1_000_000, noNaN: true })),
      timeout: maybe(within(1, 900)),
      concurrency: maybe(within(2, 12)),
      attempts: maybe(within(1, 100)),
      batchSize: maybe(within(1, fifo ? 10 : 10_000)),
      memorySize: maybe(within(128, 10_240)),
      retention: maybe(within(691_200, fourteenDays)),
      deadLetterRetention: fc.constantFrom(undefined, fourteenDays),
      replayMargin: maybe(within(0, 1_000_000)),
      filter: maybe(fc.boolean()),
    }),
  )
  .chain((free) =>
    fc
      .record({
        batchWindow: free.fifo ? fc.constant(undefined) : maybe(within(1, 300)),
        visibilityTimeout: maybe(within((free.timeout ?? 30) + 300, 43_200)),
        lease: maybe(within(3, 6)),
        backoff: maybe(fc.record({ base: within(0, 10), cap: within(10, 5000) })),
      })
      .map((bound) => said({ ...free, ...bound })),
  );

/** Declarations by anybody: any number anywhere. */
const wild = fc
  .record(
    Object.fromEntries(
      [
        ...[
          'lag',
          'traffic',
          'timeout',
          'handlerTime',
          'concurrency',
          'attempts',
          'batchSize',
          'batchWindow',
          'memorySize',
          'lease',
        ],
        ...['visibilityTimeout', 'retention', 'deadLetterRetention', 'maxReceiveCount', 'recordLife'],
      ].map((property) => [
        property,
        fc.oneof(
          { weight: 30, arbitrary: fc.constant(undefined) },
          { weight: 3, arbitrary: fc.integer({ min: 0, max: 100 }) },
          { weight: 1, arbitrary: fc.integer({ min: -1, max: 2_000_000 }) },
          { weight: 1, arbitrary: fc.double() },
        ),
      ]),
    ),
  )
  .chain((values) =>
    fc.boolean().map((fifo) => ({
      ...said({ lag: 60, ...said(values) }),
      fifo,
      on: [fifo ? 'placed' : 'told'],
      handler: 'it.ts',
    })),
  );

/** What the runtime, and AWS, rely on. */
function expectLaws(value: Subscriber) {
  const heartbeat = value.lease / 3;
  expect(heartbeat).toBeGreaterThanOrEqual(1);
  expect(value.lease).toBeLessThanOrEqual(value.visibilityTimeout);
  expect(value.visibilityTimeout).toBeGreaterThanOrEqual(value.timeout + value.batchWindow);
  expect(value.visibilityTimeout).toBeLessThanOrEqual(12 * 3600);
  expect(value.timeout).toBeLessThanOrEqual(900);
  expect(value.handlerTime).toBeLessThanOrEqual(value.timeout);
  expect(value.deadLetterFifo).toBe(value.fifo);
  expect(value.maxReceiveCount).toBeGreaterThanOrEqual(5);
  expect(value.maxReceiveCount).toBeGreaterThan(Math.min(999, value.attempts));
  expect(value.maxReceiveCount).toBeLessThanOrEqual(1000);
  expect(value.recordLife).toBeGreaterThanOrEqual(value.retention + value.deadLetterRetention);
  expect(value.lag).toBeLessThanOrEqual(value.retention);
  expect(value.concurrency * value.batchSize).toBeLessThanOrEqual(120_000);
  let life = value.attempts * value.timeout;
  for (let failed = 1; failed < value.attempts; failed++)
    life += Math.min(value.backoff.cap, value.backoff.base * 2 ** (failed - 1));
  expect(value.retention).toBeGreaterThanOrEqual(life);
  if (!value.fifo && value.retention < fourteenDays)
    expect(value.deadLetterRetention).toBeGreaterThan(value.retention);
  if (value.batchSize > 10) expect(value.batchWindow).toBeGreaterThanOrEqual(1);
  if (value.fifo) expect(value.batchWindow).toBe(0);
}

describe('The timing law holds in every declaration that is accepted', () => {
  it('valid declarations are accepted, and what is computed keeps the law', () => {
    fc.assert(
      fc.property(valid, (subscriber) => expectLaws(complete(subscriber))),
      { numRuns: 300 },
    );
  });

  it('any other is refused by its faults, or keeps the law as well', () => {
    let accepted = 0;
    fc.assert(
      fc.property(wild, (subscriber) => {
        try {
          const value = complete(subscriber);
          accepted++;
          expectLaws(value);
        } catch (error) {
          if (!(error instanceof DeclarationError)) throw error;
          const properties = error.faults.map(({ property }) => property);
          expect(new Set(properties).size).toBe(properties.length);
        }
      }),
      { numRuns: 1000 },
    );
    expect(accepted).toBeGreaterThan(0);
  });
});
