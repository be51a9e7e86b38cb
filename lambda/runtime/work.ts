import { type Clock, milliseconds, type Random, type Seconds, seconds } from '../../lib/base/index.ts';
import type { CloudEvent, Subscriber } from '../../lib/topology/index.ts';
import { backoff, wholeVisibility } from './backoff.ts';
import type { createBury } from './bury.ts';
import type { Claim } from './claim.ts';
import type { CommitContext, Committer, createCommitter } from './commit.ts';
import { mostErrorLength, mostStackLength, type SendLetter } from './deadletter.ts';
import type { Deadline } from './deadline.ts';
import {
  asError,
  DeadlineReached,
  describeError,
  describeStack,
  HandlerTimeout,
  LeaseLost,
  mostLogLength,
  OutcomeUnknown,
  PermanentError,
  RetryLater,
  TableUnavailable,
} from './errors.ts';
import { underDeadline } from './first-deliveries.ts';
import type { Groups } from './groups.ts';
import type { HandlerContext } from './handler.ts';
import type { Heartbeat } from './heartbeat.ts';
import { withLazy } from './lazy.ts';
import { type Logger, withFields } from './logger.ts';
import type { Measures } from './metrics.ts';
import type { createProgress, Progress, Saving } from './progress.ts';
import { clockMargin, state } from './record.ts';
import { createRedactor, type Redact } from './redact.ts';
import type { guardOf } from './sequence.ts';
import type { Ending, Settlements } from './settlement.ts';
import type { Statements } from './statements.ts';
import type { RecordStore } from './store.ts';
import { type Outcome, receivesOf, type Task } from './task.ts';
import { createBegin, mayHaveHappened, stoppedInTheMiddle } from './unknown.ts';

export interface WorkContext extends CommitContext {
  readonly subscriber: Subscriber;
  readonly handler: ClaimedHandler;
  readonly clock: Clock;
  readonly random: Random;
  readonly store: RecordStore;
  readonly statements: Statements;
  readonly settlements: Settlements;
  readonly heartbeat: Heartbeat;
  readonly deadline: Deadline;
  readonly sendLetter: SendLetter;
  readonly groups: Groups;
  readonly logger: Logger;
  readonly measures: Measures;
  readonly permanent: (error: Error) => boolean;
  readonly createBury: typeof createBury;
  readonly createCommitter: typeof createCommitter;
  readonly createProgress: typeof createProgress;
  readonly guardOf: typeof guardOf;
}

/**
 * A handler as it runs under a claim. `firstRun` stands for a run that took place before the claim.
 */
export type ClaimedHandler = (
  event: CloudEvent,
  context: HandlerContext,
  firstRun: (() => unknown) | undefined,
) => unknown;

/** What is done with single messages. */
export interface Work {
  /** Carries out a task's plan; resolves with whether its group may go on. The outcome may wait for a flush. */
  execute(task: Task): Promise<boolean>;
  /** Gives a message back untouched. */
  giveBack(task: Task): void;
}

/** A run that did not succeed. */
interface FailedRun {
  readonly error: Error;
  readonly attempt: number;
  /** Whether it began in the first half of the function's time. */
  readonly hadFairShare: boolean;
  /** Whether it saved progress that differs from what it was handed. */
  readonly moved: boolean;
}

/** How long a deferred message waits beyond the lease that it met, at most: a part of the lease. */
const deferralJitter = 0.2;

