import { parseArgs } from 'node:util';
import { ServerFailure, ServerUnavailable, serverNames, startServer } from './index.ts';
import type { ServerName } from './names.ts';

// npm run server -- NAME [--port N] [--docker] [--functions]: a server until Ctrl-C.

const usage = `npm run server -- ${serverNames.join('|')} [--port NUMBER] [--functions] [--docker]`;

/** Exit codes as the commands of the package have them. */
async function main(): Promise<number> {
  let given: ReturnType<typeof read>;
  try {
    given = read();
  } catch (error) {
    console.error(`server: ${(error as Error).message.split('\n')[0]} Use: ${usage}`);
    return 2;
  }
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  try {
    const server = await startServer(given.name, {
      port: given.port,
      functions: given.functions,
      ...(given.docker && { docker: true }),
      log: (line) => console.log(line),
      signal: stopping.signal,
    });
    try {
      console.log(introduction(`${server.name} ${server.version}`, server.url));
      await new Promise<void>((resolve) => {
        const end = AbortSignal.any([stopping.signal, server.died]);
        if (end.aborted) resolve();
        end.addEventListener('abort', () => resolve());
      });
      if (server.died.aborted) throw server.died.reason;
    } finally {
      await server.stop();
    }
    console.log('Stopped.');
    return 0;
  } catch (error) {
    if (stopping.signal.aborted) {
      console.log('Stopped before it was ready; nothing is left running.');
      return 130;
    }
    if (!(error instanceof ServerFailure || error instanceof ServerUnavailable)) throw error;
    console.error(`server: ${error.message}`);
    return 1;
  }
}

function read() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: 'string', default: '4566' },
      functions: { type: 'boolean', default: false },
      docker: { type: 'boolean', default: false },
    },
  });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0 || !(serverNames as readonly string[]).includes(name))
    throw new Error(
      `${name === undefined ? 'No server is named' : `"${positionals.join(' ')}" is no server`}.`,
    );
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--port is "${values.port}"; it must be a whole number from 0 to 65535.`);
  return { ...values, port, name: name as ServerName };
}

const introduction = (title: string, url: string): string =>
  [
    `${title} listens at ${url}. In another terminal:`,
    `  export AWS_ENDPOINT_URL=${url} AWS_REGION=us-east-1 AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test`,
    'Ctrl-C stops it and removes what it wrote.',
  ].join('\n');

process.exitCode = await main();
