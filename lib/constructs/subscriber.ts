import type { AlarmBase } from 'aws-cdk-lib/aws-cloudwatch';
import type { IGrantable, Role } from 'aws-cdk-lib/aws-iam';
import type { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic, Subscription } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type PhysicalName, subscriberAlarms } from '../monitoring/index.ts';
import type { Subscriber } from '../topology/index.ts';
import { Alarms, type AlarmsProps } from './alarms.ts';
import { ConsumerFunction, type ConsumerFunctionProps } from './consumer-function.ts';
import { SubscriberQueue } from './subscriber-queue.ts';
import type { AlarmSet } from './switches.ts';
import type { MessagingTopic } from './topic.ts';
import { alarmsWanted } from './watched.ts';
import { grantWork, type WorkPlace, workEnvironment } from './work.ts';

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
  extends Omit<ConsumerFunctionProps, 'queue' | 'deadLetterQueue'>,
    Pick<AlarmsProps, 'alarmTopic' | 'runbook'> {
  /** The topic that it hears. */
  readonly topic: MessagingTopic;
  /**
   * Which alarms it has.
   *
   * @default 'all'
   */
  readonly alarms?: AlarmSet | undefined;
}

/**
 * One subscriber of a stack: everything that belongs to it alone. Got by {@link MessagingStack.subscriber}.
 *
 * @example
 * ```ts
 * const { queue, deadLetterQueue, function: consumer } = stack.subscriber('payments');
 * ```
 */
export class MessagingSubscriber extends Construct {
  /** The subscriber as declared. */
  readonly definition: Subscriber;
  readonly topic: ITopic;
  readonly queue: Queue;
  /** What the consumer gave up, and what SQS moved away as the last net. */
  readonly deadLetterQueue: Queue;
  readonly subscription: Subscription;
  /** What the topic could not deliver to the queue. */
  readonly subscriptionDeadLetterQueue: Queue;
  /** No part of the template, and its role, log and event source neither, when the stack's consumers are workers. */
  readonly function: NodejsFunction;
  readonly role: Role;
  readonly logGroup: LogGroup;
  readonly eventSource: EventSourceMapping;
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
    // The id "Default" adds nothing to logical ids, which CloudFormation makes into names: short ones keep the kind.
    const messages = new SubscriberQueue(this, 'Default', {
      definition: props.definition,
      topic: props.topic.topic,
    });
    this.queue = messages.queue;
    this.deadLetterQueue = messages.deadLetterQueue;
    this.subscription = messages.subscription;
    this.subscriptionDeadLetterQueue = messages.subscriptionDeadLetterQueue;

    this.#place = { queue: this.queue, deadLetterQueue: this.deadLetterQueue, records: props.records };
    this.workerEnvironment = { ...props.environment, ...workEnvironment(this.#place) };
    const consumer = new ConsumerFunction(this, 'Consumer', {
      ...props,
      queue: this.queue,
      deadLetterQueue: this.deadLetterQueue,
    });
    this.function = consumer.function;
    this.role = consumer.role;
    this.logGroup = consumer.logGroup;
    this.eventSource = consumer.eventSource;

    this.alarms = new Alarms(this, 'Alarms', {
      definitions: alarmsWanted(
        subscriberAlarms(props.definition),
        props.alarms ?? 'all',
        props.consumers ?? 'lambda',
      ),
      physicalName: this.physicalName,
      alarmTopic: props.alarmTopic,
      runbook: props.runbook,
    }).byKey;
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
        return this.function.functionName;
      case 'topic':
        return this.topic.topicName;
    }
  };
}
