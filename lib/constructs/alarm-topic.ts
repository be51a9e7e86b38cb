import { Annotations, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IAlias, type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { CfnTopic, type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct, type IConstruct } from 'constructs';
import { acknowledge } from './acknowledged.ts';

/**
 * Props of {@link AlarmTopic}.
 *
 * @example
 * ```ts
 * const props: AlarmTopicProps = { emails: ['on-call@example.com'] };
 * ```
 */
export interface AlarmTopicProps {
  /**
   * A topic that there is already: nothing is made, and CloudWatch is let in.
   *
   * @default - one is made
   */
  readonly topic?: ITopic | undefined;
  /**
   * Who hears of alarms by e-mail. Each address gets a message that it has to confirm.
   *
   * @default - nobody, until somebody subscribes
   */
  readonly emails?: readonly string[] | undefined;
  /**
   * The key of the topic that is made.
   *
   * @default - a customer key of its own: CloudWatch cannot publish on a topic under `alias/aws/sns`
   */
  readonly encryptionKey?: IKey | undefined;
  /**
   * The topic's physical name.
   *
   * @default - chosen by CloudFormation
   */
  readonly topicName?: string | undefined;
  /**
   * The sender's name in e-mails.
   *
   * @default - none
   */
  readonly displayName?: string | undefined;
}

/**
 * A topic on which CloudWatch announces alarms: encrypted, with TLS only, its policy and its key made so that CloudWatch
 * can publish.
 *
 * @throws Error when `encryptionKey`, `topicName` or `displayName` is said of a topic that exists, an address of `emails` is
 *   none, or there are addresses for a FIFO topic
 * @example
 * ```ts
 * const { topic } = new AlarmTopic(this, 'AlarmTopic', { emails: ['on-call@example.com'] });
 * new MessagingStack(app, 'Shop', { messaging: shop, handlers, alarmTopic: topic });
 * ```
 */
export class AlarmTopic extends Construct {
  readonly topic: ITopic;
  /** The key of the topic that was made; `undefined` where the topic was given and has none that is known. */
  readonly encryptionKey: IKey | undefined;

  constructor(scope: Construct, id: string, props: AlarmTopicProps = {}) {
    super(scope, id);
    demandSense(this, props);
    if (props.topic !== undefined) {
      this.topic = props.topic;
      this.encryptionKey = props.topic.masterKey;
    } else {
      const key =
        props.encryptionKey ??
        new Key(this, 'Key', {
          description: 'Encrypts the announcements of alarms',
          enableKeyRotation: true,
          // Nothing that it encrypted outlives the topic.
          removalPolicy: RemovalPolicy.DESTROY,
        });
      this.encryptionKey = key;
      this.topic = new Topic(this, 'Topic', {
        masterKey: key,
        enforceSSL: true,
        ...(props.topicName === undefined ? {} : { topicName: props.topicName }),
        ...(props.displayName === undefined ? {} : { displayName: props.displayName }),
      });
    }
    allowAlarms(this.topic, this);
    for (const email of props.emails ?? [])
      acknowledge(this.topic.addSubscription(new EmailSubscription(email)), 'mailbox');
  }
}

function demandSense(scope: Construct, props: AlarmTopicProps): void {
  const faults = [
    ...(['encryptionKey', 'topicName', 'displayName'] as const)
      .filter((name) => props.topic !== undefined && props[name] !== undefined)
      .map(
        (name) => `"${name}" is of a topic that is made here, and "topic" is given: leave one of them out.`,
      ),
    // SNS developer guide, "Message delivery for FIFO topics".
    ...(props.topic?.fifo === true && (props.emails ?? []).length > 0
      ? [
          '"topic" is FIFO, and such a topic delivers to queues alone: leave "emails" out, or give a standard topic.',
        ]
      : []),
    ...(props.emails ?? [])
      .filter((email) => !Token.isUnresolved(email) && !/^[^\s@]+@[^\s@]+$/.test(email))
      .map((email) => `"${email}" of "emails" is no address: write name@example.com.`),
  ];
  if (faults.length > 0)
    throw new Error(`${scope.node.path}:\n${faults.map((each) => `  - ${each}`).join('\n')}`);
}

/** The topics that were asked for already, with the accounts whose alarms they hear of. */
const heard = new WeakMap<ITopic, Set<string>>();

const cloudWatch = () => new ServicePrincipal('cloudwatch.amazonaws.com');

/**
 * Lets CloudWatch announce alarms on a topic; said again, it adds nothing. Without it, a topic that has a policy of its own, or a customer's
 * key, drops them silently: the alarm turns red and nobody hears (CloudWatch user guide, "Notify users on alarm
 * changes"; SNS developer guide, "Managing Amazon SNS encryption keys and costs"). A warning where that cannot be done
 * from here: the owner of the topic or key must add the statement that it shows.
 *
 * @param alarms - where the alarms are made: those of its account are let in. Of the topic's own account when it is left out
 * @example
 * ```ts
 * allowAlarms(Topic.fromTopicArn(stack, 'Pager', pagerArn)); // warns: its owner must let CloudWatch in
 * ```
 */
export function allowAlarms(topic: ITopic, alarms: IConstruct = topic): void {
  const own = Stack.of(topic).account;
  const theirs = Stack.of(alarms).account;
  // What is known at the deployment only is the account that everything is deployed to.
  const account = Token.isUnresolved(theirs) ? own : theirs;
  const accounts = heard.get(topic) ?? new Set<string>();
  heard.set(topic, accounts);
  if (accounts.has(account)) return;
  accounts.add(account);
  const foreign = account !== own && !Token.isUnresolved(own);
  const sid = foreign ? `AllowCloudWatchAlarmsOf${account}` : 'AllowCloudWatchAlarms';
  const conditions = { StringEquals: { 'aws:SourceAccount': account } };
  const publish = new PolicyStatement({
    sid,
    actions: ['sns:Publish'],
    principals: [cloudWatch()],
    resources: [topic.topicArn],
    conditions,
  });
  if (!topic.addToResourcePolicy(publish).statementAdded)
    warn(
      topic,
      'alarmTopicPolicy',
      'The policy of this topic cannot be changed from here, since it was imported. Alarms are dropped silently unless it lets CloudWatch publish. Its owner must have this statement in it',
      publish,
    );
  if (isManaged(topic)) {
    warn(
      topic,
      'alarmTopicKey',
      'This topic is under the AWS managed key alias/aws/sns, which CloudWatch cannot use: alarms are dropped silently. Give it a customer key whose policy has this statement',
      keyStatement(sid, conditions),
    );
    return;
  }
  const { masterKey } = topic;
  if (masterKey === undefined) return;
  const statement = keyStatement(sid, conditions);
  if (!masterKey.addToResourcePolicy(statement, true).statementAdded)
    warn(
      topic,
      'alarmTopicKey',
      "The policy of this topic's key cannot be changed from here, since the key was imported. Alarms are dropped silently unless it lets CloudWatch use it. Its owner must have this statement in it",
      statement,
    );
}

const keyStatement = (sid: string, conditions: Record<string, unknown>): PolicyStatement =>
  new PolicyStatement({
    sid,
    actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
    principals: [cloudWatch()],
    // In a key's policy this is the key itself.
    resources: ['*'],
    conditions,
  });

const warn = (topic: ITopic, id: string, text: string, statement: PolicyStatement): void =>
  Annotations.of(topic).addWarningV2(
    `sluice:${id}`,
    `${text}: ${JSON.stringify(Stack.of(topic).resolve(statement.toStatementJson()))}`,
  );

/** Whether a topic is under the key that AWS manages for SNS, by its key or by what its template says. */
function isManaged(topic: ITopic): boolean {
  const { masterKey } = topic;
  const resource = topic.node.defaultChild;
  return [
    masterKey !== undefined && 'aliasName' in masterKey ? (masterKey as IAlias).aliasName : undefined,
    masterKey?.keyArn,
    resource instanceof CfnTopic ? resource.kmsMasterKeyId : undefined,
  ].some((name) => typeof name === 'string' && /(^|:)alias\/aws\/sns$/.test(name));
}
