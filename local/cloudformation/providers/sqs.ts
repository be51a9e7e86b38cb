import type {
  CreateQueueCommandInput,
  CreateQueueCommandOutput,
  GetQueueAttributesCommandOutput,
} from '@aws-sdk/client-sqs';
import {
  asText,
  attributesOf,
  call,
  defined,
  type Properties,
  type ProviderContext,
  type ResourceProvider,
  tagsOf,
} from '../provider.ts';
import {
  differs,
  droppedFrom,
  listOf,
  policyWithout,
  refuseTaken,
  tagChanges,
  unlessGone,
} from './changes.ts';

/**
 * Attributes of a queue, each with what a queue without it has (SQS API reference, SetQueueAttributes); an empty text
 * takes one away.
 */
const queueAttributes = {
  ContentBasedDeduplication: 'false',
  DeduplicationScope: 'queue',
  DelaySeconds: '0',
  FifoThroughputLimit: 'perQueue',
  KmsDataKeyReusePeriodSeconds: '300',
  KmsMasterKeyId: '',
  MaximumMessageSize: '1048576',
  MessageRetentionPeriod: '345600',
  ReceiveMessageWaitTimeSeconds: '0',
  RedriveAllowPolicy: '',
  RedrivePolicy: '',
  SqsManagedSseEnabled: 'true',
  VisibilityTimeout: '30',
} as const;
const attributeNames = Object.keys(queueAttributes) as readonly (keyof typeof queueAttributes)[];

const gone = ['QueueDoesNotExist'];

/** The attributes that lead from one set of properties to the other, with the default of each that is left out. */
function changedAttributes(before: Properties, after: Properties): Record<string, string> {
  const changed = attributeNames
    .filter((name) => differs(before, after, name))
    .map((name) => [name, after[name] === undefined ? queueAttributes[name] : asText(after[name])] as const);
  const attributes: Record<string, string> = Object.fromEntries(changed);
  // SQS turns its own encryption off where a key is named, and takes only one of the two.
  if (after.KmsMasterKeyId !== undefined) {
    if (after.SqsManagedSseEnabled === undefined) delete attributes.SqsManagedSseEnabled;
  } else if (before.KmsMasterKeyId !== undefined) {
    attributes.SqsManagedSseEnabled = asText(after.SqsManagedSseEnabled ?? 'true');
  }
  return attributes;
}

/** AWS::SQS::Queue; its name is cut to SQS's 80 characters. */
export const queue: ResourceProvider = {
  properties: ['QueueName', 'FifoQueue', 'Tags', ...attributeNames],
  attributes: ['Arn', 'QueueName', 'QueueUrl'],
  needs: { sqs: ['CreateQueue', 'GetQueueAttributes', 'DeleteQueue'] },
  replacedBy: ['FifoQueue', 'QueueName'],
  nameProperty: 'QueueName',
  async create(properties, { services, name }) {
    const fifo = properties.FifoQueue === true || properties.FifoQueue === 'true';
    const queueName = String(properties.QueueName ?? name(80, fifo ? '.fifo' : ''));
    if (properties.QueueName !== undefined) {
      const find = () => call(services.sqs, 'GetQueueUrl', { QueueName: queueName });
      await refuseTaken('AWS::SQS::Queue', queueName, gone, find);
    }
    const tags = tagsOf(properties.Tags);
    const { QueueUrl } = await call<CreateQueueCommandOutput, CreateQueueCommandInput>(
      services.sqs,
      'CreateQueue',
      defined({
        QueueName: queueName,
        Attributes: { ...attributesOf(properties, attributeNames), ...(fifo && { FifoQueue: 'true' }) },
        tags: Object.keys(tags).length > 0 ? tags : undefined,
      }) as CreateQueueCommandInput,
    );
    const { Attributes } = await call<GetQueueAttributesCommandOutput>(services.sqs, 'GetQueueAttributes', {
      QueueUrl,
      AttributeNames: ['QueueArn'],
    });
    return {
      physicalId: QueueUrl ?? '',
      attributes: { Arn: Attributes?.QueueArn, QueueName: queueName, QueueUrl },
    };
  },
  async update(made, before, after, { services: { sqs } }) {
    const QueueUrl = made.physicalId;
    const Attributes = changedAttributes(before, after);
    if (Object.keys(Attributes).length > 0) await call(sqs, 'SetQueueAttributes', { QueueUrl, Attributes });
    const { put, drop } = tagChanges(before.Tags, after.Tags);
    if (drop.length > 0) await call(sqs, 'UntagQueue', { QueueUrl, TagKeys: drop });
    if (Object.keys(put).length > 0) await call(sqs, 'TagQueue', { QueueUrl, Tags: put });
    return made;
  },
  async delete({ physicalId }, _properties, { services }) {
    await unlessGone(gone, () => call(services.sqs, 'DeleteQueue', { QueueUrl: physicalId }));
  },
};

const setPolicy = (QueueUrl: string, Policy: string, { services }: ProviderContext) =>
  call(services.sqs, 'SetQueueAttributes', { QueueUrl, Attributes: { Policy } });

const letGo = (url: string, provider: ProviderContext) =>
  unlessGone(gone, () => setPolicy(url, policyWithout('Queues', url, provider), provider));

/** AWS::SQS::QueuePolicy: the `Policy` attribute of each of its queues. */
export const queuePolicy: ResourceProvider = {
  properties: ['PolicyDocument', 'Queues'],
  attributes: ['Id'],
  needs: { sqs: ['SetQueueAttributes'] },
  async create(properties, provider) {
    const policy = asText(properties.PolicyDocument);
    for (const url of listOf(properties.Queues)) await setPolicy(url, policy, provider);
    const physicalId = provider.name(255);
    return { physicalId, attributes: { Id: physicalId } };
  },
  async update(made, before, after, provider) {
    const policy = asText(after.PolicyDocument);
    for (const url of listOf(after.Queues)) await setPolicy(url, policy, provider);
    for (const url of droppedFrom('Queues', before, after)) await letGo(url, provider);
    return made;
  },
  async delete(_made, properties, provider) {
    for (const url of listOf(properties.Queues)) await letGo(url, provider);
  },
};
