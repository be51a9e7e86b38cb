import type { BatchStatementRequest } from '@aws-sdk/client-dynamodb';
import { type Clock, type Milliseconds, milliseconds, type Seconds, seconds } from '../../lib/base/index.ts';
import { asError } from './errors.ts';
import { clockMargin, type judge, type RecordView, type State, state, type Verdict } from './record.ts';
import type { Claiming, Statements } from './statements.ts';
import { type Stop, Stoppable } from './stop.ts';
import type { RecordStore } from './store.ts';

/** The right to work on one event, held by this invocation. */
export interface Claim extends Stop {
  readonly key: string;
  readonly owner: string;
  readonly fence: number;
  /** The state in which the record is held: COMPLETED once that is written before the work. */
  holds: State;
  /** Attempts that the record counts. */
  attempts: number;
  /** Whether the present attempt is among them already. */
  started: boolean;
  /** Taken over from an owner that died: it may be what killed it, so it runs alone. */
  readonly alone: boolean;
  /** An earlier run that was marked as begun and has not been heard of since: nobody knows how far it came. */
  readonly begun: { readonly fence: number; readonly leaseEnd: Milliseconds | undefined } | undefined;
  /** When the event failed for the first time, if it ever did. */
  firstFailedAt: Milliseconds | undefined;
  /** What earlier attempts saved of their progress, and this one since: JSON. */
  progress: string | undefined;
  leaseEnd: Milliseconds;
  /** Held, until its end is queued (`ending`) and written (`settled`), or somebody else is known to have it. */
  phase: 'held' | 'ending' | 'settled' | 'taken';
}

/** What a claim is asked for. */
export interface Claimable {
  readonly key: string;
  readonly payload: string;
  readonly messageId: string;
  /** When its message came into the queue. */
  readonly sentAt: Milliseconds | undefined;
  /** Whether it was a dead letter and was sent again; `undefined` where it had no room to say so. */
  readonly redriven: boolean | undefined;
  /** How often the queue has handed the message out: a hint where to look first, never more. */
  readonly receives: number;
}

/** How the attempt to claim ended. */
export type Claimed =
  | { readonly kind: 'won'; readonly claim: Claim }
  | { readonly kind: 'completed' }
  | { readonly kind: 'buried' }
  /** It is to be dead-lettered, and its letter may not have been sent. */
  | { readonly kind: 'letterDue'; readonly record: RecordView }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'live'; readonly until: Milliseconds }
  | { readonly kind: 'unavailable'; readonly error: Error };

/**
 * A claim needs an insert; if that is refused a read and a conditional write; and again when somebody was
 * faster. After that many rounds the event is contested, and deferred.
 */
const mostRounds = 4;

export interface ClaimContext {
  readonly store: RecordStore;
  readonly statements: Statements;
  readonly clock: Clock;
  readonly owner: string;
  readonly recordLife: Seconds;
  readonly judge: typeof judge;
  /** Lease end for a claim made now. */
  leaseEnd(): Milliseconds;
}

/**
 * Claims the events of a batch together. Keys are unique. First deliveries cost one call for up to 25 of them;
 * what was received before is read first, because its record probably exists.
 */
