import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  type Message,
  type QueueAttributeName,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SendMessageCommand,
  type SendMessageCommandInput,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import { Difference } from '../../case.ts';
import type { World } from '../../world.ts';
import { refusedOver } from './refused.ts';

/** Attributes of a queue, by name. */
export type QueueAttributes = Partial<Record<QueueAttributeName, string>>;

type SendOptions = Partial<SendMessageCommandInput>;
type ReceiveOptions = Partial<ReceiveMessageCommandInput>;

/** Makes a queue for one case; a FIFO queue when its attributes say so. Gives its URL. */
export async function queue({ sqs, name, after }: World, attributes: QueueAttributes): Promise<string> {
  const QueueName = name('queue', attributes.FifoQueue === 'true' ? '.fifo' : '');
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes: attributes }));
  after(() => sqs.send(new DeleteQueueCommand({ QueueUrl })));
  return QueueUrl;
}

/** Short words for what the cases of SQS do. */
export function sqsOf(world: World) {
  const { sqs } = world;

  const attributes = async (QueueUrl: string, ...names: QueueAttributeName[]) => {
    const AttributeNames = names.length === 0 ? (['All'] as const) : names;
    const answer = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] }),
    );
    return answer.Attributes ?? {};
  };
  const set = (QueueUrl: string, Attributes: QueueAttributes) =>
    sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  const arn = async (url: string) => (await attributes(url, 'QueueArn')).QueueArn ?? '';

  const send = (QueueUrl: string, MessageBody: string, more: SendOptions = {}) =>
    sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...more }));

  /** To a FIFO queue; without another id the body is the deduplication id. */
  const sendTo = (url: string, group: string, body: string, more: SendOptions = {}) =>
    send(url, body, { MessageGroupId: group, MessageDeduplicationId: body, ...more });

  const sendBatch = (QueueUrl: string, entries: readonly Partial<SendMessageBatchRequestEntry>[]) =>
    sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries: entries as SendMessageBatchRequestEntry[] }));

  /** What one receive gives, up to ten; it waits a second when there is nothing. */
  const receive = (QueueUrl: string, more: ReceiveOptions = {}): Promise<readonly Message[]> =>
    begun(
      sqs
        .send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1, ...more }))
        .then(({ Messages = [] }) => Messages),
    );

  /** One message, with its system attributes and its own. */
  const receiveOne = async (url: string, more: ReceiveOptions = {}): Promise<Message> => {
    const [message] = await receive(url, {
      MaxNumberOfMessages: 1,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
      ...more,
    });
    if (message === undefined) throw new Difference('Nothing was received where a message waits.');
    return message;
  };

  const bodies = (url: string, more: ReceiveOptions = {}) =>
    begun(receive(url, more).then((messages) => messages.map(({ Body }) => Body)));

  /** Nothing can be received at this moment; `why` says what it means when something is. */
  const nothing = async (url: string, why: string) => {
    const got = await bodies(url, { WaitTimeSeconds: 0 });
    if (got.length > 0) throw new Difference(`${why}: received ${got.join(', ')}.`);
  };

  const remove = (QueueUrl: string, message: Message | undefined) =>
    sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle }));

  const change = (QueueUrl: string, message: Message | undefined, VisibilityTimeout: number) =>
    sqs.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl,
        ReceiptHandle: message?.ReceiptHandle,
        VisibilityTimeout,
      }),
    );

  const counts = async (url: string) => {
    const found = await attributes(
      url,
      'ApproximateNumberOfMessages',
      'ApproximateNumberOfMessagesNotVisible',
      'ApproximateNumberOfMessagesDelayed',
    );
    return [
      found.ApproximateNumberOfMessages,
      found.ApproximateNumberOfMessagesNotVisible,
      found.ApproximateNumberOfMessagesDelayed,
    ].map(Number);
  };

  /** A queue, the queue for its dead letters, and the policy between them. */
  const pair = async (
    maxReceiveCount: number,
    source: QueueAttributes = {},
    target: QueueAttributes = {},
  ): Promise<{ url: string; dead: string; deadArn: string }> => {
    const kind = source.FifoQueue === undefined ? {} : { FifoQueue: source.FifoQueue };
    const dead = await queue(world, { ...kind, ...target });
    const deadArn = await arn(dead);
    const RedrivePolicy = redrivePolicy(deadArn, maxReceiveCount);
    return { url: await queue(world, { ...source, RedrivePolicy }), dead, deadArn };
  };

  return {
    attributes,
    set,
    arn,
    send,
    sendTo,
    sendBatch,
    receive,
    receiveOne,
    bodies,
    nothing,
    remove,
    change,
    counts,
    pair,
    queue: (wanted: QueueAttributes = {}) => queue(world, wanted),
    fifo: (wanted: QueueAttributes = {}) => queue(world, { FifoQueue: 'true', ...wanted }),
    refused: refusedOver,
  };
}

/**
 * A call that goes on while the case does something else. When the case ends before, the call is cut off, and nobody
 * hears of it: that is no failure of its own.
 */
export function begun<Found>(call: Promise<Found>): Promise<Found> {
  call.catch(() => {});
  return call;
}

/** What {@link sqsOf} gives. */
export type Sqs = ReturnType<typeof sqsOf>;

/** The attribute RedrivePolicy. */
export const redrivePolicy = (deadLetterTargetArn: string, maxReceiveCount: number | string): string =>
  JSON.stringify({ deadLetterTargetArn, maxReceiveCount });
