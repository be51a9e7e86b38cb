import type { PolicyVerdict } from '../policy.ts';
import { type Call, type Principal, ServiceError } from '../service.ts';
import { accessDenied, malformedPolicy } from './errors.ts';
import type { Key, KeyContext } from './keys.ts';

/** What is to be done with a key. */
export interface KeyRequest {
  /** `kms:Decrypt`. */
  readonly action: string;
  readonly conditions: Readonly<Record<string, string>>;
}

/**
 * What the policies of a role say to a request, where the key's policy leaves it to them, or where they may still deny
 * it: `none` when no statement speaks of it.
 */
export type IdentityVerdict = (
  role: string,
  request: KeyRequest & { readonly resource: string },
) => PolicyVerdict;

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
 */
export function createKeyJudge({ account }: KeyContext, identity: IdentityVerdict): KeyJudge {
  const root = `arn:aws:iam::${account}:root`;
  return (key, principal, { action, conditions }) => {
    const administrator = isAdministrator(principal);
    const who: Principal = administrator ? { role: root } : principal!;
    const isService = who.service !== undefined;
    const request = {
      principal: who,
      action,
      resource: key.arn,
      conditions: isService ? conditions : { 'kms:CallerAccount': account, ...conditions },
    };
    const verdict = key.policy.judge(request);
    // KMS tells another service nothing: "null" is what AWS writes where a sentence would be.
    if (isService) {
      if (verdict === 'direct') return;
      throw accessDenied('null');
    }
    const deny = (reason: string) =>
      accessDenied(
        `User: ${nameOf(who.role ?? root)} is not authorized to perform: ${action} on resource: ${key.arn} ${reason}`,
      );
    if (verdict === 'denied') throw deny('with an explicit deny in a resource-based policy');
    if (verdict === 'none') throw deny(`because no resource-based policy allows the ${action} action`);
    if (administrator) return;
    const own = identity(who.role!, { action, resource: key.arn, conditions: request.conditions });
    if (own === 'deny') throw deny('with an explicit deny in an identity-based policy');
    if (verdict === 'delegated' && own !== 'allow')
      throw deny(`because no identity-based policy allows the ${action} action`);
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

/** A role acts in a session: the name under which AWS's sentences speak of it. */
function nameOf(role: string): string {
  const [, partition, account, path] = /^arn:([^:]+):iam::(\d+):role\/(.+)$/.exec(role) ?? [];
  if (path === undefined) return role;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return `arn:${partition}:sts::${account}:assumed-role/${name}/${name}`;
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
