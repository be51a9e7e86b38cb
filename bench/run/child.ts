import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { findSourceMap } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { milliseconds } from 'sluice';
import type { Monitor } from '../../examples/orders/run/index.ts';
import { root } from '../child.ts';
import type { RunCosts, RunTask } from './costs.ts';
import { type Profile, type ProfileNode, pathFrom, sharesOf } from './profile.ts';
import { countRequests } from './requests.ts';
import { watchThreads } from './threads.ts';

// The program of the process in which the run takes place: the run, watched from inside.

const watch = watchThreads();
const requests = countRequests();
// Loaded now, so that its threads are watched.
const { readOrders, run } = await import('../../examples/orders/run/index.ts');

/** How often threads are looked at, and whether everything is drained, in milliseconds. */
const lookEvery = 500;
/** Microseconds between two samples of the profile. */
const samplingInterval = 500;

const base = pathToFileURL(root).href;

// Whoever measures is gone, or has its answer: nothing is left behind.
process.once('disconnect', () => process.exit());
process.once('message', async ({ orders, seconds, profileFile }: RunTask) => {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: samplingInterval });
  const file = await readOrders(
    fileURLToPath(new URL('../../examples/orders/data/cdnow-orders.csv', import.meta.url)),
    orders,
  );

  let opened:
    | {
        at: number;
        times: Map<string, number>;
        cpu: NodeJS.CpuUsage;
        deliveries: number;
        requests: ReadonlyMap<string, number>;
      }
    | undefined;
  let costs: Promise<Omit<RunCosts, 'ok' | 'failures' | 'publishP99Ms'>> | undefined;
  let watching: NodeJS.Timeout | undefined;
  const open = async (monitor: Monitor) => {
    await watch.name('the profiler, only here', () => session.post('Profiler.start'));
    opened = {
      at: performance.now(),
      times: watch.times(),
      cpu: process.cpuUsage(),
      deliveries: deliveriesOf(monitor),
      requests: requests.counts(),
    };
    watching = setInterval(() => {
      watch.look();
      if (monitor.state().phase === 'draining' && monitor.backlog() === 0) conclude(monitor);
    }, lookEvery);
  };
  const conclude = (monitor: Monitor) => {
    if (opened === undefined || costs !== undefined) return;
    clearInterval(watching);
    const { at, times, cpu, deliveries, requests: before } = opened;
    const spent = process.cpuUsage(cpu);
    const figures = {
      wallSeconds: (performance.now() - at) / 1000,
      deliveries: deliveriesOf(monitor) - deliveries,
      processUs: spent.user + spent.system,
      threadUs: Object.fromEntries(watch.times(times)),
      requests: Object.fromEntries(
        [...requests.counts()].map(([action, count]) => [action, count - (before.get(action) ?? 0)]),
      ),
    };
    costs = session.post('Profiler.stop').then(({ profile }) => {
      if (profileFile !== undefined) writeFileSync(profileFile, JSON.stringify(profile));
      return { ...figures, shares: sharesOf(profile as Profile, base, placeOf) };
    });
  };

  let lastMonitor: Monitor | undefined;
  const finished = await run({
    file,
    seconds,
    seed: 1,
    faults: 'none',
    port: 0,
    commandedAt: milliseconds(performance.timeOrigin),
    say: () => {},
    tick: (monitor) => {
      // The first second is left out: it is when the code of all threads is compiled.
      if (lastMonitor === undefined) void open(monitor);
      lastMonitor = monitor;
    },
    signal: new AbortController().signal,
  });
  if (lastMonitor !== undefined) conclude(lastMonitor);
  const { report } = finished;
  await finished.close();
  if (costs === undefined) throw new Error('The run was over within its first second: take more orders.');
  process.send?.({
    ...(await costs),
    ok: report.ok,
    failures: report.failures,
    publishP99Ms: report.publishLatencyMs.p99,
  } satisfies RunCosts);
  process.disconnect();
});

/** What the handlers' own metrics have counted. */
function deliveriesOf(monitor: Monitor): number {
  let deliveries = 0;
  for (const { completed, duplicatesSuppressed, retried } of monitor.state().subscribers)
    deliveries += completed + duplicatesSuppressed + retried;
  return deliveries;
}

/** File and line in the sources: what runs is what the loader made of them, in one line. */
function placeOf({ url, lineNumber, columnNumber }: ProfileNode['callFrame']): string {
  const entry = findSourceMap(url)?.findEntry(lineNumber, columnNumber);
  const line = entry !== undefined && 'originalLine' in entry ? entry.originalLine : lineNumber;
  return `${pathFrom(base, url)}:${line + 1}`;
}
