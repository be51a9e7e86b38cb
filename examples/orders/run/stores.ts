import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { ReceiveMessageCommandOutput } from '@aws-sdk/client-sqs';
import type { DeadLetter, PickedOrder, RevenuePart } from './judge.ts';
import type { Item, Stage } from './stage.ts';

/** What the tables of the example hold, and the waits that they have added up, in milliseconds. */
export interface Tables {
  readonly pickLists: Map<string, readonly PickedOrder[]>;
  readonly shelves: Map<string, number>;
  readonly revenue: Map<string, RevenuePart>;
  readonly inventoryWaitMs: number;
  readonly analyticsWaitMs: number;
}

/** Reads the table of stock and the table of revenue. */
export function readTables(stock: readonly Item[], revenueItems: readonly Item[]): Tables {
  const pickLists = new Map<string, readonly PickedOrder[]>();
  const shelves = new Map<string, number>();
  const revenue = new Map<string, RevenuePart>();
  let inventoryWaitMs = 0;
  let analyticsWaitMs = 0;
  for (const item of stock) {
    const key = item.pk?.S ?? '';
    if (item.available !== undefined) shelves.set(key, number(item.available));
    else {
      const list = (item.orders?.L ?? []).map(({ M: entry }) => ({
        orderId: number(entry?.id),
        backOrdered: entry?.from?.S !== 'shelf',
      }));
      pickLists.set(key, list);
      inventoryWaitMs += number(item.waitedMs);
    }
  }
  for (const item of revenueItems) {
    revenue.set(item.pk?.S ?? '', {
      orders: number(item.orders),
      pieces: number(item.pieces),
      cents: number(item.cents),
    });
    analyticsWaitMs += number(item.waitedMs);
  }
  return { pickLists, shelves, revenue, inventoryWaitMs, analyticsWaitMs };
}

const number = (value: AttributeValue | undefined): number => Number(value?.N ?? 0);

/** How long a message of a dead-letter queue stays hidden while the queue is read, in seconds. */
const readingTime = 300;

/**
 * Reads what lies in the subscribers' dead-letter queues and puts it back. A standard queue may give a message twice:
 * it is counted once.
 */
export async function readDeadLetters(stage: Pick<Stage, 'places' | 'sqs'>): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = [];
  for (const { name: subscriber, deadLetterQueueUrl: QueueUrl } of stage.places) {
    const seen = new Map<string, { receipt: string; letter: DeadLetter }>();
    for (;;) {
      const { Messages = [] } = (await stage.sqs('ReceiveMessage', {
        QueueUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: readingTime,
        WaitTimeSeconds: 0,
        MessageAttributeNames: ['All'],
      })) as ReceiveMessageCommandOutput;
      if (Messages.length === 0) break;
      for (const message of Messages)
        seen.set(message.MessageId ?? '', {
          receipt: message.ReceiptHandle ?? '',
          letter: {
            subscriber,
            reason: reasonOf(message.MessageAttributes),
            orderId: orderIdOf(message.Body ?? ''),
            body: message.Body ?? '',
          },
        });
    }
    for (const { receipt, letter } of seen.values()) {
      letters.push(letter);
      await stage.sqs('ChangeMessageVisibility', {
        QueueUrl,
        ReceiptHandle: receipt,
        VisibilityTimeout: 0,
      });
    }
  }
  return letters;
}

type Attributes = Readonly<Record<string, { readonly StringValue?: string | undefined }>> | undefined;

/** `sluice-reason`, or the reason inside the packed `sluice-failure`; `unknown` when SQS itself moved the message. */
function reasonOf(attributes: Attributes): string {
  const direct = attributes?.['sluice-reason']?.StringValue;
  if (direct !== undefined) return direct;
  const packed = attributes?.['sluice-failure']?.StringValue;
  const reason = packed === undefined ? undefined : (JSON.parse(packed) as { reason?: string }).reason;
  return reason ?? 'unknown';
}

function orderIdOf(body: string): number | undefined {
  try {
    const { data } = JSON.parse(body) as { data?: { orderId?: number } };
    return data?.orderId;
  } catch {
    // The poison: there is no order in it.
    return undefined;
  }
}
