import type { Clock, Random, Seconds } from '../../lib/base/index.ts';
import type { CloudEvent, EventDefinitions, Subscriber } from '../../lib/topology/index.ts';
import type { Claimable, ClaimContext, Claimed, claimAll } from './claim.ts';
import { isRedriven, mostErrorLength, mostStackLength, type Reason } from './deadletter.ts';
import { checkData, isExpired, parseEnvelope } from './envelope.ts';
import { asError, describeError, describeStack, Undeliverable } from './errors.ts';
import type { payloadHash, recordKey } from './identity.ts';
import { createRedactor } from './redact.ts';
import type { refuseReplay } from './replay.ts';
import type { guardOf, staleGuards } from './sequence.ts';
import { type Plan, receivesOf, sentAt, type Task } from './task.ts';
import { diedInTheMiddle, knownOf } from './unknown.ts';

export interface PrepareContext extends ClaimContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly subscriber: Subscriber;
  readonly events: EventDefinitions;
  readonly recordLife: Seconds;
  readonly claimAll: typeof claimAll;
  readonly recordKey: typeof recordKey;
  readonly payloadHash: typeof payloadHash;
  readonly guardOf: typeof guardOf;
  readonly staleGuards: typeof staleGuards;
  readonly refuseReplay: typeof refuseReplay;
  /** The first message of each event in the batch, by its record's key. */
  readonly firsts: Map<string, Wanted>;
}

/** An event of the batch that is to be handled. */
export interface Wanted {
  readonly task: Task;
  readonly event: CloudEvent;
  readonly claimable: Claimable;
  /** Past its expiry, but handed out before: its record tells whether it was begun, or given up without a letter. */
  readonly expired: boolean;
}

/**
 * Reads each message of a part of the batch. What cannot be read, is not wanted, has expired or is a further copy gets
 * its plan; the rest is given back, in the order of the batch.
 */
export async function decodeAll(context: PrepareContext, tasks: readonly Task[]): Promise<Wanted[]> {
  const { firsts } = context;
  const fresh: Wanted[] = [];
  for (const task of tasks) {
    let wanted: Wanted | undefined;
    try {
      wanted = await decode(context, task);
    } catch (thrown) {
      const error =
        thrown instanceof Undeliverable
          ? thrown
          : new Undeliverable('undecodable', 'The message cannot be read.', { cause: asError(thrown) });
      const redact = createRedactor(task.record.body);
      task.plan = {
        kind: 'bury',
        reason: error.reason,
        error: describeError(error, mostErrorLength, redact),
        stack: describeStack(error, mostStackLength, redact),
      };
    }
    if (wanted === undefined) continue;
    // Keys are unique before the claim: DynamoDB refuses a whole call that names a key twice, and a record that the
    // same batch has claimed already would pass for a claim whose reply was lost.
    const first = firsts.get(wanted.claimable.key);
    if (first === undefined) {
      firsts.set(wanted.claimable.key, wanted);
      fresh.push(wanted);
    } else
      task.plan =
        first.claimable.payload === wanted.claimable.payload
          ? { kind: 'follow', first: first.task }
          : { kind: 'postpone' };
  }
  return fresh;
}

/** Claims events, and decides by what came of it what is to be done with their messages. */
export async function claimWanted(context: PrepareContext, wanted: readonly Wanted[]): Promise<void> {
  if (wanted.length === 0) return;
  const claimed = await context.claimAll(
    context,
    wanted.map(({ claimable }) => claimable),
  );
  for (const [index, one] of wanted.entries()) {
    const result = claimed[index]!;
    if (result.kind === 'won') one.task.claim = result.claim;
    one.task.plan = planFor(context, one, result);
  }
  if (context.subscriber.sequenceGuard) await dropStale(context, wanted);
}

