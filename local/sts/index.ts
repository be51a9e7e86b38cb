import type {
  AssumeRoleCommandInput,
  AssumeRoleCommandOutput,
  Credentials,
  GetCallerIdentityCommandInput,
  GetCallerIdentityCommandOutput,
  GetSessionTokenCommandInput,
} from '@aws-sdk/client-sts';
import {
  type Authority,
  callerOf,
  createAuthority,
  type IamModel,
  temporaryCredentials,
  trustOf,
} from '../iam/index.ts';
import {
  type Call,
  type ModelContext,
  type Operation,
  type Principal,
  type Service,
  ServiceError,
} from '../service.ts';

/** Of STS the model knows what tools ask before they do anything: who calls, and credentials of a role. */
export interface StsModel extends Service {
  readonly id: 'sts';
}

/** Seconds; for all of them see the STS API reference, AssumeRole and GetSessionToken. */
const shortest = 900;
const longest = { AssumeRole: 43_200, GetSessionToken: 129_600 } as const;
/** Of a role that came without one. */
const noId = 'AROA00000000000000000';
const usual = { AssumeRole: 3600, GetSessionToken: 43_200 } as const;

/**
 * STS: whoever calls is the account's administrator, or the role that the call names or that its credentials stand
 * for. Whom a role lets be it, its trust policy says; the administrator is let by every role. Signatures are not checked
 * anywhere, and keys of a session work beyond its end.
 *
 * @example
 * ```ts
 * createSts(context, iam).operations.GetCallerIdentity({}, {}); // { Account: '000000000000', ... }
 * ```
 */
export function createSts(
  context: Pick<ModelContext, 'account' | 'clock' | 'random'>,
  { store, sessions }: Pick<IamModel, 'store' | 'sessions'>,
  authority: Authority = createAuthority({ ...context, region: 'us-east-1' }, store),
): StsModel {
  const roleOf = (arn: string) => {
    const found = store.role(arn.slice(arn.lastIndexOf('/') + 1));
    return found?.arn === arn ? found : undefined;
  };
  const administrator = `arn:aws:iam::${context.account}:root`;
  const principalOf = (call: Call) => call.principal ?? sessions.principal(call.accessKeyId ?? '');
  const identityOf = (principal: Principal | undefined) => {
    const { role, session } = principal ?? {};
    if (principal === undefined || role === undefined) return { arn: administrator, userId: context.account };
    const id = roleOf(role)?.id ?? noId;
    return { arn: callerOf(principal), userId: session === undefined ? id : `${id}:${session}` };
  };
  const credentialsFor = (
    action: keyof typeof usual,
    duration: number = usual[action],
    principal: Principal | undefined,
  ): Credentials => {
    if (!Number.isInteger(duration) || duration < shortest || duration > longest[action])
      throw new ServiceError(
        'ValidationError',
        `DurationSeconds is ${duration}; allowed are whole seconds from ${shortest} to ${longest[action]}.`,
      );
    const { random } = context;
    const made = principal === undefined ? temporaryCredentials(random) : sessions.make(random, principal);
    return { ...made, Expiration: new Date(context.clock.now() + duration * 1000) };
  };

  const GetCallerIdentity: Operation<
    GetCallerIdentityCommandInput,
    Omit<GetCallerIdentityCommandOutput, '$metadata'>
  > = (_input, call) => {
    const { arn, userId } = identityOf(principalOf(call));
    return { Account: context.account, Arn: arn, UserId: userId };
  };
  const AssumeRole: Operation<AssumeRoleCommandInput, Omit<AssumeRoleCommandOutput, '$metadata'>> = (
    { RoleArn = '', RoleSessionName = '', DurationSeconds, Policy, PolicyArns },
    call,
  ) => {
    if (!/^[\w+=,.@-]{2,64}$/.test(RoleSessionName))
      throw new ServiceError(
        'ValidationError',
        `RoleSessionName is "${RoleSessionName}"; allowed are 2 to 64 letters, digits and _+=,.@-.`,
      );
    if (Policy !== undefined || (PolicyArns ?? []).length > 0)
      throw new ServiceError(
        'ValidationError',
        'The model has no policies of sessions: leave Policy and PolicyArns out, and give the role what it needs.',
      );
    const role = roleOf(RoleArn);
    const caller = principalOf(call);
    // As on AWS, where a role that is not there cannot be told from one that may not be assumed.
    if (role === undefined)
      throw new ServiceError(
        'AccessDenied',
        `User: ${identityOf(caller).arn} is not authorized to perform: sts:AssumeRole on resource: ${RoleArn}`,
        { statusCode: 403 },
      );
    authority.demand(
      { principal: caller },
      {
        action: 'sts:AssumeRole',
        resource: RoleArn,
        resourcePolicy: trustOf(role),
        policyRequired: true,
      },
    );
    const principal: Principal = { role: RoleArn, session: RoleSessionName };
    const { arn, userId } = identityOf(principal);
    return {
      Credentials: credentialsFor('AssumeRole', DurationSeconds, principal),
      AssumedRoleUser: { Arn: arn, AssumedRoleId: userId },
    };
  };
  const GetSessionToken = ({ DurationSeconds }: GetSessionTokenCommandInput, call: Call) => ({
    Credentials: credentialsFor('GetSessionToken', DurationSeconds, principalOf(call)),
  });
  return { id: 'sts', operations: { GetCallerIdentity, AssumeRole, GetSessionToken } };
}
