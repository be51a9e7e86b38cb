import type { RemovalPolicy } from 'aws-cdk-lib';
import type { AlarmBase } from 'aws-cdk-lib/aws-cloudwatch';
import type { IGrantable, IPrincipal, IRole } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type EventSourceMapping, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic, Subscription } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { entrance } from '../base/index.ts';
import { type PhysicalName, subscriberAlarms } from '../monitoring/index.ts';
import type { Subscriber } from '../topology/index.ts';
import { Alarms, type AlarmsProps } from './alarms.ts';
import { ConstructError } from './construct-error.ts';
import { Consumer, type ConsumerBinding, type ConsumerWork } from './consumer.ts';
import { queueProps } from './declared.ts';
import type { SubscriberOptions } from './stack-props.ts';
import { SubscriberQueue } from './subscriber-queue.ts';
import type { AlarmSet, Consumers } from './switches.ts';
import type { MessagingTopic } from './topic.ts';
import { alarmsWanted } from './watched.ts';
import { grantRedrive, grantWork, type WorkPlace, workEnvironment } from './work.ts';

/**
 * Props of {@link MessagingSubscriber}.
 *
 * @example
 * ```ts
 * const props: MessagingSubscriberProps = {
 *   definition: shop.subscribers.payments,
 *   topic: ordersTopic,
 *   entry: '/app/handlers/payments.ts',
 *   records,
 * };
 * ```
 */
export interface MessagingSubscriberProps
  extends Omit<ConsumerWork, 'queue' | 'deadLetterQueue'>,
    Pick<SubscriberOptions, 'queue' | 'deadLetterQueue' | 'subscriptionDeadLetterQueue' | 'consumer'>,
    Pick<AlarmsProps, 'alarmTopic' | 'ticketTopic' | 'runbook'> {
  /** The topic that it hears. */
  readonly topic: MessagingTopic;
  /**
   * A customer key for the queues that are made.
   *
   * @default - SQS's own keys
   */
  readonly encryptionKey?: IKey | undefined;
  /**
   * What becomes of the dead-letter queues when the stack is deleted.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly deadLetterRemovalPolicy?: RemovalPolicy | undefined;
  /**
   * Which alarms it has.
   *
   * @default 'all'
   */
  readonly alarms?: AlarmSet | undefined;
}

/**
 * One subscriber of a stack: everything that belongs to it alone. Got by {@link MessagingStack.subscriber}. What its
 * handler touches besides is granted to it, whoever runs it.
 *
 * @example
 * ```ts
 * const payments = stack.subscriber('payments');
 * ledger.grantWriteData(payments);
 * payments.queue.queueUrl;
 * ```
 */
export class MessagingSubscriber extends Construct implements IGrantable {
  static {
    entrance(MessagingSubscriber);
  }

  /** The subscriber as declared. */
  readonly definition: Subscriber;
  readonly topic: ITopic;
  readonly queue: IQueue;
  /** What the consumer gave up, and what SQS moved away as the last net. */
  readonly deadLetterQueue: IQueue;
  readonly subscription: Subscription;
  /** What the topic could not deliver to the queue. */
  readonly subscriptionDeadLetterQueue: IQueue;
  /** The customer key of the queues that were made. */
  readonly encryptionKey: IKey | undefined;
  /** What came of its consumer: function, role, log and event source, as far as it has them. */
  readonly consumer: ConsumerBinding;
  readonly role: IRole | undefined;
  readonly logGroup: ILogGroup | undefined;
  readonly eventSource: EventSourceMapping | undefined;
  readonly grantPrincipal: IPrincipal;
  /** Whether Lambda counts what its handler does: `worker` when there is no function that alarms and graphs can name. */
  readonly consumers: Consumers;
  /**
   * The environment variables from which `consume` and `startWorker` know the subscriber, for a container that runs its
   * handler; with those that the stack gives to all its functions.
   */
  readonly workerEnvironment: Readonly<Record<string, string>>;
  /** By the key of their definition, for example `payments-A-lag`. */
  readonly alarms: ReadonlyMap<string, AlarmBase>;
  readonly #place: WorkPlace;

