import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../servers/checkout.ts';

/** The stock command of the CDK failed; the message has the end of what it said. */
export class CdkFailure extends Error {
  override readonly name = 'CdkFailure';
}

/** Where the command works. */
export interface CdkPlace {
  /** The endpoint of the server. */
  readonly url: string;
  /** A folder for what the command writes. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Keys that every server takes. */
export const credentials = {
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: 'us-east-1',
} as const;

/** Lines of its output that a message ends with. */
const shownLines = 12;

/**
 * Runs `npx cdk` as a user does, told by the environment alone that AWS is at the endpoint; gives the seconds that it took.
 *
 * @throws {CdkFailure} when it fails
 */
export function cdk(args: readonly string[], { url, folder, signal }: CdkPlace): Promise<number> {
  signal.throwIfAborted();
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [
      join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk'),
      ...args,
      '--output',
      join(folder, `cdk-${args[0]}`),
    ],
    {
      cwd: root,
      // A group of its own: it starts the app by a shell, and all of it must be endable.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        CDK_HOME: folder,
        TMPDIR: folder,
        CI: 'true',
        NO_COLOR: '1',
        NODE_NO_WARNINGS: '1',
        ...credentials,
        AWS_ENDPOINT_URL: url,
      },
    },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-20_000);
    });
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
  };
  signal.addEventListener('abort', kill, { once: true });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, ended) => {
      signal.removeEventListener('abort', kill);
      if (signal.aborted) reject(signal.reason);
      else if (code === 0) resolve((performance.now() - startedAt) / 1000);
      else
        reject(
          new CdkFailure(
            `cdk ${args[0]} failed at ${url} (${ended ?? `code ${code}`}).\n${said.trim().split('\n').slice(-shownLines).join('\n')}`,
          ),
        );
    });
  });
}
