import { deepEqual, equal, ok } from 'node:assert/strict';
import {
  GetSubscriptionAttributesCommand,
  ListSubscriptionsByTopicCommand,
  SetSubscriptionAttributesCommand,
  SubscribeCommand,
  UnsubscribeCommand,
} from '@aws-sdk/client-sns';
import { group } from '../case.ts';
import type { World } from '../world.ts';
import { refused } from './kit/refusal.ts';
import {
  accountOf,
  arrive,
  attributes,
  invalidParameter,
  notFound,
  openQueue,
  pages,
  pair,
  subscribe,
  topic,
} from './kit/sns.ts';

const read = async ({ sns }: World, SubscriptionArn: string) =>
  (await sns.send(new GetSubscriptionAttributesCommand({ SubscriptionArn }))).Attributes ?? {};
const set = ({ sns }: World, SubscriptionArn: string, AttributeName: string, AttributeValue: string) =>
  sns.send(new SetSubscriptionAttributesCommand({ SubscriptionArn, AttributeName, AttributeValue }));

export const snsSubscriptions = group(
  'sns-subscriptions',
  'Subscriptions',
  ['sns', 'sqs'],
  [
    {
      name: 'queue-is-confirmed-at-once',
      title: 'A queue of the account is subscribed at once, without confirmation.',
      source: {
        page: pages.api('Subscribe'),
        says: 'a confirmation is needed where endpoint and topic are not of one account, or for HTTP and email',
      },
      async run(world) {
        const TopicArn = await topic(world);
        const queue = await openQueue(world);
        const { SubscriptionArn = '' } = await world.sns.send(
          new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint: queue.arn }),
        );
        ok(SubscriptionArn.startsWith(`${TopicArn}:`), `It answered "${SubscriptionArn}" instead of an ARN.`);
        equal((await read(world, SubscriptionArn)).PendingConfirmation, 'false');
      },
    },
    {
      name: 'attributes-of-a-new-subscription',
      title: 'A new subscription delivers in envelopes and has no filter.',
      source: {
        page: pages.api('GetSubscriptionAttributes'),
        says: 'the answer has SubscriptionArn, TopicArn, Owner, RawMessageDelivery, PendingConfirmation, and a FilterPolicy where there is one',
      },
      async run(world) {
        const { topicArn, queue, subscriptionArn } = await pair(world, { subscription: {} });
        const found = await read(world, subscriptionArn);
        equal(found.SubscriptionArn, subscriptionArn);
        equal(found.TopicArn, topicArn);
        equal(found.Owner, accountOf(topicArn));
        equal(found.Protocol, 'sqs');
        equal(found.Endpoint, queue.arn);
        equal(found.RawMessageDelivery, 'false');
        equal(found.FilterPolicy, undefined, 'It has a filter policy that nobody set.');
        equal(found.RedrivePolicy, undefined, 'It has a redrive policy that nobody set.');
      },
    },
    {
      name: 'same-queue-twice',
      title: 'A queue that is subscribed again has its one subscription.',
      source: {
        page: pages.api('Subscribe'),
        says: 'an endpoint has one subscription to a topic',
        conflict:
          'The page does not say what a second call answers. Recorded on AWS: the ARN of the first; the model does that.',
      },
      async run(world) {
        const { topicArn, queue, subscriptionArn, publish } = await pair(world);
        equal(
          await subscribe(world, topicArn, queue, { RawMessageDelivery: 'true' }),
          subscriptionArn,
          'The second call made a second subscription.',
        );
        await publish('once');
        await arrive(world, queue, ['once'], 'one message for one queue');
      },
    },
    {
      name: 'same-queue-with-other-attributes',
      title: 'A queue that is subscribed again with other attributes is refused.',
      source: {
        page: pages.api('Subscribe'),
        says: 'an endpoint has one subscription to a topic',
        conflict:
          'The page is silent. Recorded on AWS: refused, "Subscription already exists with different attributes"; the model does that.',
      },
      async run(world) {
        const { topicArn, queue } = await pair(world, { subscription: {} });
        await refused('RawMessageDelivery for a subscription without it', invalidParameter, () =>
          subscribe(world, topicArn, queue, { RawMessageDelivery: 'true' }),
        );
      },
    },
    {
      name: 'raw-delivery-is-true-or-false',
      title: 'RawMessageDelivery is true or false.',
      source: {
        page: pages.api('SetSubscriptionAttributes'),
        says: 'RawMessageDelivery, when true, turns raw delivery on',
      },
      async run(world) {
        const { subscriptionArn } = await pair(world);
        await refused('RawMessageDelivery "wish"', invalidParameter, () =>
          set(world, subscriptionArn, 'RawMessageDelivery', 'wish'),
        );
        await set(world, subscriptionArn, 'RawMessageDelivery', 'false');
        equal((await read(world, subscriptionArn)).RawMessageDelivery, 'false');
      },
    },
    {
      name: 'unknown-attribute',
      title: 'An attribute that SNS does not know is refused.',
      source: {
        page: pages.api('SetSubscriptionAttributes'),
        says: 'lists the attributes that can be set',
      },
      async run(world) {
        const { subscriptionArn } = await pair(world);
        await refused('an attribute named Colour', invalidParameter, () =>
          set(world, subscriptionArn, 'Colour', 'red'),
        );
      },
    },
    {
      name: 'filter-is-told-with-its-scope',
      title: 'A filter policy is read back with its scope, which is MessageAttributes by default.',
      source: {
        page: pages.api('SetSubscriptionAttributes'),
        says: 'FilterPolicyScope is MessageAttributes, the default, or MessageBody',
      },
      async run(world) {
        const { subscriptionArn } = await pair(world);
        const policy = JSON.stringify({ kind: ['a'] });
        await set(world, subscriptionArn, 'FilterPolicy', policy);
        const found = await read(world, subscriptionArn);
        deepEqual(JSON.parse(found.FilterPolicy ?? 'null'), JSON.parse(policy));
        equal(found.FilterPolicyScope, 'MessageAttributes', 'The scope is not told.');
        await refused('the scope "Message"', invalidParameter, () =>
          set(world, subscriptionArn, 'FilterPolicyScope', 'Message'),
        );
      },
    },
    {
      name: 'empty-filter-lets-everything-through',
      title: 'A filter policy is taken away by an empty one.',
      source: {
        page: 'SNS developer guide, "Removing a subscription filter policy in Amazon SNS"',
        says: 'the policy is set to an empty JSON document',
      },
      async run(world) {
        const { subscriptionArn, queue, publish } = await pair(world, {
          subscription: { RawMessageDelivery: 'true', FilterPolicy: JSON.stringify({ kind: ['a'] }) },
        });
        await publish('kept back', { MessageAttributes: attributes({ kind: 'b' }) });
        await arrive(world, queue, [], 'under the filter');
        await set(world, subscriptionArn, 'FilterPolicy', '{}');
        await publish('free', { MessageAttributes: attributes({ kind: 'b' }) });
        await arrive(world, queue, ['free'], 'without the filter');
      },
    },
    {
      name: 'fifo-queue-needs-a-fifo-topic',
      title: 'A FIFO queue cannot be subscribed to a standard topic.',
      source: {
        page: 'SNS developer guide, "Message delivery for FIFO topics"',
        says: 'a FIFO queue is subscribed to a FIFO topic; a standard topic does not take one',
      },
      async run(world) {
        const TopicArn = await topic(world);
        const queue = await openQueue(world, { fifo: true });
        await refused('a FIFO queue on a standard topic', invalidParameter, () =>
          subscribe(world, TopicArn, queue),
        );
      },
    },
    {
      name: 'standard-queue-on-a-fifo-topic',
      title: 'A standard queue can be subscribed to a FIFO topic.',
      source: {
        page: 'SNS developer guide, "Message delivery for FIFO topics"',
        says: 'a FIFO topic delivers to standard queues too, without the promise of order and exactly once',
      },
      async run(world) {
        const { queue, publish } = await pair(world, { fifo: true, queueFifo: false });
        await publish('to both kinds', { MessageGroupId: 'g', MessageDeduplicationId: 'd' });
        await arrive(world, queue, ['to both kinds']);
      },
    },
    {
      name: 'endpoint-has-to-be-a-queue',
      title:
        'The endpoint of an SQS subscription is the ARN of a queue, and the protocol is one that SNS has.',
      source: {
        page: pages.api('Subscribe'),
        says: 'for sqs the endpoint is the ARN of a queue; the protocols are listed',
      },
      async run(world) {
        const TopicArn = await topic(world);
        for (const [Protocol, Endpoint] of [
          ['sqs', 'not-an-arn'],
          ['pigeon', `arn:aws:sqs:${world.region}:${world.account}:q`],
        ])
          await refused(`${Protocol} to ${Endpoint}`, invalidParameter, () =>
            world.sns.send(new SubscribeCommand({ TopicArn, Protocol, Endpoint })),
          );
      },
    },
    {
      name: 'unsubscribe',
      title: 'After Unsubscribe nothing arrives; a second one is no error.',
      source: {
        page: pages.api('Unsubscribe'),
        says: 'it deletes the subscription',
        conflict:
          'The page lists NotFound among the errors. Recorded on AWS: a second call answers as the first; the model does that.',
      },
      async run(world) {
        const { subscriptionArn: SubscriptionArn, queue, publish } = await pair(world);
        await world.sns.send(new UnsubscribeCommand({ SubscriptionArn }));
        await world.sns.send(new UnsubscribeCommand({ SubscriptionArn }));
        await publish('too late');
        await arrive(world, queue, [], 'after Unsubscribe');
        await refused('attributes of a subscription that is gone', notFound, () =>
          read(world, SubscriptionArn),
        );
      },
    },
    {
      name: 'list-by-topic',
      title: 'The subscriptions of a topic are listed; those of a topic that is not there are not found.',
      source: {
        page: pages.api('ListSubscriptionsByTopic'),
        says: 'gives the subscriptions of one topic; NotFound where there is none',
      },
      async run(world) {
        const { topicArn: TopicArn, subscriptionArn, queue } = await pair(world);
        const list = (arn: string) => world.sns.send(new ListSubscriptionsByTopicCommand({ TopicArn: arn }));
        deepEqual((await list(TopicArn)).Subscriptions, [
          {
            SubscriptionArn: subscriptionArn,
            Owner: accountOf(TopicArn),
            Protocol: 'sqs',
            Endpoint: queue.arn,
            TopicArn,
          },
        ]);
        await refused('a topic that never was', notFound, () => list(`${TopicArn}-never`));
      },
    },
    {
      name: 'redrive-policy',
      title: 'A redrive policy names a queue of the account, and is read back.',
      source: {
        page: pages.deadLetters,
        says: 'RedrivePolicy holds the ARN of a queue, of the same account and Region as the subscription',
      },
      async run(world) {
        const { subscriptionArn } = await pair(world);
        const deadLetters = await openQueue(world);
        const policy = { deadLetterTargetArn: deadLetters.arn };
        await set(world, subscriptionArn, 'RedrivePolicy', JSON.stringify(policy));
        deepEqual(JSON.parse((await read(world, subscriptionArn)).RedrivePolicy ?? 'null'), policy);
        for (const wrong of ['{', '{"deadLetterTargetArn":"queue"}'])
          await refused(`the redrive policy ${wrong}`, invalidParameter, () =>
            set(world, subscriptionArn, 'RedrivePolicy', wrong),
          );
      },
    },
    {
      name: 'subscribe-with-a-wrong-attribute-makes-nothing',
      title: 'A subscription that is refused is not there.',
      source: {
        page: pages.api('Subscribe'),
        says: 'InvalidParameter: a parameter does not comply with its constraints',
      },
      async run(world) {
        const TopicArn = await topic(world);
        const queue = await openQueue(world);
        await refused('a filter policy that is no JSON', invalidParameter, () =>
          subscribe(world, TopicArn, queue, { FilterPolicy: 'no json' }),
        );
        const { Subscriptions } = await world.sns.send(new ListSubscriptionsByTopicCommand({ TopicArn }));
        deepEqual(Subscriptions ?? [], [], 'The refused subscription is listed.');
      },
    },
  ],
);
