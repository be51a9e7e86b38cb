import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from '../bundle.ts';
import { root } from '../child.ts';

/** The candidates, loaded from a bundle as a deployed function is. */
export type Candidates = typeof import('./candidates.ts');

/**
 * @param external - packages that stay out: stubbed clients throw the errors of an SDK that is shared with the model
 */
export async function loadCandidates(external: readonly string[] = []): Promise<Candidates> {
  const { text } = await bundle('runtime/candidates.ts', external);
  // Where what stays out is found.
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'sluice-bench-'));
  try {
    const file = join(folder, 'candidates.mjs');
    writeFileSync(file, text);
    return (await import(pathToFileURL(file).href)) as Candidates;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
