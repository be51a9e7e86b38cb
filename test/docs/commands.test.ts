import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { defineMessaging, event, seconds } from 'sluice';
import { consume, publisher } from 'sluice/lambda';
import { createHarness } from 'sluice/local';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { register as registerGroups } from '../../bin/verbs/groups.ts';
import { register as registerLocal } from '../../bin/verbs/local.ts';
import { register as registerSimulate } from '../../bin/verbs/simulate.ts';
import { register as registerStart } from '../../bin/verbs/start.ts';
import { register as registerWork } from '../../bin/verbs/work.ts';
import { localStackVersion } from '../servers/localstack.ts';
import { clientFor, readAwsCommand, words } from './aws-command.ts';
import { commands, root } from './support.ts';

/** How a command of the documentation is exercised. */
type How =
  /** `.ci/run` runs it as it stands. */
  | { readonly by: 'ci' }
  /** The test of that file runs it with shorter arguments; its flags are checked here. */
  | { readonly by: 'test'; readonly file: string }
  /** It is run here: with these words behind it, where a run as it stands would take long or hold a port. */
  | { readonly by: 'run'; readonly more?: readonly string[] }
  /** Run against the endpoint that is started here. */
  | { readonly by: 'endpoint' }
  /** Run against the model in the test of the runbook below. */
  | { readonly by: 'runbook' }
  /** The job of that name runs it, or does what it does, on the server (test/jobs); its words are checked here. */
  | { readonly by: 'job' }
  /** It needs Docker: the file that it starts from is checked here. */
  | { readonly by: 'compose' }
  /** It needs an AWS account: what it names must exist, and a shell must be able to read it. */
  | { readonly by: 'account' };

const simulated: How = { by: 'test', file: 'test/simulation/verb.test.ts' };

/** The stock command of the CDK, at the endpoint. */
const cdk: How = { by: 'test', file: 'test/cdk/shop.test.ts' };
const publishing =
  commands.find(({ page, command }) => page === 'docs/localstack.md' && command.includes(' sns publish '))
    ?.command ?? 'a command of docs/localstack.md that publishes';

