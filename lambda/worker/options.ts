import type { Clock, Random, Seconds } from '../../lib/base/index.ts';
import type { AwsClient, ConsumerFunction, Environment, Logger } from '../runtime/index.ts';

/**
 * What {@link startWorker} takes. A subscriber of a declaration has `batchSize`, `batchWindow`, `concurrency`,
 * `timeout` and `fifo` under the same names.
 *
 * @example
 * ```ts
 * const options: WorkerOptions = { ...shop.subscribers.payments, handler };
 * ```
 */
export interface WorkerOptions {
  /** What `consume` made: the function that an event source would invoke. */
  readonly handler: ConsumerFunction;
  /** @default - the variable SLUICE_QUEUE_URL */
  readonly queueUrl?: string | undefined;
  /**
   * The client of SQS. Its requests must be allowed to last as long as a poll: a client that gives up after three
   * seconds loses what the answer would have brought, until the visibility of that ends.
   *
   * @default - a client from the environment
   */
  readonly sqs?: AwsClient | undefined;
  /**
   * The most messages of one invocation, 1 to 10; on a standard queue 1 to 10,000 with a window (Lambda API reference,
   * CreateEventSourceMapping).
   *
   * @default 10
   */
  readonly batchSize?: number | undefined;
  /**
   * How long a batch is gathered after its first message, in whole seconds, 0 to 300; standard queues only. The last
   * poll of a window may end up to a second after it. The queue must hide messages for at least this and the `timeout`.
   *
   * @default 0
   */
  readonly batchWindow?: Seconds | undefined;
  /**
   * The most invocations at once, 1 to 1,000; nothing is received beyond what they can take.
   *
   * @default 1
   */
  readonly concurrency?: number | undefined;
  /** How long one invocation may take, in seconds, more than 0 and at most 43,200: SQS gives no message for longer. */
  readonly timeout: Seconds;
  /** @default - by the queue's name, which ends in `.fifo` or not */
  readonly fifo?: boolean | undefined;
  /**
   * How long a poll waits for a first message, in whole seconds, 1 to 20. Shorter polls cost requests, and let a worker
   * stop sooner.
   *
   * @default 20
   */
  readonly poll?: Seconds | undefined;
  /** @default - the machine's clock */
  readonly clock?: Clock | undefined;
  /** @default - the machine's randomness */
  readonly random?: Random | undefined;
  /**
   * Gets one line for whatever stands in the way, without payloads.
   *
   * @default - JSON lines on standard output
   */
  readonly logger?: Logger | undefined;
  /** Called whenever a poll came back empty while nothing runs. */
  readonly onIdle?: (() => void) | undefined;
  /** @default process.env */
  readonly environment?: Environment | undefined;
}

/**
 * What a worker has done since its start: messages, but for `invocations`, `running` and `receiveErrors`.
 *
 * @example
 * ```ts
 * const { received, done, failed }: WorkerStats = worker.stats();
 * ```
 */
export interface WorkerStats {
  /** Deliveries; a message that comes twice counts twice. */
  readonly received: number;
  /** Acknowledged: deleted from the queue. What the function dead-lettered is among them. */
  readonly done: number;
  /** Left in the queue after an invocation, for another try. */
  readonly failed: number;
  /** Given back untried, because the worker stops or their group is being worked on. */
  readonly givenBack: number;
  /** Done, and not deleted in spite of several tries: they come again. */
  readonly undeleted: number;
  /** Invocations that were begun. */
  readonly invocations: number;
  /** Invocations that ran out of time. */
  readonly overrun: number;
  /** Invocations that run now. */
  readonly running: number;
  /** Receives that failed. */
  readonly receiveErrors: number;
}

/**
 * How a worker is stopped.
 *
 * @example
 * ```ts
 * const options: StopOptions = { grace: seconds(10) };
 * ```
 */
export interface StopOptions {
  /**
   * How long running invocations, and the poll that is under way, may go on, in seconds.
   *
   * @default 25 seconds: a container service kills 30 seconds after it said to stop
   */
  readonly grace?: Seconds | undefined;
}

/**
 * A running worker.
 *
 * @example
 * ```ts
 * const worker: Worker = startWorker({ ...shop.subscribers.payments, handler });
 * process.once('SIGTERM', () => worker.stop());
 * await worker.ended;
 * ```
 */
export interface Worker {
  /**
   * Ends it; never rejects, resolves when nothing runs any more. No further poll begins; what the open poll still
   * brings is given back untried; running invocations are told that their time is `grace` and no longer, so that
   * `consume` puts back what it cannot finish, and whatever has not answered by then is left alone.
   *
   * The open poll is not broken off before `grace` is over: SQS may go on answering a poll whose caller has gone, and
   * what it hands out there is nobody's until its visibility ends.
   *
   * Called again, with a shorter `grace`, it ends sooner.
   */
  stop(options?: StopOptions): Promise<void>;
  /**
   * Resolves when it was stopped and nothing runs any more; rejects with a {@link WorkerError} when it cannot go on:
   * the queue does not exist, or access is denied. Unhandled, that ends the process, as it should in a container.
   */
  readonly ended: Promise<void>;
  /** What it has done so far. */
  stats(): WorkerStats;
}
