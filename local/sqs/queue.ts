import type { Policy } from '../policy.ts';
import { createHeap, type Heap } from './heap.ts';
import type { Content, StoredMessage } from './message.ts';
import type { Waiter } from './poll.ts';
import type { Shelf } from './shelf.ts';

/** The attributes of a queue that the state machine reads; lengths of time in milliseconds. */
export interface QueueSettings {
  readonly visibility: number;
  readonly delay: number;
  readonly retention: number;
  readonly receiveWait: number;
  readonly maximumMessageSize: number;
  readonly contentBasedDeduplication: boolean;
  readonly deduplicationPerGroup: boolean;
  readonly redrive: RedrivePolicy | undefined;
  readonly redriveAllow: RedriveAllowPolicy | undefined;
  readonly policy: Policy | undefined;
  /** KmsMasterKeyId: messages are encrypted under this key. */
  readonly keyId: string | undefined;
}

/** RedrivePolicy as parsed. */
export interface RedrivePolicy {
  readonly targetArn: string;
  readonly maxReceiveCount: number;
}

/** RedriveAllowPolicy as parsed. */
export interface RedriveAllowPolicy {
  readonly permission: 'allowAll' | 'denyAll' | 'byQueue';
  readonly sourceArns: readonly string[];
}

/** What a deduplication id stands for until its five minutes are over. */
export interface Remembered {
  readonly at: number;
  readonly messageId: string;
  /** The message's number in the queue. */
  readonly number: number;
}

/** What a ReceiveRequestAttemptId was answered with. */
export interface Attempt {
  readonly at: number;
  readonly visibility: number;
  readonly answer: readonly {
    readonly message: StoredMessage;
    readonly receipt: number;
    /** The end of its visibility then: another one means that it was changed since. */
    readonly dueAt: number;
  }[];
}

/** A deduplication scope that was changed, and holds on until the change has reached all of SQS. */
export interface FormerScope {
  readonly perGroup: boolean;
  readonly until: number;
}

/** A queue: its attributes, its messages and who waits for them. */
export interface Queue {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
  readonly fifo: boolean;
  /** First part of every receipt handle of this queue. */
  readonly handlePrefix: string;
  readonly dimensions: Readonly<Record<string, string>>;
  /** What the policy of a key may ask for (SQS developer guide, "Encryption context"). */
  readonly encryptionContext: Readonly<Record<string, string>>;
  readonly createdAt: number;
  modifiedAt: number;
  /** Attributes as they were set, by name. */
  readonly attributes: Map<string, string>;
  settings: QueueSettings;
  readonly tags: Map<string, string>;

  readonly shelf: Shelf;
  readonly messages: Map<number, StoredMessage>;
  /** Delayed and in-flight messages by the moment at which that ends. */
  readonly due: Heap<StoredMessage>;
  oldest: StoredMessage | undefined;
  newest: StoredMessage | undefined;
  nextNumber: number;
  visible: number;
  inFlight: number;
  delayed: number;
  /** Messages whose `enteredAt` differs from `sentAt`, so that the oldest is not the longest here. */
  movedIn: number;

  readonly deduplication: Map<string, Remembered>;
  formerScope: FormerScope | undefined;
  readonly attempts: Map<string, Attempt>;
  readonly waiters: Set<Waiter>;
  purgedAt: number;
  deleted: boolean;
  readonly totals: Totals;
}

/** What happened to the messages of a queue since it was made: sent + movedIn + duplicated is the sum of the rest and what is there. */
export interface Totals {
  sent: number;
  received: number;
  deleted: number;
  expired: number;
  purged: number;
  deadLettered: number;
  movedIn: number;
  movedOut: number;
  /** Deletes that a replica missed: the message appeared once more. */
  duplicated: number;
}

export const createTotals = (): Totals => ({
  sent: 0,
  received: 0,
  deleted: 0,
  expired: 0,
  purged: 0,
  deadLettered: 0,
  movedIn: 0,
  movedOut: 0,
  duplicated: 0,
});

export const createDueHeap = () =>
  createHeap<StoredMessage>((a, b) => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.number < b.number));

/** How a message comes into a queue. Moments in milliseconds since the epoch. */
export interface Entrance {
  readonly id: string;
  readonly now: number;
  readonly sentAt: number;
  readonly visibleAt: number;
  readonly receives?: number;
  readonly firstReceivedAt?: number | undefined;
  readonly deadLetterSource?: string;
}