const rows: Readonly<Record<string, How>> = {
  'npm ci': { by: 'ci' },
  'npm test': { by: 'ci' },
  'npx cdk synth': { by: 'ci' },
  'npm start': { by: 'test', file: 'test/orders/run.test.ts' },
  'npm start -- --orders 5000 --seconds 12 --exit --report r.json': {
    by: 'test',
    file: 'test/orders/run.test.ts',
  },
  'npx sluice local --port 4566': { by: 'test', file: 'test/cli/sluice.test.ts' },
  'npx sluice local --empty --port 4566': { by: 'test', file: 'test/cdk/support.ts' },
  'npx cdk bootstrap': cdk,
  'npx cdk deploy --require-approval never': cdk,
  'npx cdk diff': cdk,
  'npx cdk deploy --hotswap --require-approval never': cdk,
  'npx cdk watch': cdk,
  'npx cdk destroy --force': cdk,
  'npx sluice local --empty --port 4599': { by: 'run', more: ['--port', '0'] },
  'npx sluice local --stack Orders --parameter MailServerUrl=http://127.0.0.1:8025 --logs': {
    by: 'test',
    file: 'test/cli/sluice.test.ts',
  },
  'npx sluice simulate --seeds 1000': simulated,
  'npx sluice simulate --seeds 2000 --json': simulated,
  'npm run simulate': simulated,
  'npx sluice simulate --faults list': simulated,
  'npx sluice simulate --seeds 500 --faults freeze,skew,crash-after': simulated,
  'npx sluice simulate --example orders --seeds 200 --hours 1': simulated,
  'npx sluice simulate --seed 17': simulated,
  'npx sluice simulate --break list': simulated,
  'npx sluice simulate --break noFence --json': simulated,
  'npx sluice groups --table orders-records --subscriber payments --region eu-west-1 --account 123456789012':
    {
      by: 'test',
      file: 'test/cli/groups.test.ts',
    },
  'npx sluice groups --table orders-records --subscriber payments --lift customer-17 --region eu-west-1 --account 123456789012':
    { by: 'test', file: 'test/cli/groups.test.ts' },
  'npx sluice work email --endpoint http://127.0.0.1:4566': { by: 'test', file: 'test/worker/cli.test.ts' },
  'npx sluice work payments --profile staging --region eu-west-1 --concurrency 1 --env PAYMENT_PROVIDER_URL=http://127.0.0.1:8080':
    { by: 'test', file: 'test/worker/place.test.ts' },
  'npx cdk synth -c sluice:consumers=worker -c sluice:alarms=plain': {
    by: 'test',
    file: 'test/constructs/switches.test.ts',
  },
  'npm pack': { by: 'run', more: ['--dry-run', '--ignore-scripts', '--silent'] },
  'export AWS_ENDPOINT_URL=http://127.0.0.1:4566 AWS_REGION=us-east-1 AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test':
    { by: 'endpoint' },
  'aws --endpoint-url http://127.0.0.1:4566 --region us-east-1 sqs create-queue --queue-name orders.fifo --attributes FifoQueue=true':
    { by: 'endpoint' },
  'aws --endpoint-url http://127.0.0.1:4566 --region us-east-1 sns list-topics': { by: 'endpoint' },
  'aws --endpoint-url http://127.0.0.1:4566 --region us-east-1 dynamodb list-tables': { by: 'endpoint' },
  'aws --endpoint-url http://127.0.0.1:4566 --region us-east-1 cloudwatch describe-alarms --state-value ALARM':
    { by: 'endpoint' },
  'aws --endpoint-url http://127.0.0.1:4566 --region us-east-1 cloudformation describe-stacks': {
    by: 'endpoint',
  },
  'curl http://127.0.0.1:4566/_sluice/health': { by: 'endpoint' },
  'aws sqs receive-message --queue-url "$DEAD_LETTER_QUEUE_URL" --message-attribute-names All --attribute-names All --max-number-of-messages 10 --visibility-timeout 30':
    { by: 'runbook' },
  'aws sqs start-message-move-task --source-arn "$DEAD_LETTER_QUEUE_ARN" --destination-arn "$QUEUE_ARN"': {
    by: 'runbook',
  },
  'aws cloudwatch put-metric-data --namespace sluice --metric-name replaying --dimensions subscriber=payments --value 1':
    { by: 'test', file: 'test/monitoring/runbook.test.ts' },
  'npm run peers': { by: 'test', file: 'test/peers/peers.test.ts' },
  'npm run peers -- --seeds 50': { by: 'test', file: 'test/peers/peers.test.ts' },
  'npx tsx test/peers/replay.ts --peer sqs-consumer --seed 1': {
    by: 'test',
    file: 'test/peers/peers.test.ts',
  },
  'npx cdk deploy Orders --parameters PaymentProviderUrl=https://payments.example.com': { by: 'account' },
  'npx cdk deploy Orders -c sluice:stage=dev': { by: 'test', file: 'test/cdk/orders.test.ts' },
  'npx cdk destroy Orders': { by: 'test', file: 'test/cdk/orders.test.ts' },
  'aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name Orders': {
    by: 'test',
    file: 'test/cdk/protection.test.ts',
  },
  'npx tsx test/constructs/stack/write-golden.ts': {
    by: 'test',
    file: 'test/constructs/stack/golden.test.ts',
  },
  'docker compose up --detach': { by: 'compose' },
  'npm run server -- localstack': { by: 'test', file: 'test/servers/servers.test.ts' },
  'npm run server -- ministack': { by: 'test', file: 'test/servers/servers.test.ts' },
  'npx cdk deploy Orders --require-approval never -c sluice:stage=dev -c sluice:consumers=worker': {
    by: 'job',
  },
  'npx cdk destroy Orders --force': { by: 'job' },
  'npx sluice work inventory': { by: 'job' },
  [publishing]: { by: 'job' },
  'aws --endpoint-url http://127.0.0.1:4566 --region us-east-1 dynamodb scan --table-name "$STOCK_TABLE"': {
    by: 'job',
  },
  'aws --endpoint-url http://127.0.0.1:4566 --region us-east-1 sqs get-queue-attributes --queue-url "$QUEUE_URL" --attribute-names All':
    { by: 'job' },
  'npm run test:localstack': { by: 'ci' },
  'npm run test:localstack -- --docker': { by: 'test', file: 'test/servers/servers.test.ts' },
  'npm run test:ministack': { by: 'ci' },
  'npm run conformance -- --server model': { by: 'test', file: 'test/conformance/command.test.ts' },
  'npm run conformance -- --server ministack': { by: 'test', file: 'test/conformance/command.test.ts' },
  'npm run conformance -- --server localstack --only lambda': {
    by: 'test',
    file: 'test/conformance/command.test.ts',
  },
  'npm run --silent conformance -- --server moto --json': {
    by: 'test',
    file: 'test/conformance/command.test.ts',
  },
  'npm run conformance -- --server fauxqs --endpoint http://127.0.0.1:4566': {
    by: 'test',
    file: 'test/conformance/command.test.ts',
  },
  'npm run conformance -- --all --record': { by: 'test', file: 'test/conformance/command.test.ts' },
  'npm run conformance -- --compare ministack --runs 200': {
    by: 'test',
    file: 'test/conformance/command.test.ts',
  },
};

