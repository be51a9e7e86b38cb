import { join } from 'node:path';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { ConsumerFunction, RecordsTable } from 'sluice/cdk';
import { describe, expect, it, vi } from 'vitest';
import { findEsbuild } from '../../../lib/constructs/esbuild.ts';
import { appWith, project } from './project.ts';

vi.mock('../../../lib/constructs/esbuild.ts', async (original) => {
  const real = await original<typeof import('../../../lib/constructs/esbuild.ts')>();
  return { ...real, findEsbuild: vi.fn(() => undefined) };
});

const handler = { 'a.ts': 'export const handler = async () => {};\n' };

function consume(bundling = {}) {
  const { folder } = project(handler);
  const { stack } = appWith();
  const [queue, deadLetterQueue] = [new Queue(stack, 'Queue'), new Queue(stack, 'Dead')];
  const records = new RecordsTable(stack, 'Records');
  const make = () =>
    new ConsumerFunction(stack, 'C', {
      entry: join(folder, 'a.ts'),
      queue,
      deadLetterQueue,
      records,
      bundling,
    });
  return { folder, stack, make };
}

describe('Without esbuild', () => {
  it('the CDK bundles as it can, and a warning says what to install, and where', () => {
    const { folder, stack, make } = consume();
    make();
    const [warning, ...more] = Annotations.fromStack(stack).findWarning('*', Match.anyValue());
    expect(more).toEqual([]);
    expect(warning?.entry.data).toMatch(`esbuild was found neither from ${folder} nor from ${process.cwd()}`);
    expect(warning?.entry.data).toContain('npm install --save-dev esbuild');
  });

  it('and without Docker, that is what the error says first', () => {
    const { make } = consume({ forceDockerBundling: true });
    vi.stubEnv('CDK_DOCKER', 'no-docker-here');
    try {
      expect(make).toThrow(
        /^esbuild was found neither .* npm install --save-dev esbuild\. And in Docker it failed: /,
      );
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe('esbuild is found', () => {
  const find = async (folders: string[]) =>
    (
      await vi.importActual<typeof import('../../../lib/constructs/esbuild.ts')>(
        '../../../lib/constructs/esbuild.ts',
      )
    ).findEsbuild(folders);

  it('from the first folder that sees it, a script run by Node, a program by itself', async () => {
    const { folder, write } = project(handler);
    expect(await find([folder, process.cwd()])).toEqual([
      process.execPath,
      join(folder, 'node_modules/esbuild/bin/esbuild'),
    ]);
    write('node_modules/esbuild/bin/esbuild', '\x7fELF');
    expect(await find([join(folder, 'deep'), process.cwd()])).toEqual([
      join(folder, 'node_modules/esbuild/bin/esbuild'),
    ]);
    expect(vi.mocked(findEsbuild)).toBeDefined();
  });

  it('nowhere but on the path, or not at all', async () => {
    vi.stubEnv('PATH', '/nowhere');
    try {
      expect(await find(['/nowhere'])).toBeUndefined();
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
