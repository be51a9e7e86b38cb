import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { buildSync } from 'esbuild';
import { defineMessaging, seconds } from 'sluice';
import {
  AlarmTopic,
  Consumer,
  ConsumerFunction,
  MessagingDashboard,
  MessagingTopic,
  QueueAlarms,
  RecordsTable,
  SubscriberQueue,
} from 'sluice/cdk';
import { describe, expect, it, vi } from 'vitest';
import { shop, shopStack } from './fixtures/shop.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const app = join(root, 'test/constructs/fixtures/mistakes.ts');
const cdk = join(dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json')), 'bin', 'cdk');

/** What a user sees of a command. */
function seen(args: readonly string[]): string {
  const home = mkdtempSync(join(tmpdir(), 'sluice-mistake-'));
  const { stderr, stdout } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      HOME: home,
      CDK_HOME: home,
      CDK_DISABLE_VERSION_CHECK: '1',
    },
  });
  rmSync(home, { recursive: true, force: true });
  return stdout + stderr;
}

const runApp = (mistake: string) => seen(['--import', 'tsx', app, mistake]);

const traceOf = (output: string): string[] => output.split('\n').filter((line) => /^\s+at /.test(line));

/** The user's line first, as Node shows it; the message once; and a trace of nothing but the user's lines. */
function expectClear(output: string, message: string): void {
  expect(output.split('\n').find((line) => line !== '')).toMatch(/mistakes\.ts:\d+$/);
  expect(output.split(message)).toHaveLength(2);
  const trace = traceOf(output);
  expect(trace.length).toBeGreaterThan(0);
  for (const line of trace) expect(line).toContain('mistakes.ts');
  expect(output).not.toMatch(/faults: \[|lib\/constructs|lib\/topology|node_modules|node:internal/);
}

vi.setConfig({ testTimeout: 120_000 });

describe('A mistake is one clear message at the line that made it', () => {
  it('the props of a stack', () =>
    expectClear(runApp('props'), 'The props of the stack "Shop" have 3 faults'));

  it('the props of a consumer', () =>
    expectClear(runApp('consumer'), 'Alone/Consumer has neither "entry" nor "function"'));

  it('a declaration', () => expectClear(runApp('declaration'), 'The declaration "none" has'));

  it('a declaration in a bundle of CommonJS, which does not know where it is', () => {
    const contents = `require('sluice').defineMessaging({ name: 'none', topics: { 'no name': {} }, events: {}, subscribers: {} });`;
    const { outputFiles } = buildSync({
      ...{ stdin: { contents, resolveDir: root }, bundle: true, write: false },
      ...{ platform: 'node', format: 'cjs', logLevel: 'error' },
      alias: { sluice: join(root, 'lib/topology/index.ts') },
    });
    expect(seen(['-e', outputFiles[0]?.text ?? ''])).toMatch(
      /^DeclarationError: The declaration "none" has/m,
    );
  });

  it('through the CDK command, as it is', () => {
    const command = `node --import tsx ${app} context`;
    const output = seen([cdk, 'synth', '--app', command, '-c', 'sluice:stage=foo', '--no-notices', '-q']);
    expect(output.split('The context "sluice:stage" is "foo"')).toHaveLength(2);
    expect(output).not.toContain('lib/constructs');
    for (const line of traceOf(output)) expect(line).toContain('mistakes.ts');
  });
});

const traced = (mistake: () => unknown): { name: string; trace: string[] } => {
  try {
    mistake();
  } catch (error) {
    const { name, stack = '' } = error as Error;
    return { name, trace: traceOf(stack) };
  }
  throw new Error('That was no mistake.');
};

const scope = () => new Stack(new App(), 'Alone');
const imported = (stack: Stack) => Topic.fromTopicArn(stack, 'T', 'arn:aws:sns:eu-west-1:123456789012:t');

const mistakes: Readonly<Record<string, () => unknown>> = {
  'the name of a table': () => new RecordsTable(scope(), 'Records', { tableName: 'a' }),
  'an address for alarms': () => new AlarmTopic(scope(), 'Alarms', { emails: ['nobody'] }),
  'the kind of a queue': () => {
    const stack = scope();
    return new SubscriberQueue(stack, 'Queue', { topic: imported(stack), fifo: true });
  },
  'a topic beside a name': () => {
    const stack = scope();
    return new MessagingTopic(stack, 'Topic', { topic: imported(stack), topicName: 'other' });
  },
  'a consumer of two kinds': () => {
    const stack = scope();
    const queue = new Queue(stack, 'Queue');
    const records = new RecordsTable(stack, 'Records');
    const fn = LambdaFunction.fromFunctionName(stack, 'Fn', 'fn');
    const props = { queue, deadLetterQueue: queue, records, entry: '/a.ts', function: fn };
    return new ConsumerFunction(stack, 'Consumer', props);
  },
  'a function for two subscribers': () => {
    const fn = LambdaFunction.fromFunctionName(scope(), 'Fn', 'fn');
    const consumer = Consumer.fromFunction(fn);
    return shopStack({ subscribers: { payments: { consumer }, analytics: { consumer } } });
  },
  'an alarm that CloudWatch refuses': () => {
    const stack = scope();
    const lag = { toSeconds: () => Number.NaN } as never;
    return new QueueAlarms(stack, 'Alarms', { queue: new Queue(stack, 'Queue'), lag });
  },
  'the name of a dashboard': () =>
    new MessagingDashboard(scope(), 'Watch', {
      dashboardName: 'a b',
      rows: [],
      recordsTable: 'records',
      alarms: [],
      physicalName: () => 'name',
    }),
  'a topic that nobody declared': () => shopStack().stack.topic('none'),
  'a subscriber that nobody declared': () => shopStack().stack.subscriber('none' as never),
  'a grant on a topic that nobody declared': () => shopStack().stack.publisherEnvironment('none'),
  'a switch as a prop': () => shopStack({ stage: 'test' as never }),
  'a declaration': () => defineMessaging({ ...shop, name: '', lag: seconds(1) } as never),
};

describe('The trace of a mistake begins at the line that made it', () => {
  it.each(Object.entries(mistakes))('%s', (_, mistake) => {
    const { name, trace } = traced(mistake);
    expect(name).toMatch(/^(Construct|Stack|Alarm|Declaration)Error$/);
    expect(trace[0]).toMatch(/test\/constructs\/(user-errors\.test|fixtures\/shop)\.ts/);
  });
});
