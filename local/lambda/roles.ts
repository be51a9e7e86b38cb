import type { Call } from '../service.ts';
import { invalid } from './errors.ts';
import type { Executor, FunctionConfiguration } from './executor.ts';

/** The keys that a function finds in its environment. */
export interface FunctionKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** What Lambda asks IAM about the roles that functions run under. */
export interface ExecutionRoles {
  /** Whether the trust policy of a role lets Lambda be it. */
  trustsLambda(roleArn: string): boolean;
  /** Keys of a session of a function's role, and what ends it. */
  open(configuration: Pick<FunctionConfiguration, 'role' | 'functionName'>): FunctionKeys;
  close(accessKeyId: string): void;
  /** Whether a call may do something to a queue. */
  allows(call: Call, action: string, queueArn: string): boolean;
}

/** Where nobody judges: any role will do, and no function has keys of its own. */
export const anyRole: ExecutionRoles = {
  trustsLambda: () => true,
  open: () => ({ accessKeyId: 'test', secretAccessKey: 'test', sessionToken: '' }),
  close: () => {},
  allows: () => true,
};

/** Calls that Lambda itself makes for a function, as the poller of its event source: under the function's role. */
export const callOf = (
  { role, functionName }: Pick<FunctionConfiguration, 'role' | 'functionName'>,
  signal?: AbortSignal,
): Call => ({ principal: { role, session: functionName }, signal });

/** @throws ServiceError when Lambda may not be this role */
export function demandTrust(roles: ExecutionRoles, roleArn: string): void {
  if (!roles.trustsLambda(roleArn))
    throw invalid('The role defined for the function cannot be assumed by Lambda.');
}

/** What a poller does, which the role has to allow (Lambda developer guide, "Configuring an Amazon SQS event source"). */
const polling = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];

/** @throws ServiceError when the function's role does not let it poll the queue */
export function demandPolling(
  roles: ExecutionRoles,
  configuration: Pick<FunctionConfiguration, 'role' | 'functionName'>,
  queueArn: string,
): void {
  const call = callOf(configuration);
  const missing = polling.find((action) => !roles.allows(call, `sqs:${action}`, queueArn));
  if (missing !== undefined)
    throw invalid(`The provided execution role does not have permissions to call ${missing} on SQS`);
}

/** An executor whose environments have the keys of a session of their function's role each. */
export function withKeys(executor: Executor, roles: ExecutionRoles): Executor {
  return {
    prepare: (configuration) => executor.prepare(configuration),
    start(configuration) {
      const keys = roles.open(configuration);
      const environment = executor.start({ ...configuration, keys });
      environment.onExit(() => roles.close(keys.accessKeyId));
      return environment;
    },
  };
}
