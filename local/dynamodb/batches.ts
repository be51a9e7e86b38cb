import type {
  BatchGetItemCommandInput,
  BatchGetItemCommandOutput,
  BatchWriteItemCommandInput,
  BatchWriteItemCommandOutput,
  KeysAndAttributes,
} from '@aws-sdk/client-dynamodb';
import { readUnits, type Usage, useRead, useWrite } from './capacity.ts';
import { constraint, required, validation } from './errors.ts';
import { project, readExpressions } from './expressions/index.ts';
import { keyIdentity, keyOfRequest } from './keys.ts';
import { refuseLegacy } from './legacy.ts';
import type { Reply, Tables } from './model.ts';
import { findRow, type Table } from './table.ts';
import { capacities, usageOf } from './transactions.ts';
import { acceptItem, copyItem, type Item } from './values.ts';
import { commit, type Plan, planDelete, planPut } from './writes.ts';

/** Keys and bytes of one BatchGetItem, writes of one BatchWriteItem (DynamoDB API reference). */
const maximumKeys = 100;
const maximumBytes = 16 * 1_024 * 1_024;
const maximumWrites = 25;

const unconditional = { bindings: { names: {}, values: {} }, condition: undefined };
const duplicates = () => validation('Provided list of item keys contains duplicates');

/** Several items in one request, each for itself. */
export function batchOperations(tables: Tables) {
  return {
    BatchGetItem(input: BatchGetItemCommandInput): Reply<BatchGetItemCommandOutput> {
      const requests = requestsOf(input.RequestItems);
      const count = requests.reduce((sum, [, request]) => sum + (request.Keys?.length ?? 0), 0);
      if (count > maximumKeys) throw validation('Too many items requested for the BatchGetItem call');
      const usages = new Map<Table, Usage>();
      const Responses: Record<string, Item[]> = {};
      const UnprocessedKeys: Record<string, KeysAndAttributes> = {};
      let bytes = 0;
      for (const [name, request] of requests) {
        refuseLegacy(request);
        const table = tables.open(name);
        const { projection } = readExpressions(request);
        if (request.Keys === undefined || request.Keys.length === 0)
          throw constraint(
            '[]',
            `requestItems.${name}.member.keys`,
            'have length greater than or equal to 1',
          );
        const seen = new Set<string>();
        const found: Item[] = [];
        Responses[name] = found;
        for (const given of request.Keys) {
          const { key } = keyOfRequest(table.schema, given);
          if (seen.has(keyIdentity(key))) throw duplicates();
          seen.add(keyIdentity(key));
          const row = findRow(table, key);
          bytes += row?.size ?? 0;
          if (bytes > maximumBytes) {
            // What does not fit into the answer is asked for again.
            UnprocessedKeys[name] ??= { ...request, Keys: [] };
            UnprocessedKeys[name].Keys!.push(given);
            continue;
          }
          useRead(usageOf(usages, table), readUnits(row?.size ?? 0, request.ConsistentRead === true));
          if (row !== undefined)
            found.push(copyItem(projection === undefined ? row.item : project(row.item, projection)));
        }
      }
      return { Responses, UnprocessedKeys, ...capacities(usages, input.ReturnConsumedCapacity) };
    },

    BatchWriteItem(input: BatchWriteItemCommandInput): Reply<BatchWriteItemCommandOutput> {
      const requests = requestsOf(input.RequestItems);
      const count = requests.reduce((sum, [, writes]) => sum + writes.length, 0);
      if (count > maximumWrites) throw validation('Too many items requested for the BatchWriteItem call');
      const plans: Plan[] = [];
      const seen = new Set<string>();
      for (const [name, writes] of requests) {
        const table = tables.open(name);
        if (writes.length === 0)
          throw constraint('[]', `requestItems.${name}.member`, 'have length greater than or equal to 1');
        for (const { PutRequest: put, DeleteRequest: remove } of writes) {
          if ((put === undefined) === (remove === undefined))
            throw validation(
              'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
            );
          if (put !== undefined && put.Item === undefined) throw required('putRequest.item');
          const plan =
            put !== undefined
              ? planPut(table, acceptItem(put.Item!), unconditional)
              : planDelete(table, keyOfRequest(table.schema, remove!.Key).key, unconditional);
          const identity = `${table.name}/${keyIdentity(plan.key)}`;
          if (seen.has(identity)) throw duplicates();
          seen.add(identity);
          plans.push(plan);
        }
      }
      const usages = new Map<Table, Usage>();
      for (const plan of plans) {
        useWrite(usageOf(usages, plan.table), plan.old, plan.next, 1);
        commit(plan);
      }
      return { UnprocessedItems: {}, ...capacities(usages, input.ReturnConsumedCapacity) };
    },
  };
}

function requestsOf<Request>(items: Record<string, Request> | undefined): [string, Request][] {
  if (items === undefined) throw required('requestItems');
  const requests = Object.entries(items);
  if (requests.length === 0) throw constraint('{}', 'requestItems', 'have length greater than or equal to 1');
  return requests;
}
