import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateStackCommand } from '@aws-sdk/client-cloudformation';
import { PutCompositeAlarmCommand, PutMetricAlarmCommand } from '@aws-sdk/client-cloudwatch';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { CreateTopicCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAws, createEndpoint, type Endpoint, workerExecutor } from '../../local/index.ts';
import { costOf } from './aws/cost.ts';
import { type AwsRun, cleanAws, playOnAws, workloadOf } from './aws/index.ts';
import { kinds, tagKey } from './aws/kinds.ts';
import { tagged } from './aws/tagging.ts';
import { type ConformanceCase, group } from './case.ts';
import { groups } from './cases/index.ts';
import { recorder } from './cases/kit/lambda.ts';
import type { CaseResult } from './play.ts';
import type { World } from './world.ts';
import { clientsFor } from './worlds/clients.ts';

const account = '123456789012';
const region = 'eu-central-1';
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

let endpoint: Endpoint;
let stop: () => void;
let folder: string;
let calls: { action: string; input: Record<string, unknown> }[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-aws-'));
  calls = [];
  endpoint = await createEndpoint(
    (url) => {
      const aws = createAws({ endpoint: url, account, region, executor: (log) => workerExecutor({ log }) });
      stop = aws.stop;
      return {
        ...aws,
        call(...words: Parameters<typeof aws.call>) {
          calls.push({ action: words[1], input: words[2] as Record<string, unknown> });
          return aws.call(...words);
        },
      };
    },
    { port: 0 },
  );
});

afterEach(async () => {
  stop();
  await endpoint.close();
  rmSync(folder, { recursive: true });
});

const source = { page: 'none', says: 'none' };
const one = (name: string, run: ConformanceCase['run']): ConformanceCase => ({
  name,
  title: `${name}.`,
  source,
  run,
});

/** Makes one thing of each kind, and removes none. */
const careless = async (world: World) => {
  const { sqs, sns, dynamodb, cloudwatch, cloudformation, name } = world;
  await sqs.send(new CreateQueueCommand({ QueueName: name('queue') }));
  await sns.send(new CreateTopicCommand({ Name: name('topic') }));
  await dynamodb.send(
    new CreateTableCommand({
      TableName: name('table'),
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'a', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'a', AttributeType: 'S' }],
    }),
  );
  const AlarmName = name('alarm');
  await cloudwatch.send(
    new PutMetricAlarmCommand({
      AlarmName,
      Namespace: 'n',
      MetricName: 'm',
      Statistic: 'Sum',
      Period: 60,
      EvaluationPeriods: 1,
      Threshold: 1,
      ComparisonOperator: 'GreaterThanThreshold',
    }),
  );
  await cloudwatch.send(
    new PutCompositeAlarmCommand({ AlarmName: name('all'), AlarmRule: `ALARM(${AlarmName})` }),
  );
  await recorder(world);
  const Resources = { Kept: { Type: 'AWS::SQS::Queue', DeletionPolicy: 'Retain' } };
  await cloudformation.send(
    new CreateStackCommand({ StackName: name('stack'), TemplateBody: JSON.stringify({ Resources }) }),
  );
};

function runOf(cases: readonly ConformanceCase[], more: Partial<AwsRun> = {}) {
  const told: string[] = [];
  const heard: CaseResult[] = [];
  const run: AwsRun = {
    groups: [group('own', 'Own', ['sqs'], cases)],
    yes: false,
    heard: (result) => heard.push(result),
    say: (line) => told.push(line),
    ask: async () => account,
    signal: new AbortController().signal,
    client: { endpoint: endpoint.url, region, credentials },
    folder,
    pause: async () => {},
    ...more,
  };
  return { run, told, heard };
}

/** Everything in the account, by kind. */
async function everything(): Promise<Record<string, string[]>> {
  const clients = clientsFor({ endpoint: endpoint.url, region, credentials });
  const found: Record<string, string[]> = {};
  for (const kind of kinds) {
    const names = (await kind.list(clients)).map(({ name }) => name);
    if (names.length > 0) found[kind.name] = names;
  }
  clients.destroy();
  return found;
}

