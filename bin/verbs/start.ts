import { once } from 'node:events';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, Option } from 'commander';
import { milliseconds } from 'sluice';
import {
  InputError,
  type Monitor,
  type RunReport,
  readOrders,
  run,
  Stopped,
  summaryOf,
  watchMemory,
} from '../../examples/orders/run/index.ts';
import { wholeNumber } from '../arguments.ts';
import { Failure } from '../errors.ts';

/** The data that ships with the example. */
const standardInput = fileURLToPath(new URL('../../examples/orders/data/cdnow-orders.csv', import.meta.url));

interface StartOptions {
  readonly orders: number;
  readonly seconds: number;
  readonly input: string;
  readonly seed: number;
  readonly faults: 'none' | 'default';
  readonly port: number;
  readonly exit?: boolean;
  readonly report?: string;
  readonly json?: boolean;
}

/** Adds the verb `start`: the example's burst of orders, from the deployment to the verdict. */
export function register(program: Command): void {
  program
    .command('start')
    .description('send a burst of real orders through the deployed stack, and prove what became of them')
    .option('--orders <count>', 'how many orders', wholeNumber(1, 1_000_000), 40_000)
    .option('--seconds <count>', 'within how many seconds they arrive', wholeNumber(1, 3600), 90)
    .option('--input <file>', 'CSV or NDJSON with the columns of the example', standardInput)
    .option('--seed <number>', 'makes faults and arrivals repeatable', wholeNumber(0, 4_294_967_295), 1)
    .addOption(
      new Option('--faults <which>', 'what goes wrong').choices(['none', 'default']).default('default'),
    )
    .option(
      '--port <number>',
      'of the endpoint and the page, 0 for any free one',
      wholeNumber(0, 65_535),
      4566,
    )
    .option('--exit', 'end after the run, instead of keeping the page')
    .option('--report <file>', 'write the report there, as JSON')
    .option('--json', 'print the report as JSON instead of tables')
    .action(start);
}

async function start(options: StartOptions): Promise<void> {
  const commandedAt = milliseconds(performance.timeOrigin);
  // The launcher (bin/sluice.mjs) holds a channel to this process; its memory is the command's too.
  const memory = watchMemory(process.connected ? process.ppid : process.pid);
  const say = (line: string) => process.stderr.write(`${progress.clear()}${line}\n`);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  // Heard each time: a terminal sends it to every process of the command, and npm hands it on once more.
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('SIGHUP', stop);
  let reportFile: ReportFile | undefined;
  try {
    const file = await readOrders(resolve(options.input), options.orders);
    if (options.report !== undefined) reportFile = await openReport(resolve(options.report));
    for (const { line, problem } of file.badRows) say(`${options.input}:${line}: not published: ${problem}`);
    const finished = await run({
      file,
      seconds: options.seconds,
      seed: options.seed,
      faults: options.faults,
      port: options.port,
      commandedAt,
      memory,
      say,
      tick: (monitor) => process.stderr.write(progress.line(monitor)),
      signal: stopping.signal,
    });
    try {
      const { report } = finished;
      process.stderr.write(progress.clear());
      await reportFile?.write(report);
      process.stdout.write(
        options.json ? `${JSON.stringify(report, undefined, 2)}\n` : `${summaryOf(report)}\n`,
      );
      process.exitCode = report.ok ? 0 : 1;
      if (!options.exit && !stopping.signal.aborted) {
        say(`The page stays at ${finished.page} until Ctrl-C.`);
        await once(stopping.signal, 'abort');
      }
    } finally {
      await finished.close();
    }
  } catch (error) {
    if (error instanceof Stopped) {
      say('Stopped: everything that was started is ended.');
      // 128 + SIGINT, as a shell has it.
      process.exitCode = 130;
    } else throw error instanceof InputError ? new Failure(error.message, { cause: error }) : error;
  } finally {
    memory.stop();
    await reportFile?.discard();
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
    process.off('SIGHUP', stop);
  }
}

/** A report's file, found to be writable before minutes of work depend on it. */
interface ReportFile {
  /** Writes beside the file and moves it there, so that nobody reads half a report. */
  write(report: RunReport): Promise<void>;
  /** Leaves nothing behind of a report that was not written. */
  discard(): Promise<void>;
}

/** @throws {Failure} when the report could not be written there */
async function openReport(path: string): Promise<ReportFile> {
  const beside = `${path}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    if ((await stat(path).catch(() => undefined))?.isDirectory()) throw new Error('it is a directory');
    await writeFile(beside, '');
  } catch (error) {
    throw new Failure(
      `the report cannot be written to ${path}: ${(error as Error).message}. Name a file in a folder that can be written to.`,
      { cause: error },
    );
  }
  return {
    async write(report) {
      await writeFile(beside, `${JSON.stringify(report, undefined, 2)}\n`, { flush: true });
      await rename(beside, path);
    },
    discard: () => rm(beside, { force: true }),
  };
}

/** The progress line: rewritten in place on a terminal, one line every five seconds elsewhere. */
const progress = (() => {
  let shown = false;
  let ticks = 0;
  return {
    line(monitor: Monitor): string {
      const { phase, publisher, subscribers, alarms } = monitor.state();
      const { published, planned, latencyMs } = publisher;
      const backlogs = subscribers.map(({ name }) => `${name} ${monitor.backlog(name)}`).join(', ');
      const ringing = alarms.filter(({ state }) => state === 'ALARM').length;
      const text = `${phase}: ${published}/${planned} published, p99 ${latencyMs?.p99 ?? '-'} ms; backlog: ${backlogs}${
        ringing > 0 ? `; ${ringing} in alarm` : ''
      }`;
      ticks += 1;
      if (!process.stderr.isTTY) return ticks % 5 === 1 ? `${text}\n` : '';
      shown = true;
      return `\r\u001b[K${text.slice(0, Math.max(20, (process.stderr.columns ?? 120) - 1))}`;
    },
    clear(): string {
      if (!shown) return '';
      shown = false;
      return '\r\u001b[K';
    },
  };
})();
