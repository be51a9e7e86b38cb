import { type Clock, type Milliseconds, type Random, systemClock, systemRandom } from '../lib/base/index.ts';
import {
  type CloudFormationModel,
  createCloudFormation,
  type StackListener,
} from './cloudformation/index.ts';
import { type CloudWatchModel, createCloudWatch } from './cloudwatch/index.ts';
import { createDispatcher, type Dispatcher } from './dispatch.ts';
import { createDynamoDb, type DynamoDbModel } from './dynamodb/index.ts';
import { createEcr, type EcrModel } from './ecr/index.ts';
import { createFaultPlan, type Fault, type FaultPlan } from './faults.ts';
import {
  type Authority,
  createAuthority,
  createExecutionRoles,
  createGuard,
  createIam,
  type Guard,
  type IamModel,
  type PolicyOf,
} from './iam/index.ts';
import { createKms, type KmsModel } from './kms/index.ts';
import {
  createLambda,
  type EventSourceFaults,
  type Executor,
  type LambdaModel,
  type LogSink,
} from './lambda/index.ts';
import { createS3, type S3Model } from './s3/index.ts';
import type { Call, ModelContext, Service } from './service.ts';
import { createSns, type Letter, type SnsModel } from './sns/index.ts';
import { createSqs, type SqsModel } from './sqs/index.ts';
import { createSsm, type SsmModel } from './ssm/index.ts';
import { createSts, type StsModel } from './sts/index.ts';

/**
 * What {@link createAws} takes.
 *
 * @example
 * ```ts
 * const options: AwsOptions = { clock: createVirtualClock(), random: seededRandom(7), sqs: { duplicateRate: 0.05 } };
 * ```
 */
export interface AwsOptions {
  /** @default - the machine's clock */
  readonly clock?: Clock;
  /** @default - the machine's randomness; `seededRandom(n)` makes a run repeatable */
  readonly random?: Random;
  /**
   * Twelve digits.
   *
   * @default '000000000000'
   */
  readonly account?: string;
  /** @default 'us-east-1' */
  readonly region?: string;
  /**
   * The host of queue URLs, and what functions get as AWS_ENDPOINT_URL.
   *
   * @default 'http://127.0.0.1:4566'
   */
  readonly endpoint?: string;
  /**
   * Standard queues: how often a message is delivered twice (0 to 1), and how many waiting messages may overtake
   * each other.
   *
   * @default - what the model of SQS does by itself
   */
  readonly sqs?: { readonly duplicateRate?: number; readonly reorderWindow?: number };
  /**
   * How late DynamoDB deletes expired items.
   *
   * @default - up to 48 hours, a different and repeatable time for each item
   */
  readonly dynamodb?: { readonly expiryDelay?: Milliseconds };
  /**
   * Makes what runs the functions; it is given the sink for the lines that they write.
   *
   * @default - none: creating a function fails
   */
  readonly executor?: (log: LogSink) => Executor;
  /**
   * Gets each line that a function writes, except lines of metrics (Embedded Metric Format), which CloudWatch takes,
   * and what an event source meets that is no answer of a service.
   *
   * @default - lines are dropped
   */
  readonly log?: LogSink;
  /**
   * How many environments of one function may run at once on this machine.
   *
   * @default - Lambda's own bound
   */
  readonly environmentsPerFunction?: number;
  /**
   * How many batches an event source runs at once that says no MaximumConcurrency. A machine of few cores does not get
   * on faster by more environments: each of them loads the code first.
   *
   * @default - Lambda's own scaling, up to 1,250
   */
  readonly batchesAtOnce?: number;
  /**
   * Faults of the event sources that poll queues for functions.
   *
   * @default - none
   */
  readonly eventSourceFaults?: EventSourceFaults;
  /**
   * Faults of calls; {@link Fault} says which calls a plan reaches. More can be added later.
   *
   * @default - none
   */
  readonly faults?: readonly Fault[];
  /**
   * What all regions of an account have in common, of the model of another region.
   *
   * @default - IAM and STS of its own
   */
  readonly global?: Pick<AwsModel, 'iam' | 'sts'>;
  /**
   * What stands before account and name in a queue's URL.
   *
   * @default - the endpoint
   */
  readonly queueUrls?: string;
  /**
   * Gets the letters that SNS would send to subscriptions of the protocols `email` and `email-json`; the model sends no
   * mail.
   *
   * @default - nobody
   */
  readonly mail?: (letter: Letter) => void;
  /**
   * Hears each time that a stack of CloudFormation has come to another status.
   *
   * @default - nobody
   */
  readonly stackHeard?: StackListener;
}

/**
 * The model of AWS: its services, and one way to call them all.
 *
 * @example
 * ```ts
 * const aws: AwsModel = createAws({ clock: createVirtualClock() });
 * await aws.call('sqs', 'CreateQueue', { QueueName: 'orders' });
 * console.log(aws.sqs.queues().map(({ name, visible }) => `${name}: ${visible}`));
 * aws.stop();
 * ```
 */
export interface AwsModel extends Dispatcher {
  readonly sqs: SqsModel;
  readonly sns: SnsModel;
  readonly dynamodb: DynamoDbModel;
  /** DynamoDB Streams. */
  readonly dynamodbstreams: Service;
  readonly cloudwatch: CloudWatchModel;
  readonly lambda: LambdaModel;
  readonly cloudformation: CloudFormationModel;
  readonly sts: StsModel;
  readonly iam: IamModel;
  /** Judges the calls of roles. */
  readonly authority: Authority;
  readonly kms: KmsModel;
  readonly s3: S3Model;
  readonly ssm: SsmModel;
  readonly ecr: EcrModel;
  /** Ends event sources, functions, alarms and timers; nothing runs after it. */
  stop(): void;
}

