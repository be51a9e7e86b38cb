import { type Duration, Names, Stack, Token } from 'aws-cdk-lib';
import type { Grant, IGrantable, IRole } from 'aws-cdk-lib/aws-iam';
import { type CfnFunction, EventSourceMapping, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledged.ts';
import { type HandlerFunctionOptions, makeFunction } from './handler-function.ts';
import { leaveOut } from './leave-out.ts';
import { demandOneQueue } from './one-queue.ts';
import type { RecordsTable } from './records-table.ts';
import type { Consumers } from './switches.ts';
import { tellOwner } from './tell-owner.ts';
import { grantWork, workEnvironment } from './work.ts';

/**
 * Props of {@link ConsumerFunction}.
 *
 * @example
 * ```ts
 * const props: ConsumerFunctionProps = {
 *   entry: '/app/handlers/payments.ts',
 *   queue,
 *   deadLetterQueue,
 *   records,
 *   timeout: Duration.seconds(20),
 * };
 * ```
 */
export interface ConsumerFunctionProps extends HandlerFunctionOptions {
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
  readonly records: RecordsTable;
  /**
   * Path of the module that exports `handler`.
   *
   * @default - none: `function` is given
   */
  readonly entry?: string | undefined;
  /**
   * A function that exists already, of any language and packaging: an alias, a version, an imported one too. It gets
   * the event source, its role the permissions, and its environment the variables of the runtime; what cannot be set
   * on an imported function is said in a warning. Everything else about it is its owner's.
   *
   * @default - none: one is made of `entry`
   */
  readonly function?: IFunction | undefined;
  /**
   * More environment variables.
   *
   * @default - only those that the runtime needs
   */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /**
   * Most messages of one invocation.
   *
   * @default 10
   */
  readonly batchSize?: number | undefined;
  /**
   * How long messages are gathered for a batch.
   *
   * @default - not at all
   */
  readonly maxBatchingWindow?: Duration | undefined;
  /**
   * Most batches at a time, 2 to 1000.
   *
   * @default 10
   */
  readonly maxConcurrency?: number | undefined;
  /**
   * With `worker` nothing of it is deployed: the constructs are there for the code that grants to the function or sets
   * its variables, and no part of the template. Whatever refers to them fails at synthesis, and says so.
   *
   * @default 'lambda'
   */
  readonly consumers?: Consumers | undefined;
}

/**
 * A queue's consumer: a function with its event source, its role with no more than it needs, and its log; or the event
 * source and the permissions for a function that exists.
 *
 * @throws Error when neither `entry` nor `function` is given, or both, or `function` together with what only a function
 *   that is made here takes, or a `function` that consumes another queue
 * @example
 * ```ts
 * new ConsumerFunction(this, 'Consumer', {
 *   entry: fileURLToPath(new URL('./handlers/payments.ts', import.meta.url)),
 *   queue,
 *   deadLetterQueue,
 *   records,
 * }).addEnvironment('PROVIDER_URL', url);
 * ```
 */
export class ConsumerFunction extends Construct {
  readonly function: IFunction;
  /** Whom to grant what the handler touches besides. */
  readonly grantee: IGrantable;
  /** Undefined for a function that was imported without it. */
  readonly role: IRole | undefined;
  /** Undefined for a function that exists: its log is its owner's. */
  readonly logGroup: LogGroup | undefined;
  readonly eventSource: EventSourceMapping;
  /**
   * The function's name, for metrics; without version or alias. Undefined where naming it would make two stacks depend
   * on each other: a function of another stack, whose name CloudFormation chooses.
   */
  readonly functionName: string | undefined;
  readonly #setVariable: ((name: string, value: string) => void) | undefined;

  constructor(scope: Construct, id: string, props: ConsumerFunctionProps) {
    super(scope, id);
    demandOneFunction(this, props);
    if (props.function === undefined) {
      const made = makeFunction(this, { ...props, entry: props.entry as string });
      this.function = made.function;
      this.role = made.role;
      this.logGroup = made.logGroup;
    } else {
      this.function = props.function;
      this.role = props.function.role;
      this.logGroup = undefined;
    }
    this.grantee = this.function;
    const plain = withoutQualifier(this.function);
    demandOneQueue(plain, `The function ${plain.node.path}`, this);
    this.#setVariable = variablesOf(plain);
    this.functionName = nameFrom(this, plain);
    const grant = props.function === undefined ? undefined : this.#joinWork(props);

    // A function of another stack knows the queue by its role and its variables: so must its event source, or each
    // stack would have to be deployed before the other.
    const elsewhere = Stack.of(this.function) !== Stack.of(this);
    this.eventSource = new EventSourceMapping(
      elsewhere ? this.function : this,
      elsewhere ? `EventSource${Names.nodeUniqueId(this.node)}` : 'EventSource',
      {
        target: this.function,
        eventSourceArn: props.queue.queueArn,
        batchSize: props.batchSize ?? 10,
        // Maximum concurrency and not reserved concurrency: a throttled invocation burns a receive (Lambda developer
        // guide, "Configuring scaling behavior for SQS event source mappings").
        maxConcurrency: props.maxConcurrency ?? 10,
        reportBatchItemFailures: true,
        ...(props.maxBatchingWindow === undefined ? {} : { maxBatchingWindow: props.maxBatchingWindow }),
      },
    );
    acknowledge(this.eventSource, 'eventSource');
    // Lambda asks at once whether the role may receive.
    grant?.applyBefore(this.eventSource);
    if (props.consumers !== 'worker') return;
    if (elsewhere) leaveOut(this.eventSource);
    leaveOut(this);
  }

  /**
   * Sets an environment variable of the function. An imported one gets none from here: a warning says which it needs.
   *
   * @example
   * ```ts
   * consumer.addEnvironment('PROVIDER_URL', url);
   * ```
   */
  addEnvironment(name: string, value: string): void {
    if (this.#setVariable === undefined) tellOwner(this, this.function, { variables: { [name]: value } });
    else this.#setVariable(name, value);
  }

  /** Makes a function that exists a consumer: permissions and variables, or the words for whoever can give them. */
  #joinWork(props: ConsumerFunctionProps): Grant | undefined {
    if (props.consumers === 'worker') return undefined;
    const variables = { ...props.environment, ...workEnvironment(props) };
    if (this.#setVariable !== undefined)
      for (const [name, value] of Object.entries(variables)) this.#setVariable(name, value);
    const known = this.role !== undefined;
    if (!known || this.#setVariable === undefined)
      tellOwner(this, this.function, {
        ...(known ? {} : { place: props }),
        ...(this.#setVariable === undefined ? { variables } : {}),
      });
    return known ? grantWork(this.function, props) : undefined;
  }
}

const onlyWhenMade = [
  ...['functionName', 'description', 'timeout', 'memorySize', 'logRetention', 'logRemovalPolicy'],
  ...['encryptionKey', 'vpc', 'vpcSubnets', 'securityGroups', 'tracing', 'bundling', 'depsLockFilePath'],
] as readonly (keyof HandlerFunctionOptions)[];

function demandOneFunction(construct: Construct, props: ConsumerFunctionProps): void {
  const { path } = construct.node;
  if ((props.entry === undefined) === (props.function === undefined))
    throw new Error(
      `${path} has ${props.entry === undefined ? 'neither "entry" nor "function"' : 'both "entry" and "function"'}; allowed is one of them. Give the handler's file as "entry", or a function that exists as "function".`,
    );
  const vain = props.function === undefined ? [] : onlyWhenMade.filter((name) => props[name] !== undefined);
  if (vain.length > 0)
    throw new Error(
      `${path} is given a function that exists, and ${vain.map((name) => `"${name}"`).join(', ')}, which a function has from where it is made. Set that there, or give "entry" instead of "function".`,
    );
}

/** The function behind an alias or a version. */
export function withoutQualifier(qualified: IFunction): IFunction {
  const { lambda } = qualified as IFunction & { readonly lambda?: IFunction };
  return lambda === undefined ? qualified : withoutQualifier(lambda);
}

/** How variables of a function are set; undefined for one that was imported. */
function variablesOf(plain: IFunction): ((name: string, value: string) => void) | undefined {
  const { addEnvironment } = plain as IFunction & { addEnvironment?(name: string, value: string): unknown };
  return addEnvironment === undefined ? undefined : (name, value) => addEnvironment.call(plain, name, value);
}

function nameFrom(scope: Construct, plain: IFunction): string | undefined {
  if (Stack.of(plain) === Stack.of(scope)) return plain.functionName;
  const { functionName = plain.functionName } = (plain.node.defaultChild ?? plain) as CfnFunction;
  return Token.isUnresolved(functionName) ? undefined : functionName;
}
