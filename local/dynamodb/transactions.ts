import type {
  CancellationReason,
  ConsumedCapacity,
  TransactGetItemsCommandInput,
  TransactGetItemsCommandOutput,
  TransactWriteItem,
  TransactWriteItemsCommandInput,
  TransactWriteItemsCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { ServiceError } from '../service.ts';
import { consumedCapacity, createUsage, readUnits, type Usage, useRead, useWrite } from './capacity.ts';
import { constraint, required, validation } from './errors.ts';
import { project, readExpressions } from './expressions/index.ts';
import { type Key, keyIdentity, keyOfItem, keyOfRequest } from './keys.ts';
import { refuseLegacy } from './legacy.ts';
import type { Reply, Tables } from './model.ts';
import { findRow, type Row, type Table } from './table.ts';
import type { Tokens } from './tokens.ts';
import { acceptItem, copyItem, type Item } from './values.ts';
import { commit, type Plan, planCheck, planDelete, planPut, planUpdate } from './writes.ts';

/** Actions and bytes of one transaction (DynamoDB API reference, TransactWriteItems). */
const maximumActions = 100;
const maximumBytes = 4 * 1_024 * 1_024;

/** One action of a transaction, ready to be planned. */
export interface Action {
  readonly table: Table;
  readonly plan: () => Plan;
  /** The key that it is about, where that can be told without planning it. */
  readonly key?: () => Key;
  /** Whether the caller wants to see what was found when the condition does not hold. */
  readonly showsItem: boolean;
  /** Whether a condition that does not hold means that the item was there already: an INSERT. */
  readonly duplicates?: boolean;
}

/** The transactions of the API. */
export function transactionOperations(tables: Tables, tokens: Tokens) {
  return {
    TransactWriteItems(input: TransactWriteItemsCommandInput): Reply<TransactWriteItemsCommandOutput> {
      const items = checkActions(input.TransactItems, 'transactItems');
      const run = () =>
        writeTogether(
          items.map((item) => readAction(tables, item)),
          input.ReturnConsumedCapacity,
        );
      if (input.ClientRequestToken === undefined) return run().reply;
      return tokens.once(input.ClientRequestToken, input.TransactItems, input.ReturnConsumedCapacity, run);
    },

    TransactGetItems(input: TransactGetItemsCommandInput): Reply<TransactGetItemsCommandOutput> {
      const items = checkActions(input.TransactItems, 'transactItems');
      const usages = new Map<Table, Usage>();
      const seen = new Set<string>();
      let bytes = 0;
      const Responses = items.map(({ Get: get }) => {
        if (get === undefined) throw required('transactItems.1.member.get');
        const table = tables.open(get.TableName);
        const { projection } = readExpressions(get);
        const { key } = keyOfRequest(table.schema, get.Key);
        const identity = `${table.name}/${keyIdentity(key)}`;
        if (seen.has(identity)) throw repeated();
        seen.add(identity);
        const row = findRow(table, key);
        bytes += row?.size ?? 0;
        if (bytes > maximumBytes) throw tooLarge();
        useRead(usageOf(usages, table), readUnits(row?.size ?? 0, true) * 2);
        if (row === undefined) return {};
        return { Item: copyItem(projection === undefined ? row.item : project(row.item, projection)) };
      });
      return { Responses, ...capacities(usages, input.ReturnConsumedCapacity, 'kinds') };
    },
  };
}

const repeated = () => validation('Transaction request cannot include multiple operations on one item');
const tooLarge = () =>
  validation('Collection size of the items in the transaction exceeds the limit of 4 MB');

/** The actions of a transaction, when there are between one and a hundred. */
export function checkActions<Element>(items: Element[] | undefined, member: string): Element[] {
  if (items === undefined) throw required(member);
  const rule = items.length < 1 ? 'greater than or equal to 1' : `less than or equal to ${maximumActions}`;
  if (items.length < 1 || items.length > maximumActions)
    throw constraint(`[${items.length} actions]`, member, `have length ${rule}`);
  return items;
}

function readAction(tables: Tables, item: TransactWriteItem): Action {
  const { Put: put, Update: update, Delete: remove, ConditionCheck: check } = item;
  const given = [put, update, remove, check].filter((action) => action !== undefined);
  if (given.length !== 1)
    throw validation('TransactItems can only contain one of Check, Put, Update or Delete');
  const action = given[0]!;
  refuseLegacy(action);
  if (check !== undefined && check.ConditionExpression === undefined)
    throw required('transactItems.1.member.conditionCheck.conditionExpression');
  if (update !== undefined && update.UpdateExpression === undefined)
    throw required('transactItems.1.member.update.updateExpression');
  const table = tables.open(action.TableName);
  const expressions = readExpressions(action);
  const showsItem = action.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
  let accepted: Item | undefined;
  const newItem = (): Item => {
    if (put?.Item === undefined) throw required('transactItems.1.member.put.item');
    accepted ??= acceptItem(put.Item);
    return accepted;
  };
  const plan = (): Plan => {
    if (put !== undefined) return planPut(table, newItem(), expressions);
    const { key, attributes } = keyOfRequest(table.schema, (update ?? remove ?? check)?.Key);
    if (update !== undefined)
      return planUpdate(table, key, attributes, expressions.changes ?? [], expressions);
    if (remove !== undefined) return planDelete(table, key, expressions);
    return planCheck(table, key, expressions);
  };
  const key = () =>
    put === undefined
      ? keyOfRequest(table.schema, (update ?? remove ?? check)?.Key).key
      : keyOfItem(table.schema, newItem());
  return { table, plan, key, showsItem };
}

/** What a transaction did. */
export interface Written {
  readonly reply: { ConsumedCapacity?: ConsumedCapacity[] };
  /** What a repetition of it under the same token answers: it reads what was written. */
  readonly repeated: { ConsumedCapacity?: ConsumedCapacity[] };
}

/**
 * Writes all of the actions, or none.
 *
 * @throws TransactionCanceledException with a reason for each action
 */
export function writeTogether(
  actions: readonly Action[],
  asked: TransactWriteItemsCommandInput['ReturnConsumedCapacity'],
): Written {
  const plans: (Plan | undefined)[] = [];
  const reasons: CancellationReason[] = [];
  const seen = new Set<string>();
  const usages = new Map<Table, Usage>();
  const reads = new Map<Table, Usage>();
  let cancelled = false;
  let bytes = 0;
  refuseRepeated(actions);
  for (const action of actions) {
    const outcome = attempt(action);
    plans.push(outcome.plan);
    reasons.push(outcome.reason);
    if (outcome.reason.Code !== 'None') cancelled = true;
    if (outcome.plan === undefined) continue;
    const { table, key, old, next } = outcome.plan;
    const identity = `${table.name}/${keyIdentity(key)}`;
    if (seen.has(identity)) throw repeated();
    seen.add(identity);
    bytes += next?.size ?? 0;
    if (bytes > maximumBytes) throw tooLarge();
    useWrite(usageOf(usages, table), old, next, 2);
    if (asked !== undefined && asked !== 'NONE')
      usageOf(reads, table).read += readUnits(next?.size ?? 0, true) * 2;
  }
  if (cancelled) throw transactionCancelled(reasons);
  for (const plan of plans) commit(plan!);
  return { reply: capacities(usages, asked, 'kinds'), repeated: capacities(reads, asked, 'kinds') };
}

/** Two actions on one item are refused before any of them is tried. */
function refuseRepeated(actions: readonly Action[]): void {
  if (actions.length < 2) return;
  const seen = new Set<string>();
  for (const { table, key } of actions) {
    if (key === undefined) continue;
    let identity: string;
    try {
      identity = `${table.name}/${keyIdentity(key())}`;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.name !== 'ValidationException') throw error;
      // What is wrong with the key is told when the action is planned.
      continue;
    }
    if (seen.has(identity)) throw repeated();
    seen.add(identity);
  }
}

