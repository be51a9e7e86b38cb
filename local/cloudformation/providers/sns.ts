import type {
  CreateTopicCommandInput,
  CreateTopicCommandOutput,
  ListSubscriptionsByTopicCommandOutput,
  SubscribeCommandOutput,
} from '@aws-sdk/client-sns';
import { ServiceError } from '../../service.ts';
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
import { isObject } from '../template.ts';
import {
  differs,
  droppedFrom,
  listOf,
  orRemoved,
  policyWithout,
  refuseTaken,
  tagChanges,
  tagList,
  unlessGone,
} from './changes.ts';

/** Attributes of a topic, each with what a topic without it has (SNS API reference, SetTopicAttributes). */
const topicAttributes = {
  ArchivePolicy: '',
  ContentBasedDeduplication: 'false',
  DisplayName: '',
  FifoThroughputScope: 'Topic',
  KmsMasterKeyId: '',
  SignatureVersion: '1',
  TracingConfig: 'PassThrough',
} as const;
const topicAttributeNames = Object.keys(topicAttributes) as readonly (keyof typeof topicAttributes)[];

const gone = ['NotFoundException'];

interface InlineSubscription {
  readonly Protocol: string;
  readonly Endpoint: string;
}
const inlineOf = (properties: Properties) => (properties.Subscription ?? []) as readonly InlineSubscription[];

async function subscribeAll(
  TopicArn: string,
  wanted: readonly InlineSubscription[],
  { services }: ProviderContext,
): Promise<void> {
  for (const { Protocol, Endpoint } of wanted) {
    await call(services.sns, 'Subscribe', { TopicArn, Protocol, Endpoint, ReturnSubscriptionArn: true });
  }
}

