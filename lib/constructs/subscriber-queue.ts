import { Annotations, Duration, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  type CfnSubscription,
  type ITopic,
  Subscription,
  type SubscriptionFilter,
  SubscriptionProtocol,
} from 'aws-cdk-lib/aws-sns';
import {
  DeduplicationScope,
  FifoThroughputLimit,
  type IQueue,
  Queue,
  QueueEncryption,
  type QueueProps,
  type RedriveAllowPolicy,
  RedrivePermission,
} from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { entrance } from '../base/index.ts';
import { acknowledge } from './acknowledged.ts';
import { keyItself } from './encryption.ts';
import { standardSubscriber } from './judge.ts';
import { allowDelivery, demandTls, grantReceive, grantSend } from './queue-access.ts';
import { demandSubscriberQueue, kindOf } from './subscriber-queue-faults.ts';

/**
 * Props of {@link SubscriberQueue}.
 *
 * @example
 * ```ts
 * const props: SubscriberQueueProps = { topic, fifo: true, visibilityTimeout: Duration.minutes(3) };
 * ```
 */
export interface SubscriberQueueProps {
  /** The topic that it hears; of this app, or imported from whatever account. */
  readonly topic: ITopic;
  /**
   * A queue that exists already. It gets the statements that it needs when it belongs to this app; when it is imported,
   * an output and a warning say what its owner must add. Its own values are left as they are.
   *
   * @default - a queue is made
   */
  readonly queue?: IQueue | undefined;
  /**
   * A queue that exists already, for what the consumer gave up.
   *
   * @default - the dead-letter queue of `queue` where the CDK knows it, else one is made; a warning then says which
   * redrive policy an existing `queue` needs
   */
  readonly deadLetterQueue?: IQueue | undefined;
  /**
   * A queue that exists already, for what the topic could not deliver; it gets its statements as `queue` does.
   *
   * @default - one is made
   */
  readonly subscriptionDeadLetterQueue?: IQueue | undefined;
  /**
   * Keep the order within each message group; needs a FIFO topic.
   *
   * @default - the kind of `queue`, else false
   */
  readonly fifo?: boolean | undefined;
  /**
   * How long a received message is hidden, up to 12 hours: six times the function's timeout, plus the batching window
   * (Lambda developer guide, "Using Lambda with Amazon SQS").
   *
   * @default Duration.seconds(180)
   */
  readonly visibilityTimeout?: Duration | undefined;
  /**
   * How long the queue keeps a message, 1 minute to 14 days.
   *
   * @default Duration.days(4)
   */
  readonly retentionPeriod?: Duration | undefined;
  /**
   * How long both dead-letter queues keep a message: longer than the queue, and up to 14 days.
   *
   * @default Duration.days(14)
   */
  readonly deadLetterRetentionPeriod?: Duration | undefined;
  /**
   * After how many receives SQS itself moves a message to the dead-letter queue, up to 1,000: the last net, far above
   * the attempts that the consumer counts.
   *
   * @default - 100; on FIFO 200, since the messages behind a failing head come back with it
   */
  readonly maxReceiveCount?: number | undefined;
  /**
   * Let SNS deliver only messages with these attributes. On a FIFO topic a filter makes delivery at-most-once (SNS
   * developer guide).
   *
   * @default - everything is delivered
   */
  readonly filterPolicy?: Readonly<Record<string, SubscriptionFilter>> | undefined;
  /**
   * The queue's physical name, up to 80 characters (SQS quotas); a FIFO queue's ends with `.fifo`. With it, nothing but
   * this queue may use the dead-letter queue.
   *
   * @default - chosen by CloudFormation
   */
  readonly queueName?: string | undefined;
  /**
   * The dead-letter queue's physical name, by the rules of `queueName`.
   *
   * @default - chosen by CloudFormation
   */
  readonly deadLetterQueueName?: string | undefined;
  /**
   * The physical name of the subscription's dead-letter queue, by the rules of `queueName`.
   *
   * @default - chosen by CloudFormation
   */
  readonly subscriptionDeadLetterQueueName?: string | undefined;
  /**
   * Whether the dead-letter queue is FIFO. SQS demands the kind of the queue itself.
   *
   * @default - the kind of the queue
   */
  readonly deadLetterFifo?: boolean | undefined;
  /**
   * Whether the subscription's dead-letter queue is FIFO. SNS demands the kind of the topic.
   *
   * @default - the kind of the topic; say it of an imported topic whose ARN only the deployment knows
   */
  readonly subscriptionDeadLetterFifo?: boolean | undefined;
  /**
   * The customer key under which the queues that are made are encrypted; SNS is let use it.
   *
   * @default - SSE-SQS: a key of SQS itself
   */
  readonly encryptionKey?: IKey | undefined;
  /**
   * What becomes of the dead-letter queues that are made when the stack is deleted: what they hold is nowhere else.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly deadLetterRemovalPolicy?: RemovalPolicy | undefined;
}

/**
 * A subscriber's queue, its subscription to the topic, and the dead-letter queue of each, with the policies that let the
 * topic, and nobody else, deliver. Delivery is raw. All three are encrypted and refuse what comes unencrypted.
 *
 * @throws Error listing every fault of the props
 * @example
 * ```ts
 * const payments = new SubscriberQueue(this, 'Payments', { topic, fifo: true });
 * payments.grantConsume(worker);
 * ```
 */
export class SubscriberQueue extends Construct {
  static {
    entrance(SubscriberQueue);
  }