const shown = (how: How['by']): string[] => [
  ...new Set(commands.filter(({ command }) => rows[command]?.by === how).map(({ command }) => command)),
];

/** The words behind `sluice` of a command, whichever way it is called; `undefined` when it is another's. */
function sluiceWords(command: string): string[] | undefined {
  if (!/^(npx sluice|npm start)\b/.test(command)) return undefined;
  const said = words(command);
  return said[0] === 'npx' ? said.slice(2) : ['start', ...said.slice(2).filter((word) => word !== '--')];
}

describe('every command in the documentation is exercised', () => {
  it('each has a row that says how, and each row is in the documentation', () => {
    expect(
      commands.filter(({ command }) => !Object.hasOwn(rows, command)),
      'commands without a row',
    ).toEqual([]);
    const all = new Set(commands.map(({ command }) => command));
    expect(
      Object.keys(rows).filter((command) => !all.has(command)),
      'rows without a command',
    ).toEqual([]);
  });

  it.each(shown('ci'))('%s: run by .ci/run', (command) => {
    expect(readFileSync(join(root, '.ci', 'run'), 'utf8')).toMatch(new RegExp(`^[^#\n']*${command}\\b`, 'm'));
  });

  it.each(Object.keys(rows).filter((command) => sluiceWords(command) !== undefined))(
    '%s: the flags are known and their values allowed',
    async (command) => {
      const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
      registerStart(program);
      registerLocal(program);
      registerSimulate(program);
      registerGroups(program);
      registerWork(program);
      let accepted: string | undefined;
      for (const verb of program.commands)
        verb
          .exitOverride()
          .configureOutput({ writeErr: () => {} })
          .action(() => {
            accepted = verb.name();
          });
      const said = sluiceWords(command) as string[];
      await program.parseAsync(said, { from: 'user' });
      expect(accepted).toBe(said[0]);
    },
  );

  it('npm start and npx sluice are one command', () => {
    const { scripts, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
      bin: Record<string, string>;
    };
    // Flags of Node itself may stand between.
    expect(scripts.start?.replaceAll(/ --\S+/g, '')).toBe(`node ${bin.sluice} start`);
  });

  it.each(shown('test'))('%s: its file is there', (command) => {
    const how = rows[command] as Extract<How, { by: 'test' }>;
    expect(existsSync(join(root, how.file))).toBe(true);
  });

  it.each(shown('account'))(
    '%s: needs an AWS account; what it names exists, and a shell can read it',
    async (command) => {
      const [, , , stack, , parameter] = words(command);
      const app = readFileSync(join(root, 'bin', 'app.ts'), 'utf8');
      expect(app).toContain(`'${stack}'`);
      if (parameter !== undefined)
        expect(readFileSync(join(root, 'examples', 'orders', 'stack.ts'), 'utf8')).toContain(
          `'${parameter.split('=')[0]}'`,
        );
      expect(await run('bash', ['-n', '-c', command])).toMatchObject({ code: 0 });
    },
  );

  it.each(shown('job'))('%s: the jobs on other servers run it, or the same', (command) => {
    const said = words(command, { TOPIC_ARN: 'arn', STOCK_TABLE: 'stock', QUEUE_URL: 'url' });
    if (said[0] === 'aws')
      return expect(
        readAwsCommand(command, { TOPIC_ARN: 'arn', STOCK_TABLE: 'stock', QUEUE_URL: 'url' }),
      ).toMatchObject({
        endpoint: 'http://127.0.0.1:4566',
        region: 'us-east-1',
      });
    const jobs = ['cdk.ts', 'localstack.ts', 'main.ts', 'workers.ts']
      .map((file) => readFileSync(join(root, 'test', 'jobs', file), 'utf8'))
      .join('');
    // The flags and the verb, as the job hands them on.
    for (const word of said.slice(2).filter((each) => !['Orders', 'inventory'].includes(each)))
      expect(jobs).toContain(`'${word}'`);
  });

  it.each(shown('compose'))('%s: the same server as without Docker, on this machine alone', (command) => {
    expect(command).toBe('docker compose up --detach');
    const { services } = parse(readFileSync(join(root, 'compose.yaml'), 'utf8')) as {
      services: { localstack: { image: string; ports: string[] } };
    };
    expect(services.localstack).toMatchObject({
      image: `localstack/localstack:${localStackVersion}`,
      ports: ['127.0.0.1:4566:4566'],
    });
  });

  it('npm pack: makes a package with the doors in it', { timeout: 60_000 }, async () => {
    const how = rows['npm pack'] as Extract<How, { by: 'run' }>;
    const { code, stdout } = await run('npm', ['pack', ...(how.more ?? [])]);
    expect({ code, stdout: stdout.trim() }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^sluice-.*\.tgz$/),
    });
  });
});

