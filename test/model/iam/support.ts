import { milliseconds } from '../../../lib/base/index.ts';
import { createAuthority, createIamStore, type IamStore, parsePolicy } from '../../../local/iam/index.ts';
import type { Policy } from '../../../local/policy.ts';

export const account = '123456789012';
export const region = 'us-east-1';
export const roleArn = (name: string, owner = account) => `arn:aws:iam::${owner}:role/${name}`;
export const queue = `arn:aws:sqs:${region}:${account}:orders`;

export const document = (...statements: readonly object[]) => ({
  Version: '2012-10-17',
  Statement: statements,
});
export const allow = (Action: unknown, Resource: unknown = '*', more: object = {}) => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...more,
});
export const deny = (Action: unknown, Resource: unknown = '*', more: object = {}) => ({
  ...allow(Action, Resource, more),
  Effect: 'Deny',
});
export const resourcePolicy = (...statements: readonly object[]): Policy =>
  parsePolicy(JSON.stringify(document(...statements)));

/** A judge, and the account's roles and policies. */
export function world(at = Date.parse('2026-01-01T00:00:00Z')) {
  const store: IamStore = createIamStore();
  const authority = createAuthority({ account, region, clock: { now: () => milliseconds(at) } }, store);
  const addRole = (name: string, ...statements: readonly object[]) => {
    store.addRole({
      name,
      arn: roleArn(name),
      id: `AROA${name.toUpperCase()}`,
      assumeRolePolicy: {},
      policies: new Map(statements.length === 0 ? [] : [['own', document(...statements)]]),
      managedPolicyArns: new Set<string>(),
    });
    return store.role(name) as NonNullable<ReturnType<IamStore['role']>>;
  };
  return { store, authority, addRole };
}
