import { hash } from 'node:crypto';
import {
  type CancellationReason,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { type Random, type Seconds, sleep } from '../../lib/base/index.ts';
import { type CloudEvent, recordsTable } from '../../lib/topology/index.ts';
import { callPause, wholeVisibility } from './backoff.ts';
import { recordEnd } from './claim.ts';
import type { AwsClient } from './client.ts';
import { isThrottled, passingReasons, telling } from './commit.ts';
import { asError, ConditionFailed, PermanentError } from './errors.ts';
import {
  type FirstDeliveriesContext,
  firstDeliveries,
  type Handled,
  handleFirst,
} from './first-deliveries.ts';
import type { BasicContext, TransactionalContext, TransactionalHandler } from './handler.ts';
import { withLazy } from './lazy.ts';
import { mapBounded } from './parallel.ts';
import type { Wanted } from './prepare.ts';
import { type judge, readRecord, state } from './record.ts';
import { mayPass, type RecordStore } from './store.ts';
import type { Task } from './task.ts';
import type { ClaimedHandler } from './work.ts';

/*
 * The posture `transactional`. The handler returns its writes; the records of a batch and the writes of its events
 * commit in as few conditional transactions as fit:
 *
 *   batch of 10      record 1, writes 1, record 2, writes 2, ... record 10, writes 10     one TransactWriteItems
 *
 * A record is put where there is none, as COMPLETED. A transaction fails as a whole and says which condition failed:
 * that event leaves it, and the others are sent again without it. Who leaves is claimed, and goes the way of an
 * event that commits by itself; so do retries, take-overs and whatever else is not a first delivery.
 */

/** DynamoDB API reference, TransactWriteItems: 100 actions, 4 MB of items. */
const mostActions = 100;
const mostBytes = 4 * 1024 * 1024;
/** Of a character in UTF-8, at most; a bound that needs no counting. */
const bytesPerUnit = 3;
/** Tries of one transaction, those of the SDK inside a call apart. */
const mostTries = 5;
/** Conflicts with others after which the events of a transaction are committed one by one. */
const conflictsTogether = 2;
/** How often a handler is asked for other writes within one attempt. */
const mostRounds = 3;
const transactionsAtOnce = 4;

export interface TogetherContext extends FirstDeliveriesContext {
  readonly client: AwsClient;
  readonly table: string;
  readonly store: RecordStore;
  readonly judge: typeof judge;
  readonly owner: string;
  readonly random: Random;
  readonly recordLife: Seconds;
  /** What commits besides record and writes; none for most events. */
  readonly guardOf: (event: CloudEvent) => TransactWriteItem | undefined;
}

/** What a handler returned, and what is to be known of it. */
interface Writes {
  readonly actions: readonly TransactWriteItem[];
  readonly items: readonly string[];
  readonly size: number;
}

/** What one event adds to a transaction. */
interface Unit {
  readonly wanted: Wanted;
  /** Its record first, then its guard, if it has one, then the handler's. */
  readonly actions: readonly TransactWriteItem[];
  readonly items: readonly string[];
  readonly size: number;
}

/** A transactional handler under a claim: its writes commit with the event's record. */
export const committing =
  (handler: TransactionalHandler<CloudEvent>): ClaimedHandler =>
  async (event, context, firstRun) => {
    let refused: ConditionFailed | undefined;
    for (let round = 1; ; round++) {
      const returned =
        firstRun !== undefined && round === 1
          ? firstRun()
          : await handler(event, withRefusal(context, refused));
      try {
        return await context.commitWith(writesOf(returned));
      } catch (error) {
        if (!(error instanceof ConditionFailed) || round === mostRounds) throw error;
        refused = error;
      }
    }
  };

/**
 * Handles the first deliveries of a batch and commits them together. A task that is done, or whose outcome nobody
 * knows, has its outcome afterwards; every other one is left for a claim.
 */
export async function commitTogether(
  context: TogetherContext,
  handler: TransactionalHandler<CloudEvent>,
  tasks: readonly Task[],
  wanted: readonly Wanted[],
): Promise<void> {
  const handled = await handleFirst(
    context,
    firstDeliveries(context.fifo, tasks, wanted),
    async (event, basic) =>
      looked(writesOf(await handler(event, Object.assign(basic, { refused: undefined })))),
  );
  for (const { wanted: one, value } of handled) one.task.firstRun = () => value.actions;
  // On FIFO transactions follow one another, and nobody overtakes one of its group that has left.
  const left = new Set<string>();
  await mapBounded(pack(context, handled), context.fifo ? 1 : transactionsAtOnce, (units) =>
    commit(context, units, left),
  );
}

/** Sends one transaction until every one of its events is done, has left, or time is over. */
async function commit(context: TogetherContext, units: readonly Unit[], left: Set<string>): Promise<void> {
  const { client, clock, random, owner } = context;
  let open = remaining(context, units, left);
  let command: TransactWriteItemsCommand | undefined;
  let conflicts = 0;
  for (let tries = 1; open.length > 0; tries++) {
    // Under one token the content must not change, and with another content the token must.
    command ??= new TransactWriteItemsCommand({
      ClientRequestToken: hash(
        'sha256',
        `${owner}\n${tries}\n${open.map(({ wanted }) => wanted.claimable.key).join('\n')}`,
        'base64url',
      ).slice(0, 36),
      TransactItems: open.flatMap(({ actions }) => actions),
    });
    let error: Error;
    try {
      await client.send(command);
      for (const unit of open) finish(context, unit);
      return;
    } catch (thrown) {
      error = asError(thrown);
    }
    const reasons = (error as { CancellationReasons?: CancellationReason[] }).CancellationReasons;
    const stayed = reasons === undefined ? open : settle(context, open, reasons, left);
    if (stayed.length < open.length) {
      open = stayed;
      command = undefined;
      tries = 0;
      continue;
    }
    if (reasons !== undefined) conflicts++;
    else if (!mayPass(error)) {
      // The transaction as such is refused, for two writes on one item perhaps, which only the service can see.
      if (open.length === 1) return leave(context, open[0] as Unit, left);
      return oneByOne(context, open, left);
    }
    if (conflicts >= conflictsTogether && open.length > 1) return oneByOne(context, open, left);
    if (tries >= mostTries || context.deadline.reached())
      return giveUp(context, open, left, reasons !== undefined || isThrottled(error));
    await sleep(clock, callPause(tries, random));
  }
}

async function oneByOne(context: TogetherContext, units: readonly Unit[], left: Set<string>): Promise<void> {
  await mapBounded(units, context.fifo ? 1 : transactionsAtOnce, (unit) => commit(context, [unit], left));
}

/** Takes out of a cancelled transaction what cannot be committed by it; gives back what can be sent again. */
function settle(
  context: TogetherContext,
  units: readonly Unit[],
  reasons: readonly CancellationReason[],
  left: Set<string>,
): Unit[] {
  let start = 0;
  for (const unit of units) {
    const own = reasons.slice(start, start + unit.actions.length);
    start += unit.actions.length;
    if (own.every(({ Code = 'None' }) => passingReasons.has(Code))) continue;
    const found = own[0]?.Code === 'ConditionalCheckFailed' ? readRecord(own[0].Item) : undefined;
    const { task, claimable } = unit.wanted;
    if (found?.owner === context.owner && found.state === state.completed) finish(context, unit);
    else if (
      found !== undefined &&
      context.judge(found, { ...claimable, owner: context.owner }, context.clock.now()).kind === 'completed'
    ) {
      context.measures.duplicates++;
      task.outcome = { kind: 'done' };
    } else leave(context, unit, left);
  }
  return remaining(context, units, left);
}

/** What is neither done nor has left, nor stands behind one of its group that has. */
const remaining = ({ fifo }: TogetherContext, units: readonly Unit[], left: ReadonlySet<string>): Unit[] =>
  units.filter(
    ({ wanted: { task } }) =>
      task.outcome === undefined && !left.has(fifo ? groupOf(task) : task.record.messageId),
  );

function leave({ fifo }: TogetherContext, { wanted: { task } }: Unit, left: Set<string>): void {
  left.add(fifo ? groupOf(task) : task.record.messageId);
}

const groupOf = (task: Task): string => task.record.attributes?.MessageGroupId ?? task.record.messageId;

function finish({ measures }: TogetherContext, { wanted }: Unit): void {
  measures.processed++;
  wanted.task.outcome = { kind: 'done' };
}

/** The tries are used up. What is known not to be committed goes back; of the rest the records tell. */
async function giveUp(
  context: TogetherContext,
  units: readonly Unit[],
  left: Set<string>,
  refused: boolean,
): Promise<void> {
  const { store, owner, logger, random } = context;
  const records = refused
    ? undefined
    : await store.read(units.map(({ wanted }) => wanted.claimable.key)).catch(() => undefined);
  let back = 0;
  for (const unit of units) {
    const record = records?.get(unit.wanted.claimable.key);
    if (record?.owner === owner && record.state === state.completed) finish(context, unit);
    else {
      unit.wanted.task.outcome = { kind: 'returned', visibility: wholeVisibility(1 + random.next() * 2) };
      leave(context, unit, left);
      back++;
    }
  }
  if (back > 0)
    logger.warn(
      refused
        ? 'The tables refused a transaction, by throttling or by conflicts: its messages go back'
        : 'A transaction gave no reply: its messages go back, and their records decide',
      { count: back },
    );
}

/** Distributes events over transactions, in their order, none twice on one item. */
function pack(context: TogetherContext, handled: readonly Handled<Writes>[]): Unit[][] {
  const { fifo } = context;
  const open: { units: Unit[]; items: Set<string>; actions: number; size: number }[] = [];
  // A group's later events are never in an earlier transaction.
  const floors = new Map<string, number>();
  for (const one of handled) {
    const unit = unitOf(context, one);
    const group = fifo ? groupOf(unit.wanted.task) : undefined;
    const floor = group === undefined ? 0 : (floors.get(group) ?? 0);
    let index = floor;
    while (index < open.length && !fits(open[index]!, unit)) index++;
    open[index] ??= { units: [], items: new Set(), actions: 0, size: 0 };
    const transaction = open[index]!;
    transaction.units.push(unit);
    for (const item of unit.items) transaction.items.add(item);
    transaction.actions += unit.actions.length;
    transaction.size += unit.size;
    if (group !== undefined) floors.set(group, index);
  }
  return open.map(({ units }) => units);
}

const fits = (
  transaction: { readonly items: ReadonlySet<string>; readonly actions: number; readonly size: number },
  unit: Unit,
): boolean =>
  transaction.actions + unit.actions.length <= mostActions &&
  transaction.size + unit.size <= mostBytes &&
  !unit.items.some((item) => transaction.items.has(item));

function unitOf(context: TogetherContext, { wanted, value }: Handled<Writes>): Unit {
  const guard = context.guardOf(wanted.event);
  const record = recordOf(context, wanted);
  return {
    wanted,
    actions: guard === undefined ? [record, ...value.actions] : [record, guard, ...value.actions],
    items: guard === undefined ? value.items : [...itemOf(guard), ...value.items],
    size: value.size + sizeOf(record) + sizeOf(guard),
  };
}

/** Looks at writes, once: what throws then, since it is no data, is the trouble of the event that returned it. */
const looked = (writes: readonly TransactWriteItem[]): Writes => ({
  actions: writes.map(telling),
  items: writes.flatMap(itemOf),
  size: sizeOf(writes),
});

/** Bytes, at most: what is added up is what a request of it holds, members' names too. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length * bytesPerUnit;
  if (typeof value !== 'object' || value === null) return 8;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  let size = 0;
  for (const name in value) size += name.length + sizeOf((value as Readonly<Record<string, unknown>>)[name]);
  return size;
}

/** Names the item of an action; a put does not say which of its attributes are the key, so the service has to. */
function itemOf(write: TransactWriteItem): string[] {
  const on = write.Update ?? write.Delete ?? write.ConditionCheck;
  return on === undefined ? [] : [`${on.TableName} ${JSON.stringify(on.Key)}`];
}

/** The record of an event that is done, put where there is none. */
function recordOf(
  { table, clock, owner, recordLife }: TogetherContext,
  { claimable }: Wanted,
): TransactWriteItem {
  const now = clock.now();
  const { partitionKey, timeToLive } = recordsTable;
  return {
    Put: {
      TableName: table,
      Item: {
        [partitionKey]: { S: claimable.key },
        state: { S: state.completed },
        owner: { S: owner },
        fence: { N: '1' },
        attempts: { N: '1' },
        payload: { S: claimable.payload },
        completedAt: { N: String(now) },
        [timeToLive]: { N: String(recordEnd(now, recordLife)) },
      },
      ConditionExpression: `attribute_not_exists(${partitionKey})`,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

/** What a transactional handler returned, as writes. */
function writesOf(returned: unknown): readonly TransactWriteItem[] {
  if (Array.isArray(returned) && returned.length < mostActions)
    return Array.from(returned as readonly unknown[], (item) => {
      if (typeof item === 'object' && item !== null) return item as TransactWriteItem;
      throw new PermanentError(
        `The handler returned a list with ${item === null ? 'null' : typeof item} in it; a handler of a ` +
          'transactional subscriber returns TransactWriteItems. Leave out what is not to be written.',
      );
    });
  if (Array.isArray(returned))
    throw new PermanentError(
      `The handler returned ${returned.length} writes; allowed: up to ${mostActions - 1}, since DynamoDB takes ` +
        `${mostActions} actions a transaction and one is the record. Split the effect, or the event.`,
    );
  throw new PermanentError(
    `The handler returned ${returned === undefined ? 'nothing' : typeof returned}; a handler of a transactional ` +
      'subscriber returns an array of TransactWriteItems, which may be empty. Return the writes instead of making them.',
  );
}

const withRefusal = (context: BasicContext, refused: ConditionFailed | undefined): TransactionalContext =>
  withLazy(
    { attempt: context.attempt, deadline: context.deadline, gap: context.gap, refused },
    { signal: () => context.signal, logger: () => context.logger },
  );
