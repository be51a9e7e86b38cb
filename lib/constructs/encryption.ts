import { createHash } from 'node:crypto';
import { RemovalPolicy, Resource, Stack } from 'aws-cdk-lib';
import { Grant, type IGrantable, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IAlias, type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { entrance } from '../base/index.ts';
import { ConstructError } from './construct-error.ts';
import { tellOwner } from './owner.ts';

/**
 * Props of {@link MessagingKey}.
 *
 * @example
 * ```ts
 * const props: MessagingKeyProps = { alias: 'orders', removalPolicy: RemovalPolicy.DESTROY };
 * ```
 */
export interface MessagingKeyProps {
  /**
   * What becomes of the key when the stack is deleted. What is encrypted under a key that is gone cannot be read again.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy | undefined;
  /**
   * An alias of the key.
   *
   * @default - none
   */
  readonly alias?: string | undefined;
}

/**
 * A customer key for topics, queues, the table of records and logs, with rotation, and with what AWS's services need to
 * use it: SNS, that delivers to encrypted queues and dead-letters; CloudWatch, that announces alarms on an encrypted
 * topic; CloudWatch Logs. SQS and DynamoDB use it with the rights of who calls them (see the `grant` methods). Its
 * policy refers to no topic, queue or log by itself, so that one key may serve them all without a cycle.
 *
 * @example
 * ```ts
 * const { key } = new MessagingKey(this, 'Key');
 * const { topic } = new MessagingTopic(this, 'OrdersTopic', { fifo: true, encryptionKey: key });
 * new SubscriberQueue(this, 'Payments', { topic, fifo: true, encryptionKey: key });
 * ```
 */
export class MessagingKey extends Construct {
  static {
    entrance(MessagingKey);
  }

  readonly key: Key;

  constructor(scope: Construct, id: string, props: MessagingKeyProps = {}) {
    super(scope, id);
    this.key = new Key(this, 'Key', {
      description: `Encrypts the messages of ${Stack.of(this).stackName}`,
      enableKeyRotation: true,
      removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
      ...(props.alias === undefined ? {} : { alias: props.alias }),
    });
    const { account, region, partition } = Stack.of(this);
    letServiceUse(this.key, topicsUse(this.key, `arn:${partition}:sns:${region}:${account}:*`));
    allowAlarmsOnKey(this.key);
    allowLogsOnKey(this.key);
  }
}

/** A statement with what it is for, in case that somebody else must add it. */
interface Use {
  readonly statement: PolicyStatement;
  readonly otherwise: string;
}

/*
 * What services do with a key: encrypt, by a data key of their own, and decrypt what they encrypted. The star stands for
 * GenerateDataKey and its kinds (without plaintext, pairs), as AWS writes it in its own statements for services (SNS
 * developer guide, "Enable compatibility between event sources from AWS services and encrypted topics").
 */
const encryptAndDecrypt = ['kms:Decrypt', 'kms:GenerateDataKey*'];

/**
 * Topics of an account and region, by a pattern: the ARN of one of them would close a cycle where the key encrypts it.
 */
function topicsUse(key: IKey, pattern: string): Use {
  const { account, region, partition } = Stack.of(key);
  const own = pattern === `arn:${partition}:sns:${region}:${account}:*`;
  return {
    otherwise: 'SNS delivers nothing to queues under this key, and dead-letters nothing to them,',
    statement: new PolicyStatement({
      // Statements of one policy do not share a name.
      sid: own ? 'AllowTopics' : `AllowTopics${hash(Stack.of(key).resolve(pattern))}`,
      actions: encryptAndDecrypt,
      principals: [new ServicePrincipal('sns.amazonaws.com')],
      // In a key's policy the star is the key itself.
      resources: ['*'],
      conditions: { ArnLike: { 'aws:SourceArn': pattern } },
    }),
  };
}

/**
 * Lets SNS use a key for what it delivers from a topic, and for what it dead-letters: without it such a message is lost,
 * not retried (SNS developer guide, "Message delivery retries": a key that is denied is a client's error).
 */
export function allowTopicOnKey(key: IKey, topic: ITopic): void {
  const { account, region } = topic.env;
  const pattern = Resource.isOwnedResource(topic)
    ? `arn:${Stack.of(key).partition}:sns:${region}:${account}:*`
    : topic.topicArn;
  letServiceUse(key, topicsUse(key, pattern));
}

/**
 * Lets CloudWatch use the key of a topic on which alarms are announced: without it an alarm turns red and nobody hears
 * (CloudWatch user guide, "Notify users on alarm changes").
 *
 * @example
 * ```ts
 * allowAlarmsOnKey(key);
 * ```
 */
export function allowAlarmsOnKey(key: IKey): void {
  letServiceUse(key, {
    otherwise: 'Alarms are announced to nobody on a topic under this key',
    statement: new PolicyStatement({
      sid: 'AllowAlarms',
      actions: encryptAndDecrypt,
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      resources: ['*'],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(key).account } },
    }),
  });
}

