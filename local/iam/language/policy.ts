import type { Principal } from '../../service.ts';
import type { ConditionValues } from './conditions.ts';
import { PolicyError } from './read.ts';
import { applies, readStatements, type Statement } from './statement.ts';

/** A resource policy that has been read; made by {@link parsePolicy}. */
export interface Policy {
  readonly statements: readonly Statement[];
}

/** What somebody wants to do, for {@link evaluatePolicy}. */
export interface PolicyRequest {
  readonly principal: Principal;
  /** `sqs:SendMessage`. */
  readonly action: string;
  /** The ARN of what the action is done to. */
  readonly resource: string;
  /**
   * Further condition keys, for example `aws:SecureTransport`; the principal's own keys are added.
   *
   * @default - `aws:SecureTransport` is `true`
   */
  readonly conditions?: ConditionValues | undefined;
}

/** `none`: no statement speaks of it, so that only an identity's own policy could allow it. */
export type PolicyVerdict = 'allow' | 'deny' | 'none';

/**
 * As {@link PolicyVerdict}; `account`: the policy leaves it to the principal's account whom of its roles to let.
 */
export type PolicyJudgement = PolicyVerdict | 'account';

/** As {@link PolicyJudgement}; `session`: it allows a session by its own name, whatever bounds its role. */
export type StatementsJudgement = PolicyJudgement | 'session';

/**
 * Reads a resource policy (IAM user guide, JSON policy elements): Effect, Principal, Action, Resource with their
 * negations, and the condition operators for strings, ARNs, numbers, dates, Bool and Null, each with `IfExists`,
 * `ForAllValues:` and `ForAnyValue:`. A condition on a key that the model cannot tell never lets a statement allow, nor
 * keeps it from denying.
 *
 * @throws PolicyError what is wrong, or which operator is not supported
 * @example
 * ```ts
 * const policy = parsePolicy(attributes.Policy);
 * ```
 */
export function parsePolicy(text: string): Policy {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw new PolicyError('The policy is not valid JSON.', { cause });
  }
  return { statements: readStatements(document, 'resource') };
}

/**
 * What a resource policy says to a request: a statement that denies wins over one that allows. One that names the
 * principal's account allows it too; {@link judgePolicy} tells the two apart.
 *
 * @example
 * ```ts
 * evaluatePolicy(policy, {
 *   principal: { service: 'sns.amazonaws.com', sourceArn: topicArn },
 *   action: 'sqs:SendMessage',
 *   resource: queueArn,
 * });
 * ```
 */
export function evaluatePolicy(policy: Policy | undefined, request: PolicyRequest): PolicyVerdict {
  const judgement = judgePolicy(policy, request);
  return judgement === 'account' ? 'allow' : judgement;
}

/**
 * As {@link evaluatePolicy}, and `account` where only statements allow that name the principal's account.
 *
 * @example
 * ```ts
 * judgePolicy(keyPolicy, { principal: { role }, action: 'kms:Decrypt', resource: keyArn }); // 'account'
 * ```
 */
export function judgePolicy(policy: Policy | undefined, request: PolicyRequest): PolicyJudgement {
  if (policy === undefined) return 'none';
  const values = principalValues(request.principal);
  for (const [key, value] of Object.entries(request.conditions ?? {})) values[key.toLowerCase()] = value;
  const judgement = judgeStatements(statementsOn(policy.statements, request), request.principal, values);
  return judgement === 'session' ? 'allow' : judgement;
}

/** The statements that are about an action on a resource. */
export const statementsOn = (
  statements: readonly Statement[],
  { action, resource }: Pick<PolicyRequest, 'action' | 'resource'>,
): readonly Statement[] =>
  statements.filter((statement) => statement.action(action) && statement.resource(resource));

/** What statements about the action and the resource say to a principal. */
export function judgeStatements(
  statements: readonly Statement[],
  principal: Principal,
  values: ConditionValues,
): StatementsJudgement {
  let judgement: StatementsJudgement = 'none';
  for (const statement of statements) {
    const naming = statement.principal(principal);
    if (naming === 'not' || !applies(statement, values)) continue;
    if (!statement.allow) return 'deny';
    if (naming === 'session') judgement = naming;
    else if (naming === 'direct' && judgement !== 'session') judgement = 'allow';
    else if (judgement === 'none') judgement = 'account';
  }
  return judgement;
}

/** The condition keys that come from who calls; keys are compared without regard to case (IAM user guide, Condition). */
export function principalValues(
  principal: Principal,
): Record<string, string | readonly string[] | undefined> {
  const { role, service, session } = principal;
  return {
    // What comes over loopback counts as safe on its way.
    'aws:securetransport': 'true',
    'aws:viaawsservice': 'false',
    'aws:principalisawsservice': String(service !== undefined),
    'aws:sourcearn': principal.sourceArn,
    'aws:sourceaccount': principal.sourceAccount,
    'aws:principalservicename': service,
    ...(role === undefined
      ? {}
      : {
          'aws:principalarn': role,
          'aws:principalaccount': role.split(':')[4],
          'aws:principaltype': 'AssumedRole',
          'aws:userid': session,
        }),
  };
}