async function unsubscribeAll(
  TopicArn: string,
  unwanted: readonly InlineSubscription[],
  { services: { sns } }: ProviderContext,
): Promise<void> {
  const left = new Set(unwanted.map(({ Endpoint }) => Endpoint));
  let NextToken: string | undefined;
  const found: (string | undefined)[] = [];
  do {
    const page: Omit<ListSubscriptionsByTopicCommandOutput, '$metadata'> = await call(
      sns,
      'ListSubscriptionsByTopic',
      defined({ TopicArn, NextToken }),
    );
    for (const { Endpoint, SubscriptionArn } of page.Subscriptions ?? []) {
      if (left.has(Endpoint ?? '')) found.push(SubscriptionArn);
    }
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  for (const SubscriptionArn of found) await call(sns, 'Unsubscribe', { SubscriptionArn });
}

/** AWS::SNS::Topic; its name is cut to SNS's 256 characters. */
export const topic: ResourceProvider = {
  properties: ['TopicName', 'FifoTopic', 'Subscription', 'Tags', ...topicAttributeNames],
  ignored: {
    DataProtectionPolicy: 'the model does not inspect messages',
    DeliveryStatusLogging: 'the model writes no delivery logs',
  },
  attributes: ['TopicArn', 'TopicName'],
  needs: { sns: ['CreateTopic', 'DeleteTopic', 'Subscribe'] },
  check: ({ Subscription }) =>
    Array.isArray(Subscription)
      ? Subscription.flatMap((each) => (isObject(each) ? protocolFaults(each.Protocol) : []))
      : [],
  replacedBy: ['FifoTopic', 'TopicName'],
  nameProperty: 'TopicName',
  async create(properties, provider) {
    const { services, context, name } = provider;
    const fifo = properties.FifoTopic === true || properties.FifoTopic === 'true';
    const topicName = String(properties.TopicName ?? name(256, fifo ? '.fifo' : ''));
    if (properties.TopicName !== undefined) {
      const arn = `arn:aws:sns:${context.region}:${context.account}:${topicName}`;
      const find = () => call(services.sns, 'GetTopicAttributes', { TopicArn: arn });
      await refuseTaken('AWS::SNS::Topic', arn, gone, find);
    }
    const { TopicArn = '' } = await call<CreateTopicCommandOutput, CreateTopicCommandInput>(
      services.sns,
      'CreateTopic',
      defined({
        Name: topicName,
        // SNS takes FifoTopic for FIFO topics only.
        Attributes: { ...attributesOf(properties, topicAttributeNames), ...(fifo && { FifoTopic: 'true' }) },
        Tags: properties.Tags === undefined ? undefined : tagList(tagsOf(properties.Tags)),
      }) as CreateTopicCommandInput,
    );
    await orRemoved(
      () => subscribeAll(TopicArn, inlineOf(properties), provider),
      () => call(services.sns, 'DeleteTopic', { TopicArn }),
    );
    return { physicalId: TopicArn, attributes: { TopicArn, TopicName: topicName } };
  },
  async update(made, before, after, provider) {
    const { sns } = provider.services;
    const TopicArn = made.physicalId;
    for (const AttributeName of topicAttributeNames) {
      if (!differs(before, after, AttributeName)) continue;
      const AttributeValue =
        after[AttributeName] === undefined ? topicAttributes[AttributeName] : asText(after[AttributeName]);
      await call(sns, 'SetTopicAttributes', { TopicArn, AttributeName, AttributeValue });
    }
    const { list, drop } = tagChanges(before.Tags, after.Tags);
    if (drop.length > 0) await call(sns, 'UntagResource', { ResourceArn: TopicArn, TagKeys: drop });
    if (list.length > 0) await call(sns, 'TagResource', { ResourceArn: TopicArn, Tags: list });
    if (differs(before, after, 'Subscription')) {
      const kept = new Set(inlineOf(after).map(({ Endpoint }) => Endpoint));
      await subscribeAll(TopicArn, inlineOf(after), provider);
      const unwanted = inlineOf(before).filter(({ Endpoint }) => !kept.has(Endpoint));
      if (unwanted.length > 0) await unsubscribeAll(TopicArn, unwanted, provider);
    }
    return made;
  },
  async delete({ physicalId }, _properties, { services }) {
    await unlessGone(gone, () => call(services.sns, 'DeleteTopic', { TopicArn: physicalId }));
  },
};

/** An empty text gives the topic back the policy of a new one: its owner may do all. */
const setPolicy = (TopicArn: string, AttributeValue: string, { services }: ProviderContext) =>
  call(services.sns, 'SetTopicAttributes', { TopicArn, AttributeName: 'Policy', AttributeValue });

const letGo = (arn: string, provider: ProviderContext) =>
  unlessGone(gone, () => setPolicy(arn, policyWithout('Topics', arn, provider), provider));

/** AWS::SNS::TopicPolicy: the `Policy` attribute of each of its topics. */
export const topicPolicy: ResourceProvider = {
  properties: ['PolicyDocument', 'Topics'],
  attributes: ['Id'],
  needs: { sns: ['SetTopicAttributes'] },
  async create(properties, provider) {
    const policy = asText(properties.PolicyDocument);
    for (const arn of listOf(properties.Topics)) await setPolicy(arn, policy, provider);
    const physicalId = provider.name(255);
    return { physicalId, attributes: { Id: physicalId } };
  },
  async update(made, before, after, provider) {
    const policy = asText(after.PolicyDocument);
    for (const arn of listOf(after.Topics)) await setPolicy(arn, policy, provider);
    for (const arn of droppedFrom('Topics', before, after)) await letGo(arn, provider);
    return made;
  },
  async delete(_made, properties, provider) {
    for (const arn of listOf(properties.Topics)) await letGo(arn, provider);
  },
};

/** Attributes of a subscription, each with what a subscription without it has; an empty text takes one away. */
const subscriptionAttributes = {
  DeliveryPolicy: '',
  FilterPolicy: '',
  FilterPolicyScope: 'MessageAttributes',
  RawMessageDelivery: 'false',
  RedrivePolicy: '',
  ReplayPolicy: '',
  SubscriptionRoleArn: '',
} as const;
const subscriptionAttributeNames = Object.keys(
  subscriptionAttributes,
) as readonly (keyof typeof subscriptionAttributes)[];

const protocols = ['sqs', 'email', 'email-json'];

const protocolFaults = (protocol: unknown): readonly string[] =>
  typeof protocol === 'string' && !protocols.includes(protocol)
    ? [`Protocol is ${protocol}: the model knows queues and mailboxes only (${protocols.join(', ')})`]
    : [];

/** AWS::SNS::Subscription. */
export const subscription: ResourceProvider = {
  properties: ['TopicArn', 'Protocol', 'Endpoint', 'Region', ...subscriptionAttributeNames],
  attributes: ['Arn'],
  needs: { sns: ['Subscribe', 'Unsubscribe'] },
  check: ({ Protocol }) => protocolFaults(Protocol),
  replacedBy: ['Endpoint', 'Protocol', 'TopicArn'],
  async create(properties, { services }) {
    const { SubscriptionArn } = await call<SubscribeCommandOutput>(services.sns, 'Subscribe', {
      TopicArn: properties.TopicArn,
      Protocol: properties.Protocol,
      Endpoint: properties.Endpoint,
      Attributes: attributesOf(properties, subscriptionAttributeNames),
      ReturnSubscriptionArn: true,
    });
    return { physicalId: SubscriptionArn ?? '', attributes: { Arn: SubscriptionArn } };
  },
  async update(made, before, after, { services: { sns } }) {
    const SubscriptionArn = made.physicalId;
    const set = (AttributeName: string, AttributeValue: string) =>
      call(sns, 'SetSubscriptionAttributes', { SubscriptionArn, AttributeName, AttributeValue });
    const scope = (properties: Properties) =>
      properties.FilterPolicyScope ?? subscriptionAttributes.FilterPolicyScope;
    const moved = scope(before) !== scope(after);
    // A policy for bodies is none for attributes: it goes before the scope changes, and its successor comes after it.
    if (moved && before.FilterPolicy !== undefined) await set('FilterPolicy', '');
    if (moved) await set('FilterPolicyScope', asText(scope(after)));
    for (const name of subscriptionAttributeNames) {
      if (name === 'FilterPolicyScope') continue;
      const again = name === 'FilterPolicy' && moved && after.FilterPolicy !== undefined;
      if (!again && !differs(before, after, name)) continue;
      await set(name, after[name] === undefined ? subscriptionAttributes[name] : asText(after[name]));
    }
    return made;
  },
  async delete({ physicalId }, _properties, { services, others, warn }) {
    // Subscribe answers what exists already: under a new logical id it is the same subscription.
    const other = others().find(({ made }) => made.physicalId === physicalId);
    if (other !== undefined) {
      warn(
        `the subscription is that of ${other.logicalId} too and stays. On AWS it may be gone: rather keep its logical id`,
      );
      return;
    }
    // As on AWS: what nobody has confirmed stays until its time is over, or its topic is gone.
    await unlessPending(() =>
      unlessGone(gone, () => call(services.sns, 'Unsubscribe', { SubscriptionArn: physicalId })),
    );
  },
};

async function unlessPending(unsubscribe: () => Promise<unknown>): Promise<void> {
  try {
    await unsubscribe();
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.message.includes('pending confirmation')) throw error;
  }
}
