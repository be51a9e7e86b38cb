import { join } from 'node:path';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  ListStacksCommand,
} from '@aws-sdk/client-cloudformation';
import {
  DeleteObjectsCommand,
  ListBucketsCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Duration } from 'aws-cdk-lib';
import { createEndpoint } from 'sluice/local';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ShopOptions, shop } from './apps/shop.ts';
import { bootstrap, createWorld, slowest, stackTrace, untilStack, type World } from './support.ts';

let world: World;

beforeEach(async () => {
  world = await createWorld();
  await bootstrap(world);
});

afterEach(() => world.stop());

function assembly(name: string, options: ShopOptions = {}): string {
  const folder = join(world.folder, name);
  shop(folder, options).synth();
  return folder;
}

const deployAll = (app: string) => ['deploy', '--all', '--app', app, '--require-approval', 'never'];

async function statusOf(StackName: string): Promise<string | undefined> {
  const client = new CloudFormationClient(world.settings);
  return (await client.send(new DescribeStacksCommand({ StackName }))).Stacks?.[0]?.StackStatus;
}

vi.setConfig({ testTimeout: slowest });

describe('a deployment in trouble says so in a line, harms nothing, and the next try works', () => {
  it('nobody is at the address', async () => {
    const gone = await createEndpoint(world.aws, { port: 0 });
    await gone.close();
    const ran = await world.begin(deployAll(assembly('app')), { url: gone.url }).done;
    expect(ran.code).toBe(1);
    expect(ran.output).toMatch(/^Unable to resolve AWS account to use/m);
    expect(ran.output).not.toMatch(stackTrace);
  });

  it('another deployment of the stack goes on: the second is told so, the first is not harmed', async () => {
    const cloudformation = new CloudFormationClient(world.settings);
    const [first, second] = [assembly('first'), assembly('second', { visibility: Duration.seconds(60) })];
    const release = world.hold();
    const running = world.begin(deployAll(first));
    await running.says('Readers: deploying');
    await expect
      .poll(async () => (await cloudformation.send(new ListStacksCommand({}))).StackSummaries, {
        timeout: slowest,
      })
      .toContainEqual(expect.objectContaining({ StackName: 'Readers', StackStatus: 'CREATE_IN_PROGRESS' }));
    const late = world.begin(['deploy', 'Readers', '-e', '--app', second, '--require-approval', 'never']);
    const told = await late.done;
    release();
    const done = await running.done;
    expect(told.output).toContain(
      'Stack Readers is in CREATE_IN_PROGRESS state: another deployment of it goes on.',
    );
    expect(told.code).toBe(1);
    expect(told.output).not.toMatch(stackTrace);
    expect(done.output).toMatch(/✅ {2}Readers\n/);
    expect(done.code).toBe(0);
    expect(await statusOf('Readers')).toBe('CREATE_COMPLETE');
  });

  it('a stack that was deleted by half is deleted at the second try', async () => {
    const app = assembly('app');
    expect(await world.cdk(deployAll(app))).toMatchObject({ code: 0 });
    const s3 = new S3Client(world.settings);
    const { Buckets = [] } = await s3.send(new ListBucketsCommand({}));
    const Bucket = Buckets.map(({ Name }) => Name).find((name) => name?.startsWith('readers-'));
    await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }));
    const destroy = ['destroy', '--all', '--force', '--app', app];
    const half = await world.cdk(destroy);
    expect(half.code).toBe(1);
    expect(half.output).toMatch(/DELETE_FAILED +\| AWS::S3::Bucket +\| Archive .*not empty/);
    expect(half.output).not.toMatch(stackTrace);
    expect(await statusOf('Readers')).toBe('DELETE_FAILED');
    expect((await new SQSClient(world.settings).send(new ListQueuesCommand({}))).QueueUrls ?? []).toEqual([]);
    const { Versions = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
    const Objects = Versions.map(({ Key, VersionId }) => ({ Key, VersionId }));
    await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    const whole = await world.cdk(destroy);
    expect(whole.output).toContain('✅  Readers: destroyed');
    expect(whole.output).toContain('✅  Catalog: destroyed');
    expect(whole.code).toBe(0);
  });

  it('the server dies in the middle', async () => {
    const app = assembly('app');
    const release = world.hold();
    const running = world.begin(deployAll(app));
    await running.says('Readers: deploying');
    await untilStack(new CloudFormationClient(world.settings), 'Readers', 'CREATE_IN_PROGRESS');
    await world.restart();
    release();
    const cut = await running.done;
    expect(cut.code).toBe(1);
    expect(cut.output).toMatch(/Readers/);
    expect(cut.output).not.toMatch(stackTrace);
    // All was in its memory: the new one is bootstrapped anew, and knows nothing of what was begun.
    await bootstrap(world);
    const next = await world.cdk(deployAll(app));
    expect(next.output).toMatch(/✅ {2}Readers\n/);
    expect(next.code).toBe(0);
  });
});
