import {
  CancelKeyDeletionCommand,
  CreateAliasCommand,
  CreateGrantCommand,
  CreateKeyCommand,
  DecryptCommand,
  DeleteAliasCommand,
  DescribeKeyCommand,
  DisableKeyCommand,
  EnableKeyRotationCommand,
  EncryptCommand,
  GenerateDataKeyCommand,
  GetKeyPolicyCommand,
  GetKeyRotationStatusCommand,
  KMSClient,
  ListAliasesCommand,
  ListKeysCommand,
  ListResourceTagsCommand,
  PutKeyPolicyCommand,
  ReEncryptCommand,
  RotateKeyOnDemandCommand,
  ScheduleKeyDeletionCommand,
} from '@aws-sdk/client-kms';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEndpoint, type Endpoint } from '../../../local/http/index.ts';
import { accountDecides, policy, root, type World, world } from './support.ts';

let own: World;
let endpoint: Endpoint;
let kms: KMSClient;

beforeEach(async () => {
  own = world();
  endpoint = await createEndpoint(own.aws, { port: 0 });
  kms = new KMSClient({
    endpoint: endpoint.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
});
afterEach(async () => {
  kms.destroy();
  await endpoint.close();
  own.aws.stop();
});

const make = async (input: object = {}) => {
  const { KeyMetadata } = await kms.send(new CreateKeyCommand(input));
  return KeyMetadata!.KeyId!;
};
const text = (value: string) => new TextEncoder().encode(value);
const refused = (promise: Promise<unknown>, name: string, message?: RegExp) =>
  expect(promise).rejects.toMatchObject({
    name,
    ...(message === undefined ? {} : { message: expect.stringMatching(message) }),
  });

describe('Keys, as the SDK sees them', () => {
  it('are made, described and listed', async () => {
    const KeyId = await make({ Description: 'orders', Tags: [{ TagKey: 'team', TagValue: 'shop' }] });
    const Arn = `arn:aws:kms:us-east-1:000000000000:key/${KeyId}`;
    for (const reference of [KeyId, Arn]) {
      const { KeyMetadata } = await kms.send(new DescribeKeyCommand({ KeyId: reference }));
      expect(KeyMetadata).toMatchObject({
        ...{ KeyId, Arn, Description: 'orders', Enabled: true, KeyState: 'Enabled', KeyManager: 'CUSTOMER' },
        ...{ KeySpec: 'SYMMETRIC_DEFAULT', KeyUsage: 'ENCRYPT_DECRYPT', MultiRegion: false },
        CreationDate: expect.any(Date),
      });
    }
    expect((await kms.send(new ListKeysCommand({}))).Keys).toEqual([{ KeyId, KeyArn: Arn }]);
    const { Tags } = await kms.send(new ListResourceTagsCommand({ KeyId }));
    expect(Tags).toEqual([{ TagKey: 'team', TagValue: 'shop' }]);
    await refused(
      kms.send(new DescribeKeyCommand({ KeyId: 'nothing' })),
      'NotFoundException',
      /Invalid keyId/,
    );
    await refused(make({ KeySpec: 'RSA_2048' }), 'UnsupportedOperationException', /SYMMETRIC_DEFAULT only/);
  });

  it('encrypt what they alone decrypt, under the same encryption context', async () => {
    const [KeyId, other] = [await make(), await make()];
    const EncryptionContext = { order: '1', shop: 'a' };
    const { CiphertextBlob } = await kms.send(
      new EncryptCommand({ KeyId, Plaintext: text('secret'), EncryptionContext }),
    );
    expect(Buffer.from(CiphertextBlob!).includes('secret')).toBe(false);
    const decrypt = (input: object) =>
      kms.send(new DecryptCommand({ CiphertextBlob, EncryptionContext, ...input }));
    const { Plaintext } = await decrypt({ EncryptionContext: { shop: 'a', order: '1' } });
    expect(Buffer.from(Plaintext!).toString()).toBe('secret');
    await refused(decrypt({ EncryptionContext: { order: '2', shop: 'a' } }), 'InvalidCiphertextException');
    await refused(decrypt({ CiphertextBlob: text('nonsense') }), 'InvalidCiphertextException');
    await refused(decrypt({ KeyId: other }), 'IncorrectKeyException');
    const changed = Uint8Array.from(CiphertextBlob!);
    changed[changed.length - 1]! ^= 1;
    await refused(decrypt({ CiphertextBlob: changed }), 'InvalidCiphertextException');
  });

  it('decrypt what they encrypted before a rotation, and hand it over to another key', async () => {
    const [KeyId, other] = [await make(), await make()];
    const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext: text('old') }));
    await kms.send(new RotateKeyOnDemandCommand({ KeyId }));
    const moved = await kms.send(new ReEncryptCommand({ CiphertextBlob, DestinationKeyId: other }));
    const { Plaintext, KeyId: by } = await kms.send(
      new DecryptCommand({ CiphertextBlob: moved.CiphertextBlob }),
    );
    expect(Buffer.from(Plaintext!).toString()).toBe('old');
    expect(by).toMatch(new RegExp(`${other}$`));
  });

  it('make data keys', async () => {
    const KeyId = await make();
    const { Plaintext, CiphertextBlob } = await kms.send(
      new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256' }),
    );
    expect(Plaintext).toHaveLength(32);
    const decrypted = await kms.send(new DecryptCommand({ CiphertextBlob }));
    expect(Buffer.from(decrypted.Plaintext!).equals(Buffer.from(Plaintext!))).toBe(true);
  });

  it('have aliases, and AWS has its own', async () => {
    const TargetKeyId = await make();
    const alias = (AliasName: string) => kms.send(new CreateAliasCommand({ AliasName, TargetKeyId }));
    await alias('alias/orders');
    await refused(alias('alias/orders'), 'AlreadyExistsException', /alias\/orders already exists$/);
    await refused(alias('orders'), 'InvalidAliasNameException');
    await refused(alias('alias/aws/mine'), 'NotAuthorizedException');
    const { KeyMetadata } = await kms.send(new DescribeKeyCommand({ KeyId: 'alias/orders' }));
    expect(KeyMetadata!.KeyId).toBe(TargetKeyId);
    const { Aliases } = await kms.send(new ListAliasesCommand({}));
    expect(Aliases!.map(({ AliasName }) => AliasName)).toEqual(
      expect.arrayContaining(['alias/aws/sns', 'alias/aws/sqs', 'alias/orders']),
    );
    const managed = await kms.send(new DescribeKeyCommand({ KeyId: 'alias/aws/sqs' }));
    expect(managed.KeyMetadata!.KeyManager).toBe('AWS');
    await refused(
      kms.send(new EncryptCommand({ KeyId: 'alias/aws/sqs', Plaintext: text('a') })),
      'AccessDeniedException',
    );
    await kms.send(new DeleteAliasCommand({ AliasName: 'alias/orders' }));
    await refused(kms.send(new DescribeKeyCommand({ KeyId: 'alias/orders' })), 'NotFoundException');
  });

  it('rotate, are disabled, and wait for their deletion', async () => {
    const KeyId = await make();
    await kms.send(new EnableKeyRotationCommand({ KeyId, RotationPeriodInDays: 90 }));
    expect(await kms.send(new GetKeyRotationStatusCommand({ KeyId }))).toMatchObject({
      KeyRotationEnabled: true,
      RotationPeriodInDays: 90,
    });
    await refused(
      kms.send(new EnableKeyRotationCommand({ KeyId, RotationPeriodInDays: 1 })),
      'ValidationException',
    );
    await kms.send(new DisableKeyCommand({ KeyId }));
    const encrypt = () => kms.send(new EncryptCommand({ KeyId, Plaintext: text('a') }));
    await refused(encrypt(), 'DisabledException', /is disabled\.$/);
    await refused(
      kms.send(new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: 6 })),
      'ValidationException',
    );
    expect(await kms.send(new ScheduleKeyDeletionCommand({ KeyId }))).toMatchObject({
      KeyState: 'PendingDeletion',
      PendingWindowInDays: 30,
    });
    await refused(encrypt(), 'KMSInvalidStateException', /is pending deletion\.$/);
    await kms.send(new CancelKeyDeletionCommand({ KeyId }));
    // It comes back disabled.
    await refused(encrypt(), 'DisabledException');
  });

  it('keep a policy under which it can be changed again', async () => {
    const KeyId = await make({ Policy: policy(accountDecides) });
    const { Policy } = await kms.send(new GetKeyPolicyCommand({ KeyId }));
    expect(JSON.parse(Policy!)).toMatchObject({ Statement: [{ Principal: { AWS: root } }] });
    const put = (text: string) => kms.send(new PutKeyPolicyCommand({ KeyId, Policy: text }));
    const lockedOut = policy({ Principal: { Service: 'sns.amazonaws.com' }, Action: 'kms:*' });
    await refused(
      put(lockedOut),
      'MalformedPolicyDocumentException',
      /will not allow you to update the key policy/,
    );
    await refused(make({ Policy: lockedOut }), 'MalformedPolicyDocumentException');
    await refused(put('{'), 'MalformedPolicyDocumentException', /not valid JSON/);
    await make({ Policy: lockedOut, BypassPolicyLockoutSafetyCheck: true });
  });

  it('have no grants, and say what to do', () =>
    refused(
      kms.send(new CreateGrantCommand({ KeyId: 'a', GranteePrincipal: 'b', Operations: ['Decrypt'] })),
      'UnknownOperationException',
      /the model has no grants: let the policy/,
    ));
});
