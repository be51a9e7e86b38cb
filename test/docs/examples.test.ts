import { execFile } from 'node:child_process';
import { join, relative } from 'node:path';
import { format } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { blocks, exampleFolder, root, writeExamples } from './support.ts';

const examples = writeExamples();
const named = ({ page, line }: { page: string; line: number }) => `${page}:${line}`;

describe('the code in the documentation works', () => {
  it('compiles as the repository does', { timeout: 60_000 }, async () => {
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) =>
      execFile(process.execPath, [compiler, '-p', exampleFolder], { cwd: root }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, output: stdout + stderr }),
      ),
    );
    expect({ code, output }).toEqual({ code: 0, output: '' });
  });

  it('every block is of a kind that is checked', () => {
    const kinds = new Set(blocks.map(({ language }) => language));
    expect([...kinds].sort()).toEqual(['sh', 'text', 'ts']);
  });

  for (const example of examples.filter(({ path, run }) => run && !path.endsWith('.test.ts')))
    it(`${named(example)} prints what the page says`, async () => {
      const said: string[] = [];
      const log = vi.spyOn(console, 'log').mockImplementation((...words: unknown[]) => {
        said.push(`${format(...words)}\n`);
      });
      try {
        await import(/* @vite-ignore */ example.path);
      } finally {
        log.mockRestore();
      }
      expect(said.join('')).toBe(example.prints);
    });
});

// Tests in the documentation are tests: they are registered here by being imported.
for (const example of examples.filter(({ path, run }) => run && path.endsWith('.test.ts')))
  describe(`${named(example)}, ${relative(exampleFolder, example.path)}`, async () => {
    let start: NodeJS.CpuUsage;
    beforeAll(() => {
      start = process.cpuUsage();
    });
    afterAll(() => {
      // The page says so. Of processor time, since a busy machine makes anything late.
      const { user, system } = process.cpuUsage(start);
      expect((user + system) / 1_000_000, 'seconds that the tests take').toBeLessThan(1);
    });
    await import(/* @vite-ignore */ example.path);
  });