const none: CancellationReason = { Code: 'None' };

/** What is wrong with one action alone cancels the transaction, with its place in the reasons. */
function attempt(action: Action): { plan: Plan | undefined; reason: CancellationReason } {
  try {
    const plan = action.plan();
    return { plan, reason: plan.holds ? none : conditionReason(action, plan.old) };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.name !== 'ValidationException') throw error;
    return { plan: undefined, reason: { Code: 'ValidationError', Message: error.message } };
  }
}

function conditionReason(action: Action, old: Row | undefined): CancellationReason {
  if (action.duplicates === true)
    return { Code: 'DuplicateItem', Message: 'Duplicate primary key exists in table' };
  action.table.failedConditions++;
  return {
    Code: 'ConditionalCheckFailed',
    Message: 'The conditional request failed',
    ...(action.showsItem && old !== undefined ? { Item: copyItem(old.item) } : {}),
  };
}

/** A transaction that was not done, with what each action had to do with it. */
export function transactionCancelled(reasons: readonly CancellationReason[]): ServiceError {
  const codes = reasons.map((reason) => reason.Code).join(', ');
  return new ServiceError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    { members: { CancellationReasons: reasons.map((reason) => ({ ...reason })) } },
  );
}

/** The usage of a table in one request. */
export function usageOf(usages: Map<Table, Usage>, table: Table): Usage {
  const found = usages.get(table);
  if (found !== undefined) return found;
  const usage = createUsage(table);
  usages.set(table, usage);
  return usage;
}

/** The units of a request over several tables, where they were asked for. */
export function capacities(
  usages: Map<Table, Usage>,
  asked: TransactWriteItemsCommandInput['ReturnConsumedCapacity'],
  detail: 'sum' | 'kinds' = 'sum',
): { ConsumedCapacity?: ConsumedCapacity[] } {
  if (asked === undefined || asked === 'NONE') return {};
  return {
    ConsumedCapacity: [...usages.values()].map((usage) => consumedCapacity(usage, asked, detail)!),
  };
}
