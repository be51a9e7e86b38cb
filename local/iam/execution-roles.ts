import type { Call, Principal } from '../service.ts';
import type { Authority } from './authority.ts';
import type { PolicyOf } from './guard.ts';
import { judgeStatements, principalValues } from './language/index.ts';
import type { Sessions } from './sessions.ts';
import type { IamStore } from './store.ts';
import { trustOf } from './trust.ts';

/**
 * What Lambda asks about the roles of functions. A role that the account never had is nobody's: a function under it
 * calls as the administrator.
 */
export function createExecutionRoles(
  store: IamStore,
  sessions: Sessions,
  authority: Authority,
  policyOf: PolicyOf,
) {
  return {
    trustsLambda(roleArn: string): boolean {
      if (!store.knew(roleArn)) return true;
      const role = store.role(roleArn.slice(roleArn.lastIndexOf('/') + 1));
      if (role === undefined || role.arn !== roleArn) return false;
      const lambda: Principal = { service: 'lambda.amazonaws.com' };
      const statements = trustOf(role).statements.filter(({ action }) => action('sts:AssumeRole'));
      return judgeStatements(statements, lambda, principalValues(lambda)) === 'allow';
    },
    open({ role, functionName }: { readonly role: string; readonly functionName: string }) {
      if (!store.knew(role)) return { accessKeyId: 'test', secretAccessKey: 'test', sessionToken: '' };
      const keys = sessions.open({ role, session: functionName });
      return {
        accessKeyId: keys.AccessKeyId,
        secretAccessKey: keys.SecretAccessKey,
        sessionToken: keys.SessionToken,
      };
    },
    close: (accessKeyId: string) => sessions.close(accessKeyId),
    allows: (call: Call, action: string, resource: string): boolean =>
      authority.decide(call, { action, resource, resourcePolicy: policyOf('sqs', resource) }) === 'allow',
  };
}
