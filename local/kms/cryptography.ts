import { createCipheriv, createDecipheriv } from 'node:crypto';
import type {
  DecryptCommandInput,
  EncryptCommandInput,
  GenerateDataKeyCommandInput,
  GenerateDataKeyWithoutPlaintextCommandInput,
  GenerateRandomCommandInput,
  ReEncryptCommandInput,
} from '@aws-sdk/client-kms';
import { type Call, ServiceError } from '../service.ts';
import type { KeyAccess } from './access.ts';
import { validation } from './errors.ts';
import { demandUsable, type Key, newMaterial } from './keys.ts';

type Context = Readonly<Record<string, string>>;

const algorithm = 'aes-256-gcm';
/** Bytes of what is encrypted directly (KMS API reference, Encrypt). */
const mostPlaintext = 4_096;
const ivLength = 12;
const tagLength = 16;

/** The actions that encrypt and decrypt: AES-256-GCM, with the encryption context as what is authenticated beside it. */
export function cryptographicOperations({ store, demand, demandAction }: KeyAccess) {
  const usable = (reference: string | undefined, action: string, call: Call, context: Context): Key => {
    const key = demand(reference, action, call, context);
    demandUsable(key);
    return key;
  };
  const encrypt = (key: Key, plaintext: Uint8Array, context: Context): Uint8Array => {
    const iv = newMaterial(store.context, ivLength);
    const version = key.material.length - 1;
    const cipher = createCipheriv(algorithm, key.material[version]!, iv);
    cipher.setAAD(authenticated(context));
    const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    const head = Buffer.from(`${key.id}:${version}\n`);
    return Buffer.concat([head, iv, cipher.getAuthTag(), body]);
  };
  const keyOf = (blob: Uint8Array): { key: Key; version: number; rest: Buffer } => {
    const bytes = Buffer.from(blob);
    const end = bytes.indexOf('\n');
    const [, id, version] = /^([0-9a-z-]+):(\d+)$/.exec(bytes.subarray(0, Math.max(0, end)).toString()) ?? [];
    if (id === undefined || bytes.length < end + 1 + ivLength + tagLength) throw invalidCiphertext();
    return { key: store.find(id), version: Number(version), rest: bytes.subarray(end + 1) };
  };
  const decrypt = ({ key, version, rest }: ReturnType<typeof keyOf>, context: Context): Uint8Array => {
    const material = key.material[version];
    if (material === undefined) throw invalidCiphertext();
    const decipher = createDecipheriv(algorithm, material, rest.subarray(0, ivLength));
    decipher.setAAD(authenticated(context));
    decipher.setAuthTag(rest.subarray(ivLength, ivLength + tagLength));
    try {
      return Buffer.concat([decipher.update(rest.subarray(ivLength + tagLength)), decipher.final()]);
    } catch (cause) {
      throw invalidCiphertext(cause);
    }
  };
  const open = (
    input: Pick<DecryptCommandInput, 'CiphertextBlob' | 'KeyId' | 'EncryptionContext'>,
    action: string,
    call: Call,
  ) => {
    const found = keyOf(input.CiphertextBlob ?? new Uint8Array());
    const context = input.EncryptionContext ?? {};
    if (input.KeyId !== undefined && store.find(input.KeyId) !== found.key)
      throw new ServiceError(
        'IncorrectKeyException',
        'The key ID in the request does not identify a CMK that can perform this operation.',
      );
    usable(found.key.id, action, call, context);
    return { plaintext: decrypt(found, context), key: found.key };
  };
  const dataKey = (
    input: GenerateDataKeyCommandInput | GenerateDataKeyWithoutPlaintextCommandInput,
    action: string,
    call: Call,
  ) => {
    const context = input.EncryptionContext ?? {};
    const key = usable(input.KeyId, action, call, context);
    const plaintext = newMaterial(store.context, lengthOf(input));
    return { KeyId: key.arn, CiphertextBlob: encrypt(key, plaintext, context), plaintext };
  };

  return {
    Encrypt(input: EncryptCommandInput, call: Call) {
      const plaintext = input.Plaintext ?? new Uint8Array();
      if (plaintext.byteLength < 1 || plaintext.byteLength > mostPlaintext)
        throw validation(
          `1 validation error detected: Value at 'plaintext' failed to satisfy constraint: Member must have length less than or equal to ${mostPlaintext}`,
        );
      const context = input.EncryptionContext ?? {};
      const key = usable(input.KeyId, 'Encrypt', call, context);
      return {
        KeyId: key.arn,
        CiphertextBlob: encrypt(key, plaintext, context),
        EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' as const,
      };
    },
    Decrypt(input: DecryptCommandInput, call: Call) {
      const { key, plaintext } = open(input, 'Decrypt', call);
      return {
        KeyId: key.arn,
        Plaintext: plaintext,
        EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' as const,
      };
    },
    ReEncrypt(input: ReEncryptCommandInput, call: Call) {
      const source = open(
        {
          CiphertextBlob: input.CiphertextBlob,
          KeyId: input.SourceKeyId,
          EncryptionContext: input.SourceEncryptionContext,
        },
        'ReEncryptFrom',
        call,
      );
      const context = input.DestinationEncryptionContext ?? {};
      const key = usable(input.DestinationKeyId, 'ReEncryptTo', call, context);
      return {
        CiphertextBlob: encrypt(key, source.plaintext, context),
        SourceKeyId: source.key.arn,
        KeyId: key.arn,
        SourceEncryptionAlgorithm: 'SYMMETRIC_DEFAULT' as const,
        DestinationEncryptionAlgorithm: 'SYMMETRIC_DEFAULT' as const,
      };
    },
    GenerateDataKey(input: GenerateDataKeyCommandInput, call: Call) {
      const { plaintext, ...rest } = dataKey(input, 'GenerateDataKey', call);
      return { ...rest, Plaintext: plaintext };
    },
    GenerateDataKeyWithoutPlaintext(input: GenerateDataKeyWithoutPlaintextCommandInput, call: Call) {
      const { plaintext: _, ...rest } = dataKey(input, 'GenerateDataKeyWithoutPlaintext', call);
      return rest;
    },
    GenerateRandom({ NumberOfBytes: length = 0 }: GenerateRandomCommandInput, call: Call) {
      demandAction('GenerateRandom', call);
      checkLength(length);
      return { Plaintext: newMaterial(store.context, length) };
    },
  };
}

function lengthOf({
  KeySpec,
  NumberOfBytes,
}: Pick<GenerateDataKeyCommandInput, 'KeySpec' | 'NumberOfBytes'>) {
  if ((KeySpec === undefined) === (NumberOfBytes === undefined))
    throw validation('Please specify either number of bytes or key spec.');
  const length = NumberOfBytes ?? (KeySpec === 'AES_128' ? 16 : 32);
  checkLength(length);
  return length;
}

function checkLength(length: number): void {
  if (!Number.isInteger(length) || length < 1 || length > 1_024)
    throw validation(`NumberOfBytes is ${length}; allowed are whole numbers from 1 to 1024.`);
}

/** The encryption context in an order of its own: it is the same in whatever order it is written. */
const authenticated = (context: Context): Buffer =>
  Buffer.from(JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))));

const invalidCiphertext = (cause?: unknown) => new ServiceError('InvalidCiphertextException', '', { cause });
