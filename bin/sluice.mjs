#!/usr/bin/env node
// In a checkout the commands run from their TypeScript sources; in the published package, from dist.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `sluice needs Node 20.19 or newer; this is Node ${process.versions.node}. Install a newer Node.`,
  );
  process.exit(1);
}
const sources = fileURLToPath(new URL('./sluice.ts', import.meta.url));
if (existsSync(sources)) {
  // The package's own names (sluice/lambda and the like) resolve by the paths of this tsconfig.
  process.env.TSX_TSCONFIG_PATH = fileURLToPath(new URL('../tsconfig.json', import.meta.url));
  const { register } = await import('tsx/esm/api');
  register();
  await import('./sluice.ts');
} else {
  await import('../dist/bin/sluice.js');
}
