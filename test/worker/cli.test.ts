import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SNSClient } from '@aws-sdk/client-sns';
import { publisher } from 'sluice/lambda';
import { type LocalStack, type Synthesis, startLocal, synthesize } from 'sluice/local';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { orders } from '../../examples/orders/topology.ts';
import { type Running, type Setting, startCommand } from '../cli/command.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
let temporary: string;
let withFunctions: Synthesis;
let forWorkers: Synthesis;
let local: LocalStack;
let mails: Server;
let mailServer: string;
const sent = new Map<number, number>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-work-'));
  temporary = mkdtempSync(join(folder, 'temporary-'));
  [withFunctions, forWorkers] = await Promise.all([
    synthesize({ directory: root }),
    synthesize({ directory: root, context: { 'sluice:consumers': 'worker' } }),
  ]);
  local = await startLocal({ port: 0, assembly: forWorkers.folder });
  mails = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { orderId } = JSON.parse(text) as { orderId: number };
    // The third order is refused for ever.
    const status = orderId === 3 ? 400 : 202;
    if (status === 202) sent.set(orderId, (sent.get(orderId) ?? 0) + 1);
    response.writeHead(status).end('{}');
  }).listen(0, '127.0.0.1');
  await once(mails, 'listening');
  mailServer = `http://127.0.0.1:${(mails.address() as AddressInfo).port}`;
}, 120_000);

