import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { account, document, queue, region, resourcePolicy, roleArn, world } from './support.ts';

/**
 * The rules of AWS once more, as a table of what a statement is about: no patterns, no memory, nothing in common with
 * what is tested (IAM user guide, "Policy evaluation logic").
 */
interface Plain {
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /** Actions that are not named, and resources. */
  readonly negatesAction: boolean;
  readonly negatesResource: boolean;
  /** Whether its condition holds; none: it always does. */
  readonly holds: boolean | undefined;
  /** Of a resource's policy. */
  readonly names: 'role' | 'other' | 'everybody' | 'account';
}

const actions = ['sqs:SendMessage', 'sqs:ReceiveMessage', 'sns:Publish'];
const resources = [queue, `${queue}-2`, `arn:aws:sns:${region}:${account}:orders`];

const plain: fc.Arbitrary<Plain> = fc.record({
  effect: fc.constantFrom('Allow', 'Allow', 'Deny'),
  actions: fc.subarray(actions, { minLength: 1 }),
  resources: fc.subarray(resources, { minLength: 1 }),
  negatesAction: fc.boolean(),
  negatesResource: fc.boolean(),
  holds: fc.constantFrom(undefined, true, false),
  names: fc.constantFrom('role', 'other', 'everybody', 'account'),
});
const statements = fc.array(plain, { maxLength: 4 });

function write(statement: Plain, isResource: boolean): object {
  const { effect, holds, names } = statement;
  const principals = {
    role: { AWS: roleArn('worker') },
    other: { AWS: [roleArn('other')] },
    everybody: '*',
    account: { AWS: account },
  };
  return {
    Effect: effect,
    [statement.negatesAction ? 'NotAction' : 'Action']: statement.actions,
    [statement.negatesResource ? 'NotResource' : 'Resource']: statement.resources,
    ...(holds === undefined ? {} : { Condition: { Bool: { 'aws:SecureTransport': String(holds) } } }),
    ...(isResource ? { Principal: principals[names] } : {}),
  };
}

function says(all: readonly Plain[], action: string, resource: string, names: readonly Plain['names'][]) {
  const met = all.filter(
    (each) =>
      each.actions.includes(action) !== each.negatesAction &&
      each.resources.includes(resource) !== each.negatesResource &&
      each.holds !== false &&
      names.includes(each.names),
  );
  if (met.some(({ effect }) => effect === 'Deny')) return 'deny';
  return met.length > 0 ? 'allow' : 'none';
}

const anybody: readonly Plain['names'][] = ['role', 'other', 'everybody', 'account'];

describe('what policies say together', () => {
  it('is what the rules of AWS say, for any policies of a role, its boundary and the resource', () => {
    fc.assert(
      fc.property(
        statements,
        statements,
        fc.option(statements, { nil: undefined }),
        fc.option(statements, { nil: undefined }),
        (inline, managed, boundary, resource) => {
          const { store, authority, addRole } = world();
          const role = addRole('worker');
          const policy = (name: string) => `arn:aws:iam::${account}:policy/${name}`;
          const keep = (name: string, all: readonly Plain[]) =>
            store.addManagedPolicy({
              name,
              arn: policy(name),
              document: document(...all.map((each) => write(each, false))),
            });
          role.policies.set('inline', document(...inline.map((each) => write(each, false))));
          keep('managed', managed);
          role.managedPolicyArns.add(policy('managed'));
          if (boundary !== undefined) {
            keep('boundary', boundary);
            store.addRole({ ...role, permissionsBoundary: policy('boundary') });
          }
          const own = resource && resourcePolicy(...resource.map((each) => write(each, true)));

          // Twice: once decided, once remembered.
          for (const _ of [1, 2])
            for (const action of actions)
              for (const place of resources) {
                const byRole = says([...inline, ...managed], action, place, anybody);
                const byBoundary = boundary === undefined ? 'allow' : says(boundary, action, place, anybody);
                const denied =
                  says(resource ?? [], action, place, ['role', 'everybody', 'account']) === 'deny';
                const given = says(resource ?? [], action, place, ['role', 'everybody']) === 'allow';
                const expected =
                  denied || byRole === 'deny' || byBoundary === 'deny'
                    ? 'deny'
                    : byBoundary === 'allow' && (given || byRole === 'allow')
                      ? 'allow'
                      : 'none';
                const call = { principal: { role: roleArn('worker'), session: 'worker' } };
                expect(authority.decide(call, { action, resource: place, resourcePolicy: own })).toBe(
                  expected,
                );
              }
        },
      ),
      { numRuns: 300 },
    );
  });
});
