import {
  invalidValue,
  missingParameter,
  notAvailableForChange,
  receiptHandleHasExpired,
  receiptHandleIsInvalid,
} from './errors.ts';
import { parseHandle } from './identifiers.ts';
import type { StoredMessage } from './message.ts';
import { hide, leave, type Queue, reschedule, show } from './queue.ts';
import { QUOTAS } from './quotas.ts';

// What a handle is good for, as recorded on AWS:
//
//                                           standard                FIFO
//   in flight under this handle             delete, change          delete, change
//   visible again, not received since       delete, change          expired
//   received again since (newer handle)     delete: nothing happens expired
//                                           change: the message's
//   gone                                    delete: nothing happens delete: nothing happens
//                                           change: not available   change: not available
//   not a handle of this queue              invalid                 invalid

function find(
  queue: Queue,
  handle: string | undefined,
): { message: StoredMessage | undefined; newest: boolean } {
  if (handle === undefined || handle === '') throw missingParameter('ReceiptHandle');
  const receipt = parseHandle(queue.handlePrefix, handle);
  if (receipt === undefined) throw receiptHandleIsInvalid(handle);
  const message = queue.messages.get(receipt.number);
  return { message, newest: message !== undefined && message.receipts === receipt.receipt };
}

/** Deletes the message that this handle stands for. */
export function deleteByHandle(queue: Queue, handle: string | undefined): void {
  const { message, newest } = find(queue, handle);
  if (message === undefined) return;
  if (queue.fifo && (!newest || message.state !== 'inFlight')) throw receiptHandleHasExpired(handle ?? '');
  if (!newest) return;
  queue.totals.deleted++;
  if (message.survivesDelete) {
    message.survivesDelete = false;
    queue.totals.duplicated++;
    return;
  }
  leave(queue, message);
}

/** Moves the end of the visibility timeout to `seconds` from now. */
export function changeVisibility(
  queue: Queue,
  handle: string | undefined,
  seconds: number | undefined,
  now: number,
): void {
  if (seconds === undefined) throw missingParameter('VisibilityTimeout');
  checkVisibility(seconds);
  const { message, newest } = find(queue, handle);
  if (message === undefined) throw notAvailableForChange(handle ?? '');
  if (queue.fifo && (!newest || message.state !== 'inFlight')) throw receiptHandleHasExpired(handle ?? '');
  const dueAt = now + seconds * 1000;
  if (dueAt > message.receivedAt + QUOTAS.visibility * 1000) {
    throw invalidValue(
      seconds,
      'VisibilityTimeout',
      `Total VisibilityTimeout for the message is beyond the limit [${QUOTAS.visibility} seconds].`,
    );
  }
  if (message.state === 'inFlight') {
    if (seconds === 0) show(queue, message);
    else reschedule(queue, message, dueAt);
  } else if (seconds > 0) hide(queue, message, dueAt);
}

/** Refuses a visibility timeout that is not 0 seconds to 12 hours. */
export function checkVisibility(seconds: number): void {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= QUOTAS.visibility) return;
  throw invalidValue(
    seconds,
    'VisibilityTimeout',
    `VisibilityTimeout must be >= 0 and <= ${QUOTAS.visibility}.`,
  );
}