/** What is stale already does not run. Where the guards cannot be read nothing runs: it would be on a guess. */
async function dropStale(context: PrepareContext, wanted: readonly Wanted[]) {
  const guarded = wanted.flatMap(({ task }) => {
    if (task.plan?.kind !== 'run') return [];
    const guard = context.guardOf(context.subscriber, task.plan.event);
    return guard === undefined ? [] : [{ task, guard, plan: task.plan }];
  });
  try {
    const stale = await context.staleGuards(
      context.store,
      guarded.map(({ guard }) => guard),
    );
    for (const { task, guard, plan } of guarded) if (stale.has(guard)) task.plan = { ...plan, kind: 'drop' };
  } catch (thrown) {
    for (const { task } of guarded) task.plan = { kind: 'return', error: asError(thrown) };
  }
}

async function decode(context: PrepareContext, task: Task): Promise<Wanted | undefined> {
  const { subscriber, events, clock } = context;
  const envelope = parseEnvelope(task.record.body, () => sentAt(task.record) ?? clock.now());
  if (!subscriber.on.includes(envelope.type)) {
    task.plan = { kind: 'acknowledge', as: 'unwanted' };
    return undefined;
  }
  const receives = receivesOf(task.record);
  const expired = isExpired(envelope, clock.now());
  if (expired && receives === 1) {
    task.plan = { kind: 'acknowledge', as: 'expired' };
    return undefined;
  }
  let { data } = envelope;
  if (!expired) {
    const refusal = context.refuseReplay(task.record, subscriber, clock.now());
    if (refusal !== undefined) {
      task.plan = { kind: 'bury', ...refusal };
      return undefined;
    }
    const checked = checkData(events[envelope.type]!.schema, envelope.type, data);
    data = checked instanceof Promise ? await checked : checked;
  }
  const traceparent = envelope.traceparent ?? task.record.messageAttributes?.traceparent?.stringValue;
  const event = { ...envelope, ...(traceparent === undefined ? {} : { traceparent }), data };
  task.event = event;
  return {
    task,
    event,
    claimable: {
      key: context.recordKey(subscriber.name, envelope.source, envelope.id),
      payload: context.payloadHash(envelope.data),
      messageId: task.record.messageId,
      sentAt: sentAt(task.record),
      redriven: isRedriven(task.record),
      receives,
    },
    expired,
  };
}

function planFor({ subscriber }: PrepareContext, { event, expired }: Wanted, claimed: Claimed): Plan {
  switch (claimed.kind) {
    case 'won': {
      const { claim } = claimed;
      if (claim.begun !== undefined && subscriber.onUnknownOutcome === 'park')
        return { kind: 'bury', ...diedInTheMiddle(claim) };
      if (expired) return { kind: 'expire', claim };
      if (claim.alone && claim.attempts >= subscriber.attempts)
        return {
          kind: 'bury',
          reason: 'crash',
          error: `The process ended in the middle of the last try; ${claim.attempts} of ${subscriber.attempts} attempts are used up.`,
        };
      return { kind: 'run', event, claim };
    }
    case 'completed':
    case 'buried':
      return { kind: 'acknowledge', as: 'duplicates' };
    case 'letterDue': {
      const { reason, lastError, attempts, firstFailedAt, failedAt } = claimed.record;
      return {
        kind: 'bury',
        reason: (reason ?? 'attempts') as Reason,
        error: lastError ?? 'not kept',
        ...{ attempts, firstFailedAt: firstFailedAt ?? failedAt, failedAt },
        known: reason === 'unknown-outcome' ? knownOf(claimed.record) : undefined,
      };
    }
    case 'conflict':
      if (expired) return { kind: 'acknowledge', as: 'expired' };
      return {
        kind: 'bury',
        reason: 'conflict',
        error:
          'Another payload was handled, or is being handled, under the same source and id. ' +
          'Give a changed event an id of its own.',
      };
    case 'live':
      return { kind: 'defer', until: claimed.until };
    case 'unavailable':
      return { kind: 'return', error: claimed.error };
  }
}
