import { type Policy, readStatements } from './language/index.ts';
import type { Role } from './store.ts';

const read = new WeakMap<object, Policy>();

/** Whom a role lets be it: the policy of the role as a resource, read once for each document. */
export function trustOf({ assumeRolePolicy }: Pick<Role, 'assumeRolePolicy'>): Policy {
  if (typeof assumeRolePolicy !== 'object' || assumeRolePolicy === null) return { statements: [] };
  let policy = read.get(assumeRolePolicy);
  if (policy === undefined) {
    policy = { statements: readStatements(assumeRolePolicy, 'trust') };
    read.set(assumeRolePolicy, policy);
  }
  return policy;
}
