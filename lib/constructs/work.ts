import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { environment as names } from '../topology/index.ts';
import { grantReceive, grantSend } from './queue-access.ts';
import type { RecordsTable, RecordsUse } from './records-table.ts';

/** What a consumer works with, wherever it runs. */
export interface WorkPlace {
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
  readonly records: RecordsTable;
  /**
   * What of the records the subscriber needs.
   *
   * @default - everything that any subscriber needs
   */
  readonly definition?: RecordsUse | undefined;
}

/** Lets somebody consume the queue, set messages aside, keep records, and use their keys for that; nothing else. */
export const grantWork = (
  grantee: IGrantable,
  { queue, deadLetterQueue, records, definition }: WorkPlace,
): Grant =>
  grantReceive(queue, grantee)
    .combine(grantSend(deadLetterQueue, grantee))
    .combine(records.grantConsume(grantee, definition));

/** The queues of a subscriber. */
export interface Queues {
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
  readonly subscriptionDeadLetterQueue: IQueue;
}

/**
 * Lets somebody look at dead letters, and have SQS put back what the consumer gave up (SQS developer guide, "Configuring
 * queue permissions for dead-letter queue redrive"). What the topic could not deliver SQS does not put back.
 */
export function grantRedrive(grantee: IGrantable, queues: Queues): void {
  const { queue, deadLetterQueue, subscriptionDeadLetterQueue } = queues;
  grantReceive(deadLetterQueue, grantee);
  grantReceive(subscriptionDeadLetterQueue, grantee);
  grantSend(queue, grantee);
  deadLetterQueue.grant(
    grantee,
    'sqs:CancelMessageMoveTask',
    'sqs:ListMessageMoveTasks',
    'sqs:StartMessageMoveTask',
  );
}

/** The variables from which the runtime knows all that. */
export const workEnvironment = ({ queue, deadLetterQueue, records }: WorkPlace): Record<string, string> => ({
  [names.recordsTable]: records.table.tableName,
  [names.queueUrl]: queue.queueUrl,
  [names.deadLetterQueueUrl]: deadLetterQueue.queueUrl,
});
