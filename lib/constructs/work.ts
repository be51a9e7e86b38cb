import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { environment as names } from '../topology/index.ts';
import type { RecordsTable } from './records-table.ts';

/** What a consumer works with, wherever it runs. */
export interface WorkPlace {
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
  readonly records: RecordsTable;
}

/**
 * What Lambda's pollers call in the function's name (Lambda developer guide, "Configuring permissions for an SQS event
 * source"), and the visibility that the runtime moves. Nobody asks SQS for a URL: it is in the environment.
 */
const consume = [
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
  'sqs:ChangeMessageVisibility',
];

/** Lets somebody consume the queue, set messages aside, and keep records; nothing else. */
export function grantWork(grantee: IGrantable, { queue, deadLetterQueue, records }: WorkPlace): Grant {
  const grants = [
    queue.grant(grantee, ...consume),
    deadLetterQueue.grant(grantee, 'sqs:SendMessage'),
    records.grantConsume(grantee),
    // Keys that SQS uses in the consumer's name (SQS developer guide, "Key management").
    ...keysOf(queue).map((key) => key.grant(grantee, 'kms:Decrypt')),
    ...keysOf(deadLetterQueue).map((key) => key.grant(grantee, 'kms:Decrypt', 'kms:GenerateDataKey')),
  ];
  return grants.reduce((all, grant) => all.combine(grant));
}

const keysOf = ({ encryptionMasterKey }: IQueue) =>
  encryptionMasterKey === undefined ? [] : [encryptionMasterKey];

/** The variables from which the runtime knows all that. */
export const workEnvironment = ({ queue, deadLetterQueue, records }: WorkPlace): Record<string, string> => ({
  [names.recordsTable]: records.table.tableName,
  [names.queueUrl]: queue.queueUrl,
  [names.deadLetterQueueUrl]: deadLetterQueue.queueUrl,
});
