/** A role with everything that its policies say. */
export interface RoleView {
  readonly name: string;
  readonly arn: string;
  readonly assumeRolePolicy: unknown;
  /** Inline policies and the stack's own managed ones: documents by name. */
  readonly policies: ReadonlyMap<string, unknown>;
  /** ARNs of the managed policies that are attached. */
  readonly managedPolicyArns: readonly string[];
}

interface Role {
  readonly name: string;
  readonly arn: string;
  readonly assumeRolePolicy: unknown;
  readonly policies: Map<string, unknown>;
  readonly managedPolicyArns: Set<string>;
}

/** The roles and managed policies that stacks made. They are kept for those who want to judge by them. */
export interface IamStore {
  roles(): readonly RoleView[];
  role(name: string): Role | undefined;
  addRole(role: Role): void;
  removeRole(name: string): void;
}

/** An empty {@link IamStore}. */
export function createIamStore(): IamStore {
  const roles = new Map<string, Role>();
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
  };
}
