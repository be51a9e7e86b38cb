import { Duration } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  type CfnSubscription,
  type ITopic,
  Subscription,
  SubscriptionFilter,
  SubscriptionProtocol,
} from 'aws-cdk-lib/aws-sns';
import {
  DeduplicationScope,
  FifoThroughputLimit,
  Queue,
  QueueEncryption,
  type QueueProps,
} from 'aws-cdk-lib/aws-sqs';
import { Construct, type IDependable } from 'constructs';
import { type Subscriber, typeAttribute } from '../topology/index.ts';

/**
 * Props of {@link SubscriberQueue}.
 *
 * @example
 * ```ts
 * const props: SubscriberQueueProps = { definition: shop.subscribers.payments, topic };
 * ```
 */
export interface SubscriberQueueProps {
  /** The subscriber as declared. */
  readonly definition: Subscriber;
  /** The topic that it hears. */
  readonly topic: ITopic;
}

/**
 * A subscriber's queue, its subscription to the topic, and the dead-letter queue of each, with the policies that
 * let the topic, and nobody else, deliver.
 *
 * @example
 * ```ts
 * new SubscriberQueue(this, 'Payments', {
 *   definition: shop.subscribers.payments,
 *   topic,
 * }).queue.queueUrl;
 * ```
 */
export class SubscriberQueue extends Construct {
  readonly queue: Queue;
  /** What the consumer gave up, and what SQS moved away as the last net. */
  readonly deadLetterQueue: Queue;
  readonly subscription: Subscription;
  /** What the topic could not deliver to the queue. */
  readonly subscriptionDeadLetterQueue: Queue;

  constructor(scope: Construct, id: string, { definition, topic }: SubscriberQueueProps) {
    super(scope, id);
    const retention = Duration.seconds(definition.deadLetterRetention);
    this.deadLetterQueue = new Queue(this, 'DeadLetterQueue', {
      ...secured,
      ...kind(definition.deadLetterFifo),
      ...named(definition.deadLetterQueueName),
      retentionPeriod: retention,
    });
    this.queue = new Queue(this, 'Queue', {
      ...secured,
      ...kind(definition.fifo),
      ...named(definition.queueName),
      visibilityTimeout: Duration.seconds(definition.visibilityTimeout),
      retentionPeriod: Duration.seconds(definition.retention),
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount: definition.maxReceiveCount },
    });
    // Its kind follows the topic, not the queue: subscriptions of a FIFO topic use FIFO queues, those of a
    // standard topic standard ones (SNS developer guide, "Dead-letter queues").
    this.subscriptionDeadLetterQueue = new Queue(this, 'SubscriptionDeadLetterQueue', {
      ...secured,
      ...kind(definition.subscriptionDeadLetterFifo),
      ...named(definition.subscriptionDeadLetterQueueName),
      retentionPeriod: retention,
    });
    const mayDeliver = allowDelivery(this.queue, topic);
    const mayDeadLetter = allowDelivery(this.subscriptionDeadLetterQueue, topic);
    this.subscription = new Subscription(this, 'Subscription', {
      topic,
      protocol: SubscriptionProtocol.SQS,
      endpoint: this.queue.queueArn,
      rawMessageDelivery: true,
      ...(definition.filter
        ? {
            filterPolicy: {
              [typeAttribute]: SubscriptionFilter.stringFilter({ allowlist: [...definition.on] }),
            },
          }
        : {}),
    });
    const resource = this.subscription.node.defaultChild as CfnSubscription;
    // Always said: a subscription whose scope once was the body does not go back by leaving it out.
    resource.filterPolicyScope = 'MessageAttributes';
    resource.redrivePolicy = { deadLetterTargetArn: this.subscriptionDeadLetterQueue.queueArn };
    // Deliveries begin with the subscription; one that the policy does not allow yet is lost, not retried.
    this.subscription.node.addDependency(mayDeliver, mayDeadLetter);
  }
}

const secured = {
  encryption: QueueEncryption.SQS_MANAGED,
  enforceSSL: true,
  receiveMessageWaitTime: Duration.seconds(20),
} as const satisfies QueueProps;

/** High throughput for FIFO (SQS developer guide): deduplication and the limit count for each message group. */
const kind = (fifo: boolean): QueueProps =>
  fifo
    ? {
        fifo: true,
        contentBasedDeduplication: false,
        deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
        fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
      }
    : {};

const named = (queueName: string | undefined): QueueProps => (queueName === undefined ? {} : { queueName });

function allowDelivery(queue: Queue, topic: ITopic): IDependable {
  const { policyDependable } = queue.addToResourcePolicy(
    new PolicyStatement({
      actions: ['sqs:SendMessage'],
      principals: [new ServicePrincipal('sns.amazonaws.com')],
      resources: [queue.queueArn],
      conditions: { ArnEquals: { 'aws:SourceArn': topic.topicArn } },
    }),
  );
  return policyDependable ?? queue;
}
