import type {
  CreateTopicCommandInput,
  CreateTopicCommandOutput,
  SubscribeCommandOutput,
} from '@aws-sdk/client-sns';
import { asText, attributesOf, call, defined, type ResourceProvider } from '../provider.ts';

const topicAttributes = [
  'ArchivePolicy',
  'ContentBasedDeduplication',
  'DisplayName',
  'FifoThroughputScope',
  'FifoTopic',
  'KmsMasterKeyId',
  'SignatureVersion',
  'TracingConfig',
] as const;

/** AWS::SNS::Topic; its name is cut to SNS's 256 characters. */
export const topic: ResourceProvider = {
  properties: ['TopicName', 'Subscription', 'Tags', ...topicAttributes],
  ignored: {
    DataProtectionPolicy: 'the model does not inspect messages',
    DeliveryStatusLogging: 'the model writes no delivery logs',
  },
  attributes: ['TopicArn', 'TopicName'],
  needs: { sns: ['CreateTopic', 'DeleteTopic', 'Subscribe'] },
  async create(properties, { services, name }) {
    const fifo = properties.FifoTopic === true || properties.FifoTopic === 'true';
    const topicName = String(properties.TopicName ?? name(256, fifo ? '.fifo' : ''));
    const attributes = attributesOf(properties, topicAttributes);
    // SNS takes FifoTopic for FIFO topics only.
    if (!fifo) delete attributes.FifoTopic;
    const { TopicArn } = await call<CreateTopicCommandOutput, CreateTopicCommandInput>(
      services.sns,
      'CreateTopic',
      defined({
        Name: topicName,
        Attributes: attributes,
        Tags: properties.Tags as CreateTopicCommandInput['Tags'],
      }) as CreateTopicCommandInput,
    );
    for (const { Protocol, Endpoint } of (properties.Subscription ?? []) as Record<string, string>[]) {
      await call(services.sns, 'Subscribe', { TopicArn, Protocol, Endpoint, ReturnSubscriptionArn: true });
    }
    return { physicalId: TopicArn ?? '', attributes: { TopicArn, TopicName: topicName } };
  },
  async delete({ physicalId }, _properties, { services }) {
    await call(services.sns, 'DeleteTopic', { TopicArn: physicalId });
  },
};

/** AWS::SNS::TopicPolicy: the `Policy` attribute of each of its topics. */
export const topicPolicy: ResourceProvider = {
  properties: ['PolicyDocument', 'Topics'],
  attributes: ['Id'],
  needs: { sns: ['SetTopicAttributes'] },
  async create(properties, { services, name }) {
    const AttributeValue = asText(properties.PolicyDocument);
    for (const TopicArn of properties.Topics as string[]) {
      await call(services.sns, 'SetTopicAttributes', { TopicArn, AttributeName: 'Policy', AttributeValue });
    }
    const physicalId = name(255);
    return { physicalId, attributes: { Id: physicalId } };
  },
  async delete(_made, properties, { services, context }) {
    for (const TopicArn of properties.Topics as string[]) {
      // The policy that a new topic has: its owner may publish and subscribe.
      const owner = {
        Effect: 'Allow',
        Principal: { AWS: `arn:aws:iam::${context.account}:root` },
        Action: ['sns:Publish', 'sns:Subscribe'],
        Resource: TopicArn,
      };
      const AttributeValue = JSON.stringify({ Version: '2012-10-17', Statement: [owner] });
      await call(services.sns, 'SetTopicAttributes', { TopicArn, AttributeName: 'Policy', AttributeValue });
    }
  },
};

const subscriptionAttributes = [
  'DeliveryPolicy',
  'FilterPolicy',
  'FilterPolicyScope',
  'RawMessageDelivery',
  'RedrivePolicy',
  'ReplayPolicy',
  'SubscriptionRoleArn',
] as const;

/** AWS::SNS::Subscription. */
export const subscription: ResourceProvider = {
  properties: ['TopicArn', 'Protocol', 'Endpoint', 'Region', ...subscriptionAttributes],
  attributes: ['Arn'],
  needs: { sns: ['Subscribe', 'Unsubscribe'] },
  async create(properties, { services }) {
    const { SubscriptionArn } = await call<SubscribeCommandOutput>(services.sns, 'Subscribe', {
      TopicArn: properties.TopicArn,
      Protocol: properties.Protocol,
      Endpoint: properties.Endpoint,
      Attributes: attributesOf(properties, subscriptionAttributes),
      ReturnSubscriptionArn: true,
    });
    return { physicalId: SubscriptionArn ?? '', attributes: { Arn: SubscriptionArn } };
  },
  async delete({ physicalId }, _properties, { services }) {
    await call(services.sns, 'Unsubscribe', { SubscriptionArn: physicalId });
  },
};
