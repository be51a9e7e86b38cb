import type { Authority } from '../iam/index.ts';
import { type Call, type Principal, ServiceError } from '../service.ts';
import { accessDenied, malformedPolicy } from './errors.ts';
import type { Key, KeyContext } from './keys.ts';

/** What is to be done with a key. */
export interface KeyRequest {
  /** `kms:Decrypt`. */
  readonly action: string;
  readonly conditions: Readonly<Record<string, string>>;
}

/** Lets a request through, or throws AccessDeniedException with the sentence of KMS. */
export type KeyJudge = (key: Key, principal: Principal | undefined, request: KeyRequest) => void;

/** Whether somebody acts as the account's own administrator: stacks are deployed by one. */
const isAdministrator = (principal: Principal | undefined): boolean =>
  principal === undefined ||
  (principal.role === undefined &&
    (principal.service === undefined || principal.service === 'cloudformation.amazonaws.com'));

/**
 * Judges as KMS does (KMS developer guide, "Determining access to AWS KMS keys"): what the key's policy denies is
 * denied; what it allows to a principal itself is allowed, unless the principal's own policies deny it; what it allows
 * to the account is decided by these. A service has no policies of its own, and is in no account. Grants are not
 * modelled. The account's administrator is its root: a key whose policy does not name the account is closed to him too.
 *
 * @param authority - judges roles; without it a role may do what the key's policy lets its account do
 */
export function createKeyJudge({ account }: KeyContext, authority: Authority | undefined): KeyJudge {
  const root = `arn:aws:iam::${account}:root`;
  return (key, principal, { action, conditions }) => {
    const who: Principal = isAdministrator(principal) ? { role: root } : principal!;
    const inAccount = who.service === undefined;
    const request = {
      action,
      resource: key.arn,
      conditions: inAccount ? { 'kms:CallerAccount': account, ...conditions } : conditions,
    };
    if (inAccount && who.role !== root && authority !== undefined) {
      authority.demand(
        { principal: who },
        { ...request, resourcePolicy: key.policy.statements, policyRequired: true },
      );
      return;
    }
    const verdict = key.policy.judge({ ...request, principal: who });
    if (verdict === 'allow' || (inAccount && verdict === 'account')) return;
    // KMS tells another service nothing: "null" is what AWS writes where a sentence would be.
    if (!inAccount) throw accessDenied('null');
    const reason =
      verdict === 'deny'
        ? 'with an explicit deny in a resource-based policy'
        : `because no resource-based policy allows the ${action} action`;
    throw accessDenied(
      `User: ${who.role} is not authorized to perform: ${action} on resource: ${key.arn} ${reason}`,
    );
  };
}

/**
 * Refuses a policy under which its author could not change it any more.
 *
 * @throws ServiceError MalformedPolicyDocumentException
 */
export function demandWayBack(judge: KeyJudge, key: Key, { principal }: Call): void {
  try {
    judge(key, principal, { action: 'kms:PutKeyPolicy', conditions: {} });
  } catch (cause) {
    throw malformedPolicy(
      'The new key policy will not allow you to update the key policy in the future.',
      cause,
    );
  }
}

/** Whether an error is one of KMS, which a service that uses a key hands on in its own words. */
export const isKeyError = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && Object.hasOwn(keyErrors, error.name);

/** The errors of KMS that a use of a key can end with, by the short names that other services have for them. */
export const keyErrors: Readonly<Record<string, 'AccessDenied' | 'Disabled' | 'InvalidState' | 'NotFound'>> =
  {
    AccessDeniedException: 'AccessDenied',
    DisabledException: 'Disabled',
    KMSInvalidStateException: 'InvalidState',
    NotFoundException: 'NotFound',
  };
