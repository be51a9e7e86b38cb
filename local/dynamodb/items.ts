import type {
  DeleteItemCommandInput,
  DeleteItemCommandOutput,
  GetItemCommandInput,
  GetItemCommandOutput,
  PutItemCommandInput,
  PutItemCommandOutput,
  UpdateItemCommandInput,
  UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { consumedCapacity, createUsage, readUnits, useRead, useWrite } from './capacity.ts';
import { conditionalCheckFailed, constraint, required } from './errors.ts';
import { project, type ResolvedChange, readExpressions } from './expressions/index.ts';
import { keyOfRequest } from './keys.ts';
import { refuseLegacy } from './legacy.ts';
import type { Reply, Tables } from './model.ts';
import { findRow, type Table } from './table.ts';
import { acceptItem, copyItem, type Item } from './values.ts';
import { commit, type Plan, planDelete, planPut, planUpdate } from './writes.ts';

/** The actions on one item. */
export function itemOperations(tables: Tables) {
  return {
    GetItem(input: GetItemCommandInput): Reply<GetItemCommandOutput> {
      refuseLegacy(input);
      const table = tables.open(input.TableName);
      const { projection } = readExpressions(input);
      const row = findRow(table, keyOfRequest(table.schema, input.Key).key);
      const usage = createUsage(table);
      useRead(usage, readUnits(row?.size ?? 0, input.ConsistentRead === true));
      const ConsumedCapacity = consumedCapacity(usage, input.ReturnConsumedCapacity);
      return {
        ...(row === undefined
          ? {}
          : { Item: copyItem(projection === undefined ? row.item : project(row.item, projection)) }),
        ...(ConsumedCapacity === undefined ? {} : { ConsumedCapacity }),
      };
    },

    PutItem(input: PutItemCommandInput): Reply<PutItemCommandOutput> {
      refuseLegacy(input);
      const table = tables.open(input.TableName);
      checkReturnValues(input.ReturnValues, ['NONE', 'ALL_OLD']);
      if (input.Item === undefined) throw required('item');
      const expressions = readExpressions(input);
      return finish(planPut(table, acceptItem(input.Item), expressions), input, []);
    },

    DeleteItem(input: DeleteItemCommandInput): Reply<DeleteItemCommandOutput> {
      refuseLegacy(input);
      const table = tables.open(input.TableName);
      checkReturnValues(input.ReturnValues, ['NONE', 'ALL_OLD']);
      const expressions = readExpressions(input);
      return finish(planDelete(table, keyOfRequest(table.schema, input.Key).key, expressions), input, []);
    },

    UpdateItem(input: UpdateItemCommandInput): Reply<UpdateItemCommandOutput> {
      refuseLegacy(input);
      const table = tables.open(input.TableName);
      checkReturnValues(input.ReturnValues, ['NONE', 'ALL_OLD', 'UPDATED_OLD', 'ALL_NEW', 'UPDATED_NEW']);
      const expressions = readExpressions(input);
      const { key, attributes } = keyOfRequest(table.schema, input.Key);
      const changes = expressions.changes ?? [];
      return finish(planUpdate(table, key, attributes, changes, expressions), input, changes);
    },
  };
}

type WriteInput = PutItemCommandInput | UpdateItemCommandInput | DeleteItemCommandInput;

/** Commits a single write, or refuses it, and answers with what the caller asked to see. */
function finish(
  plan: Plan,
  input: WriteInput,
  changes: readonly ResolvedChange[],
): Reply<UpdateItemCommandOutput> {
  const { table, old, next } = plan;
  const usage = createUsage(table);
  useWrite(usage, old, next, 1);
  if (!plan.holds) {
    table.failedConditions++;
    const shown = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && old !== undefined;
    throw conditionalCheckFailed(shown ? copyItem(old.item) : undefined);
  }
  commit(plan);
  const attributes = returned(plan, input, changes);
  const ConsumedCapacity = consumedCapacity(usage, input.ReturnConsumedCapacity);
  return {
    ...(attributes === undefined ? {} : { Attributes: copyItem(attributes) }),
    ...(ConsumedCapacity === undefined ? {} : { ConsumedCapacity }),
    ...collectionMetrics(table, plan, input),
  };
}

function returned(plan: Plan, input: WriteInput, changes: readonly ResolvedChange[]): Item | undefined {
  const side = input.ReturnValues?.endsWith('_OLD') ? plan.old : plan.next;
  switch (input.ReturnValues) {
    case 'ALL_OLD':
    case 'ALL_NEW':
      return side?.item;
    case 'UPDATED_OLD':
    case 'UPDATED_NEW': {
      if (side === undefined) return undefined;
      const updated = project(
        side.item,
        changes.map(({ path }) => path),
      );
      return Object.keys(updated).length === 0 ? undefined : updated;
    }
    default:
      return undefined;
  }
}

/** The size of an item collection is told where there are local indexes, which bound it. */
function collectionMetrics(table: Table, { key, next, old }: Plan, input: WriteInput) {
  const item = next?.item ?? old?.item;
  if (input.ReturnItemCollectionMetrics !== 'SIZE' || item === undefined) return {};
  if (![...table.indexes.values()].some((index) => index.kind === 'local')) return {};
  const name = table.schema.hash.name;
  const bytes = table.rows.partition(key.hash).reduce((sum, row) => sum + row.size, 0);
  const gigabytes = bytes / 2 ** 30;
  return {
    ItemCollectionMetrics: {
      ItemCollectionKey: { [name]: item[name]! },
      SizeEstimateRangeGB: [Math.floor(gigabytes), Math.floor(gigabytes) + 1],
    },
  };
}

function checkReturnValues(value: string | undefined, allowed: readonly string[]): void {
  if (value === undefined || allowed.includes(value)) return;
  throw constraint(value, 'returnValues', `satisfy enum value set: [${allowed.join(', ')}]`);
}
