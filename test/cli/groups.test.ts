import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { defineMessaging, event, minutes, seconds } from 'sluice';
import { consume, PermanentError, publisher } from 'sluice/lambda';
import { createEndpoint, createHarness, type Endpoint, type Harness } from 'sluice/local';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Setting, startCommand } from './command.ts';

const shop = defineMessaging({
  name: 'shop',
  topics: { orders: { fifo: true } },
  events: {
    placed: event({
      topic: 'orders',
      schema: z.object({ id: z.string(), customer: z.string() }),
      key: (order) => order.id,
      group: (order) => order.customer,
    }),
  },
  subscribers: {
    payments: { on: ['placed'], fifo: true, onDeadLetter: 'halt', handler: 'a.ts', lag: seconds(60) },
  },
});

let folder: string;
let harness: Harness<typeof shop>;
let endpoint: Endpoint;
let table: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
  harness = await createHarness(shop, {
    handlers: {
      payments: (tools) =>
        consume(
          shop,
          'payments',
          () => {
            throw new PermanentError('never');
          },
          tools,
        ),
    },
  });
  const till = publisher(shop, harness.tools);
  for (const customer of ['anna', 'bert']) await till.publish('placed', { id: `o-${customer}`, customer });
  await harness.advance(minutes(1));
  endpoint = await createEndpoint(harness.aws, { port: 0 });
  table = harness.deployed.recordsTable;
});

afterAll(async () => {
  await endpoint.close();
  harness.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (words: string, setting?: Setting) =>
  startCommand(folder, ['groups', ...words.split(' ').filter((word) => word !== '')], setting).ended;
const named = () => `--table ${table} --subscriber payments`;

describe('sluice groups shows which groups wait behind a dead letter, and lets them go', () => {
  test('lists them, as text and as JSON, and lifts one', async () => {
    const listed = await run(`${named()} --endpoint ${endpoint.url}`);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(
      /^PARKED anna: 1 dead letter\n {2}2026-01-01T00:00:\S+ permanent placed:o-anna\nPARKED bert: 1 dead letter\n/,
    );

    const lifted = await run(`${named()} --lift anna`, { env: { AWS_ENDPOINT_URL: endpoint.url } });
    expect(lifted).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^Lifted:\nPARKED anna/),
    });

    const { code, stdout } = await run(`${named()} --json --endpoint ${endpoint.url}`);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      { group: 'bert', state: 'PARKED', letters: 1, first: { id: 'placed:o-bert', reason: 'permanent' } },
    ]);

    const again = await run(`${named()} --lift anna --endpoint ${endpoint.url}`);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toMatch(/^sluice: The group "anna" of "payments" has no marker in .*\n$/);
  });

  test('every page of a long list is there', async () => {
    const filler = 'x'.repeat(300_000);
    for (let index = 0; index < 5; index++)
      await harness.tools.dynamodb.send(
        new UpdateItemCommand({
          TableName: table,
          Key: { pk: { S: `group:many#${index}` } },
          UpdateExpression: 'SET markedBy = :by, since = :since, #group = :group, filler = :filler',
          ExpressionAttributeNames: { '#group': 'group' },
          ExpressionAttributeValues: {
            ':by': { S: 'many' },
            ':since': { N: String(9 - index) },
            ':group': { S: String(index) },
            ':filler': { S: filler },
          },
        }),
      );
    const { stdout } = await run(`--table ${table} --subscriber many --json --endpoint ${endpoint.url}`);
    expect((JSON.parse(stdout) as { group: string }[]).map(({ group }) => group)).toEqual([
      '4',
      '3',
      '2',
      '1',
      '0',
    ]);
  });
});

describe('sluice groups touches no account that was not named', () => {
  const aws = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x', AWS_REGION: 'eu-west-1' };
  const usage: readonly [what: string, words: string, setting: Setting, message: RegExp][] = [
    ['no table', '--subscriber payments', {}, /required option '--table <name>' not specified/],
    [
      'no endpoint, whatever the profile',
      '--table t --subscriber s',
      { env: aws },
      /there is no endpoint: give --endpoint/,
    ],
    [
      'an endpoint elsewhere',
      '--table t --subscriber s --endpoint https://dynamodb.eu-west-1.amazonaws.com',
      {},
      /which is not on this machine/,
    ],
    [
      'a region alone',
      '--table t --subscriber s --region eu-west-1',
      { env: aws },
      /--region and --account belong together/,
    ],
    [
      'an account alone',
      '--table t --subscriber s --account 123456789012',
      { env: aws },
      /--region and --account belong together/,
    ],
    [
      'a wrong account',
      '--table t --subscriber s --region eu-west-1 --account prod',
      { env: aws },
      /--account is "prod"; it must be 12 digits/,
    ],
    [
      'a wrong region',
      '--table t --subscriber s --region europe --account 123456789012',
      { env: aws },
      /--region is "europe"/,
    ],
    [
      'both',
      '--table t --subscriber s --region eu-west-1 --account 123456789012',
      { env: { ...aws, AWS_ENDPOINT_URL_STS: 'http://127.0.0.1:9' } },
      /AWS_ENDPOINT_URL_STS leads elsewhere than --account/,
    ],
  ];
  test.each(usage)('usage: %s', async (_, words, setting, message) => {
    const { code, stdout, stderr } = await run(words, setting);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  /** The clients of AWS as they answer there; every call to a table is printed. */
  const inAccount = (account: string): Setting => {
    const [sts, dynamodb] = ['@aws-sdk/client-sts', '@aws-sdk/client-dynamodb'].map((name) =>
      JSON.stringify(import.meta.resolve(name)),
    );
    const code = `import { STSClient } from ${sts}; import { DynamoDBClient } from ${dynamodb};
      STSClient.prototype.send = async () => ({ Account: '${account}' });
      DynamoDBClient.prototype.send = async ({ input }) => {
        process.stderr.write('sent to ' + input.TableName);
        return { Items: [] };
      };`;
    return { env: aws, node: ['--import', `data:text/javascript,${encodeURIComponent(code)}`] };
  };

  test('credentials of another account: nothing is sent to a table', async () => {
    const words = '--table t --subscriber s --region eu-west-1 --account 123456789012';
    expect(await run(words, inAccount('999999999999'))).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'sluice: the credentials belong to account 999999999999, not to 123456789012: nothing was sent.\n',
    });
    expect(await run(words, inAccount('123456789012'))).toMatchObject({
      code: 0,
      stdout: 'No group has a marker.\n',
      stderr: 'sent to t',
    });
  });

  const failures: readonly [what: string, words: () => string, setting: Setting, message: RegExp][] = [
    [
      'an endpoint elsewhere in the environment',
      () => '--table t --subscriber s',
      { env: { AWS_ENDPOINT_URL: 'https://dynamodb.eu-west-1.amazonaws.com' } },
      /AWS_ENDPOINT_URL is https:\/\/dynamodb\.eu-west-1\.amazonaws\.com, which is not on this machine/,
    ],
    [
      'no such table',
      () => `--table nowhere --subscriber s --endpoint ${endpoint.url}`,
      {},
      /there is no table of records "nowhere"/,
    ],
    [
      'nobody at the endpoint',
      () => '--table t --subscriber s --endpoint http://127.0.0.1:9',
      {},
      /the groups of "s" could not be reached: .*ECONNREFUSED/,
    ],
  ];
  test.each(failures)('failure: %s', async (_, words, setting, message) => {
    const { code, stdout, stderr } = await run(words(), setting);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
