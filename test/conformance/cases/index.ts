import type { CaseGroup } from '../case.ts';
import { sqsAttributes } from './sqs-attributes.ts';
import { sqsQueues } from './sqs-queues.ts';
import { sqsReceive } from './sqs-receive.ts';
import { sqsSend } from './sqs-send.ts';

/** Every group, in the order in which they are played and printed. */
export const groups: readonly CaseGroup[] = [sqsQueues, sqsAttributes, sqsSend, sqsReceive];
