import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Running, type Setting, startCommand } from './command.ts';

/** A process of the command, as it saw itself when it started. */
interface Seen {
  readonly pid: number;
  readonly parent: number;
  readonly flags: readonly string[];
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-launcher-'));
});
afterEach(({ task }) => {
  // A failed test leaves nothing behind.
  for (const { pid } of task.result?.state === 'fail' ? seen() : [])
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  rmSync(folder, { recursive: true, force: true });
});

/** Has every Node of the command write down its flags. */
const witness = `data:text/javascript,${encodeURIComponent(`
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
const { pid, ppid: parent, execArgv: flags } = process;
if (isMainThread) appendFileSync(process.env.WITNESS, JSON.stringify({ pid, parent, flags }) + '\\n');
`)}`;

const start = (words: string, { env, ...setting }: Setting = {}) =>
  startCommand(folder, words.split(' '), {
    ...setting,
    node: ['--import', witness],
    env: { WITNESS: join(folder, 'seen'), ...env },
  });

const seen = (): Seen[] =>
  readFileSync(join(folder, 'seen'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Seen);

/** Waits until the model serves; gives its address. */
async function serving(running: Running): Promise<string> {
  while (!running.printed().includes('Ctrl-C')) await once(running.child.stdout, 'data');
  return /http:\/\/127\.0\.0\.1:\d+/.exec(running.printed())?.[0] as string;
}

const local = 'local --empty --port 0';
const flags = ['--single-threaded-gc', '--v8-pool-size=1', '--min-semi-space-size=16'];

describe('the model runs in a process with flags of its own', () => {
  test('the flags arrive there, before those of the user', async () => {
    const running = start(local);
    await serving(running);
    const [launcher, model, ...others] = seen();
    expect(launcher).toMatchObject({ pid: running.child.pid, flags: ['--import', witness] });
    expect(model).toMatchObject({ parent: running.child.pid, flags: [...flags, '--import', witness] });
    expect(others).toEqual([]);
    running.child.kill('SIGTERM');
    await running.ended;
  });

  test.each(['--version', '--help', 'lokal'])('sluice %s is done by one process', async (words) => {
    await start(words).ended;
    expect(seen().map((process) => process.flags)).toEqual([['--import', witness]]);
  });
});

describe('the processes of a command end together', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s: the model is stopped, and that was no failure',
    async (signal) => {
      const running = start(local);
      const url = await serving(running);
      running.child.kill(signal);
      const { code, stdout, stderr } = await running.ended;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/Stopped\.\n$/);
      await expect(fetch(url)).rejects.toThrow();
    },
  );

  test('SIGKILL of the command: the model stops by itself', async () => {
    const running = start(local);
    const url = await serving(running);
    running.child.kill('SIGKILL');
    const { code, stdout, stderr } = await running.ended;
    expect({ code, stderr }).toEqual({ code: null, stderr: '' });
    expect(stdout).toMatch(/Stopped\.\n$/);
    await expect(fetch(url)).rejects.toThrow();
  });

  test('SIGKILL of the model: the command ends with 137, as in a shell', async () => {
    const running = start(local);
    await serving(running);
    process.kill(seen()[1]?.pid as number, 'SIGKILL');
    expect(await running.ended).toMatchObject({ code: 137, stderr: '' });
  });

  test('npm that is told to stop ends its shell only: the command follows', async () => {
    const running = start(local, { shell: true, env: { npm_lifecycle_event: 'start' } });
    const url = await serving(running);
    running.child.kill('SIGTERM');
    expect((await running.ended).stdout).toMatch(/Stopped\.\n$/);
    await expect(fetch(url)).rejects.toThrow();
  });
});

test('a reader that goes away ends a run in order: no process and no folder stays', {
  timeout: 60_000,
}, async () => {
  const temporary = mkdtempSync(join(folder, 'tmp-'));
  // Without --exit it would stay for ever.
  const { child, ended } = startCommand(
    folder,
    'start --orders 10 --seconds 30 --faults none --port 0'.split(' '),
    { env: { TMPDIR: temporary } },
  );
  await once(child.stderr, 'data');
  child.stdout.destroy();
  child.stderr.destroy();
  await ended;
  expect(readdirSync(temporary).filter((name) => name.startsWith('sluice-'))).toEqual([]);
});
