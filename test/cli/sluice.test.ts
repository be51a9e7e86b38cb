import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Setting, startCommand } from './command.ts';

let folder: string;
let listener: Server;
let takenPort: string;

/** With this the SDK asks for endpoints that no local verb serves. */
const hostileHome = {
  '.aws/config': '[default]\nuse_fips_endpoint = true\nregion = eu-central-1\n',
  '.aws/credentials': '[default]\naws_access_key_id = real\naws_secret_access_key = real\n',
};

const start = (words: readonly string[], setting?: Setting) => startCommand(folder, words, setting);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
  listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  takenPort = String((listener.address() as AddressInfo).port);
});

afterAll(() => {
  listener.close();
  rmSync(folder, { recursive: true, force: true });
});

const usage: readonly [words: string, message: RegExp][] = [
  ['', /a verb is missing; verbs are start, local/],
  ['lokal', /unknown verb "lokal"; verbs are start, local/],
  ['--loud', /unknown option '--loud'; flags are --version, --help/],
  ['local --prot 1', /unknown option '--prot'; flags are --port, --empty/],
  ['local --port 65536', /argument '65536' is invalid\. It must be a whole number from 0 to 65535\./],
  ['local --parameter x', /argument 'x' is invalid\. It must be NAME=VALUE\./],
  ['local now', /too many arguments/],
  ['local --account 12', /'--account <id>' argument '12' is invalid\. It must be twelve digits/],
  ['local --region mars', /It must be the name of a region, such as eu-west-1/],
  ['local --empty --stack Orders', /--empty deploys nothing: leave out --app, --stack and --parameter/],
];

