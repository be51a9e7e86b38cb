import type {
  ChangeMessageVisibilityBatchCommandInput,
  ChangeMessageVisibilityBatchCommandOutput,
  ChangeMessageVisibilityCommandInput,
  DeleteMessageBatchCommandInput,
  DeleteMessageBatchCommandOutput,
  DeleteMessageCommandInput,
  SendMessageBatchCommandInput,
  SendMessageBatchCommandOutput,
  SendMessageCommandInput,
  SendMessageCommandOutput,
} from '@aws-sdk/client-sqs';
import type { Call } from '../service.ts';
import { checkEntries, runEntries } from './batch.ts';
import { attributesSize } from './digest.ts';
import { batchRequestTooLong, invalidParameter } from './errors.ts';
import type { Queue } from './queue.ts';
import { QUOTAS } from './quotas.ts';
import { changeVisibility, deleteByHandle } from './receipts.ts';
import { type Accepted, accept, missingDeduplicationId } from './send.ts';
import { queueOf, useKey, type World } from './world.ts';

type Answer<Output> = Omit<Output, '$metadata'>;

/** The actions on messages other than the receive. */
export function createMessageOperations(world: World) {
  const count = (queue: Queue, name: string, value: number) => {
    if (value > 0) world.metrics.count('AWS/SQS', name, queue.dimensions, value, 'Count');
  };
  return {
    SendMessage(input: SendMessageCommandInput, call: Call): Answer<SendMessageCommandOutput> {
      const queue = queueOf(world, input.QueueUrl);
      useKey(world, queue, call.principal, 'encrypt');
      const accepted = accept(world, queue, input, senderOf(world, call), { traceHeader: call.traceHeader });
      world.polls.serve(queue);
      return describe(accepted, {});
    },

    SendMessageBatch(input: SendMessageBatchCommandInput, call: Call): Answer<SendMessageBatchCommandOutput> {
      const queue = queueOf(world, input.QueueUrl);
      const entries = checkEntries(input.Entries);
      checkSendBatch(queue, entries);
      useKey(world, queue, call.principal, 'encrypt');
      const sender = senderOf(world, call);
      const options = { inBatch: true, traceHeader: call.traceHeader };
      const result = runEntries(entries, (entry) =>
        describe(accept(world, queue, entry, sender, options), { Id: entry.Id }),
      );
      world.polls.serve(queue);
      return result;
    },

    DeleteMessage(input: DeleteMessageCommandInput): object {
      const queue = queueOf(world, input.QueueUrl);
      deleteByHandle(queue, input.ReceiptHandle);
      count(queue, 'NumberOfMessagesDeleted', 1);
      world.polls.serve(queue);
      return {};
    },

    DeleteMessageBatch(input: DeleteMessageBatchCommandInput): Answer<DeleteMessageBatchCommandOutput> {
      const queue = queueOf(world, input.QueueUrl);
      const result = runEntries(checkEntries(input.Entries), (entry) => {
        deleteByHandle(queue, entry.ReceiptHandle);
        return { Id: entry.Id };
      });
      count(queue, 'NumberOfMessagesDeleted', result.Successful.length);
      world.polls.serve(queue);
      return result;
    },

    ChangeMessageVisibility(input: ChangeMessageVisibilityCommandInput): object {
      const queue = queueOf(world, input.QueueUrl);
      changeVisibility(queue, input.ReceiptHandle, input.VisibilityTimeout, world.clock.now());
      world.polls.serve(queue);
      return {};
    },

    ChangeMessageVisibilityBatch(
      input: ChangeMessageVisibilityBatchCommandInput,
    ): Answer<ChangeMessageVisibilityBatchCommandOutput> {
      const queue = queueOf(world, input.QueueUrl);
      const result = runEntries(checkEntries(input.Entries), (entry) => {
        changeVisibility(queue, entry.ReceiptHandle, entry.VisibilityTimeout, world.clock.now());
        return { Id: entry.Id };
      });
      world.polls.serve(queue);
      return result;
    },
  };
}

/** The SenderId of a call: a role's name, or the account for its administrator. */
const senderOf = (world: World, call: Call): string =>
  call.principal?.role?.split('/').at(-1) ?? world.account;

interface Answered {
  MessageId: string;
  MD5OfMessageBody: string;
  MD5OfMessageAttributes?: string;
  MD5OfMessageSystemAttributes?: string;
  SequenceNumber?: string;
}

function describe<T extends object>(accepted: Accepted, start: T): T & Answered {
  const { content } = accepted;
  const answer: T & Answered = Object.assign(start, {
    MessageId: accepted.messageId,
    MD5OfMessageBody: content.bodyMd5,
  });
  if (content.attributesMd5 !== undefined) answer.MD5OfMessageAttributes = content.attributesMd5;
  if (accepted.systemAttributesMd5 !== undefined) {
    answer.MD5OfMessageSystemAttributes = accepted.systemAttributesMd5;
  }
  if (accepted.sequenceNumber !== undefined) answer.SequenceNumber = accepted.sequenceNumber;
  return answer;
}

type SendEntry = NonNullable<SendMessageBatchCommandInput['Entries']>[number];

// What fails the whole batch: its size, and ids that a FIFO queue needs (recorded on AWS).
function checkSendBatch(queue: Queue, entries: readonly SendEntry[]): void {
  let size = 0;
  for (const entry of entries) {
    if (queue.fifo) {
      if (entry.MessageGroupId === undefined) {
        throw invalidParameter('The request must contain the parameter MessageGroupId.');
      }
      if (entry.MessageDeduplicationId === undefined && !queue.settings.contentBasedDeduplication) {
        throw missingDeduplicationId();
      }
    }
    size += Buffer.byteLength(entry.MessageBody ?? '');
    if (entry.MessageAttributes !== undefined) size += attributesSize(entry.MessageAttributes);
  }
  if (size > QUOTAS.messageSize.most) throw batchRequestTooLong(QUOTAS.messageSize.most, size);
}
