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
  async create(properties, { context, name }) {
    const physicalId = String(properties.LogGroupName ?? name(512));
    const Arn = `arn:aws:logs:${context.region}:${context.account}:log-group:${physicalId}:*`;
    return { physicalId, attributes: { Arn } };
  },
  async delete() {},
};

/** AWS::CDK::Metadata: what CDK counts its constructs by; nothing is made. */
export const metadata: ResourceProvider = {
  properties: ['Analytics'],
  attributes: [],
  create: async (_properties, { name }) => ({ physicalId: name(64), attributes: {} }),
  async delete() {},
};
