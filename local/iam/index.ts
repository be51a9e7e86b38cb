import type { ModelContext, Service } from '../service.ts';
import { policyActions } from './policies.ts';
import { roleActions } from './roles.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createIamStore, type IamStore } from './store.ts';

export { rows as actionRows } from './actions/index.ts';
export {
  type Authority,
  type AuthorityRequest,
  type AuthorityVerdict,
  createAuthority,
} from './authority.ts';
export { awsManagedDocument, byAws, isUnknownOfAws } from './aws-managed.ts';
export { callerOf } from './denial.ts';
export { createExecutionRoles } from './execution-roles.ts';
export { createGuard, type Guard, type PolicyOf } from './guard.ts';
export { type Policy, PolicyError, parsePolicy, readStatements, unsupportedIn } from './language/index.ts';
export { checkDocument, temporaryCredentials } from './rules.ts';
export { createSessions, type SessionKeys, type Sessions } from './sessions.ts';
export { createIamStore, type IamStore, type ManagedPolicy, type Role, type RoleView } from './store.ts';

export { trustOf } from './trust.ts';

/** IAM: roles and policies, by which calls of roles are judged; see {@link createAuthority}. */
export interface IamModel extends Service {
  readonly id: 'iam';
  /** What stacks and the actions write to and read from. */
  readonly store: IamStore;
  /** Whose calls are signed with which key. */
  readonly sessions: Sessions;
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
    sessions: createSessions(),
    operations: { ...roleActions(context, store), ...policyActions(context, store) },
  };
}
