import type { Duration } from 'aws-cdk-lib';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { entrance } from '../base/index.ts';
import { type PhysicalName, type SubscriberTargetKind, subscriberAlarms } from '../monitoring/index.ts';
import { type AlarmProfile, type Seconds, seconds } from '../topology/index.ts';
import { Alarms, type AlarmsProps } from './alarms.ts';
import type { AnyFunction } from './consumer-function.ts';

/**
 * Props of {@link QueueAlarms}.
 *
 * @example
 * ```ts
 * const props: QueueAlarmsProps = { queue: jobs, lag: Duration.minutes(10), alarmTopic };
 * ```
 */
export interface QueueAlarmsProps extends Pick<AlarmsProps, 'alarmTopic' | 'ticketTopic' | 'runbook'> {
  /** The queue whose lag is watched. */
  readonly queue: IQueue;
  /** The lag SLO: no message should wait longer. */
  readonly lag: Duration;
  /**
   * Where its messages go that were given up.
   *
   * @default - the queue's own dead-letter queue, where the queue is made in this app and has one
   */
  readonly deadLetterQueue?: IQueue | undefined;
  /**
   * Where the messages go that its topic could not deliver.
   *
   * @default - none: no alarm on it
   */
  readonly subscriptionDeadLetterQueue?: IQueue | undefined;
  /**
   * The function that consumes the queue.
   *
   * @default - none, or not known: no alarms on it
   */
  readonly function?: AnyFunction | undefined;
  /**
   * Which alarms.
   *
   * @default 'lean'
   */
  readonly alarms?: AlarmProfile | undefined;
  /**
   * Names the alarms, after the stack's name: unique in the stack.
   *
   * @default - the construct's id
   */
  readonly name?: string | undefined;
  /**
   * How long all but the slowest runs of the consumer take: its p99.
   *
   * @default - the function's timeout, or 30 seconds
   */
  readonly handlerTime?: Duration | undefined;
  /**
   * How long the queue keeps a message.
   *
   * @default Duration.days(4)
   */
  readonly retentionPeriod?: Duration | undefined;
  /**
   * How many workers there are at most.
   *
   * @default - not known: no alarm on idle workers
   */
  readonly maxConcurrency?: number | undefined;
  /**
   * Messages that arrive in a second of a normal hour.
   *
   * @default - not known: a backlog from 100 messages on counts
   */
  readonly traffic?: number | undefined;
}

/**
 * The alarms of a subscriber for a queue that no declaration made: a plain `aws-sqs` queue, or one that was imported.
 *
 * @throws AlarmError listing everything that CloudWatch would refuse, for example an SLO that is no number
 * @example
 * ```ts
 * const jobs = new Queue(this, 'Jobs', { deadLetterQueue: { queue: failed, maxReceiveCount: 5 } });
 * new QueueAlarms(this, 'JobAlarms', { queue: jobs, function: worker, lag: Duration.minutes(10), alarmTopic });
 * ```
 */
export class QueueAlarms extends Alarms {
  static {
    entrance(QueueAlarms);
  }

  constructor(scope: Construct, id: string, props: QueueAlarmsProps) {
    const { queue, subscriptionDeadLetterQueue, function: consumer } = props;
    const deadLetterQueue =
      props.deadLetterQueue ?? (queue instanceof Queue ? queue.deadLetterQueue?.queue : undefined);
    const names: Readonly<Record<SubscriberTargetKind, string | undefined>> = {
      queue: queue.queueName,
      deadLetterQueue: deadLetterQueue?.queueName,
      subscriptionDeadLetterQueue: subscriptionDeadLetterQueue?.queueName,
      function: consumer?.functionName,
    };
    const timeout = consumer instanceof LambdaFunction ? consumer.timeout : undefined;
    super(scope, id, {
      definitions: subscriberAlarms({
        name: props.name ?? id,
        lag: seconds(props.lag.toSeconds()),
        alarms: props.alarms,
        fifo: queue.fifo,
        concurrency: props.maxConcurrency,
        handlerTime: inSeconds(props.handlerTime ?? timeout),
        retention: inSeconds(props.retentionPeriod),
        traffic: props.traffic,
        parts: (Object.keys(names) as SubscriberTargetKind[]).filter((kind) => names[kind] !== undefined),
      }),
      physicalName: physicalNames(names),
      alarmTopic: props.alarmTopic,
      ticketTopic: props.ticketTopic,
      runbook: props.runbook,
    });
  }
}

const inSeconds = (duration: Duration | undefined): Seconds | undefined =>
  duration === undefined ? undefined : seconds(duration.toSeconds());

const physicalNames =
  (names: Readonly<Record<SubscriberTargetKind, string | undefined>>): PhysicalName =>
  ({ kind }) => {
    const name = kind === 'topic' ? undefined : names[kind];
    if (name === undefined) throw new Error(`An alarm of a queue asked for a ${kind}, which it has not.`);
    return name;
  };
