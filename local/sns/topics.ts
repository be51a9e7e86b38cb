import type {
  CreateTopicCommandInput,
  DeleteTopicCommandInput,
  GetTopicAttributesCommandInput,
  ListTagsForResourceCommandInput,
  ListTopicsCommandInput,
  SetTopicAttributesCommandInput,
  Tag,
  TagResourceCommandInput,
  UntagResourceCommandInput,
} from '@aws-sdk/client-sns';
import { PolicyError, parsePolicy } from '../policy.ts';
import type { ModelContext } from '../service.ts';
import { createDeduplication } from './deduplication.ts';
import { invalidParameter, limitExceeded, notFound } from './errors.ts';
import { page } from './page.ts';
import type { SnsState, Topic } from './state.ts';

/** Bytes: SNS quotas, 256 KiB by default; MaximumMessageSize raises it to 1 MiB (what's new, 2026-09-18). */
export const DEFAULT_MESSAGE_SIZE = 262_144;
const LARGEST_MESSAGE_SIZE = 1_048_576;
const SMALLEST_MESSAGE_SIZE = 1_024;
// SNS API reference, TagResource: 50 tags for each topic.
const MOST_TAGS = 50;

type Check = (value: string, topic: { readonly fifo: boolean }) => boolean;

const isBoolean: Check = (value) => value === 'true' || value === 'false';
const isJson: Check = (value) => {
  try {
    return typeof JSON.parse(value) === 'object';
  } catch {
    // The caller names the attribute and what is allowed.
    return false;
  }
};

const isPolicy: Check = (value) => {
  try {
    parsePolicy(value);
    return true;
  } catch (error) {
    if (error instanceof PolicyError) throw invalidParameter(`Policy Error: ${error.message}`);
    throw error;
  }
};

/** Attributes that may be set, and what they may hold. */
const ATTRIBUTES: Readonly<Record<string, { readonly allowed: string; readonly check: Check }>> = {
  FifoTopic: { allowed: 'true or false, only when the topic is created', check: isBoolean },
  ContentBasedDeduplication: {
    allowed: 'true or false, on a FIFO topic',
    check: (value, topic) => topic.fifo && isBoolean(value, topic),
  },
  FifoThroughputScope: {
    allowed: 'Topic or MessageGroup, on a FIFO topic',
    check: (value, topic) => topic.fifo && (value === 'Topic' || value === 'MessageGroup'),
  },
  ArchivePolicy: {
    allowed: 'a JSON object, on a FIFO topic',
    check: (value, topic) => topic.fifo && isJson(value, topic),
  },
  MaximumMessageSize: {
    allowed: `a whole number of bytes from ${SMALLEST_MESSAGE_SIZE} to ${LARGEST_MESSAGE_SIZE}`,
    check: (value) =>
      /^\d+$/.test(value) && Number(value) >= SMALLEST_MESSAGE_SIZE && Number(value) <= LARGEST_MESSAGE_SIZE,
  },
  Policy: {
    allowed: 'a JSON object',
    check: (value, topic) => isJson(value, topic) && isPolicy(value, topic),
  },
  DeliveryPolicy: { allowed: 'a JSON object', check: isJson },
  DataProtectionPolicy: { allowed: 'a JSON object', check: isJson },
  DisplayName: { allowed: 'up to 100 characters', check: (value) => value.length <= 100 },
  KmsMasterKeyId: { allowed: 'a key id, ARN or alias', check: () => true },
  SignatureVersion: { allowed: '1 or 2', check: (value) => value === '1' || value === '2' },
  TracingConfig: {
    allowed: 'PassThrough or Active',
    check: (value) => value === 'PassThrough' || value === 'Active',
  },
  SQSSuccessFeedbackRoleArn: { allowed: 'an ARN', check: () => true },
  SQSFailureFeedbackRoleArn: { allowed: 'an ARN', check: () => true },
  SQSSuccessFeedbackSampleRate: {
    allowed: 'a whole number from 0 to 100',
    check: (value) => /^\d+$/.test(value) && Number(value) <= 100,
  },
};

