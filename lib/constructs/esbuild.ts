import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A program and its first arguments. */
export type Esbuild = readonly [program: string, ...leading: string[]];

/**
 * Finds esbuild: as a package that the first of these folders sees, else as a program of the path.
 *
 * @param folders - where to look first, each with all folders above it
 */
export function findEsbuild(folders: readonly string[]): Esbuild | undefined {
  for (const folder of folders) {
    const manifest = resolved(join(folder, 'package.json'), 'esbuild/package.json');
    if (manifest !== undefined) return runnable(join(dirname(manifest), 'bin', 'esbuild'));
  }
  const { status } = spawnSync('esbuild', ['--version'], { stdio: 'ignore' });
  return status === 0 ? ['esbuild'] : undefined;
}

function resolved(from: string, name: string): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** The package's program is the machine's own, or a script before its installation was finished, and on Windows. */
function runnable(file: string): Esbuild {
  const head = Buffer.alloc(2);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, head);
  closeSync(descriptor);
  return head.toString() === '#!' ? [process.execPath, file] : [file];
}

/** How esbuild is run. */
export interface EsbuildRun {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly arguments: readonly string[];
}

/**
 * Runs esbuild to its end. What it warns of goes to the standard error; it writes nothing when it fails.
 *
 * @returns what it says when it fails
 */
export function runEsbuild([program, ...leading]: Esbuild, run: EsbuildRun): string | undefined {
  const { status, error, stderr } = spawnSync(program, [...leading, ...run.arguments], {
    cwd: run.folder,
    env: { ...process.env, ...run.environment },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'ignore', 'pipe'],
    windowsHide: true,
  });
  if (status === 0) {
    process.stderr.write(stderr);
    return undefined;
  }
  if (error !== undefined) throw error;
  return stderr.trim() || `${program} ended with ${status} and said nothing.`;
}