afterAll(async () => {
  await local.stop();
  mails.close();
  mails.closeAllConnections();
  withFunctions.remove();
  forWorkers.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** An app that has been synthesized already: it costs no time. */
const ready = (assembly = withFunctions.folder) => ({
  files: { 'cdk.json': JSON.stringify({ app: `cp -r ${assembly}/. "$CDK_OUTDIR"` }) },
});

/** With a folder of its own for what it writes for a while. */
const withTemporary = () => ({ ...ready(), env: { TMPDIR: temporary } });
const leftovers = () => readdirSync(temporary).filter((name) => name.startsWith('sluice-'));

const start = (words: string, setting: Setting = ready()) =>
  startCommand(folder, ['work', ...words.split(' ').filter((word) => word !== '')], setting);

/** Resolves when the command has printed something. */
async function printed(running: Running, what: RegExp): Promise<void> {
  while (!what.test(running.printed())) {
    const news = await Promise.race([
      once(running.child.stdout, 'data'),
      running.ended.then(({ stderr, code }) => `ended with ${code}: ${stderr}`),
    ]);
    if (typeof news === 'string') throw new Error(`${what} was never printed; the command ${news}`);
  }
}

async function publish(...orderIds: number[]) {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const sns = new SNSClient({ endpoint: local.url, region: 'us-east-1', credentials });
  const environment = { SLUICE_TOPIC_ARN_ORDERS: local.outputs.TopicArnOrders! };
  const shop = publisher(orders, { sns, environment });
  const { failed } = await shop.publishBatch(
    orderIds.map((orderId) => ({
      type: 'order.placed' as const,
      data: { orderId, customerId: orderId, date: '1997-01-01', quantity: 1, amountCents: 100 },
    })),
  );
  expect(failed).toEqual([]);
  sns.destroy();
}

const queue = () => local.aws.sqs.queues().find(({ url }) => url === local.outputs.QueueUrlEmail)!;

describe('sluice work runs the handler of a subscriber against a stack that is deployed', () => {
  test('of an app made for workers: messages are done, dead letters counted, SIGTERM ends it with code 0', async () => {
    await publish(1, 2, 3, 4, 5);
    const running = start(`email --endpoint ${local.url} --env MAIL_SERVER_URL=${mailServer}`, {
      files: {
        'cdk.json': JSON.stringify({
          app: `case "$CDK_CONTEXT_JSON" in *'"sluice:consumers":"lambda"'*) from=${withFunctions.folder};; *) from=${forWorkers.folder};; esac; cp -r $from/. "$CDK_OUTDIR"`,
          context: { 'sluice:consumers': 'worker' },
        }),
      },
    });
    await printed(running, /done 4, failed 0, dead-lettered 1, running 0/);
    running.child.kill('SIGTERM');
    const { code, stdout, stderr, cwd } = await running.ended;
    expect({ code, cwd }).toEqual({ code: 0, cwd: expect.stringContaining(folder) });
    expect(stdout).toMatch(
      /^Working for "email" of stack Orders at http:\S+, up to 2 batches at once\.\nQueue: http/,
    );
    expect(stdout).toMatch(
      /Stopping: 0 running, at most 25 s\.\nStopped: received 5, done 4, failed 0, dead-lettered 1, running 0\.\n$/,
    );
    expect(stdout).not.toContain('_aws');
    expect(stderr).toContain('permanent');
    expect([...sent].sort()).toEqual([1, 2, 4, 5].map((id) => [id, 1]));
    expect(queue()).toMatchObject({ visible: 0, inFlight: 0 });
  });

  test('--json prints lines for machines, and nothing else on standard output', async () => {
    await publish(11, 12);
    const running = start(`Email --json --concurrency 1 --env MAIL_SERVER_URL=${mailServer}`, {
      ...ready(),
      env: { AWS_ENDPOINT_URL: local.url, AWS_PROFILE: 'mine' },
    });
    await printed(running, /"done":2/);
    running.child.kill('SIGINT');
    const { code, stdout } = await running.ended;
    expect(code).toBe(0);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string });
    expect(lines[0]).toMatchObject({ event: 'started', stack: 'Orders', concurrency: 1 });
    expect(lines.at(-1)).toEqual({
      event: 'stopped',
      received: 2,
      done: 2,
      failed: 0,
      deadLettered: 0,
      running: 0,
    });
  });

  test('a second signal ends it at once', async () => {
    // Nobody answers, so the batch runs until its time is over.
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    await publish(21);
    const running = start(
      `email --endpoint ${local.url} --env MAIL_SERVER_URL=http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      withTemporary(),
    );
    await printed(running, /running 1/);
    running.child.kill('SIGTERM');
    await printed(running, /Stopping: 1 running/);
    await new Promise((resolve) => setTimeout(resolve, 700));
    running.child.kill('SIGTERM');
    expect((await running.ended).code).toBe(143);
    expect(leftovers()).toEqual([]);
    silent.close();
    silent.closeAllConnections();
  });

  test('a function that consumes the same queue is pointed out', async () => {
    const busy = await startLocal({ port: 0, assembly: withFunctions.folder });
    try {
      const running = start(`email --endpoint ${busy.url}`);
      await printed(running, /Warning: /);
      running.child.kill('SIGTERM');
      const { stdout } = await running.ended;
      expect(stdout).toMatch(
        /\nWarning: Orders-EmailSubscriberConsumer\S+ consumes the same queue, and takes a part of its messages: deploy with -c sluice:consumers=worker, /,
      );
    } finally {
      await busy.stop();
    }
  });
});

describe('sluice work says in one line what stands in the way', () => {
  test.each([
    ['no subscriber', '', /missing required argument 'subscriber'/],
    [
      'an endpoint elsewhere',
      'email --endpoint https://sqs.eu-west-1.amazonaws.com',
      /--endpoint is https:\S+, which is not on this machine: only --profile makes/,
    ],
    [
      'a variable that leads elsewhere',
      'email --env AWS_ENDPOINT_URL=https://sqs.eu-west-1.amazonaws.com',
      /--env AWS_ENDPOINT_URL would lead elsewhere/,
    ],
    ['a concurrency of nothing', 'email --concurrency 0', /whole number from 1 to 1000/],
  ])('%s: code 2', async (_, words, message) => {
    const { code, stdout, stderr } = await start(words, {}).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd()).not.toContain('\n');
  });

  test('a subscriber or a stack that there is not: code 2, and those that there are', async () => {
    const place = `--endpoint ${local.url}`;
    expect(await start(`mail ${place}`).ended).toMatchObject({
      code: 2,
      stderr:
        'sluice: there is no subscriber "mail" in Orders; there are payments, inventory, email, analytics, fraud.\n',
    });
    expect(await start(`email --stack Shop ${place}`).ended).toMatchObject({
      code: 2,
      stderr: 'sluice: the app has no stack "Shop"; there are Orders.\n',
    });
  });

  test('a server that is not there, before anything is synthesized: code 1', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as AddressInfo;
    free.close();
    await once(free, 'close');
    expect(await start(`email --endpoint http://127.0.0.1:${port}`, {}).ended).toMatchObject({
      code: 1,
      stderr: `sluice: nothing answers at http://127.0.0.1:${port}: start the server, or say where it is (--endpoint).\n`,
    });
  });

  test('a server that hangs: the first signal ends it, and nothing is left behind', async () => {
    const asked = new AbortController();
    const hanging = createServer(() => asked.abort()).listen(0, '127.0.0.1');
    await once(hanging, 'listening');
    const running = start(
      `email --endpoint http://127.0.0.1:${(hanging.address() as AddressInfo).port}`,
      withTemporary(),
    );
    await once(asked.signal, 'abort');
    running.child.kill('SIGTERM');
    expect(await running.ended).toMatchObject({
      code: 1,
      stderr: 'sluice: stopped before it was ready.\n',
    });
    expect(leftovers()).toEqual([]);
    hanging.closeAllConnections();
    hanging.close();
  });

  test('a server that speaks of something else: code 1', async () => {
    const page = createServer((_, response) => response.end('<html>It works</html>')).listen(0, '127.0.0.1');
    await once(page, 'listening');
    const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
    expect(await start(`email --endpoint ${url}`).ended).toMatchObject({
      code: 1,
      stderr: `sluice: what answers at ${url} is no CloudFormation: it says nothing of stacks.\n`,
    });
    page.closeAllConnections();
    page.close();
  });

  test('nothing in the stack leads the SDK’s clients elsewhere', async () => {
    const led = join(folder, 'led');
    cpSync(withFunctions.folder, led, { recursive: true });
    const file = join(led, 'Orders.template.json');
    const steered = '$&"AWS_ENDPOINT_URL":"http://127.0.0.1:1","AWS_USE_FIPS_ENDPOINT":"true",';
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/"Variables": ?\{/g, steered));
    await publish(31);
    const running = start(`email --endpoint ${local.url} --env MAIL_SERVER_URL=${mailServer}`, ready(led));
    await printed(running, /done [1-9]/);
    running.child.kill('SIGTERM');
    expect((await running.ended).code).toBe(0);
    expect(sent.get(31)).toBe(1);
  });

  test('a stack that is not deployed, or without the queue: code 1', async () => {
    const empty = await startLocal({ port: 0, empty: true });
    try {
      const { code, stderr } = await start(`email --endpoint ${empty.url}`).ended;
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `sluice: no stack "Orders" is deployed at ${empty.url} in us-east-1. Deploy it first, or say in which region it is (--region).\n`,
      });
    } finally {
      await empty.stop();
    }
    const newer = join(folder, 'newer');
    cpSync(withFunctions.folder, newer, { recursive: true });
    const file = join(newer, 'Orders.template.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/Email(Subscriber|")/g, 'Sms$1'));
    expect(await start(`sms --endpoint ${local.url}`, ready(newer)).ended).toMatchObject({
      code: 1,
      stderr: `sluice: the stack "Orders" at ${local.url} was deployed without the queue of "sms". Deploy the app as it is now.\n`,
    });
  });

  test('several stacks with the subscriber: it asks for one', async () => {
    const twice = join(folder, 'twice');
    cpSync(withFunctions.folder, twice, { recursive: true });
    const file = join(twice, 'manifest.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as { artifacts: Record<string, unknown> };
    manifest.artifacts.Second = manifest.artifacts.Orders;
    writeFileSync(file, JSON.stringify(manifest));
    expect(await start(`email --endpoint ${local.url}`, ready(twice)).ended).toMatchObject({
      code: 2,
      stderr:
        'sluice: several stacks have a subscriber "email": choose with --stack Orders or --stack Second.\n',
    });
  });
});
