import type {
  CreateQueueCommandInput,
  CreateQueueCommandOutput,
  GetQueueAttributesCommandOutput,
} from '@aws-sdk/client-sqs';
import { attributesOf, call, defined, type ResourceProvider, tagsOf } from '../provider.ts';

const queueAttributes = [
  'ContentBasedDeduplication',
  'DeduplicationScope',
  'DelaySeconds',
  'FifoThroughputLimit',
  'KmsDataKeyReusePeriodSeconds',
  'KmsMasterKeyId',
  'MaximumMessageSize',
  'MessageRetentionPeriod',
  'ReceiveMessageWaitTimeSeconds',
  'RedriveAllowPolicy',
  'RedrivePolicy',
  'SqsManagedSseEnabled',
  'VisibilityTimeout',
] as const;

/** AWS::SQS::Queue; its name is cut to SQS's 80 characters. */
export const queue: ResourceProvider = {
  properties: ['QueueName', 'FifoQueue', 'Tags', ...queueAttributes],
  attributes: ['Arn', 'QueueName', 'QueueUrl'],
  needs: { sqs: ['CreateQueue', 'GetQueueAttributes', 'DeleteQueue'] },
  async create(properties, { services, name }) {
    const fifo = properties.FifoQueue === true || properties.FifoQueue === 'true';
    const queueName = String(properties.QueueName ?? name(80, fifo ? '.fifo' : ''));
    const tags = tagsOf(properties.Tags);
    const { QueueUrl } = await call<CreateQueueCommandOutput, CreateQueueCommandInput>(
      services.sqs,
      'CreateQueue',
      defined({
        QueueName: queueName,
        Attributes: { ...attributesOf(properties, queueAttributes), ...(fifo && { FifoQueue: 'true' }) },
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
  async delete({ physicalId }, _properties, { services }) {
    await call(services.sqs, 'DeleteQueue', { QueueUrl: physicalId });
  },
};

/** AWS::SQS::QueuePolicy: the `Policy` attribute of each of its queues. */
export const queuePolicy: ResourceProvider = {
  properties: ['PolicyDocument', 'Queues'],
  attributes: ['Id'],
  needs: { sqs: ['SetQueueAttributes'] },
  async create(properties, { services, name }) {
    for (const QueueUrl of properties.Queues as string[]) {
      const Attributes = attributesOf({ Policy: properties.PolicyDocument }, ['Policy']);
      await call(services.sqs, 'SetQueueAttributes', { QueueUrl, Attributes });
    }
    const physicalId = name(255);
    return { physicalId, attributes: { Id: physicalId } };
  },
  async delete(_made, properties, { services }) {
    for (const QueueUrl of properties.Queues as string[]) {
      await call(services.sqs, 'SetQueueAttributes', { QueueUrl, Attributes: { Policy: '' } });
    }
  },
};
