import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { ServerFailure, ServerUnavailable } from './types.ts';

/** What a program said. */
interface Said {
  readonly code: number;
  /** Standard output and error together. */
  readonly text: string;
}

/** Milliseconds that a program may take to say its version. */
const patience = 20_000;

/** Runs a program to its end; `undefined` when there is none of that name. */
export function say(
  command: string,
  args: readonly string[],
  options: { readonly timeout?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<Said | undefined> {
  const { timeout = patience, signal } = options;
  return new Promise((resolve, reject) =>
    execFile(
      command,
      args,
      { timeout, maxBuffer: 64 * 1024 * 1024, ...(signal && { signal }) },
      (error, stdout, stderr) => {
        if (signal?.aborted) return reject(signal.reason);
        if ((error as NodeJS.ErrnoException | null)?.code === 'ENOENT') return resolve(undefined);
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, text: `${stdout}${stderr}` });
      },
    ),
  );
}

/** A Python that runs and is new enough. */
async function pythonAt(path: string, fits: (minor: number) => boolean): Promise<boolean> {
  const said = await say(path, [
    '-c',
    'import sys, venv; print(sys.version_info.major, sys.version_info.minor)',
  ]);
  const [, major, minor] = /^(\d+) (\d+)$/m.exec(said?.text ?? '') ?? [];
  return said?.code === 0 && major === '3' && fits(Number(minor));
}

/**
 * Finds Python 3.13: the variable `PYTHON313`, `python3.13` on the path when it runs (a shim of pyenv may be there
 * without a Python behind it), the versions of pyenv and of uv.
 *
 * @throws {ServerUnavailable} when there is none
 */
export async function findPython313(environment: NodeJS.ProcessEnv = process.env): Promise<string> {
  const home = environment.HOME ?? homedir();
  const below = (folder: string, name: RegExp) =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter((each) => name.test(each))
          .map((each) => join(folder, each, 'bin', 'python3.13'))
      : [];
  const candidates = [
    ...(environment.PYTHON313 ? [environment.PYTHON313] : []),
    ...onPath('python3.13', environment),
    ...below(join(environment.PYENV_ROOT ?? join(home, '.pyenv'), 'versions'), /^3\.13\./),
    ...below(join(home, '.local', 'share', 'uv', 'python'), /^cpython-3\.13\./),
  ];
  for (const path of candidates) if (await pythonAt(path, (minor) => minor === 13)) return path;
  throw new ServerUnavailable(
    'LocalStack without Docker needs Python 3.13, and none was found. Install it (pyenv install 3.13, or uv python install 3.13), or name one in the variable PYTHON313, or start Docker.',
  );
}

/** @throws {ServerUnavailable} when there is no Python 3.10 or newer */
export async function findPython(
  server: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const names = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];
  for (const path of names.flatMap((name) => onPath(name, environment)))
    if (await pythonAt(path, (minor) => minor >= 10)) return path;
  throw new ServerUnavailable(
    `${server} needs Python 3.10 or newer with its module venv, and none was found. Install it (apt-get install python3-venv, or brew install python).`,
  );
}

/** @throws {ServerUnavailable} when there is no Java 17 or newer */
export async function findJava(environment: NodeJS.ProcessEnv = process.env): Promise<string> {
  const candidates = [
    ...(environment.JAVA_HOME ? [join(environment.JAVA_HOME, 'bin', 'java')] : []),
    ...onPath('java', environment),
  ];
  for (const path of candidates) {
    const said = await say(path, ['-version']);
    if (Number(/version "(\d+)/.exec(said?.text ?? '')?.[1]) >= 17) return path;
  }
  throw new ServerUnavailable(
    'DynamoDB Local needs Java 17 or newer, and none was found. Install it (apt-get install default-jre-headless, or brew install openjdk).',
  );
}

/** @throws {ServerUnavailable} when there is no Maven */
export async function findMaven(environment: NodeJS.ProcessEnv = process.env): Promise<string> {
  for (const path of onPath('mvn', environment)) if ((await say(path, ['-v']))?.code === 0) return path;
  throw new ServerUnavailable(
    'DynamoDB Local is fetched by Maven, and none was found. Install it (apt-get install maven, or brew install maven).',
  );
}

const onPath = (name: string, { PATH = '' }: NodeJS.ProcessEnv): string[] =>
  PATH.split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .filter((path) => existsSync(path));

/** What pip and Maven say when the network is not there. */
const withoutNetwork =
  /NewConnectionError|ConnectTimeoutError|ReadTimeoutError|NameResolutionError|ProxyError|Network is unreachable|UnknownHostException|Connection refused|Connection timed out|Temporary failure in name resolution|No route to host|Could not transfer/;

/** Milliseconds that an installation may take. */
const installing = 600_000;

/**
 * Runs a step of an installation.
 *
 * @throws {ServerUnavailable} when the network is missing
 * @throws {ServerFailure} when it fails for another reason, with the end of what it said
 */
export async function step(
  what: string,
  command: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const said = await say(command, args, { timeout: installing, signal });
  if (said?.code === 0) return;
  const text = said?.text.trim() ?? `${command} is not there`;
  const network = withoutNetwork.exec(text)?.[0];
  if (network !== undefined)
    throw new ServerUnavailable(
      `${what} cannot be installed without a network: ${network}. It is needed once; then the installation stays in the cache.`,
    );
  throw new ServerFailure(`${what} could not be installed.\n${text.split('\n').slice(-15).join('\n')}`);
}
