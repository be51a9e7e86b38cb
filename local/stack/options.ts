import type { Clock, Random } from '../../lib/base/index.ts';
import type { AwsModel } from '../aws.ts';
import type { Fault } from '../faults.ts';
import type { Routes } from '../http/index.ts';
import type { EventSourceFaults, Executor, LogSink } from '../lambda/index.ts';

/**
 * What {@link startLocal} takes.
 *
 * @example
 * ```ts
 * const options: LocalOptions = { port: 0, directory: 'app', parameters: { MailUrl: 'http://127.0.0.1:8025' } };
 * ```
 */
export interface LocalOptions {
  /**
   * Port of the endpoint on 127.0.0.1; 0 takes any free one.
   *
   * @default 4566
   */
  readonly port?: number;
  /**
   * Start with nothing deployed.
   *
   * @default false
   */
  readonly empty?: boolean;
  /**
   * The folder of cdk.json; the app runs in it.
   *
   * @default - the present working directory
   */
  readonly directory?: string;
  /**
   * The command that synthesizes.
   *
   * @default - `app` of cdk.json
   */
  readonly app?: string;
  /**
   * A cloud assembly that is there already: a folder with manifest.json. No app is run then.
   *
   * @default - the app is run
   */
  readonly assembly?: string;
  /**
   * Which of the assembly's stacks to deploy, by name.
   *
   * @default - all
   */
  readonly stacks?: readonly string[];
  /**
   * Values of the stacks' CloudFormation parameters, by name.
   *
   * @default - the parameters' own defaults
   */
  readonly parameters?: Readonly<Record<string, string>>;
  /**
   * Makes what runs the functions; it is given the sink for the lines that they write.
   *
   * @default - worker threads that run the synthesized bundles
   */
  readonly executor?: (log: LogSink) => Executor;
  /** @default - the machine's clock */
  readonly clock?: Clock;
  /** @default - the machine's randomness */
  readonly random?: Random;
  /** @default '000000000000' */
  readonly account?: string;
  /** @default 'us-east-1' */
  readonly region?: string;
  /**
   * Standard queues: how often a message is delivered twice (0 to 1), and how many waiting messages may overtake
   * each other.
   *
   * @default - what the model of SQS does by itself
   */
  readonly sqs?: { readonly duplicateRate?: number; readonly reorderWindow?: number };
  /**
   * Faults of calls: those that arrive at the endpoint, and what the model's services do for each other (see {@link Fault}).
   *
   * @default - none
   */
  readonly faults?: readonly Fault[];
  /**
   * Faults of the event sources that poll queues for functions.
   *
   * @default - none
   */
  readonly eventSourceFaults?: EventSourceFaults;
  /**
   * Further `GET /_sluice/...` handlers.
   *
   * @default - none
   */
  readonly routes?: (aws: AwsModel) => Routes;
  /**
   * Gets each line that a function writes, except lines of metrics, which CloudWatch takes.
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
   * @default - as many as the machine has cores, at least two
   */
  readonly batchesAtOnce?: number;
  /**
   * Gets a line at each step: what is being started, synthesized or deployed.
   *
   * @default - silent
   */
  readonly progress?: (step: string) => void;
  /**
   * Ends the start: what was begun is stopped, and the call rejects with the signal's reason.
   *
   * @default - none
   */
  readonly signal?: AbortSignal;
}

/**
 * A stack that runs on this machine.
 *
 * @example
 * ```ts
 * const local: LocalStack = await startLocal({ port: 0 });
 * console.log(local.url, local.outputs.TopicArnOrders);
 * local.aws.lambda.kill('Orders-payments');
 * await local.stop();
 * ```
 */
export interface LocalStack {
  /** The model: its services, looks and faults. */
  readonly aws: AwsModel;
  /** The endpoint, for example `http://127.0.0.1:4566`: what AWS_ENDPOINT_URL should be. */
  readonly url: string;
  readonly port: number;
  /** Outputs of the deployed stacks by name; where two stacks have one name, that of the stack deployed later. */
  readonly outputs: Readonly<Record<string, string>>;
  /** What was deployed, by logical id; where two stacks have one id, that of the stack deployed later. */
  readonly resources: Readonly<Record<string, LocalResource>>;
  /** The same of each stack, by the stack's name. */
  readonly stacks: Readonly<Record<string, Pick<LocalStack, 'outputs' | 'resources'>>>;
  /** Stops the functions, the model and the endpoint; may be called more than once. */
  stop(): Promise<void>;
}

/** A resource of a stack that runs on this machine. */
export interface LocalResource {
  /** CloudFormation type, for example `AWS::SQS::Queue`. */
  readonly type: string;
  /** What `Ref` gives: a queue's URL, a topic's ARN, a function's name. */
  readonly physicalId: string;
}
