import type { CaseGroup } from '../case.ts';
import { sqsAttributes } from './sqs-attributes.ts';
import { sqsBatches } from './sqs-batches.ts';
import { sqsDeduplication } from './sqs-deduplication.ts';
import { sqsFifo } from './sqs-fifo.ts';
import { sqsFifoGroups } from './sqs-fifo-groups.ts';
import { sqsMessageAttributes } from './sqs-message-attributes.ts';
import { sqsQueues } from './sqs-queues.ts';
import { sqsReceive } from './sqs-receive.ts';
import { sqsSend } from './sqs-send.ts';
import { sqsVisibility } from './sqs-visibility.ts';

/** Every group, in the order in which they are played and printed. */
// biome-ignore format: one entry a line
export const groups: readonly CaseGroup[] = [
  sqsQueues,
  sqsAttributes,
  sqsSend,
  sqsMessageAttributes,
  sqsBatches,
  sqsReceive,
  sqsVisibility,
  sqsFifoGroups,
  sqsFifo,
  sqsDeduplication,
];