export async function claimAll(context: ClaimContext, wanted: readonly Claimable[]): Promise<Claimed[]> {
  const { store, statements, clock, owner } = context;
  const results = new Array<Claimed | undefined>(wanted.length);
  let open = wanted.map((_, index) => index);
  // What is known of each record: undefined = not looked yet, null = there was none.
  const seen: (RecordView | null | undefined)[] = wanted.map((item) =>
    item.receives > 1 ? undefined : null,
  );

  for (let round = 0; open.length > 0 && round < mostRounds; round++) {
    const unread = open.filter((index) => seen[index] === undefined);
    if (unread.length > 0) {
      try {
        const records = await store.read(unread.map((index) => wanted[index]!.key));
        for (const index of unread) seen[index] = records.get(wanted[index]!.key) ?? null;
      } catch (thrown) {
        const error = asError(thrown);
        for (const index of unread) results[index] = { kind: 'unavailable', error };
      }
    }
    const now = clock.now();
    const leaseEnd = context.leaseEnd();
    const ttl = recordEnd(now, context.recordLife);
    const writes: { index: number; statement: BatchStatementRequest; claim: Claim }[] = [];
    for (const index of open) {
      if (results[index] !== undefined) continue;
      const item = wanted[index]!;
      const record = seen[index] ?? undefined;
      const verdict: Verdict | undefined = record && context.judge(record, { ...item, owner }, now);
      if (verdict === undefined) {
        const claim = new HeldClaim(item.key, owner, 1, leaseEnd);
        const statement = statements.insert(claiming(claim, item.payload, ttl));
        writes.push({ index, statement, claim });
      } else if (verdict.kind === 'own') {
        // The record is ours from a write whose reply was lost: its fence and lease are those that were written.
        // A fence above the first may have been a take-over, so it counts as one.
        const lease = record!.leaseEnd ?? leaseEnd;
        const claim = new HeldClaim(item.key, owner, record!.fence, lease, record, record!.fence > 1);
        results[index] = { kind: 'won', claim };
      } else if ('seen' in verdict) {
        const claim =
          verdict.kind === 'takeOver'
            ? new HeldClaim(
                item.key,
                owner,
                record!.fence + 1,
                leaseEnd,
                record,
                record!.state === state.inProgress,
              )
            : new HeldClaim(item.key, owner, record!.fence + 1, leaseEnd);
        const values = claiming(claim, item.payload, ttl);
        const statement =
          verdict.kind === 'takeOver'
            ? statements.takeOver(values, record!, milliseconds(now - clockMargin))
            : verdict.kind === 'reopen'
              ? statements.reopen(values, record!.fence)
              : statements.renew(values, record!.fence, seconds((now - clockMargin) / 1000));
        writes.push({ index, statement, claim });
      } else {
        results[index] = verdict;
      }
    }
    const written = writes.length === 0 ? [] : await store.write(writes.map((write) => write.statement));
    for (const [position, { index, claim }] of writes.entries()) {
      const result = written[position]!;
      if (result.kind === 'done') results[index] = { kind: 'won', claim };
      else if (result.kind === 'unavailable') results[index] = result;
      // Refused: judge what stands there now, or read it where the refusal did not tell.
      else seen[index] = result.found ?? (result.duplicate ? undefined : null);
    }
    open = open.filter((index) => results[index] === undefined);
  }
  return results.map((result) => result ?? { kind: 'live', until: clock.now() });
}

const claiming = (claim: Claim, payload: string, ttl: Seconds): Claiming => ({
  key: claim.key,
  owner: claim.owner,
  fence: claim.fence,
  holds: claim.holds,
  leaseEnd: claim.leaseEnd,
  payload,
  ttl,
});

/** When a record may be deleted: epoch seconds. */
export const recordEnd = (now: Milliseconds, life: Seconds): Seconds =>
  seconds(Math.ceil(now / 1000) + Math.ceil(life));

/** A claim as it is won; what is not known of the event's past is as of a first delivery. */
class HeldClaim extends Stoppable implements Claim {
  holds: State = state.inProgress;
  attempts: number;
  started = false;
  readonly begun: Claim['begun'];
  firstFailedAt: Milliseconds | undefined;
  progress: string | undefined;
  phase: Claim['phase'] = 'held';

  constructor(
    readonly key: string,
    readonly owner: string,
    readonly fence: number,
    public leaseEnd: Milliseconds,
    seen?: RecordView,
    readonly alone = false,
  ) {
    super();
    this.attempts = seen?.attempts ?? 0;
    this.begun =
      seen?.started === undefined
        ? undefined
        : { fence: seen.started, leaseEnd: seen.started === seen.fence ? seen.leaseEnd : undefined };
    this.firstFailedAt = seen?.firstFailedAt;
    this.progress = seen?.progress;
  }
}
