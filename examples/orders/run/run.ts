import { setTimeout as pause } from 'node:timers/promises';
import { type Milliseconds, metricsNamespace, milliseconds } from 'sluice';
import { seededRandom } from 'sluice/local';
import { startWorld, type World } from '../world/index.ts';
import { arrivals } from './arrivals.ts';
import { conclude, fullShelves } from './conclude.ts';
import { createCounterBook } from './counters.ts';
import { defaultFaults, noFaults } from './faults.ts';
import { injectFaults } from './inject.ts';
import { type MemoryWatch, watchMemory } from './memory.ts';
import { onModel } from './model-stage.ts';
import { createMonitor, type Monitor } from './monitor.ts';
import { yieldHelpers } from './priority.ts';
import type { OrderFile } from './read.ts';
import type { RunReport } from './report.ts';
import { type Shop, startShop } from './shop.ts';
import type { Stage, Theatre } from './stage.ts';

/** What the provider can take: the 900 charges a second that the scenario is about. */
const providerRate = 900;

/** Amounts from 250 USD on are declined: 245 of the 69,659 orders of the data. */
const declineFromCents = 25_000;

/** How long the provider takes to answer, in milliseconds. */
const providerMs = 8;

/** How long the queues may take to become empty after the last order, in milliseconds. */
const drainLimit = 150_000;

/** How often the queues are looked at while they drain, and how long they must stay empty, in milliseconds. */
const draining = { every: 100, quiet: 500 } as const;

/** What a run is asked for. */
export interface RunOptions {
  readonly file: OrderFile;
  /** Within how many seconds the orders arrive. */
  readonly seconds: number;
  readonly seed: number;
  readonly faults: 'none' | 'default';
  /** Port of the endpoint on 127.0.0.1; 0 for any free one. */
  readonly port: number;
  /** When the command was given: the start of `firstPublishSeconds`. */
  readonly commandedAt: Milliseconds;
  /**
   * Watches the memory of the command.
   *
   * @default - this process and those that it starts, from the call on
   */
  readonly memory?: MemoryWatch;
  /** Gets a line at each step. */
  readonly say: (line: string) => void;
  /** Called once a second with the figures of the moment. */
  readonly tick: (monitor: Monitor) => void;
  /** Called when something that the run stands on is gone; it is to abort the signal. */
  readonly fail?: (reason: Error) => void;
  /** Ends the run. */
  readonly signal: AbortSignal;
}

/** A run that is over; the page still shows it until it is closed. */
export interface FinishedRun {
  readonly report: RunReport;
  /** Where the page is. */
  readonly page: string;
  /** An output of the deployed stack. */
  output(name: string): string;
  /** Stops everything; nothing is left behind. */
  close(): Promise<void>;
}

/** The run was ended by its signal. */
export class Stopped extends Error {
  override readonly name = 'Stopped';

  constructor() {
    super('The run was stopped before its end.');
  }
}

/**
 * The whole run: the systems outside are started, the stack is synthesized and deployed, the shop opens, faults happen,
 * the queues drain, the judge looks at the stores. Whatever was started is stopped when it fails.
 *
 * @param theatre - where the stack is deployed; the model in this process when none is named
 * @throws {Stopped} when the signal aborts
 */
