import { join } from 'node:path';
import { takePort } from './ports.ts';
import { findPython } from './programs.ts';
import { pythonEnvironment } from './python.ts';
import { isHealthy, makeFolder, runServer } from './run.ts';
import type { RunningServer, StartOptions } from './types.ts';

/** As the Python package index has it. */
export const motoVersion = '5.2.5';

const title = `moto ${motoVersion}`;

/** Starts moto's server. */
export async function startMoto(options: StartOptions): Promise<RunningServer> {
  const programs = await pythonEnvironment(
    {
      name: 'moto',
      title,
      requirements: [`moto[server]==${motoVersion}`],
      python: () => findPython('moto'),
    },
    options,
  );
  const port = await takePort(title, options.port);
  const url = `http://127.0.0.1:${port}`;
  const running = await runServer({
    title,
    command: join(programs, 'moto_server'),
    args: ['-H', '127.0.0.1', '-p', String(port)],
    environment: { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
    folder: makeFolder('moto'),
    ready: (signal) => isHealthy(`${url}/moto-api/`, signal),
    patience: 60_000,
    signal: options.signal,
  });
  return {
    name: 'moto',
    version: motoVersion,
    url,
    services: [
      ...(['sqs', 'sns', 'dynamodb', 'dynamodbstreams', 'cloudwatch', 'cloudformation'] as const),
      ...(['s3', 'ssm', 'ecr', 'iam', 'sts'] as const),
    ],
    ...running,
  };
}
