import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { bundle } from '../bundle.ts';
import { root } from '../child.ts';
import { openPublisher } from './publisher.ts';

const run = promisify(execFile);

/** The probe stack, synthesized once: every server is given the same assembly. */
export interface Probe {
  /** A folder for what the CDK writes; the assembly is in it. */
  readonly folder: string;
  /** The package as it is published, so that the model starts as it does for a user. */
  readonly built: string;
  remove(): void;
}

/** Bundles the handler, synthesizes the stack, and builds the package. */
export async function makeProbe(): Promise<Probe> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-probe-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const code = join(folder, 'code');
    mkdirSync(code);
    writeFileSync(join(code, 'index.mjs'), (await bundle('servers/handler.ts')).text);
    const { PATH } = process.env;
    const plain = { cwd: root, env: { PATH, HOME: folder, NODE_NO_WARNINGS: '1' } };
    await run(process.execPath, ['--import', 'tsx', 'bench/servers/app.ts'], {
      ...plain,
      env: { ...plain.env, PROBE_CODE: code, CDK_OUTDIR: join(folder, 'app'), CDK_VALIDATION: 'false' },
    });
    const built = join(folder, 'package');
    mkdirSync(join(built, 'bin'), { recursive: true });
    copyFileSync(join(root, 'package.json'), join(built, 'package.json'));
    copyFileSync(join(root, 'bin', 'sluice.mjs'), join(built, 'bin', 'sluice.mjs'));
    symlinkSync(join(root, 'node_modules'), join(built, 'node_modules'));
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const to = ['--outDir', join(built, 'dist'), '--declaration', 'false'];
    await run(process.execPath, [tsc, '-p', 'tsconfig.build.json', ...to], plain);
    return { folder, built, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Sends messages through the deployed stack. */
export interface Traffic {
  /** Resolves when `count` messages have their record, published half to each topic; gives how many a second. */
  send(count: number): Promise<number>;
  close(): void;
}

/** Batches of ten that are under way at once. */
const loops = 4;

/** How often the queues are looked at, in milliseconds, and how long the records may take to be there. */
const looking = { every: 50, most: 180_000 } as const;

/** Opens the clients, the same for every server, at the deployed stack. */
export async function openTraffic(url: string): Promise<Traffic> {
  const settings = {
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
  const { publish, close: closePublisher } = openPublisher(url);
  const dynamodb = new DynamoDBClient(settings);
  const sqs = new SQSClient({ ...settings, useQueueUrlAsEndpoint: false });
  const cloudformation = new CloudFormationClient(settings);
  const { Stacks = [] } = await cloudformation.send(new DescribeStacksCommand({ StackName: 'Probe' }));
  cloudformation.destroy();
  const output = (name: string) => {
    const value = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
    if (value === undefined) throw new Error(`The probe stack has no output ${name} at ${url}.`);
    return value;
  };
  const topics = [output('FirstTopicArn'), output('SecondTopicArn')];
  const queues = [output('FirstQueueUrl'), output('SecondQueueUrl')];
  const TableName = output('Table');
  let sequence = 0;
  let expected = 0;
  const records = async () => {
    let count = 0;
    for await (const page of paginateScan(
      { client: dynamodb },
      { TableName, Select: 'COUNT', ConsistentRead: true },
    ))
      count += page.Count ?? 0;
    return count;
  };
  /** What the queues hold, by their own account; to ask it costs a server next to nothing. */
  const waiting = async () => {
    let count = 0;
    for (const QueueUrl of queues) {
      const { Attributes = {} } = await sqs.send(
        new GetQueueAttributesCommand({
          QueueUrl,
          AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
        }),
      );
      for (const value of Object.values(Attributes)) count += Number(value);
    }
    return count;
  };
  const publishTen = async () => {
    const first = sequence;
    sequence += 10;
    const answer = await publish(
      topics[(first / 10) % 2] ?? '',
      Array.from({ length: 10 }, (_, index) => `${first + index} ${'x'.repeat(300)}`),
    );
    if (answer.includes('<Failed><member>') || !answer.includes('<MessageId>'))
      throw new Error(`The server took not all: ${answer.slice(0, 500)}`);
  };
  return {
    async send(count) {
      expected += count;
      const startedAt = performance.now();
      let open = count / 10;
      const loop = async () => {
        while (open-- > 0) await publishTen();
      };
      await Promise.all(Array.from({ length: loops }, loop));
      // The records are counted once the queues are empty: to scan them again and again would be most of the work.
      while ((await waiting()) > 0 || (await records()) < expected) {
        if (performance.now() - startedAt > looking.most)
          throw new Error(
            `${expected - (await records())} of ${count} messages had no record after ${looking.most / 1000} s.`,
          );
        await new Promise((resolve) => setTimeout(resolve, looking.every));
      }
      return count / ((performance.now() - startedAt) / 1000);
    },
    close() {
      closePublisher();
      sqs.destroy();
      dynamodb.destroy();
    },
  };
}
