import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { processesOf, signalTo } from './processes.ts';
import { ServerFailure } from './types.ts';

/** How a server is run. */
export interface Run {
  /** As messages name it. */
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Beside `PATH`, `HOME` and where temporary files go: it sees nothing else of this process's environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Made by {@link makeFolder}; the server works in it, and it is removed with the server. */
  readonly folder: string;
  readonly directory?: string;
  /** Whether it answers by now. Asked again until it does; a rejection is a no. */
  readonly ready: (signal: AbortSignal) => Promise<boolean>;
  /** Milliseconds after which it is given up. */
  readonly patience: number;
  readonly signal?: AbortSignal | undefined;
}

/** A server's processes. */
export interface Running {
  pids(): readonly number[];
  memory(): number;
  readonly died: AbortSignal;
  stop(): Promise<void>;
}

/** Milliseconds between two looks at whether a server answers, and the most that one look may take. */
const look = { every: 15, most: 2_000 } as const;

/** Milliseconds that a server gets to end by itself, and how often it is looked at. */
const ending = { most: 4_000, every: 25 } as const;

/** Lines of a log that a message ends with. */
const shownLines = 15;

/** Makes a folder of its own for a server. */
export function makeFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `sluice-${name}-`));
  mkdirSync(join(folder, 'tmp'));
  return folder;
}

/**
 * Starts a program in a session of its own, so that Ctrl-C in the terminal meets this process alone, and waits until it
 * answers. Should this process be killed, a small guard ends the program and removes its folder.
 *
 * @throws {ServerFailure} when it ends, or does not answer in time
 */
export async function runServer(run: Run): Promise<Running> {
  const { title, folder, signal } = run;
  signal?.throwIfAborted();
  const log = join(folder, 'server.log');
  const output = openSync(log, 'a');
  const child = spawn(run.command, run.args, {
    cwd: run.directory ?? folder,
    detached: true,
    stdio: ['ignore', output, output],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      LANG: 'C.UTF-8',
      TMPDIR: join(folder, 'tmp'),
      ...run.environment,
      // By this its processes are found, wherever they went.
      SLUICE_SERVER_FOLDER: folder,
    },
  });
  closeSync(output);
  const tail = () => readFileSync(log, 'utf8').trimEnd().split('\n').slice(-shownLines).join('\n');
  const exit = exitOf(child);
  const died = new AbortController();
  let stopping: Promise<void> | undefined;
  let exited: string | undefined;
  exit.then((how) => {
    exited = how;
    // What a log says last is all that remains of the reason.
    if (stopping === undefined) died.abort(new ServerFailure(`${title} ended (${how}).\n${tail()}`));
  });
  const guard = child.pid === undefined ? undefined : startGuard(folder, child.pid);
  const stop = () => {
    stopping ??= end(child, folder, () => exited === undefined).finally(() => guard?.dismiss());
    return stopping;
  };

  const since = performance.now();
  try {
    for (;;) {
      signal?.throwIfAborted();
      if (exited !== undefined)
        throw new ServerFailure(`${title} ended before it was ready (${exited}).\n${tail()}`);
      if (await answers(run)) break;
      if (performance.now() - since > run.patience)
        throw new ServerFailure(
          `${title} was not ready within ${run.patience / 1000} s, and was ended.\n${tail()}`,
        );
      await pause(look.every);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    pids: () => processesOf(child.pid as number, folder).map(({ pid }) => pid),
    memory: () => processesOf(child.pid as number, folder).reduce((sum, { memory }) => sum + memory, 0),
    died: died.signal,
    stop,
  };
}

async function answers(run: Run): Promise<boolean> {
  try {
    return await run.ready(AbortSignal.timeout(look.most));
  } catch {
    // Nobody listens yet, or what it says is no answer yet: the caller gives up in time and shows the log.
    return false;
  }
}

function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
  });
}

/** First a request to end, then no request; what is left of other sessions goes too, and the folder last. */
async function end(child: ChildProcess, folder: string, alive: () => boolean): Promise<void> {
  const root = child.pid;
  if (root !== undefined) {
    if (alive()) signalTo(root, 'SIGTERM');
    const since = performance.now();
    while (alive() && performance.now() - since < ending.most) await pause(ending.every);
    for (let left = processesOf(root, folder); left.length > 0 || alive(); left = processesOf(root, folder)) {
      if (performance.now() - since > 5 * ending.most)
        throw new ServerFailure(
          `Processes of a server cannot be ended: ${left.map(({ pid }) => pid).join(', ')}.`,
        );
      for (const { pid } of left) signalTo(pid, 'SIGKILL');
      await pause(ending.every);
    }
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Ends what outlives this process. It says "done" when there is nothing to do, and ends without a word when it is killed. */
const guardScript = `
trap '' INT TERM HUP
read -r word
[ "$word" = done ] && exit
if [ -n "$1" ]; then
  kill -TERM "$1" 2>/dev/null
  for second in 1 2 3 4 5; do kill -0 "$1" 2>/dev/null || break; sleep 1; done
  kill -KILL "-$1" 2>/dev/null
fi
for process in /proc/[0-9]*; do
  [ "$process" = "/proc/$$" ] || ! grep -qsF "$2" "$process/environ" || kill -KILL "\${process#/proc/}" 2>/dev/null
done
rm -rf "$2"
`;

/**
 * Starts a guard over a folder and the processes that name it in their environment: when this process ends without dismissing
 * it, they are ended and removed.
 *
 * @param pid - a process with a group of its own that is to end first
 */
export function startGuard(folder: string, pid?: number): { dismiss(): void } {
  const guard = spawn('/bin/sh', ['-c', guardScript, 'sluice-guard', String(pid ?? ''), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env.PATH },
  });
  guard.unref();
  const input = guard.stdin as NodeJS.WritableStream & { unref?(): void };
  input.unref?.();
  // A guard that cannot be started or was ended by somebody guards nothing; the server is stopped by its owner all the same.
  guard.once('error', () => {});
  input.on('error', () => {});
  return { dismiss: () => input.end('done\n') };
}

/** Whether a GET of the URL is answered with 2xx. */
export async function isHealthy(url: string, signal: AbortSignal): Promise<boolean> {
  const answer = await fetch(url, { signal });
  await answer.arrayBuffer();
  return answer.ok;
}
