import type { AttributeValue, BatchStatementRequest } from '@aws-sdk/client-dynamodb';
import type { Milliseconds, Seconds } from '../../lib/base/index.ts';
import { type State, state } from './record.ts';

/*
 * The writes of a record: PartiQL statements, since BatchExecuteStatement gives each its own condition and its
 * own result in one call (measured: an eighth of the client's CPU of one call a record). Names are quoted,
 * because `state`, `owner` and `ttl` are reserved words of DynamoDB. A refused UPDATE returns the item
 * (ALL_OLD); a refused INSERT does not, whatever it is told.
 */

/** What holds a claim: the key with the owner and the fence that every write under it carries. */
export interface Holder {
  readonly key: string;
  readonly owner: string;
  readonly fence: number;
  /** The state in which it is held: IN_PROGRESS, or COMPLETED when that is written before the work. */
  readonly holds: State;
}

/** What a claim writes. */
export interface Claiming extends Holder {
  readonly leaseEnd: Milliseconds;
  readonly payload: string;
  readonly ttl: Seconds;
}

const held = `WHERE "pk"=? AND "owner"=? AND "fence"=? AND "state"=?`;
const anew =
  'SET "state"=? SET "owner"=? SET "fence"=? SET "leaseEnd"=? SET "attempts"=? SET "payload"=? SET "ttl"=? ' +
  'REMOVE "reason" REMOVE "letter" REMOVE "failedAt" REMOVE "lastError" REMOVE "completedAt" REMOVE "firstFailedAt" REMOVE "progress" ' +
  'REMOVE "started"';

/** The statements on one table. */
export type Statements = ReturnType<typeof statementsFor>;

