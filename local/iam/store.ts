import type { Milliseconds } from '../../lib/base/index.ts';

/** A role with everything that its policies say. */
export interface RoleView {
  readonly name: string;
  readonly arn: string;
  readonly assumeRolePolicy: unknown;
  /** Inline policies: documents by name. */
  readonly policies: ReadonlyMap<string, unknown>;
  /** ARNs of the managed policies that are attached. */
  readonly managedPolicyArns: readonly string[];
}

/** A role as the store keeps it. */
export interface Role {
  readonly name: string;
  readonly arn: string;
  assumeRolePolicy: unknown;
  readonly policies: Map<string, unknown>;
  readonly managedPolicyArns: Set<string>;
  /** `AROA...`; a role that a stack made may have none of its own. */
  readonly id?: string;
  readonly createdAt?: Milliseconds;
  description?: string | undefined;
  /** Seconds. */
  maxSessionDuration?: number | undefined;
  readonly tags?: Map<string, string>;
}

/** A policy with an ARN of its own, as the store keeps it: with the one version that it has. */
export interface ManagedPolicy {
  readonly name: string;
  readonly arn: string;
  readonly document: unknown;
  readonly id?: string;
  readonly createdAt?: Milliseconds;
  readonly description?: string | undefined;
}

/** The roles and managed policies of the account. They are kept for those who want to judge by them. */
export interface IamStore {
  roles(): readonly RoleView[];
  role(name: string): Role | undefined;
  addRole(role: Role): void;
  removeRole(name: string): void;
  managedPolicies(): readonly ManagedPolicy[];
  managedPolicy(arn: string): ManagedPolicy | undefined;
  /** Keeps a policy, or another document under the same ARN. */
  addManagedPolicy(policy: ManagedPolicy): void;
  removeManagedPolicy(arn: string): void;
}

/**
 * An empty {@link IamStore}.
 *
 * @example
 * ```ts
 * const store = createIamStore();
 * store.addRole({ name, arn, assumeRolePolicy, policies: new Map(), managedPolicyArns: new Set() });
 * ```
 */
export function createIamStore(): IamStore {
  const roles = new Map<string, Role>();
  const managed = new Map<string, ManagedPolicy>();
  return {
    roles: () =>
      [...roles.values()].map((role) => ({ ...role, managedPolicyArns: [...role.managedPolicyArns] })),
    role: (name) => roles.get(name),
    addRole: (role) => {
      roles.set(role.name, role);
    },
    removeRole: (name) => {
      roles.delete(name);
    },
    managedPolicies: () => [...managed.values()],
    managedPolicy: (arn) => managed.get(arn),
    addManagedPolicy: (policy) => {
      managed.set(policy.arn, policy);
    },
    removeManagedPolicy: (arn) => {
      managed.delete(arn);
    },
  };
}
