import { type Random, seededRandom } from '../../lib/base/index.ts';
import { type Principal, ServiceError, type ServiceId } from '../service.ts';
import { roleKey, temporaryCredentials } from './rules.ts';

/** Keys of a session, as STS answers them. */
export interface SessionKeys {
  readonly AccessKeyId: string;
  readonly SecretAccessKey: string;
  readonly SessionToken: string;
}

/** Whose calls they are that are signed with a key of a session. */
export interface Sessions {
  /**
   * The principal of a key; nothing for a key that no session ever had: the administrator's.
   *
   * @param sessionToken - the token that came with the key; left out, it is not compared
   * @param service - whose error it is
   * @throws {ServiceError} for a session of a role that is long forgotten, and for another session's token
   */
  principal(accessKeyId: string, sessionToken?: string, service?: ServiceId): Principal | undefined;
  /** Makes keys of a session of a role, and remembers whose they are, among the youngest 10,000. */
  make(random: Random, principal: Principal): SessionKeys;
  /** Keys of a session that lasts until {@link Sessions.close}, of a function's environment. */
  open(principal: Principal): SessionKeys;
  /** The session is over; a call that is still under way is known for a while. */
  close(accessKeyId: string): void;
}

/** So many sessions without a known end are remembered, the youngest. */
const remembered = 10_000;

/**
 * An account's sessions.
 *
 * @example
 * ```ts
 * const { AccessKeyId } = sessions.open({ role, session: 'orders-payments' });
 * sessions.principal(AccessKeyId); // { role, session: 'orders-payments' }
 * ```
 */
export function createSessions(): Sessions {
  // Keys have a chance of their own: those of a run do not depend on how many environments it started.
  const own = seededRandom(20_110_615);
  const lasting = new Map<string, Session>();
  const youngest = new Map<string, Session>();
  const remember = (accessKeyId: string, session: Session) => {
    youngest.set(accessKeyId, session);
    if (youngest.size > remembered) youngest.delete(youngest.keys().next().value as string);
  };
  return {
    make(random, principal) {
      const keys = temporaryCredentials(random, roleKey);
      remember(keys.AccessKeyId, { principal, token: keys.SessionToken });
      return keys;
    },
    principal(accessKeyId, sessionToken, service) {
      const session = lasting.get(accessKeyId) ?? youngest.get(accessKeyId);
      if (session === undefined) {
        // Whoever was a role never becomes the administrator.
        if (accessKeyId.startsWith(roleKey)) throw invalidToken(service);
        return undefined;
      }
      if (sessionToken !== undefined && sessionToken !== session.token) throw invalidToken(service);
      return session.principal;
    },
    open(principal) {
      const keys = temporaryCredentials(own, roleKey);
      lasting.set(keys.AccessKeyId, { principal, token: keys.SessionToken });
      return keys;
    },
    close(accessKeyId) {
      const session = lasting.get(accessKeyId);
      if (session === undefined) return;
      lasting.delete(accessKeyId);
      remember(accessKeyId, session);
    },
  };
}

interface Session {
  readonly principal: Principal;
  readonly token: string;
}

/** Services that say it in the words of the query protocol; the others have the JSON protocols' code for it. */
const queryServices: ReadonlySet<ServiceId | undefined> = new Set([
  ...(['cloudformation', 'cloudwatch', 'iam', 'sns', 'sqs', 'sts'] as const),
  undefined,
]);

/** The common errors of each API reference. */
function invalidToken(service: ServiceId | undefined): ServiceError {
  const text = 'The security token included in the request is invalid.';
  if (service === 's3')
    return new ServiceError('InvalidToken', 'The provided token is malformed or otherwise invalid.');
  return queryServices.has(service)
    ? new ServiceError('InvalidClientTokenId', text, { statusCode: 403 })
    : new ServiceError('UnrecognizedClientException', text);
}
