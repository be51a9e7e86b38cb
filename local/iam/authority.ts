import type { Clock } from '../../lib/base/index.ts';
import type { Call, Principal } from '../service.ts';
import { awsManagedDocument } from './aws-managed.ts';
import { createDecisions } from './decisions.ts';
import { accessDenied, type Reason } from './denial.ts';
import {
  type ConditionValues,
  isSteady,
  judgeStatements,
  type Policy,
  principalValues,
  readStatements,
  type Statement,
  type StatementsJudgement,
  statementsOn,
} from './language/index.ts';
import type { IamStore, Role } from './store.ts';

/** What somebody wants to do to one resource. */
export interface AuthorityRequest {
  /** `sqs:SendMessage`: the name that policies use, which is not always that of the API's action. */
  readonly action: string;
  /** An ARN, or `*` for an action that is about no resource. */
  readonly resource: string;
  /**
   * Condition keys of this request, for example `dynamodb:LeadingKeys`; a function is only asked when a statement
   * looks at them.
   *
   * @default - those that every request has
   */
  readonly conditions?: ConditionValues | (() => ConditionValues) | undefined;
  /**
   * The resource's own policy.
   *
   * @default - it has none
   */
  readonly resourcePolicy?: Policy | undefined;
  /**
   * Whether the resource's own policy has to allow, be it by naming the account, as that of a key of KMS and the trust
   * policy of a role.
   *
   * @default false: inside of an account it is enough that either policy allows
   */
  readonly policyRequired?: boolean | undefined;
}

/** `none`: nothing denies it, and nothing allows it. */
export type AuthorityVerdict = 'allow' | 'deny' | 'none';

/**
 * Judges calls by the policies of the role that calls, and of the resource that is called.
 *
 * @example
 * ```ts
 * authority.demand(call, { action: 'kms:Decrypt', resource: keyArn, resourcePolicy: keyPolicy, policyRequired: true });
 * ```
 */
export interface Authority {
  /** @throws {ServiceError} in the service's own code and AWS's words, when the call is not allowed */
  demand(call: Call, request: AuthorityRequest): void;
  /** What the policies say, without an error. */
  decide(call: Call, request: AuthorityRequest): AuthorityVerdict;
}

interface Judgement {
  readonly verdict: AuthorityVerdict;
  readonly reason: Reason | undefined;
}

const allowed: Judgement = { verdict: 'allow', reason: undefined };

/** What was found out about an action on a resource: the judgement, or the statements that it depends on. */
interface Decision {
  readonly resourcePolicy: Policy | undefined;
  readonly judgement: Judgement | undefined;
  readonly relevant: Relevant;
  /** Whether the statements look at conditions. */
  readonly hasConditions: boolean;
}

interface Relevant {
  /** `undefined`: of a role that the model does not have; see {@link createAuthority}. */
  readonly identity: readonly Statement[] | undefined;
  readonly boundary: readonly Statement[] | undefined;
  readonly resource: readonly Statement[];
}

/** On the roles that the CDK's command takes on: its bootstrap template puts it there. */
const bootstrapTag = 'aws-cdk:bootstrap-role';

/** So many decisions are kept. */
const most = 20_000;

/**
 * Makes the judge of a region's calls.
 *
 * - A call without a principal is the administrator's: allowed.
 * - A role of the account is judged by its inline and attached policies within its permissions boundary; the resource's
 *   policy may allow what they do not, and deny what they allow. What no statement allows is refused.
 * - A role of the account that never was there is the administrator's too: a function may be made with any name for one.
 * - So are the roles that the CDK bootstraps for its command: what it may do is no matter of the stack that it deploys.
 * - A role of another account is taken to be allowed by its own account: the resource's policy decides.
 * - A service is judged by the resource's policy alone.
 *
 * What was decided is kept by role, action and resource, until any role or policy changes.
 */
