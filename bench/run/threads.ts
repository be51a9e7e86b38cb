import { readdirSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import workerThreads, { Worker, type WorkerOptions } from 'node:worker_threads';

const tasks = '/proc/self/task';

/** Processor time of this process, thread by thread. Linux only: Node 20 tells the time of the whole process alone. */
export interface ThreadWatch {
  /** Gives a role to the threads that some work starts. */
  name(role: string, work: () => Promise<unknown>): Promise<void>;
  /** Looks at all threads; one that ends between two looks loses the time since the last. */
  look(): void;
  /** Microseconds of processor time by role since `since`; without it, since the start. */
  times(since?: ReadonlyMap<string, number>): Map<string, number>;
}

/**
 * Nanoseconds on a processor, the first number of a thread's schedstat (Linux kernel documentation, "Scheduler
 * Statistics").
 *
 * @returns microseconds; `undefined` when the text is none
 */
export function timeOf(schedstat: string): number | undefined {
  const nanoseconds = Number(/^\d+/.exec(schedstat)?.[0]);
  return Number.isNaN(nanoseconds) ? undefined : nanoseconds / 1000;
}

/**
 * The role of a worker: the name that it was given, or that of the Lambda function that it runs, without the suffix
 * by which CloudFormation makes it unique.
 */
export function roleOf(options: WorkerOptions | undefined): string {
  const { configuration } = (options?.workerData ?? {}) as { configuration?: { functionName?: string } };
  const name = configuration?.functionName;
  return name === undefined
    ? (options?.name ?? 'a worker')
    : `function ${name.replace(/[0-9A-F]{8}-\w+$/, '')}`;
}

/**
 * Begins to watch. Node starts the system's thread inside the constructor of a Worker, so the thread that is there
 * after it and was not before is the worker's. Modules that are loaded later get the watched constructor.
 */
export function watchThreads(): ThreadWatch {
  const roles = new Map<string, string>([[String(process.pid), 'main thread']]);
  const seen = new Map<string, number>();
  const named = (role: string, before: ReadonlySet<string>) => {
    for (const thread of readdirSync(tasks)) if (!before.has(thread)) roles.set(thread, role);
  };
  class WatchedWorker extends Worker {
    constructor(code: string | URL, options?: WorkerOptions) {
      const before = new Set(readdirSync(tasks));
      super(code, options);
      named(roleOf(options), before);
    }
  }
  Object.assign(workerThreads, { Worker: WatchedWorker });
  syncBuiltinESMExports();

  const look = () => {
    for (const thread of readdirSync(tasks)) {
      const time = timeOf(scheduled(thread));
      if (time !== undefined) seen.set(thread, time);
    }
  };
  return {
    look,
    async name(role, work) {
      const before = new Set(readdirSync(tasks));
      await work();
      named(role, before);
    },
    times(since) {
      look();
      const times = new Map<string, number>();
      for (const [thread, time] of seen) {
        const role = roles.get(thread) ?? 'helper threads of V8 and libuv';
        times.set(role, (times.get(role) ?? 0) + time);
      }
      for (const [role, time] of since ?? []) times.set(role, (times.get(role) ?? 0) - time);
      return times;
    },
  };
}

/** Empty for a thread that ended since the folder was read. */
function scheduled(thread: string): string {
  try {
    return readFileSync(`${tasks}/${thread}/schedstat`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  }
}
