import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { onTestFinished } from 'vitest';

const esbuild = fileURLToPath(new URL('../../../node_modules/esbuild/bin/esbuild', import.meta.url));

/** A program in esbuild's place that notes how it was called, and lets esbuild do the work. */
const program = (calls: string) => `#!/usr/bin/env node
require('node:fs').appendFileSync(${JSON.stringify(calls)}, JSON.stringify(process.argv.slice(2)) + '\\n');
process.exit(require('node:child_process').spawnSync(${JSON.stringify(esbuild)}, process.argv.slice(2), { stdio: 'inherit' }).status);
`;

/** A package with handlers, in a folder of its own, with an esbuild that counts. Gone after the test. */
export function project(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-handlers-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const calls = join(folder, 'calls.jsonl');
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  const all = {
    'package.json': '{}',
    'package-lock.json': '{}',
    'node_modules/esbuild/package.json': '{"version":"0.28.2"}',
    'node_modules/esbuild/bin/esbuild': program(calls),
    ...files,
  };
  for (const [name, text] of Object.entries(all)) write(name, text);
  chmodSync(join(folder, 'node_modules/esbuild/bin/esbuild'), 0o755);
  mkdirSync(join(folder, 'node_modules/.bin'));
  symlinkSync('../esbuild/bin/esbuild', join(folder, 'node_modules/.bin/esbuild'));
  return {
    folder,
    write,
    /** The entries of each run of esbuild for many; NodejsFunction's own runs are not among them. */
    runs: () =>
      existsSync(calls)
        ? readFileSync(calls, 'utf8')
            .trim()
            .split('\n')
            .map((line) => (JSON.parse(line) as string[]).filter((each) => /\/index=/.test(each)))
            .filter((entries) => entries.length > 0)
        : [],
  };
}

/** An app whose assembly is in a folder of its own. Gone after the test. */
export function appWith(context: Readonly<Record<string, unknown>> = {}) {
  const outdir = mkdtempSync(join(tmpdir(), 'sluice-assembly-'));
  onTestFinished(() => rmSync(outdir, { recursive: true, force: true }));
  const app = new App({ outdir, context });
  return { app, outdir, stack: new Stack(app, 'Shop') };
}

/** The files of the bundles in an assembly, each with its text, by the asset's hash. */
export const assetsOf = (outdir: string): Readonly<Record<string, Readonly<Record<string, string>>>> =>
  Object.fromEntries(
    readdirSync(outdir)
      .filter((name) => name.startsWith('asset.'))
      .map((name) => [
        name.slice('asset.'.length),
        Object.fromEntries(
          readdirSync(join(outdir, name)).map((file) => [
            file,
            readFileSync(join(outdir, name, file), 'utf8'),
          ]),
        ),
      ]),
  );
