import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { bundle } from '../bundle.ts';
import { goalCells, type Judged, judged } from '../goal.ts';
import { alternate, median } from '../measure.ts';
import type { Effort, Part, Table } from '../part.ts';

/** What stays out of a bundle when its size is measured: every handler has the SDK. */
export const sdk = ['@aws-sdk/*', '@smithy/*'];

/** Bytes of a KB. */
export const kilobyte = 1_024;

/** Handlers that do nothing, one a file of `entries/`; the goals are in KB without the SDK. */
export const handlers = {
  bare: { entry: 'size/entries/bare.ts', what: 'bare handler with clients of DynamoDB and SQS' },
  consumer: {
    entry: 'size/entries/consumer.ts',
    what: 'sluice, own logger and metrics (consumer)',
    most: 25,
  },
  consume: { entry: 'size/entries/consume.ts', what: 'sluice, with Logger and metrics (consume)', most: 60 },
  powertools: {
    entry: 'size/entries/powertools.ts',
    what: 'Powertools: batch, idempotency, Logger, Metrics',
  },
} as const;
type Name = keyof typeof handlers;
const names = Object.keys(handlers) as Name[];

/** Most milliseconds that `consumer` adds to the load of the bare handler. */
const mostLoad = 5;

/** What a handler weighs and how long it takes to load. */
export const size: Part = {
  name: 'size',
  description: 'bytes of a bundled handler, and how long it takes to load, beside Powertools for Lambda',
  async measure(effort) {
    return [await weigh(effort), await load(effort)];
  },
};

async function weigh({ say }: Effort): Promise<Table> {
  say('size: bundling');
  const rows: (string | number)[][] = [];
  const goals: Judged[] = [];
  for (const name of names) {
    const { entry, what, ...rest } = handlers[name];
    const { bytes } = await bundle(entry, sdk);
    const goal = 'most' in rest ? judged(`size, ${what}`, bytes / kilobyte, rest.most, 'KB') : undefined;
    if (goal !== undefined) goals.push(goal);
    rows.push([what, bytes / kilobyte, ...goalCells(goal)]);
  }
  return {
    title: 'size: a bundled handler without the SDK',
    note: `Minified, with the names of classes kept, as MessagingStack bundles it. KB of ${kilobyte} bytes.`,
    columns: ['', 'KB', 'goal', ''],
    rows,
    goals,
  };
}

async function load({ quick, say }: Effort): Promise<Table> {
  const rounds = quick ? 3 : 15;
  say(`size: loading each bundle in ${rounds} processes`);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  try {
    const turns = {} as Record<Name, () => Promise<number>>;
    for (const name of names) {
      const file = join(folder, `${name}.mjs`);
      writeFileSync(file, (await bundle(handlers[name].entry)).text);
      turns[name] = () => loadTime(file);
    }
    const times = await alternate(turns, rounds, 60_000);
    const goals: Judged[] = [];
    const rows = names.map((name) => {
      const over = median(times[name].map((time, round) => time - (times.bare[round] as number)));
      const goal =
        name === 'consumer'
          ? judged(`load over a bare handler, ${handlers.consumer.what}`, over, mostLoad, 'ms')
          : undefined;
      if (goal !== undefined) goals.push(goal);
      return [handlers[name].what, median(times[name]), over, ...goalCells(goal)];
    });
    return {
      title: 'size: time to load a bundled handler with the SDK',
      note: 'Milliseconds of processor time to import it in a fresh process, in turns, clients made; over: beyond the bare handler of\nthe same turn.',
      columns: ['', 'load, ms', 'over, ms', 'goal', ''],
      rows,
      goals,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const program = `
  const file = process.argv[1];
  const before = process.cpuUsage();
  await import(file);
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(String((user + system) / 1000), () => process.exit());
`;

/**
 * Milliseconds of processor time in which a process of its own imports a module: on a busy machine the time that
 * passes tells what else was running. It sees nothing of this environment but where programs are.
 */
async function loadTime(file: string): Promise<number> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', program, pathToFileURL(file).href],
    {
      env: { PATH: process.env.PATH, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
      timeout: 60_000,
    },
  );
  const time = Number(stdout);
  if (!(time > 0)) throw new Error(`The time to load ${file} was not measured: ${stdout}`);
  return time;
}
