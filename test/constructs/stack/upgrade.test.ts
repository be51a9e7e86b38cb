import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { milliseconds } from 'sluice';
import {
  type AwsModel,
  createAws,
  createVirtualClock,
  inProcessExecutor,
  loadAssembly,
  seededRandom,
  type VirtualClock,
} from 'sluice/local';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OrdersStack, type OrdersStackProps } from '../../../examples/orders/stack.ts';

/** The example as it was synthesized before there were stages and rules, but for metadata and the dashboard's body. */
const earlier = fileURLToPath(new URL('./golden/orders.before-stages.template.json', import.meta.url));

let folder: string;
let clock: VirtualClock;
let aws: AwsModel;
/** Whether the functions fail: then everything stays in its queue. */
let failing: boolean;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-upgrade-'));
  clock = createVirtualClock();
  failing = true;
  aws = createAws({
    clock,
    random: seededRandom(1),
    executor: () =>
      inProcessExecutor({
        clock,
        handlers: () => () => {
          if (failing) throw new Error('not now');
          return { batchItemFailures: [] };
        },
      }),
  });
});

afterEach(() => {
  aws.stop();
  rmSync(folder, { recursive: true });
});

/** Deploys the example of now over what is there. */
function deployNow(props: OrdersStackProps) {
  const outdir = join(folder, 'now');
  const app = new App({ outdir, context: { 'aws:cdk:bundling-stacks': [] } });
  new OrdersStack(app, 'Orders', props);
  app.synth();
  return aws.cloudformation.deploy(loadAssembly(outdir), 'Orders');
}

/** Deploys the example of then. */
const deployThen = () =>
  aws.cloudformation.deploy({
    folder,
    assets: [],
    stacks: [{ name: 'Orders', template: JSON.parse(readFileSync(earlier, 'utf8')), parameters: {} }],
  });

/** What a queue holds, whether it is in flight or not. */
const holds = (url: string | undefined) => {
  const queue = aws.sqs.queues().find((each) => each.url === url);
  return queue === undefined ? undefined : queue.visible + queue.inFlight;
};

describe('A stack that an earlier version deployed takes the present one', () => {
  it.each([
    ['as it is', {}],
    ['in development', { stage: 'dev' }],
    ['with a key of its own', { encryption: 'customerKey' }],
    ['with many keys', { encryption: 'customerKeys' }],
  ] as const)('%s: each live resource stays the same, with what it holds', async (_, props) => {
    const then = await deployThen();
    const { RecordsTable: TableName, TopicArnOrders: TopicArn, ...urls } = then.outputs;
    await aws.call('dynamodb', 'PutItem', { TableName, Item: { pk: { S: 'done' } } });
    await aws.call('sqs', 'SendMessage', { QueueUrl: urls.DeadLetterQueueUrlEmail, MessageBody: 'parked' });
    const publish = (id: string) =>
      aws.call('sns', 'Publish', {
        TopicArn,
        Message: id,
        MessageGroupId: 'one',
        MessageDeduplicationId: id,
      });
    await publish('before');
    await clock.advance(milliseconds(1_000));
    const queues = Object.keys(urls).filter((name) => name.startsWith('QueueUrl'));
    const held = () => queues.map((name) => holds(urls[name]));
    expect(held()).toEqual([1, 1, 1, 1, 1]);

    const now = await deployNow(props);
    const lost = Object.entries(then.resources).filter(
      ([id, { physicalId }]) => now.resources[id]?.physicalId !== physicalId,
    );
    expect(lost.map(([id]) => id)).toEqual(['InventorySubscriberAlarmsI2HotGroup33971333']);
    expect(now.outputs).toMatchObject(then.outputs);
    expect(holds(urls.DeadLetterQueueUrlEmail)).toBe(1);
    expect(aws.dynamodb.items(TableName ?? '')).toEqual([{ pk: { S: 'done' } }]);
    expect(held()).toEqual([1, 1, 1, 1, 1]);

    failing = false;
    await publish('after');
    await clock.advance(milliseconds(200_000));
    expect(held()).toEqual([0, 0, 0, 0, 0]);
  });
});
