import { describe, expect, it } from 'vitest';
import { createCounterBook } from '../../examples/orders/run/counters.ts';
import {
  defaultFaults,
  type FaultKind,
  type FaultPlan,
  noFaults,
  plannedFaults,
} from '../../examples/orders/run/faults.ts';
import type { Verdict } from '../../examples/orders/run/judge.ts';
import { makeReport, type ReportInput } from '../../examples/orders/run/report.ts';
import { createHistogram, percentile, summarize } from '../../examples/orders/run/statistics.ts';
import { summaryOf } from '../../examples/orders/run/view.ts';
import { seededRandom } from '../../lib/base/index.ts';

const subscribers = ['payments', 'inventory', 'email', 'analytics', 'fraud'];
const each = <Value>(value: Value) => Object.fromEntries(subscribers.map((name) => [name, value]));

const verdict: Verdict = {
  effects: { ...each(100), payments: 99 },
  expectedEffects: { ...each(100), payments: 99 },
  lost: [],
  doubled: [],
  reordered: [],
  phantom: [],
  wrong: [],
  repeated: [],
};

/** Every planned fault as it should be. */
function happening(plan: FaultPlan, change: Partial<Record<FaultKind, number>> = {}) {
  const planned = plannedFaults(plan, 100);
  return Object.fromEntries(
    Object.entries(planned).map(([kind, count]) => [
      kind,
      { planned: count, happened: change[kind as FaultKind] ?? count },
    ]),
  ) as ReportInput['faults'];
}
const usual = defaultFaults(10, 100, seededRandom(1));

/** A run with the default faults in which everything held. */
function input(change: Partial<ReportInput> = {}): ReportInput {
  const plan = defaultFaults(10, 100, seededRandom(1));
  return {
    verdict,
    plan,
    brokenOrderId: 7,
    deadLetters: [
      ...subscribers.map((subscriber) => ({
        subscriber,
        reason: 'undecodable',
        orderId: undefined,
        body: '{',
      })),
      { subscriber: 'payments', reason: 'attempts', orderId: 7, body: '7' },
    ],
    publishFailures: [],
    waits: each({ seconds: 200, measured: 21 }),
    orders: 100,
    seconds: 10,
    seed: 1,
    faultSet: 'default',
    faults: happening(plan),
    refusedRows: [],
    published: 100,
    publishRetries: 0,
    publishSeconds: 10,
    publishLatencyMs: { p50: 1, p99: 2, max: 3 },
    firstPublishSeconds: 5,
    drainedSeconds: 10,
    deliveries: 520,
    handlerRuns: 510,
    duplicatesSuppressed: 3,
    workersKilled: plan.kills.length,
    alarms: [],
    peakBacklog: each(50),
    peakLagSeconds: each(4),
    throttledCharges: 0,
    memoryMb: 500,
    memoryOf: 'all processes',
    cpuSeconds: 20,
    ...change,
  };
}

const finding = { subscriber: 'payments', orderId: 3, detail: 'for the test' };

describe('the report is ok only when every promise held', () => {
  it('is ok when all of them did', () => {
    expect(makeReport(input())).toMatchObject({ ok: true, failures: [], lost: 0, doubled: 0, reordered: 0 });
  });

  it.each<[string, Partial<ReportInput>, RegExp]>([
    ['an order was not published', { published: 99, publishFailures: ['no route'] }, /99 of 100.*no route/],
    [
      'an effect is missing',
      { verdict: { ...verdict, effects: { ...verdict.effects, email: 99 } } },
      /email: 99/,
    ],
    ['one was lost', { verdict: { ...verdict, lost: [finding] } }, /1 lost.*payments, order 3/],
    ['one was doubled', { verdict: { ...verdict, doubled: [finding] } }, /1 doubled/],
    ['one was reordered', { verdict: { ...verdict, reordered: [finding] } }, /1 reordered/],
    ['one was never sent', { verdict: { ...verdict, phantom: [finding] } }, /1 phantom/],
    ['one has another amount', { verdict: { ...verdict, wrong: [finding] } }, /1 wrong.*payments, order 3/],
    ['the queues did not drain', { drainedSeconds: null }, /not empty/],
    ['a kill did not happen', { faults: happening(usual, { workerKills: 5 }) }, /5 of 6 kills of busy/],
    ['nothing was lost', { faults: happening(usual, { lostAcknowledgement: 0 }) }, /0 of 1 lost acknow/],
    ['nothing came twice', { faults: happening(usual, { duplicates: 1 }) }, /1 of 15 duplicates/],
    ['there was no poison', { faults: happening(usual, { poison: 0 }) }, /0 of 1 bodies that are no/],
    ['no order failed', { faults: happening(usual, { failingOrder: 0 }) }, /0 of 1 orders that always/],
    ['nobody met the outage', { faults: happening(usual, { outage: 0 }) }, /0 of 1 outages/],
    ['the poison is not in a dead-letter queue', { deadLetters: input().deadLetters.slice(1) }, /is missing/],
    [
      'a dead letter was not planned',
      {
        deadLetters: [
          ...input().deadLetters,
          { subscriber: 'email', reason: 'attempts', orderId: 5, body: '5' },
        ],
      },
      /email: 1 messages dead-lettered with the reason attempts, 0 are right/,
    ],
    [
      'another order than the broken one used up its attempts',
      {
        deadLetters: [
          ...input().deadLetters.slice(0, 5),
          { subscriber: 'payments', reason: 'attempts', orderId: 8, body: '8' },
        ],
      },
      /order 8 used up/,
    ],
  ])('is not ok when %s', (_, change, failure) => {
    const report = makeReport(input(change));
    expect(report.ok).toBe(false);
    expect(report.failures.join('\n')).toMatch(failure);
    expect(summaryOf(report)).toContain('NOT OK');
  });

  it('takes copies of one dead letter for one, and another message for what it is', () => {
    const { deadLetters } = input();
    const copy = { ...deadLetters[2]! };
    expect(makeReport(input({ deadLetters: [...deadLetters, copy] })).ok).toBe(true);
    expect(makeReport(input({ deadLetters: [...deadLetters, { ...copy, body: '[' }] })).ok).toBe(false);
  });

  it('expects no dead letter and no kill when no fault was planned', () => {
    const quiet = {
      plan: noFaults,
      faults: happening(noFaults),
      brokenOrderId: undefined,
      deadLetters: [],
      workersKilled: 0,
    };
    expect(makeReport(input(quiet)).ok).toBe(true);
    expect(makeReport(input({ ...quiet, deadLetters: input().deadLetters })).ok).toBe(false);
  });

  it('puts Little beside the measured backlog', () => {
    // 100 effects in 20 s are 5 a second; each waited 2 s: 10 were there on average.
    expect(makeReport(input()).expectedBacklog.email).toEqual({
      perSecond: 5,
      waitSeconds: 2,
      expected: 10,
      measured: 21,
    });
  });
});

