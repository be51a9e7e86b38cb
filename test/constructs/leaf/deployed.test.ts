import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { MessagingKey, MessagingTopic, RecordsTable, SubscriberQueue } from 'sluice/cdk';
import {
  type AwsModel,
  createAws,
  createVirtualClock,
  inProcessExecutor,
  loadAssembly,
  seededRandom,
} from 'sluice/local';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let folder: string;
let aws: AwsModel;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-leaf-'));
  const clock = createVirtualClock();
  aws = createAws({
    clock,
    random: seededRandom(1),
    executor: () => inProcessExecutor({ clock, handlers: () => async () => undefined }),
  });
});

afterEach(() => {
  aws.stop();
  rmSync(folder, { recursive: true });
});

/** Deploys what is built in a stack, whose outputs it answers. */
async function deploy(build: (stack: Stack, tell: (name: string, value: string) => void) => void) {
  const app = new App({ outdir: folder });
  const stack = new Stack(app, 'Leaf');
  build(stack, (name, value) => new CfnOutput(stack, name, { value }));
  app.synth();
  return (await aws.cloudformation.deploy(loadAssembly(folder))).outputs as Readonly<Record<string, string>>;
}

const publish = (TopicArn: string | undefined, Message: string) =>
  aws.call('sns', 'PublishBatch', {
    TopicArn,
    PublishBatchRequestEntries: [
      { Id: '1', Message, MessageGroupId: 'one', MessageDeduplicationId: Message },
    ],
  });

async function bodies(QueueUrl: string | undefined): Promise<string[]> {
  const { Messages = [] } = (await aws.call('sqs', 'ReceiveMessage', {
    QueueUrl,
    MaxNumberOfMessages: 10,
    WaitTimeSeconds: 0,
  })) as { Messages?: { Body: string }[] };
  return Messages.map(({ Body }) => Body);
}

const variants: readonly [string, (stack: Stack) => (name: string) => IKey | undefined][] = [
  ['keys of AWS', () => () => undefined],
  [
    'one customer key',
    (stack) => {
      const { key } = new MessagingKey(stack, 'Key');
      return () => key;
    },
  ],
  ['a customer key each', (stack) => (name) => new MessagingKey(stack, `${name}Key`).key],
];

describe.each(variants)('A topic, a subscriber and a table under %s', (_, keysOf) => {
  it('are deployed; what is published arrives, and what cannot arrive is dead-lettered', async () => {
    const outputs = await deploy((stack, tell) => {
      const key = keysOf(stack);
      const { topic } = new MessagingTopic(stack, 'Orders', { fifo: true, encryptionKey: key('Topic') });
      const { queue, subscriptionDeadLetterQueue } = new SubscriberQueue(stack, 'Payments', {
        topic,
        fifo: true,
        encryptionKey: key('Payments'),
      });
      const { table } = new RecordsTable(stack, 'Records', { encryptionKey: key('Records') });
      tell('Topic', topic.topicArn);
      tell('Queue', queue.queueUrl);
      tell('Undelivered', subscriptionDeadLetterQueue.queueUrl);
      tell('Table', table.tableName);
    });
    await publish(outputs.Topic, 'first');
    expect(await bodies(outputs.Queue)).toEqual(['first']);
    const { Table } = (await aws.call('dynamodb', 'DescribeTable', { TableName: outputs.Table })) as {
      Table: { GlobalSecondaryIndexes: unknown[] };
    };
    expect(Table.GlobalSecondaryIndexes).toHaveLength(1);

    await aws.call('sqs', 'DeleteQueue', { QueueUrl: outputs.Queue });
    await publish(outputs.Topic, 'second');
    expect(await bodies(outputs.Undelivered)).toEqual(['second']);
  });
});

describe('Queues that exist already', () => {
  it('hear the topic, and no other that subscribes them', async () => {
    const outputs = await deploy((stack, tell) => {
      const queue = new Queue(stack, 'Existing');
      for (const name of ['Orders', 'Stock']) {
        const { topic } = new MessagingTopic(stack, `${name}Topic`);
        new SubscriberQueue(stack, `On${name}`, { topic, queue });
        tell(name, topic.topicArn);
      }
      tell('Other', new Topic(stack, 'OtherTopic').topicArn);
      tell('Queue', queue.queueUrl);
      tell('QueueArn', queue.queueArn);
    });
    await aws.call('sns', 'Subscribe', {
      TopicArn: outputs.Other,
      Protocol: 'sqs',
      Endpoint: outputs.QueueArn,
    });
    for (const name of ['Orders', 'Other', 'Stock'])
      await aws.call('sns', 'Publish', { TopicArn: outputs[name], Message: name });
    expect((await bodies(outputs.Queue)).sort()).toEqual(['Orders', 'Stock']);
  });
});
