import type {
  BatchExecuteStatementCommandInput,
  BatchExecuteStatementCommandOutput,
  BatchStatementErrorCodeEnum,
  BatchStatementResponse,
  ExecuteStatementCommandInput,
  ExecuteStatementCommandOutput,
  ExecuteTransactionCommandInput,
  ExecuteTransactionCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { ServiceError } from '../../service.ts';
import { consumedCapacity, createUsage, readUnits, type Usage, useRead, useWrite } from '../capacity.ts';
import { conditionalCheckFailed, constraint, validation } from '../errors.ts';
import { keyIdentity } from '../keys.ts';
import type { Reply, Tables } from '../model.ts';
import type { Table } from '../table.ts';
import type { Tokens } from '../tokens.ts';
import { capacities, checkActions, usageOf, writeTogether } from '../transactions.ts';
import { copyItem, type Item } from '../values.ts';
import { commit } from '../writes.ts';
import { type Prepared, planStatement, prepare, type Refusal, refusal, returnedBy } from './plan.ts';
import { select } from './select.ts';

export { parseStatement } from './parse.ts';

/** Statements in one batch (DynamoDB API reference, BatchExecuteStatement). */
const maximumBatch = 25;

/** The actions that take PartiQL. */
export function statementOperations(tables: Tables, tokens: Tokens) {
  return {
    ExecuteStatement(input: ExecuteStatementCommandInput): Reply<ExecuteStatementCommandOutput> {
      const prepared = prepare(tables, input);
      const usage = createUsage(prepared.table);
      if (prepared.statement.kind === 'select') {
        const part = select(prepared, positionOf(input.NextToken), input.Limit);
        useRead(usage, readUnits(part.bytes, input.ConsistentRead === true));
        return {
          Items: part.items.map(copyItem),
          ...(part.next === undefined ? {} : { NextToken: String(part.next) }),
          ...capacityOf(usage, input.ReturnConsumedCapacity),
        };
      }
      const { refused, item } = write(prepared, usage);
      if (refused !== undefined) throw statementError(refused);
      return {
        Items: item === undefined ? [] : [copyItem(item)],
        ...capacityOf(usage, input.ReturnConsumedCapacity),
      };
    },

    BatchExecuteStatement(
      input: BatchExecuteStatementCommandInput,
    ): Reply<BatchExecuteStatementCommandOutput> {
      const statements = input.Statements ?? [];
      if (statements.length < 1 || statements.length > maximumBatch)
        throw constraint(
          `[${statements.length} statements]`,
          'statements',
          statements.length < 1
            ? 'have length greater than or equal to 1'
            : `have length less than or equal to ${maximumBatch}`,
        );
      const prepared = statements.map((statement) => attempt(() => prepare(tables, statement)));
      checkTogether(prepared);
      const usages = new Map<Table, Usage>();
      const Responses = prepared.map((one, index) =>
        one instanceof ServiceError
          ? { Error: batchError(one) }
          : execute(one, usages, statements[index]?.ConsistentRead === true),
      );
      return { Responses, ...capacities(usages, input.ReturnConsumedCapacity) };
    },

    ExecuteTransaction(input: ExecuteTransactionCommandInput): Reply<ExecuteTransactionCommandOutput> {
      const statements = checkActions(input.TransactStatements, 'transactStatements');
      const prepared = statements.map((statement) => prepare(tables, statement));
      checkKinds(prepared);
      if (prepared[0]?.statement.kind === 'select') return readTogether(prepared, input);
      const run = () =>
        writeTogether(
          prepared.map((one) => ({
            table: one.table,
            plan: () => planStatement(one),
            showsItem: one.showsItem,
            duplicates: one.statement.kind === 'insert',
          })),
          input.ReturnConsumedCapacity,
        );
      const reply =
        input.ClientRequestToken === undefined
          ? run().reply
          : tokens.once(
              input.ClientRequestToken,
              input.TransactStatements,
              input.ReturnConsumedCapacity,
              run,
            );
      return { Responses: [], ...reply };
    },
  };
}

function capacityOf(usage: Usage, asked: ExecuteStatementCommandInput['ReturnConsumedCapacity']) {
  const ConsumedCapacity = consumedCapacity(usage, asked);
  return ConsumedCapacity === undefined ? {} : { ConsumedCapacity };
}

function positionOf(token: string | undefined): number {
  if (token === undefined) return 0;
  if (!/^\d{1,15}$/.test(token)) throw validation('NextToken does not belong to this statement');
  return Number(token);
}

/** Writes what one statement says: what its RETURNING asks for, or why it was refused. */
function write(prepared: Prepared, usage: Usage): { refused?: Refusal; item?: Item | undefined } {
  const plan = planStatement(prepared);
  useWrite(usage, plan.old, plan.next, 1);
  // Duplicates are everyday: they are answers here and not errors, whose stacks cost more than the write.
  if (!plan.holds) return { refused: refusal(prepared, plan.old) };
  const item = returnedBy(prepared.statement, plan);
  commit(plan);
  return { item };
}

function attempt<Result>(run: () => Result): Result | ServiceError {
  try {
    return run();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** What makes a whole batch fail: two statements on one item, or reads beside writes. */
function checkTogether(batch: readonly (Prepared | ServiceError)[]): void {
  const seen = new Set<string>();
  checkKinds(batch);
  for (const one of batch) {
    if (one instanceof ServiceError) continue;
    if (one.target === undefined) continue;
    const identity = `${one.table.name}/${keyIdentity(one.target.key)}`;
    if (seen.has(identity)) throw validation('Provided list of item keys contains duplicates');
    seen.add(identity);
  }
}

function checkKinds(batch: readonly (Prepared | ServiceError)[]): void {
  const kinds = new Set<boolean>();
  for (const one of batch) if (!(one instanceof ServiceError)) kinds.add(one.statement.kind === 'select');
  if (kinds.size > 1)
    throw validation('Read and write requests together in the same batch is not supported.');
}

function execute(prepared: Prepared, usages: Map<Table, Usage>, consistent: boolean): BatchStatementResponse {
  const TableName = prepared.table.name;
  const usage = usageOf(usages, prepared.table);
  const outcome = attempt(() => {
    if (prepared.statement.kind !== 'select') return write(prepared, usage);
    if (prepared.target === undefined)
      throw validation(
        'Select statements within BatchExecuteStatement must specify the primary key in the where clause.',
      );
    const part = select(prepared, 0, undefined);
    useRead(usage, readUnits(part.bytes, consistent));
    return { item: part.items[0] };
  });
  if (outcome instanceof ServiceError) return { TableName, Error: batchError(outcome) };
  if (outcome.refused !== undefined) return { TableName, Error: refusalError(outcome.refused) };
  return outcome.item === undefined ? { TableName } : { TableName, Item: copyItem(outcome.item) };
}

const refusalError = ({ code, message, item }: Refusal): NonNullable<BatchStatementResponse['Error']> => ({
  Code: code,
  Message: message,
  ...(item === undefined ? {} : { Item: item }),
});

const statementError = ({ code, message, item }: Refusal): ServiceError =>
  code === 'DuplicateItem'
    ? new ServiceError('DuplicateItemException', message)
    : conditionalCheckFailed(item);

const batchCodes: Readonly<Record<string, BatchStatementErrorCodeEnum>> = {
  ResourceNotFoundException: 'ResourceNotFound',
  ValidationException: 'ValidationError',
};

const batchError = (error: ServiceError): NonNullable<BatchStatementResponse['Error']> => ({
  Code: batchCodes[error.name] ?? 'InternalServerError',
  Message: error.message,
});

function readTogether(
  prepared: readonly Prepared[],
  input: ExecuteTransactionCommandInput,
): Reply<ExecuteTransactionCommandOutput> {
  const usages = new Map<Table, Usage>();
  const Responses = prepared.map((one) => {
    if (one.target === undefined)
      throw validation(
        'Select statements within a transaction must specify the primary key in the where clause.',
      );
    const part = select(one, 0, undefined);
    useRead(usageOf(usages, one.table), readUnits(part.bytes, true) * 2);
    return part.items[0] === undefined ? {} : { Item: copyItem(part.items[0]) };
  });
  return { Responses, ...capacities(usages, input.ReturnConsumedCapacity) };
}
