import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createAws, createEndpoint } from '../../local/index.ts';
import { groups } from './cases/index.ts';
import { optionsOf } from './options.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the command; `during` is called with each piece that it prints. */
async function run(
  words: readonly string[],
  {
    env = {},
    during,
  }: { env?: NodeJS.ProcessEnv; during?: (text: string, kill: (signal: 'SIGINT') => void) => void } = {},
) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/conformance/index.ts', ...words], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR, ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    during?.(stdout, (signal) => child.kill(signal));
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  return { code, stdout, stderr };
}

/** What the words are refused with. */
const refusal = (...words: string[]): string => {
  try {
    optionsOf(words, groups, (line) => {
      throw new Error(line);
    });
  } catch (error) {
    return (error as Error).message;
  }
  return 'taken';
};

describe('npm run conformance refuses in one line what does not fit', () => {
  it.each([
    [[], /Say what is asked: --server with one of model, localstack/],
    [['--server', 'azure'], /'azure' is invalid\. Allowed choices are model, localstack/],
    [['--server', 'model', '--all'], /--server and --all do not go together/],
    [['--server', 'model', '--only', 'none'], /--only is "none"; it must be one of sqs-/],
    [['--server', 'model', '--only', ''], /--only is ""; it must be one of sqs-/],
    [['--server', 'moto', '--endpoint', 'http://example.org'], /must be a server on this machine/],
    [['--server', 'moto', '--endpoint', 'moto'], /must be a server on this machine/],
    [['--server', 'model', '--yes'], /--yes is for --server aws/],
    [['--server', 'aws'], /--profile is missing/],
    [
      ['--server', 'aws', '--profile', 'p', '--endpoint', 'http://127.0.0.1:1'],
      /does not go with --server aws/,
    ],
    [['--compare', 'model'], /'model' is invalid/],
    [['--compare', 'moto', '--kind', 'all'], /Allowed choices are standard, fifo, items, transactions/],
    [['--compare', 'moto', '--runs', '0'], /--runs is 0/],
    [['--compare', 'moto', '--seed', 'x'], /must be a whole number/],
    [['--all', '--json'], /--json is for one server/],
    [['--server', 'model', '--nonsense'], /unknown option '--nonsense'/],
    [['--server', 'model', 'more'], /too many arguments/],
  ])('%j', (words, line) => {
    expect(refusal(...words)).toMatch(line);
    expect(refusal(...words)).not.toContain('\n');
  });

  it.each([
    [['--server', 'model']],
    [['--server', 'ministack', '--only', 'lambda', '--json']],
    [['--all', '--record']],
    [['--compare', 'localstack', '--seed', '-7', '--path', '0:1', '--runs', '1', '--kind', 'fifo']],
    [['--server', 'aws', '--profile', 'p', '--region', 'eu-west-1', '--clean', '--yes']],
  ])('%j is taken', (words) => {
    expect(refusal(...words)).toBe('taken');
  });

  it('with exit code 2', async () => {
    const { code, stdout, stderr } = await run(['--server', 'azure']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^conformance: .*\n$/);
  });
});

describe('npm run conformance plays', () => {
  it('the model, and with --json prints the results and nothing else', async () => {
    const { code, stdout } = await run(['--server', 'model', '--only', 'sqs-receive', '--json']);
    const { server, cases, ...more } = JSON.parse(stdout) as { server: string; cases: object[] };
    expect({ code, server, more }).toEqual({ code: 0, server: 'model', more: {} });
    const [first] = cases;
    expect(Object.keys(first!)).toEqual(['id', 'group', 'status', 'note']);
    expect(new Set(cases.map((each) => (each as { status: string }).status))).toEqual(new Set(['pass']));
  });

  it('a server that answers garbage: every case differs, and that is a finding', async () => {
    const server = createServer((_, response) => response.writeHead(500).end('<oops')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, stdout } = await run(['--server', 'moto', '--endpoint', url, '--only', 'sqs-receive']);
    server.closeAllConnections();
    server.close();
    expect(code).toBe(0);
    expect(stdout).toMatch(/moto: 0 pass, \d+ differ/);
  });

  it('a server that is not there: one line, exit code 1', async () => {
    const { code, stdout, stderr } = await run(['--server', 'moto', '--endpoint', 'http://127.0.0.1:9']);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'conformance: Nothing answers at http://127.0.0.1:9.\n',
    });
  });

  it('a server that ends in the middle: one line, exit code 1', async () => {
    let aws!: ReturnType<typeof createAws>;
    const endpoint = await createEndpoint((url) => (aws = createAws({ endpoint: url })), { port: 0 });
    let ended = false;
    const { code, stderr } = await run(['--server', 'fauxqs', '--endpoint', endpoint.url, '--only', 'sqs'], {
      during: () => {
        if (ended) return;
        ended = true;
        aws.stop();
        void endpoint.close();
      },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^conformance: fauxqs at http:\S+ has ended in the middle of the run\.\n$/);
  });

  it('Ctrl-C ends it at once, with exit code 130', async () => {
    const { code, stderr } = await run(['--server', 'model'], { during: (_, kill) => kill('SIGINT') });
    expect({ code, stderr }).toEqual({ code: 130, stderr: 'Stopped; nothing is left running.\n' });
  });

  it('AWS is not asked under an endpoint of somebody else', async () => {
    const { code, stderr } = await run(['--server', 'aws', '--profile', 'p', '--region', 'eu-west-1'], {
      env: { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' },
    });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'conformance: AWS_ENDPOINT_URL is http://127.0.0.1:4566: that is not AWS. Unset it.\n',
    });
  });
});
