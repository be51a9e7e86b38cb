import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CloudFormationClient,
  DeleteStackCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
  ListExportsCommand,
  ListStackResourcesCommand,
} from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { IAMClient, ListRolesCommand } from '@aws-sdk/client-iam';
import { InvokeCommand, LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { GetBucketEncryptionCommand, ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { ListTopicsCommand, PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand, ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { Duration } from 'aws-cdk-lib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ShopOptions, shop } from './apps/shop.ts';
import { createWorld, root, slowest, stackTrace, type World } from './support.ts';

let world: World;
let cloudformation: CloudFormationClient;
let sqs: SQSClient;
let ssm: SSMClient;
let lambda: LambdaClient;

beforeAll(async () => {
  world = await createWorld();
  cloudformation = new CloudFormationClient(world.settings);
  sqs = new SQSClient(world.settings);
  ssm = new SSMClient(world.settings);
  lambda = new LambdaClient(world.settings);
});

afterAll(() => world.stop());

/** The assembly of a declaration, in a folder of that name. */
function assembly(name: string, options: ShopOptions = {}): string {
  const folder = join(world.folder, name);
  shop(folder, options).synth();
  return folder;
}

async function outputsOf(StackName: string): Promise<Record<string, string>> {
  const { Stacks } = await cloudformation.send(new DescribeStacksCommand({ StackName }));
  return Object.fromEntries(
    (Stacks?.[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
  );
}

async function statusOf(StackName: string): Promise<string | undefined> {
  return (await cloudformation.send(new DescribeStacksCommand({ StackName }))).Stacks?.[0]?.StackStatus;
}

const visibilityOf = async (QueueUrl: string | undefined) =>
  (await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['VisibilityTimeout'] })))
    .Attributes?.VisibilityTimeout;

async function answerOf(FunctionName: string | undefined, event: object): Promise<unknown> {
  const { Payload } = await lambda.send(new InvokeCommand({ FunctionName, Payload: JSON.stringify(event) }));
  return JSON.parse(Buffer.from(Payload ?? []).toString());
}

const changed = { visibility: Duration.seconds(60), parameterName: '/shop/bound', withoutArchive: true };

// Each test goes on from where the one before it ended, as a user does.
vi.setConfig({ testTimeout: slowest });

describe('the stock cdk command works against the endpoint, with its address in the environment alone', () => {
  it('cdk bootstrap makes the account ready, and says so when it is', async () => {
    const first = await world.cdk(['bootstrap', 'aws://000000000000/us-east-1']);
    expect(first.output).toContain('✅  Environment aws://000000000000/us-east-1 bootstrapped.');
    expect(first.code).toBe(0);
    const s3 = new S3Client(world.settings);
    const Bucket = 'cdk-hnb659fds-assets-000000000000-us-east-1';
    expect((await s3.send(new ListBucketsCommand({}))).Buckets?.map(({ Name }) => Name)).toEqual([Bucket]);
    const encryption = await s3.send(new GetBucketEncryptionCommand({ Bucket }));
    expect(encryption.ServerSideEncryptionConfiguration?.Rules).toHaveLength(1);
    const version = await ssm.send(new GetParameterCommand({ Name: '/cdk-bootstrap/hnb659fds/version' }));
    expect(Number(version.Parameter?.Value)).toBeGreaterThan(20);
    const again = await world.cdk(['bootstrap', 'aws://000000000000/us-east-1']);
    expect(again).toMatchObject({ code: 0, output: expect.stringContaining('bootstrapped (no changes).') });
  });

  it('cdk deploy makes both stacks, the second from what the first exports', async () => {
    const app = assembly('first');
    const { code, output } = await world.cdk([
      'deploy',
      '--all',
      '--app',
      app,
      '--require-approval',
      'never',
    ]);
    expect(code, output).toBe(0);
    expect(output).toMatch(/✅ {2}Catalog\n[\s\S]*✅ {2}Readers\n/);
    expect(output).toMatch(/CREATE_COMPLETE +\| AWS::SQS::Queue +\| Queue \(Queue\w+\)/);
    // The deployment's roles are assumed: nothing falls back on the caller's own credentials.
    expect(output).not.toMatch(/could not be used to assume/);
    const { QueueUrl = '', TableName = '', ReaderName, GreeterName } = await outputsOf('Readers');
    expect(output).toContain(`Readers.QueueUrl = ${QueueUrl}`);
    expect(QueueUrl.startsWith(world.url)).toBe(true);
    expect(await visibilityOf(QueueUrl)).toBe('30');
    expect(await answerOf(ReaderName, {})).toEqual({ version: 1, limit: '5', table: TableName });
    expect(await answerOf(GreeterName, { name: 'you' })).toBe('hello you');
    const { Exports = [] } = await cloudformation.send(new ListExportsCommand({}));
    expect(Exports.map(({ Name }) => Name)).toContainEqual(
      expect.stringContaining('Catalog:ExportsOutputRefPrices'),
    );
  });

  it('what is published reaches the function through topic, subscription and queue', async () => {
    const { TopicArn } = await outputsOf('Catalog');
    const { QueueUrl = '' } = await outputsOf('Readers');
    const queue = () => world.aws.sqs.queues().find(({ url }) => url === QueueUrl);
    await new SNSClient(world.settings).send(new PublishCommand({ TopicArn, Message: 'a price' }));
    await expect.poll(() => queue()?.deleted, { timeout: slowest }).toBe(1);
    expect(queue()).toMatchObject({ sent: 1, visible: 0 });
  });

  it('cdk diff sees no differences to what is deployed', async () => {
    const { code, output } = await world.cdk(['diff', '--app', join(world.folder, 'first')]);
    expect(output.match(/There were no differences/g)).toHaveLength(2);
    expect(output).toContain('Number of stacks with differences: 0');
    expect(code).toBe(0);
    for (const StackName of ['Catalog', 'Readers']) {
      const { TemplateBody = '' } = await cloudformation.send(new GetTemplateCommand({ StackName }));
      const template = readFileSync(join(world.folder, 'first', `${StackName}.template.json`), 'utf8');
      expect(JSON.parse(TemplateBody)).toEqual(JSON.parse(template));
    }
  });

  it('cdk diff shows what a change does, and cdk deploy does it: in place, anew, away', async () => {
    const app = assembly('changed', changed);
    const before = await outputsOf('Readers');
    const diff = await world.cdk(['diff', '--app', app]);
    expect(diff.code).toBe(0);
    expect(diff.output).toMatch(/\[~\] AWS::SSM::Parameter Limit Limit\w+ replace/);
    expect(diff.output).toMatch(/\[~\] VisibilityTimeout\n.*\[-\] 30\n.*\[\+\] 60/);
    expect(diff.output).toMatch(/\[-\] AWS::S3::Bucket Archive\w+ destroy/);
    // A look changes nothing.
    expect(await visibilityOf(before.QueueUrl)).toBe('30');

    const { code, output } = await world.cdk([
      'deploy',
      '--all',
      '--app',
      app,
      '--require-approval',
      'never',
    ]);
    expect(code, output).toBe(0);
    expect(output).toMatch(/UPDATE_COMPLETE +\| AWS::SQS::Queue/);
    expect(output).toContain(
      'Requested update requires the creation of a new physical resource; hence creating one.',
    );
    expect(output).toMatch(/DELETE_COMPLETE +\| AWS::S3::Bucket/);
    expect(await outputsOf('Readers')).toEqual(before);
    expect(await visibilityOf(before.QueueUrl)).toBe('60');
    expect((await ssm.send(new GetParameterCommand({ Name: '/shop/bound' }))).Parameter?.Value).toBe('5');
    await expect(ssm.send(new GetParameterCommand({ Name: '/shop/limit' }))).rejects.toMatchObject({
      name: 'ParameterNotFound',
    });
    expect((await new S3Client(world.settings).send(new ListBucketsCommand({}))).Buckets).toHaveLength(1);
  });

  it('a deployment that fails is taken back, and says which resource and why', async () => {
    const app = assembly('fault', { ...changed, visibility: Duration.seconds(90), withFault: true });
    const { QueueUrl } = await outputsOf('Readers');
    const { code, output } = await world.cdk([
      'deploy',
      '--all',
      '--app',
      app,
      '--require-approval',
      'never',
    ]);
    expect(code).toBe(1);
    expect(output).toMatch(/UPDATE_COMPLETE +\| AWS::SQS::Queue +\| Queue/);
    expect(output).toMatch(
      /CREATE_FAILED +\| AWS::SQS::Queue +\| Fault InvalidParameterValue: Value not a name/,
    );
    expect(output).toContain('❌  Readers failed to deploy');
    expect(output).not.toMatch(stackTrace);
    expect(await visibilityOf(QueueUrl)).toBe('60');
    expect(await statusOf('Readers')).toBe('UPDATE_ROLLBACK_COMPLETE');
  });

  it('what the model does not have is named before anything is made', async () => {
    const app = assembly('network', { ...changed, visibility: Duration.seconds(120), withNetwork: true });
    const { QueueUrl } = await outputsOf('Readers');
    const resources = async () =>
      (await cloudformation.send(new ListStackResourcesCommand({ StackName: 'Readers' })))
        .StackResourceSummaries;
    const before = await resources();
    const { code, output } = await world.cdk([
      'deploy',
      'Readers',
      '-e',
      '--app',
      app,
      '--require-approval',
      'never',
    ]);
    expect(code).toBe(1);
    expect(output).toMatch(/Network\w+ \(AWS::EC2::VPC\): the model does not have this type of resource/);
    expect(output).not.toMatch(stackTrace);
    expect(await resources()).toEqual(before);
    expect(await visibilityOf(QueueUrl)).toBe('60');
  });

  it('cdk deploy --hotswap brings new code to a function at once', async () => {
    const code = join(world.folder, 'code');
    mkdirSync(code);
    writeFileSync(join(code, 'index.mjs'), 'export const handler = async () => ({ version: 2 });\n');
    const app = assembly('swapped', { ...changed, code });
    const ran = await world.cdk([
      'deploy',
      'Readers',
      '-e',
      '--hotswap',
      '--require-approval',
      'never',
      '--app',
      app,
    ]);
    expect(ran.output).toMatch(/AWS::Lambda::Function 'Readers-Reader\S+' hotswapped!/);
    expect(ran.code).toBe(0);
    expect(await answerOf((await outputsOf('Readers')).ReaderName, {})).toEqual({ version: 2 });
  });

  it.each([
    [['ls'], 0, /^Catalog\nReaders\n/m],
    [['rollback', 'Readers'], 1, /Stack Readers does not need a rollback/],
    [
      ['gc', '--unstable=gc', '--confirm=false', '--created-buffer-days', '0'],
      0,
      /files scanned: .* assets .* deleted/,
    ],
    [
      ['drift', 'Catalog'],
      1,
      /no action "DetectStackDrift" of cloudformation: it detects no drift\. .* run npx cdk diff\./,
    ],
    [['import', 'Catalog', '--resource-mapping-inline', '{}'], 0, /no new resources .*, skipping import/],
  ])('cdk %s is answered', async ([verb = '', ...more], code, said) => {
    const ran = await world.cdk([verb, ...more, '--app', join(world.folder, 'changed')]);
    expect(ran.output).toMatch(said);
    expect(ran.output).not.toMatch(stackTrace);
    expect(ran.code).toBe(code);
  });

  it('cdk watch brings each change of the code while it is written', async () => {
    const cwd = join(world.folder, 'watched');
    mkdirSync(join(cwd, 'src'), { recursive: true });
    const write = (version: number) =>
      writeFileSync(join(cwd, 'src', 'index.mjs'), `export const handler = async () => ${version};\n`);
    write(1);
    const app = `node ${join(root, 'test', 'cdk', 'apps', 'watched.mjs')}`;
    writeFileSync(join(cwd, 'cdk.json'), JSON.stringify({ app, watch: { include: ['src/**'] } }));
    expect(await world.cdk(['deploy', '--require-approval', 'never'], { cwd })).toMatchObject({ code: 0 });
    expect(await answerOf('watched', {})).toBe(1);
    const watch = world.begin(['watch'], { cwd });
    await watch.says('hotswap-deployment time');
    write(2);
    await watch.says('hotswapped!');
    watch.process.kill('SIGINT');
    await watch.done;
    expect(await answerOf('watched', {})).toBe(2);
    await cloudformation.send(new DeleteStackCommand({ StackName: 'Watched' }));
    await expect(statusOf('Watched')).rejects.toThrow('does not exist');
  });

  it('cdk destroy leaves nothing but what bootstrapping made', async () => {
    const ran = await world.cdk(['destroy', '--all', '--force', '--app', join(world.folder, 'changed')]);
    expect(ran.output).toContain('✅  Readers: destroyed');
    expect(ran.output).toContain('✅  Catalog: destroyed');
    expect(ran.code).toBe(0);
    const { Stacks = [] } = await cloudformation.send(new DescribeStacksCommand({}));
    expect(Stacks.map(({ StackName }) => StackName)).toEqual(['CDKToolkit']);
    expect((await sqs.send(new ListQueuesCommand({}))).QueueUrls ?? []).toEqual([]);
    expect((await new SNSClient(world.settings).send(new ListTopicsCommand({}))).Topics ?? []).toEqual([]);
    expect((await lambda.send(new ListFunctionsCommand({}))).Functions).toEqual([]);
    expect((await new DynamoDBClient(world.settings).send(new ListTablesCommand({}))).TableNames).toEqual([]);
    const alarms = await new CloudWatchClient(world.settings).send(new DescribeAlarmsCommand({}));
    expect(alarms.MetricAlarms ?? []).toEqual([]);
    const { Roles = [] } = await new IAMClient(world.settings).send(new ListRolesCommand({}));
    expect(Roles.filter(({ RoleName }) => !RoleName?.startsWith('cdk-hnb659fds-'))).toEqual([]);
  });
});
