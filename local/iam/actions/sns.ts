import { type Input, type Place, type Rows, rowsFor, text } from './row.ts';

const topicOf = ({ TopicArn }: Input): string => text(TopicArn);

/** A subscription is addressed below its topic: `arn:aws:sns:us-east-1:123456789012:orders:1c9d…`. */
const topicOfSubscription = ({ SubscriptionArn }: Input): string =>
  text(SubscriptionArn).split(':').slice(0, 6).join(':');

const target = ({ TopicArn, TargetArn, PhoneNumber }: Input): string =>
  text(TopicArn) || text(TargetArn) || text(PhoneNumber);

const all = (_input: Input, { account, region }: Place): string => `arn:aws:sns:${region}:${account}:*`;

/** Service Authorization Reference, "Actions, resources, and condition keys for Amazon SNS". */
export const sns: Rows = {
  ...rowsFor(
    'sns',
    [
      'ConfirmSubscription',
      'DeleteTopic',
      'GetTopicAttributes',
      'ListSubscriptionsByTopic',
      'SetTopicAttributes',
    ],
    topicOf,
  ),
  ...rowsFor(
    'sns',
    ['CreateTopic'],
    ({ Name }, { account, region }) => `arn:aws:sns:${region}:${account}:${text(Name)}`,
  ),
  ...rowsFor('sns', ['TagResource', 'UntagResource', 'ListTagsForResource'], ({ ResourceArn }) =>
    text(ResourceArn),
  ),
  ...rowsFor(
    'sns',
    ['GetSubscriptionAttributes', 'SetSubscriptionAttributes', 'Unsubscribe'],
    topicOfSubscription,
  ),
  ...rowsFor('sns', ['ListSubscriptions', 'ListTopics'], all),
  Publish: (input) => ({ action: 'sns:Publish', resource: target(input) }),
  PublishBatch: (input) => ({ action: 'sns:Publish', resource: topicOf(input) }),
  Subscribe: (input) => ({
    action: 'sns:Subscribe',
    resource: topicOf(input),
    conditions: () => ({
      'sns:protocol': text(input.Protocol) || undefined,
      'sns:endpoint': text(input.Endpoint) || undefined,
    }),
  }),
};