export function statementsFor(table: string) {
  const name = `"${table}"`;
  const update = (text: string, parameters: AttributeValue[]): BatchStatementRequest => ({
    Statement: `UPDATE ${name} ${text}`,
    Parameters: parameters,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  const underFence = (claim: Holder): AttributeValue[] => [
    s(claim.key),
    s(claim.owner),
    n(claim.fence),
    s(claim.holds),
  ];
  const freshValues = (claim: Claiming): AttributeValue[] => [
    s(state.inProgress),
    s(claim.owner),
    n(claim.fence),
    n(claim.leaseEnd),
    n(0),
    s(claim.payload),
    n(claim.ttl),
  ];
  return {
    /** First claim: refused (DuplicateItem) when there is a record. */
    insert: (claim: Claiming): BatchStatementRequest => ({
      Statement: `INSERT INTO ${name} VALUE {'pk': ?, 'state': ?, 'owner': ?, 'fence': ?, 'leaseEnd': ?, 'attempts': ?, 'payload': ?, 'ttl': ?}`,
      Parameters: [s(claim.key), ...freshValues(claim)],
    }),

    /**
     * Claim of a released record or of one whose owner died: under the fence that was seen, and only if the
     * lease is over (0 when released; a completed or failed record has none). The attempts are those that were seen:
     * a run that was marked as begun in the meantime must be known to who takes over, even where clocks disagree.
     */
    takeOver: (
      claim: Claiming,
      seen: { readonly fence: number; readonly attempts: number },
      overBefore: Milliseconds,
    ) =>
      update(
        'SET "state"=? SET "owner"=? SET "fence"=? SET "leaseEnd"=? SET "ttl"=? WHERE "pk"=? AND "fence"=? AND "attempts"=? AND "leaseEnd"<?',
        [
          s(state.inProgress),
          s(claim.owner),
          n(claim.fence),
          n(claim.leaseEnd),
          n(claim.ttl),
          s(claim.key),
          n(seen.fence),
          n(seen.attempts),
          n(overBefore),
        ],
      ),

    /** Claim of a dead-lettered event that was sent again: attempts start anew. */
    reopen: (claim: Claiming, seenFence: number) =>
      update(`${anew} WHERE "pk"=? AND "fence"=? AND "state"=?`, [
        ...freshValues(claim),
        s(claim.key),
        n(seenFence),
        s(state.failed),
      ]),

    /** Claim over an expired record that TTL has not deleted yet. */
    renew: (claim: Claiming, seenFence: number, expiredBefore: Seconds) =>
      update(`${anew} WHERE "pk"=? AND "fence"=? AND "ttl"<?`, [
        ...freshValues(claim),
        s(claim.key),
        n(seenFence),
        n(expiredBefore),
      ]),

    /** Marks a run as begun: if the process dies, its attempt counts, and its outcome is known to be unknown. */
    start: (claim: Holder, attempts: number, leaseEnd: Milliseconds) =>
      update(`SET "attempts"=? SET "leaseEnd"=? SET "started"=? ${held}`, [
        n(attempts),
        n(leaseEnd),
        n(claim.fence),
        ...underFence(claim),
      ]),

    /** Heartbeat. */
    extend: (claim: Holder, leaseEnd: Milliseconds) =>
      update(`SET "leaseEnd"=? ${held}`, [n(leaseEnd), ...underFence(claim)]),

    /** How far the handler has come. */
    save: (claim: Holder, progress: string) =>
      update(`SET "progress"=? ${held}`, [s(progress), ...underFence(claim)]),

    /** The effect happened. */
    complete: (claim: Holder, now: Milliseconds, ttl: Seconds) =>
      update(
        `SET "state"=? SET "completedAt"=? SET "ttl"=? REMOVE "leaseEnd" REMOVE "lastError" REMOVE "progress" ${held}`,
        [s(state.completed), n(now), n(ttl), ...underFence(claim)],
      ),

    /** Gives the event back: untouched, or with the error of a failed attempt. */
    release: (
      claim: Holder,
      attempts: number,
      ttl: Seconds,
      failure?: {
        readonly error: string;
        /** When the event failed for the first time. */
        readonly firstFailedAt: Milliseconds;
      },
      /** What an owner that died has left and this one has not cleared up, since it did not come to run the event. */
      left: {
        /** Whether the event may have killed it: the record stays IN_PROGRESS, with a lease that is over. */
        readonly suspicion?: boolean;
        /** Whether it has begun a run, whose outcome is still unknown. */
        readonly mark?: boolean;
      } = {},
    ) => {
      const ending = left.mark === true ? held : `REMOVE "started" ${held}`;
      const sets = 'SET "state"=? SET "leaseEnd"=? SET "attempts"=? SET "ttl"=?';
      const values = [
        s(left.suspicion === true ? state.inProgress : state.released),
        n(0),
        n(attempts),
        n(ttl),
      ];
      if (failure === undefined) return update(`${sets} ${ending}`, [...values, ...underFence(claim)]);
      values.push(s(failure.error), n(failure.firstFailedAt));
      return update(`${sets} SET "lastError"=? SET "firstFailedAt"=? ${ending}`, [
        ...values,
        ...underFence(claim),
      ]);
    },

    /** The event is given up: its letter may be sent, and a delivery that comes again sends it. */
    fail: (
      claim: Holder,
      letter: {
        readonly attempts: number;
        readonly reason: string;
        readonly error: string;
        readonly messageId: string;
      },
      now: Milliseconds,
      ttl: Seconds,
    ) =>
      update(
        `SET "state"=? SET "attempts"=? SET "reason"=? SET "letter"=? SET "lastError"=? SET "failedAt"=? SET "ttl"=? REMOVE "leaseEnd" ${held}`,
        [
          s(state.failed),
          n(letter.attempts),
          s(letter.reason),
          s(letter.messageId),
          s(letter.error),
          n(now),
          n(ttl),
          ...underFence(claim),
        ],
      ),
  };
}

const s = (value: string): AttributeValue => ({ S: value });
const n = (value: number): AttributeValue => ({ N: String(value) });
