import type { Properties, ProviderContext, ResourceProvider } from '../provider.ts';
import { differs } from './changes.ts';

/** AWS::Logs::LogGroup: it has a name and an ARN; the lines of functions go to the model's log. */
export const logGroup: ResourceProvider = {
  properties: ['KmsKeyId', 'LogGroupName'],
  ignored: {
    DataProtectionPolicy: 'the model does not inspect logs',
    FieldIndexPolicies: 'the model keeps no logs',
    LogGroupClass: 'the model keeps no logs',
    RetentionInDays: 'the model keeps no logs',
    Tags: 'the model keeps no tags of log groups',
  },
  attributes: ['Arn'],
  replacedBy: ['LogGroupName'],
  nameProperty: 'LogGroupName',
  async create(properties, provider) {
    const physicalId = String(properties.LogGroupName ?? provider.name(512));
    demandKey(properties, physicalId, provider);
    return { physicalId, attributes: { Arn: `${logGroupArn(physicalId, provider)}:*` } };
  },
  async update(made, before, after, provider) {
    if (differs(before, after, 'KmsKeyId')) demandKey(after, made.physicalId, provider);
    return made;
  },
  async delete() {},
};

const logGroupArn = (name: string, { context: { region, account } }: ProviderContext) =>
  `arn:aws:logs:${region}:${account}:log-group:${name}`;

/** A log group takes only a key that CloudWatch Logs may use for it (CloudWatch Logs user guide, "Encrypt log data"). */
function demandKey({ KmsKeyId }: Properties, name: string, provider: ProviderContext): void {
  const keys = provider.services.kms?.keys;
  if (KmsKeyId === undefined || keys === undefined) return;
  const { region, account } = provider.context;
  const arn = logGroupArn(name, provider);
  const logs = { service: `logs.${region}.amazonaws.com`, sourceArn: arn, sourceAccount: account };
  keys.use(String(KmsKeyId), logs, 'encrypt', 'logs', { 'aws:logs:arn': arn });
}

/** AWS::CDK::Metadata: what CDK counts its constructs by; nothing is made. */
export const metadata: ResourceProvider = {
  properties: ['Analytics'],
  attributes: [],
  create: async (_properties, { name }) => ({ physicalId: name(64), attributes: {} }),
  update: async (made) => made,
  async delete() {},
};
