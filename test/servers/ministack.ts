import { join } from 'node:path';
import { takePort } from './ports.ts';
import { findPython } from './programs.ts';
import { pythonEnvironment } from './python.ts';
import { isHealthy, makeFolder, runServer } from './run.ts';
import type { RunningServer, StartOptions } from './types.ts';

/** As the Python package index has it. */
export const miniStackVersion = '1.5.33';

const title = `MiniStack ${miniStackVersion}`;

/** Starts MiniStack; it runs Node functions as processes of this machine. */
export async function startMiniStack(options: StartOptions): Promise<RunningServer> {
  const programs = await pythonEnvironment(
    {
      name: `ministack-${miniStackVersion}`,
      title,
      requirements: [`ministack==${miniStackVersion}`],
      python: () => findPython('MiniStack'),
    },
    options,
  );
  const port = await takePort(title, options.port);
  const url = `http://127.0.0.1:${port}`;
  const folder = makeFolder('ministack');
  const running = await runServer({
    title,
    command: join(programs, 'ministack'),
    args: [],
    environment: {
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      STATE_DIR: join(folder, 'state'),
      S3_DATA_DIR: join(folder, 's3'),
    },
    folder,
    ready: (signal) => isHealthy(`${url}/_ministack/health`, signal),
    patience: 60_000,
    signal: options.signal,
  });
  return {
    name: 'ministack',
    version: miniStackVersion,
    url,
    services: [
      ...(['sqs', 'sns', 'dynamodb', 'dynamodbstreams', 'lambda', 'cloudwatch', 'cloudformation'] as const),
      ...(['s3', 'ssm', 'ecr', 'iam', 'sts'] as const),
    ],
    ...running,
  };
}
