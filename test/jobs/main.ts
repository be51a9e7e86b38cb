import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readOrders, run, Stopped, summaryOf, type Theatre } from '../../examples/orders/run/index.ts';
import { milliseconds } from '../../lib/base/index.ts';
import { root } from '../servers/checkout.ts';
import { type RunningServer, ServerFailure, ServerUnavailable, startServer } from '../servers/index.ts';
import { isAlive } from '../servers/processes.ts';
import { startGuard } from '../servers/run.ts';
import { CdkFailure, type CdkPlace, cdk } from './cdk.ts';
import { tryDocumentation } from './documentation.ts';
import { onLocalStack } from './localstack.ts';
import { onMiniStack } from './ministack.ts';

// What the SDK says about this version of Node is for whoever develops with it, not for whoever tests.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

// npm run test:localstack, npm run test:ministack: the orders example on a server of another maker, from the stock
// deployment to the verdict of the main run.

const jobs = { localstack: onLocalStack, ministack: onMiniStack } as const satisfies Record<
  string,
  (server: RunningServer, place: CdkPlace) => Theatre
>;
type Job = keyof typeof jobs;

/** The server cannot be had on this machine (sysexits.h, EX_UNAVAILABLE): nothing was tested. */
const unavailable = 69;

async function main(): Promise<number> {
  let given: ReturnType<typeof read>;
  try {
    given = read();
  } catch (error) {
    console.error(
      `${(error as Error).message.split('\n')[0]} Use: npm run test:localstack|test:ministack -- [--orders N] [--seconds N] [--port N] [--docker] [--json]`,
    );
    return 2;
  }
  const ending = new AbortController();
  const stop = () => ending.abort(new Stopped());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-job-'));
  const guard = startGuard(folder);
  try {
    return await perform(given, folder, ending);
  } catch (error) {
    const reason = ending.signal.aborted ? ending.signal.reason : error;
    if (reason instanceof Stopped) {
      console.error('Stopped: everything that was started is ended.');
      return 130;
    }
    const { name, message } = reason as Error;
    console.error(`${given.job}: ${message}`);
    if (reason instanceof ServerUnavailable) return unavailable;
    // What a server did wrong is said in a line; a fault of this program keeps its stack.
    if (
      !(reason instanceof ServerFailure || reason instanceof CdkFailure || '$metadata' in (reason as object))
    )
      console.error(`${name}\n${(reason as Error).stack}`);
    return 1;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    guard.dismiss();
  }
}

type Given = ReturnType<typeof read>;

async function perform(given: Given, folder: string, ending: AbortController): Promise<number> {
  const commandedAt = milliseconds(performance.timeOrigin);
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const { signal } = ending;
  const server = await startServer(given.job, {
    port: given.port,
    ...(given.docker && { docker: true }),
    log: say,
    signal,
  });
  server.died.addEventListener('abort', () => ending.abort(server.died.reason), { once: true });
  let pids: readonly number[] = [];
  try {
    say(`${server.name} ${server.version} at ${server.url}`);
    const place: CdkPlace = { url: server.url, folder, signal };
    const file = await readOrders(join(root, 'examples/orders/data/cdnow-orders.csv'), given.orders);
    let ticks = 0;
    const finished = await run(
      {
        file,
        seconds: given.seconds,
        seed: given.seed,
        faults: 'default',
        port: 0,
        commandedAt,
        say,
        tick: (monitor) => {
          const { phase, publisher, subscribers } = monitor.state();
          const backlogs = subscribers.map(({ name }) => `${name} ${monitor.backlog(name)}`).join(', ');
          if (ticks++ % 5 === 0)
            say(`${phase}: ${publisher.published}/${publisher.planned} published; backlog: ${backlogs}`);
        },
        signal,
        fail: (reason) => ending.abort(reason),
      },
      jobs[given.job](server, place),
    );
    pids = server.pids();
    await finished.close();
    await tryDocumentation(given.job, server.url, finished.output, say);
    const { report } = finished;
    process.stdout.write(given.json ? `${JSON.stringify(report, undefined, 2)}\n` : `${summaryOf(report)}\n`);
    say(
      `cdk destroy: ${(await cdk(['destroy', 'Orders', '--force', '--app', join(folder, 'cdk-deploy')], place)).toFixed(1)} s`,
    );
    await server.stop();
    const left = pids.filter(isAlive);
    if (left.length > 0) throw new Error(`Processes of ${server.name} are left: ${left.join(', ')}.`);
    return report.ok ? 0 : 1;
  } finally {
    await server.stop();
  }
}

function read() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      orders: { type: 'string', default: '2000' },
      seconds: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      port: { type: 'string', default: '0' },
      docker: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const [job, ...more] = positionals;
  if (job === undefined || more.length > 0 || !Object.hasOwn(jobs, job))
    throw new Error(`"${positionals.join(' ')}" is no job.`);
  const number = (name: 'orders' | 'seconds' | 'seed' | 'port', least: number, most: number) => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < least || value > most)
      throw new Error(`--${name} is "${values[name]}"; it must be a whole number from ${least} to ${most}.`);
    return value;
  };
  return {
    job: job as Job,
    orders: number('orders', 1, 69_659),
    seconds: number('seconds', 1, 3_600),
    seed: number('seed', 0, 4_294_967_295),
    port: number('port', 0, 65_535),
    docker: values.docker,
    json: values.json,
  };
}

process.exitCode = await main();
