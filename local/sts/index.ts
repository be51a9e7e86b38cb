import type {
  AssumeRoleCommandInput,
  AssumeRoleCommandOutput,
  Credentials,
  GetCallerIdentityCommandInput,
  GetCallerIdentityCommandOutput,
  GetSessionTokenCommandInput,
} from '@aws-sdk/client-sts';
import { type IamStore, temporaryCredentials } from '../iam/index.ts';
import { type Call, type ModelContext, type Operation, type Service, ServiceError } from '../service.ts';

/** Of STS the model knows what tools ask before they do anything: who calls, and credentials of a role. */
export interface StsModel extends Service {
  readonly id: 'sts';
}

/** Seconds; for all of them see the STS API reference, AssumeRole and GetSessionToken. */
const shortest = 900;
const longest = { AssumeRole: 43_200, GetSessionToken: 129_600 } as const;
const usual = { AssumeRole: 3600, GetSessionToken: 43_200 } as const;

/** So many sessions are remembered, the youngest. */
const remembered = 10_000;

/**
 * STS: whoever calls is the account's administrator, or the role that the call names or that its credentials stand
 * for. Credentials are not checked anywhere, so those of a session work beyond its end.
 *
 * @example
 * ```ts
 * createSts(context).operations.GetCallerIdentity({}, {}); // { Account: '000000000000', ... }
 * ```
 */
export function createSts(
  context: Pick<ModelContext, 'account' | 'clock' | 'random'>,
  iam: Pick<IamStore, 'role'>,
): StsModel {
  const sessions = new Map<string, { readonly arn: string; readonly userId: string }>();
  const administrator = `arn:aws:iam::${context.account}:root`;
  const callerOf = (call: Call) => {
    const session = sessions.get(call.accessKeyId ?? '');
    return {
      arn: call.principal?.role ?? session?.arn ?? administrator,
      userId: session?.userId ?? context.account,
    };
  };
  const credentialsFor = (
    action: keyof typeof usual,
    duration: number = usual[action],
    identity: { readonly arn: string; readonly userId: string },
  ): Credentials => {
    if (!Number.isInteger(duration) || duration < shortest || duration > longest[action])
      throw new ServiceError(
        'ValidationError',
        `DurationSeconds is ${duration}; allowed are whole seconds from ${shortest} to ${longest[action]}.`,
      );
    const made = temporaryCredentials(context.random);
    sessions.set(made.AccessKeyId, identity);
    if (sessions.size > remembered) sessions.delete(sessions.keys().next().value as string);
    return { ...made, Expiration: new Date(context.clock.now() + duration * 1000) };
  };

  const GetCallerIdentity: Operation<
    GetCallerIdentityCommandInput,
    Omit<GetCallerIdentityCommandOutput, '$metadata'>
  > = (_input, call) => {
    const { arn, userId } = callerOf(call);
    return { Account: context.account, Arn: arn, UserId: userId };
  };
  const AssumeRole: Operation<AssumeRoleCommandInput, Omit<AssumeRoleCommandOutput, '$metadata'>> = (
    { RoleArn = '', RoleSessionName = '', DurationSeconds },
    call,
  ) => {
    if (!/^[\w+=,.@-]{2,64}$/.test(RoleSessionName))
      throw new ServiceError(
        'ValidationError',
        `RoleSessionName is "${RoleSessionName}"; allowed are 2 to 64 letters, digits and _+=,.@-.`,
      );
    const name = RoleArn.slice(RoleArn.lastIndexOf('/') + 1);
    const role = iam.role(name);
    // As on AWS, where a role that is not there cannot be told from one that may not be assumed.
    if (role === undefined || role.arn !== RoleArn)
      throw new ServiceError(
        'AccessDenied',
        `User: ${callerOf(call).arn} is not authorized to perform: sts:AssumeRole on resource: ${RoleArn}`,
        { statusCode: 403 },
      );
    const arn = `arn:aws:sts::${context.account}:assumed-role/${name}/${RoleSessionName}`;
    const userId = `${role.id ?? 'AROA00000000000000000'}:${RoleSessionName}`;
    return {
      Credentials: credentialsFor('AssumeRole', DurationSeconds, { arn, userId }),
      AssumedRoleUser: { Arn: arn, AssumedRoleId: userId },
    };
  };
  const GetSessionToken = ({ DurationSeconds }: GetSessionTokenCommandInput, call: Call) => ({
    Credentials: credentialsFor('GetSessionToken', DurationSeconds, callerOf(call)),
  });
  return { id: 'sts', operations: { GetCallerIdentity, AssumeRole, GetSessionToken } };
}
