import type { GetCallerIdentityCommandInput, GetCallerIdentityCommandOutput } from '@aws-sdk/client-sts';
import type { ModelContext, Operation, Service } from '../service.ts';

/** Of STS the model knows GetCallerIdentity: tools ask it first. */
export interface StsModel extends Service {
  readonly id: 'sts';
}

/**
 * STS: whoever calls is the account's administrator, or the role that the call names.
 *
 * @example
 * ```ts
 * createSts(context).operations.GetCallerIdentity({}, {}); // { Account: '000000000000', ... }
 * ```
 */
export function createSts(context: Pick<ModelContext, 'account'>): StsModel {
  const GetCallerIdentity: Operation<
    GetCallerIdentityCommandInput,
    Omit<GetCallerIdentityCommandOutput, '$metadata'>
  > = (_input, call) => ({
    Account: context.account,
    Arn: call.principal?.role ?? `arn:aws:iam::${context.account}:root`,
    UserId: context.account,
  });
  return { id: 'sts', operations: { GetCallerIdentity } };
}