describe('the figures of a run', () => {
  it('takes percentiles by the nearest rank', () => {
    expect(percentile([1, 2, 3, 4], 0.5)).toBe(2);
    expect(percentile([1, 2, 3, 4], 0.99)).toBe(4);
    expect(percentile([], 0.5)).toBe(0);
    expect(summarize([3, 1, 2])).toEqual({ p50: 2, p99: 3, max: 3 });
  });

  it('has a histogram that agrees to 2 %', () => {
    const histogram = createHistogram();
    const random = seededRandom(5);
    const values = Array.from({ length: 5_000 }, () => Math.exp(random.next() * 8));
    for (const value of values) histogram.add(value);
    const [about, exact] = [histogram.summary(), summarize(values)];
    for (const name of ['p50', 'p99', 'max'] as const)
      expect(Math.abs(about[name] / exact[name] - 1)).toBeLessThan(0.021);
  });

  it('adds up the metrics in the logs, and nothing else', () => {
    const book = createCounterBook('sluice');
    const line = (members: object, names: string[], namespace = 'sluice') =>
      JSON.stringify({
        _aws: { CloudWatchMetrics: [{ Namespace: namespace, Metrics: names.map((Name) => ({ Name })) }] },
        subscriber: 'email',
        ...members,
      });
    book.read(line({ processed: 9, duplicates: [1, 2] }, ['processed', 'duplicates']));
    book.read(line({ processed: 1 }, ['processed']));
    book.read(line({ deadLettered: 1, reason: 'schema' }, ['deadLettered']));
    book.read(line({ processed: 100 }, ['processed'], 'another'));
    book.read('text with "_aws" in it');
    book.read('{"message":"hello"}');
    expect(book.of('email')).toEqual({
      processed: 10,
      failed: 0,
      duplicates: 3,
      deferred: 0,
      deadLettered: new Map([['schema', 1]]),
    });
  });

  it('plans the same faults for the same seed', () => {
    const plan = (seed: number) => defaultFaults(90, 40_000, seededRandom(seed));
    expect(plan(4)).toEqual(plan(4));
    expect(plan(4)).not.toEqual(plan(5));
    expect(plan(4).kills.every(({ at }) => at > 0.15 * 90_000 && at < 0.6 * 90_000)).toBe(true);
  });

  it('plans for a small run what can surely happen in it', () => {
    const counts = (seconds: number, orders: number) =>
      plannedFaults(defaultFaults(seconds, orders, seededRandom(1)), orders);
    const all = { workerKills: 6, lostAcknowledgement: 1, poison: 1, failingOrder: 1, outage: 1 };
    expect(counts(90, 40_000)).toEqual({ ...all, duplicates: 120 });
    expect(counts(2, 300)).toEqual({ ...all, duplicates: 20 });
    expect(counts(1, 100)).toEqual({ ...all, duplicates: 15 });
    const few = {
      workerKills: 0,
      lostAcknowledgement: 0,
      duplicates: 0,
      poison: 1,
      failingOrder: 1,
      outage: 0,
    };
    expect(counts(1, 99)).toEqual(few);
    expect(counts(3600, 3000)).toEqual(few);
  });
});
