import { seededRandom } from '../../lib/base/index.ts';
import type { Principal } from '../service.ts';
import { temporaryCredentials } from './rules.ts';

/** Keys of a session, as STS answers them. */
export interface SessionKeys {
  readonly AccessKeyId: string;
  readonly SecretAccessKey: string;
  readonly SessionToken: string;
}

/** Whose calls they are that are signed with a key of a session. */
export interface Sessions {
  /** The principal of a key; nothing for a key that no session has: the administrator's. */
  principal(accessKeyId: string): Principal | undefined;
  /** Remembers whose a key is, among the youngest 10,000. */
  remember(accessKeyId: string, principal: Principal): void;
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
  const random = seededRandom(20_110_615);
  const lasting = new Map<string, Principal>();
  const youngest = new Map<string, Principal>();
  const remember = (accessKeyId: string, principal: Principal) => {
    youngest.set(accessKeyId, principal);
    if (youngest.size > remembered) youngest.delete(youngest.keys().next().value as string);
  };
  return {
    remember,
    principal: (accessKeyId) => lasting.get(accessKeyId) ?? youngest.get(accessKeyId),
    open(principal) {
      const keys = temporaryCredentials(random);
      lasting.set(keys.AccessKeyId, principal);
      return keys;
    },
    close(accessKeyId) {
      const principal = lasting.get(accessKeyId);
      if (principal === undefined) return;
      lasting.delete(accessKeyId);
      remember(accessKeyId, principal);
    },
  };
}
