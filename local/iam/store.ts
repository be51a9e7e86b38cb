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
  /** ARN of the policy that bounds what the others allow. */
  readonly permissionsBoundary?: string | undefined;
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
  /** The ARN of the policy that bounds what the others allow. */
  permissionsBoundary?: string | undefined;
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

/** The roles and managed policies of the account. */
export interface IamStore {
  /** Another number after each change of a role or a policy: what was decided before it holds no longer. */
  version(): number;
  /** Whether there is or was a role of this ARN. */
  knew(roleArn: string): boolean;
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
  const arns = new Set<string>();
  let version = 0;
  const changed = () => {
    version++;
  };
  /** The role itself, whose policies say from now on when they change. */
  const watched = (role: Role): Role => {
    if (role.policies instanceof WatchedMap && role.managedPolicyArns instanceof WatchedSet) return role;
    return Object.assign(role, {
      policies: new WatchedMap(role.policies, changed),
      managedPolicyArns: new WatchedSet(role.managedPolicyArns, changed),
    });
  };
  return {
    version: () => version,
    knew: (roleArn) => arns.has(roleArn),
    roles: () =>
      [...roles.values()].map((role) => ({ ...role, managedPolicyArns: [...role.managedPolicyArns] })),
    role: (name) => roles.get(name),
    addRole: (role) => {
      roles.set(role.name, watched(role));
      arns.add(role.arn);
      changed();
    },
    removeRole: (name) => {
      roles.delete(name);
      changed();
    },
    managedPolicies: () => [...managed.values()],
    managedPolicy: (arn) => managed.get(arn),
    addManagedPolicy: (policy) => {
      managed.set(policy.arn, policy);
      changed();
    },
    removeManagedPolicy: (arn) => {
      managed.delete(arn);
      changed();
    },
  };
}

class WatchedMap<Key, Value> extends Map<Key, Value> {
  readonly #changed: () => void;
  constructor(entries: Iterable<readonly [Key, Value]>, changed: () => void) {
    super();
    for (const [key, value] of entries) super.set(key, value);
    this.#changed = changed;
  }
  override set(key: Key, value: Value): this {
    this.#changed();
    return super.set(key, value);
  }
  override delete(key: Key): boolean {
    this.#changed();
    return super.delete(key);
  }
  override clear(): void {
    this.#changed();
    super.clear();
  }
}

class WatchedSet<Member> extends Set<Member> {
  readonly #changed: () => void;
  constructor(members: Iterable<Member>, changed: () => void) {
    super();
    for (const member of members) super.add(member);
    this.#changed = changed;
  }
  override add(member: Member): this {
    this.#changed();
    return super.add(member);
  }
  override delete(member: Member): boolean {
    this.#changed();
    return super.delete(member);
  }
  override clear(): void {
    this.#changed();
    super.clear();
  }
}
