import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type Milliseconds, milliseconds, type Seconds, toMilliseconds } from '../../lib/base/index.ts';
import { recordsTable } from '../../lib/topology/index.ts';

/*
 * The record of an event for one subscriber, over time. Every write carries a condition; those that end or
 * extend a claim carry owner and fence.
 *
 *            insert            complete
 *   (none) ---------> IN_PROGRESS --------> COMPLETED            an effect happened once; later deliveries
 *                      |  ^  ^ |                                 are acknowledged
 *            release   |  |  | |   fail
 *        .-------------'  |  | '-----------> FAILED              its letter is sent; only a redrive, which has
 *        v       take over|  |                  |                another message id, opens it again
 *     RELEASED -----------'  |   reopen         |
 *   (lease end 0)            '------------------'
 *
 * Only what says of itself that it was a letter opens it, or has no room to say so and came later. A message that was in
 * the queue before the event was given up is a further copy of it; one that came later gets a letter of its own. SQS gives
 * what it redrives a new message id and a new sending time (SQS API reference, StartMessageMoveTask).
 *
 *   worker A   insert ===== lease ====|  (dies; nobody extends)
 *   worker B                          .  margin  | take over: fence 2, runs alone, marked started first
 *   worker A   (wakes) ...................................... complete at fence 1: refused
 *
 * A lease counts as over for others only `clockMargin` after its end, and for its owner at its end: two clocks
 * that differ by less than the margin never both think that they own the event.
 */

/** The states of a record. */
export const state = {
  /** Claimed; somebody works on it until `leaseEnd`, or died. */
  inProgress: 'IN_PROGRESS',
  /** Given back: waits for its next delivery. Who has not run what it took over leaves it IN_PROGRESS, its lease at 0. */
  released: 'RELEASED',
  /** Done. */
  completed: 'COMPLETED',
  /** Given up: its dead letter is sent next. */
  failed: 'FAILED',
} as const;
export type State = (typeof state)[keyof typeof state];

/** How far the clocks of two functions may differ: far above what AWS's time service lets happen. */
export const clockMargin = milliseconds(2_000);

/** A record as it was read. */
export interface RecordView {
  readonly state: State;
  readonly owner: string;
  readonly fence: number;
  /** 0 when given back; absent when completed or failed. */
  readonly leaseEnd: Milliseconds | undefined;
  readonly attempts: number;
  readonly payload: string;
  readonly reason: string | undefined;
  readonly lastError: string | undefined;
  readonly firstFailedAt: Milliseconds | undefined;
  /** What the handler saved of its progress: JSON. */
  readonly progress: string | undefined;
  /** The fence under which a run was marked as begun, where runs are marked. */
  readonly started: number | undefined;
  /** Message id of the delivery that was dead-lettered. */
  readonly letter: string | undefined;
  /** When it was given up. */
  readonly failedAt: Milliseconds | undefined;
  /** Epoch seconds. */
  readonly ttl: Seconds;
}

/** Reads an item of the table; `undefined` for none. */
export function readRecord(item: Record<string, AttributeValue> | undefined): RecordView | undefined {
  if (item === undefined) return undefined;
  const moment = (text: string | undefined) => (text === undefined ? undefined : milliseconds(Number(text)));
  return {
    state: (item.state?.S ?? state.inProgress) as State,
    owner: item.owner?.S ?? '',
    fence: Number(item.fence?.N ?? 0),
    leaseEnd: moment(item.leaseEnd?.N),
    attempts: Number(item.attempts?.N ?? 0),
    payload: item.payload?.S ?? '',
    reason: item.reason?.S,
    lastError: item.lastError?.S,
    firstFailedAt: moment(item.firstFailedAt?.N),
    progress: item.progress?.S,
    started: item.started?.N === undefined ? undefined : Number(item.started.N),
    letter: item.letter?.S,
    failedAt: moment(item.failedAt?.N),
    ttl: Number(item[recordsTable.timeToLive]?.N ?? 0) as Seconds,
  };
}

/** What a claim attempt has to do after it saw a record. */
export type Verdict =
  | { readonly kind: 'completed' }
  | { readonly kind: 'live'; readonly until: Milliseconds }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'buried' }
  | { readonly kind: 'letterDue'; readonly record: RecordView }
  | { readonly kind: 'own' }
  | { readonly kind: 'takeOver' | 'reopen' | 'renew'; readonly seen: RecordView };

/**
 * Judges a record that stands in the way of a claim.
 *
 * The record's own expiry is tested here and in the condition of the write, since TTL deletes within days
 * (DynamoDB developer guide): an expired record is as good as none.
 */
export function judge(
  seen: RecordView,
  claim: {
    readonly owner: string;
    readonly payload: string;
    readonly messageId: string;
    readonly sentAt: Milliseconds | undefined;
    readonly redriven: boolean | undefined;
  },
  now: Milliseconds,
): Verdict {
  // A claim whose reply was lost and that was sent again finds itself.
  if (seen.state === state.inProgress && seen.owner === claim.owner) return { kind: 'own' };
  const over = seen.leaseEnd === undefined || seen.leaseEnd + clockMargin < now;
  if (over && toMilliseconds(seen.ttl) + clockMargin < now) return { kind: 'renew', seen };
  if (seen.payload !== claim.payload) return { kind: 'conflict' };
  if (seen.state === state.completed) return { kind: 'completed' };
  // The delivery that was to be dead-lettered comes again: nobody knows whether its letter was sent.
  if (seen.state === state.failed && seen.letter === claim.messageId)
    return { kind: 'letterDue', record: seen };
  if (seen.state === state.failed && claim.redriven !== true && !isLater(claim, seen))
    return { kind: 'buried' };
  // Nothing of ours is on what SQS moved aside by itself, since its letter could not be sent, and was redriven; nor on
  // what was published once more. Neither may run beside a letter, nor be forgotten: it gets one of its own.
  if (seen.state === state.failed)
    return claim.redriven === false ? { kind: 'letterDue', record: seen } : { kind: 'reopen', seen };
  if (over) return { kind: 'takeOver', seen };
  return { kind: 'live', until: milliseconds((seen.leaseEnd ?? now) + clockMargin) };
}

/** Whether a message came into its queue after the failure; in doubt it did, since a redrive that passes for a copy would be lost. */
const isLater = (
  { sentAt }: { readonly sentAt: Milliseconds | undefined },
  { failedAt }: RecordView,
): boolean => failedAt === undefined || sentAt === undefined || sentAt + clockMargin >= failedAt;
