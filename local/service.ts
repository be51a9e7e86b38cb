import type { Clock, Random } from '../lib/base/index.ts';

/** What every service of the model is given: time, chance, its place, and where its metrics go. */
export interface ModelContext {
  readonly clock: Clock;
  readonly random: Random;
  /** Twelve digits. */
  readonly account: string;
  readonly region: string;
  /** `http://127.0.0.1:4566`: the host of queue URLs. */
  readonly endpoint: string;
  /**
   * What stands before account and name in a queue's URL, where it is not the endpoint: queues of further regions, which
   * have the endpoint in common, are told apart by it.
   */
  readonly queueUrls?: string;
  readonly metrics: MetricSink;
}

/** Where services publish the metrics that the real ones publish to CloudWatch. */
export interface MetricSink {
  /** Adds one value to the metric's point of the present minute. */
  count(namespace: string, name: string, dimensions: Dimensions, value: number, unit?: string): void;
  /**
   * Registers a gauge that is read once a minute; `undefined` publishes nothing for that minute.
   * Returns the call that ends it.
   */
  gauge(namespace: string, name: string, dimensions: Dimensions, read: () => number | undefined): () => void;
}

/** Dimensions of a metric, by name. */
export type Dimensions = Readonly<Record<string, string>>;

/** Who calls, and how long the caller waits. */
export interface Call {
  /** Aborted when the caller has gone: a long poll ends without taking anything. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Who calls: a service principal such as `sns.amazonaws.com` with the resource on whose behalf it acts, a
   * role's ARN, or nothing for the account's own administrator.
   */
  readonly principal?: Principal | undefined;
  /** The request's `X-Amzn-Trace-Id`: SQS keeps it as the message's AWSTraceHeader. */
  readonly traceHeader?: string | undefined;
  /** The key that the request was signed with, where there was one: STS knows the sessions by it. */
  readonly accessKeyId?: string | undefined;
}

/** See {@link Call.principal}. */
export interface Principal {
  readonly service?: string;
  /** The ARN of a role. */
  readonly role?: string;
  /** The name of the role's session: of a function, its name. */
  readonly session?: string;
  readonly sourceArn?: string;
  readonly sourceAccount?: string;
}

/** One action of a service: typed by the SDK's own input and output (without `$metadata`). */
export type Operation<Input, Output> = (input: Input, call: Call) => Output | Promise<Output>;

/**
 * An action of which only the name is known. A method's type, since those let an action stand in whose input is more
 * special than `object`: the caller who names the action knows what it takes.
 */
export type NamedOperation = { call(input: object, call: Call): object | Promise<object> }['call'];

/** The services of the model, by the names under which the SDK knows them. */
export type ServiceId =
  | 'sqs'
  | 'sns'
  | 'dynamodb'
  | 'dynamodbstreams'
  | 'cloudwatch'
  | 'lambda'
  | 'cloudformation'
  | 'sts'
  | 's3'
  | 'ssm'
  | 'ecr'
  | 'iam'
  | 'kms';

/** A service: a state machine whose transitions are the actions of its API. */
export interface Service {
  readonly id: ServiceId;
  /** Actions by name: `SendMessage`, `PutItem`. An action that is not here answers with a clear error. */
  readonly operations: Readonly<Record<string, NamedOperation>>;
  /**
   * Actions of AWS that the model leaves out, each with a sentence on why and what to do: its error says that in place
   * of the list of actions that there are.
   *
   * @default - none: every other action is answered by the list
   */
  readonly leftOut?: Readonly<Record<string, string>>;
}

/**
 * An error as a service answers it: `name` is the error code that the SDK shows (`QueueDoesNotExist`,
 * `ConditionalCheckFailedException`).
 *
 * @example
 * ```ts
 * try {
 *   await aws.call('sqs', 'GetQueueUrl', { QueueName: 'none' });
 * } catch (error) {
 *   if (error instanceof ServiceError) console.log(error.name, error.statusCode); // QueueDoesNotExist 400
 * }
 * ```
 */
export class ServiceError extends Error {
  /** HTTP status: 400 for the caller's fault, 500 for the service's. */
  readonly statusCode: number;
  /** Further members of the error's shape, for example `Item` or `CancellationReasons`. */
  readonly members: Readonly<Record<string, unknown>>;
  /** The code of the query protocol where it differs from the name, for example `AWS.SimpleQueueService.NonExistentQueue`. */
  readonly queryCode: string | undefined;

  constructor(
    name: string,
    message: string,
    options: {
      readonly statusCode?: number;
      readonly members?: Readonly<Record<string, unknown>>;
      readonly queryCode?: string;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = name;
    this.statusCode = options.statusCode ?? 400;
    this.members = options.members ?? {};
    this.queryCode = options.queryCode;
  }
}
