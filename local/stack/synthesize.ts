import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { provideSdk } from '../lambda/index.ts';
import { LocalStackError } from './errors.ts';

/** What {@link synthesize} takes. */
export interface SynthesizeOptions {
  /**
   * The folder of cdk.json; the app runs in it.
   *
   * @default - the present working directory
   */
  readonly directory?: string;
  /**
   * The command that synthesizes; a shell runs it.
   *
   * @default - `app` of cdk.json
   */
  readonly app?: string;
  /**
   * The stacks whose functions are bundled.
   *
   * @default - all
   */
  readonly stacks?: readonly string[];
  /** Account and region of the model, as the app may ask for them. */
  readonly account?: string;
  readonly region?: string;
  /**
   * Context beyond that of the project, as `-c` gives it to the CDK's own command.
   *
   * @default - none
   */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Ends the app's process. */
  readonly signal?: AbortSignal;
}

/** What an app synthesized. */
export interface Synthesis {
  /** The folder of the cloud assembly. */
  readonly folder: string;
  /** Removes the folder. */
  remove(): void;
}

/**
 * Runs a CDK app in a child process, so that the CDK takes no memory here, and leaves its cloud assembly in a
 * folder of its own. The app sees no credentials and no endpoint of the environment. The CDK's validation of
 * templates, seconds of every synthesis, is off: `npx cdk synth` is the place for it.
 *
 * @throws {LocalStackError} when there is no app, or it fails
 * @example
 * ```ts
 * const { folder, remove } = await synthesize({ directory: process.cwd() });
 * ```
 */
export async function synthesize(options: SynthesizeOptions = {}): Promise<Synthesis> {
  const { directory = process.cwd(), signal } = options;
  const { app, context } = readProject(directory, options.app);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-assembly-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const environment = {
    ...withoutAws(process.env),
    ...localCredentials(options.region),
    CDK_OUTDIR: folder,
    CDK_CONTEXT_JSON: JSON.stringify({
      ...(options.stacks === undefined ? {} : { 'aws:cdk:bundling-stacks': options.stacks }),
      ...context,
      ...options.context,
    }),
    CDK_DEFAULT_ACCOUNT: options.account ?? '000000000000',
    CDK_DEFAULT_REGION: options.region ?? 'us-east-1',
    CDK_VALIDATION: process.env.CDK_VALIDATION ?? 'false',
  };
  try {
    const { code, output } = await runApp(app, directory, environment, signal);
    signal?.throwIfAborted();
    if (code !== 0)
      throw new LocalStackError(
        `The app "${app}" failed (exit code ${code}): ${gist(output)} Run "npx cdk synth" to see all that it says.`,
      );
    if (!existsSync(join(folder, 'manifest.json')))
      throw new LocalStackError(
        `The app "${app}" ended without writing a cloud assembly. It has to make an App of aws-cdk-lib.`,
      );
    provideSdk(folder, directory);
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * Looks whether there is an app to synthesize, before anything is started for it.
 *
 * @throws {LocalStackError} when there is none
 */
export const demandProject = ({ directory = process.cwd(), app }: SynthesizeOptions): void =>
  void readProject(directory, app);

/** The app and the context of a project: cdk.json, and cdk.context.json over it, as the CDK's own command reads them. */
function readProject(directory: string, app: string | undefined) {
  const project = readJson(join(directory, 'cdk.json'));
  if (project === undefined && app === undefined)
    throw new LocalStackError(
      `There is no cdk.json in ${directory}. Run this in the folder of a CDK app, or start with nothing deployed.`,
    );
  const command = app ?? project?.app;
  if (typeof command !== 'string' || command === '')
    throw new LocalStackError(
      `cdk.json in ${directory} has no "app": it should be the command that synthesizes.`,
    );
  const context: object = {
    ...(project?.context as object | undefined),
    ...readJson(join(directory, 'cdk.context.json')),
  };
  return { app: command, context };
}

function readJson(path: string): Readonly<Record<string, unknown>> | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new LocalStackError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw new LocalStackError(`${path} is not JSON: ${(cause as Error).message}`, { cause });
  }
}

/** An environment without anything that leads to an AWS account. */
export const withoutAws = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('AWS_')));

/** Credentials that open nothing, and a region; the SDK's configuration files of the user are not read. */
export const localCredentials = (region = 'us-east-1'): Readonly<Record<string, string>> => ({
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: region,
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
});

/** The most that is kept of what an app prints: it is shown only when the app fails. */
const keptOutput = 64 * 1024;

function runApp(
  app: string,
  directory: string,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal | undefined,
): Promise<{ code: number | string; output: string }> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    // A group of its own, so that the shell and what it runs end together.
    const child = spawn(app, {
      cwd: directory,
      env: environment,
      shell: true,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const keep = (chunk: string) => {
      output = (output + chunk).slice(-keptOutput);
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    const stop = () => endGroup(child);
    signal?.addEventListener('abort', stop, { once: true });
    child.once('error', (cause) =>
      reject(new LocalStackError(`The app "${app}" cannot be run: ${cause.message}`, { cause })),
    );
    child.once('close', (code, by) => {
      signal?.removeEventListener('abort', stop);
      resolve({ code: code ?? by ?? 'unknown', output });
    });
  });
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // ESRCH: it has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** What an app's output says of what went wrong: the line of the error, and its list where it has one. */
function gist(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const place = lines.findIndex((line) => /^(?:\w*Error|Uncaught)\b.*:/.test(line));
  if (place < 0) return lines.at(-1) ?? 'it said nothing.';
  const rest = lines.slice(place + 1);
  const end = rest.findIndex((line) => !line.startsWith('- '));
  return [lines[place], ...rest.slice(0, end < 0 ? rest.length : end)].join('\n  ');
}