  readonly queue: IQueue;
  /** What the consumer gave up, and what SQS moved away as the last net. */
  readonly deadLetterQueue: IQueue;
  readonly subscription: Subscription;
  /** What the topic could not deliver to the queue. */
  readonly subscriptionDeadLetterQueue: IQueue;

  constructor(scope: Construct, id: string, props: SubscriberQueueProps) {
    super(scope, id);
    demandSubscriberQueue(this, props);
    const { topic } = props;
    const fifo = props.fifo ?? props.queue?.fifo ?? false;
    const standard = standardSubscriber(fifo);
    const secured = security(props.encryptionKey);
    const retention = props.deadLetterRetentionPeriod ?? Duration.seconds(standard.deadLetterRetention);
    const removalPolicy = props.deadLetterRemovalPolicy ?? RemovalPolicy.RETAIN;

    this.deadLetterQueue =
      props.deadLetterQueue ??
      deadLettersOf(props.queue) ??
      new Queue(this, 'DeadLetterQueue', {
        ...secured,
        ...kind(props.deadLetterFifo ?? fifo),
        ...named(props.deadLetterQueueName),
        ...allowed(this.#onlyFrom(props)),
        retentionPeriod: retention,
        removalPolicy,
      });
    this.queue =
      props.queue ??
      new Queue(this, 'Queue', {
        ...secured,
        ...kind(fifo),
        ...named(props.queueName),
        visibilityTimeout: props.visibilityTimeout ?? Duration.seconds(standard.visibilityTimeout),
        retentionPeriod: props.retentionPeriod ?? Duration.seconds(standard.retention),
        deadLetterQueue: {
          queue: this.deadLetterQueue,
          maxReceiveCount: props.maxReceiveCount ?? standard.maxReceiveCount,
        },
      });
    // Its kind follows the topic, not the queue: subscriptions of a FIFO topic use FIFO queues, those of a
    // standard topic standard ones (SNS developer guide, "Dead-letter queues").
    this.subscriptionDeadLetterQueue =
      props.subscriptionDeadLetterQueue ??
      new Queue(this, 'SubscriptionDeadLetterQueue', {
        ...secured,
        ...kind(props.subscriptionDeadLetterFifo ?? kindOf(topic) ?? false),
        ...named(props.subscriptionDeadLetterQueueName),
        // SNS needs no such permission: nothing else may move messages here.
        ...allowed({ redrivePermission: RedrivePermission.DENY_ALL }),
        retentionPeriod: retention,
        removalPolicy,
      });
    if (props.deadLetterQueue === undefined) acknowledge(this.deadLetterQueue, 'deadLetterQueue');
    if (props.subscriptionDeadLetterQueue === undefined)
      acknowledge(this.subscriptionDeadLetterQueue, 'subscriptionDeadLetterQueue');
    this.#askForRedrive(props, standard.maxReceiveCount);
    for (const queue of [this.deadLetterQueue, this.queue, this.subscriptionDeadLetterQueue])
      demandTls(queue);
    const mayDeliver = allowDelivery(this, {
      topic,
      queue: this.queue,
      sid: this.#sid(props.queue),
      output: 'QueueOwnerStatement',
    });
    const mayDeadLetter = allowDelivery(this, {
      topic,
      queue: this.subscriptionDeadLetterQueue,
      sid: this.#sid(props.subscriptionDeadLetterQueue),
      output: 'SubscriptionDeadLetterQueueOwnerStatement',
    });
    // Not `SqsSubscription`: on a key that topic and queue share, it would close a cycle.
    this.subscription = new Subscription(this, 'Subscription', {
      topic,
      protocol: SubscriptionProtocol.SQS,
      endpoint: this.queue.queueArn,
      rawMessageDelivery: true,
      ...(props.filterPolicy === undefined ? {} : { filterPolicy: { ...props.filterPolicy } }),
      ...elsewhere(this, topic),
    });
    const resource = this.subscription.node.defaultChild as CfnSubscription;
    // Always said: a subscription whose scope once was the body does not go back by leaving it out.
    resource.filterPolicyScope = 'MessageAttributes';
    resource.redrivePolicy = { deadLetterTargetArn: this.subscriptionDeadLetterQueue.queueArn };
    // Deliveries begin with the subscription; one that the policy does not allow yet is lost, not retried.
    this.subscription.node.addDependency(...mayDeliver, ...mayDeadLetter);
  }

  /**
   * Lets somebody consume the queue and set messages aside in the dead-letter queue, and use the customer keys of both
   * through SQS alone; nothing else.
   *
   * @param grantee - a role or function
   * @example
   * ```ts
   * payments.grantConsume(task.taskRole);
   * ```
   */
  grantConsume(grantee: IGrantable): Grant {
    return grantReceive(this.queue, grantee).combine(grantSend(this.deadLetterQueue, grantee));
  }

  /** Says that SQS itself moves nothing from an existing queue to the dead-letter queue that was made beside it. */
  #askForRedrive(props: SubscriberQueueProps, maxReceiveCount: number): void {
    const { queue } = props;
    if (queue === undefined || props.deadLetterQueue !== undefined || deadLettersOf(queue) !== undefined)
      return;
    const policy = Stack.of(this).resolve({
      deadLetterTargetArn: this.deadLetterQueue.queueArn,
      maxReceiveCount: props.maxReceiveCount ?? maxReceiveCount,
    });
    Annotations.of(this).addWarningV2(
      'sluice:queue-redrive-policy',
      `The existing queue ${queue.node.path} has no dead-letter queue that is known here: what its consumer cannot even start is received until it is too old, and then lost. Give it this redrive policy: ${JSON.stringify(policy)}; or name the dead-letter queue that it has as "deadLetterQueue".`,
    );
  }

