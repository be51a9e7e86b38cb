import { CfnElement, Duration, Lazy, RemovalPolicy } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, EventSourceMapping, Runtime } from 'aws-cdk-lib/aws-lambda';
import { type BundlingOptions, NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Subscriber } from '../topology/index.ts';
import { handlerBundling } from './bundling.ts';
import type { RecordsTable } from './records-table.ts';
import type { Consumers } from './switches.ts';
import { grantWork, workEnvironment } from './work.ts';

/**
 * Props of {@link ConsumerFunction}.
 *
 * @example
 * ```ts
 * const props: ConsumerFunctionProps = {
 *   definition: shop.subscribers.payments,
 *   entry: '/app/handlers/payments.ts',
 *   queue,
 *   deadLetterQueue,
 *   records,
 *   logRetention: RetentionDays.ONE_WEEK,
 * };
 * ```
 */
export interface ConsumerFunctionProps {
  /** The subscriber as declared. */
  readonly definition: Subscriber;
  /** Path of the module that exports `handler`. */
  readonly entry: string;
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
  readonly records: RecordsTable;
  /**
   * More environment variables.
   *
   * @default - only those that the runtime needs
   */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /**
   * How long the function's log is kept; the log group is deleted with the stack.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays | undefined;
  /**
   * Changes to how the handler is bundled.
   *
   * @default - one minified ES module with everything inside, the AWS SDK too
   */
  readonly bundling?: BundlingOptions | undefined;
  /**
   * The package's lock file.
   *
   * @default - found from the working directory upwards
   */
  readonly depsLockFilePath?: string | undefined;
  /**
   * With `worker` nothing of it is deployed: the constructs are there for the code that grants to the function or sets
   * its variables, and no part of the template. Whatever refers to them fails at synthesis, and says so.
   *
   * @default 'lambda'
   */
  readonly consumers?: Consumers | undefined;
}

/** Workers bundle the handler by themselves: no asset is made for a function that is not deployed. */
const notDeployed = '// Workers run this handler.';

/**
 * A subscriber's function, its event source, its role with no more than it needs, and its log.
 *
 * @example
 * ```ts
 * new ConsumerFunction(this, 'Consumer', {
 *   definition: shop.subscribers.payments,
 *   entry: fileURLToPath(new URL('./handlers/payments.ts', import.meta.url)),
 *   queue,
 *   deadLetterQueue,
 *   records,
 * }).function.addEnvironment('PROVIDER_URL', url);
 * ```
 */
export class ConsumerFunction extends Construct {
  readonly function: NodejsFunction;
  readonly role: Role;
  readonly logGroup: LogGroup;
  readonly eventSource: EventSourceMapping;

  constructor(scope: Construct, id: string, props: ConsumerFunctionProps) {
    super(scope, id);
    const { definition, queue } = props;
    this.logGroup = new LogGroup(this, 'LogGroup', {
      retention: props.logRetention ?? RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // A role of its own: the managed policy that a function gets otherwise may write every log of the account.
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.logGroup.grantWrite(this.role);
    grantWork(this.role, props);

    this.function = new NodejsFunction(this, 'Function', {
      ...(definition.functionName === undefined ? {} : { functionName: definition.functionName }),
      ...(props.consumers === 'worker'
        ? { code: Code.fromInline(notDeployed), handler: 'index.handler' }
        : { entry: props.entry, handler: 'handler' }),
      runtime: Runtime.NODEJS_22_X,
      architecture: Architecture.ARM_64,
      memorySize: definition.memorySize,
      timeout: Duration.seconds(definition.timeout),
      role: this.role,
      logGroup: this.logGroup,
      description: `Consumes ${definition.on.join(', ')} for ${definition.name}`.slice(0, 256),
      awsSdkConnectionReuse: false,
      environment: {
        ...props.environment,
        ...workEnvironment(props),
      },
      bundling: { ...handlerBundling, ...props.bundling },
      ...(props.depsLockFilePath === undefined ? {} : { depsLockFilePath: props.depsLockFilePath }),
    });
    this.eventSource = new EventSourceMapping(this, 'EventSource', {
      target: this.function,
      eventSourceArn: queue.queueArn,
      batchSize: definition.batchSize,
      // Maximum concurrency and not reserved concurrency: a throttled invocation burns a receive (Lambda developer
      // guide, "Configuring scaling behavior for SQS event source mappings").
      maxConcurrency: definition.concurrency,
      reportBatchItemFailures: true,
      ...(definition.batchWindow > 0 ? { maxBatchingWindow: Duration.seconds(definition.batchWindow) } : {}),
    });
    if (props.consumers === 'worker') leaveOut(this, definition.name);
  }
}

/**
 * Takes a construct out of the tree: no synthesis meets it. A reference to one of its resources would be a template that
 * no deployment accepts, so it is an error of the synthesis.
 */
function leaveOut(construct: Construct, subscriber: string): void {
  const produce = () => {
    throw new Error(
      `The function of "${subscriber}" is not in this stack, since its consumers are workers, and something refers to it (its function, role, log or event source). Leave that out when stack.consumers is 'worker'.`,
    );
  };
  for (const element of construct.node.findAll())
    if (CfnElement.isCfnElement(element)) element.overrideLogicalId(Lazy.string({ produce }));
  construct.node.scope?.node.tryRemoveChild(construct.node.id);
}