/** Finds a topic by its ARN, or answers as SNS does. */
export function topicOf(state: SnsState, arn: string | undefined): Topic {
  if (arn === undefined || arn === '')
    throw invalidParameter('TopicArn Reason: no value for required parameter');
  const topic = state.topics.get(arn);
  if (topic === undefined) throw notFound('Topic');
  return topic;
}

/** The actions on topics and their tags. */
export function topicOperations(context: ModelContext, state: SnsState) {
  return {
    CreateTopic({ Name: name, Attributes: given = {}, Tags: tags = [] }: CreateTopicCommandInput) {
      const fifo = given.FifoTopic === 'true';
      checkName(name, fifo);
      for (const [attribute, value] of Object.entries(given)) checkAttribute(attribute, value, { fifo });
      const arn = `arn:aws:sns:${context.region}:${context.account}:${name}`;
      const existing = state.topics.get(arn);
      if (existing !== undefined) {
        for (const [attribute, value] of Object.entries(given))
          if (
            existing.attributes.get(attribute) !== value &&
            !(attribute === 'FifoTopic' && value === 'false')
          )
            throw invalidParameter('Attributes Reason: Topic already exists with different attributes');
        if (tags.some(({ Key, Value }) => existing.tags.get(Key ?? '') !== Value))
          throw invalidParameter('Tags Reason: Topic already exists with different tags');
        return { TopicArn: arn };
      }
      const topic: Topic = {
        arn,
        name: name!,
        fifo,
        attributes: new Map(),
        tags: new Map(),
        dimensions: { TopicName: name! },
        policy: undefined,
        principal: { service: 'sns.amazonaws.com', sourceArn: arn, sourceAccount: context.account },
        subscriptions: [],
        deduplication: createDeduplication(context.clock),
        maximumMessageSize: DEFAULT_MESSAGE_SIZE,
        contentBasedDeduplication: false,
        deduplicatesByGroup: false,
        deletedSubscriptions: 0,
      };
      for (const [attribute, value] of Object.entries(given)) applyAttribute(topic, attribute, value);
      addTags(topic, tags);
      state.topics.set(arn, topic);
      return { TopicArn: arn };
    },

    DeleteTopic({ TopicArn: arn }: DeleteTopicCommandInput) {
      const topic = arn === undefined ? undefined : state.topics.get(arn);
      if (topic !== undefined) {
        for (const subscription of topic.subscriptions) {
          subscription.active = false;
          state.subscriptions.delete(subscription.arn);
        }
        state.topics.delete(topic.arn);
      }
      return {};
    },

    GetTopicAttributes({ TopicArn: arn }: GetTopicAttributesCommandInput) {
      const topic = topicOf(state, arn);
      const now = context.clock.now();
      const pending = topic.subscriptions.filter(({ pendingUntil = 0 }) => pendingUntil > now).length;
      return {
        Attributes: {
          TopicArn: topic.arn,
          Owner: context.account,
          DisplayName: '',
          Policy: defaultPolicy(topic, context.account),
          EffectiveDeliveryPolicy: '{}',
          SubscriptionsConfirmed: String(topic.subscriptions.length - pending),
          SubscriptionsPending: String(pending),
          SubscriptionsDeleted: String(topic.deletedSubscriptions),
          ...(topic.fifo ? { ContentBasedDeduplication: 'false', FifoThroughputScope: 'Topic' } : {}),
          ...Object.fromEntries(topic.attributes),
        },
      };
    },

    SetTopicAttributes({
      TopicArn,
      AttributeName: name,
      AttributeValue: value,
    }: SetTopicAttributesCommandInput) {
      const topic = topicOf(state, TopicArn);
      if (name === undefined || name === 'FifoTopic')
        throw invalidParameter(`AttributeName: ${name} cannot be set`);
      checkAttribute(name, value ?? '', topic);
      if (name === 'FifoThroughputScope' && value === 'Topic' && topic.deduplicatesByGroup)
        throw invalidParameter('FifoThroughputScope: MessageGroup cannot be changed back to Topic');
      applyAttribute(topic, name, value ?? '');
      return {};
    },

    ListTopics({ NextToken: token }: ListTopicsCommandInput) {
      const { items, next } = page([...state.topics.keys()], token);
      return { Topics: items.map((arn) => ({ TopicArn: arn })), ...next };
    },

    TagResource({ ResourceArn: arn, Tags: tags = [] }: TagResourceCommandInput) {
      addTags(topicOf(state, arn), tags);
      return {};
    },

    UntagResource({ ResourceArn: arn, TagKeys: keys = [] }: UntagResourceCommandInput) {
      const topic = topicOf(state, arn);
      for (const key of keys) topic.tags.delete(key);
      return {};
    },

    ListTagsForResource({ ResourceArn: arn }: ListTagsForResourceCommandInput) {
      return { Tags: [...topicOf(state, arn).tags].map(([Key, Value]) => ({ Key, Value })) };
    },
  };
}

