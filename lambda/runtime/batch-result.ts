import { asError } from './errors.ts';

/**
 * An event that SNS has taken.
 *
 * @example
 * ```ts
 * const { id, messageId }: Published = await events.publish('order.placed', order);
 * ```
 */
export interface Published {
  /** The event's id. */
  readonly id: string;
  /** SNS's own id of the message. */
  readonly messageId: string;
  /** FIFO topics only. */
  readonly sequenceNumber?: string;
}

/**
 * An event of a batch that SNS has not taken, or is not known to have taken.
 *
 * @example
 * ```ts
 * const worthRetrying = (failure: PublishFailure): boolean => !failure.senderFault;
 * ```
 */
export interface PublishFailure {
  /** Its position in the batch. */
  readonly index: number;
  readonly id: string;
  /**
   * SNS's code; `PublishRefused` for what was never sent because of itself, `Aborted` for what was not sent
   * because its signal had fired, `EarlierFailed` for what was not sent because an earlier event of its group
   * failed.
   */
  readonly code: string;
  readonly message: string;
  /** Whether sending it again as it is cannot help. */
  readonly senderFault: boolean;
}

/**
 * What became of a batch: every entry is in one of the lists.
 *
 * @example
 * ```ts
 * const { successful, failed }: PublishBatchResult = await events.publishBatch(entries);
 * const again = failed.filter(({ senderFault }) => !senderFault).map(({ index }) => entries[index]);
 * ```
 */
export interface PublishBatchResult {
  readonly successful: readonly (Published & { readonly index: number })[];
  readonly failed: readonly PublishFailure[];
}

interface Entry {
  readonly index: number;
  readonly id: string;
}

/** The entries of a batch as they end. */
export interface Collected {
  readonly failedAt: Set<number>;
  succeed(entry: Entry, messageId: string | undefined, sequenceNumber: string | undefined): void;
  fail(entry: Entry, code: string, message: string, senderFault: boolean): void;
  sorted(): PublishBatchResult;
}

export function collect(): Collected {
  const successful: (Published & { readonly index: number })[] = [];
  const failed: PublishFailure[] = [];
  const failedAt = new Set<number>();
  return {
    failedAt,
    succeed: (entry, messageId, sequenceNumber) =>
      void successful.push({ ...published(entry.id, messageId, sequenceNumber), index: entry.index }),
    fail(entry, code, message, senderFault) {
      failedAt.add(entry.index);
      failed.push({ index: entry.index, id: entry.id, code, message, senderFault });
    },
    sorted: () => ({
      successful: successful.sort((a, b) => a.index - b.index),
      failed: failed.sort((a, b) => a.index - b.index),
    }),
  };
}

/** What SNS answered, as a result. */
export const published = (
  id: string,
  messageId: string | undefined,
  sequenceNumber: string | undefined,
): Published => ({
  id,
  messageId: messageId ?? '',
  ...(sequenceNumber === undefined ? {} : { sequenceNumber }),
});

export function failOvertaking(entry: Entry, result: Collected) {
  result.fail(entry, 'EarlierFailed', 'An earlier event of its group failed; nothing overtakes it.', false);
}

/** Whether its signal has fired: then it fails, unsent. */
export function failAborted(
  entry: Entry & { readonly signal: AbortSignal | undefined },
  result: Collected,
): boolean {
  if (!entry.signal?.aborted) return false;
  const { message } = asError(entry.signal.reason);
  result.fail(entry, 'Aborted', `Its signal fired before it was sent: ${message}`, false);
  return true;
}
