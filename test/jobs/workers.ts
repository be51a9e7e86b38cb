import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { root } from '../servers/checkout.ts';
import { ServerFailure } from '../servers/index.ts';

/** The consumers of a stack as processes of this machine: `npx sluice work`, one for each subscriber. */
export interface Workers {
  /** Kills the worker of a subscriber in the middle of what it does, and starts another. */
  kill(subscriber: string): void;
  /** Whether the worker of a subscriber takes messages. */
  isAtWork(subscriber: string): boolean;
  /** Aborts, with the reason, when a worker ends without being told to. */
  readonly died: AbortSignal;
  /** Ends them as an operator does, by SIGTERM; kills those that do not obey. */
  close(): Promise<void>;
}

/** Milliseconds that a worker gets to finish what it runs, when it is told to stop. */
const grace = 15_000;

/**
 * Starts the workers, and resolves when each takes messages.
 *
 * @param options.assembly - the synthesized app, made once: each worker would synthesize it for itself
 * @param options.folder - for what they write
 */
export async function startWorkers(options: {
  readonly subscribers: readonly string[];
  readonly url: string;
  readonly assembly: string;
  readonly folder: string;
  readonly signal: AbortSignal;
}): Promise<Workers> {
  const running = new Map<string, { child: ChildProcess; ready: boolean }>();
  const died = new AbortController();
  const end = AbortSignal.any([options.signal, died.signal]);
  let closing = false;
  const start = (subscriber: string) =>
    new Promise<void>((resolve) => {
      const child = spawn(
        process.execPath,
        [
          ...[`${root}bin/sluice.mjs`, 'work', subscriber, '--endpoint', options.url, '--json'],
          ...['--app', `cp -R '${options.assembly}/.' "$CDK_OUTDIR"`, '--grace', String(grace / 1000)],
        ],
        {
          cwd: root,
          stdio: ['ignore', 'pipe', 'pipe'],
          // One that is killed leaves its copy of the app there.
          env: {
            PATH: process.env.PATH,
            HOME: options.folder,
            TMPDIR: options.folder,
            NODE_NO_WARNINGS: '1',
          },
        },
      );
      const entry = { child, ready: false };
      running.set(subscriber, entry);
      let errors = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        errors = (errors + text).slice(-4_000);
      });
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (entry.ready || !text.includes('"started"')) return;
        entry.ready = true;
        resolve();
      });
      child.once('exit', (code, signal) => {
        if (closing || signal === 'SIGKILL') return;
        died.abort(
          new ServerFailure(
            `The worker of ${subscriber} ended (${signal ?? `code ${code}`}).\n${errors.trim().split('\n').slice(-5).join('\n')}`,
          ),
        );
      });
    });
  const close = async () => {
    closing = true;
    await Promise.all(
      [...running.values()].map(async ({ child }) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, 'exit');
        // Whoever breaks the job off does not wait for what runs.
        child.kill(end.aborted ? 'SIGKILL' : 'SIGTERM');
        const late = setTimeout(() => child.kill('SIGKILL'), 2 * grace);
        await ended;
        clearTimeout(late);
      }),
    );
  };
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = () => reject(end.reason);
      if (end.aborted) return fail();
      end.addEventListener('abort', fail, { once: true });
      Promise.all(options.subscribers.map(start)).then(() => resolve(), reject);
    });
  } catch (error) {
    for (const { child } of running.values()) child.kill('SIGKILL');
    throw error;
  }
  return {
    kill(subscriber) {
      running.get(subscriber)?.child.kill('SIGKILL');
      void start(subscriber);
    },
    isAtWork: (subscriber) => running.get(subscriber)?.ready ?? false,
    died: died.signal,
    close,
  };
}
