import { Duration, Size } from 'aws-cdk-lib';
import type { TaskDefinition } from 'aws-cdk-lib/aws-ecs';
import type { IGrantable, IRole } from 'aws-cdk-lib/aws-iam';
import type { EventSourceMapping, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { entrance } from '../base/index.ts';
import type { Subscriber } from '../topology/index.ts';
import { ConstructError } from './construct-error.ts';
import { type AnyFunction, ConsumerFunction } from './consumer-function.ts';
import { announceHandler } from './handler-code.ts';
import type { HandlerFunctionOptions } from './handler-function.ts';
import { leaveOut } from './leave-out.ts';
import { demandOneQueue } from './one-queue.ts';
import type { RecordsTable } from './records-table.ts';
import type { Consumers } from './switches.ts';
import { grantWork, workEnvironment } from './work.ts';

/**
 * What a subscriber hands to its consumer.
 *
 * @example
 * ```ts
 * bind(scope: Construct, { queue, environment }: ConsumerWork): ConsumerBinding { ... }
 * ```
 */
export interface ConsumerWork {
  /** The subscriber as declared. */
  readonly definition: Subscriber;
  /** Path of the declared handler's module. */
  readonly entry: string;
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
  readonly records: RecordsTable;
  /**
   * Variables for the handler, besides those of the runtime.
   *
   * @default - none
   */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /**
   * What the stack says for all functions that it makes; options of one consumer go before.
   *
   * @default - the defaults of {@link ConsumerFunction}
   */
  readonly functionOptions?: HandlerFunctionOptions | undefined;
  /**
   * With `worker` nothing that Lambda runs is deployed.
   *
   * @default 'lambda'
   */
  readonly consumers?: Consumers | undefined;
}

/**
 * What is known of a consumer's work before there is a queue.
 *
 * @example
 * ```ts
 * prepare(scope: Construct, { entry }: ConsumerOutlook): void { ... }
 * ```
 */
export type ConsumerOutlook = Omit<ConsumerWork, 'queue' | 'deadLetterQueue' | 'records'>;

/**
 * What came of a consumer: what there is of these can be granted to, watched and referred to.
 *
 * @example
 * ```ts
 * stock.grantWriteData(stack.subscriber('inventory').consumer.grantee);
 * ```
 */
export interface ConsumerBinding {
  /** Whom to grant what the handler touches besides. */
  readonly grantee: IGrantable;
  readonly role?: IRole | undefined;
  /** Undefined for a container. With consumers `worker` no part of the template. */
  readonly function?: IFunction | undefined;
  /** The name for metrics of Lambda; undefined when there are none, or when the stack cannot name the function. */
  readonly functionName?: string | undefined;
  /** The function's log, where it was made here. */
  readonly logGroup?: ILogGroup | undefined;
  readonly eventSource?: EventSourceMapping | undefined;
  /** Sets an environment variable of the handler, wherever it runs. */
  addEnvironment(name: string, value: string): void;
}

/**
 * Who runs a subscriber's handler. Without one, a stack makes a function of each declared handler.
 *
 * @example
 * ```ts
 * new MessagingStack(app, 'Shop', {
 *   messaging: shop,
 *   handlers,
 *   subscribers: {
 *     payments: { consumer: Consumer.nodejs({ memorySize: Size.mebibytes(1024), vpc }) },
 *     invoices: { consumer: Consumer.fromFunction((scope) => new DockerImageFunction(scope, 'Function', { code })) },
 *     films: { consumer: Consumer.container(transcoding) },
 *   },
 * });
 * ```
 */
export abstract class Consumer {
  static {
    entrance(Consumer);
  }

  /**
   * A function of the declared handler, bundled.
   *
   * @param options - what differs from the declaration and from the other functions of the stack
   * @example
   * ```ts
   * Consumer.nodejs({ vpc, logRetention: RetentionDays.ONE_YEAR });
   * ```
   */
  static nodejs(options: HandlerFunctionOptions = {}): Consumer {
    return new HandlerConsumer(options);
  }

  /**
   * Any Lambda function: a container image, another language, an alias, one that is imported by its ARN. It gets the
   * event source; its role the permissions, and its environment the variables of the runtime, as far as it is of this
   * app.
   *
   * @param consumer - the function; or how to make it, which puts it into the subscriber's own stack
   * @example
   * ```ts
   * Consumer.fromFunction((scope) => new DockerImageFunction(scope, 'Function', { code }));
   * ```
   */
  static fromFunction(consumer: AnyFunction | Provided<AnyFunction>): Consumer {
    return new FunctionConsumer(consumer);
  }

  /**
   * A container that polls the queue by itself, with `startWorker` of `sluice/worker`: its task's role gets the
   * permissions, the container the variables. The service that keeps it running is made by its owner.
   *
   * @param task - the task definition; or how to make it, which puts it into the subscriber's own stack
   * @param containerName - the container that runs the handler; the task's default container when none is named
   * @throws Error, when the subscriber is made, if the task has no such container
   * @example
   * ```ts
   * const task = new FargateTaskDefinition(services, 'Transcoding');
   * task.addContainer('worker', { image: ContainerImage.fromAsset('transcoding') });
   * Consumer.container(task);
   * ```
   */
  static container(task: TaskDefinition | Provided<TaskDefinition>, containerName?: string): Consumer {
    return new ContainerConsumer(task, containerName);
  }

  /**
   * Hears of a subscriber before the first consumer of the stack is made: what is done for many at once, such as
   * bundling, is known here. Most consumers have nothing to prepare.
   */
  prepare(_scope: Construct, _work: ConsumerOutlook): void {}

  /** Makes the consumer of a subscriber. Called once for each subscriber that has it. */
  abstract bind(scope: Construct, work: ConsumerWork): ConsumerBinding;
}

/**
 * Makes what a consumer runs on, under `scope`, which is in the subscriber's stack.
 *
 * @example
 * ```ts
 * const image: Provided<IFunction> = (scope) => new DockerImageFunction(scope, 'Function', { code });
 * ```
 */
export type Provided<Runs> = (scope: Construct, work: ConsumerWork) => Runs;

class HandlerConsumer extends Consumer {
  readonly #options: HandlerFunctionOptions;

  constructor(options: HandlerFunctionOptions) {
    super();
    this.#options = options;
  }

  override prepare(scope: Construct, work: ConsumerOutlook): void {
    if (work.consumers !== 'worker') announceHandler(scope, { entry: work.entry, ...this.#optionsFor(work) });
  }

  bind(scope: Construct, work: ConsumerWork): ConsumerBinding {
    const { definition } = work;
    return new ConsumerFunction(scope, 'Consumer', {
      description: `Consumes ${definition.on.join(', ')} for ${definition.name}`,
      functionName: definition.functionName,
      timeout: Duration.seconds(definition.timeout),
      memorySize: Size.mebibytes(definition.memorySize),
      ...this.#optionsFor(work),
      ...eventSourceOf(work),
      entry: work.entry,
    });
  }

  /** What the stack says, and before it what was said for this consumer. */
  #optionsFor({ functionOptions }: ConsumerOutlook): HandlerFunctionOptions {
    const bundling = { ...functionOptions?.bundling, ...this.#options.bundling };
    return { ...said(functionOptions), ...said(this.#options), bundling };
  }
}

class FunctionConsumer extends Consumer {
  readonly #consumer: AnyFunction | Provided<AnyFunction>;

  constructor(consumer: AnyFunction | Provided<AnyFunction>) {
    super();
    this.#consumer = consumer;
  }

  bind(scope: Construct, work: ConsumerWork): ConsumerBinding {
    const own = provide(scope, work, this.#consumer);
    const binding = new ConsumerFunction(scope, 'Consumer', { ...eventSourceOf(work), function: own.made });
    if (work.consumers === 'worker' && own.place !== undefined) leaveOut(own.place);
    return binding;
  }
}

class ContainerConsumer extends Consumer {
  readonly #task: TaskDefinition | Provided<TaskDefinition>;
  readonly #containerName: string | undefined;

  constructor(task: TaskDefinition | Provided<TaskDefinition>, containerName: string | undefined) {
    super();
    this.#task = task;
    this.#containerName = containerName;
  }

  bind(scope: Construct, work: ConsumerWork): ConsumerBinding {
    const { made: task } = provide(scope, work, this.#task);
    const container =
      this.#containerName === undefined ? task.defaultContainer : task.findContainer(this.#containerName);
    if (container === undefined)
      throw new ConstructError(
        `The task definition ${task.node.path}, which is to consume for "${work.definition.name}", has ${this.#containerName === undefined ? 'no container' : `no container "${this.#containerName}"`}. Add it before the subscriber is made${this.#containerName === undefined ? '' : ', or name one that it has'}.`,
      );
    demandOneQueue(container, `The container "${container.containerName}" of ${task.node.path}`, scope);
    const addEnvironment = (name: string, value: string) => container.addEnvironment(name, value);
    grantWork(task.taskRole, work);
    for (const [name, value] of Object.entries({ ...work.environment, ...workEnvironment(work) }))
      addEnvironment(name, value);
    return { grantee: task.taskRole, role: task.taskRole, addEnvironment };
  }
}

/** What exists, or what is made in a place of its own. */
function provide<Runs extends object>(
  scope: Construct,
  work: ConsumerWork,
  given: Runs | Provided<Runs>,
): { readonly made: Runs; readonly place?: Construct } {
  if (typeof given !== 'function') return { made: given };
  const place = new Construct(scope, 'Provided');
  return { made: given(place, work), place };
}

/** What the declaration says about batches, and what a consumer works with. */
const eventSourceOf = ({ definition, queue, deadLetterQueue, records, ...work }: ConsumerWork) => ({
  queue,
  deadLetterQueue,
  records,
  definition,
  environment: work.environment,
  consumers: work.consumers,
  batchSize: definition.batchSize,
  maxConcurrency: definition.concurrency,
  maxBatchingWindow: definition.batchWindow > 0 ? Duration.seconds(definition.batchWindow) : undefined,
});

/** Options without those that are left undefined: they would hide what was said before. */
const said = (options: HandlerFunctionOptions = {}): HandlerFunctionOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
