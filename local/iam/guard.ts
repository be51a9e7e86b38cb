import type { Call, ServiceError, ServiceId } from '../service.ts';
import { ServiceError as RefusedByService } from '../service.ts';
import { type Demand, type Place, rows, statementDemand } from './actions/index.ts';
import type { Authority } from './authority.ts';
import type { Policy } from './language/index.ts';

/** The policies of resources that have one, as their services keep them. */
export type PolicyOf = (service: ServiceId, resource: string) => Policy | undefined;

/** Carries out an action with an input. */
export type Run = (input: object) => object | Promise<object>;

/**
 * Judges a call of a role before its service sees it.
 *
 * @returns nothing when all of it is allowed; how to carry out what is allowed, where the service answers part by part
 * @throws {ServiceError} when it is not allowed
 */
export type Guard = (
  service: ServiceId,
  action: string,
  input: object,
  call: Call,
) => ((run: Run) => object | Promise<object>) | undefined;

/**
 * Makes the guard of the actions of a region's services.
 *
 * @example
 * ```ts
 * const guard = createGuard(authority, { account, region }, (service, arn) => (service === 'sqs' ? sqs.policy(arn) : undefined));
 * guard('sqs', 'SendMessage', { QueueUrl, MessageBody: '' }, { principal: { role } });
 * ```
 */
export function createGuard(authority: Authority, place: Place, policyOf: PolicyOf): Guard {
  const demand = (service: ServiceId, call: Call, { action, resource, conditions }: Demand) =>
    authority.demand(call, { action, resource, conditions, resourcePolicy: policyOf(service, resource) });

  /** A batch of statements answers for each of them by itself (DynamoDB API reference, BatchStatementError). */
  const byStatement = (call: Call, batch: Batch) => {
    const { Statements: statements = [] } = batch;
    let last: { readonly text: unknown; readonly refusal: Refusal } | undefined;
    let refusals: Refusal[] | undefined;
    for (const [index, statement] of statements.entries()) {
      // Most batches hold one statement many times, with other parameters.
      if (last === undefined || statement.Statement !== last.text) {
        const needed = statementDemand(statement, place);
        const refusal = needed && refusalOf(() => demand('dynamodb', call, needed));
        last = { text: statement.Statement, refusal };
      }
      if (last.refusal === undefined) continue;
      refusals ??= [];
      refusals[index] = last.refusal;
    }
    const found = refusals;
    return found === undefined ? undefined : (run: Run) => answerInPart(batch, found, run);
  };

  return (service, action, input, call) => {
    const ofService = rows[service];
    const row = ofService !== undefined && Object.hasOwn(ofService, action) ? ofService[action] : undefined;
    // What the table does not know cannot be allowed by anybody.
    if (row === undefined) return demandUnknown(authority, call, service, action);
    if (typeof row === 'string') return undefined;
    if (action === 'BatchExecuteStatement') return byStatement(call, input as Batch);
    const needed = row(input as Readonly<Record<string, unknown>>, place);
    if ('action' in needed) demand(service, call, needed);
    else for (const each of needed) demand(service, call, each);
    return undefined;
  };
}

interface Batch {
  readonly Statements?: readonly { readonly Statement?: unknown }[];
}

type Refusal = ServiceError | undefined;

function refusalOf(judge: () => void): Refusal {
  try {
    judge();
    return undefined;
  } catch (error) {
    if (error instanceof RefusedByService) return error;
    throw error;
  }
}

async function answerInPart(batch: Batch, refusals: readonly Refusal[], run: Run): Promise<object> {
  const Statements = batch.Statements?.filter((_, index) => refusals[index] === undefined) ?? [];
  const output = (Statements.length === 0 ? {} : await run({ ...batch, Statements })) as {
    readonly Responses?: readonly object[];
  };
  const answered = [...(output.Responses ?? [])];
  const Responses = batch.Statements?.map((_, index) => refusals[index]).map((refusal) =>
    refusal === undefined
      ? (answered.shift() ?? {})
      : { Error: { Code: 'AccessDenied', Message: refusal.message } },
  );
  return { ...output, Responses };
}

function demandUnknown(authority: Authority, call: Call, service: ServiceId, action: string): undefined {
  authority.demand(call, { action: `${service}:${action}`, resource: '*' });
}