describe('the commands of docs/local.md work at the endpoint', () => {
  let child: ChildProcess;
  let printed = '';
  let url = '';

  beforeAll(async () => {
    const command = 'npx sluice local --empty --port 4599';
    const { more = [] } = rows[command] as Extract<How, { by: 'run' }>;
    child = spawn(
      process.execPath,
      ['bin/sluice.mjs', ...(sluiceWords(command) as string[]).slice(0, -2), ...more],
      {
        cwd: root,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    while (!printed.includes('Ctrl-C')) await once(child.stdout as NodeJS.ReadableStream, 'data');
    url = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? '';
  }, 60_000);

  afterAll(async () => {
    const ended = once(child, 'close');
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  });

  const here = (command: string) => command.replaceAll('http://127.0.0.1:4566', url);

  it.each(shown('endpoint').filter((command) => command.startsWith('aws ')))('%s', async (command) => {
    const call = readAwsCommand(here(command));
    expect(call).toMatchObject({ endpoint: url, region: 'us-east-1' });
    const client = clientFor(call, url);
    const { $metadata } = (await client.send(call.command)) as { $metadata: { httpStatusCode: number } };
    client.destroy();
    expect($metadata.httpStatusCode).toBe(200);
  });

  it.each(shown('endpoint').filter((command) => command.startsWith('curl ')))('%s', async (command) => {
    const answer = await fetch(here(command).slice('curl '.length));
    expect(await answer.json()).toMatchObject({ status: 'running' });
  });

  it.each(shown('endpoint').filter((command) => command.startsWith('export ')))(
    '%s: what the command itself prints',
    (command) => {
      expect(printed).toContain(here(command));
    },
  );
});

describe('the commands of docs/watch.md look at dead letters and put them back', () => {
  it('a dead letter is shown with its reason, redriven, and handled', async () => {
    const shop = defineMessaging({
      name: 'shop',
      topics: { orders: { fifo: true } },
      events: {
        'order.placed': event({ topic: 'orders', schema: v.object({ id: v.string() }), key: ({ id }) => id }),
      },
      subscribers: {
        payments: { on: ['order.placed'], fifo: true, handler: 'payments.ts', lag: seconds(60), attempts: 2 },
      },
    });
    let broken = true;
    const charged: string[] = [];
    const harness = await createHarness(shop, {
      handlers: {
        payments: (tools) =>
          consume(
            shop,
            'payments',
            ({ data }) => {
              if (broken) throw new Error('the provider is down');
              charged.push(data.id);
            },
            tools,
          ),
      },
    });
    await publisher(shop, harness.tools).publish('order.placed', { id: 'o-1' });
    await harness.drain();
    const { queue, deadLetterQueue } = harness.deployed.subscribers.payments!;
    const variables = {
      DEAD_LETTER_QUEUE_URL: deadLetterQueue.url,
      DEAD_LETTER_QUEUE_ARN: deadLetterQueue.arn,
      QUEUE_ARN: queue.arn,
    };
    const [receive, redrive] = shown('runbook').map((command) => readAwsCommand(command, variables));

    const { Messages = [] } = (await harness.aws.call('sqs', receive!.action, receive!.input)) as {
      Messages?: { MessageAttributes?: Record<string, { StringValue?: string }> }[];
    };
    expect(Messages.map((message) => message.MessageAttributes?.['sluice-reason']?.StringValue)).toEqual([
      'attempts',
    ]);
    broken = false;
    await harness.advance(seconds(30));
    await harness.aws.call('sqs', redrive!.action, redrive!.input);
    await harness.advance(seconds(5));
    await harness.drain();

    expect(charged).toEqual(['o-1']);
    expect(await harness.deadLetters('payments')).toEqual([]);
    harness.stop();
  });
});

function run(program: string, said: readonly string[]): Promise<{ code: unknown; stdout: string }> {
  return new Promise((resolve) =>
    execFile(program, said, { cwd: root }, (error, stdout) => resolve({ code: error?.code ?? 0, stdout })),
  );
}
