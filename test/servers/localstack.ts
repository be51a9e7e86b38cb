import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startContainer } from './container.ts';
import { type DynamoDbLocal, dynamoDbLocal } from './dynamodb-local.ts';
import { takePort } from './ports.ts';
import { findPython313, say } from './programs.ts';
import { pythonEnvironment } from './python.ts';
import { isHealthy, makeFolder, runServer } from './run.ts';
import { type RunningServer, ServerUnavailable, type ServiceName, type StartOptions } from './types.ts';

/** The last version that needs no token. */
export const localStackVersion = '4.14.0';

const title = `LocalStack ${localStackVersion}`;

/** Newer cbor2 and pyOpenSSL break its start. */
const requirements = [
  `localstack-core[runtime]==${localStackVersion}`,
  'cbor2<6',
  'pyopenssl<26',
  'service_identity<25',
];

const services: readonly ServiceName[] = [
  ...(['sqs', 'sns', 'dynamodb', 'dynamodbstreams', 'lambda', 'cloudwatch', 'cloudformation'] as const),
  ...(['s3', 'ssm', 'ecr', 'iam', 'sts'] as const),
];

/** Starts LocalStack: as a container when a Docker engine answers, else from its Python package. */
export async function startLocalStack(options: StartOptions): Promise<RunningServer> {
  const engine = options.docker === false ? undefined : await say('docker', ['info', '--format', '{{.ID}}']);
  const answers = engine?.code === 0;
  if (options.docker === true && !answers)
    throw new ServerUnavailable(
      `${title} was to run in Docker, and no engine answers to "docker info". Start Docker, or leave --docker out: it then runs from its Python package.`,
    );
  const port = await takePort(title, options.port);
  const url = `http://127.0.0.1:${port}`;
  const known = { name: 'localstack', version: localStackVersion, url, services } as const;
  const ready = (signal: AbortSignal) => isHealthy(`${url}/_localstack/health`, signal);
  if (answers)
    return {
      ...known,
      ...(await startContainer({
        title,
        image: `localstack/localstack:${localStackVersion}`,
        port: { outside: port, inside: 4566 },
        environment: { ...settings, LOCALSTACK_HOST: `127.0.0.1:${port}` },
        // It starts functions as containers beside itself.
        volumes: ['/var/run/docker.sock:/var/run/docker.sock'],
        ready,
        options,
      })),
    };
  const programs = await pythonEnvironment(
    { name: `localstack-${localStackVersion}`, title, requirements, python: () => findPython313() },
    options,
  );
  const database = await dynamoDbLocal(options);
  const folder = makeFolder('localstack');
  layOut(folder, database, options.functions === true);
  const running = await runServer({
    title,
    command: join(programs, 'python'),
    args: ['-m', 'localstack.runtime.main'],
    environment: {
      ...settings,
      OVERRIDE_IN_DOCKER: '0',
      FILESYSTEM_ROOT: folder,
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      LOCALSTACK_HOST: `127.0.0.1:${port}`,
      // The standard one listens on every address.
      GATEWAY_SERVER: 'hypercorn',
      DNS_ADDRESS: '0',
      SKIP_SSL_CERT_DOWNLOAD: '1',
      SLUICE_NODE: process.execPath,
      SLUICE_FUNCTION_PROGRAM: fileURLToPath(new URL('./localstack/function.cjs', import.meta.url)),
    },
    folder,
    ready,
    patience: 120_000,
    signal: options.signal,
  });
  return { ...known, ...running };
}

/** What holds in a container too: no telemetry, plain queue URLs, tables in memory, event sources that poll quickly. */
const settings = {
  DISABLE_EVENTS: '1',
  SQS_ENDPOINT_STRATEGY: 'path',
  SQS_ENABLE_MESSAGE_RETENTION_PERIOD: '1',
  DYNAMODB_IN_MEMORY: '1',
  PROVIDER_OVERRIDE_DYNAMODB: 'v2',
  PROVIDER_OVERRIDE_DYNAMODBSTREAMS: 'v2',
  LAMBDA_EVENT_SOURCE_MAPPING_POLL_INTERVAL_SEC: '0.05',
} as const;

/** Puts DynamoDB Local where LocalStack looks for it, and the hook that lets it run functions. */
function layOut(root: string, database: DynamoDbLocal, functions: boolean): void {
  const library = join(root, 'usr', 'lib', 'localstack');
  const jars = join(library, 'dynamodb-local', '2');
  const bin = join(library, 'java', '21', 'bin');
  for (const folder of [jars, bin]) mkdirSync(folder, { recursive: true });
  // It asks for this name; the program below runs what lies in the cache.
  writeFileSync(join(jars, 'DynamoDBLocal.jar'), '');
  const java = join(bin, 'java');
  const words = [database.java, `-Djava.io.tmpdir=${join(root, 'tmp')}`, ...database.javaArguments];
  const quoted = words.map((word) => `'${word}'`).join(' ');
  writeFileSync(
    java,
    `#!/bin/sh\n# Leaves out the arguments up to "-jar FILE": they belong to another distribution of the same program.\nwhile [ $# -gt 0 ] && [ "$1" != -jar ]; do shift; done\n[ $# -ge 2 ] && shift 2\nexec ${quoted} "$@"\n`,
  );
  chmodSync(java, 0o755);
  if (!functions) return;
  const hooks = join(root, 'etc', 'localstack', 'init', 'start.d');
  mkdirSync(hooks, { recursive: true });
  copyFileSync(
    fileURLToPath(new URL('./localstack/node-functions.py', import.meta.url)),
    join(hooks, 'node-functions.py'),
  );
}