describe('a mistake is answered by one line', () => {
  test.concurrent.each(usage)('usage: sluice %s', async (words, message) => {
    const { code, stdout, stderr } = await start(words.split(' ').filter((word) => word !== '')).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  const fakeNode = "Object.defineProperty(process.versions,'node',{value:'18.20.0'})";
  const failures: readonly [what: string, words: string, setting: Setting, message: RegExp][] = [
    ['no app here', 'local --port 0', {}, /There is no cdk\.json in .*Run this in the folder of a CDK app/],
    ['a broken cdk.json', 'local --port 0', { files: { 'cdk.json': '{' } }, /cdk\.json is not JSON/],
    [
      'an endpoint elsewhere',
      'local --empty --port 0',
      { env: { AWS_ENDPOINT_URL_SQS: 'https://sqs.eu-west-1.amazonaws.com' } },
      /AWS_ENDPOINT_URL_SQS is https:\/\/sqs\.eu-west-1\.amazonaws\.com, which is not on this machine/,
    ],
    [
      'an old Node',
      'local --empty --port 0',
      { node: ['--import', `data:text/javascript,${encodeURIComponent(fakeNode)}`] },
      /needs Node 20\.19 or newer; this is Node 18\.20\.0/,
    ],
  ];
  test.concurrent.each(failures)('failure: %s', async (_, words, setting, message) => {
    const { code, stdout, stderr } = await start(words.split(' '), setting).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('failure: a port in use', async () => {
    const { code, stderr } = await start(['local', '--empty', '--port', takenPort]).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^sluice: Port ${takenPort} is in use on 127.0.0.1. .*\\n$`));
  });

  test('failure: an app that fails, with what it said', async () => {
    const app = `node -e "console.error('at first'); throw new TypeError('no such topic')"`;
    const files = { 'cdk.json': JSON.stringify({ app }) };
    const { code, stderr } = await start(['local', '--port', '0'], { files }).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^sluice: The app .* failed \(exit code 1\): TypeError: no such topic Run .*\n$/);
  });
});

describe('sluice local', () => {
  test('serves until it is told to stop, under credentials of its own', async () => {
    const env = { AWS_PROFILE: 'production', AWS_ENDPOINT_URL: 'http://localhost:9' };
    const running = start(['local', '--empty', '--port', '0'], { env });
    while (!running.printed().includes('Ctrl-C')) await once(running.child.stdout, 'data');
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(running.printed())?.[0];
    const health = (await (await fetch(`${url}/_sluice/health`)).json()) as { status: string };
    expect(health.status).toBe('running');
    running.child.kill('SIGTERM');
    const { code, stdout, stderr } = await running.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Stopped.');
    await expect(fetch(`${url}/_sluice/health`)).rejects.toThrow();
  });

  test('an app sees no configuration file of the user’s', async () => {
    const sqs = JSON.stringify(import.meta.resolve('@aws-sdk/client-sqs'));
    const files = {
      ...hostileHome,
      'app.mjs': `import { SQSClient } from ${sqs};
        throw new Error('FIPS ' + await new SQSClient({}).config.useFipsEndpoint());`,
    };
    const { stderr } = await start(['local', '--port', '0', '--app', 'node app.mjs'], { files }).ended;
    expect(stderr).toContain('Error: FIPS false');
  });

  test('Ctrl-C during the synthesis ends the app too', async () => {
    // The command ends only when nobody holds the app's output any more: with the app alive it would hang.
    const app = `node -e "setTimeout(() => {}, 30_000)" && true`;
    const own = mkdtempSync(join(folder, 'temporary-'));
    const running = start(['local', '--port', '0'], {
      files: { 'cdk.json': JSON.stringify({ app }) },
      env: { TMPDIR: own },
    });
    while (!running.printed().includes('Synthesizing')) await once(running.child.stdout, 'data');
    running.child.kill('SIGINT');
    const { code, stderr } = await running.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^sluice: stopped before it was ready; nothing is left running\.\n$/);
    expect(readdirSync(own).filter((name) => name.startsWith('sluice-'))).toEqual([]);
  });
});

test('sluice start: neither the shop nor the functions see a configuration file of the user’s', {
  timeout: 90_000,
}, async () => {
  const words = 'start --orders 20 --seconds 1 --faults none --port 0 --exit --json'.split(' ');
  const { code, stdout, stderr } = await start(words, { files: hostileHome }).ended;
  expect(stderr).not.toContain('fault of sluice');
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, published: 20 });
  expect(code).toBe(0);
});

test('--help and --version need no verb’s module', async () => {
  const help = await start(['--help']).ended;
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toMatch(/start .*\n.*\n *local /);
  expect((await start(['--version']).ended).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect((await start(['help', 'local']).ended).stdout).toMatch(/Usage: sluice local/);
});

describe('in the package, which does not hold the example, a verb that needs it says what to do', () => {
  beforeAll(async () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    // As the package is laid out: JavaScript in dist, and no sources beside the launcher.
    await build({
      entryPoints: [join(root, 'bin', 'sluice.ts')],
      outfile: join(folder, 'package', 'dist', 'bin', 'sluice.js'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      external: ['./verbs/*', 'commander'],
      logLevel: 'error',
    });
    mkdirSync(join(folder, 'package', 'bin'));
    copyFileSync(join(root, 'bin', 'sluice.mjs'), join(folder, 'package', 'bin', 'sluice.mjs'));
    copyFileSync(join(root, 'package.json'), join(folder, 'package', 'package.json'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'package', 'node_modules'));
  });

  test.each([
    ['start', 'run npm start in a checkout. Your own app runs with sluice local.'],
    [
      'simulate --seeds 10',
      'run npx sluice simulate in a checkout. Your own handlers run in simulate of sluice/local.',
    ],
  ])('sluice %s', async (words, advice) => {
    const launcher = join(folder, 'package', 'bin', 'sluice.mjs');
    const { code, stdout, stderr } = await startCommand(folder, words.split(' '), { launcher }).ended;
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: `sluice: "${words.split(' ')[0]}" runs the example of a checkout of sluice, which the package does not hold: ${advice}\n`,
    });
  });
});
