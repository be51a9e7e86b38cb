import { uuid } from '../../../lib/base/index.ts';
import type { ResourceProvider } from '../provider.ts';

/** AWS::Logs::LogGroup: it has a name and an ARN; the lines of functions go to the model's log. */
export const logGroup: ResourceProvider = {
  properties: ['LogGroupName'],
  ignored: {
    DataProtectionPolicy: 'the model does not inspect logs',
    FieldIndexPolicies: 'the model keeps no logs',
    KmsKeyId: 'the model does not encrypt',
    LogGroupClass: 'the model keeps no logs',
    RetentionInDays: 'the model keeps no logs',
    Tags: 'the model keeps no tags of log groups',
  },
  attributes: ['Arn'],
  replacedBy: ['LogGroupName'],
  nameProperty: 'LogGroupName',
  async create(properties, { context, name }) {
    const physicalId = String(properties.LogGroupName ?? name(512));
    const Arn = `arn:aws:logs:${context.region}:${context.account}:log-group:${physicalId}:*`;
    return { physicalId, attributes: { Arn } };
  },
  update: async (made) => made,
  async delete() {},
};

/** AWS::CDK::Metadata: what CDK counts its constructs by; nothing is made. */
export const metadata: ResourceProvider = {
  properties: ['Analytics'],
  attributes: [],
  create: async (_properties, { name }) => ({ physicalId: name(64), attributes: {} }),
  update: async (made) => made,
  async delete() {},
};

/** AWS::KMS::Key: it has an id and an ARN, by which queues and buckets may name it. */
export const key: ResourceProvider = {
  properties: [],
  ignored: Object.fromEntries(
    [
      ...['BypassPolicyLockoutSafetyCheck', 'Description', 'Enabled', 'EnableKeyRotation', 'KeyPolicy'],
      ...['KeySpec', 'KeyUsage', 'MultiRegion', 'PendingWindowInDays', 'RotationPeriodInDays', 'Tags'],
    ].map((name) => [name, 'the model has no keys, and nothing is encrypted']),
  ),
  attributes: ['Arn', 'KeyId'],
  async create(_properties, { context }) {
    const KeyId = uuid(context.random);
    const Arn = `arn:aws:kms:${context.region}:${context.account}:key/${KeyId}`;
    return { physicalId: KeyId, attributes: { Arn, KeyId } };
  },
  update: async (made) => made,
  async delete() {},
};

/** AWS::KMS::Alias: a name. */
export const alias: ResourceProvider = {
  properties: ['AliasName'],
  ignored: { TargetKeyId: 'the model has no keys, and nothing is encrypted' },
  attributes: ['Arn'],
  replacedBy: ['AliasName'],
  nameProperty: 'AliasName',
  async create({ AliasName }, { context }) {
    const Arn = `arn:aws:kms:${context.region}:${context.account}:${AliasName}`;
    return { physicalId: String(AliasName), attributes: { Arn } };
  },
  update: async (made) => made,
  async delete() {},
};
