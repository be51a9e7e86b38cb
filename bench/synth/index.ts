import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root, startChild } from '../child.ts';
import { goalCells, judged } from '../goal.ts';
import { alternate, median, type Rounds, ratio } from '../measure.ts';
import type { Effort, Part, Table } from '../part.ts';
import type { UnitKind, UnitTime, UnitTimes } from './unit.ts';

/** Most that the orders' synthesis takes of what the same resources take without sluice. */
const mostRatio = 1.2;

/** Most milliseconds of a unit test's synthesis, after the first of its process. */
const mostUnit = 100;

const unitKinds: readonly UnitKind[] = ['unbundled', 'bundled', 'bare'];

const apps = { orders: 'bin/app.ts', bare: 'bench/synth/bare.ts' } as const;
type Name = keyof typeof apps;

/** What a synthesis took, in seconds, and what came of it. */
interface Taken {
  readonly time: number;
  /** Of the processor, all processes together. */
  readonly cpu: number;
  readonly resources: number;
}

/** How long a user waits for the template. */
export const synth: Part = {
  name: 'synth',
  description:
    'npx cdk synth of the orders, beside the same resources without sluice; and a unit test’s synthesis',
  async measure(effort) {
    return [await commands(effort), await units(effort)];
  },
};

async function commands({ quick, say }: Effort): Promise<Table> {
  const rounds = quick ? 1 : 5;
  say(`synth: npx cdk synth of both apps, in ${rounds + 1} turns`);
  const found: Rounds<Name, Taken> = await alternate(
    { orders: () => synthesize(apps.orders), bare: () => synthesize(apps.bare) },
    rounds,
    600_000,
  );
  const all = (name: Name, of: 'time' | 'cpu') => found[name].map((taken) => taken[of]);
  const times = ratio(all('orders', 'time'), all('bare', 'time'));
  const goal = judged('synth, of the bare app', times, mostRatio);
  const rows = (['orders', 'bare'] as const).map((name) => [
    name,
    found[name][0]?.resources ?? 0,
    median(all(name, 'time')),
    median(all(name, 'cpu')),
    ...(name === 'bare'
      ? ['', '', '', '']
      : [times, ratio(all('orders', 'cpu'), all('bare', 'cpu')), ...goalCells(goal)]),
  ]);
  return {
    title: 'synth: npx cdk synth of the orders',
    note: 'In turns with an app of the same resources that is written with the CDK alone, NodejsFunction and all. Seconds that pass, and\nof the processor; the ratios are of the same turn.',
    columns: ['', 'resources', 'time, s', 'processor, s', 'ratio', 'of the processor', 'goal', ''],
    rows,
    goals: [goal],
  };
}

/** Runs the command once, with the CDK's own validation, as a user does. */
async function synthesize(app: string): Promise<Taken> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-synth-'));
  try {
    const before = performance.now();
    // The shell says what its children took of the processor.
    const { stdout } = await promisify(execFile)(
      'sh',
      [
        ...['-c', '"$@" >/dev/null && times', 'sh', process.execPath],
        ...[join(root, 'node_modules/aws-cdk/bin/cdk'), 'synth', '--quiet', '--output', join(folder, 'out')],
        ...['--app', `${process.execPath} --import tsx ${app}`],
      ],
      {
        cwd: root,
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          CDK_HOME: folder,
          CDK_DISABLE_CLI_TELEMETRY: 'true',
          // NodejsFunction starts npx, which in a new home asks for newer versions of itself.
          npm_config_update_notifier: 'false',
          AWS_EC2_METADATA_DISABLED: 'true',
        },
        timeout: 600_000,
      },
    );
    const time = (performance.now() - before) / 1_000;
    const [, children = ''] = stdout.trim().split('\n');
    const template = readFileSync(join(folder, 'out', 'Orders.template.json'), 'utf8');
    const { Resources } = JSON.parse(template) as { readonly Resources: object };
    return { time, cpu: secondsOf(children), resources: Object.keys(Resources).length };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Adds what `times` says, for example "0m2.01s 0m0.30s". */
const secondsOf = (said: string): number =>
  [...said.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );

async function units({ quick, say }: Effort): Promise<Table> {
  const processes = quick ? 1 : 3;
  say(`synth: the template of the orders in ${processes} processes of each kind`);
  const found: Record<UnitKind, UnitTime[][]> = { unbundled: [], bundled: [], bare: [] };
  for (let round = 0; round < processes; round++)
    for (const kind of unitKinds) {
      const child = startChild('synth/unit.ts', 300_000);
      found[kind].push([...(await child.ask<UnitTimes>({ kind })).times]);
      await child.end();
    }
  const first = (kind: UnitKind) => median(found[kind].map(([time]) => time!.thread));
  const later = (kind: UnitKind, of: keyof UnitTime) =>
    median(found[kind].flatMap((times) => times.slice(1).map((time) => time[of])));
  const goals = (['unbundled', 'bundled'] as const).map((kind) =>
    judged(`synth, a unit test after the first, ${kind}`, later(kind, 'thread'), mostUnit, 'ms'),
  );
  return {
    title: 'synth: a unit test’s template of the orders',
    note: 'Milliseconds of the processor for Template.fromStack of a new app, the CDK’s validation off; later: each of seven more in the\nsame process. In its thread the test waits; beside it V8 compiles and collects garbage. Esbuild’s own time is not in it. Bare: the\nsame resources with the CDK alone, unbundled.',
    columns: ['', 'first, ms', 'later, ms', 'later, all threads', 'of the bare', 'goal', ''],
    rows: unitKinds.map((kind, index) => [
      kind,
      first(kind),
      later(kind, 'thread'),
      later(kind, 'all'),
      later(kind, 'thread') / later('bare', 'thread'),
      ...goalCells(goals[index]),
    ]),
    goals,
  };
}
