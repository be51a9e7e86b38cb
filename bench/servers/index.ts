import { cdk } from '../../test/jobs/cdk.ts';
import { type ServerName, ServerUnavailable, startServer } from '../../test/servers/index.ts';
import { goalCells, type Judged, judged } from '../goal.ts';
import type { Effort, Part, Table } from '../part.ts';
import { makeProbe, openTraffic, type Probe } from './probe.ts';

/** Our model, and the servers that a whole stack can be deployed to without an account. */
const names = ['model', 'ministack', 'localstack'] as const satisfies readonly ServerName[];
type Name = (typeof names)[number];

/** The goals: the best peer's speed as a part of the model's, and seconds of the model. */
const goals = { share: 1 / 5, start: 0.5, deploy: 3 } as const;

/** How many messages are timed, some seconds' worth of each server, after the warm-up. */
const messages = { model: 10_000, ministack: 3_000, localstack: 500, quick: 200 } as const;
/** How many go before, until a server gets no faster: environments start, and code is compiled where it is often used. */
const warmUp = { model: 20_000, ministack: 5_000, localstack: 500, quick: 200 } as const;

/** What was measured of a server. */
interface Figures {
  readonly version: string;
  readonly startSeconds: number;
  readonly deploySeconds: number;
  readonly perSecond: number;
  readonly mebibytes: number;
}

/** How fast a whole stack works on each server, from the publisher to the record in a table. */
export const servers: Part = {
  name: 'servers',
  description:
    'messages a second from publish to record, memory, start and deploy, beside MiniStack and LocalStack',
  async measure(effort) {
    effort.say('servers: synthesizing the probe stack, building the package');
    const probe = await makeProbe();
    try {
      const measured = new Map<Name, Figures>();
      const missing: string[] = [];
      for (const name of names) {
        try {
          measured.set(name, await measure(name, probe, effort));
        } catch (error) {
          if (!(error instanceof ServerUnavailable)) throw error;
          missing.push(error.message);
          effort.say(`servers: ${error.message}`);
        }
      }
      return [tableOf(measured, missing)];
    } finally {
      probe.remove();
    }
  },
};

/** One server at a time is up, so that none has to share the machine with another. */
async function measure(name: Name, { folder, built }: Probe, { quick, say }: Effort): Promise<Figures> {
  const { signal } = new AbortController();
  // The first start installs it.
  await (await startServer(name, { log: say, functions: true, built })).stop();
  const startedAt = performance.now();
  const server = await startServer(name, { functions: true, built });
  try {
    const startSeconds = (performance.now() - startedAt) / 1000;
    say(`servers: ${name} ${server.version}: deploying`);
    const place = { url: server.url, folder, signal };
    const app = ['--app', `${folder}/app`];
    await cdk(['bootstrap', ...app, 'aws://000000000000/us-east-1'], place);
    const deploySeconds = await cdk(['deploy', ...app, '--require-approval', 'never'], place);
    const traffic = await openTraffic(server.url);
    try {
      const count = quick ? messages.quick : messages[name];
      await traffic.send(quick ? warmUp.quick : warmUp[name]);
      say(`servers: ${name}: ${count.toLocaleString('en')} messages`);
      const perSecond = await traffic.send(count);
      const mebibytes = server.memory() / 2 ** 20;
      return { version: server.version, startSeconds, deploySeconds, perSecond, mebibytes };
    } finally {
      traffic.close();
    }
  } finally {
    await server.stop();
  }
}

function tableOf(measured: ReadonlyMap<Name, Figures>, missing: readonly string[]): Table {
  const of = (name: Name, figure: keyof Omit<Figures, 'version'>) =>
    measured.get(name)?.[figure] ?? Number.NaN;
  const peers = names.filter((name) => name !== 'model' && measured.has(name));
  const best = peers.length === 0 ? Number.NaN : Math.max(...peers.map((name) => of(name, 'perSecond')));
  const share = judged(
    'servers, messages a second: the best peer, of the model',
    best / of('model', 'perSecond'),
    goals.share,
  );
  const start = judged('servers, start of the model', of('model', 'startSeconds'), goals.start, 's');
  const deploy = judged('servers, deploy to the model', of('model', 'deploySeconds'), goals.deploy, 's');
  const row = (what: string, figure: keyof Omit<Figures, 'version'>, goal?: Judged) => [
    what,
    ...names.map((name) => (measured.has(name) ? of(name, figure) : '-')),
    ...goalCells(goal),
  ];
  return {
    title: 'servers: a stack of two topics, four queues, two functions, a table, alarms and a dashboard',
    note: [
      'One after the other in one run; batches of ten are published, functions write a record for each message by the real SDK, and a scan counts them.',
      `Timed: ${names.map((name) => `${messages[name].toLocaleString('en')} messages on ${name}`).join(', ')}; in a quick run ${messages.quick}.`,
      'Deploy: the stock cdk command, of an assembly that was synthesized before. LocalStack runs the functions as Node processes of this machine.',
      ...missing,
    ].join('\n'),
    columns: ['', ...names.map((name) => `${name} ${measured.get(name)?.version ?? ''}`.trim()), 'goal', ''],
    rows: [
      row('messages a second, publish to record', 'perSecond'),
      ['the best peer, of the model', Number(best / of('model', 'perSecond')), '', '', ...goalCells(share)],
      row('start, s', 'startSeconds', start),
      row('deploy, s', 'deploySeconds', deploy),
      row('memory with functions, MiB', 'mebibytes'),
    ],
    goals: [share, start, deploy],
  };
}
