import { type Milliseconds, milliseconds, type Seconds } from '../../lib/base/index.ts';
import type { CloudEvent } from '../../lib/topology/index.ts';
import type { Claim } from './claim.ts';
import type { Cause } from './deadletter.ts';
import type { SqsRecord } from './lambda.ts';

/** What is to be done with a message when its turn comes. */
export type Plan =
  | { readonly kind: 'acknowledge'; readonly as: 'duplicates' | 'expired' | 'unwanted' }
  | { readonly kind: 'run'; readonly event: CloudEvent; readonly claim: Claim }
  /** Older than the last one applied of its key: completed without a run. */
  | { readonly kind: 'drop'; readonly event: CloudEvent; readonly claim: Claim }
  /** Past its expiry, and nothing is known of it that would ask for a letter: acknowledged without a run. */
  | { readonly kind: 'expire'; readonly claim: Claim }
  | ({ readonly kind: 'bury' } & Cause)
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
  /** What the message says, once it is read. */
  event: CloudEvent | undefined;
  plan: Plan | undefined;
  /** What the handler did before the event was claimed, to be taken for its first run: gives what it gave, or throws. */
  firstRun: (() => unknown) | undefined;
  claim: Claim | undefined;
  outcome: Outcome | undefined;
}

/** @param record - as it came: without attributes, too, when it is no event source that invokes the function */
export const newTask = (record: SqsRecord): Task => ({
  record:
    record.attributes && record.messageAttributes
      ? record
      : {
          ...record,
          attributes: record.attributes ?? { ApproximateReceiveCount: '1' },
          messageAttributes: record.messageAttributes ?? {},
        },
  receiptHandle: record.receiptHandle,
  event: undefined,
  plan: undefined,
  firstRun: undefined,
  claim: undefined,
  outcome: undefined,
});

/** ECMAScript, "Time Values": dates end here. */
const latestDate = 8_640_000_000_000_000;

/** When the message was sent; `undefined` where the record does not say. */
export const sentAt = (record: SqsRecord): Milliseconds | undefined => {
  const sent = Number(record.attributes.SentTimestamp);
  return Number.isInteger(sent) && sent > 0 && sent <= latestDate ? milliseconds(sent) : undefined;
};

/** How often the queue has handed the message out, this time included. */
export const receivesOf = (record: SqsRecord): number => {
  const count = Number(record.attributes?.ApproximateReceiveCount);
  return Number.isInteger(count) && count > 0 ? count : 1;
};
