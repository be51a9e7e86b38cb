import type { Milliseconds } from 'sluice';
import { shelfKey, shelves } from '../tables.ts';
import type { Order } from '../topology.ts';
import type { World } from '../world/index.ts';
import type { CounterBook, Counters } from './counters.ts';
import { type FaultCount, type FaultKind, type FaultPlan, plannedFaults } from './faults.ts';
import { judge } from './judge.ts';
import type { PeakMemory } from './memory.ts';
import type { Monitor } from './monitor.ts';
import { makeReport, type RunReport } from './report.ts';
import type { RunOptions } from './run.ts';
import type { ShopResult } from './shop.ts';
import type { Stage } from './stage.ts';
import { round, summarize } from './statistics.ts';
import { readDeadLetters, readTables } from './stores.ts';
import { viewOf } from './view.ts';

/** What was seen of a run, for its conclusion. */
export interface RunRecord {
  readonly options: RunOptions;
  readonly plan: FaultPlan;
  readonly brokenOrderId: number | undefined;
  readonly shelvesBefore: Readonly<Record<string, number>>;
  readonly stage: Stage;
  readonly world: World;
  readonly monitor: Monitor;
  readonly counters: CounterBook;
  readonly result: ShopResult;
  readonly workersKilled: number;
  readonly acknowledgementsLost: number;
  readonly openedAt: Milliseconds;
  readonly publishedAt: Milliseconds;
  readonly drainedAt: Milliseconds | undefined;
  readonly peakMemory: PeakMemory;
}

const sumOf = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Pieces on each shelf before the first order: what will be ordered, and some to spare. */
export function fullShelves(orders: readonly Order[]): Record<string, number> {
  const pieces: Record<string, number> = {};
  for (let shelf = 0; shelf < shelves; shelf++) pieces[shelfKey(shelf)] = 10;
  for (const { orderId, quantity } of orders) pieces[shelfKey(orderId)]! += quantity;
  return pieces;
}

/** Reads every store, has the judge compare them with what was sent, and writes the report. */
export async function conclude(record: RunRecord): Promise<RunReport> {
  const { options, stage, monitor, counters, result, openedAt, publishedAt, drainedAt } = record;
  const { places } = stage;
  const { orders, badRows } = options.file;
  const answeredAt = (index: number) => result.publishedAt[index] as number;
  const uncertain = new Set(result.failures.map(({ index }) => (orders[index] as Order).orderId));
  const ledgers = await record.world.ledgers();
  const tables = readTables(
    await stage.items(stage.output('StockTable')),
    await stage.items(stage.output('RevenueTable')),
  );
  const deadLetters = await readDeadLetters(stage);
  const verdict = judge({
    sent: orders,
    uncertain,
    ...ledgers,
    ...tables,
    shelvesBefore: record.shelvesBefore,
    deadLetters,
  });

  // The wait of an order begins when it was published; of one whose publish was never answered, it is not known.
  const sentAt = new Map(orders.map(({ orderId }, index) => [orderId, answeredAt(index)]));
  const waited = (effects: readonly { readonly orderId: number; readonly at: number }[]) =>
    effects.reduce((sum, { orderId, at }) => sum + Math.max(0, at - (sentAt.get(orderId) || at)), 0);
  // The handlers of these two can only know when the event was made, which is before its publish was answered.
  const publishing = result.latencyMs.reduce((sum, latency) => sum + latency, 0);
  const waitMs: Readonly<Record<string, number>> = {
    payments: waited(ledgers.charges),
    inventory: Math.max(0, tables.inventoryWaitMs - publishing),
    email: waited(ledgers.mails),
    analytics: Math.max(0, tables.analyticsWaitMs - publishing),
    fraud: waited(ledgers.assessments),
  };
  const total = (count: (counters: Counters) => number) =>
    places.reduce((sum, { name }) => sum + count(counters.of(name)), 0);
  const each = <Value>(value: (name: string) => Value): Record<string, Value> =>
    Object.fromEntries(places.map(({ name }) => [name, value(name)]));
  const state = monitor.state();
  const stateOf = (name: string) => state.subscribers.find((subscriber) => subscriber.name === name);
  const firstAt = result.publishedAt.reduce((least, at) => (at > 0 && at < least ? at : least), publishedAt);
  const happened: Readonly<Record<FaultKind, number>> = {
    workerKills: record.workersKilled,
    lostAcknowledgement: record.acknowledgementsLost,
    duplicates: stage.duplicated() + result.publishedTwice,
    poison: result.poisoned ? 1 : 0,
    // Whoever was asked must have seen it: that it was planned proves nothing.
    failingOrder: ledgers.failedCharges > 0 ? 1 : 0,
    outage: ledgers.refusedAssessments > 0 ? 1 : 0,
  };
  const planned = plannedFaults(record.plan, orders.length);
  const cpu = process.cpuUsage();
  const report = makeReport({
    verdict,
    deadLetters,
    plan: record.plan,
    brokenOrderId: record.brokenOrderId,
    publishFailures: result.failures.map(({ error }) => error),
    waits: each((name) => ({
      seconds: (waitMs[name] ?? 0) / 1000,
      measured: monitor.averageBacklog(name),
    })),
    orders: orders.length,
    seconds: options.seconds,
    seed: options.seed,
    faultSet: options.faults,
    faults: Object.fromEntries(
      (Object.keys(planned) as FaultKind[]).map((kind) => [
        kind,
        { planned: planned[kind], happened: happened[kind] },
      ]),
    ) as Record<FaultKind, FaultCount>,
    refusedRows: badRows,
    published: orders.length - uncertain.size,
    publishRetries: result.publishRetries,
    publishSeconds: round((publishedAt - openedAt) / 1000),
    publishLatencyMs: summarize(result.latencyMs),
    firstPublishSeconds: round((firstAt - options.commandedAt) / 1000),
    drainedSeconds: drainedAt === undefined ? null : round(Math.max(0, drainedAt - publishedAt) / 1000),
    deliveries: stage.received() ?? null,
    handlerRuns:
      stage.acknowledged === undefined ? total(({ processed, failed }) => processed + failed) : null,
    duplicatesSuppressed:
      stage.acknowledged === undefined
        ? total(({ duplicates }) => duplicates)
        : Math.max(0, stage.acknowledged() - deadLetters.length - sumOf(verdict.effects)),
    workersKilled: record.workersKilled,
    alarms: state.alarms
      .filter(({ changes }) => changes.length > 0)
      .map(({ name, state: present, changes }) => ({
        name,
        state: present,
        changes: changes.map(({ at, from, to }) => ({ at: new Date(at).toISOString(), from, to })),
      })),
    peakBacklog: each((name) => stateOf(name)?.peakBacklog ?? 0),
    peakLagSeconds: stage.tellsAge ? each((name) => stateOf(name)?.peakLagSeconds ?? 0) : {},
    throttledCharges: ledgers.throttled,
    memoryMb: record.peakMemory.peak,
    memoryOf: record.peakMemory.of,
    cpuSeconds: round((cpu.user + cpu.system) / 1e6),
  });
  monitor.finish(viewOf(report));
  return report;
}
