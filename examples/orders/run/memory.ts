import { readdirSync, readFileSync } from 'node:fs';

/** How often the processes are looked at, in milliseconds. */
const lookEvery = 500;

/** The greatest memory that was seen. */
export interface PeakMemory {
  /** MiB. */
  readonly peak: number;
  /** Whether the processes that the command started, and its launcher, are in it. */
  readonly of: 'all processes' | 'this process';
}

/** Looks at the memory of a command while it runs. */
export interface MemoryWatch {
  /** The greatest so far. */
  peak(): PeakMemory;
  stop(): void;
}

/**
 * Watches the memory of a tree of processes: resident pages added up over `root` and all below it, as `/proc` has
 * them (Linux, proc(5)), so that pages which processes share count for each of them. Where there is no `/proc` it
 * is this process's alone.
 *
 * @param root - process id on top of the tree
 * @example
 * ```ts
 * const memory = watchMemory(process.pid);
 * console.log(memory.peak());
 * memory.stop();
 * ```
 */
export function watchMemory(root: number): MemoryWatch {
  let peak = 0;
  let whole = true;
  const look = () => {
    const tree = treeMemory(root);
    whole &&= tree !== undefined;
    peak = Math.max(peak, tree ?? process.memoryUsage.rss() / 1_048_576);
  };
  look();
  const timer = setInterval(look, lookEvery);
  timer.unref();
  return {
    peak() {
      look();
      return { peak: Math.round(peak), of: whole ? 'all processes' : 'this process' };
    },
    stop: () => clearInterval(timer),
  };
}

/** MiB of a process and of all below it; `undefined` where the system does not tell. */
export function treeMemory(root: number): number | undefined {
  let kibibytes = 0;
  const waiting = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const status = read(`/proc/${next}/status`);
    if (status === undefined) {
      // Without its root there is no tree; a process below it may have ended since it was listed.
      if (next === root) return undefined;
      continue;
    }
    // A process that has ended and was not waited for yet has no such line.
    kibibytes += Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
    const children = childrenOf(next);
    if (children === undefined) return undefined;
    waiting.push(...children);
  }
  return kibibytes / 1024;
}

/** A process's children: each of its threads lists those that it started. */
function childrenOf(process: number): readonly number[] | undefined {
  let threads: readonly string[];
  try {
    threads = readdirSync(`/proc/${process}/task`);
  } catch {
    // It has ended.
    return [];
  }
  const lists = threads.map((thread) => read(`/proc/${process}/task/${thread}/children`));
  // A kernel may be built without these lists; a single one that is missing is of a thread that has ended.
  if (lists.length > 0 && lists.every((list) => list === undefined)) return undefined;
  return lists.flatMap((list) => (list ?? '').split(' ').filter(Boolean).map(Number));
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not there: another system, or a process that has ended.
    return undefined;
  }
}
