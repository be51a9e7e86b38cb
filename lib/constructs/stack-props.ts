import type { RemovalPolicy, StackProps } from 'aws-cdk-lib';
import type { ITable, Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { ISecurityGroup, IVpc, SubnetSelection, Vpc } from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { BundlingOptions } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Messaging, SubscriberName } from '../topology/index.ts';
import type { Consumer } from './consumer.ts';
import type { Encryption } from './keys.ts';
import type { Stage } from './stage.ts';
import type { AlarmSet, Consumers } from './switches.ts';

/**
 * What a stack is told of one subscriber beyond the declaration: what exists already, and who consumes.
 *
 * @example
 * ```ts
 * const options: SubscriberOptions = {
 *   consumer: Consumer.fromFunction(scorer),
 *   deadLetterQueue: Queue.fromQueueArn(this, 'Parked', 'arn:aws:sqs:eu-west-1:123456789012:parked'),
 * };
 * ```
 */
export interface SubscriberOptions {
  /**
   * An existing queue, of the kind that is declared. Its visibility, retention and redrive policy are its owner's.
   *
   * @default - one is made
   */
  readonly queue?: IQueue | undefined;
  /**
   * An existing queue for what the consumer gives up, of the queue's kind.
   *
   * @default - one is made
   */
  readonly deadLetterQueue?: IQueue | undefined;
  /**
   * An existing queue for what the topic cannot deliver, of the topic's kind.
   *
   * @default - one is made
   */
  readonly subscriptionDeadLetterQueue?: IQueue | undefined;
  /**
   * Who consumes.
   *
   * @default Consumer.nodejs() - a function of the declared handler
   */
  readonly consumer?: Consumer | undefined;
  /**
   * Environment variables of its consumer, beside those of the stack.
   *
   * @default - none
   */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /**
   * The network that its function runs in.
   *
   * @default - that of the stack
   */
  readonly vpc?: IVpc | Vpc | undefined;
  /** @default - that of the stack, else the private subnets of the network */
  readonly vpcSubnets?: SubnetSelection | undefined;
  /** @default - those of the stack, else one is made */
  readonly securityGroups?: readonly ISecurityGroup[] | undefined;
}

/**
 * Props of {@link MessagingStack}.
 *
 * @example
 * ```ts
 * const props: MessagingStackProps<typeof shop> = {
 *   messaging: shop,
 *   handlers: '/app/handlers',
 *   stage: 'dev',
 *   alarmTopic,
 * };
 * ```
 */
