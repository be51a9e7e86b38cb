import { type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { Consumer } from 'sqs-consumer';
import { environment, type Subscriber } from '../../lib/topology/index.ts';
import type { HarnessRecord, HarnessTools } from '../../local/index.ts';
import type { BuildConsumer } from '../../ops/simulation/index.ts';
import { putIfAbsent } from './once.ts';
import { workOf } from './work.ts';

/**
 * sqs-consumer with a table of its user: put-if-absent, then the effect, and the item deleted when the work fails.
 *
 * The library polls in a process of its own. Here the event source of the model stands in for its long poll, so that a
 * process can be killed, frozen and replaced as any other environment: what Lambda is handed is the answer to the
 * consumer's ReceiveMessage. All else is the library's own code and its own calls: handlers, heartbeats, deletes.
 */
export const buildSqsConsumer: BuildConsumer = (order) => {
  const { messaging, subscriber, tools } = order;
  const { fifo, visibilityTimeout } = messaging.subscribers[subscriber] as Subscriber;
  const work = putIfAbsent(order, workOf(order), 'is deleted');
  let remaining = () => 0;
  const handle = async (message: Message): Promise<Message> => {
    const attempt = Number(message.Attributes?.ApproximateReceiveCount);
    await work(message.Body ?? '', attempt, remaining());
    return message;
  };
  /** As the README wants it for FIFO queues: the messages of a batch one after another; a failed group waits. */
  const handleInOrder = async (messages: Message[]): Promise<Message[]> => {
    const done: Message[] = [];
    const failed = new Set<string | undefined>();
    for (const message of messages) {
      const group = message.Attributes?.MessageGroupId;
      if (failed.has(group)) continue;
      await handle(message).then(
        () => done.push(message),
        () => failed.add(group),
      );
    }
    return done;
  };
  const poll = createPoll(tools);
  const consumer = Consumer.create({
    queueUrl: tools.environment[environment.queueUrl] ?? '',
    sqs: poll.client,
    batchSize: 10,
    attributeNames: ['All'],
    visibilityTimeout,
    heartbeatInterval: 10,
    suppressFifoWarning: true,
    ...(fifo ? { handleMessageBatch: handleInOrder } : { handleMessage: handle }),
  });
  // As in its README: without listeners an error would end the process.
  consumer.on('error', ({ message }) => tools.logger.warn(message));
  consumer.on('processing_error', ({ message }) => tools.logger.warn(message));

  return async ({ Records }, context) => {
    remaining = () => context.getRemainingTimeInMillis();
    const over = poll.give(Records.map(received));
    consumer.start();
    await over;
    // The event source deletes nothing: that was the consumer's to do.
    return { batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
};

/** A client whose ReceiveMessage answers with what it is given; `give` resolves when the consumer polls again. */
function createPoll({ sqs }: HarnessTools) {
  let given: readonly Message[] | undefined;
  let waiting: ((messages: readonly Message[]) => void) | undefined;
  let over: (() => void) | undefined;
  const receive = async () => {
    let Messages = given;
    if (Messages === undefined) {
      over?.();
      Messages = await new Promise<readonly Message[]>((resolve) => {
        waiting = resolve;
      });
    }
    given = undefined;
    return { Messages: [...Messages] };
  };
  const send = (command: Parameters<SQSClient['send']>[0], options: object) =>
    command instanceof ReceiveMessageCommand ? receive() : sqs.send(command, options);
  return {
    // The SDK's send has four overloads, of which the consumer uses one.
    client: { send } as unknown as SQSClient,
    give(messages: readonly Message[]): Promise<void> {
      if (waiting === undefined) given = messages;
      else waiting(messages);
      waiting = undefined;
      return new Promise((resolve) => {
        over = resolve;
      });
    },
  };
}

const received = ({ messageId, receiptHandle, body, attributes }: HarnessRecord): Message => ({
  MessageId: messageId,
  ReceiptHandle: receiptHandle,
  Body: body,
  Attributes: attributes,
});
