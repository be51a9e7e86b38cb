import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunReport } from '../../examples/orders/run/index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `sluice start` as a user would; `interruptAt` sends SIGINT when that text has been said. */
function start(
  flags: readonly string[],
  interruptAt?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['bin/sluice.mjs', 'start', ...flags], {
      cwd: root,
      env: { ...process.env, ...env },
    });
    let out = '';
    let err = '';
    let interrupted = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
      if (interruptAt !== undefined && !interrupted && err.includes(interruptAt)) {
        interrupted = true;
        child.kill('SIGINT');
      }
    });
    child.on('error', reject);
    // "close" comes when the process and whoever holds its pipes have ended: nothing is left behind.
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orders-run-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('one command deploys the stack, sends a burst through it and proves what became of it', () => {
  it('keeps every promise under the default faults', { timeout: 90_000 }, async () => {
    const path = join(folder, 'r.json');
    const flags = ['--orders', '400', '--seconds', '3', '--seed', '7', '--port', '0', '--exit'];
    const { code, out, err } = await start([...flags, '--report', path, '--json']);
    const report = JSON.parse(out) as RunReport;
    expect(report.failures).toEqual([]);
    expect(report).toMatchObject({
      ok: true,
      published: 400,
      effects: { payments: 399, inventory: 400, email: 400, analytics: 400, fraud: 400 },
      lost: 0,
      doubled: 0,
      reordered: 0,
      wrong: 0,
      workersKilled: 6,
      faults: {
        workerKills: { planned: 6, happened: 6 },
        lostAcknowledgement: { planned: 1, happened: 1 },
        duplicates: { planned: 20 },
        poison: { planned: 1, happened: 1 },
        failingOrder: { planned: 1, happened: 1 },
        outage: { planned: 1, happened: 1 },
      },
    });
    expect(report.deadLetters).toContainEqual({ subscriber: 'payments', reason: 'attempts', count: 1 });
    expect(report.deadLetters.filter(({ reason }) => reason === 'undecodable')).toHaveLength(5);
    expect(report.duplicatesSuppressed).toBeGreaterThan(0);
    expect(report.publishLatencyMs.p99).toBeGreaterThan(0);
    expect(report.memoryOf).toBe(process.platform === 'linux' ? 'all processes' : 'this process');
    expect(code).toBe(0);
    expect(err).toContain('400 orders arrive');
    // Written whole, under its own name, with nothing beside it.
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(report);
    expect(await readdir(folder)).toEqual(['r.json']);
  });

  it.each([
    ['the synthesis', 'Synthesizing the app'],
    ['the deployment', 'Deploying stack'],
    ['the run', 'orders arrive'],
    ['the drain', 'the queues drain'],
  ])('ends cleanly on Ctrl-C in %s', { timeout: 90_000 }, async (_, moment) => {
    const temporary = await mkdtemp(join(folder, 'temporary-'));
    const short = moment === 'the queues drain';
    const flags = ['--orders', '1000', '--seconds', short ? '1' : '60', '--faults', 'none', '--port', '0'];
    const { code, out, err } = await start(flags, moment, { TMPDIR: temporary });
    expect(err).toContain('Stopped');
    expect(out).toBe('');
    expect(code).toBe(130);
    expect((await readdir(temporary)).filter((name) => name.startsWith('sluice-'))).toEqual([]);
    await rm(temporary, { recursive: true });
  });
});

describe('what cannot be started is refused in one line', () => {
  it.each([
    ['a flag that is none', ['--order', '5'], 2],
    ['a number that is none', ['--orders', 'many'], 2],
    ['faults that are none', ['--faults', 'some'], 2],
    ['a file that is not there', ['--input', 'nowhere.csv'], 1],
    ['more orders than there are', ['--orders', '100000'], 1],
    ['a report on a folder', ['--report', tmpdir()], 1],
    ['a report below a file', ['--report', join(import.meta.filename, 'r.json')], 1],
  ])('%s', { timeout: 30_000 }, async (_, flags, expected) => {
    const { code, out, err } = await start(flags);
    expect(out).toBe('');
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    expect(code).toBe(expected);
  });
});