export function createAuthority(
  context: { readonly account: string; readonly region: string; readonly clock: Pick<Clock, 'now'> },
  store: IamStore,
): Authority {
  const parsed = new WeakMap<object, readonly Statement[]>();
  const decisions = createDecisions<Decision>(most);
  let version = -1;

  const read = (document: unknown): readonly Statement[] => {
    if (typeof document !== 'object' || document === null) return [];
    const found = parsed.get(document);
    if (found !== undefined) return found;
    const statements = readStatements(document, 'identity');
    parsed.set(document, statements);
    return statements;
  };
  const managed = (arn: string) => read(store.managedPolicy(arn)?.document ?? awsManagedDocument(arn));
  const roleOf = (arn: string): Role | undefined => {
    const found = store.role(arn.slice(arn.lastIndexOf('/') + 1));
    return found?.arn === arn ? found : undefined;
  };
  const identityOf = (role: Role): readonly Statement[] => [
    ...[...role.policies.values()].flatMap(read),
    ...[...role.managedPolicyArns].flatMap(managed),
  ];

  const gather = (roleArn: string, request: AuthorityRequest): Relevant => {
    const role = roleOf(roleArn);
    const isForeign = roleArn.split(':')[4] !== context.account;
    const resource = statementsOn(request.resourcePolicy?.statements ?? [], request);
    const isTool = role?.tags?.has(bootstrapTag) === true;
    if (isForeign || isTool || (role === undefined && !store.knew(roleArn)))
      return { identity: undefined, boundary: undefined, resource };
    return {
      identity: role === undefined ? [] : statementsOn(identityOf(role), request),
      boundary:
        role?.permissionsBoundary === undefined
          ? undefined
          : statementsOn(managed(role.permissionsBoundary), request),
      resource,
    };
  };

  const valuesOf = (principal: Principal, { conditions, resource }: AuthorityRequest): ConditionValues => {
    const values = principalValues(principal);
    const now = context.clock.now();
    values['aws:currenttime'] = String(Math.floor(now / 1000));
    values['aws:epochtime'] = String(Math.floor(now / 1000));
    values['aws:requestedregion'] = context.region;
    values['aws:resourceaccount'] = resource.split(':')[4] || context.account;
    if (principal.role !== undefined && principal.session !== undefined)
      values['aws:userid'] = `${roleOf(principal.role)?.id ?? 'AROA00000000000000000'}:${principal.session}`;
    const own = typeof conditions === 'function' ? conditions() : conditions;
    for (const [key, value] of Object.entries(own ?? {})) values[key.toLowerCase()] = value;
    return values;
  };

  const judge = (
    principal: Principal,
    request: AuthorityRequest,
    { identity, boundary, resource }: Relevant,
  ): Judgement => {
    const values = valuesOf(principal, request);
    const own = (statements: readonly Statement[]) => judgeStatements(statements, principal, values);
    const byResource = own(resource);
    if (byResource === 'deny') return refused('deny', 'explicit deny in a resource-based policy');
    if (identity === undefined && principal.role?.split(':')[4] === context.account) return allowed;
    const byIdentity: StatementsJudgement = identity === undefined ? 'allow' : own(identity);
    if (byIdentity === 'deny') return refused('deny', 'explicit deny in an identity-based policy');
    const byBoundary = boundary === undefined ? 'allow' : own(boundary);
    if (byBoundary === 'deny') return refused('deny', 'explicit deny in a permissions boundary');

    const isForeign = principal.role?.split(':')[4] !== (request.resource.split(':')[4] || context.account);
    // What is let by a session's own name is bounded by denials alone (IAM user guide, "Policy evaluation logic").
    if (byResource === 'session' && !isForeign) return allowed;
    if (isForeign || request.policyRequired === true) {
      if (byResource === 'none') return refused('none', 'no resource-based policy allows');
      if (byResource === 'allow' && !isForeign && byBoundary === 'allow') return allowed;
    } else if (byResource === 'allow' && byBoundary === 'allow') return allowed;
    if (byIdentity !== 'allow') return refused('none', 'no identity-based policy allows');
    return byBoundary === 'allow' ? allowed : refused('none', 'no permissions boundary allows');
  };

  const decisionOf = (principal: Principal, roleArn: string, request: AuthorityRequest): Decision => {
    const relevant = gather(roleArn, request);
    const { identity = [], boundary = [], resource } = relevant;
    const looksAt = [...identity, ...boundary, ...resource].flatMap(({ conditions }) => conditions);
    const hasConditions = looksAt.length > 0;
    const isSame = looksAt.every(({ key }) => isSteady(key)) && !namesSessions(resource);
    // A request's own conditions may differ next time; nobody looks at them where no statement has any.
    const isFixed = isSame && (!hasConditions || request.conditions === undefined);
    return {
      resourcePolicy: request.resourcePolicy,
      relevant,
      hasConditions,
      judgement: isFixed ? judge(principal, request, relevant) : undefined,
    };
  };

  const judgementFor = (principal: Principal, request: AuthorityRequest): Judgement => {
    const { role } = principal;
    if (role === undefined) return byResourceAlone(principal, request);
    if (store.version() !== version) {
      version = store.version();
      decisions.clear();
    }
    let decision = decisions.get(role, request.action, request.resource);
    if (decision === undefined || decision.resourcePolicy !== request.resourcePolicy) {
      decision = decisionOf(principal, role, request);
      decisions.set(role, request.action, request.resource, decision);
    }
    if (decision.judgement !== undefined && (request.conditions === undefined || !decision.hasConditions))
      return decision.judgement;
    return judge(principal, request, decision.relevant);
  };

  const byResourceAlone = (principal: Principal, request: AuthorityRequest): Judgement => {
    if (principal.service === undefined) return allowed;
    const statements = statementsOn(request.resourcePolicy?.statements ?? [], request);
    const verdict = judgeStatements(statements, principal, valuesOf(principal, request));
    if (verdict === 'allow') return allowed;
    return verdict === 'deny'
      ? refused('deny', 'explicit deny in a resource-based policy')
      : refused('none', 'no resource-based policy allows');
  };

  return {
    demand({ principal }, request) {
      if (principal === undefined) return;
      const { verdict, reason } = judgementFor(principal, request);
      if (verdict !== 'allow' && reason !== undefined)
        throw accessDenied(principal, request.action, request.resource, reason);
    },
    decide: ({ principal }, request) =>
      principal === undefined ? 'allow' : judgementFor(principal, request).verdict,
  };
}

/** A policy that names sessions may tell those of one role apart. */
const namesSessions = (statements: readonly Statement[]): boolean =>
  statements.some(({ bySession }) => bySession);

const refused = (verdict: 'deny' | 'none', reason: Reason): Judgement => ({ verdict, reason });