export interface MessagingStackProps<M extends Messaging = Messaging> extends StackProps {
  /** What is deployed, made by `defineMessaging`. */
  readonly messaging: M;
  /** The folder that the subscribers' `handler` is relative to, as an absolute path. */
  readonly handlers: string;
  /**
   * How careful the stack is with what it holds. `prod`: table, dead-letter queues, logs and keys outlive the stack, the
   * table can be restored and is protected from deletion, the stack from termination, logs are kept for three months.
   * `dev`: nothing outlives it, logs are kept for a week. Single props override it. The context `sluice:stage` says it
   * for one synthesis, whatever stands here.
   *
   * @default 'prod'
   */
  readonly stage?: Stage | undefined;
  /**
   * Existing topics, by their names in the declaration: of another stack of the app, or imported, of another account
   * too. What the owner of an imported one in another account has to add to its policy is an output,
   * `TopicOwnerPolicyOrders`, and a warning.
   *
   * @default - every topic is made
   */
  readonly topics?: Readonly<Record<string, ITopic>> | undefined;
  /**
   * The customer keys of existing topics in other accounts, by the topics' names: for those who publish from here.
   *
   * @default - the key that the topic is known to have
   */
  readonly topicKeys?: Readonly<Record<string, IKey>> | undefined;
  /**
   * The subscribers that this stack holds; others live in other stacks. With `topics` as well, the stack makes no topic
   * that these do not hear.
   *
   * @default - all
   */
  readonly only?: readonly SubscriberName<M>[] | undefined;
  /**
   * An existing table of records: string partition key `pk`, time to live by `ttl`, and the index `groups` where a
   * subscriber halts.
   *
   * @default - one is made
   */
  readonly records?: ITable | Table | TableV2 | undefined;
  /**
   * What subscribers have beyond the declaration.
   *
   * @default - everything is made as declared
   */
  readonly subscribers?: { readonly [Name in SubscriberName<M>]?: SubscriberOptions } | undefined;
  /**
   * Whose keys encrypt. `awsManaged`: SQS's own for queues, `alias/aws/sns` for topics, DynamoDB's own for the table.
   * `customerKey`: one key of the account for topics, queues, table and logs. `customerKeys`: one for each topic, each
   * subscriber and the table.
   *
   * @default - 'awsManaged', or 'customerKey' where encryptionKey is given
   */
  readonly encryption?: Encryption | undefined;
  /**
   * An existing key for everything. A key of the app gets the statements that the services need; of one that was
   * imported, a warning says them.
   *
   * @default - one is made where `encryption` asks for it
   */
  readonly encryptionKey?: IKey | undefined;
  /**
   * Who hears of alarms that page. Its policy, and its key when it has one, are made to let CloudWatch publish.
   *
   * @default - one is made where `alarmEmails` are given; else nobody: the alarms only change their state
   */
  readonly alarmTopic?: ITopic | undefined;
  /**
   * Who hears of alarms that can wait.
   *
   * @default - alarmTopic
   */
  readonly ticketTopic?: ITopic | undefined;
  /**
   * Who hears of alarms that page by e-mail, each after a confirmation: subscribed to `alarmTopic`, or to a topic that is
   * made for them.
   *
   * @default - nobody
   */
  readonly alarmEmails?: readonly string[] | undefined;
  /**
   * Where the runbook is, for the descriptions of alarms; an anchor is appended.
   *
   * @default 'node_modules/sluice/docs/watch.md', the page that comes with the package
   */
  readonly runbook?: string | undefined;
  /**
   * The physical name of the table of records: 3 to 255 letters, digits, dots, hyphens or underscores.
   *
   * @default - chosen by CloudFormation
   */
  readonly recordsTableName?: string | undefined;
  /**
   * What becomes of the table of records when the stack is deleted.
   *
   * @default - by the stage: kept in prod
   */
  readonly recordsRemovalPolicy?: RemovalPolicy | undefined;
  /**
   * What becomes of the dead-letter queues when the stack is deleted, or a subscriber leaves it.
   *
   * @default - by the stage: kept in prod
   */
  readonly deadLetterRemovalPolicy?: RemovalPolicy | undefined;
  /**
   * What becomes of the keys that the stack made. One that is deleted leaves unreadable what it encrypted.
   *
   * @default - by the stage: kept in prod
   */
  readonly keyRemovalPolicy?: RemovalPolicy | undefined;
  /**
   * What becomes of the functions' logs.
   *
   * @default - by the stage: kept in prod
   */
  readonly logRemovalPolicy?: RemovalPolicy | undefined;
  /**
   * How long the functions' logs are kept.
   *
   * @default - by the stage: three months in prod, a week in dev
   */
  readonly logRetention?: RetentionDays | undefined;
  /**
   * Whether the table of records can be restored to a moment of the past.
   *
   * @default - by the stage: in prod
   */
  readonly pointInTimeRecovery?: boolean | undefined;
  /**
   * Whether DynamoDB refuses to delete the table of records.
   *
   * @default - by the stage: in prod, unless recordsRemovalPolicy is DESTROY
   */
  readonly deletionProtection?: boolean | undefined;
  /**
   * Environment variables of every consumer. For one of them alone: `subscribers`, or
   * `stack.subscriber('payments').function.addEnvironment(...)`.
   *
   * @default - only those that the runtime needs
   */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /**
   * The network that the functions run in. Their way to SQS, DynamoDB and SNS is then the network's matter.
   *
   * @default - none
   */
  readonly vpc?: IVpc | Vpc | undefined;
  /** @default - the private subnets of the network */
  readonly vpcSubnets?: SubnetSelection | undefined;
  /** @default - one is made for each function */
  readonly securityGroups?: readonly ISecurityGroup[] | undefined;
  /**
   * The dashboard's name.
   *
   * @default - the stack's name
   */
  readonly dashboardName?: string | undefined;
  /**
   * Changes to how handlers are bundled.
   *
   * @default - one minified ES module with everything inside, the AWS SDK too
   */
  readonly bundling?: BundlingOptions | undefined;
  /**
   * The lock file of the package that holds the handlers.
   *
   * @default - the first one found from `handlers` upwards
   */
  readonly depsLockFilePath?: string | undefined;
  /**
   * Who runs the handlers. With `worker` the stack has no functions, event sources and logs; workers are started
   * elsewhere, with {@link MessagingStack.grantWork} and {@link MessagingSubscriber.workerEnvironment}. The context
   * `sluice:consumers` says it for one synthesis, whatever stands here.
   *
   * @default 'lambda'
   */
  readonly consumers?: Consumers | undefined;
  /**
   * Which alarms are made; `plain` are those on one metric as it is, without an expression. The context `sluice:alarms`
   * says it for one synthesis, whatever stands here.
   *
   * @default 'all'
   */
  readonly alarms?: AlarmSet | undefined;
}
