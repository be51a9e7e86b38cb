import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  /** Bytes that are resident. */
  readonly memory: number;
}

/**
 * The processes of a server: the one that was started, all below it, and those that were started under its folder's
 * name in their environment. The last finds those that have a session of their own and whose parent has ended; where
 * there is no `/proc`, only the tree is found.
 *
 * @param root - process id of the one that was started
 * @param folder - the server's own folder, which its environment names
 */
export function processesOf(root: number, folder: string): readonly ProcessRow[] {
  const rows = listProcesses();
  const found = new Map<number, ProcessRow>();
  const take = (row: ProcessRow) => {
    if (found.has(row.pid)) return;
    found.set(row.pid, row);
    for (const child of rows) if (child.parent === row.pid) take(child);
  };
  for (const row of rows) if (row.pid === root) take(row);
  for (const row of rows) if (environmentOf(row.pid).includes(folder)) take(row);
  return [...found.values()];
}

function listProcesses(): readonly ProcessRow[] {
  if (!existsSync('/proc/self/status')) return listByPs();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const status = read(`/proc/${name}/status`);
      const line = (field: string) => new RegExp(`^${field}:\\s+(\\S+)`, 'm').exec(status)?.[1];
      // One that has ended and waits to be collected by its parent is no process any more.
      if (status === '' || line('State') === 'Z') return [];
      return [{ pid: Number(name), parent: Number(line('PPid')), memory: Number(line('VmRSS') ?? 0) * 1024 }];
    });
}

function listByPs(): readonly ProcessRow[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((row) => {
      const [pid, parent, kibibytes] = row.trim().split(/\s+/).map(Number);
      return { pid: pid ?? 0, parent: parent ?? 0, memory: (kibibytes ?? 0) * 1024 };
    });
}

/** Of a process that has ended, or of another user, it is empty. */
const environmentOf = (pid: number): string => read(`/proc/${pid}/environ`);

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It has ended since it was listed, it belongs to another user, or the system has no such files.
    return '';
  }
}

/** Whether a process is there; one that has ended and waits for its parent to notice is not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(read(`/proc/${pid}/status`));
  } catch (error) {
    // EPERM: it is there, and another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Sends a signal to a process that may have ended meanwhile. */
export function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
