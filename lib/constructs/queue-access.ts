import { Stack } from 'aws-cdk-lib';
import {
  AnyPrincipal,
  Effect,
  type Grant,
  type IGrantable,
  PolicyStatement,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IDependable } from 'constructs';
import { sourceCondition } from './delivery-source.ts';
import { allowTopicOnKey, grantOnKey } from './encryption.ts';
import { tellOwner } from './owner.ts';

/*
 * What a consumer sends: the event source receives, deletes and looks at the queue (Lambda developer guide, "Using Lambda
 * with Amazon SQS", execution role), and so does a worker; the runtime changes visibility.
 */
const receiving = [
  'sqs:ChangeMessageVisibility',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
  'sqs:ReceiveMessage',
];

/** Lets somebody consume a queue, and decrypt what is in it. */
export const grantReceive = (queue: IQueue, grantee: IGrantable): Grant =>
  queue
    .grant(grantee, ...receiving)
    .combine(grantOnKey(queue.encryptionMasterKey, grantee, 'sqs', 'kms:Decrypt'));

/** Lets somebody send to a queue, and encrypt it (SQS developer guide, "Key management": both actions). */
export const grantSend = (queue: IQueue, grantee: IGrantable): Grant =>
  queue
    .grant(grantee, 'sqs:SendMessage')
    .combine(grantOnKey(queue.encryptionMasterKey, grantee, 'sqs', 'kms:Decrypt', 'kms:GenerateDataKey'));

/** Refuses whatever comes to a queue unencrypted. An imported queue keeps the policy that its owner gave it. */
export function demandTls(queue: IQueue): void {
  queue.addToResourcePolicy(
    new PolicyStatement({
      sid: 'DenyWithoutTls',
      effect: Effect.DENY,
      actions: ['sqs:*'],
      principals: [new AnyPrincipal()],
      resources: [queue.queueArn],
      conditions: { Bool: { 'aws:SecureTransport': 'false' } },
    }),
  );
}

/** Who delivers where. */
export interface Delivery {
  readonly topic: ITopic;
  readonly queue: IQueue;
  /** Names the statement in the queue's policy, where others of its kind may be. */
  readonly sid: string;
  /** Id of the output that holds the statement when somebody else must add it. */
  readonly output: string;
}

/**
 * Lets a topic, of whatever account, and no other deliver to a queue, and use its key; or says what the queue's owner
 * must do for it.
 *
 * @returns what a subscription must wait for
 */
export function allowDelivery(scope: Construct, { topic, queue, sid, output }: Delivery): IDependable[] {
  const statement = new PolicyStatement({
    sid,
    actions: ['sqs:SendMessage'],
    principals: [new ServicePrincipal('sns.amazonaws.com')],
    resources: [queue.queueArn],
    conditions: sourceCondition(scope, topic, queue),
  });
  const { statementAdded, policyDependable } = queue.addToResourcePolicy(statement);
  if (!statementAdded)
    tellOwner(scope, {
      id: output,
      warning: 'queue-owner-statement',
      policy: `the policy of the queue ${JSON.stringify(Stack.of(scope).resolve(queue.queueArn))}`,
      otherwise: 'The topic delivers nothing to it',
      statement,
    });
  if (queue.encryptionMasterKey !== undefined) allowTopicOnKey(queue.encryptionMasterKey, topic);
  return policyDependable === undefined ? [] : [policyDependable];
}
