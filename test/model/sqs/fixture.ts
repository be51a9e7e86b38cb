import type { Message, ReceiveMessageCommandInput, SendMessageCommandInput } from '@aws-sdk/client-sqs';
import { milliseconds, seededRandom } from '../../../lib/base/index.ts';
import { createVirtualClock } from '../../../local/clock.ts';
import { ServiceError } from '../../../local/service.ts';
import { createSqs, type SqsOptions } from '../../../local/sqs/index.ts';

export const ACCOUNT = '000000000000';

/** Metrics as they came in: counts by `queue name`, gauges by the same key. */
export function createRecorder() {
  const counts = new Map<string, number[]>();
  const gauges = new Map<string, () => number | undefined>();
  const key = (name: string, dimensions: Readonly<Record<string, string>>) =>
    `${dimensions.QueueName} ${name}`;
  return {
    counts,
    gauges,
    sink: {
      count(_namespace: string, name: string, dimensions: Readonly<Record<string, string>>, value: number) {
        const values = counts.get(key(name, dimensions)) ?? [];
        values.push(value);
        counts.set(key(name, dimensions), values);
      },
      gauge(
        _namespace: string,
        name: string,
        dimensions: Readonly<Record<string, string>>,
        read: () => number | undefined,
      ) {
        gauges.set(key(name, dimensions), read);
        return () => gauges.delete(key(name, dimensions));
      },
    },
    sum: (queue: string, name: string) =>
      (counts.get(`${queue} ${name}`) ?? []).reduce((total, value) => total + value, 0),
    read: (queue: string, name: string) => gauges.get(`${queue} ${name}`)?.(),
  };
}

/** A model of SQS on a virtual clock, with short words for what tests do. */
export function createFixture(options: SqsOptions & { readonly seed?: number } = {}) {
  const clock = createVirtualClock();
  const recorder = createRecorder();
  const sqs = createSqs(
    {
      clock,
      random: seededRandom(options.seed ?? 1),
      account: ACCOUNT,
      region: 'us-east-1',
      endpoint: 'http://127.0.0.1:4566',
      metrics: recorder.sink,
    },
    options,
  );
  const { operations } = sqs;

  const create = (name: string, attributes: Record<string, string> = {}): string => {
    const fifo = name.endsWith('.fifo') ? { FifoQueue: 'true' } : {};
    return operations.CreateQueue({ QueueName: name, Attributes: { ...fifo, ...attributes } }).QueueUrl;
  };
  let sends = 0;
  const send = (QueueUrl: string, MessageBody: string, more: Partial<SendMessageCommandInput> = {}) => {
    const fifo = QueueUrl.endsWith('.fifo')
      ? { MessageGroupId: 'g', MessageDeduplicationId: `d${++sends}` }
      : {};
    return operations.SendMessage({ QueueUrl, MessageBody, ...fifo, ...more }, {});
  };
  const receive = async (
    QueueUrl: string,
    MaxNumberOfMessages = 10,
    more: Partial<ReceiveMessageCommandInput> = {},
  ): Promise<readonly Message[]> => {
    const answer = await operations.ReceiveMessage(
      { QueueUrl, MaxNumberOfMessages, MessageSystemAttributeNames: ['All'], ...more },
      {},
    );
    return answer.Messages ?? [];
  };
  const bodies = async (QueueUrl: string, limit = 10, more: Partial<ReceiveMessageCommandInput> = {}) =>
    (await receive(QueueUrl, limit, more)).map(({ Body }) => Body);
  const remove = (QueueUrl: string, message: Message | undefined) =>
    operations.DeleteMessage({ QueueUrl, ReceiptHandle: message?.ReceiptHandle });
  const change = (QueueUrl: string, message: Message | undefined, VisibilityTimeout: number) =>
    operations.ChangeMessageVisibility({
      QueueUrl,
      ReceiptHandle: message?.ReceiptHandle,
      VisibilityTimeout,
    });
  const arnOf = (name: string) => `arn:aws:sqs:us-east-1:${ACCOUNT}:${name}`;
  const redrive = (name: string, maxReceiveCount: number) => ({
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arnOf(name), maxReceiveCount }),
  });
  const wait = (seconds: number) => clock.advance(milliseconds(seconds * 1000));
  return {
    clock,
    recorder,
    sqs,
    operations,
    create,
    send,
    receive,
    bodies,
    remove,
    change,
    arnOf,
    redrive,
    wait,
  };
}

/** The error that a call throws, for assertions on its name, message and codes. */
export function errorOf(run: () => unknown): ServiceError {
  try {
    run();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('The call should have failed.');
}