/** Puts a message into the queue. */
export function enter(queue: Queue, content: Content, entrance: Entrance): StoredMessage {
  const number = queue.nextNumber++;
  const message: StoredMessage = {
    content,
    id: entrance.id,
    number,
    order: number,
    sentAt: entrance.sentAt,
    enteredAt: entrance.now,
    deadLetterSource: entrance.deadLetterSource,
    state: entrance.visibleAt > entrance.now ? 'delayed' : 'visible',
    dueAt: entrance.visibleAt,
    receivedAt: 0,
    firstReceivedAt: entrance.firstReceivedAt,
    receives: entrance.receives ?? 0,
    receipts: 0,
    survivesDelete: false,
    position: -1,
    previous: undefined,
    next: undefined,
    group: undefined,
    groupPrevious: undefined,
    groupNext: undefined,
  };
  queue.messages.set(number, message);
  link(queue, message);
  if (message.enteredAt !== message.sentAt) queue.movedIn++;
  queue.shelf.entered(message);
  if (message.state === 'delayed') {
    queue.delayed++;
    queue.due.push(message);
  } else {
    queue.visible++;
    queue.shelf.shown(message);
  }
  return message;
}

// A standard dead-letter queue keeps the time of sending, so a message may belong before others; a FIFO queue
// keeps the order of arrival.
function link(queue: Queue, message: StoredMessage): void {
  let before = queue.newest;
  if (!queue.fifo) while (before !== undefined && before.sentAt > message.sentAt) before = before.previous;
  message.previous = before;
  message.next = before === undefined ? queue.oldest : before.next;
  if (message.previous === undefined) queue.oldest = message;
  else message.previous.next = message;
  if (message.next === undefined) queue.newest = message;
  else message.next.previous = message;
}

/** Takes a message out of the queue, from whatever state. */
export function leave(queue: Queue, message: StoredMessage): void {
  if (message.state === 'visible') queue.visible--;
  else {
    queue.due.remove(message);
    if (message.state === 'delayed') queue.delayed--;
    else {
      queue.inFlight--;
      queue.shelf.released(message);
    }
  }
  queue.shelf.left(message);
  message.state = 'gone';
  if (message.enteredAt !== message.sentAt) queue.movedIn--;
  if (message.previous === undefined) queue.oldest = message.next;
  else message.previous.next = message.next;
  if (message.next === undefined) queue.newest = message.previous;
  else message.next.previous = message.previous;
  queue.messages.delete(message.number);
}

/** Hides a visible message until `dueAt`. */
export function hide(queue: Queue, message: StoredMessage, dueAt: number): void {
  message.state = 'inFlight';
  queue.visible--;
  queue.inFlight++;
  queue.shelf.hidden(message);
  message.dueAt = dueAt;
  queue.due.push(message);
}

/** Ends a delay or a visibility timeout. */
export function show(queue: Queue, message: StoredMessage): void {
  queue.due.remove(message);
  if (message.state === 'delayed') queue.delayed--;
  else {
    queue.inFlight--;
    queue.shelf.released(message);
  }
  message.state = 'visible';
  queue.visible++;
  queue.shelf.shown(message);
}

/** Moves the end of a visibility timeout. */
export function reschedule(queue: Queue, message: StoredMessage, dueAt: number): void {
  queue.due.remove(message);
  message.dueAt = dueAt;
  queue.due.push(message);
}

/**
 * Brings the queue up to the present: delays and visibility timeouts that are over, messages past their
 * retention, ids past their five minutes. Every action and every look begins with it, so that a queue needs no
 * timer as long as nobody waits for it.
 */
export function catchUp(queue: Queue, now: number): void {
  for (let message = queue.due.peek(); message !== undefined && message.dueAt <= now; ) {
    show(queue, message);
    message = queue.due.peek();
  }
  const { retention } = queue.settings;
  for (let message = queue.oldest; message !== undefined && message.sentAt + retention <= now; ) {
    leave(queue, message);
    queue.totals.expired++;
    message = queue.oldest;
  }
}

/**
 * Gives the messages of a FIFO queue that are delayed the queue's new delay (SQS developer guide, delay queues: the
 * setting is retroactive). What is visible stays visible.
 */
export function delayAnew(queue: Queue, now: number): void {
  for (const message of queue.messages.values())
    if (message.state === 'delayed') reschedule(queue, message, message.enteredAt + queue.settings.delay);
  catchUp(queue, now);
}

/** Removes every message at once; answers how many there were. */
export function empty(queue: Queue): number {
  const count = queue.messages.size;
  for (const message of queue.messages.values()) message.state = 'gone';
  queue.due.clear();
  queue.shelf.clear();
  queue.messages.clear();
  queue.oldest = undefined;
  queue.newest = undefined;
  queue.visible = 0;
  queue.inFlight = 0;
  queue.delayed = 0;
  queue.movedIn = 0;
  queue.deduplication.clear();
  queue.attempts.clear();
  return count;
}
