import { connect } from 'node:net';
import { ServerFailure, type ServerName, startServer } from '../servers/index.ts';
import type { CaseGroup } from './case.ts';
import type { CaseResult } from './play.ts';
import { playAll, type Stage } from './run.ts';
import { foreignStage, modelStage } from './stages.ts';

/** What is played, and how it is told. */
export interface SessionOptions {
  readonly groups: readonly CaseGroup[];
  /** A server that runs already. */
  readonly endpoint?: string | undefined;
  readonly heard: (result: CaseResult) => void;
  /** Steps that take a while. */
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** What came of it. */
export interface Session {
  readonly version: string;
  readonly cases: readonly CaseResult[];
  /** Requests by group and service, where they were counted. */
  readonly requests?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/**
 * Starts a server unless one is given, plays the cases on it, and stops it, however that goes.
 *
 * @throws {ServerUnavailable} {ServerFailure} when the server cannot be had, or ends in the middle
 * @throws the reason of `signal`
 */
export async function playServer(server: ServerName, options: SessionOptions): Promise<Session> {
  if (options.endpoint !== undefined) return playRunning(server, options.endpoint, options);
  const { signal, log } = options;
  if (server === 'model') return playModel(options);
  const running = await startServer(server, { log, signal, functions: true });
  try {
    log(`${running.name} ${running.version} answers at ${running.url}`);
    const stage = foreignStage(server, running.url, running.services);
    const cases = await play(stage, options, AbortSignal.any([signal, running.died]));
    stage.close();
    return { version: running.version, cases };
  } finally {
    await running.stop();
  }
}

async function playModel(options: SessionOptions): Promise<Session> {
  const groupOf = new Map(
    options.groups.flatMap((group) => group.cases.map((one) => [one, group.name] as const)),
  );
  const requests: Record<string, Record<string, number>> = {};
  const stage = modelStage((one, service) => {
    const group = groupOf.get(one) ?? '';
    requests[group] ??= {};
    requests[group][service] = (requests[group][service] ?? 0) + 1;
  });
  return { version: 'of this checkout', cases: await play(stage, options, options.signal), requests };
}

async function playRunning(server: ServerName, endpoint: string, options: SessionOptions): Promise<Session> {
  const watch = new AbortController();
  if (!(await answers(endpoint))) throw new ServerFailure(`Nothing answers at ${endpoint}.`);
  const look = async () => {
    if (!(await answers(endpoint)))
      watch.abort(new ServerFailure(`${server} at ${endpoint} has ended in the middle of the run.`));
  };
  const timer = setInterval(look, 500);
  const stage = foreignStage(server, endpoint);
  try {
    const cases = await play(stage, options, AbortSignal.any([options.signal, watch.signal]));
    // The last cases may have met nobody, quicker than the timer looks.
    await look();
    watch.signal.throwIfAborted();
    return { version: `at ${endpoint}`, cases };
  } finally {
    clearInterval(timer);
    stage.close();
  }
}

const play = (stage: Stage, { groups, heard }: SessionOptions, signal: AbortSignal) =>
  playAll(stage, groups, heard, signal);

/** Whether somebody takes connections there. */
export const answers = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port, protocol } = new URL(url);
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
    });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.setTimeout(5_000, () => end(false));
  });
