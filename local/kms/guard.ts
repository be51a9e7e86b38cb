import { uuid } from '../../lib/base/index.ts';
import { type Principal, ServiceError } from '../service.ts';
import { isKeyError, type KeyJudge, keyErrors } from './judge.ts';
import { demandUsable, type Key, type KeyStore } from './keys.ts';

/** The services that use keys for what they keep. */
export type Via = 'sqs' | 'sns' | 'dynamodb' | 'lambda' | 'logs';

/** How a service uses a key: to write it needs a data key, and to open the data key that it has; to read only that. */
export type Purpose = 'encrypt' | 'decrypt';

/**
 * What services ask before they use a key on somebody's behalf.
 *
 * @example
 * ```ts
 * if (queue.settings.keyId !== undefined)
 *   keys.use(queue.settings.keyId, call.principal, 'encrypt', 'sqs', { 'aws:sqs:arn': queue.arn });
 * ```
 */
export interface KeyGuard {
  /**
   * Lets the use of a key pass.
   *
   * @param keyId - id, ARN, alias or its ARN; without one there is nothing to ask
   * @param principal - who called the service; nothing for the account's administrator
   * @param context - the encryption context, for `kms:EncryptionContext:...` in policies
   * @throws ServiceError what the service answers when the key is not there, is disabled, waits for its deletion, or when
   * the principal may not use it: in SQS `KmsAccessDenied`, in SNS `KMSAccessDeniedException`
   */
  use(
    keyId: string | undefined,
    principal: Principal | undefined,
    purpose: Purpose,
    via: Via,
    context?: Readonly<Record<string, string>>,
  ): void;
  /**
   * The ARN of the key that a reference names.
   *
   * @throws ServiceError NotFoundException of KMS
   */
  arnOf(keyId: string): string;
}

/** SQS and SNS ask for both (their developer guides, "Key management"); others open the one data key that they have. */
const actions: Readonly<Record<Via, Readonly<Record<Purpose, readonly string[]>>>> = {
  sqs: { encrypt: ['kms:GenerateDataKey', 'kms:Decrypt'], decrypt: ['kms:Decrypt'] },
  sns: { encrypt: ['kms:GenerateDataKey', 'kms:Decrypt'], decrypt: ['kms:Decrypt'] },
  dynamodb: { encrypt: ['kms:Decrypt'], decrypt: ['kms:Decrypt'] },
  lambda: { encrypt: ['kms:Encrypt'], decrypt: ['kms:Decrypt'] },
  logs: { encrypt: ['kms:Encrypt', 'kms:GenerateDataKey', 'kms:Decrypt'], decrypt: ['kms:Decrypt'] },
};

/**
 * Guards the keys of a store. A decision holds until a key, an alias or a policy changes; on AWS one that was made may
 * hold for as long as the service keeps its data key (SQS: KmsDataKeyReusePeriodSeconds, 5 minutes by default; SNS and
 * DynamoDB: 5 minutes). The model takes a permission away at once, so that a test sees it.
 *
 * @param judgedByKey - whether a principal's own policies play no part, so that the decision on it can be kept
 */
export function createKeyGuard(
  store: KeyStore,
  judge: KeyJudge,
  judgedByKey: (principal: Principal | undefined) => boolean,
): KeyGuard {
  const { context } = store;
  let decided = new Set<string>();
  let revision = -1;

  const demand = (
    key: Key,
    principal: Principal | undefined,
    purpose: Purpose,
    via: Via,
    encryption: Readonly<Record<string, string>>,
  ) => {
    demandUsable(key);
    const conditions: Record<string, string> = {
      'kms:ViaService': `${via}.${context.region}.amazonaws.com`,
      'kms:EncryptionContextKeys': Object.keys(encryption).join(','),
    };
    for (const name in encryption) conditions[`kms:EncryptionContext:${name}`] = encryption[name]!;
    for (const action of actions[via][purpose]) judge(key, principal, { action, conditions });
  };

  return {
    arnOf: (keyId) => store.find(keyId).arn,
    use(keyId, principal, purpose, via, encryption = {}) {
      if (keyId === undefined) return;
      const kept = judgedByKey(principal);
      let decision = '';
      if (kept) {
        if (revision !== store.revision()) {
          revision = store.revision();
          decided = new Set();
        }
        decision = `${via} ${purpose} ${keyId} ${principal?.service ?? ''} ${principal?.sourceArn ?? ''} ${Object.values(encryption).join(' ')}`;
        if (decided.has(decision)) return;
      }
      try {
        demand(store.find(keyId), principal, purpose, via, encryption);
      } catch (error) {
        if (!isKeyError(error)) throw error;
        throw inWordsOf(via, error, encryption, uuid(context.random));
      }
      if (kept) decided.add(decision);
    },
  };
}

/** The error of KMS as the service that used the key hands it on. */
function inWordsOf(
  via: Via,
  cause: ServiceError,
  context: Readonly<Record<string, string>>,
  requestId: string,
): ServiceError {
  const kind = keyErrors[cause.name]!;
  const text = `${cause.message} (Service: AWSKMS; Status Code: 400; Error Code: ${cause.name}; Request ID: ${requestId}; Proxy: null)`;
  switch (via) {
    case 'sqs':
      return new ServiceError(`Kms${kind}`, text, { queryCode: `KMS.${kind}Exception`, cause });
    case 'sns':
      return new ServiceError(`KMS${kind}Exception`, text, { queryCode: `KMS${kind}`, cause });
    case 'dynamodb':
      return new ServiceError('AccessDeniedException', `KMS key access denied error: ${cause.message}`, {
        cause,
      });
    case 'lambda':
      return new ServiceError(`KMS${kind}Exception`, lambdaText(kind, cause), { statusCode: 502, cause });
    case 'logs':
      return new ServiceError(
        'InvalidParameterException',
        `The specified KMS key does not exist or is not allowed to be used with Arn '${context['aws:logs:arn']}'`,
        { cause },
      );
  }
}

/** Sentences of the Lambda API reference, Invoke, "Errors". */
function lambdaText(kind: (typeof keyErrors)[string], cause: ServiceError): string {
  const why = {
    AccessDenied: 'KMS access was denied',
    Disabled: 'the KMS key used is disabled',
    InvalidState: 'the state of the KMS key used is not valid for Decrypt',
    NotFound: 'the KMS key was not found',
  }[kind];
  return `Lambda was unable to decrypt the environment variables because ${why}. Please check the function's KMS key settings. KMS Exception: ${cause.name} KMS Message: ${cause.message}`;
}
