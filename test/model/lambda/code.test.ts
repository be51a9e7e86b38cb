import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { zipOfInlineCode } from '../../../local/cloudformation/providers/inline-code.ts';
import { createCodeStore } from '../../../local/lambda/code.ts';

// A folder of its own: other tests unpack code at the same time.
const place = mkdtempSync(join(tmpdir(), 'sluice-code-'));
vi.stubEnv('TMPDIR', place);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(place, { recursive: true });
});
const zipOf = (source: string) => zipOfInlineCode(source);

describe('Folders of unpacked code', () => {
  it('are one for the same code, however often it is deployed, and are gone at the end', () => {
    const store = createCodeStore();
    const [one, again, other] = ['a', 'a', 'b'].map(
      (source) => store.folderOf('f', { ZipFile: zipOf(source) }) as string,
    );
    expect([again === one, other === one]).toEqual([true, false]);
    expect([one, other].map((folder) => existsSync(folder as string))).toEqual([true, true]);
    store.stop();
    expect([one, other].map((folder) => existsSync(folder as string))).toEqual([false, false]);
  });

  it('are not left by an archive that cannot be unpacked', () => {
    const store = createCodeStore();
    expect(() => store.folderOf('f', { ZipFile: Buffer.from('no archive') })).toThrow('Could not unzip');
    expect(readdirSync(place)).toEqual([]);
  });
});
