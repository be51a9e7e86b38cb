import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { Child } from '../child.ts';

/** A server in a process of its own. */
export interface Server {
  readonly child: Child;
  readonly url: string;
}

/** What a server says when it listens, and when it is asked for its processor time so far. */
export type ServerAnswer = { readonly url: string } | { readonly cpuUs: number };

/** The processor time that a server has used since its start, in microseconds. */
export async function cpuOfServer({ child }: Server): Promise<number> {
  const { cpuUs } = await child.ask<{ cpuUs: number }>({ ask: 'cpu' });
  return cpuUs;
}

/** A body as the example's events have it: 400 bytes. */
const body = JSON.stringify({
  specversion: '1.0',
  id: 'order.placed:12345',
  source: 'sluice/orders',
  type: 'order.placed',
  time: '1997-01-12T00:00:00.000Z',
  data: { orderId: 12345, customerId: 3821, amount: 2933, quantity: 2, filling: 'x'.repeat(220) },
});

/** Batches of ten that are under way at once: enough to keep a server busy. */
const loops = 4;

/** Sends, receives and deletes messages in batches of ten, by the real SDK over HTTP. */
export interface Exchange {
  /** Resolves when `count` messages were received and deleted. */
  move(count: number): Promise<void>;
  close(): void;
}

/** Makes a queue on a server, and the client that uses it: the same for every server. */
export async function createExchange({ url }: Server, fifo: boolean): Promise<Exchange> {
  const client = new SQSClient({ endpoint: url, region: 'us-east-1', useQueueUrlAsEndpoint: false });
  const { QueueUrl } = await client.send(
    new CreateQueueCommand({
      QueueName: fifo ? 'bench.fifo' : 'bench',
      Attributes: { VisibilityTimeout: '300', ...(fifo && { FifoQueue: 'true' }) },
    }),
  );
  let sequence = 0;
  const entry = (Id: string) => {
    const number = sequence++;
    return {
      Id,
      MessageBody: body,
      // A message of a group blocks the rest of it, so each has its own: what is measured is the server, not the lock.
      ...(fifo && { MessageGroupId: `group-${number}`, MessageDeduplicationId: `message-${number}` }),
    };
  };
  const ids = Array.from({ length: 10 }, (_, index) => String(index));
  return {
    async move(count) {
      let open = count;
      const loop = async () => {
        while (open > 0) {
          open -= 10;
          const { Failed = [] } = await client.send(
            new SendMessageBatchCommand({ QueueUrl, Entries: ids.map(entry) }),
          );
          if (Failed.length > 0) throw new Error(`The server took only a part: ${JSON.stringify(Failed[0])}`);
          for (let left = 10; left > 0; ) {
            const { Messages = [] } = await client.send(
              new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: left, WaitTimeSeconds: 1 }),
            );
            left -= Messages.length;
            if (Messages.length === 0) continue;
            await client.send(
              new DeleteMessageBatchCommand({
                QueueUrl,
                Entries: Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
              }),
            );
          }
        }
      };
      await Promise.all(Array.from({ length: loops }, loop));
    },
    close: () => client.destroy(),
  };
}
