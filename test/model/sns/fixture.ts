import type { PublishBatchCommandOutput, PublishCommandOutput } from '@aws-sdk/client-sns';
import { seededRandom } from '../../../lib/base/index.ts';
import { createVirtualClock } from '../../../local/clock.ts';
import { type ModelContext, type Principal, ServiceError } from '../../../local/service.ts';
import { createSns, type QueueMessage } from '../../../local/sns/index.ts';

export const ACCOUNT = '123456789012';
export const REGION = 'eu-central-1';
export const queueArn = (name: string) => `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}`;

export interface Delivered extends QueueMessage {
  readonly queue: string;
  readonly principal: Principal;
}

/** SNS over queues that take everything, unless `refuse` says otherwise, and remember what they took. */
export function snsWithQueues() {
  const clock = createVirtualClock();
  const counts = new Map<string, number>();
  const delivered: Delivered[] = [];
  const failures = new Map<string, () => ServiceError | undefined>();
  const context: ModelContext = {
    clock,
    random: seededRandom(1),
    account: ACCOUNT,
    region: REGION,
    endpoint: 'http://127.0.0.1:4566',
    metrics: {
      count: (_, name, __, value) => counts.set(name, (counts.get(name) ?? 0) + value),
      gauge: () => () => {},
    },
  };
  const sns = createSns(context, {
    deliver(arn, message, principal) {
      const queue = arn.split(':').at(-1)!;
      const failure = failures.get(queue)?.();
      if (failure !== undefined) throw failure;
      delivered.push({ ...message, queue, principal });
      return { messageId: String(delivered.length) };
    },
  });
  const call = <Output = Record<string, unknown>>(action: string, input: object) =>
    sns.operations[action]!(input, {}) as Output;
  const topic = (name: string, attributes: Record<string, string> = {}) =>
    call<{ TopicArn: string }>('CreateTopic', {
      Name: name,
      Attributes: { ...(name.endsWith('.fifo') ? { FifoTopic: 'true' } : {}), ...attributes },
    }).TopicArn;
  const subscribe = (topicArn: string, queue: string, attributes: Record<string, string> = {}) =>
    call<{ SubscriptionArn: string }>('Subscribe', {
      TopicArn: topicArn,
      Protocol: 'sqs',
      Endpoint: queueArn(queue),
      Attributes: attributes,
    }).SubscriptionArn;
  return {
    sns,
    clock,
    delivered,
    failures,
    call,
    topic,
    subscribe,
    count: (name: string) => counts.get(name) ?? 0,
    publish: (topicArn: string, message: string, more: object = {}) =>
      call<PublishCommandOutput>('Publish', { TopicArn: topicArn, Message: message, ...more }),
    publishBatch: (topicArn: string, entries: readonly object[]) =>
      call<PublishBatchCommandOutput>('PublishBatch', {
        TopicArn: topicArn,
        PublishBatchRequestEntries: entries,
      }),
    bodies: (queue: string) => delivered.filter((one) => one.queue === queue).map((one) => one.body),
  };
}

export const queueGone = () => new ServiceError('QueueDoesNotExist', 'The specified queue does not exist.');
export const queueDown = () => new ServiceError('InternalError', 'down', { statusCode: 500 });
