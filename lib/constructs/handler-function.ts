import { dirname, resolve } from 'node:path';
import { Duration, RemovalPolicy, Size } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Architecture, type CfnFunction, Code, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import {
  type BundlingOptions,
  NodejsFunction,
  type NodejsFunctionProps,
} from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledged.ts';
import { findLockFile, handlerBundling } from './bundling.ts';
import { allowLogsOnKey } from './encryption.ts';
import { bundledByCdk, handlerCode } from './handler-code.ts';
import { allowEverywhere } from './network.ts';
import type { Consumers } from './switches.ts';
import { grantWork, type WorkPlace, workEnvironment } from './work.ts';

/**
 * How a function is made from a handler's file: what a stack says for all of its functions, and a subscriber for its
 * own.
 *
 * @example
 * ```ts
 * const options: HandlerFunctionOptions = { vpc, memorySize: Size.mebibytes(512), logRetention: RetentionDays.ONE_WEEK };
 * ```
 */
export interface HandlerFunctionOptions {
  /**
   * The function's physical name.
   *
   * @default - chosen by CloudFormation
   */
  readonly functionName?: string | undefined;
  /**
   * What the console says of the function; its first 256 characters.
   *
   * @default - nothing; the subscriber and its events where it is declared
   */
  readonly description?: string | undefined;
  /**
   * How long one batch may take. The queue's visibility must be longer: SQS advises six times as long.
   *
   * @default Duration.seconds(30)
   */
  readonly timeout?: Duration | undefined;
  /** @default Size.mebibytes(256) */
  readonly memorySize?: Size | undefined;
  /**
   * How long the function's log is kept.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays | undefined;
  /**
   * What becomes of the log when the stack is deleted.
   *
   * @default RemovalPolicy.DESTROY
   */
  readonly logRemovalPolicy?: RemovalPolicy | undefined;
  /**
   * A customer key for the function's log and its environment variables. CloudWatch Logs is let use it; where the key
   * was imported, its owner is told the statement.
   *
   * @default - keys of AWS
   */
  readonly encryptionKey?: IKey | undefined;
  /**
   * The network that the function runs in. Its way to SQS, DynamoDB and SNS is then the network's matter: endpoints or
   * a NAT gateway.
   *
   * @default - none: the function is in no network of the account
   */
  readonly vpc?: IVpc | undefined;
  /** @default - the private subnets of the network */
  readonly vpcSubnets?: SubnetSelection | undefined;
  /** @default - one is made */
  readonly securityGroups?: readonly ISecurityGroup[] | undefined;
  /**
   * Whether invocations are traced by X-Ray. The role may then send traces, on all resources: X-Ray knows no others.
   *
   * @default Tracing.DISABLED
   */
  readonly tracing?: Tracing | undefined;
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
}

/** A function to make, and what it works with. */
interface HandlerFunctionProps extends HandlerFunctionOptions, WorkPlace {
  readonly entry: string;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly consumers?: Consumers | undefined;
}

/** Workers bundle the handler by themselves: no asset is made for a function that is not deployed. */
const notDeployed = '// Workers run this handler.';

/** The function of a handler's file, with a role and a log of its own. */
export function makeFunction(scope: Construct, props: HandlerFunctionProps) {
  const { encryptionKey, vpc, bundling, depsLockFilePath } = props;
  const entry = resolve(props.entry);
  if (encryptionKey !== undefined) allowLogsOnKey(encryptionKey);
  const logGroup = new LogGroup(scope, 'LogGroup', {
    retention: props.logRetention ?? RetentionDays.ONE_MONTH,
    removalPolicy: props.logRemovalPolicy ?? RemovalPolicy.DESTROY,
    ...(encryptionKey === undefined ? {} : { encryptionKey }),
  });
  // A role of its own: the managed policy that a function gets otherwise may write every log of the account.
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  grantWork(role, props);
  const traces = props.tracing !== undefined && props.tracing !== Tracing.DISABLED;
  const everywhere = allowEverywhere(scope, role, { network: vpc !== undefined, traces });
  encryptionKey?.grant(role, 'kms:Decrypt');
  const code =
    props.consumers === 'worker'
      ? Code.fromInline(notDeployed)
      : handlerCode(scope, { entry, bundling, depsLockFilePath });
  const properties: NodejsFunctionProps = {
    ...(props.functionName === undefined ? {} : { functionName: props.functionName }),
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: (props.memorySize ?? Size.mebibytes(256)).toMebibytes(),
    timeout: props.timeout ?? Duration.seconds(30),
    role,
    logGroup,
    ...(props.description === undefined ? {} : { description: props.description.slice(0, 256) }),
    awsSdkConnectionReuse: false,
    environment: { ...props.environment, ...workEnvironment(props) },
    ...(encryptionKey === undefined ? {} : { environmentEncryption: encryptionKey }),
    ...(vpc === undefined ? {} : { vpc }),
    ...(props.vpcSubnets === undefined ? {} : { vpcSubnets: props.vpcSubnets }),
    ...(props.securityGroups === undefined ? {} : { securityGroups: [...props.securityGroups] }),
  };
  const made =
    code === undefined
      ? bundledByCdk(entry, () => {
          const own = { entry, handler: 'handler', bundling: { ...handlerBundling, ...bundling } };
          const lockFile = depsLockFilePath ?? findLockFile(dirname(entry));
          return new NodejsFunction(scope, 'Function', {
            ...properties,
            ...own,
            ...(lockFile === undefined ? {} : { depsLockFilePath: lockFile }),
          });
        })
      : new NodejsFunction(scope, 'Function', { ...properties, code, handler: 'index.handler' });
  // Not by its prop, which would put the right into the policy with all others.
  if (traces) (made.node.defaultChild as CfnFunction).tracingConfig = { mode: props.tracing as Tracing };
  // Lambda asks at once whether it may connect the function.
  if (everywhere !== undefined) made.node.addDependency(everywhere);
  acknowledge(made, 'consumerFunction');
  return { function: made, role, logGroup };
}
