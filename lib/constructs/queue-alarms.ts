import { Duration, Token } from 'aws-cdk-lib';
import { type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnQueue, type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { type PhysicalName, type SubscriberTargetKind, subscriberAlarms } from '../monitoring/index.ts';
import { type AlarmProfile, type Seconds, seconds } from '../topology/index.ts';
import { Alarms, type AlarmsProps } from './alarms.ts';
import { withoutQualifier } from './consumer-function.ts';

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
  readonly function?: IFunction | undefined;
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
   * @default - what the queue says, where it is made in this app; else Duration.days(4), SQS's own default
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
 * @throws Error listing every prop that makes no sense, for example an SLO that is longer than the queue keeps messages
 * @throws AlarmError listing everything that CloudWatch would refuse, for example a name that is too long
 * @example
 * ```ts
 * const jobs = new Queue(this, 'Jobs', { deadLetterQueue: { queue: failed, maxReceiveCount: 5 } });
 * new QueueAlarms(this, 'JobAlarms', { queue: jobs, function: worker, lag: Duration.minutes(10), alarmTopic });
 * ```
 */
export class QueueAlarms extends Alarms {
  constructor(scope: Construct, id: string, props: QueueAlarmsProps) {
    demandSense(`${scope.node.path}/${id}`, props);
    const { queue, subscriptionDeadLetterQueue } = props;
    const deadLetterQueue =
      props.deadLetterQueue ?? (queue instanceof Queue ? queue.deadLetterQueue?.queue : undefined);
    // Lambda counts versions under their function's name; "name:alias" is no value that the dimension ever has.
    const consumer = props.function && withoutQualifier(props.function);
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
        retention: inSeconds(props.retentionPeriod ?? retentionOf(queue)),
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

/** How long a queue of this app keeps a message, as its template says. */
function retentionOf({ node }: IQueue): Duration | undefined {
  const resource = node.defaultChild;
  const seconds = resource instanceof CfnQueue ? resource.messageRetentionPeriod : undefined;
  return seconds === undefined || Token.isUnresolved(seconds) ? undefined : Duration.seconds(seconds);
}

function demandSense(path: string, props: QueueAlarmsProps): void {
  const { queue, deadLetterQueue, subscriptionDeadLetterQueue, name, alarms, traffic, maxConcurrency } =
    props;
  const faults: string[] = [];
  if (queue === undefined) faults.push('"queue" is missing: give the queue that is watched.');
  for (const property of ['lag', 'handlerTime', 'retentionPeriod'] as const) {
    const duration = props[property];
    if (duration === undefined && property !== 'lag') continue;
    const length = duration instanceof Duration && !duration.isUnresolved() ? duration.toMilliseconds() : 0;
    if (length <= 0 || length % 1_000 !== 0)
      faults.push(
        `"${property}" is ${duration instanceof Duration ? duration.toString() : String(duration)}; it has to be a Duration of whole seconds above 0 that is known at synthesis, like Duration.minutes(10).`,
      );
  }
  const retention = props.retentionPeriod ?? (queue === undefined ? undefined : retentionOf(queue));
  if (faults.length === 0 && retention !== undefined && props.lag.toSeconds() >= retention.toSeconds())
    faults.push(
      `"lag" is ${props.lag.toSeconds()} s and the queue deletes a message after ${retention.toSeconds()} s, so the SLO is never broken: lower "lag", or keep messages longer.`,
    );
  if (alarms !== undefined && alarms !== 'lean' && alarms !== 'full')
    faults.push(`"alarms" is ${JSON.stringify(alarms)}; "lean" and "full" are allowed.`);
  if (name === '') faults.push('"name" is empty: write one, or leave it out.');
  if (traffic !== undefined && !(traffic >= 0 && Number.isFinite(traffic)))
    faults.push(`"traffic" is ${traffic}; it has to be the messages of a second, 0 or more.`);
  if (maxConcurrency !== undefined && !(maxConcurrency >= 1 && Number.isInteger(maxConcurrency)))
    faults.push(`"maxConcurrency" is ${maxConcurrency}; it has to be a whole number from 1 on.`);
  for (const [property, letters] of Object.entries({ deadLetterQueue, subscriptionDeadLetterQueue }))
    if (letters !== undefined && letters === queue)
      faults.push(
        `"${property}" is the queue itself, so every message that waits would count as given up: leave it out.`,
      );
  if (faults.length > 0) throw new Error(`${path}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
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
