import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive } from './processes.ts';

/** An installation in the cache. */
export interface Installation {
  /** Folder in the cache. */
  readonly name: string;
  /** What is installed, exactly: when it changes, it is installed again. */
  readonly contents: string;
  /** Installs into the folder, which is there and empty. */
  readonly install: (folder: string) => Promise<void>;
  /** Called before a wait, and before the installation. */
  readonly log?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Where servers are installed: `SLUICE_CACHE`, else the folder `sluice` of the user's cache. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const { SLUICE_CACHE, XDG_CACHE_HOME } = environment;
  if (SLUICE_CACHE) return SLUICE_CACHE;
  return join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'sluice');
}

/** The file that is written last: without it, or with other contents, an installation was never finished. */
const marker = '.installed';

/** How often a lock that another process holds is looked at, in milliseconds. */
const lookEvery = 200;

/**
 * Gives the folder of an installation; installs when it is not there, not whole, or another one. One process installs
 * at a time: the others wait for it and find the work done.
 */
export async function installed(installation: Installation, cache = cacheFolder()): Promise<string> {
  const folder = join(cache, installation.name);
  if (isWhole(folder, installation)) return folder;
  mkdirSync(cache, { recursive: true });
  const unlock = await lock(`${folder}.lock`, installation);
  try {
    if (isWhole(folder, installation)) return folder;
    installation.log?.(`installing ${installation.contents} into ${folder}, once`);
    // What an interrupted installation left is not to be trusted.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    mkdirSync(folder);
    await installation.install(folder);
    writeFileSync(join(folder, marker), `${installation.contents}\n`);
    return folder;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    throw error;
  } finally {
    unlock();
  }
}

function isWhole(folder: string, { contents }: Installation): boolean {
  const path = join(folder, marker);
  return existsSync(path) && readFileSync(path, 'utf8') === `${contents}\n`;
}

/** Takes the lock, waiting for whoever holds it; one whose holder is gone is taken over. */
async function lock(path: string, { log, signal, name }: Installation): Promise<() => void> {
  const own = `${path}.${process.pid}.${performance.now()}`;
  writeFileSync(own, String(process.pid));
  try {
    for (let waits = 0; ; waits++) {
      signal?.throwIfAborted();
      try {
        linkSync(own, path);
        return () => rmSync(path, { force: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = holderOf(path);
      if (holder !== undefined && !isAlive(holder)) takeAway(path, holder, own);
      else {
        if (waits === 0) log?.(`process ${holder} installs ${name}: waiting for it`);
        await pause(lookEvery);
      }
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/** `undefined` when the lock was let go meanwhile. */
function holderOf(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Moves a lock away whose holder is gone; when another process was quicker, its lock is put back. */
function takeAway(path: string, holder: number, own: string): void {
  const moved = `${own}.old`;
  try {
    renameSync(path, moved);
    if (holderOf(moved) !== holder) linkSync(moved, path);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    rmSync(moved, { force: true });
  }
}
