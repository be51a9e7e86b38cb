import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CfnOutput } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it, test } from 'vitest';
import { subscriberAlarms } from '../../lib/constructs/index.ts';
import { alarmsWanted } from '../../lib/constructs/watched.ts';
import { shop, shopStack } from './fixtures/shop.ts';

interface Json {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties: Readonly<Record<string, unknown>> }>
  >;
  readonly Parameters?: object;
  readonly Outputs?: object;
}

const templateOf = (stack: Parameters<typeof Template.fromStack>[0]) =>
  Template.fromStack(stack).toJSON() as Json;

const typesOf = ({ Resources }: Json) => new Set(Object.values(Resources).map(({ Type }) => Type));

/** Every logical id that something refers to, in any way that a template has. */
function referredTo(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const entry of value) referredTo(entry, found);
  else if (typeof value === 'object' && value !== null)
    for (const [key, entry] of Object.entries(value)) {
      if (key === 'Ref') found.add(String(entry));
      else if (key === 'Fn::GetAtt') found.add(String((entry as string[])[0]));
      else if (key === 'DependsOn') for (const id of [entry].flat()) found.add(String(id));
      else referredTo(entry, found);
    }
  return found;
}

/** What is referred to and is not there. */
const dangling = (template: Json): string[] =>
  [...referredTo(template)].filter(
    (id) =>
      !id.startsWith('AWS::') &&
      !Object.hasOwn(template.Resources, id) &&
      !Object.hasOwn(template.Parameters ?? {}, id),
  );

const inContext = (context: object) =>
  shopStack({}, { context: { 'aws:cdk:bundling-stacks': [], ...context } });

