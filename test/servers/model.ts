import { join } from 'node:path';
import { root, versionOf } from './checkout.ts';
import { takePort } from './ports.ts';
import { isHealthy, makeFolder, runServer } from './run.ts';
import type { RunningServer, StartOptions } from './types.ts';

/** Starts our model with nothing in it, as `npx sluice local --empty` does. */
export async function startModel(options: StartOptions): Promise<RunningServer> {
  const { built: folder = root } = options;
  const port = await takePort('The model', options.port);
  const url = `http://127.0.0.1:${port}`;
  const running = await runServer({
    title: 'The model',
    command: process.execPath,
    args: [join(folder, 'bin', 'sluice.mjs'), 'local', '--empty', '--port', String(port)],
    // Where the loader of TypeScript keeps what it has compiled.
    environment: { TMPDIR: process.env.TMPDIR ?? '/tmp' },
    folder: makeFolder('model'),
    directory: folder,
    ready: (signal) => isHealthy(`${url}/_sluice/health`, signal),
    patience: 60_000,
    signal: options.signal,
  });
  return {
    name: 'model',
    version: versionOf('package.json'),
    url,
    services: [
      ...(['sqs', 'sns', 'dynamodb', 'dynamodbstreams', 'lambda', 'cloudwatch', 'cloudformation'] as const),
      ...(['s3', 'ssm', 'ecr', 'iam', 'sts'] as const),
    ],
    ...running,
  };
}
