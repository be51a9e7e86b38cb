import type { Principal } from '../../service.ts';
import { isRecord, PolicyError, texts } from './read.ts';

/**
 * How a statement names a principal: `session` by the session's own ARN, `direct` by its role's or as anybody, or
 * `account` when it names the account that the principal is of, which leaves it to the account's own policies whom to let
 * (IAM user guide, "AWS account principals").
 */
export type Naming = 'session' | 'direct' | 'account' | 'not';

/** A statement's Principal. @throws PolicyError which part of it is not one */
export function readPrincipal(value: unknown): (principal: Principal) => Naming {
  if (value === '*') return () => 'direct';
  if (!isRecord(value)) throw new PolicyError(`Principal is ${JSON.stringify(value)}; use "*" or an object.`);
  const tests: ((principal: Principal) => Naming)[] = [];
  for (const [kind, members] of Object.entries(value)) {
    for (const member of texts(members, `Principal.${kind}`)) {
      if (member === '*' && kind === 'AWS') tests.push(() => 'direct');
      else if (kind === 'Service')
        tests.push((principal) => (principal.service === member ? 'direct' : 'not'));
      else if (kind === 'AWS') tests.push(principalArn(member));
      else if (kind !== 'Federated' && kind !== 'CanonicalUser') {
        throw new PolicyError(`Principal has the unknown kind ${kind}; use AWS or Service.`);
      }
    }
  }
  return (principal) => {
    let naming: Naming = 'not';
    for (const test of tests) {
      const found = test(principal);
      if (found === 'session') return found;
      if (found === 'direct' || naming === 'not') naming = found;
    }
    return naming;
  };
}

// An account (twelve digits, or its root's ARN) stands for all its roles; a session by its own ARN, or its role's.
function principalArn(member: string): (principal: Principal) => Naming {
  const account = /^\d{12}$/.test(member) ? member : /^arn:[^:]+:iam::(\d{12}):root$/.exec(member)?.[1];
  return ({ role, session }) => {
    if (role === undefined) return 'not';
    if (role === member) return 'direct';
    if (account !== undefined) return role.split(':')[4] === account ? 'account' : 'not';
    return session !== undefined && sessionArn(role, session) === member ? 'session' : 'not';
  };
}

/**
 * The ARN of a session of a role (IAM user guide, "Role session principals").
 *
 * @example
 * ```ts
 * sessionArn('arn:aws:iam::123456789012:role/payments', 'payments'); // arn:aws:sts::123456789012:assumed-role/payments/payments
 * ```
 */
export function sessionArn(role: string, session: string): string {
  const [, partition = 'aws', , , account = ''] = role.split(':');
  return `arn:${partition}:sts::${account}:assumed-role/${role.slice(role.lastIndexOf('/') + 1)}/${session}`;
}
