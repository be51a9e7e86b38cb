import { Duration } from 'aws-cdk-lib';
import { SubscriptionFilter } from 'aws-cdk-lib/aws-sns';
import { type Subscriber, type Topic, typeAttribute } from '../topology/index.ts';
import type { SubscriberOptions } from './stack-props.ts';
import type { SubscriberQueueProps } from './subscriber-queue.ts';
import type { MessagingTopicProps } from './topic.ts';

/** A declared topic in the words of the construct that makes it. */
export const topicProps = ({ fifo, topicName }: Topic): MessagingTopicProps => ({ fifo, topicName });

/** Queues that exist already, instead of made ones. */
type Existing = Pick<SubscriberOptions, 'queue' | 'deadLetterQueue' | 'subscriptionDeadLetterQueue'>;

/** A declared subscriber in the words of the construct that makes its queues. A queue that exists has its name. */
export const queueProps = (
  definition: Subscriber,
  { queue, deadLetterQueue, subscriptionDeadLetterQueue }: Existing = {},
): Omit<SubscriberQueueProps, 'topic'> => ({
  queue,
  deadLetterQueue,
  subscriptionDeadLetterQueue,
  fifo: definition.fifo,
  deadLetterFifo: deadLetterQueue === undefined ? definition.deadLetterFifo : undefined,
  subscriptionDeadLetterFifo:
    subscriptionDeadLetterQueue === undefined ? definition.subscriptionDeadLetterFifo : undefined,
  visibilityTimeout: queue === undefined ? Duration.seconds(definition.visibilityTimeout) : undefined,
  retentionPeriod: queue === undefined ? Duration.seconds(definition.retention) : undefined,
  deadLetterRetentionPeriod: Duration.seconds(definition.deadLetterRetention),
  maxReceiveCount: definition.maxReceiveCount,
  queueName: queue === undefined ? definition.queueName : undefined,
  deadLetterQueueName: deadLetterQueue === undefined ? definition.deadLetterQueueName : undefined,
  subscriptionDeadLetterQueueName:
    subscriptionDeadLetterQueue === undefined ? definition.subscriptionDeadLetterQueueName : undefined,
  filterPolicy: definition.filter
    ? { [typeAttribute]: SubscriptionFilter.stringFilter({ allowlist: [...definition.on] }) }
    : undefined,
});