export async function run(
  options: RunOptions,
  theatre: Theatre = onModel(options.port),
): Promise<FinishedRun> {
  const { file, seed, signal } = options;
  const { orders } = file;
  const random = seededRandom(seed);
  const wanted = options.faults === 'none' ? noFaults : defaultFaults(options.seconds, orders.length, random);
  const plan = theatre.faults(wanted, orders.length, random);
  const due = arrivals(orders.length, options.seconds, random);
  const brokenOrderId = plan.brokenOrder === undefined ? undefined : orders[plan.brokenOrder]?.orderId;
  const now = () => milliseconds(Date.now());
  const counters = createCounterBook(metricsNamespace);
  const monitor = createMonitor({
    title: `orders: ${orders.length.toLocaleString('en')} in ${options.seconds} s`,
    planned: orders.length,
    refused: file.badRows.length,
    counters,
    now,
  });
  const started: { world?: World; stage?: Stage; shop?: Shop } = {};
  const close = async () => {
    await started.shop?.close();
    await started.stage?.close();
    await started.world?.close();
  };
  yieldHelpers();
  const memory = options.memory ?? watchMemory(process.pid);
  const ticking = createTicking(() => {
    monitor.sample();
    options.tick(monitor);
  });
  try {
    const world = await startWorld({
      ratePerSecond: providerRate,
      declineFromCents,
      providerMs,
      brokenOrders: brokenOrderId === undefined ? [] : [brokenOrderId],
    });
    started.world = world;
    const shelvesBefore = fullShelves(orders);
    const shop = startShop({
      orders,
      due,
      shelves: shelvesBefore,
      ...(plan.poisonAt !== undefined && { poisonAt: plan.poisonAt }),
      ...(plan.publishedTwice !== undefined && { publishedTwice: plan.publishedTwice }),
    });
    started.shop = shop;
    const { say, fail = () => {} } = options;
    const stage = await theatre.open({ world, plan, random, monitor, counters, say, fail, signal });
    started.stage = stage;
    monitor.attach(stage);
    monitor.enter('deploying', 'starting the functions');
    const ready = Promise.all([
      stage.warm(),
      shop.moveIn({
        endpoint: stage.url,
        region: stage.region,
        topicArn: stage.output('TopicArnOrders'),
        stockTable: stage.output('StockTable'),
      }),
    ]);
    await unlessStopped(signal, ready);

    options.say(`${orders.length.toLocaleString('en')} orders arrive within ${options.seconds} s`);
    monitor.enter('publishing', 'orders arrive');
    ticking.start();
    const injection = injectFaults({
      ...{ plan, stage, world, monitor, signal },
      ...(theatre.faultPatience !== undefined && { lookFor: theatre.faultPatience }),
    });
    const openedAt = now();
    const result = await unlessStopped(signal, shop.open(monitor.progress));
    const publishedAt = now();
    options.say('Every order is published; the queues drain');
    monitor.enter('draining', 'every order is published; the queues drain');
    await unlessStopped(signal, injection.done);
    const drainedAt = await drain(monitor, stage, signal, now, theatre);
    await unlessStopped(signal, stage.settle());
    ticking.stop();
    monitor.enter('judging', 'the stores are compared with what was sent');
    const report = await conclude({
      options,
      plan,
      brokenOrderId,
      shelvesBefore,
      stage,
      world,
      monitor,
      counters,
      result,
      workersKilled: injection.killed(),
      acknowledgementsLost: injection.lost(),
      openedAt,
      publishedAt,
      drainedAt,
      peakMemory: memory.peak(),
    });
    return { report, page: `${stage.url}/_sluice/`, output: stage.output, close };
  } catch (error) {
    await close();
    throw signal.aborted ? new Stopped() : error;
  } finally {
    ticking.stop();
    if (options.memory === undefined) memory.stop();
  }
}

/** Rejects as soon as the signal aborts. */
async function unlessStopped<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new Stopped());
  });
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Waits until the queues stay empty; gives the moment at which they were, or nothing when that never came. */
async function drain(
  monitor: Monitor,
  stage: Stage,
  signal: AbortSignal,
  now: () => Milliseconds,
  { patience = drainLimit, quiet = draining.quiet }: Pick<Theatre, 'patience' | 'quiet'>,
): Promise<Milliseconds | undefined> {
  const since = now();
  let emptySince: Milliseconds | undefined;
  while (now() - since < patience) {
    await stage.look();
    if (monitor.backlog() > 0) emptySince = undefined;
    else {
      emptySince ??= now();
      if (now() - emptySince >= quiet) return emptySince;
    }
    await pause(draining.every, undefined, { signal });
  }
  return undefined;
}

/** Calls `tick` once a second. */
function createTicking(tick: () => void) {
  let timer: NodeJS.Timeout | undefined;
  return {
    start() {
      timer = setInterval(tick, 1000);
    },
    stop() {
      clearInterval(timer);
    },
  };
}
