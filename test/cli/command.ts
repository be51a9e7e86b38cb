import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../bin/sluice.mjs', import.meta.url));

/** What a command is started in. */
export interface Setting {
  readonly env?: Readonly<Record<string, string>>;
  readonly node?: readonly string[];
  /** Files of the folder that the command runs in, which is its HOME too. */
  readonly files?: Readonly<Record<string, string>>;
  /** Started by a shell that waits for it, as npm starts commands. */
  readonly shell?: boolean;
  /** The launcher of another place than this checkout. */
  readonly launcher?: string;
}

/** How a command ended, and what it printed. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly cwd: string;
}

/** A command that runs. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  /** Settles when no process holds the command's output any more: not its own, nor any that it started. */
  readonly ended: Promise<Ended>;
  printed(): string;
}

/** Starts the command in a folder of its own, inside `folder`. */
export function startCommand(
  folder: string,
  words: readonly string[],
  { env = {}, node = [], files = {}, shell = false, launcher = command }: Setting = {},
): Running {
  const cwd = mkdtempSync(join(folder, 'run-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), content);
  }
  const line = [process.execPath, ...node, launcher, ...words];
  const [file, ...rest] = shell ? ['sh', '-c', '"$@"; exit $?', 'sh', ...line] : line;
  const child = spawn(file as string, rest, {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, TMPDIR: process.env.TMPDIR, ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr, cwd }));
  return { child, ended, printed: () => stdout };
}
