import { minutes, toMilliseconds, uuid } from '../../lib/base/index.ts';
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

/** So long a decision is kept, as SNS, SQS (by default) and DynamoDB keep a data key. */
const kept = toMilliseconds(minutes(5));
/** So many decisions are kept. */
const most = 10_000;

/**
 * Guards the keys of a store. A decision holds until a key, an alias, a role or a policy changes, and five minutes at
 * most, since a condition may look at the time. On AWS one that was made holds in any case for as long as the service
 * keeps its data key (SQS: KmsDataKeyReusePeriodSeconds). The model takes a permission away at once, so that a test sees
 * it.
 *
 * @param policies - counts the changes of roles and their policies
 */
export function createKeyGuard(store: KeyStore, judge: KeyJudge, policies: { version(): number }): KeyGuard {
  const { context } = store;
  /** Until when a use is known to be allowed. */
  const allowed = new Map<string, number>();
  let revision = -1;
  let version = -1;

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
      if (revision !== store.revision() || version !== policies.version()) {
        revision = store.revision();
        version = policies.version();
        allowed.clear();
      }
      const now = context.clock.now();
      const decision = nameOf(keyId, principal, purpose, via, encryption);
      if (now < (allowed.get(decision) ?? 0)) return;
      try {
        demand(store.find(keyId), principal, purpose, via, encryption);
      } catch (error) {
        if (!isKeyError(error)) throw error;
        throw inWordsOf(via, error, encryption, uuid(context.random));
      }
      if (allowed.size >= most) allowed.clear();
      allowed.set(decision, now + kept);
    },
  };
}

/** What a decision depends on, but for what is counted. */
function nameOf(
  keyId: string,
  principal: Principal | undefined,
  purpose: Purpose,
  via: Via,
  encryption: Readonly<Record<string, string>>,
): string {
  let name = `${via} ${purpose} ${keyId}`;
  if (principal !== undefined) {
    const { role, session, service, sourceArn, sourceAccount } = principal;
    name += ` ${role} ${session} ${service} ${sourceArn} ${sourceAccount}`;
  }
  for (const key in encryption) name += ` ${encryption[key]}`;
  return name;
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
