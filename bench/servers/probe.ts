import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { PublishBatchCommand, SNSClient } from '@aws-sdk/client-sns';
import { bundle } from '../bundle.ts';
import { root } from '../child.ts';

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

/** How often the records are counted, in milliseconds, and how long they may take to be there. */
const looking = { every: 100, most: 180_000 } as const;

/** Opens the clients, the same for every server, at the deployed stack. */
export async function openTraffic(url: string): Promise<Traffic> {
  const settings = {
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
  const sns = new SNSClient(settings);
  const dynamodb = new DynamoDBClient(settings);
  const cloudformation = new CloudFormationClient(settings);
  const { Stacks = [] } = await cloudformation.send(new DescribeStacksCommand({ StackName: 'Probe' }));
  cloudformation.destroy();
  const output = (name: string) => {
    const value = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
    if (value === undefined) throw new Error(`The probe stack has no output ${name} at ${url}.`);
    return value;
  };
  const topics = [output('FirstTopicArn'), output('SecondTopicArn')];
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
  const publishTen = async () => {
    const first = sequence;
    sequence += 10;
    const { Failed = [] } = await sns.send(
      new PublishBatchCommand({
        TopicArn: topics[(first / 10) % 2],
        PublishBatchRequestEntries: Array.from({ length: 10 }, (_, index) => ({
          Id: String(index),
          Message: `${first + index} ${'x'.repeat(300)}`,
        })),
      }),
    );
    if (Failed.length > 0) throw new Error(`The server took only a part: ${JSON.stringify(Failed[0])}`);
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
      for (let found = await records(); found < expected; found = await records()) {
        if (performance.now() - startedAt > looking.most)
          throw new Error(
            `${expected - found} of ${count} messages had no record after ${looking.most / 1000} s.`,
          );
        await new Promise((resolve) => setTimeout(resolve, looking.every));
      }
      return count / ((performance.now() - startedAt) / 1000);
    },
    close() {
      sns.destroy();
      dynamodb.destroy();
    },
  };
}
