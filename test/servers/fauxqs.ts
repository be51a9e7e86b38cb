import { root, versionOf } from './checkout.ts';
import { takePort } from './ports.ts';
import { isHealthy, makeFolder, runServer } from './run.ts';
import type { RunningServer, StartOptions } from './types.ts';

/** Its program, as a text: the package brings none that listens on one address. */
const program = `import { startFauxqs } from 'fauxqs';
await startFauxqs({ port: Number(process.env.PORT), host: '127.0.0.1', logger: false });`;

/** Starts fauxqs, which is among the packages of the checkout. */
export async function startFauxqs(options: StartOptions): Promise<RunningServer> {
  const version = versionOf('node_modules/fauxqs/package.json');
  const port = await takePort('fauxqs', options.port);
  const url = `http://127.0.0.1:${port}`;
  const running = await runServer({
    title: `fauxqs ${version}`,
    command: process.execPath,
    args: ['--input-type=module', '--eval', program],
    environment: { PORT: String(port) },
    folder: makeFolder('fauxqs'),
    directory: root,
    ready: (signal) => isHealthy(`${url}/health`, signal),
    patience: 60_000,
    signal: options.signal,
  });
  return { name: 'fauxqs', version, url, services: ['sqs', 'sns', 's3', 'sts'], ...running };
}
