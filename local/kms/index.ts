import type { Authority } from '../iam/index.ts';
import type { Service } from '../service.ts';
import { createKeyAccess } from './access.ts';
import { aliasOperations } from './alias-operations.ts';
import { cryptographicOperations } from './cryptography.ts';
import { createKeyGuard, type KeyGuard } from './guard.ts';
import { createKeyJudge } from './judge.ts';
import { keyOperations } from './key-operations.ts';
import { createKeyStore, type KeyContext } from './keys.ts';
import { policyOperations } from './policy-operations.ts';

export type { KeyGuard, Purpose, Via } from './guard.ts';

/** The model of KMS. */
export interface KmsModel extends Service {
  readonly id: 'kms';
  /** What services ask before they use a key. */
  readonly keys: KeyGuard;
}

const grants = 'the model has no grants: let the policy of the key, or of the role, allow what is needed';
const asymmetric = 'the model has symmetric keys only';

/**
 * A model of KMS: symmetric keys with their policies, states, rotation and deletion, aliases, the keys that AWS manages
 * for each service (`alias/aws/sqs`), and encryption with AES-256-GCM under an encryption context.
 *
 * @param authority - judges roles where a key's policy leaves it to the account; without it all of them may
 * @param policies - counts the changes of roles and policies: what was decided before a change is forgotten
 * @example
 * ```ts
 * const kms = createKms(context);
 * const { KeyMetadata } = kms.operations.CreateKey({ Description: 'orders' }, {});
 * kms.keys.use(KeyMetadata.Arn, undefined, 'encrypt', 'sqs');
 * ```
 */
export function createKms(
  context: KeyContext,
  authority?: Authority,
  policies: { version(): number } = { version: () => 0 },
) {
  const store = createKeyStore(context);
  const judge = createKeyJudge(context, authority);
  const access = createKeyAccess(store, judge, authority);
  return {
    id: 'kms',
    operations: {
      ...keyOperations(access, judge),
      ...policyOperations(access, judge),
      ...aliasOperations(access),
      ...cryptographicOperations(access),
    },
    leftOut: {
      CreateGrant: grants,
      ListGrants: grants,
      RetireGrant: grants,
      RevokeGrant: grants,
      Sign: asymmetric,
      Verify: asymmetric,
      GetPublicKey: asymmetric,
      GenerateMac: asymmetric,
      VerifyMac: asymmetric,
    },
    keys: createKeyGuard(store, judge, policies),
  } as const satisfies KmsModel;
}
