import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { bundle } from '../../bench/bundle.ts';
import { handlers, kilobyte, sdk } from '../../bench/size/index.ts';
import { shopStack } from './fixtures/shop.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const outdir = mkdtempSync(join(tmpdir(), 'sluice-bundle-'));
afterAll(() => rmSync(outdir, { recursive: true }));

/** The npm packages that a bundle of `entry` takes in. */
async function packagesOf(entry: string): Promise<{ packages: string[]; bytes: number }> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    metafile: true,
    write: false,
    outfile: 'bundle.mjs',
  });
  const packages = new Set<string>();
  for (const input of Object.keys(metafile.inputs)) {
    const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
    if (name !== undefined) packages.add(name);
  }
  return { packages: [...packages].sort(), bytes: metafile.outputs['bundle.mjs']!.bytes };
}

const unwanted = /^(aws-cdk-lib|constructs|zod|valibot|arktype|@ark\/.*|effect|yup|joi)$/;

describe('What every handler’s bundle holds is small', () => {
  it('the declaration pulls in no package at all, and weighs a few kilobytes', async () => {
    const { packages, bytes } = await packagesOf('lib/topology/index.ts');
    expect(packages).toEqual([]);
    // With the rules and the quotas that they rest on; a function's bundle leaves them out.
    expect(bytes).toBeLessThan(20 * 1024);
  });

  it('the runtime pulls in neither the CDK nor a schema library', async () => {
    for (const entry of ['lambda/runtime/index.ts'].filter((path) => existsSync(join(root, path)))) {
      const { packages } = await packagesOf(entry);
      expect(packages.filter((name) => unwanted.test(name))).toEqual([]);
    }
  });
});

describe('A handler’s bundle holds the runtime, and nothing that a function does not need', () => {
  // The goals are `npm run bench -- --only size`'s: 25 and 60 KB. Neither is reached yet; this holds what is.
  it.each([
    ['with its own logger and metrics', handlers.consumer.entry, 63],
    ['with all defaults', handlers.consume.entry, 65],
  ])('%s, without the SDK', async (_, entry, most) => {
    const { text, bytes } = await bundle(entry, sdk);
    expect(bytes / kilobyte).toBeLessThanOrEqual(most);
    // The rules of the declaration were checked by the synthesis; their texts are not in the function.
    expect(text.includes('Lambda quotas')).toBe(false);
    expect(text.includes('SLUICE_DECLARATION_CHECKED')).toBe(false);
  });

  it('outside of a bundle of the stack every declaration is checked', async () => {
    const { text } = await bundle(handlers.consumer.entry, sdk, {});
    expect(text.includes('Lambda quotas')).toBe(true);
  });
});

describe('A handler is deployed as one module that needs nothing around it', () => {
  it('holds the AWS SDK, neither the CDK nor a schema library, and runs away from the repository', async () => {
    const { app, stack } = shopStack({}, { outdir });
    app.synth();
    const template = JSON.parse(readFileSync(join(outdir, `${stack.artifactId}.template.json`), 'utf8'));
    const [, payments] = Object.entries<{ Properties?: { Code?: { S3Key: string } } }>(
      template.Resources,
    ).find(([id]) => id.startsWith('PaymentsSubscriberConsumerFunction'))!;
    const folder = join(outdir, `asset.${payments.Properties!.Code!.S3Key.replace('.zip', '')}`);

    expect(readdirSync(folder)).toEqual(['index.mjs']);
    const text = readFileSync(join(folder, 'index.mjs'), 'utf8');
    expect(text).toContain('AmazonSQS');
    expect(text).not.toMatch(/aws-cdk-lib|~standard|ZodError|ValiError/);
    // The declaration was checked by this synthesis; the function does not do it again.
    expect(/Lambda quotas|SLUICE_DECLARATION_CHECKED/.test(text)).toBe(false);
    expect(statSync(join(folder, 'index.mjs')).size).toBeLessThan(1024 * 1024);

    const { handler } = await import(/* @vite-ignore */ pathToFileURL(join(folder, 'index.mjs')).href);
    // A name that a class sets survives the minifier: dead letters are labelled by it.
    expect(await handler({})).toBe('OutOfFunds');
  }, 60_000);
});