describe('an account of AWS is asked, and left as it was (the model stands in for it)', () => {
  it('it says whose account it is, what is made and what it costs at most, and stops at another answer', async () => {
    const { run, told } = runOf([one('careless', careless)], { ask: async () => 'yes' });
    await expect(playOnAws(run)).rejects.toThrow('Stopped; nothing was made.');
    expect(told[0]).toBe(`Account ${account}, Region ${region}.`);
    expect(told.join('\n')).toMatch(/1 cases are played.*At most \$0\.\d\d/s);
    expect(await everything()).toEqual({});
    expect(readdirSync(folder)).toEqual([]);
  });

  it('where nobody can be asked it wants --yes', async () => {
    const { run } = runOf([one('careless', careless)], { ask: undefined });
    await expect(playOnAws(run)).rejects.toThrow('Say --yes');
    const { run: sure, heard } = runOf([one('nothing', async () => {})], { ask: undefined, yes: true });
    await playOnAws(sure);
    expect(heard.map(({ status }) => status)).toEqual(['pass']);
  });

  it('what a case forgets is removed: every kind of thing, and what a stack retained', async () => {
    const { run, heard, told } = runOf([one('careless', careless)]);
    await playOnAws(run);
    expect(heard).toEqual([{ id: 'own/careless', group: 'own', status: 'pass', note: '' }]);
    expect(await everything()).toEqual({});
    expect(told.at(-1)).toMatch(/things that cases had left were removed, 0 could not be/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('everything carries the tag of its run, and its name is in the journal before it is made', async () => {
    let journal = '';
    const { run } = runOf([
      one('look', async (world) => {
        await careless(world);
        journal = readdirSync(folder).join();
      }),
    ]);
    await playOnAws(run);
    const runName = journal.replace('.jsonl', '');
    expect(runName).toMatch(/^c[0-9a-f]{7}$/);
    const made = calls.filter(({ action }) => /^(Create|PutMetricAlarm|PutComposite)/.test(action));
    expect(made.map(({ action }) => action)).toEqual(
      expect.arrayContaining([
        'CreateQueue',
        'CreateTopic',
        'CreateTable',
        'CreateFunction',
        'CreateRole',
        'CreateStack',
      ]),
    );
    for (const { action, input } of made)
      expect(JSON.stringify(input), action).toMatch(new RegExp(`${tagKey}.*${runName}`));
  });

  it('nothing else is touched: not what looks like it without the tag, nor what has the tag under another name', async () => {
    const sqs = new SQSClient({ endpoint: endpoint.url, region, credentials });
    const others = ['mine', 'queue-c1234567-1', 'queue-other-2'];
    await sqs.send(new CreateQueueCommand({ QueueName: others[0] }));
    await sqs.send(new CreateQueueCommand({ QueueName: others[1] }));
    await sqs.send(new CreateQueueCommand({ QueueName: others[2], tags: { [tagKey]: 'c1234567' } }));
    const { run } = runOf([one('careless', careless)]);
    await playOnAws(run);
    expect(await cleanAws(run)).toBe(true);
    const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
    expect(QueueUrls.map((url) => url.split('/').at(-1)).sort()).toEqual(others);
    sqs.destroy();
  });

  it('after Ctrl-C everything is removed', async () => {
    const stopping = new AbortController();
    const { run } = runOf(
      [
        one('long', async (world) => {
          await careless(world);
          stopping.abort(new Error('Ctrl-C'));
          await new Promise(() => {});
        }),
        one('never', careless),
      ],
      { signal: stopping.signal },
    );
    await expect(playOnAws(run)).rejects.toThrow('Ctrl-C');
    expect(await everything()).toEqual({});
    expect(readdirSync(folder)).toEqual([]);
  });

  it('what a killed run left is removed by --clean, by its journal and its tags', async () => {
    const broken = new Error('killed');
    const { run } = runOf([one('careless', careless)], {
      pause: async () => {
        throw broken;
      },
    });
    // The removal itself is cut off: the first round has begun, a journal is left.
    const { run: dying, told } = { ...runOf([one('careless', careless)], { pause: run.pause! }) };
    await playOnAws(dying);
    expect(told.join('\n')).toContain('The removal came to a halt: killed');
    expect(readdirSync(folder)).toHaveLength(1);
    const { run: cleaning } = runOf([]);
    expect(await cleanAws(cleaning)).toBe(true);
    expect(await everything()).toEqual({});
    expect(existsSync(folder) && readdirSync(folder)).toEqual([]);
  });

  it('an action whose work nobody would remove is not played', () => {
    expect(() => tagged('CreateBucket', { Bucket: 'b' }, 'c0000000', () => {})).toThrow(
      'CreateBucket is not played',
    );
    expect(tagged('SendMessage', { QueueUrl: 'q' }, 'c0000000', () => {})).toEqual({ QueueUrl: 'q' });
  });

  it('what it costs grows with what is asked, and is said with its prices', () => {
    const all = costOf(workloadOf(groups));
    const part = costOf(workloadOf(groups.slice(0, 1)));
    expect(all.dollars).toBeGreaterThan(part.dollars);
    expect(all.dollars).toBeLessThan(20);
    expect(all.lines.join('\n')).toMatch(/SQS requests.*aws\.amazon\.com\/sqs\/pricing/);
  });
});
