import { startChild } from '../child.ts';
import type { Part, Table } from '../part.ts';
import { figure } from '../print.ts';
import type { RunCosts, RunTask } from './costs.ts';

/** What the main run costs a message, and where the time goes. */
export const run: Part = {
  name: 'run',
  description: 'what the run of the orders example costs a message, and where the time goes',
  async measure({ quick, say }) {
    const task: RunTask = {
      ...(quick ? { orders: 2000, seconds: 4 } : { orders: 6000, seconds: 10 }),
      ...(process.env.BENCH_PROFILE === undefined ? {} : { profileFile: process.env.BENCH_PROFILE }),
    };
    say(
      `run: ${task.orders.toLocaleString('en')} orders within ${task.seconds} s through the deployed stack`,
    );
    const child = startChild('run/child.ts', limitMs);
    try {
      const costs = await child.ask<RunCosts>(task);
      if (!costs.ok) say(`run: the machine did not keep up, rough digits: ${costs.failures[0]}`);
      return tablesOf(costs);
    } finally {
      await child.end();
    }
  },
};

/** A run takes half a minute with its synthesis; one that takes longer hangs. */
const limitMs = 120_000;

function tablesOf(costs: RunCosts): readonly Table[] {
  const { deliveries, processUs, shares } = costs;
  const each = (us: number) => us / deliveries;
  const percent = (us: number) => (100 * us) / processUs;
  const threads = Object.entries(costs.threadUs).sort((a, b) => b[1] - a[1]);
  const requests = Object.entries(costs.requests).filter(([, count]) => count > 0);
  const allRequests = requests.reduce((sum, [, count]) => sum + count, 0);
  const main = costs.threadUs['main thread'] ?? processUs;
  return [
    {
      title: 'run: processor time of a delivery, by thread',
      note:
        `${deliveries.toLocaleString('en')} deliveries to 5 subscribers in ${figure(costs.wallSeconds)} s; ` +
        `publish p99 ${figure(costs.publishP99Ms)} ms. The shop publishes once for five deliveries.\n` +
        'Helper threads: mostly V8’s optimizing compiler, since each thread compiles the SDK for itself: the more deliveries, the less for each.',
      columns: ['thread', 'us per delivery', '%'],
      rows: [
        ...threads.map(([role, us]) => [role, each(us), percent(us)]),
        ['whole process', each(processUs), 100],
      ],
    },
    {
      title: 'run: the main thread (the model of AWS behind its endpoint), by room',
      note: `Its processor time, shared out by the samples of its profile; it was on a processor for ${figure(main / costs.wallSeconds / 10_000)} % of the time.`,
      columns: ['room', 'us per delivery', '%'],
      rows: shares.rooms.map(([room, share]) => [room, each(main * share), 100 * share]),
    },
    {
      title: 'run: requests to the endpoint, by action',
      note: 'Receives and deletes of the event sources happen inside the model and are none.',
      columns: ['action', 'each delivery', '%'],
      rows: requests
        .sort((a, b) => b[1] - a[1])
        .map(([action, count]) => [action, count / deliveries, (100 * count) / allRequests]),
    },
    {
      title: 'run: the functions of ours that took most of the main thread, without what they call',
      note: 'V8’s own functions count for their callers.',
      columns: ['function', 'place', 'us per delivery', '%'],
      rows: shares.functions
        .slice(0, 15)
        .map(({ name, place, share }) => [name, place, each(main * share), 100 * share]),
    },
  ];
}
