import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CloudFormationClient,
  CreateStackCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { type AwsModel, type LocalStack, startLocal, workerExecutor } from 'sluice/local';

export const root = fileURLToPath(new URL('../..', import.meta.url));

const cdkFolder = dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json'));

/** What a command of the CDK did. */
export interface Ran {
  readonly code: number | null;
  /** What it printed, on either stream. */
  readonly output: string;
}

/** A command of the CDK that runs. */
export interface Running {
  readonly process: ChildProcess;
  readonly done: Promise<Ran>;
  /** Resolves when the text was printed; rejects when the command ended without. */
  says(text: string): Promise<void>;
}

/** An endpoint, and the stock CDK command in front of it. */
export interface World {
  readonly aws: AwsModel;
  /** The endpoint's address. */
  readonly url: string;
  /** A folder of the test's own, removed at the end. */
  readonly folder: string;
  /** Settings of the SDK's clients. */
  readonly settings: {
    endpoint: string;
    region: string;
    credentials: { accessKeyId: string; secretAccessKey: string };
  };
  /** Runs `cdk ...` as a user does: with an address, a region and keys in the environment, and nothing more. */
  cdk(args: readonly string[], options?: { readonly cwd?: string }): Promise<Ran>;
  begin(args: readonly string[], options?: { readonly cwd?: string; readonly url?: string }): Running;
  /** Functions are not made until the call that it gives back: a deployment stays in their middle. */
  hold(): () => void;
  /** Ends the server, and starts another, empty one at its place. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts an endpoint as `sluice local --empty` does, on a free port. */
export async function createWorld(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cdk-'));
  // A user's own settings: without them the command would ask the network for news, and report to it.
  writeFileSync(join(folder, '.cdk.json'), JSON.stringify({ notices: false, 'cli-telemetry': false }));
  const children = new Set<ChildProcess>();
  let held: Promise<void> | undefined;
  const start = (port: number): Promise<LocalStack> =>
    startLocal({
      empty: true,
      port,
      executor: (log) => {
        const executor = workerExecutor({ log });
        return {
          ...executor,
          async prepare(configuration) {
            await held;
            await executor.prepare(configuration);
          },
        };
      },
    });
  let server = await start(0);

  const begin: World['begin'] = (args, { cwd = folder, url = server.url } = {}) => {
    const child = spawn(process.execPath, [join(cdkFolder, 'bin', 'cdk'), ...args], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        CDK_HOME: join(folder, 'home'),
        // The linter of every synth costs seconds, and is tested elsewhere.
        CDK_VALIDATION: 'false',
        AWS_ENDPOINT_URL: url,
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
      },
    });
    children.add(child);
    let output = '';
    const waiting = new Set<() => void>();
    const take = (chunk: string) => {
      output += chunk;
      for (const look of waiting) look();
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    const done = new Promise<Ran>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => {
        children.delete(child);
        resolve({ code, output });
      });
    });
    return {
      process: child,
      done,
      says: (text) =>
        new Promise((resolve, reject) => {
          const look = () => {
            if (!output.includes(text)) return;
            waiting.delete(look);
            resolve();
          };
          waiting.add(look);
          look();
          void done.then(() => reject(new Error(`cdk never said "${text}":\n${output}`)));
        }),
    };
  };

  return {
    get aws() {
      return server.aws;
    },
    get url() {
      return server.url;
    },
    folder,
    get settings() {
      return {
        endpoint: server.url,
        region: 'us-east-1',
        credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      };
    },
    begin,
    cdk: (args, options) => begin(args, options).done,
    hold() {
      let release = () => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return () => {
        held = undefined;
        release();
      };
    },
    async restart() {
      const { port } = server;
      await server.stop();
      server = await start(port);
    },
    async stop() {
      for (const child of children) child.kill('SIGKILL');
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Makes the bootstrap stack from the template that the CDK brings, without its command: it costs seconds. */
export async function bootstrap({ settings }: World): Promise<void> {
  const cloudformation = new CloudFormationClient(settings);
  const template = join(cdkFolder, 'lib', 'api', 'bootstrap', 'bootstrap-template.yaml');
  await cloudformation.send(
    new CreateStackCommand({
      StackName: 'CDKToolkit',
      TemplateBody: readFileSync(template, 'utf8'),
      Capabilities: ['CAPABILITY_NAMED_IAM'],
    }),
  );
  await untilStack(cloudformation, 'CDKToolkit', 'CREATE_COMPLETE');
}

/** Waits for a stack's status. */
export async function untilStack(
  client: CloudFormationClient,
  StackName: string,
  status: string,
): Promise<void> {
  for (;;) {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName }));
    if (Stacks?.[0]?.StackStatus === status) return;
  }
}

/** Milliseconds that a test may take: a command of the CDK costs a second of processor time, and more where much else runs. */
export const slowest = 300_000;

/** What a stack trace would look like to the user. */
export const stackTrace = /^\s+at .+[:(]\d+|node:internal/m;