/**
 * Lets CloudWatch Logs use a key for log groups of the key's account (CloudWatch Logs user guide, "Encrypt log data in
 * CloudWatch Logs using AWS KMS"): without it a log group under the key cannot be made.
 *
 * @example
 * ```ts
 * allowLogsOnKey(key);
 * new LogGroup(this, 'Log', { encryptionKey: key });
 * ```
 */
export function allowLogsOnKey(key: IKey): void {
  const { account, region, partition } = Stack.of(key);
  letServiceUse(key, {
    otherwise: 'Log groups under this key cannot be made',
    statement: new PolicyStatement({
      sid: 'AllowLogs',
      actions: [
        'kms:Decrypt',
        'kms:DescribeKey',
        'kms:Encrypt',
        'kms:GenerateDataKey*',
        'kms:ReEncryptFrom',
        'kms:ReEncryptTo',
      ],
      principals: [new ServicePrincipal(`logs.${region}.amazonaws.com`)],
      resources: ['*'],
      conditions: {
        ArnLike: {
          'kms:EncryptionContext:aws:logs:arn': `arn:${partition}:logs:${region}:${account}:log-group:*`,
        },
      },
    }),
  });
}

/**
 * The key itself where an alias of it is given: what is under an alias does not wait until there is that alias, and
 * CloudWatch Logs takes none (API reference, "AssociateKmsKey"). One that is known by an alias alone stays what it is.
 */
export const keyItself = (key: IKey): IKey => behindAlias(key) ?? key;

/** A service that uses keys with the rights of who calls it. */
export type KeyUser = 'dynamodb' | 'sns' | 'sqs';

/** Lets somebody use a key through one service, and in no other way. */
export function grantOnKey(
  key: IKey | undefined,
  grantee: IGrantable,
  service: KeyUser,
  ...actions: string[]
): Grant {
  if (key === undefined || isOfAws(key))
    return Grant.drop(grantee, 'whoever may use the service may use its key');
  const real = demandKey(key);
  return Grant.addToPrincipalOrResource({
    grantee,
    actions,
    resource: real,
    resourceArns: [real.keyArn],
    resourceSelfArns: ['*'],
    // A service of AWS has no rights to lend: what it asks of a key bears no such condition, nor any other that all of
    // them have (SNS developer guide, "Enable compatibility between event sources from AWS services and encrypted topics").
    ...(isService(grantee)
      ? {}
      : {
          conditions: { StringEquals: { 'kms:ViaService': `${service}.${real.env.region}.amazonaws.com` } },
        }),
  });
}

/** Whether it is a service of AWS itself: it has no policy of its own, and no account. */
export const isService = ({ grantPrincipal }: IGrantable): boolean =>
  Object.hasOwn(grantPrincipal.policyFragment.principalJson, 'Service');

/** Adds a statement to a key's policy, or tells its owner to. */
function letServiceUse(key: IKey, { statement, otherwise }: Use): void {
  const real = demandKey(key);
  if (real.addToResourcePolicy(statement, true).statementAdded) return;
  tellOwner(real, {
    id: `Owner${statement.sid}`,
    warning: 'key-owner-statement',
    policy: `the policy of the key ${JSON.stringify(Stack.of(real).resolve(real.keyArn))}`,
    otherwise,
    statement,
  });
}

/** Whether AWS keeps the key: SNS and other services may not use it, whoever calls them in its account may. */
export const isOfAws = (key: IKey): boolean => aliasOf(key)?.startsWith('alias/aws/') ?? false;

/** The key itself, since no policy names an alias; nothing when it was imported by an alias, which does not tell. */
export function behindAlias(key: IKey): IKey | undefined {
  if (aliasOf(key) === undefined) return key;
  try {
    return (key as IAlias).aliasTargetKey;
  } catch {
    // The CDK's way to say that it does not know.
    return undefined;
  }
}

const aliasOf = (key: IKey): string | undefined =>
  'aliasName' in key && typeof key.aliasName === 'string' ? key.aliasName : undefined;

/** @throws Error when only an alias of the key is known */
function demandKey(key: IKey): IKey {
  const real = behindAlias(key);
  if (real !== undefined) return real;
  throw new ConstructError(
    `${key.node.path}: found a key that is known by its alias "${aliasOf(key)}" alone; allowed: a customer key whose ARN is known. Import it with Key.fromKeyArn or Key.fromLookup.`,
  );
}

const hash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 8).toUpperCase();
