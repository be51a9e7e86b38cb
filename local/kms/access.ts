import type { Authority } from '../iam/index.ts';
import type { Call } from '../service.ts';
import { validation } from './errors.ts';
import type { KeyJudge } from './judge.ts';
import type { Key, KeyStore } from './keys.ts';

/** What all actions share: the keys, and who may do what with them. */
export interface KeyAccess {
  readonly store: KeyStore;
  /**
   * The key that a request names, if the caller may do this with it.
   *
   * @param action - without its prefix: `DescribeKey`
   * @throws ServiceError NotFoundException, AccessDeniedException
   */
  demand(
    reference: string | undefined,
    action: string,
    call: Call,
    context?: Readonly<Record<string, string>>,
  ): Key;
  /**
   * Lets a caller do what is about no key that is there.
   *
   * @throws ServiceError AccessDeniedException
   */
  demandAction(action: string, call: Call): void;
}

/** The keys of a store, for callers who are judged. */
export function createKeyAccess(
  store: KeyStore,
  judge: KeyJudge,
  authority: Authority | undefined,
): KeyAccess {
  return {
    store,
    demandAction(action, call) {
      if (call.principal?.role !== undefined)
        authority?.demand(call, { action: `kms:${action}`, resource: '*' });
    },
    demand(reference, action, { principal }, context = {}) {
      if (reference === undefined || reference === '')
        throw validation(
          "1 validation error detected: Value null at 'keyId' failed to satisfy constraint: Member must not be null",
        );
      const key = store.find(reference);
      const conditions = Object.fromEntries(
        Object.entries(context).map(([name, value]) => [`kms:EncryptionContext:${name}`, value]),
      );
      judge(key, principal, { action: `kms:${action}`, conditions });
      return key;
    },
  };
}
