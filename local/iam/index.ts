import type { ModelContext, Service } from '../service.ts';
import { policyActions } from './policies.ts';
import { roleActions } from './roles.ts';
import { createIamStore, type IamStore } from './store.ts';

export { temporaryCredentials } from './rules.ts';
export { createIamStore, type IamStore, type ManagedPolicy, type Role, type RoleView } from './store.ts';

/** IAM: roles and policies are kept and shown; no call of the model is judged by them. */
export interface IamModel extends Service {
  readonly id: 'iam';
  /** What stacks and the actions write to and read from. */
  readonly store: IamStore;
}

/**
 * IAM, as far as stacks and the tools that deploy them ask for it: roles with their inline and attached policies,
 * and policies with an ARN. Users, groups, instance profiles and versions of policies are not modelled.
 *
 * @example
 * ```ts
 * const iam = createIam(context);
 * iam.operations.GetRole({ RoleName: 'orders-payments' }, {});
 * ```
 */
export function createIam(
  context: Pick<ModelContext, 'account' | 'clock' | 'random'>,
  store: IamStore = createIamStore(),
): IamModel {
  return {
    id: 'iam',
    store,
    operations: { ...roleActions(context, store), ...policyActions(context, store) },
  };
}
