import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { milliseconds } from 'sluice';
import { MessagingStack, type MessagingStackProps } from 'sluice/cdk';
import {
  type AwsModel,
  createAws,
  createVirtualClock,
  inProcessExecutor,
  loadAssembly,
  seededRandom,
  type VirtualClock,
} from 'sluice/local';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { handlers, shop } from '../fixtures/shop.ts';

let folder: string;
let clock: VirtualClock;
let aws: AwsModel;
/** What each function got, by the beginning of its name. */
let heard: [string, string][];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-stacks-'));
  clock = createVirtualClock();
  heard = [];
  aws = createAws({
    clock,
    random: seededRandom(1),
    executor: () =>
      inProcessExecutor({
        clock,
        handlers:
          ({ functionName }) =>
          (event) => {
            for (const { body } of (event as { Records: { body: string }[] }).Records)
              heard.push([functionName.replace(/Subscriber.*/, ''), body]);
            return { batchItemFailures: [] };
          },
      }),
  });
});

afterEach(() => {
  aws.stop();
  rmSync(folder, { recursive: true });
});

type Props = Partial<MessagingStackProps<typeof shop>>;

const newApp = () => new App({ outdir: folder, context: { 'aws:cdk:bundling-stacks': [] } });

const shopOf = (app: App, id: string, props: Props) =>
  new MessagingStack(app, id, { messaging: shop, handlers, ...props });

/** Deploys stacks of an app one after another, and answers their outputs. */
async function deploy(app: App, ...names: string[]): Promise<Readonly<Record<string, string>>[]> {
  app.synth();
  const assembly = loadAssembly(folder);
  const outputs: Readonly<Record<string, string>>[] = [];
  for (const name of names)
    outputs.push(
      (await aws.cloudformation.deploy(assembly, name)).outputs as Readonly<Record<string, string>>,
    );
  return outputs;
}

const publish = (TopicArn: string | undefined, Message: string) =>
  aws.call('sns', 'Publish', {
    TopicArn,
    Message,
    ...(TopicArn?.endsWith('.fifo') ? { MessageGroupId: 'one', MessageDeduplicationId: Message } : {}),
  });

const arrived = async () => {
  await clock.advance(milliseconds(10_000));
  return heard.toSorted(([a], [b]) => (a < b ? -1 : 1));
};

describe('Subscribers live in stacks of their own', () => {
  test('of the app: what is published in one stack is handled in the other', async () => {
    const app = newApp();
    const owner = shopOf(app, 'Orders', { only: ['payments'] });
    shopOf(app, 'Analytics', { topics: { orders: owner.topic('orders') }, only: ['analytics'] });
    const [orders] = await deploy(app, 'Orders', 'Analytics');
    await publish(orders?.TopicArnOrders, 'first');
    expect(await arrived()).toEqual([
      ['Analytics-Analytics', 'first'],
      ['Orders-Payments', 'first'],
    ]);
  });

  test('of another app: the topic is known by its ARN alone, and its owner told what to add', async () => {
    const app = newApp();
    shopOf(app, 'Orders', { only: ['payments'] });
    const [orders] = await deploy(app, 'Orders');
    rmSync(folder, { recursive: true });

    const other = newApp();
    const there = new Stack(other, 'There');
    const topic = Topic.fromTopicArn(there, 'Orders', orders?.TopicArnOrders ?? '');
    shopOf(other, 'Analytics', { topics: { orders: topic }, only: ['analytics'] });
    const [analytics] = await deploy(other, 'Analytics');
    expect(JSON.parse(analytics?.TopicOwnerPolicyOrders ?? '')).toEqual([
      {
        Sid: 'AnalyticsSubscribe',
        Effect: 'Allow',
        Principal: { AWS: '000000000000' },
        Action: 'sns:Subscribe',
        Resource: orders?.TopicArnOrders,
        Condition: {
          StringEquals: { 'sns:Protocol': 'sqs' },
          StringLike: { 'sns:Endpoint': 'arn:aws:sqs:us-east-1:000000000000:*' },
        },
      },
    ]);
    await publish(orders?.TopicArnOrders, 'first');
    expect(await arrived()).toEqual([
      ['Analytics-Analytics', 'first'],
      ['Orders-Payments', 'first'],
    ]);
  });

  test('with queues of another stack: that wait for no topic, and take from no other', async () => {
    const app = newApp();
    const there = new Stack(app, 'There');
    shopOf(app, 'Shop', {
      only: ['analytics', 'stock-mail'],
      subscribers: {
        analytics: { queue: new Queue(there, 'Analytics', { visibilityTimeout: Duration.minutes(3) }) },
        'stock-mail': { queue: new Queue(there, 'Mail', { visibilityTimeout: Duration.minutes(30) }) },
      },
    });
    const [, outputs] = await deploy(app, 'There', 'Shop');
    const { TopicArn } = (await aws.call('sns', 'CreateTopic', { Name: 'Shop-Other' })) as {
      TopicArn: string;
    };
    for (const queue of aws.sqs.queues())
      if (queue.name.startsWith('There-'))
        await aws.call('sns', 'Subscribe', { TopicArn, Protocol: 'sqs', Endpoint: queue.arn });
    await publish(TopicArn, 'foreign');
    await publish(outputs?.TopicArnOrders, 'order');
    await aws.call('sns', 'Publish', {
      TopicArn: outputs?.TopicArnStockMoves,
      Message: 'low',
      MessageAttributes: { type: { DataType: 'String', StringValue: 'stock.low' } },
    });
    expect(await arrived()).toEqual([
      ['Shop-Analytics', 'order'],
      ['Shop-StockMail', 'low'],
    ]);
  });
});

describe.each(['awsManaged', 'customerKey', 'customerKeys'] as const)('With encryption %s', (encryption) => {
  it('the stack is deployed, and a message goes through it to its consumer', async () => {
    const app = newApp();
    shopOf(app, 'Shop', { encryption, stage: 'dev' });
    const [shopOutputs] = await deploy(app, 'Shop');
    await publish(shopOutputs?.TopicArnOrders, 'first');
    expect(await arrived()).toEqual([
      ['Shop-Analytics', 'first'],
      ['Shop-Payments', 'first'],
    ]);
  });
});

describe('What a stack holds when it is deleted', () => {
  const deleted = async (props: Props) => {
    const app = newApp();
    shopOf(app, 'Shop', props);
    await deploy(app, 'Shop');
    await aws.call('cloudformation', 'DeleteStack', { StackName: 'Shop' });
    await clock.advance(milliseconds(600_000));
    const { TableNames } = (await aws.call('dynamodb', 'ListTables', {})) as { TableNames: string[] };
    return [...aws.sqs.queues().map(({ name }) => name), ...TableNames]
      .map((name) => name.replace(/^Shop-/, '').replace(/[0-9A-F]{8}-.*$/, ''))
      .sort();
  };

  it('is kept in prod: dead letters and records', async () => {
    expect(await deleted({ terminationProtection: false })).toEqual([
      'AnalyticsSubscriberDeadLetterQueue',
      'AnalyticsSubscriberSubscriptionDeadLetterQueue',
      'PaymentsSubscriberDeadLetterQueue',
      'PaymentsSubscriberSubscriptionDeadLetterQueue',
      'RecordsTable',
      'StockMailSubscriberDeadLetterQueue',
      'StockMailSubscriberSubscriptionDeadLetterQueue',
    ]);
  });

  it('goes with it in dev', async () => {
    expect(await deleted({ stage: 'dev' })).toEqual([]);
  });
});
