import { STSClient } from '@aws-sdk/client-sts';
import { enterLocal } from '../../bin/environment.ts';
import { ServerFailure, ServerUnavailable, startServer } from '../servers/index.ts';
import { type ServerName, serverNames } from '../servers/names.ts';
import { type AwsRun, askAtTerminal, cleanAws, journalFolder, playOnAws } from './aws/index.ts';
import type { CaseGroup } from './case.ts';
import { groups } from './cases/index.ts';
import { compare } from './compare/index.ts';
import { type Options, optionsOf } from './options.ts';
import type { CaseResult } from './play.ts';
import { writeRecord } from './results.ts';
import { answers, playServer } from './session.ts';
import { pageFile, writePage } from './write-page.ts';

// npm run conformance: see --help. Results go to standard output, everything else to the other one.

const note = (line: string): void => void process.stderr.write(`${line}\n`);

/** Somebody pressed Ctrl-C. */
class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => stopping.abort(new Interrupted('Stopped; nothing is left running.')));

const options = optionsOf(process.argv.slice(2), groups, (line) => {
  note(`conformance: ${line}`);
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
      if (played % 50 === 0) note(`${server}: ${played} of ${total}`);
    } else process.stdout.write(`${lineOf(result)}\n`);
  };
  const { cases, version, requests } = await playServer(server, {
    groups: wanted,
    endpoint,
    heard,
    log: note,
    signal: stopping.signal,
  });
  if (record) writeRecord({ server, version, date: today(), ...(requests && { requests }), cases }, ids);
  if (json) process.stdout.write(`${JSON.stringify({ server, cases }, undefined, 2)}\n`);
  else process.stdout.write(`${server}: ${countsOf(cases)}\n`);
  if (server !== 'model') return 0;
  const differing = cases.filter(({ status }) => status !== 'pass');
  if (all) for (const result of differing) process.stdout.write(`${lineOf(result)}\n`);
  return differing.length > 0 ? 1 : 0;
}

const today = () => new Date().toISOString().slice(0, 10);

/** Plays an account of AWS, or removes what was left there. Gives the exit code. */
async function onAws({ profile = '', region, yes, clean, json, record }: Options): Promise<number> {
  process.env.AWS_PROFILE = profile;
  const endpoint = Object.entries(process.env).find(
    ([name, value]) => /^AWS_ENDPOINT_URL(_|$)/.test(name) && value,
  );
  if (endpoint !== undefined)
    throw new ServerFailure(`${endpoint[0]} is ${endpoint[1]}: that is not AWS. Unset it.`);
  const run: AwsRun = {
    groups: wanted,
    yes: yes === true,
    heard: (result) => {
      if (json) return;
      process.stdout.write(`${lineOf(result)}\n`);
    },
    say: note,
    ask: askAtTerminal(stopping.signal),
    signal: stopping.signal,
    client: { region: region ?? (await regionOf(profile)), profile },
    folder: journalFolder(process.env),
  };
  if (clean) return (await cleanAws(run)) ? 0 : 1;
  const cases = await playOnAws(run);
  if (record) writeRecord({ server: 'aws', version: run.client.region, date: today(), cases }, ids);
  if (json) process.stdout.write(`${JSON.stringify({ server: 'aws', cases }, undefined, 2)}\n`);
  else process.stdout.write(`aws: ${countsOf(cases)}\n`);
  return 0;
}

/** The Region of a profile. */
async function regionOf(profile: string): Promise<string> {
  const sts = new STSClient({ profile });
  try {
    return await sts.config.region();
  } catch {
    // The SDK tells it in several lines, and of variables that are not meant here.
    throw new ServerFailure(`The profile ${profile} names no Region: say --region.`);
  } finally {
    sts.destroy();
  }
}

/** Plays every server, one after the other: one that cannot be had does not keep the others from their turn. */
async function every(given: Options): Promise<number> {
  let code = 0;
  for (const server of serverNames) {
    note(`${server}: ${wanted.flatMap(({ cases }) => cases).length} cases`);
    try {
      code = Math.max(code, await one(server, given));
    } catch (error) {
      if (!isToldPlainly(error)) throw error;
      note(`conformance: ${error.message}`);
      code = 1;
    }
  }
  if (given.record) writePage();
  return code;
}

/** Plays random sequences on the model and on a server. Gives 1 when something new was found. */
async function beside(server: ServerName, given: Options): Promise<number> {
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const compareOn = (url: string, services: readonly string[], signal: AbortSignal) =>
    compare(server, url, { ...given, services, say, signal });
  const { endpoint } = given;
  if (endpoint !== undefined) {
    if (!(await answers(endpoint))) throw new ServerFailure(`Nothing answers at ${endpoint}.`);
    return (await compareOn(endpoint, ['sqs', 'dynamodb'], stopping.signal)) > 0 ? 1 : 0;
  }
  const running = await startServer(server, { log: (line) => note(line), signal: stopping.signal });
  try {
    const signal = AbortSignal.any([stopping.signal, running.died]);
    return (await compareOn(running.url, running.services, signal)) > 0 ? 1 : 0;
  } finally {
    await running.stop();
  }
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
  if (options.server === 'aws') return onAws(options);
  enterLocal(process.env);
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  if (options.all) return every(options);
  if (options.compare !== undefined) return beside(options.compare, options);
  return one(options.server as ServerName, options);
}

try {
  process.exitCode = await main();
} catch (error) {
  if (error instanceof Interrupted) {
    note(error.message);
    process.exitCode = 130;
  } else if (isToldPlainly(error) || isOfTheSystem(error)) {
    note(`conformance: ${error.message}`);
    process.exitCode = 1;
  } else throw error;
}
await new Promise<void>((resolve) => void process.stdout.write('', () => resolve()));
// What a case left waiting when it was given up keeps nobody waiting.
process.exit();
