import { join } from 'node:path';
import { installed } from './cache.ts';
import { step } from './programs.ts';
import type { StartOptions } from './types.ts';

/** A virtual environment of Python in the cache; gives the folder of its programs. */
export async function pythonEnvironment(
  what: {
    /** Folder in the cache. */
    readonly name: string;
    /** As messages name it. */
    readonly title: string;
    /** As pip takes them. */
    readonly requirements: readonly string[];
    readonly python: () => Promise<string>;
  },
  { log, signal }: StartOptions,
): Promise<string> {
  const folder = await installed({
    name: what.name,
    contents: what.requirements.join(' '),
    log,
    signal,
    async install(target) {
      const venv = join(target, 'venv');
      await step(what.title, await what.python(), ['-m', 'venv', venv], signal);
      const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input'];
      await step(what.title, join(venv, 'bin', 'python'), [...pip, ...what.requirements], signal);
    },
  });
  return join(folder, 'venv', 'bin');
}
