import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { Placed } from './heap.ts';

/**
 * Where a message is. The arrows are all there are; the queue's counts follow them.
 *
 * ```
 *            sent with delay
 *   (sent) ------------------> delayed
 *      |                          | delay over
 *      |  sent without            v         received
 *      +---------------------> visible ------------------> inFlight
 *                                 ^   visibility over or 0    |
 *                                 +---------------------------+
 *   from each of the three: gone (deleted, expired, purged, dead-lettered, moved)
 * ```
 */
export type MessageState = 'delayed' | 'visible' | 'inFlight' | 'gone';

/** What the sender wrote. It never changes, and goes along when a message changes its queue. */
export interface Content {
  readonly body: string;
  readonly bodyMd5: string;
  readonly attributes: Readonly<Record<string, MessageAttributeValue>> | undefined;
  readonly attributesMd5: string | undefined;
  readonly traceHeader: string | undefined;
  /** Bytes of body and attributes. */
  readonly size: number;
  readonly groupId: string | undefined;
  readonly deduplicationId: string | undefined;
  /** Value of the SenderId attribute. */
  readonly sender: string;
}

/** A message in one queue. */
export interface StoredMessage extends Placed {
  readonly content: Content;
  readonly id: string;
  /** Rank of arrival in the queue, from 0. */
  readonly number: number;
  /** What decides between visible messages of a standard queue: the rank, unless chance or failures shift it. */
  order: number;
  /** SentTimestamp, and the start of the retention period. */
  readonly sentAt: number;
  /** When it came into this queue: later than `sentAt` in the dead-letter queue of a standard queue. */
  readonly enteredAt: number;
  readonly deadLetterSource: string | undefined;
  state: MessageState;
  /** When the delay or the visibility timeout ends. */
  dueAt: number;
  /** The last receive: the 12 hours of visibility count from here. */
  receivedAt: number;
  firstReceivedAt: number | undefined;
  /** ApproximateReceiveCount: receives in an earlier queue are kept when SQS dead-letters a message. */
  receives: number;
  /** Receives in this queue. The last one's receipt handle is the valid one. */
  receipts: number;
  /** A replica missed the coming delete: the message appears once more. */
  survivesDelete: boolean;
  /** Neighbours among the queue's messages, by `sentAt`. */
  previous: StoredMessage | undefined;
  next: StoredMessage | undefined;
  group: Group | undefined;
  /** Neighbours in the group, by number. */
  groupPrevious: StoredMessage | undefined;
  groupNext: StoredMessage | undefined;
}

/** The messages of one group of a FIFO queue. */
export interface Group {
  readonly id: string;
  first: StoredMessage | undefined;
  last: StoredMessage | undefined;
  inFlight: number;
  visible: number;
  /** In the line of groups that have something to give. */
  ready: boolean;
  /** A receive is walking through the group: its place in the line is settled afterwards. */
  busy: boolean;
  readyPrevious: Group | undefined;
  readyNext: Group | undefined;
}
