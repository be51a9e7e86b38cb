import Table from 'cli-table3';
import type { ReportView } from 'sluice/local';
import type { RunReport } from './report.ts';

const whole = (value: number): string => value.toLocaleString('en');

const known = (value: number | null): string => (value === null ? 'not known' : whole(value));

/** The report as the page shows it. */
export function viewOf(report: RunReport): ReportView {
  return {
    ok: report.ok,
    verdict: verdictOf(report),
    failures: report.failures,
    figures: figuresOf(report).map(([name, value]) => ({ name, value })),
    document: report,
  };
}

/** One sentence: what was proved, or how much was not. */
export function verdictOf(report: RunReport): string {
  if (report.ok)
    return `Nothing was lost, doubled or reordered: each of ${whole(report.published)} orders had its effect for each of ${
      Object.keys(report.effects).length
    } subscribers, or lies in a dead-letter queue with its reason.`;
  const count = report.failures.length;
  return `The run did not keep ${count === 1 ? 'one promise' : `${count} promises`}.`;
}

function figuresOf(report: RunReport): readonly (readonly [string, string])[] {
  const { p50, p99, max } = report.publishLatencyMs;
  return [
    ['published', `${whole(report.published)} orders in ${report.publishSeconds} s`],
    ['publish latency', `p50 ${p50} ms, p99 ${p99} ms, max ${max} ms`],
    ['drained', report.drainedSeconds === null ? 'no' : `${report.drainedSeconds} s after the last order`],
    ['deliveries', known(report.deliveries)],
    ['handler runs', known(report.handlerRuns)],
    ['duplicates suppressed', whole(report.duplicatesSuppressed)],
    [
      'lost, doubled, reordered, wrong',
      `${report.lost}, ${report.doubled}, ${report.reordered}, ${report.wrong}`,
    ],
    ['repeated outside (no idempotency key there)', whole(report.repeated)],
    ['workers killed', whole(report.workersKilled)],
    ['kinds of faults that happened, of those planned', faultKindsOf(report)],
    ['charges told to come again (429)', whole(report.throttledCharges)],
    [
      'memory, CPU',
      `${report.memoryOf === 'this process' ? 'of one process ' : ''}${whole(report.memoryMb)} MiB, ${report.cpuSeconds} s`,
    ],
  ];
}

/** How many kinds were planned and how many of them happened at all; the report has the numbers of each. */
function faultKindsOf({ faults }: RunReport): string {
  const planned = Object.values(faults).filter((fault) => fault.planned > 0);
  return `${planned.filter(({ happened }) => happened > 0).length} of ${planned.length}`;
}

/** The summary for the terminal. */
export function summaryOf(report: RunReport): string {
  const figures = new Table({ style: { head: [], border: [] } });
  for (const [name, value] of figuresOf(report)) figures.push([name, value]);
  const subscribers = new Table({
    head: [
      'subscriber',
      'effects',
      'expected',
      'peak backlog',
      'peak lag, s',
      'backlog by Little',
      'measured',
      'dead letters',
    ],
    style: { head: [], border: [] },
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right', 'right', 'left'],
  });
  for (const [name, expected] of Object.entries(report.expectedEffects)) {
    const backlog = report.expectedBacklog[name];
    subscribers.push([
      name,
      whole(report.effects[name] ?? 0),
      whole(expected),
      whole(report.peakBacklog[name] ?? 0),
      String(report.peakLagSeconds[name] ?? '-'),
      whole(Math.round(backlog?.expected ?? 0)),
      whole(Math.round(backlog?.measured ?? 0)),
      report.deadLetters
        .filter(({ subscriber }) => subscriber === name)
        .map(({ reason, count }) => `${count} ${reason}`)
        .join(', '),
    ]);
  }
  const lines = [figures.toString(), subscribers.toString()];
  // That an alarm finds its first data and is quiet is no news.
  const rung = report.alarms.filter(({ changes }) => changes.some(({ to }) => to === 'ALARM'));
  for (const { name, changes } of rung)
    lines.push(`alarm ${name}: ${changes.map(({ at, to }) => `${to} at ${at.slice(11, 19)}`).join(', ')}`);
  if (report.refusedRows.length > 0)
    lines.push(`${report.refusedRows.length} rows of the input were no orders and were not published.`);
  lines.push(...report.failures.map((failure) => `NOT OK: ${failure}`), verdictOf(report));
  return lines.join('\n');
}