describe('A stack whose consumers are workers', () => {
  test('has everything but functions, event sources, roles and logs, and nothing that refers to them', () => {
    const full = templateOf(shopStack().stack);
    const template = templateOf(shopStack({ consumers: 'worker' }).stack);
    const gone = [...typesOf(full)].filter((type) => !typesOf(template).has(type));
    expect(gone.sort()).toEqual([
      'AWS::IAM::Policy',
      'AWS::IAM::Role',
      'AWS::Lambda::EventSourceMapping',
      'AWS::Lambda::Function',
      'AWS::Logs::LogGroup',
    ]);
    expect(dangling(template)).toEqual([]);
    expect(JSON.stringify(template)).not.toContain('AWS/Lambda');
    // What stays is what it was, under the same ids: a deployed stack can change its mind.
    for (const [id, resource] of Object.entries(template.Resources))
      if (resource.Type !== 'AWS::CloudWatch::Dashboard')
        expect([id, resource]).toEqual([id, full.Resources[id]]);
    expect(template.Outputs).toEqual(full.Outputs);
  });

  test('makes no asset, and bundles nothing', () => {
    const { app, stack } = shopStack({ consumers: 'worker' }, { context: {} });
    const { manifest } = app.synth();
    const file = Object.keys(manifest.artifacts ?? {}).find((id) => id === `${stack.artifactId}.assets`);
    expect(file).toBeDefined();
    const assets = JSON.parse(readFileSync(join(app.outdir, `${file}.json`), 'utf8')) as { files: object };
    expect(Object.keys(assets.files)).toHaveLength(1);
  });

  test('still lets code grant to its functions and set their variables', () => {
    const { stack } = shopStack({ consumers: 'worker' });
    const stock = new Table(stack, 'Stock', { partitionKey: { name: 'pk', type: AttributeType.STRING } });
    const key = new Key(stack, 'Key');
    const { function: consumer } = stack.subscriber('payments');
    stock.grantReadWriteData(consumer);
    key.grantDecrypt(consumer);
    stack.grantPublish(consumer);
    consumer.addEnvironment('STOCK_TABLE', stock.tableName);
    const template = templateOf(stack);
    expect(dangling(template)).toEqual([]);
    expect(typesOf(template)).not.toContain('AWS::IAM::Policy');
  });

  test('refuses, at synthesis, what would refer to a function that is not there', () => {
    const { stack } = shopStack({ consumers: 'worker' });
    new CfnOutput(stack, 'Function', { value: stack.subscriber('payments').function.functionArn });
    expect(() => templateOf(stack)).toThrow(
      /The function of Shop\/PaymentsSubscriber\/Consumer is not in this stack, since its consumers are workers/,
    );
    const other = shopStack({ consumers: 'worker' }).stack;
    new Table(other, 'T', { partitionKey: { name: 'pk', type: AttributeType.STRING } }).node.addDependency(
      other.subscriber('payments').function,
    );
    expect(() => templateOf(other)).toThrow(
      /The function of Shop\/PaymentsSubscriber\/Consumer is not in this stack/,
    );
  });

  test('gives a container what the function would have: its permissions and its variables', () => {
    const ofFunctions = shopStack({ environment: { STAGE: 'test' } }).stack;
    const full = templateOf(ofFunctions);
    const { stack } = shopStack({ consumers: 'worker', environment: { STAGE: 'test' } });
    const role = new Role(stack, 'TaskRole', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
    stack.subscriber('payments').grantWork(role);
    const statements = (template: Json, id: RegExp) =>
      Object.entries(template.Resources)
        .filter(([name, { Type }]) => Type === 'AWS::IAM::Policy' && id.test(name))
        .flatMap(
          ([, { Properties }]) =>
            (Properties.PolicyDocument as { Statement: { Action: string | string[] }[] }).Statement,
        )
        .filter(({ Action }) => !JSON.stringify(Action).includes('logs:'));
    expect(statements(templateOf(stack), /^TaskRole/)).toEqual(
      statements(full, /^PaymentsSubscriberConsumerRole/),
    );
    const variables = Object.entries(full.Resources).find(
      ([id, { Type }]) => Type === 'AWS::Lambda::Function' && id.startsWith('PaymentsSubscriber'),
    )![1].Properties.Environment as { Variables: object };
    expect(stack.resolve(stack.subscriber('payments').workerEnvironment)).toEqual(variables.Variables);
  });
});

describe('A stack has the alarms that it is told to have', () => {
  const alarmsOf = (template: Json) =>
    Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm');
  test('plain: those on one metric as it is', () => {
    const full = alarmsOf(templateOf(shopStack().stack));
    const plain = alarmsOf(templateOf(shopStack({ alarms: 'plain' }).stack));
    expect(plain.every(({ Properties }) => Properties.Metrics === undefined)).toBe(true);
    expect(plain).toEqual(full.filter(({ Properties }) => Properties.Metrics === undefined));
    expect(plain.length).toBeGreaterThan(5);
    expect(plain.length).toBeLessThan(full.length);
  });
  test('plain: one metric inside an expression is not one as it is', () => {
    const [lag] = subscriberAlarms(shop.subscribers.payments).filter((alarm) => alarm.kind === 'metric');
    const filled = { ...lag!, expression: `FILL(${lag!.expression}, 0)` };
    expect(alarmsWanted([lag!, filled], 'plain', 'lambda')).toEqual([lag]);
    expect(alarmsWanted([lag!, filled], 'all', 'lambda')).toHaveLength(2);
  });
  test('none: none, and the dashboard shows none', () => {
    const { stack } = shopStack({ alarms: 'none' });
    const template = templateOf(stack);
    expect(alarmsOf(template)).toEqual([]);
    expect(stack.alarms.size).toBe(0);
    expect(JSON.stringify(template)).not.toContain('"type":"alarm"');
    expect(dangling(template)).toEqual([]);
  });
});

describe('Switches', () => {
  it('of the context win over props: they are said for one synthesis', () => {
    const app = {
      context: { 'aws:cdk:bundling-stacks': [], 'sluice:consumers': 'lambda', 'sluice:alarms': 'all' },
    };
    const { stack } = shopStack({ consumers: 'worker', alarms: 'none' }, app);
    expect(stack.consumers).toBe('lambda');
    expect(stack.alarms.size).toBeGreaterThan(5);
    expect(inContext({ 'sluice:consumers': 'worker' }).stack.consumers).toBe('worker');
  });

  it.each([
    [
      'consumers',
      { 'sluice:consumers': 'fargate' },
      'The context "sluice:consumers" is "fargate"; allowed are "lambda", "worker".',
    ],
    [
      'alarms',
      { 'sluice:alarms': true },
      'The context "sluice:alarms" is true; allowed are "all", "plain", "none".',
    ],
  ])('%s with a value that is not allowed are refused', (_, context, message) => {
    expect(() => inContext(context)).toThrow(message);
  });

  it('left alone, leave all as it is', () => {
    expect(shopStack().stack.consumers).toBe('lambda');
  });

  it('of props too', () => {
    expect(() => shopStack({ consumers: 'nobody' as 'worker' })).toThrow(
      'The prop "consumers" is "nobody"; allowed are "lambda", "worker".',
    );
  });
});

describe('npx cdk synth -c sluice:consumers=worker -c sluice:alarms=plain', () => {
  test('makes of the orders app a template that a server without Lambda and metric math takes', async () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const folder = mkdtempSync(join(tmpdir(), 'sluice-synth-'));
    try {
      const switches = ['-c', 'sluice:consumers=worker', '-c', 'sluice:alarms=plain'];
      await promisify(execFile)(
        process.execPath,
        [join(root, 'node_modules/aws-cdk/bin/cdk'), 'synth', '--quiet', '--output', folder, ...switches],
        {
          cwd: root,
          env: {
            PATH: process.env.PATH,
            CDK_HOME: folder,
            HOME: folder,
            CDK_VALIDATION: 'false',
            AWS_EC2_METADATA_DISABLED: 'true',
          },
        },
      );
      const template = JSON.parse(readFileSync(join(folder, 'Orders.template.json'), 'utf8')) as Json;
      expect([...typesOf(template)].sort()).toEqual([
        'AWS::CDK::Metadata',
        'AWS::CloudWatch::Alarm',
        'AWS::CloudWatch::Dashboard',
        'AWS::DynamoDB::Table',
        'AWS::SNS::Subscription',
        'AWS::SNS::Topic',
        'AWS::SNS::TopicPolicy',
        'AWS::SQS::Queue',
        'AWS::SQS::QueuePolicy',
      ]);
      expect(dangling(template)).toEqual([]);
      const expressions = Object.values(template.Resources).filter(
        ({ Type, Properties }) => Type === 'AWS::CloudWatch::Alarm' && Properties.Metrics !== undefined,
      );
      expect(expressions).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
