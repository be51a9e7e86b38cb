import { type Milliseconds, milliseconds, type Seconds } from '../../lib/base/index.ts';
import type { CloudEvent } from '../../lib/topology/index.ts';
import type { Claim } from './claim.ts';
import type { Reason } from './deadletter.ts';
import type { SqsRecord } from './lambda.ts';

/** What is to be done with a message when its turn comes. */
export type Plan =
  | { readonly kind: 'acknowledge'; readonly as: 'duplicates' | 'expired' | 'unwanted' }
  | { readonly kind: 'run'; readonly event: CloudEvent; readonly claim: Claim }
  /** `error` is class and message. */
  | { readonly kind: 'bury'; readonly reason: Reason; readonly error: string }
  | { readonly kind: 'defer'; readonly until: Milliseconds }
  | { readonly kind: 'return'; readonly error: Error }
  /** A further copy of an event of this batch: shares the outcome of the first. */
  | { readonly kind: 'follow'; readonly first: Task }
  /** A further copy with another payload: judged by the record at its next delivery. */
  | { readonly kind: 'postpone' };

/** How a message ends: acknowledged, or returned to the queue. */
export type Outcome =
  | { readonly kind: 'done' }
  /** Visible again after `visibility`; `undefined` leaves it as it is, since it is somebody else's. */
  | { readonly kind: 'returned'; readonly visibility: Seconds | undefined };

/** One message on its way through an invocation. */
export interface Task {
  readonly record: SqsRecord;
  readonly receiptHandle: string;
  plan: Plan | undefined;
  /** What the handler did before the event was claimed, to be taken for its first run: gives what it gave, or throws. */
  firstRun: (() => unknown) | undefined;
  claim: Claim | undefined;
  outcome: Outcome | undefined;
}

export const newTask = (record: SqsRecord): Task => ({
  record,
  receiptHandle: record.receiptHandle,
  plan: undefined,
  firstRun: undefined,
  claim: undefined,
  outcome: undefined,
});

/** When the message came into the queue, where the event source says so. */
export const sentAtOf = (record: SqsRecord): Milliseconds | undefined => {
  const moment = Number(record.attributes?.SentTimestamp ?? Number.NaN);
  return Number.isFinite(moment) ? milliseconds(moment) : undefined;
};

/** How often the queue has handed the message out, this time included. */
export const receivesOf = (record: SqsRecord): number => {
  const count = Number(record.attributes?.ApproximateReceiveCount);
  return Number.isInteger(count) && count > 0 ? count : 1;
};
