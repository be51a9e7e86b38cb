import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from '../bundle.ts';

/** The candidates, loaded from a bundle as a deployed function is. */
export type Candidates = typeof import('./candidates.ts');

export async function loadCandidates(): Promise<Candidates> {
  const { text } = await bundle('runtime/candidates.ts');
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  try {
    const file = join(folder, 'candidates.mjs');
    writeFileSync(file, text);
    return (await import(pathToFileURL(file).href)) as Candidates;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
