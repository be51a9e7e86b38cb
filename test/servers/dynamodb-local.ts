import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installed } from './cache.ts';
import { takePort } from './ports.ts';
import { findJava, findMaven, say, step } from './programs.ts';
import { makeFolder, runServer } from './run.ts';
import type { RunningServer, StartOptions } from './types.ts';

/** As Maven Central has it. */
export const dynamoDbLocalVersion = '2.6.1';

/** Where the program is, and what runs it. */
export interface DynamoDbLocal {
  readonly java: string;
  /** What stands before its own arguments. */
  readonly javaArguments: readonly string[];
}

/** Installs DynamoDB Local from Maven Central when it is not in the cache. */
export async function dynamoDbLocal({ log, signal }: StartOptions): Promise<DynamoDbLocal> {
  const java = await findJava();
  const folder = await installed({
    name: `dynamodb-local-${dynamoDbLocalVersion}`,
    contents: `com.amazonaws:DynamoDBLocal:${dynamoDbLocalVersion}`,
    log,
    signal,
    async install(target) {
      const project = join(target, 'pom.xml');
      writeFileSync(project, pom);
      const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
      const where = ['-f', project, `-DoutputDirectory=${target}`, '-DincludeScope=runtime'];
      await step('DynamoDB Local', await findMaven(), ['-q', '-B', ...where, copy], signal);
      rmSync(project);
      if (!readdirSync(target).some((name) => name.startsWith('DynamoDBLocal-')))
        throw new Error(`Maven copied no DynamoDB Local into ${target}.`);
    },
  });
  const loopback = await compileLoopback(java, folder, { ...(log && { log }), ...(signal && { signal }) });
  return {
    java,
    javaArguments: [
      '-Xmx256m',
      `-Djava.library.path=${folder}`,
      '-cp',
      [`${folder}/*`, ...(loopback === undefined ? [] : [loopback])].join(':'),
      loopback === undefined ? 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner' : 'Loopback',
    ],
  };
}

/** Gives the folder of the program that makes it listen on 127.0.0.1 alone; it takes a Java compiler. */
async function compileLoopback(
  java: string,
  jars: string,
  { log, signal }: StartOptions,
): Promise<string | undefined> {
  const beside = join(dirname(java), 'javac');
  const compiler = existsSync(beside) ? beside : 'javac';
  if ((await say(compiler, ['-version']))?.code !== 0) {
    log?.(
      'without a Java compiler DynamoDB Local listens on every address of this machine, not 127.0.0.1 alone',
    );
    return undefined;
  }
  const source = fileURLToPath(new URL('./dynamodb-local/Loopback.java', import.meta.url));
  return installed({
    name: `dynamodb-local-${dynamoDbLocalVersion}-loopback`,
    contents: createHash('sha256').update(readFileSync(source)).digest('hex'),
    signal,
    install: (target) =>
      step('DynamoDB Local', compiler, ['-nowarn', '-d', target, '-cp', `${jars}/*`, source], signal),
  });
}

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>sluice</groupId>
  <artifactId>servers</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>com.amazonaws</groupId>
      <artifactId>DynamoDBLocal</artifactId>
      <version>${dynamoDbLocalVersion}</version>
    </dependency>
  </dependencies>
</project>
`;

/** Starts DynamoDB Local with its tables in memory. */
export async function startDynamoDbLocal(options: StartOptions): Promise<RunningServer> {
  const program = await dynamoDbLocal(options);
  const port = await takePort('DynamoDB Local', options.port);
  const url = `http://127.0.0.1:${port}`;
  const folder = makeFolder('dynamodb-local');
  const running = await runServer({
    title: `DynamoDB Local ${dynamoDbLocalVersion}`,
    command: program.java,
    args: [
      `-Djava.io.tmpdir=${join(folder, 'tmp')}`,
      ...program.javaArguments,
      '-inMemory',
      '-port',
      String(port),
    ],
    environment: { DDB_LOCAL_TELEMETRY: '0' },
    folder,
    ready: (signal) => listsTables(url, signal),
    patience: 60_000,
    signal: options.signal,
  });
  return {
    name: 'dynamodb-local',
    version: dynamoDbLocalVersion,
    url,
    services: ['dynamodb', 'dynamodbstreams'],
    ...running,
  };
}

/** It has no path for its health: whether it lists its tables. */
async function listsTables(url: string, signal: AbortSignal): Promise<boolean> {
  const answer = await fetch(url, {
    method: 'POST',
    signal,
    body: '{}',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.ListTables',
      authorization:
        'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    },
  });
  await answer.arrayBuffer();
  return answer.ok;
}