  constructor(scope: Construct, id: string, props: MessagingSubscriberProps) {
    super(scope, id);
    this.definition = props.definition;
    this.topic = props.topic.topic;
    this.encryptionKey = props.encryptionKey;
    // The id "Default" adds nothing to logical ids, which CloudFormation makes into names: short ones keep the kind.
    const messages = new SubscriberQueue(this, 'Default', {
      ...queueProps(props.definition, props),
      topic: this.topic,
      encryptionKey: props.encryptionKey,
      deadLetterRemovalPolicy: props.deadLetterRemovalPolicy,
    });
    this.queue = messages.queue;
    this.deadLetterQueue = messages.deadLetterQueue;
    this.subscription = messages.subscription;
    this.subscriptionDeadLetterQueue = messages.subscriptionDeadLetterQueue;

    const { definition, records } = props;
    this.#place = { queue: this.queue, deadLetterQueue: this.deadLetterQueue, records, definition };
    this.workerEnvironment = { ...props.environment, ...workEnvironment(this.#place) };
    this.consumer = (props.consumer ?? Consumer.nodejs()).bind(this, {
      ...props,
      ...this.#place,
      definition,
    });
    this.role = this.consumer.role;
    this.logGroup = this.consumer.logGroup;
    this.eventSource = this.consumer.eventSource;
    this.grantPrincipal = this.consumer.grantee.grantPrincipal;
    this.consumers = this.consumer.functionName === undefined ? 'worker' : (props.consumers ?? 'lambda');

    this.alarms = new Alarms(this, 'Alarms', {
      definitions: alarmsWanted(subscriberAlarms(props.definition), props.alarms ?? 'all', this.consumers),
      physicalName: this.physicalName,
      alarmTopic: props.alarmTopic,
      ticketTopic: props.ticketTopic,
      runbook: props.runbook,
    }).byKey;
  }

  /**
   * Its function, where it has one of this app. No part of the template when the stack's consumers are workers.
   *
   * @throws Error when it is consumed by a container, or by an alias or a function that was imported: then see
   *   {@link consumer}
   */
  get function(): LambdaFunction {
    const { function: consumer } = this.consumer;
    if (consumer instanceof LambdaFunction) return consumer;
    throw new ConstructError(
      `${this.node.path} has no function of this app. Grant to consumer.grantee, and set variables by consumer.addEnvironment.`,
    );
  }

  /**
   * Lets a worker do what the subscriber's function may: consume the queue, set messages aside, keep records. What the
   * handler touches besides is granted as to the function.
   *
   * @param grantee - the role of the container's task, for example
   * @example
   * ```ts
   * stack.subscriber('payments').grantWork(task.taskRole);
   * ```
   */
  grantWork(grantee: IGrantable): void {
    grantWork(grantee, this.#place);
  }

  /**
   * Lets an operator look at the dead letters of both kinds, and have SQS put back what the consumer gave up.
   *
   * @param grantee - the operators' role
   * @example
   * ```ts
   * stack.subscriber('payments').grantRedrive(operators);
   * ```
   */
  grantRedrive(grantee: IGrantable): void {
    grantRedrive(grantee, this);
  }

  /** Names the subscriber's parts to its alarms and graphs. */
  readonly physicalName: PhysicalName = (target) => {
    switch (target.kind) {
      case 'queue':
        return this.queue.queueName;
      case 'deadLetterQueue':
        return this.deadLetterQueue.queueName;
      case 'subscriptionDeadLetterQueue':
        return this.subscriptionDeadLetterQueue.queueName;
      case 'function':
        return this.consumer.functionName as string;
      case 'topic':
        return this.topic.topicName;
    }
  };
}
