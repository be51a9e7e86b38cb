import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { BatchWriteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { publisher } from 'sluice/lambda';
import { orders as messaging } from '../topology.ts';
import type { ShopMessage, ShopOptions, ShopPlace } from './shop.ts';

const options = workerData as ShopOptions;
const port = parentPort;
if (port === null) throw new Error('The shop runs in a thread: start it with startShop.');
const say = (message: ShopMessage, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

const { orders, due } = options;
const [place] = (await once(port, 'message')) as [ShopPlace];
// The clients of the SDK and the publisher look for these when they are made.
process.env.AWS_ENDPOINT_URL = place.endpoint;
process.env.AWS_REGION = place.region;
process.env.SLUICE_TOPIC_ARN_ORDERS = place.topicArn;
let publishedTwice = 0;
const { publish } = publisher(
  messaging,
  options.publishedTwice === undefined ? {} : { sns: sendingTwice(options.publishedTwice) },
);

await fillShelves();
say({ kind: 'ready' });
await once(port, 'message');

/**
 * How often an order is published until it is taken, and the longest pause between two tries in milliseconds. To try again is safe: the order's id
 * is the event's id, so that one which was taken without an answer is the same event again.
 */
const tries = { most: 8, pause: 1_000 } as const;

const publishedAt = new Float64Array(orders.length);
const latencyMs = new Float64Array(orders.length);
const failures: { index: number; error: string }[] = [];
/** The last publish of each customer: the next one waits for it, since order is made by who sends. */
const last = new Map<number, Promise<void>>();
let published = 0;
let latencies: number[] = [];
let poisoned = false;
let publishRetries = 0;

const openedAt = performance.now();
const report = () => {
  say({ kind: 'progress', progress: { published, failed: failures.length, poisoned, latencies } });
  latencies = [];
};
const reporting = setInterval(report, 250);
const everything: Promise<void>[] = [];
if (options.poisonAt !== undefined) everything.push(poison(options.poisonAt));
let next = 0;
while (next < orders.length) {
  const elapsed = performance.now() - openedAt;
  while (next < orders.length && (due[next] as number) <= elapsed) {
    const { customerId } = orders[next] as (typeof orders)[number];
    const before = last.get(customerId);
    const index = next++;
    const sent = before === undefined ? send(index) : before.then(() => send(index));
    last.set(customerId, sent);
    everything.push(sent);
  }
  if (next < orders.length) await wait((due[next] as number) - (performance.now() - openedAt));
}
await Promise.all(everything);
clearInterval(reporting);
report();
say({ kind: 'done', result: { publishedAt, latencyMs, failures, publishRetries, publishedTwice, poisoned } });
port.close();

/** Publishes an order; its latency counts from the moment it was due, so that a queue in the shop itself shows. */
async function send(index: number): Promise<void> {
  const order = orders[index] as (typeof orders)[number];
  for (let count = 1; ; count++) {
    try {
      await publish('order.placed', order);
      publishedAt[index] = Date.now();
      published += 1;
      break;
    } catch (error) {
      if (count === tries.most) {
        failures.push({ index, error: String(error) });
        break;
      }
      publishRetries += 1;
      await wait(Math.min(tries.pause, 50 * 2 ** count));
    }
  }
  const latency = performance.now() - openedAt - (due[index] as number);
  latencyMs[index] = latency;
  latencies.push(latency);
}

function wait(length: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, length)));
}

/**
 * A client that sends the events of some orders once more, under another deduplication id: what comes of a publisher that
 * lost its answer and its memory.
 */
function sendingTwice(positions: readonly number[]) {
  const client = new SNSClient({});
  const twice = new Set(positions.map((position) => orders[position]?.orderId));
  return {
    async send(command: PublishCommand, sending?: { readonly abortSignal?: AbortSignal }) {
      const answer = await client.send(command, sending);
      const { data } = JSON.parse(command.input.Message ?? '') as { data: { orderId: number } };
      if (twice.delete(data.orderId)) {
        const MessageDeduplicationId = `again-${data.orderId}`;
        await client.send(new PublishCommand({ ...command.input, MessageDeduplicationId }));
        publishedTwice += 1;
      }
      return answer;
    },
  };
}

/** A body that no subscriber can decode, past the publisher, which would never send one. */
async function poison(after: number): Promise<void> {
  await wait(after);
  const client = new SNSClient({});
  await client.send(
    new PublishCommand({
      TopicArn: place.topicArn,
      Message: '{"specversion":"1.0","type":"order.pla',
      MessageGroupId: 'poison',
      MessageDeduplicationId: 'poison',
    }),
  );
  client.destroy();
  poisoned = true;
}

async function fillShelves(): Promise<void> {
  const client = new DynamoDBClient({});
  const entries = Object.entries(options.shelves);
  // BatchWriteItem takes 25 items at most (DynamoDB API reference).
  for (let start = 0; start < entries.length; start += 25)
    await client.send(
      new BatchWriteItemCommand({
        RequestItems: {
          [place.stockTable]: entries.slice(start, start + 25).map(([pk, pieces]) => ({
            PutRequest: { Item: { pk: { S: pk }, available: { N: String(pieces) } } },
          })),
        },
      }),
    );
  client.destroy();
}
