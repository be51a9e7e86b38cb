import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { environment as names } from '../topology/index.ts';
import { grantReceive, grantSend } from './queue-access.ts';
import type { RecordsTable } from './records-table.ts';

/** What a consumer works with, wherever it runs. */
export interface WorkPlace {
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
  readonly records: RecordsTable;
}

/** Lets somebody consume the queue, set messages aside, and keep records; nothing else. */
export function grantWork(grantee: IGrantable, { queue, deadLetterQueue, records }: WorkPlace): void {
  grantReceive(queue, grantee);
  grantSend(deadLetterQueue, grantee);
  records.grantConsume(grantee);
}

/** The variables from which the runtime knows all that. */
export const workEnvironment = ({ queue, deadLetterQueue, records }: WorkPlace): Record<string, string> => ({
  [names.recordsTable]: records.table.tableName,
  [names.queueUrl]: queue.queueUrl,
  [names.deadLetterQueueUrl]: deadLetterQueue.queueUrl,
});