  /** An existing queue may hear other topics too: statements of one policy do not share a name. */
  #sid(existing: IQueue | undefined): string {
    return existing === undefined ? 'AllowTopic' : `AllowTopic${this.node.addr.slice(-8)}`;
  }

  /**
   * Lets the queue alone use its dead-letter queue. Of a queue that is made with it only a name of its own tells the ARN
   * without a cycle.
   */
  #onlyFrom({ queue, queueName }: SubscriberQueueProps): RedriveAllowPolicy | undefined {
    if (queue === undefined && queueName === undefined) return undefined;
    const source =
      queue ??
      Queue.fromQueueArn(
        this,
        'Source',
        Stack.of(this).formatArn({ service: 'sqs', resource: queueName as string }),
      );
    return { redrivePermission: RedrivePermission.BY_QUEUE, sourceQueues: [source] };
  }
}

const security = (encryptionKey: IKey | undefined) =>
  ({
    ...(encryptionKey === undefined
      ? { encryption: QueueEncryption.SQS_MANAGED }
      : { encryption: QueueEncryption.KMS, encryptionMasterKey: keyItself(encryptionKey) }),
    receiveMessageWaitTime: Duration.seconds(20),
  }) satisfies QueueProps;

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

const allowed = (redriveAllowPolicy: RedriveAllowPolicy | undefined): QueueProps =>
  redriveAllowPolicy === undefined ? {} : { redriveAllowPolicy };

const deadLettersOf = (queue: IQueue | undefined): IQueue | undefined =>
  queue instanceof Queue ? queue.deadLetterQueue?.queue : undefined;

/** Where the topic is, when that is another region: SNS must be asked there. */
function elsewhere(scope: Construct, { env: { region } }: ITopic): { readonly region?: string } {
  const here = Stack.of(scope).region;
  return Token.isUnresolved(region) || Token.isUnresolved(here) || region === here ? {} : { region };
}