export function createWork(context: WorkContext): Work {
  const { subscriber, clock, random, settlements, heartbeat, deadline, measures, logger } = context;

  const parks = subscriber.onUnknownOutcome === 'park';
  const begin = createBegin(context);

  /** One message's trouble is its own: whatever goes wrong with it counts as its try, and its mates go on. */
  async function execute(task: Task): Promise<boolean> {
    const before = task.claim?.attempts ?? 0;
    try {
      return await carryOut(task);
    } catch (thrown) {
      const { claim, record, event } = task;
      const redact = createRedactor(record.body, event?.data);
      const error = describeError(asError(thrown), mostErrorLength, redact);
      logger.error('A message could not be carried through', { messageId: record.messageId, error });
      if (claim?.holds === state.completed) return bury(task, { reason: 'attempts', error });
      if (claim?.phase !== 'held') return finish(task, returned(pause(receivesOf(record))));
      const attempts = claim.started ? claim.attempts : before + 1;
      claim.attempts = attempts;
      if (attempts >= subscriber.attempts) return bury(task, { reason: 'attempts', error });
      const { firstFailedAt = clock.now() } = claim;
      return end(
        task,
        claim,
        { kind: 'release', attempts, failure: { error, firstFailedAt } },
        pause(attempts),
      );
    }
  }

  async function carryOut(task: Task): Promise<boolean> {
    // Done without a claim.
    if (task.outcome !== undefined) return task.outcome.kind === 'done';
    const plan = task.plan;
    switch (plan?.kind) {
      case 'acknowledge':
        measures[plan.as]++;
        return finish(task, done);
      case 'bury':
        return bury(task, plan);
      case 'expire':
        measures.expired++;
        end(task, plan.claim, untouched(plan.claim), seconds(0));
        return finish(task, done);
      case 'defer': {
        measures.deferred++;
        const jitter = random.next() * deferralJitter * subscriber.lease;
        const rest = Math.max(0, plan.until - clock.now()) / 1000;
        return finish(task, returned(wholeVisibility(rest + jitter)));
      }
      case 'return':
        logger.warn('The table of records is not available: the message goes back unhandled', {
          messageId: task.record.messageId,
          error: describeError(plan.error, mostLogLength),
        });
        if (task.claim?.phase === 'held')
          return end(task, task.claim, untouched(task.claim), pause(receivesOf(task.record)));
        return finish(task, returned(pause(receivesOf(task.record))));
      case 'postpone':
        return finish(task, returned(seconds(1)));
      case 'follow':
        // Its outcome is the first's, once that is known; until then, that the first has not failed is enough.
        return plan.first.outcome?.kind !== 'returned';
      case 'run':
        return run(task, plan.event, plan.claim);
      case 'drop':
        return complete(task, plan.claim, plan.event, 'stale');
      case undefined:
        return finish(task, returned(seconds(0)));
    }
  }

  function giveBack(task: Task) {
    if (task.claim?.phase === 'held') end(task, task.claim, untouched(task.claim), seconds(0));
    else task.outcome ??= returned(task.claim?.phase === 'taken' ? undefined : seconds(0));
  }

  async function run(task: Task, event: CloudEvent, claim: Claim): Promise<boolean> {
    // Its turn may come late: nothing starts without a lease, nor with a signal that has fired.
    if (claim.leaseEnd <= clock.now()) await stillOwns(claim);
    if (claim.phase === 'taken') return loseLease(task, event);
    if (deadline.reached() || claim.stopReason !== undefined || claim.leaseEnd <= clock.now()) {
      giveBack(task);
      return false;
    }
    if (subscriber.effects === 'atMostOnce') {
      // Completed first: who dies from here on has lost the event, and nobody repeats it.
      if (!(await completeFirst(task, claim))) return task.outcome?.kind === 'done';
    } else if ((claim.alone || parks) && !(await markStarted(task, claim))) return false;
    const attempt = claim.attempts + (claim.started ? 0 : 1);
    const guard = context.guardOf(subscriber, event);
    let saving: Saving | undefined;
    const progress = () => (saving ??= context.createProgress(context, claim));
    let committer: Committer | undefined;
    let over = false;
    const commitWith: HandlerContext['commitWith'] = (items) => {
      committer ??= context.createCommitter(context, claim, guard);
      if (over) committer.close();
      return committer.commitWith(items);
    };
    /** The guard moves on with the record: where the handler committed nothing, they commit by themselves. */
    const commitGuard = async () => {
      await committer?.settled();
      if (!committer?.committed && !over && claim.phase === 'held') await commitWith([]);
    };
    const startedAt = clock.now();
    let handled = false;
    const ran = await underDeadline(deadline, async () => {
      const handling = handlerContext(task, claim, attempt, event, commitWith, progress);
      // A copy: what the handler does to its event is not what is logged of it.
      await context.handler({ ...event }, handling, task.firstRun);
      handled = true;
      await (guard === undefined ? committer?.settled() : commitGuard());
    });
    const failure = 'error' in ran ? ran.error : undefined;
    if (failure !== undefined) {
      // What still runs of the handler must not commit an event that is being given up.
      over = true;
      committer?.close();
      if (committer?.inDoubt())
        await Promise.race([committer.settled().catch(() => undefined), deadline.cut]);
      if (saving !== undefined) await Promise.race([saving.settled(), deadline.cut]);
    }
    if (task.firstRun === undefined) measures.handlerTimes.push(milliseconds(clock.now() - startedAt));

    if (committer?.committed) {
      if (failure !== undefined)
        logger.warn('The handler failed after its commit: the event is done and not tried again', {
          ...nameOf(event),
          error: describeError(failure, mostLogLength, createRedactor(task.record.body, event.data)),
        });
      measures.processed++;
      return finish(task, done);
    }
    if (committer?.stale) return complete(task, claim, event, 'stale');
    if (failure === undefined) return succeed(task, claim, event);
    if (parks && handled && isUnwritten(failure)) {
      // What it did is done, and not written down: the mark of its run stays, and with it the question.
      logger.error('An effect happened, and its record could not be completed', nameOf(event));
      return finish(task, returned(restOfLease(claim)));
    }
    return fail(task, claim, event, {
      error: failure,
      attempt,
      hadFairShare: startedAt <= deadline.fairUntil,
      moved: saving?.moved ?? false,
    });
  }

  /** Before a run that may be a killer's or must not be repeated: from here on this attempt counts, whatever happens. */
  async function markStarted(task: Task, claim: Claim): Promise<boolean> {
    // What has ended by now is known, whatever becomes of this run.
    const flushed = settlements.flush();
    if (claim.alone) await flushed;
    const leaseEnd = heartbeat.leaseEnd();
    const result = await begin(context.statements.start(claim, claim.attempts + 1, leaseEnd));
    if (result.kind === 'done') {
      claim.attempts++;
      claim.started = true;
      claim.leaseEnd = leaseEnd;
      return true;
    }
    if (result.kind === 'refused') {
      claim.phase = 'taken';
      return finish(task, returned(undefined));
    }
    // Not known to be marked: a killer that is not counted would never end, so it does not run.
    giveBack(task);
    return false;
  }

  /** Completes the record of an event that is to run at most once; else the task has its outcome. */
  async function completeFirst(task: Task, claim: Claim): Promise<boolean> {
    const ending = settlements.add(claim, { kind: 'complete' });
    await settlements.flush();
    const ended = await ending;
    if (ended === 'done') {
      claim.holds = state.completed;
      return true;
    }
    if (ended === 'completed') measures.duplicates++;
    finish(task, ended === 'completed' ? done : returned(ended === 'taken' ? undefined : restOfLease(claim)));
    return false;
  }

  async function succeed(task: Task, claim: Claim, event: CloudEvent): Promise<boolean> {
    if (claim.holds === state.completed) {
      measures.processed++;
      return finish(task, done);
    }
    if (claim.leaseEnd <= clock.now())
      // Late, whatever the timer said: the fence decides whether the event was still ours.
      logger.warn('The lease ended before the handler did', nameOf(event));
    if (claim.phase === 'taken') return loseLease(task, event);
    return complete(task, claim, event, 'processed');
  }

  /** Completes the record, at the next flush, and counts what came of the event. */
  async function complete(
    task: Task,
    claim: Claim,
    event: CloudEvent,
    counts: 'processed' | 'stale',
  ): Promise<boolean> {
    if (counts === 'stale')
      logger.warn('The event was dropped: a newer one of its key was applied', nameOf(event));
    const ending = settlements.add(claim, { kind: 'complete' }).then((ended) => {
      if (ended === 'done') measures[counts]++;
      else if (ended === 'completed') measures.duplicates++;
      else
        logger.error('The effect may be repeated: its record could not be completed', {
          ...nameOf(event),
          ended,
        });
      if (ended === 'done' || ended === 'completed') finish(task, done);
      else finish(task, returned(ended === 'taken' ? undefined : restOfLease(claim)));
    });
    if (!claim.alone) return true;
    await settlements.flush();
    await ending;
    return task.outcome?.kind === 'done';
  }

  async function fail(task: Task, claim: Claim, event: CloudEvent, failed: FailedRun): Promise<boolean> {
    const { error, attempt } = failed;
    const redact = createRedactor(task.record.body, event.data);
    if (claim.holds === state.completed) {
      measures.failed++;
      claim.attempts = attempt;
      return bury(task, {
        reason: isPermanent(error, redact) ? 'permanent' : 'attempts',
        error: describeError(error, mostErrorLength, redact),
        stack: describeStack(error, mostStackLength, redact),
      });
    }
    if (!(await stillOwns(claim))) return loseLease(task, event);
    const facts = { ...nameOf(event), attempt, error: describeError(error, mostLogLength, redact) };
    const permanent = isPermanent(error, redact);
    const unknown = parks && !permanent && mayHaveHappened(claim, error);
    if (!unknown && isNoTry(claim, failed)) {
      logger.warn('A try was broken off and is not counted', facts);
      const unused = claim.started ? claim.attempts - 1 : claim.attempts;
      // What the tables refuse, they refuse for a while: the wait grows with the receives, which are all it costs.
      const stopped = claim.stopReason instanceof DeadlineReached;
      return end(
        task,
        claim,
        { kind: 'release', attempts: unused },
        claim.stopReason !== undefined && failed.moved
          ? seconds(1)
          : pause(stopped ? 1 : receivesOf(task.record)),
      );
    }
    measures.failed++;
    claim.attempts = attempt;
    claim.firstFailedAt ??= clock.now();
    const { firstFailedAt } = claim;
    const text = describeError(error, mostErrorLength, redact);
    const last = permanent ? 'permanent' : attempt >= subscriber.attempts ? 'attempts' : undefined;
    const reason = unknown ? 'unknown-outcome' : last;
    if (reason !== undefined)
      return bury(task, {
        ...(unknown ? stoppedInTheMiddle(claim, attempt, text) : { reason, error: text }),
        stack: describeStack(error, mostStackLength, redact),
      });
    const visibility = error instanceof RetryLater ? wholeVisibility(error.after) : pause(attempt);
    logger.warn('A try failed', { ...facts, retryInSeconds: visibility });
    return end(
      task,
      claim,
      { kind: 'release', attempts: attempt, failure: { error: text, firstFailedAt } },
      visibility,
    );
  }

  /** A lease that ended before the handler did counts as lost until the record, under the fence, says otherwise. */
  async function stillOwns(claim: Claim): Promise<boolean> {
    if (claim.phase === 'taken') return false;
    if (claim.leaseEnd > clock.now()) return true;
    const leaseEnd = heartbeat.leaseEnd();
    const [result] = await context.store.write([context.statements.extend(claim, leaseEnd)]);
    if (result?.kind === 'done') claim.leaseEnd = leaseEnd;
    else if (result?.kind === 'refused') claim.phase = 'taken';
    return result?.kind === 'done';
  }

  /**
   * In doubt about the record, without its lease, or told to stop when it had hardly begun: that says nothing about
   * the event, so it has used no attempt. Who had half of the function's time and more and did not come to an end
   * has had its try, or an event that never ends in time would be tried for ever; unless it has come further than
   * the run before it, which it cannot do for ever.
   */
  function isNoTry(claim: Claim, { error, hadFairShare, moved }: FailedRun): boolean {
    if (error instanceof PermanentError) return false;
    if (moved && claim.stopReason !== undefined) return true;
    if (error instanceof HandlerTimeout) return false;
    if (error instanceof OutcomeUnknown || error instanceof LeaseLost || error instanceof TableUnavailable)
      return true;
    if (claim.stopReason instanceof DeadlineReached) return !hadFairShare;
    return claim.stopReason !== undefined;
  }

  function isPermanent(error: Error, redact: Redact): boolean {
    if (error instanceof PermanentError) return true;
    try {
      // Not just truthy: a promise by mistake would make every error permanent.
      return context.permanent(error) === true;
    } catch (thrown) {
      logger.error('`permanent` threw: the error counts as passing', {
        error: describeError(asError(thrown), mostLogLength, redact),
      });
      return false;
    }
  }

  function end(task: Task, claim: Claim, ending: Ending, visibility: Seconds): false {
    task.outcome = returned(visibility);
    void settlements.add(claim, ending).then((ended) => {
      // Completed after all: by a commit that gave no reply, or by another owner.
      if (ended === 'completed') finish(task, done);
      else if (ended === 'taken') finish(task, returned(undefined));
    });
    return false;
  }

  function loseLease(task: Task, event: CloudEvent): boolean {
    logger.warn('The lease was lost: another owner has the event', nameOf(event));
    return finish(task, returned(undefined));
  }

  function finish(task: Task, outcome: Outcome): boolean {
    task.outcome = outcome;
    return outcome.kind === 'done';
  }

  function handlerContext(
    task: Task,
    claim: Claim,
    attempt: number,
    event: CloudEvent,
    commitWith: HandlerContext['commitWith'],
    progress: () => Progress,
  ): HandlerContext {
    let eventLogger: Logger | undefined;
    return withLazy(
      {
        attempt,
        deadline: deadline.stopAt,
        fence: claim.fence,
        commitWith,
        gap: () => context.groups.gap(task.record),
      },
      {
        signal: () => claim.signal,
        logger: () => {
          eventLogger ??= withFields(logger, { ...nameOf(event), attempt });
          return eventLogger;
        },
        progress,
      },
    );
  }

  const pause = (attempt: number) => backoff(subscriber.backoff, attempt, random);
  const restOfLease = (claim: Claim) => wholeVisibility((claim.leaseEnd + clockMargin - clock.now()) / 1000);

  const bury = context.createBury(context, { pause, finish, again: returned });
  return { execute, giveBack };
}

/** Nothing about the event: the tables did not take, or did not confirm, what was to be committed. */
const isUnwritten = (error: Error): boolean =>
  error instanceof OutcomeUnknown || error instanceof TableUnavailable;

const done: Outcome = { kind: 'done' };
const returned = (visibility: Seconds | undefined): Outcome => ({ kind: 'returned', visibility });
const untouched = (claim: Claim): Ending => ({ kind: 'release', attempts: claim.attempts });
const nameOf = (event: CloudEvent) => ({ source: event.source, id: event.id, type: event.type });
