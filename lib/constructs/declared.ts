import { Duration, Size } from 'aws-cdk-lib';
import type { Subscriber, Topic } from '../topology/index.ts';
import type { HandlerFunctionOptions } from './consumer-function.ts';
import type { SubscriberQueueProps } from './subscriber-queue.ts';
import type { MessagingTopicProps } from './topic.ts';

/** A declared topic in the words of the construct that makes it. */
export const topicProps = ({ fifo, topicName }: Topic) =>
  ({ fifo, topicName }) satisfies MessagingTopicProps;

/** A declared subscriber in the words of the construct that makes its queues. */
export const queueProps = (subscriber: Subscriber) =>
  ({
    fifo: subscriber.fifo,
    deadLetterFifo: subscriber.deadLetterFifo,
    subscriptionDeadLetterFifo: subscriber.subscriptionDeadLetterFifo,
    visibilityTimeout: Duration.seconds(subscriber.visibilityTimeout),
    retentionPeriod: Duration.seconds(subscriber.retention),
    deadLetterRetentionPeriod: Duration.seconds(subscriber.deadLetterRetention),
    maxReceiveCount: subscriber.maxReceiveCount,
    filterPolicy: subscriber.filter ? [...subscriber.on] : undefined,
    queueName: subscriber.queueName,
    deadLetterQueueName: subscriber.deadLetterQueueName,
    subscriptionDeadLetterQueueName: subscriber.subscriptionDeadLetterQueueName,
  });
