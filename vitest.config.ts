import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    // As `paths` of tsconfig.json: the package's own exports resolve to the sources, never to a stale build.
    alias: [
      { find: /^sluice$/, replacement: source('./lib/topology/index.ts') },
      { find: /^sluice\/cdk$/, replacement: source('./lib/constructs/index.ts') },
      { find: /^sluice\/lambda$/, replacement: source('./lambda/runtime/index.ts') },
      { find: /^sluice\/local$/, replacement: source('./local/index.ts') },
      { find: /^sluice\/worker$/, replacement: source('./lambda/worker/index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // The validation that every synth runs costs seconds; one test of its own turns it on.
    env: { CDK_VALIDATION: 'false' },
    // Only to end what hangs: a machine that does much else is slow, and speed is no matter of tests.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