/**
 * Composes the model of AWS: every service on one clock, one source of chance and one account, with SNS delivering
 * to SQS, alarms notifying SNS, and functions polling queues. CloudWatch's minute begins to run at once.
 *
 * @example
 * ```ts
 * const clock = createVirtualClock();
 * const aws = createAws({ clock, random: seededRandom(1) });
 * const sqs = modelClient(aws, 'sqs');
 * await sqs.send(new CreateQueueCommand({ QueueName: 'orders' }));
 * aws.stop();
 * ```
 */
export function createAws(options: AwsOptions = {}): AwsModel {
  const {
    clock = systemClock,
    random = systemRandom,
    log = () => {},
    environmentsPerFunction,
    batchesAtOnce,
    eventSourceFaults,
  } = options;
  const place = {
    clock,
    random,
    account: options.account ?? '000000000000',
    region: options.region ?? 'us-east-1',
    endpoint: options.endpoint ?? 'http://127.0.0.1:4566',
    ...(options.queueUrls === undefined ? {} : { queueUrls: options.queueUrls }),
  };
  const cloudwatch = createCloudWatch(place, (topicArn, subject, message, alarmArn) =>
    sns.publishFromService(
      topicArn,
      { subject, message },
      { service: 'cloudwatch.amazonaws.com', sourceArn: alarmArn, sourceAccount: place.account },
    ),
  );
  // One object for all, never a copy: the endpoint's address may still change.
  const context: ModelContext = Object.assign(place, { metrics: cloudwatch.metrics });
  const iam = options.global?.iam ?? createIam(context);
  const authority = createAuthority(context, iam.store);
  const policyOf: PolicyOf = (service, resource) => {
    if (service === 'sqs') return sqs.policy(resource);
    return service === 'sns' ? sns.policy(resource) : undefined;
  };
  const guard = createGuard(
    authority,
    { account: place.account, region: place.region, partitionKey: (table) => dynamodb.partitionKey(table) },
    policyOf,
  );
  const kms = createKms(context, authority, iam.store);
  const { keys } = kms;
  const sqs = createSqs(context, { ...options.sqs, keys });
  const plan = createFaultPlan(context.clock, context.random);
  const sns = createSns(context, deliveriesUnder(plan, sqs), {
    keys,
    ...(options.mail === undefined ? {} : { mail: options.mail }),
  });
  const dynamodb = createDynamoDb(context, { ...options.dynamodb, keys });
  const takeLine: LogSink = (functionName, requestId, line) => {
    if (!cloudwatch.ingestLogLine(line)) log(functionName, requestId, line);
  };
  const s3 = createS3(context);
  const lambda = createLambda(context, {
    objectOf: s3.object,
    sqs: operationsUnder(plan, sqs, guard),
    roles: createExecutionRoles(iam.store, iam.sessions, authority, policyOf),
    executor: options.executor?.(takeLine) ?? noExecutor,
    log,
    keys,
    ...(environmentsPerFunction === undefined ? {} : { environmentsPerFunction }),
    ...(batchesAtOnce === undefined ? {} : { batchesAtOnce }),
    ...(eventSourceFaults === undefined ? {} : { faults: eventSourceFaults }),
  });
  const ssm = createSsm(context);
  const ecr = createEcr(context);
  const sts = options.global?.sts ?? createSts(context, iam, authority);
  const built = { sqs, sns, dynamodb, cloudwatch, lambda, sts, iam, kms, s3, ssm, ecr };
  const cloudformation = createCloudFormation(context, built, iam.store, {
    ...(options.stackHeard === undefined ? {} : { heard: options.stackHeard }),
  });
  const services = { ...built, dynamodbstreams: dynamodb.streams, cloudformation };
  const dispatcher = createDispatcher(context, services, plan, {
    guard,
    principalOf: iam.sessions.principal,
  });
  for (const fault of options.faults ?? []) plan.add(fault);
  cloudwatch.start();
  return {
    ...services,
    ...dispatcher,
    authority,
    stop() {
      lambda.stop();
      cloudwatch.stop();
    },
  };
}

/** The operations of a service for callers inside the model, which do not come through the dispatcher. */
function operationsUnder(plan: FaultPlan, service: Service, guard: Guard): Pick<Service, 'operations'> {
  const operations = Object.entries(service.operations).map(([action, operation]) => [
    action,
    (input: Readonly<Record<string, unknown>>, call: Call) => {
      guard(service.id, action, input, call);
      return plan.apply(service, action, input, call, () => operation(input, call));
    },
  ]);
  return { operations: Object.fromEntries(operations) };
}

function deliveriesUnder(plan: FaultPlan, sqs: SqsModel): Pick<SqsModel, 'deliver'> {
  return {
    deliver: (queueArn, message, principal) =>
      plan.deliver(
        () => ({
          QueueArn: queueArn,
          MessageBody: message.body,
          MessageGroupId: message.groupId,
          MessageDeduplicationId: message.deduplicationId,
          MessageAttributes: message.attributes,
        }),
        () => sqs.deliver(queueArn, message, principal),
      ),
  };
}

const noExecutor: Executor = {
  prepare: () =>
    Promise.reject(
      new Error('This model runs no functions. Hand createAws an executor, for example workerExecutor.'),
    ),
  start: () => {
    throw new Error('This model runs no functions.');
  },
};
