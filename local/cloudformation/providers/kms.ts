import type { CreateKeyCommandOutput } from '@aws-sdk/client-kms';
import {
  asBoolean,
  asNumber,
  asText,
  call,
  defined,
  type Properties,
  type ProviderContext,
  type ResourceProvider,
  tagsOf,
} from '../provider.ts';
import { differs, orRemoved, refuseTaken, tagChanges, unlessGone } from './changes.ts';

/** A key that somebody deletes is one that is deleted. */
const gone = ['NotFoundException', 'KMSInvalidStateException'];

const keyTags = (tags: Readonly<Record<string, string>>) =>
  Object.entries(tags).map(([TagKey, TagValue]) => ({ TagKey, TagValue }));

/** Days until a key is deleted that its stack lets go of (template reference, AWS::KMS::Key, PendingWindowInDays). */
const window = (properties: Properties) => asNumber(properties.PendingWindowInDays) ?? 30;

async function setRotation(KeyId: string, properties: Properties, { services: { kms } }: ProviderContext) {
  if (asBoolean(properties.EnableKeyRotation) !== true) return call(kms, 'DisableKeyRotation', { KeyId });
  const RotationPeriodInDays = asNumber(properties.RotationPeriodInDays) ?? 365;
  return call(kms, 'EnableKeyRotation', { KeyId, RotationPeriodInDays });
}

const setEnabled = (KeyId: string, { Enabled }: Properties, { services: { kms } }: ProviderContext) =>
  call(kms, asBoolean(Enabled) === false ? 'DisableKey' : 'EnableKey', { KeyId });

/** AWS::KMS::Key: a symmetric key. Without a policy it has the default one, which lets the account decide. */
export const key: ResourceProvider = {
  properties: [
    'BypassPolicyLockoutSafetyCheck',
    'Description',
    'Enabled',
    'EnableKeyRotation',
    'KeyPolicy',
    'KeySpec',
    'KeyUsage',
    'MultiRegion',
    'Origin',
    'PendingWindowInDays',
    'RotationPeriodInDays',
    'Tags',
  ],
  attributes: ['Arn', 'KeyId'],
  needs: { kms: ['CreateKey', 'ScheduleKeyDeletion'] },
  replacedBy: ['KeySpec', 'KeyUsage', 'MultiRegion', 'Origin'],
  async create(properties, provider) {
    const { kms } = provider.services;
    const { KeyMetadata } = await call<CreateKeyCommandOutput>(
      kms,
      'CreateKey',
      defined({
        BypassPolicyLockoutSafetyCheck: asBoolean(properties.BypassPolicyLockoutSafetyCheck),
        Description: properties.Description,
        KeySpec: properties.KeySpec,
        KeyUsage: properties.KeyUsage,
        MultiRegion: asBoolean(properties.MultiRegion),
        Origin: properties.Origin,
        Policy: properties.KeyPolicy === undefined ? undefined : asText(properties.KeyPolicy),
        Tags: keyTags(tagsOf(properties.Tags)),
      }),
    );
    const KeyId = KeyMetadata?.KeyId ?? '';
    await orRemoved(
      async () => {
        if (asBoolean(properties.EnableKeyRotation) === true) await setRotation(KeyId, properties, provider);
        if (asBoolean(properties.Enabled) === false) await setEnabled(KeyId, properties, provider);
      },
      () => call(kms, 'ScheduleKeyDeletion', { KeyId, PendingWindowInDays: window(properties) }),
    );
    return { physicalId: KeyId, attributes: { Arn: KeyMetadata?.Arn, KeyId } };
  },
  async update(made, before, after, provider) {
    const { kms } = provider.services;
    const KeyId = made.physicalId;
    if (differs(before, after, 'KeyPolicy', 'BypassPolicyLockoutSafetyCheck')) {
      await call(kms, 'PutKeyPolicy', {
        KeyId,
        Policy: after.KeyPolicy === undefined ? defaultPolicy(provider) : asText(after.KeyPolicy),
        BypassPolicyLockoutSafetyCheck: asBoolean(after.BypassPolicyLockoutSafetyCheck) === true,
      });
    }
    if (differs(before, after, 'Description')) {
      await call(kms, 'UpdateKeyDescription', { KeyId, Description: asText(after.Description ?? '') });
    }
    // Rotation is changed of an enabled key only.
    const isEnabled = asBoolean(after.Enabled) !== false;
    if (differs(before, after, 'Enabled') && isEnabled) await setEnabled(KeyId, after, provider);
    if (differs(before, after, 'EnableKeyRotation', 'RotationPeriodInDays')) {
      await setRotation(KeyId, after, provider);
    }
    if (differs(before, after, 'Enabled') && !isEnabled) await setEnabled(KeyId, after, provider);
    const { put, drop } = tagChanges(before.Tags, after.Tags);
    if (drop.length > 0) await call(kms, 'UntagResource', { KeyId, TagKeys: drop });
    if (Object.keys(put).length > 0) await call(kms, 'TagResource', { KeyId, Tags: keyTags(put) });
    return made;
  },
  async delete({ physicalId: KeyId }, properties, { services }) {
    const wish = { KeyId, PendingWindowInDays: window(properties) };
    await unlessGone(gone, () => call(services.kms, 'ScheduleKeyDeletion', wish));
  },
};

const defaultPolicy = ({ context: { account } }: ProviderContext): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { AWS: `arn:aws:iam::${account}:root` },
        Action: 'kms:*',
        Resource: '*',
      },
    ],
  });

/** AWS::KMS::Alias. */
export const alias: ResourceProvider = {
  properties: ['AliasName', 'TargetKeyId'],
  attributes: ['Arn'],
  needs: { kms: ['CreateAlias', 'DeleteAlias'] },
  replacedBy: ['AliasName'],
  nameProperty: 'AliasName',
  async create({ AliasName, TargetKeyId }, { context, services: { kms } }) {
    const name = String(AliasName);
    const find = () => call(kms, 'DescribeKey', { KeyId: name });
    await refuseTaken('AWS::KMS::Alias', name, ['NotFoundException'], find);
    await call(kms, 'CreateAlias', { AliasName: name, TargetKeyId });
    const Arn = `arn:aws:kms:${context.region}:${context.account}:${name}`;
    return { physicalId: name, attributes: { Arn } };
  },
  async update(made, before, after, { services }) {
    if (differs(before, after, 'TargetKeyId')) {
      await call(services.kms, 'UpdateAlias', {
        AliasName: made.physicalId,
        TargetKeyId: after.TargetKeyId,
      });
    }
    return made;
  },
  async delete({ physicalId }, _properties, { services }) {
    await unlessGone(gone, () => call(services.kms, 'DeleteAlias', { AliasName: physicalId }));
  },
};
