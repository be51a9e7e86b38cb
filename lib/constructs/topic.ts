import { Annotations } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type CfnTopic, FifoThroughputScope, type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { entrance } from '../base/index.ts';
import type { PhysicalName } from '../monitoring/index.ts';
import { grantOnKey, isService, keyItself } from './encryption.ts';
import { demandNone, judge, known, type PropFault } from './judge.ts';
import { foreign } from './topic-owner-policy.ts';

/**
 * Props of {@link MessagingTopic}.
 *
 * @example
 * ```ts
 * const props: MessagingTopicProps = { fifo: true, encryptionKey: key };
 * ```
 */
export interface MessagingTopicProps {
  /**
   * A topic that exists already, of another construct, stack or account. Nothing is made then, and nothing of it changed.
   *
   * @default - a topic is made
   */
  readonly topic?: ITopic | undefined;
  /**
   * Keep the order within each message group; with deduplication and throughput by message group.
   *
   * @default - the kind of `topic`, else false
   */
  readonly fifo?: boolean | undefined;
  /**
   * The topic's physical name, up to 256 characters (SNS quotas); a FIFO topic's ends with `.fifo`.
   *
   * @default - chosen by CloudFormation
   */
  readonly topicName?: string | undefined;
  /**
   * What e-mail and SMS subscribers see as its name.
   *
   * @default - none
   */
  readonly displayName?: string | undefined;
  /**
   * The customer key under which messages are encrypted; with `topic`, the key that it has, if the CDK does not know it.
   *
   * @default - the key of `topic`; for a topic that is made the AWS managed key `alias/aws/sns`, under which whoever
   * may publish in this account can, but neither other accounts nor AWS's services
   */
  readonly encryptionKey?: IKey | undefined;
}

/**
 * A topic: encrypted at rest, refusing what comes unencrypted, on FIFO with deduplication and throughput by message
 * group.
 *
 * @throws Error listing every fault of the props
 * @example
 * ```ts
 * const orders = new MessagingTopic(this, 'OrdersTopic', { fifo: true });
 * orders.grantPublish(checkout);
 * ```
 */
export class MessagingTopic extends Construct {
  static {
    entrance(MessagingTopic);
  }

  readonly topic: ITopic;
  /** The customer key under which it is, when there is one and it is known. */
  readonly encryptionKey: IKey | undefined;
  #underKeyOfAws = false;

  constructor(scope: Construct, id: string, props: MessagingTopicProps = {}) {
    super(scope, id);
    demandNone(this, faultsOf(props));
    this.topic = props.topic ?? this.#make(props);
    this.encryptionKey = props.encryptionKey ?? this.topic.masterKey;
  }

  #make({ fifo, topicName, displayName, encryptionKey }: MessagingTopicProps): Topic {
    const topic = new Topic(this, 'Topic', {
      enforceSSL: true,
      ...(topicName === undefined ? {} : { topicName }),
      ...(displayName === undefined ? {} : { displayName }),
      ...(encryptionKey === undefined ? {} : { masterKey: keyItself(encryptionKey) }),
      // The publisher names the event itself: two events with equal content are two events.
      ...(fifo
        ? {
            fifo: true,
            contentBasedDeduplication: false,
            fifoThroughputScope: FifoThroughputScope.MESSAGE_GROUP,
          }
        : {}),
    });
    // By its alias, as AWS names it: an ARN would be a reference to a key that no construct stands for.
    if (encryptionKey === undefined) (topic.node.defaultChild as CfnTopic).kmsMasterKeyId = 'alias/aws/sns';
    this.#underKeyOfAws = encryptionKey === undefined;
    return topic;
  }

  /**
   * Lets somebody publish on the topic and, through SNS alone, use its customer key.
   *
   * @param grantee - a role, user or function
   * @example
   * ```ts
   * orders.grantPublish(checkout);
   * ```
   */
  grantPublish(grantee: IGrantable): Grant {
    this.#demandKeyFor(grantee);
    return Grant.addToPrincipalOrResource({
      grantee,
      actions: ['sns:Publish'],
      resource: this.topic,
      resourceArns: [this.topic.topicArn],
    }).combine(grantOnKey(this.encryptionKey, grantee, 'sns', 'kms:Decrypt', 'kms:GenerateDataKey'));
  }

  /** Of the key that AWS manages for SNS nobody can let others use it: they could publish, and never did. */
  #demandKeyFor(grantee: IGrantable): void {
    if (!this.#underKeyOfAws) return;
    const { principalAccount } = grantee.grantPrincipal;
    const other = isService(grantee)
      ? 'A service of AWS'
      : principalAccount !== undefined && foreign(this.topic.env.account, principalAccount) === 'yes'
        ? `The account ${principalAccount}`
        : undefined;
    if (other !== undefined)
      Annotations.of(this).addWarningV2(
        'sluice:publisher-key',
        `${other} is let publish, but the topic is under the AWS managed key alias/aws/sns, which only this account may use: each of its messages is refused. Give the topic a customer key ("encryptionKey", or "encryption" of the stack).`,
      );
  }

  /** Names the topic to its alarms and graphs. */
  readonly physicalName: PhysicalName = () => this.topic.topicName;
}

function faultsOf({
  topic,
  fifo = topic?.fifo ?? false,
  topicName,
  displayName,
}: MessagingTopicProps): PropFault[] {
  const faults = judge({ fifo, topicName: known(topicName) }, {}, { topicName: 'topicName' });
  if (topic === undefined) return faults;
  for (const [property, found] of Object.entries({ topicName, displayName }))
    if (found !== undefined)
      faults.push({
        property,
        found: `"${found}" beside an existing topic`,
        allowed: 'one of both',
        remedy: 'Leave one out.',
      });
  if (fifo !== topic.fifo && known(topic.topicName) !== undefined)
    faults.push({
      property: 'fifo',
      found: String(fifo),
      allowed: `${topic.fifo}, as the topic ${topic.topicName} is`,
      remedy: 'Leave it out.',
    });
  return faults;
}
