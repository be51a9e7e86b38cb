import {
  type Clock,
  type Milliseconds,
  type Random,
  systemClock,
  systemRandom,
} from '../lib/base/index.ts';
import { type CloudFormationModel, createCloudFormation } from './cloudformation/index.ts';
import { type CloudWatchModel, createCloudWatch } from './cloudwatch/index.ts';
import { createDynamoDb, type DynamoDbModel } from './dynamodb/index.ts';
import { createFaultPlan, type Fault, type FaultPlan } from './faults.ts';
import { createLambda, type Executor, type LambdaModel, type LogSink } from './lambda/index.ts';
import { type Call, type ModelContext, type Service, ServiceError, type ServiceId } from './service.ts';
import { createSns, type SnsModel } from './sns/index.ts';
import { createSqs, type SqsModel } from './sqs/index.ts';
import { createSts, type StsModel } from './sts/index.ts';

/** What {@link createAws} takes. */
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
   * The host of queue URLs; an HTTP endpoint that is made for the model puts its own address here.
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
   * Makes what runs the functions; it is given the sink for the lines that they write.
   *
   * @default - none: creating a function fails
   */
  readonly executor?: (log: LogSink) => Executor;
  /**
   * Gets each line that a function writes, except lines of metrics (Embedded Metric Format), which CloudWatch takes.
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
   * Faults of calls; more can be added later.
   *
   * @default - none
   */
  readonly faults?: readonly Fault[];
}

/** The model of AWS: its services, and one way to call them all. */
export interface AwsModel extends Dispatcher {
  readonly sqs: SqsModel;
  readonly sns: SnsModel;
  readonly dynamodb: DynamoDbModel;
  readonly cloudwatch: CloudWatchModel;
  readonly lambda: LambdaModel;
  readonly cloudformation: CloudFormationModel;
  readonly sts: StsModel;
  /** Ends event sources, functions, alarms and timers; nothing runs after it. */
  stop(): void;
}

/** What the endpoint and the clients need of a model. */
export interface Dispatcher {
  readonly context: Pick<ModelContext, 'clock' | 'random' | 'account' | 'region' | 'endpoint'>;
  readonly services: Readonly<Partial<Record<ServiceId, Service>>>;
  readonly faults: FaultPlan;
  /**
   * Carries out one action, under the planned faults. Throws, or rejects with, a {@link ServiceError}.
   * The answer is a promise only when the action has to wait.
   */
  call(service: ServiceId, action: string, input: object, call?: Call): object | Promise<object>;
  /** Tells the model where it can be reached: the host of queue URLs from now on. */
  moveTo(endpoint: string): void;
}
