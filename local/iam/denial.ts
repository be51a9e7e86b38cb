import type { Principal } from '../service.ts';
import { ServiceError } from '../service.ts';
import { sessionArn } from './language/index.ts';

/**
 * Why a request is not allowed, in the words of AWS's own messages (IAM user guide, "Troubleshoot access denied error
 * messages").
 */
export type Reason =
  | 'no identity-based policy allows'
  | 'no resource-based policy allows'
  | 'no permissions boundary allows'
  | 'explicit deny in an identity-based policy'
  | 'explicit deny in a resource-based policy'
  | 'explicit deny in a permissions boundary';

/** Who calls, as AWS's messages name it. */
export const callerOf = ({ role, session, service }: Principal): string => {
  if (role === undefined) return service ?? 'Anonymous';
  return session === undefined ? role : sessionArn(role, session);
};

/** Services write their actions' names in their own ways, as recorded from their errors. */
const written: Readonly<Record<string, (action: string) => string>> = {
  sns: (action) => action.replace('sns:', 'SNS:'),
  sqs: (action) => action.toLowerCase(),
};

/** S3 puts the resource between quotation marks. */
const quoted: ReadonlySet<string> = new Set(['s3']);

/** AWS's sentence. */
export function sentence(principal: Principal, action: string, resource: string, reason: Reason): string {
  const service = serviceOf(action);
  const name = written[service]?.(action) ?? action;
  const place = quoted.has(service) && resource !== '*' ? `"${resource}"` : resource;
  const why = reason.startsWith('explicit') ? `with an ${reason}` : `because ${reason} the ${name} action`;
  return `User: ${callerOf(principal)} is not authorized to perform: ${name} on resource: ${place} ${why}`;
}

const serviceOf = (action: string): string => action.slice(0, action.indexOf(':'));

interface Code {
  readonly name: string;
  readonly statusCode: number;
  readonly queryCode?: string;
}

const jsonCode: Code = { name: 'AccessDeniedException', statusCode: 400 };

/** Services whose code is not `AccessDenied` with status 403 (the common errors of each API reference; recorded answers). */
const codes: Readonly<Record<string, Code>> = {
  dynamodb: jsonCode,
  ecr: jsonCode,
  kms: jsonCode,
  lambda: { name: 'AccessDeniedException', statusCode: 403 },
  sns: { name: 'AuthorizationErrorException', statusCode: 403, queryCode: 'AuthorizationError' },
  ssm: jsonCode,
};

/** The error by which a service says that a request is not allowed. */
export function accessDenied(
  principal: Principal,
  action: string,
  resource: string,
  reason: Reason,
): ServiceError {
  const { name, statusCode, queryCode } = codes[serviceOf(action)] ?? {
    name: 'AccessDenied',
    statusCode: 403,
  };
  return new ServiceError(name, sentence(principal, action, resource, reason), {
    statusCode,
    ...(queryCode === undefined ? {} : { queryCode }),
  });
}
