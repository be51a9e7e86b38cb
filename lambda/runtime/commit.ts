import { hash } from 'node:crypto';
import {
  type CancellationReason,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { type Clock, type Random, type Seconds, sleep } from '../../lib/base/index.ts';
import { recordsTable } from '../../lib/topology/index.ts';
import { callPause } from './backoff.ts';
import { type Claim, recordEnd } from './claim.ts';
import type { AwsClient } from './client.ts';
import { asError, ConditionFailed, LeaseLost, OutcomeUnknown, TableUnavailable } from './errors.ts';
import { type RecordView, readRecord, state } from './record.ts';
import { guardItem, type SequenceGuard, staleBy } from './sequence.ts';
import { mayPass, type RecordStore } from './store.ts';

/** DynamoDB API reference, TransactWriteItems: 100 actions; one is the record's, and one a guard's. */
const mostActions = 100;
/** Tries of a transaction, those of the SDK inside a call apart. */
const mostTries = 5;

/** What a handler may commit once. */
export interface Committer {
  /** See `HandlerContext.commitWith`. */
  commitWith(items: readonly TransactWriteItem[]): Promise<void>;
  /** Waits for a commit that the handler did not wait for. Rejects as that did, and as one did that nobody listened to. */
  settled(): Promise<void>;
  readonly committed: boolean;
  /** Whether a transaction may still come to be applied: it is under way, or gave no reply. */
  inDoubt(): boolean;
  /** Whether a newer event of its key was applied meanwhile: this one never is. */
  readonly stale: boolean;
  /** Refuses every commit that has not been sent: the run is over. */
  close(): void;
}

export interface CommitContext {
  readonly client: AwsClient;
  readonly table: string;
  readonly store: RecordStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly recordLife: Seconds;
}

/**
 * Completes the record and writes the handler's items in one transaction. The client request token comes from
 * key, fence and the number of the commit, so that a transaction that is sent again is the same transaction;
 * when no reply tells how it ended, the record is read.
 *
 * @param guard - of the event's sequence: it is moved on in the same transaction
 */
export function createCommitter(context: CommitContext, claim: Claim, guard?: SequenceGuard): Committer {
  const { client, store, clock, random } = context;
  const own = guard === undefined ? 1 : 2;
  let count = 0;
  let running = 0;
  let silent = false;
  let closed = false;
  let pending: Promise<void> = Promise.resolve();
  const failed: Commit[] = [];

  async function commit(items: readonly TransactWriteItem[]) {
    if (committer.committed)
      throw new Error(
        'commitWith was called again after it committed: give all items of an event to one call.',
      );
    if (items.length > mostActions - own)
      throw new RangeError(
        `commitWith got ${items.length} items; allowed: up to ${mostActions - own}, since DynamoDB takes ` +
          `${mostActions} actions a transaction and ${own === 1 ? 'one is the record' : 'two are the record and the guard of its sequence'}. ` +
          'Split the effect, or the event.',
      );
    if (closed || claim.phase !== 'held') throw lost();
    const token = hash(
      'sha256',
      `${claim.key}\n${claim.owner}\n${claim.fence}\n${count++}`,
      'base64url',
    ).slice(0, 36);
    // One command for all tries: under one token its content must not change.
    const end = recordEnd(clock.now(), context.recordLife);
    const command = new TransactWriteItemsCommand({
      ClientRequestToken: token,
      TransactItems: [
        completion(context, claim, end),
        ...(guard === undefined ? [] : [guardItem(context.table, guard, end)]),
        ...items.map(telling),
      ],
    });
    for (let tries = 1; ; tries++) {
      let error: Error;
      try {
        await client.send(command);
        return done();
      } catch (thrown) {
        error = asError(thrown);
      }
      const reasons = (error as { CancellationReasons?: CancellationReason[] }).CancellationReasons;
      if (reasons !== undefined) {
        if (reasons[0]?.Code === 'ConditionalCheckFailed') {
          if (isOwnCompletion(claim, readRecord(reasons[0].Item) ?? (await look()))) return done();
          claim.phase = 'taken';
          throw lost(error);
        }
        if (guard !== undefined && reasons[1]?.Code === 'ConditionalCheckFailed') {
          committer.stale = true;
          throw staleBy(guard, reasons[1].Item, { cause: error });
        }
        const failures = reasons
          .slice(own)
          .flatMap((reason, index) =>
            reason.Code === 'ConditionalCheckFailed' ? [{ index, found: reason.Item }] : [],
          );
        if (failures.length > 0) throw new ConditionFailed(failures, { cause: error });
        if (!reasons.every((reason) => passingReasons.has(reason.Code ?? 'None'))) throw error;
      } else {
        if (!mayPass(error)) throw error;
        if (!isThrottled(error)) {
          const record = await look();
          if (isOwnCompletion(claim, record)) return done();
          if (record !== undefined && !isHeld(claim, record)) {
            claim.phase = 'taken';
            throw lost(error);
          }
        }
      }
      if (tries >= mostTries || closed || claim.phase !== 'held') {
        if (reasons !== undefined || isThrottled(error))
          throw new TableUnavailable(
            `Nothing was committed: the tables refused the transaction ${tries} times, by throttling or by conflicts.`,
            { cause: error },
          );
        silent = true;
        throw new OutcomeUnknown(
          'The transaction gave no reply, and the record does not show it as committed. The message goes back to ' +
            'the queue; its record decides at the next delivery.',
          { cause: error },
        );
      }
      await sleep(clock, callPause(tries, random));
    }
  }

  function done() {
    committer.committed = true;
    claim.phase = 'settled';
  }

  async function look(): Promise<RecordView | undefined> {
    try {
      return (await store.read([claim.key])).get(claim.key);
    } catch {
      // Not readable either: the transaction is tried again under its token, which tells the same.
      return undefined;
    }
  }

  const committer = {
    committed: false,
    stale: false,
    commitWith(items: readonly TransactWriteItem[]): Promise<undefined> {
      running++;
      const outcome = pending
        .catch(() => undefined)
        .then(() => commit(items))
        .finally(() => running--);
      pending = outcome;
      const told = new Commit((resolve, reject) => void outcome.then(() => resolve(undefined), reject));
      // A handler that does not await its commit is judged by it all the same, in `settled`.
      told.ifItFails(() => failed.push(told));
      return told;
    },
    settled: async () => {
      if (running > 0) await pending;
      await failed.find((commit) => !commit.heard);
    },
    inDoubt: () => !committer.committed && (running > 0 || silent),
    close() {
      closed = true;
    },
  };
  return committer;
}

/** What `commitWith` gives: a promise that knows whether anybody listens to it, by `await` or otherwise. */
class Commit extends Promise<undefined> {
  heard = false;

  /** Listens without counting as somebody. */
  ifItFails(listener: () => void) {
    super.then(undefined, listener);
  }

  /** What comes of it are ordinary promises, which tell whoever leaves them alone. */
  static override get [Symbol.species]() {
    return Promise;
  }

  // biome-ignore lint/suspicious/noThenProperty: listening to a promise is what is to be seen
  override then<Fulfilled = undefined, Rejected = never>(
    onFulfilled?: ((value: undefined) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.heard = true;
    return super.then(onFulfilled, onRejected);
  }
}

/** Reasons (API reference, TransactionCanceledException) after which the same transaction may succeed. */
export const passingReasons = new Set([
  'None',
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);

export const isThrottled = (error: Error): boolean =>
  /Throttl|ThroughputExceeded|RequestLimitExceeded/.test(error.name);

const isOwnCompletion = (claim: Claim, record: RecordView | undefined): boolean =>
  record?.state === state.completed && record.owner === claim.owner && record.fence === claim.fence;

const isHeld = (claim: Claim, record: RecordView): boolean =>
  record.state === state.inProgress && record.owner === claim.owner && record.fence === claim.fence;

const lost = (cause?: Error): LeaseLost =>
  new LeaseLost('Nothing was committed: the event is not this attempt’s any more.', { cause });

function completion({ table, clock }: CommitContext, claim: Claim, end: Seconds): TransactWriteItem {
  return {
    Update: {
      TableName: table,
      Key: { [recordsTable.partitionKey]: { S: claim.key } },
      UpdateExpression:
        'SET #state = :completed, #completedAt = :now, #ttl = :ttl REMOVE #leaseEnd, #lastError, #progress',
      ConditionExpression: '#owner = :owner AND #fence = :fence AND #state = :inProgress',
      ExpressionAttributeNames: {
        '#state': 'state',
        '#completedAt': 'completedAt',
        '#ttl': recordsTable.timeToLive,
        '#leaseEnd': 'leaseEnd',
        '#lastError': 'lastError',
        '#progress': 'progress',
        '#owner': 'owner',
        '#fence': 'fence',
      },
      ExpressionAttributeValues: {
        ':completed': { S: state.completed },
        ':now': { N: String(clock.now()) },
        ':ttl': { N: String(end) },
        ':owner': { S: claim.owner },
        ':fence': { N: String(claim.fence) },
        ':inProgress': { S: state.inProgress },
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

const told = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

/** Asks for what is found where a condition fails, unless the handler has decided otherwise. */
export function telling(item: TransactWriteItem): TransactWriteItem {
  if (item.Put?.ConditionExpression !== undefined) return { Put: { ...told, ...item.Put } };
  if (item.Update?.ConditionExpression !== undefined) return { Update: { ...told, ...item.Update } };
  if (item.Delete?.ConditionExpression !== undefined) return { Delete: { ...told, ...item.Delete } };
  if (item.ConditionCheck !== undefined) return { ConditionCheck: { ...told, ...item.ConditionCheck } };
  return item;
}