function checkName(name: string | undefined, fifo: boolean): asserts name is string {
  const legal = fifo ? /^[\w-]{1,251}\.fifo$/ : /^[\w-]{1,256}$/;
  if (name === undefined || !legal.test(name))
    throw invalidParameter(
      fifo
        ? `Topic Name: a FIFO topic's name ends with .fifo and has up to 256 of A-Z, a-z, 0-9, '_', '-'; found '${name}'`
        : `Topic Name: up to 256 of A-Z, a-z, 0-9, '_', '-' are allowed, and .fifo needs FifoTopic=true; found '${name}'`,
    );
}

function checkAttribute(name: string, value: string, topic: { readonly fifo: boolean }): void {
  const attribute = Object.hasOwn(ATTRIBUTES, name) ? ATTRIBUTES[name] : undefined;
  if (attribute === undefined)
    throw invalidParameter(
      `Attributes Reason: Unknown attribute ${name}; the model knows ${Object.keys(ATTRIBUTES).join(', ')}`,
    );
  if (value !== '' && !attribute.check(value, topic))
    throw invalidParameter(`Attributes Reason: ${name} takes ${attribute.allowed}; found '${value}'`);
}

/** An empty value takes the attribute away, as SNS does for policies. */
function applyAttribute(topic: Topic, name: string, value: string): void {
  if (name === 'FifoTopic' && value !== 'true') return;
  if (value === '') topic.attributes.delete(name);
  else topic.attributes.set(name, value);
  const policy = topic.attributes.get('Policy');
  if (name === 'Policy') topic.policy = policy === undefined ? undefined : parsePolicy(policy);
  topic.maximumMessageSize = Number(topic.attributes.get('MaximumMessageSize') ?? DEFAULT_MESSAGE_SIZE);
  topic.contentBasedDeduplication = topic.attributes.get('ContentBasedDeduplication') === 'true';
  topic.deduplicatesByGroup = topic.attributes.get('FifoThroughputScope') === 'MessageGroup';
}

function addTags(topic: Topic, tags: readonly Tag[]): void {
  for (const { Key, Value } of tags) topic.tags.set(Key ?? '', Value ?? '');
  if (topic.tags.size > MOST_TAGS)
    throw limitExceeded(
      'TagLimitExceededException',
      `A topic takes ${MOST_TAGS} tags; found ${topic.tags.size}`,
    );
}

/** Who may do what by default: the account that owns the topic. */
function defaultPolicy(topic: Topic, account: string): string {
  return JSON.stringify({
    Version: '2008-10-17',
    Id: '__default_policy_ID',
    Statement: [
      {
        Sid: '__default_statement_ID',
        Effect: 'Allow',
        Principal: { AWS: '*' },
        Action: ['SNS:Publish', 'SNS:Subscribe', 'SNS:GetTopicAttributes', 'SNS:SetTopicAttributes'],
        Resource: topic.arn,
        Condition: { StringEquals: { 'AWS:SourceOwner': account } },
      },
    ],
  });
}
