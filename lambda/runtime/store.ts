import {
  type AttributeValue,
  BatchExecuteStatementCommand,
  type BatchExecuteStatementCommandOutput,
  BatchGetItemCommand,
  type BatchGetItemCommandInput,
  type BatchGetItemCommandOutput,
  type BatchStatementRequest,
  type BatchStatementResponse,
} from '@aws-sdk/client-dynamodb';
import { type Clock, type Random, sleep } from '../../lib/base/index.ts';
import { recordsTable } from '../../lib/topology/index.ts';
import { callPause } from './backoff.ts';
import type { AwsClient } from './client.ts';
import { asError, TableUnavailable } from './errors.ts';
import { mapBounded, partsOf } from './parallel.ts';
import { type RecordView, readRecord } from './record.ts';
import { isRefusal } from './rights.ts';

/** How one statement ended. */
export type Written =
  | { readonly kind: 'done' }
  /** The condition did not hold; `found` is the record as it is, where the service tells. */
  | { readonly kind: 'refused'; readonly found: RecordView | undefined; readonly duplicate: boolean }
  /** Not known to be done: throttled, failed, or no reply, after all tries. */
  | { readonly kind: 'unavailable'; readonly error: Error };

/** The table of records. */
export interface RecordStore {
  /** Sends statements on different keys; results in their order. Never rejects. */
  write(statements: readonly BatchStatementRequest[], signal?: AbortSignal): Promise<Written[]>;
  /**
   * Reads records, consistently.
   *
   * @throws {TableUnavailable}
   */
  read(keys: readonly string[]): Promise<Map<string, RecordView>>;
  /**
   * Reads items of any kind, consistently. Keys are unique.
   *
   * @throws {TableUnavailable}
   */
  items(keys: readonly string[]): Promise<Map<string, Item>>;
}

type Item = Record<string, AttributeValue>;

/** DynamoDB API reference: 25 statements a BatchExecuteStatement, 100 keys a BatchGetItem. */
const statementsPerCall = 25;
const keysPerCall = 100;
/** Tries of one statement, those of the SDK inside a call apart. */
const mostTries = 4;
const callsAtOnce = 4;

/** Codes of single statements (API reference, BatchStatementError) after which the same statement may succeed. */
const passing = new Set([
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
  'ThrottlingError',
  'InternalServerError',
  'TransactionConflict',
]);

/** Names of whole calls' errors after which the same call may succeed. */
const passingCalls =
  /Throttl|ThroughputExceeded|RequestLimitExceeded|InternalServerError|ServiceUnavailable|TransactionInProgress/;

/** Whether the same call may succeed later: throttled, the service's fault, or no answer at all. */
export function mayPass(error: Error): boolean {
  if (wasNeverSent(error)) return false;
  const fault = (error as { $fault?: unknown }).$fault;
  return passingCalls.test(error.name) || fault !== 'client';
}

/**
 * The client could not make a request of its input, a circle or a bigint in an item perhaps. What comes back from
 * the SDK's tries, a broken connection too, has `$metadata`.
 */
const wasNeverSent = (error: Error): boolean =>
  (error instanceof TypeError || error instanceof RangeError) &&
  !('$metadata' in error) &&
  !('code' in error);

export function createRecordStore(context: {
  readonly client: AwsClient;
  readonly table: string;
  readonly clock: Clock;
  readonly random: Random;
}): RecordStore {
  const { client, table, clock, random } = context;

  async function writePart(statements: readonly BatchStatementRequest[], signal?: AbortSignal) {
    const results = new Array<Written>(statements.length);
    let open = statements.map((_, index) => index);
    for (let tries = 0; ; tries++) {
      const last = tries + 1 >= mostTries;
      const again: number[] = [];
      try {
        const output = (await client.send(
          new BatchExecuteStatementCommand({
            Statements: open.map((index) => statements[index] as BatchStatementRequest),
          }),
        )) as BatchExecuteStatementCommandOutput;
        for (const [position, index] of open.entries()) {
          const result = readResult(output.Responses?.[position]);
          results[index] = result.written;
          if (result.passing) again.push(index);
        }
      } catch (thrown) {
        const error = asError(thrown);
        for (const index of open) results[index] = { kind: 'unavailable', error };
        if (mayPass(error)) again.push(...open);
      }
      if (again.length === 0 || last || signal?.aborted) return results;
      open = again;
      await sleep(clock, callPause(tries, random), signal);
    }
  }

  async function readPart(keys: readonly string[], items: Map<string, Item>) {
    let request: BatchGetItemCommandInput['RequestItems'] = {
      [table]: {
        Keys: keys.map((key) => ({ [recordsTable.partitionKey]: { S: key } })),
        ConsistentRead: true,
      },
    };
    for (let tries = 0; ; tries++) {
      let problem: Error | undefined;
      try {
        const output = (await client.send(
          new BatchGetItemCommand({ RequestItems: request }),
        )) as BatchGetItemCommandOutput;
        for (const item of output.Responses?.[table] ?? []) {
          const key = item[recordsTable.partitionKey]?.S;
          if (key !== undefined) items.set(key, item);
        }
        if (output.UnprocessedKeys === undefined || Object.keys(output.UnprocessedKeys).length === 0) return;
        request = output.UnprocessedKeys;
      } catch (thrown) {
        problem = asError(thrown);
      }
      if (tries + 1 >= mostTries || (problem !== undefined && !mayPass(problem)))
        throw new TableUnavailable(
          isRefusal(problem?.name)
            ? `The table of records "${table}" refused a read: ${problem?.message}`
            : `The table of records "${table}" did not answer a read after ${tries + 1} tries. ` +
                'Nothing is run without it: the messages stay in the queue.',
          { cause: problem },
        );
      await sleep(clock, callPause(tries, random));
    }
  }

  async function items(keys: readonly string[]) {
    const found = new Map<string, Item>();
    await mapBounded(partsOf(keys, keysPerCall), callsAtOnce, (part) => readPart(part, found));
    return found;
  }

  return {
    async write(statements, signal) {
      if (statements.length <= statementsPerCall) return writePart(statements, signal);
      const parts = partsOf(statements, statementsPerCall);
      return (await mapBounded(parts, callsAtOnce, (part) => writePart(part, signal))).flat();
    },
    async read(keys) {
      const records = new Map<string, RecordView>();
      for (const [key, item] of await items(keys)) {
        const record = readRecord(item);
        if (record !== undefined) records.set(key, record);
      }
      return records;
    },
    items,
  };
}

function readResult(response: BatchStatementResponse | undefined): { written: Written; passing: boolean } {
  const error = response?.Error;
  if (response === undefined)
    return {
      written: {
        kind: 'unavailable',
        error: new TableUnavailable('DynamoDB gave no result for a statement.'),
      },
      passing: false,
    };
  if (error === undefined) return { written: { kind: 'done' }, passing: false };
  const duplicate = error.Code === 'DuplicateItem';
  if (duplicate || error.Code === 'ConditionalCheckFailed')
    return {
      written: { kind: 'refused', found: readRecord(error.Item ?? response.Item), duplicate },
      passing: false,
    };
  return {
    written: {
      kind: 'unavailable',
      // What refuses for want of a right says which; other messages may quote what was written.
      error: new TableUnavailable(
        `DynamoDB refused a statement on the record: ${error.Code}${isRefusal(error.Code) ? `: ${error.Message}` : '.'}`,
      ),
    },
    passing: passing.has(error.Code ?? ''),
  };
}
