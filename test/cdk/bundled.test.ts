import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { MessagingStack } from 'sluice/cdk';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { handlers, shop } from '../constructs/fixtures/shop.ts';
import { bootstrap, createWorld, root, slowest, type World } from './support.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld();
  await bootstrap(world);
});

afterAll(() => world.stop());

vi.setConfig({ testTimeout: slowest });

it('of a protected stack under its own key nothing is different after its deployment, and a changed handler alone is hot-swapped', async () => {
  const sources = join(world.folder, 'handlers');
  cpSync(handlers, sources, { recursive: true });
  for (const file of readdirSync(sources))
    writeFileSync(join(sources, file), `export const handler = async () => '${file}';\n`);
  const assembly = (name: string): string => {
    const outdir = join(world.folder, name);
    const app = new App({ outdir, analyticsReporting: false });
    new MessagingStack(app, 'Shop', {
      messaging: shop,
      handlers: sources,
      depsLockFilePath: join(root, 'package-lock.json'),
      encryption: 'customerKey',
    });
    app.synth();
    return outdir;
  };
  const deploy = ['deploy', '--require-approval', 'never', '--app'];
  const deployed = await world.cdk([...deploy, assembly('first')]);
  expect(deployed.code, deployed.output).toBe(0);

  const diff = await world.cdk(['diff', '--app', assembly('same')]);
  expect(diff.output).toContain('There were no differences');
  expect(diff.output).toContain('Number of stacks with differences: 0');

  writeFileSync(join(sources, 'analytics.ts'), "export const handler = async () => 'changed';\n");
  const swapped = await world.cdk([...deploy, assembly('changed'), '--hotswap']);
  expect(swapped.code, swapped.output).toBe(0);
  expect(swapped.output.match(/AWS::Lambda::Function '\S+' hotswapped!/g)).toEqual([
    expect.stringContaining("'Shop-AnalyticsSubscriberConsumerFunction"),
  ]);
});
