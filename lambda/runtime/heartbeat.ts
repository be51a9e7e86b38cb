import {
  type Clock,
  type Milliseconds,
  milliseconds,
  type Random,
  type Seconds,
  sleep,
  type Timer,
  toMilliseconds,
} from '../../lib/base/index.ts';
import { callPause, wholeVisibility } from './backoff.ts';
import type { Claim } from './claim.ts';
import { asError, LeaseLost } from './errors.ts';
import type { Logger } from './logger.ts';
import { clockMargin, type RecordView } from './record.ts';
import type { Settlements } from './settlement.ts';
import type { Statements } from './statements.ts';
import type { RecordStore } from './store.ts';
import type { ChangeVisibility } from './visibility.ts';

/*
 *   0 s        1 s                     11 s                    21 s
 *   |- claim --|- beat ----------------|- beat ----------------|- ...
 *   lease      [=========== 30 s ============|
 *              [============================ 30 s ===|
 *   visibility [=========== 30 s + margin ======|              lease end <= visibility end, always
 *
 * A beat: leases, then the visibility of every message of the batch, finished ones too (an earlier one that came
 * back would let its group run in parallel); beside them, what is done is completed. Neither completions nor
 * visibilities hold up the next beat's leases. An invocation that ends within the first second, as most do, pays
 * nothing. Until the first beat a message has the queue's own visibility, and a crash costs that; after it, a
 * crash costs the lease.
 *
 * Beside the beats one timer stands for the earliest end of a lease: whatever hangs, the handler is told in time.
 */

/** The first beat: most batches are done by then. */
const firstBeat = milliseconds(1_000);

/**
 * A lease is given up this long before its end, so that the handler hears of it while the lease still stands.
 * The clock margin covers what comes after the end.
 */
const leaseSlack = milliseconds(500);

/** How much later than the lease a message becomes visible: when others hold the lease for over, and a second. */
const visibilityBeyondLease = milliseconds(clockMargin + 1_000);

/** Heartbeat of one invocation: one timer for all leases and visibilities. */
export interface Heartbeat {
  /** When a lease ends that is taken or extended now. */
  leaseEnd(): Milliseconds;
  /** Adds claims to what is kept alive. */
  hold(claims: readonly Claim[]): void;
  /** Ends it; resolves when no call is under way any more. */
  stop(): Promise<void>;
}

