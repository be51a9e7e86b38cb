import {
  ChangeMessageVisibilityBatchCommand,
  type ChangeMessageVisibilityBatchCommandOutput,
} from '@aws-sdk/client-sqs';
import type { Seconds } from '../../lib/base/index.ts';
import type { AwsClient } from './client.ts';
import { asError } from './errors.ts';
import type { Logger } from './logger.ts';
import { mapBounded, partsOf } from './parallel.ts';

/** When a message may be seen again. */
export interface VisibilityChange {
  readonly receiptHandle: string;
  readonly visibility: Seconds;
}

/**
 * Changes visibilities in the order given, ten a call. Never rejects; resolves with how many were not changed.
 * When `stop` has fired no further call is begun.
 */
export type ChangeVisibility = (changes: readonly VisibilityChange[], stop?: AbortSignal) => Promise<number>;

/** SQS API reference: ten entries a batch. */
const entriesPerCall = 10;
const callsAtOnce = 4;

/**
 * A change that fails leaves the message with the visibility it had: it comes back later or sooner than wished,
 * and the record decides. So failures are logged, and nothing depends on them. On a FIFO queue the calls are
 * made one after another, since there the order of the entries matters.
 */
export function createChangeVisibility(context: {
  readonly client: AwsClient;
  readonly queueUrl: string;
  readonly fifo: boolean;
  readonly logger: Logger;
}): ChangeVisibility {
  const { client, queueUrl, fifo, logger } = context;
  return async (changes, stop) => {
    const failures = await mapBounded(
      partsOf(changes, entriesPerCall),
      fifo ? 1 : callsAtOnce,
      async (part) => {
        if (stop?.aborted) return part.length;
        try {
          const output = (await client.send(
            new ChangeMessageVisibilityBatchCommand({
              QueueUrl: queueUrl,
              Entries: part.map((change, index) => ({
                Id: String(index),
                ReceiptHandle: change.receiptHandle,
                VisibilityTimeout: change.visibility,
              })),
            }),
          )) as ChangeMessageVisibilityBatchCommandOutput;
          const failed = output.Failed ?? [];
          if (failed.length > 0)
            logger.debug('Some visibilities could not be changed', {
              codes: [...new Set(failed.map((entry) => entry.Code))],
              count: failed.length,
            });
          return failed.length;
        } catch (thrown) {
          logger.warn('Visibilities could not be changed', {
            error: asError(thrown).name,
            count: part.length,
          });
          return part.length;
        }
      },
    );
    return failures.reduce((sum, count) => sum + count, 0);
  };
}
