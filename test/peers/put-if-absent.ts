import type { HarnessRecord } from '../../local/index.ts';
import type { BuildConsumer } from '../../ops/simulation/index.ts';
import { type OnFailure, putIfAbsent } from './once.ts';
import { workOf } from './work.ts';

/**
 * A plain function with put-if-absent and a partial batch response, as AWS's guide to partial batch responses has it
 * (Lambda developer guide, "Handling errors for an SQS event source"): a standard queue's messages one after another; on a
 * FIFO queue everything behind the first failure goes back.
 */
export const buildPutIfAbsent =
  (onFailure: OnFailure): BuildConsumer =>
  (order) => {
    const { fifo } = order.messaging.subscribers[order.subscriber] ?? {};
    const work = putIfAbsent(order, workOf(order), onFailure);
    return async ({ Records }, context) => {
      const failed: HarnessRecord[] = [];
      for (const record of Records) {
        if (fifo && failed.length > 0) failed.push(record);
        else
          await work(
            record.body,
            Number(record.attributes.ApproximateReceiveCount),
            context.getRemainingTimeInMillis(),
          ).catch(() => failed.push(record));
      }
      return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    };
  };
