import { enterLocal } from '../../bin/environment.ts';
import { ServerFailure, ServerUnavailable } from '../servers/index.ts';
import { type ServerName, serverNames } from '../servers/names.ts';
import type { CaseGroup } from './case.ts';
import { groups } from './cases/index.ts';
import { type Options, optionsOf } from './options.ts';
import type { CaseResult } from './play.ts';
import { writeRecord } from './results.ts';
import { playServer } from './session.ts';
import { pageFile, writePage } from './write-page.ts';

// npm run conformance: see --help. Results go to standard output, everything else to the other one.

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Somebody pressed Ctrl-C. */
class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => stopping.abort(new Interrupted('Stopped; nothing is left running.')));

const options = optionsOf(process.argv.slice(2), groups, (line) => {
  say(`conformance: ${line}`);
  process.exit(2);
});

const wanted: readonly CaseGroup[] = groups.filter(({ name }) => name.startsWith(options.only ?? ''));
const ids = groups.flatMap((group) => group.cases.map((one) => `${group.name}/${one.name}`));

const lineOf = ({ id, status, note }: CaseResult) =>
  `${status.padEnd(11)} ${id}${note === '' ? '' : `: ${note}`}`;

function countsOf(cases: readonly CaseResult[]): string {
  const count = (status: CaseResult['status']) => cases.filter((each) => each.status === status).length;
  return `${count('pass')} pass, ${count('differs')} differ, ${count('unsupported')} not supported`;
}

/** Plays one server and tells it. Gives the exit code. */
async function one(server: ServerName, { json, record, endpoint, all }: Options): Promise<number> {
  const total = wanted.reduce((sum, { cases }) => sum + cases.length, 0);
  let played = 0;
  const heard = (result: CaseResult) => {
    played += 1;
    if (all || json) {
      if (played % 50 === 0) say(`${server}: ${played} of ${total}`);
    } else process.stdout.write(`${lineOf(result)}\n`);
  };
  const { cases, version } = await playServer(server, {
    groups: wanted,
    endpoint,
    heard,
    log: say,
    signal: stopping.signal,
  });
  if (record) writeRecord({ server, version, date: new Date().toISOString().slice(0, 10), cases }, ids);
  if (json) process.stdout.write(`${JSON.stringify({ server, cases }, undefined, 2)}\n`);
  else process.stdout.write(`${server}: ${countsOf(cases)}\n`);
  if (server !== 'model') return 0;
  const differing = cases.filter(({ status }) => status !== 'pass');
  if (all) for (const result of differing) process.stdout.write(`${lineOf(result)}\n`);
  return differing.length > 0 ? 1 : 0;
}

/** Plays every server, one after the other: one that cannot be had does not keep the others from their turn. */
async function every(given: Options): Promise<number> {
  let code = 0;
  for (const server of serverNames) {
    say(`${server}: ${wanted.length} groups`);
    try {
      code = Math.max(code, await one(server, given));
    } catch (error) {
      if (!isToldPlainly(error)) throw error;
      say(`conformance: ${error.message}`);
      code = 1;
    }
  }
  if (given.record) writePage();
  return code;
}

const isToldPlainly = (error: unknown): error is Error =>
  error instanceof ServerFailure || error instanceof ServerUnavailable;

/** What the disk or the system refuses, in its own words. */
const isOfTheSystem = (error: unknown): error is Error => error instanceof Error && 'syscall' in error;

async function main(): Promise<number> {
  if (options.page) {
    writePage();
    process.stdout.write(`${pageFile}\n`);
    return 0;
  }
  enterLocal(process.env);
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  if (options.all) return every(options);
  return one(options.server as ServerName, options);
}

try {
  process.exitCode = await main();
} catch (error) {
  if (error instanceof Interrupted) {
    say(error.message);
    process.exitCode = 130;
  } else if (isToldPlainly(error) || isOfTheSystem(error)) {
    say(`conformance: ${error.message}`);
    process.exitCode = 1;
  } else throw error;
}
await new Promise<void>((resolve) => void process.stdout.write('', () => resolve()));
// What a case left waiting when it was given up keeps nobody waiting.
process.exit();