export function startHeartbeat(context: {
  readonly clock: Clock;
  readonly random: Random;
  readonly lease: Seconds;
  /** Neither lease nor visibility reach further: the function's end, or SQS's 12 hours from the receive. */
  readonly bound: Milliseconds;
  readonly store: RecordStore;
  readonly statements: Statements;
  readonly settlements: Settlements;
  readonly changeVisibility: ChangeVisibility;
  /** Every message of the batch; its claim, once it has one. */
  readonly messages: readonly { readonly receiptHandle: string; readonly claim: Claim | undefined }[];
  /** Whether visibilities follow the leases; else the queue's own stays. */
  readonly shortens: boolean;
  readonly logger: Logger;
}): Heartbeat {
  const { clock, random, bound, store, statements, settlements, changeVisibility, logger } = context;
  const lease = toMilliseconds(context.lease);
  const interval = milliseconds(lease / 3);
  // Made at the first beat: most invocations have none, and a controller costs more than all else here.
  let stopping: AbortController | undefined;
  let stopped = false;
  const claims: Claim[] = [];
  let beating: Promise<void> = Promise.resolve();
  let timer: Timer;
  let guard: Timer | undefined;
  let showing: Promise<void> | undefined;
  let showAgain = false;

  const leaseEnd = () => milliseconds(Math.min(clock.now() + lease, bound + clockMargin));
  const held = () => claims.filter((claim) => claim.phase === 'held');

  function schedule(delay: Milliseconds) {
    const due = clock.now() + delay;
    timer = clock.after(delay, () => {
      const late = clock.now() - due;
      if (late > interval)
        logger.warn('The heartbeat came late: the handler blocks the event loop', {
          lateMilliseconds: Math.round(late),
          advice: 'Move long computations to a worker thread or a child process.',
        });
      beating = beat()
        .catch((error: unknown) => logger.error('A heartbeat failed', { error: asError(error).name }))
        .then(() => {
          if (!stopped) schedule(interval);
        });
    });
  }

  async function beat() {
    stopping ??= new AbortController();
    expire();
    // Not awaited: it never rejects, and the invocation's last flush waits for it.
    void settlements.flush();
    await extendLeases(stopping.signal);
    showAgain = context.shortens;
    showing ??= show(stopping.signal);
  }

  /** Visibilities, once for all beats that came while the last ones were still under way. */
  async function show(signal: AbortSignal) {
    while (showAgain && !stopped && clock.now() < bound) {
      showAgain = false;
      await changeVisibility(
        context.messages
          // What another owner has is another owner's, its visibility too.
          .filter(({ claim }) => claim?.phase !== 'taken')
          .map(({ receiptHandle, claim }) => ({
            receiptHandle,
            visibility: untilVisible(claim?.phase === 'held' ? claim.leaseEnd : leaseEnd()),
          })),
        signal,
      );
    }
    showing = undefined;
  }

  /** Extends all leases; tries again within what the leases have left. */
  async function extendLeases(signal: AbortSignal) {
    let open = held();
    for (let tries = 0; open.length > 0; tries++) {
      const end = leaseEnd();
      const results = await store.write(
        open.map((claim) => statements.extend(claim, end)),
        signal,
      );
      for (const [index, claim] of open.entries()) {
        const result = results[index]!;
        if (result.kind === 'done') claim.leaseEnd = end;
        else if (result.kind === 'refused' && claim.phase === 'held' && !isOwn(claim, result.found)) {
          claim.phase = 'taken';
          claim.abort(
            new LeaseLost('Another owner has taken over the event: stop, nothing can be committed.'),
          );
        }
      }
      open = open.filter((claim, index) => results[index]!.kind === 'unavailable' && claim.phase === 'held');
      expire();
      open = open.filter((claim) => claim.leaseEnd - leaseSlack > clock.now());
      if (open.length === 0) return;
      await sleep(clock, callPause(tries + 2, random), signal);
      if (stopped) return;
    }
  }

  /** Tells the handlers whose lease is nearly over; the record's fence decides what they may still commit. */
  function expire() {
    const now = clock.now();
    for (const claim of held())
      if (claim.leaseEnd - leaseSlack <= now)
        claim.abort(
          new LeaseLost(
            'The lease could not be extended in time: stop, another owner may take the event over.',
          ),
        );
  }

  /** Lease ends only move away: a timer for what is now the first of them is never late. */
  function standGuard() {
    guard?.cancel();
    const ends = held().flatMap((claim) => (claim.stopReason === undefined ? [claim.leaseEnd] : []));
    if (ends.length === 0) return;
    guard = clock.after(milliseconds(Math.max(0, Math.min(...ends) - leaseSlack - clock.now())), () => {
      expire();
      standGuard();
    });
  }

  const untilVisible = (end: Milliseconds): Seconds =>
    wholeVisibility((end + visibilityBeyondLease - clock.now()) / 1000);

  schedule(firstBeat);
  return {
    leaseEnd,
    hold(more) {
      claims.push(...more);
      standGuard();
    },
    async stop() {
      stopped = true;
      stopping?.abort('stopped');
      timer.cancel();
      guard?.cancel();
      await beating;
      await showing;
    },
  };
}

/** Refused although it is ours: a commit of the handler ended it, and its reply is still on the way. */
const isOwn = (claim: Claim, found: RecordView | undefined): boolean =>
  found !== undefined && found.owner === claim.owner && found.fence === claim.fence;
