import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import {
  CreateTopicCommand,
  DeleteTopicCommand,
  GetTopicAttributesCommand,
  ListSubscriptionsByTopicCommand,
  ListTagsForResourceCommand,
  ListTopicsCommand,
  PublishCommand,
  SetTopicAttributesCommand,
  TagResourceCommand,
  UntagResourceCommand,
} from '@aws-sdk/client-sns';
import { group } from '../case.ts';
import { refused } from './kit/refusal.ts';
import { accountOf, invalidParameter, notFound, openQueue, pages, subscribe, topic } from './kit/sns.ts';

export const snsTopics = group(
  'sns-topics',
  'Topics',
  ['sns'],
  [
    {
      name: 'create-is-idempotent',
      title: 'A topic that is made again, with the same attributes, is the same topic.',
      source: {
        page: pages.api('CreateTopic'),
        says: 'for a name that the requester has already, the ARN of that topic is given and nothing is made',
      },
      async run(world) {
        const arn = await topic(world, { DisplayName: 'orders' });
        const Name = arn.slice(arn.lastIndexOf(':') + 1);
        const again = await world.sns.send(
          new CreateTopicCommand({ Name, Attributes: { DisplayName: 'orders' } }),
        );
        equal(again.TopicArn, arn, 'The second call made another topic.');
      },
    },
    {
      name: 'create-with-other-attributes',
      title: 'A topic that is made again with other attributes is refused.',
      source: {
        page: pages.api('CreateTopic'),
        says: 'the call is idempotent for a name',
        conflict:
          'The page does not say what happens to other attributes. Recorded on AWS: refused, "Topic already exists with different attributes"; the model does that, since the caller would believe that they hold.',
      },
      async run(world) {
        const arn = await topic(world, { DisplayName: 'orders' });
        const Name = arn.slice(arn.lastIndexOf(':') + 1);
        await refused('a second DisplayName for the same topic', invalidParameter, () =>
          world.sns.send(new CreateTopicCommand({ Name, Attributes: { DisplayName: 'payments' } })),
        );
      },
    },
    {
      name: 'create-with-other-tags',
      title: 'A topic that is made again with other tags is refused.',
      source: {
        page: pages.api('CreateTopic'),
        says: 'the call is idempotent for a name',
        conflict:
          'The page is silent about tags. Recorded on AWS: refused, "Topic already exists with different tags"; the model does that.',
      },
      async run(world) {
        const arn = await topic(world);
        const Name = arn.slice(arn.lastIndexOf(':') + 1);
        await refused('tags for a topic that has none', invalidParameter, () =>
          world.sns.send(new CreateTopicCommand({ Name, Tags: [{ Key: 'team', Value: 'a' }] })),
        );
      },
    },
    {
      name: 'names',
      title: 'Names have up to 256 letters, digits, underscores and hyphens.',
      source: {
        page: pages.api('CreateTopic'),
        says: 'a name is made of ASCII letters, digits, underscores and hyphens, 1 to 256 of them',
      },
      async run(world) {
        for (const Name of ['', 'a.b', 'a b', 'a'.repeat(257), 'ä'])
          await refused(`a topic named "${Name.slice(0, 10)}"`, invalidParameter, () =>
            world.sns.send(new CreateTopicCommand({ Name })),
          );
        const longest = world.name('t').padEnd(256, 'x');
        const { TopicArn } = await world.sns.send(new CreateTopicCommand({ Name: longest }));
        world.after(() => world.sns.send(new DeleteTopicCommand({ TopicArn })));
        ok(TopicArn?.endsWith(`:${longest}`), 'A name of 256 characters was cut.');
      },
    },
    {
      name: 'fifo-needs-its-suffix',
      title: 'A FIFO topic is named with .fifo, and no other topic is.',
      source: {
        page: pages.api('CreateTopic'),
        says: 'the name of a FIFO topic must end with .fifo',
      },
      async run(world) {
        const Name = world.name('topic');
        await refused('a FIFO topic without the suffix', invalidParameter, () =>
          world.sns.send(new CreateTopicCommand({ Name, Attributes: { FifoTopic: 'true' } })),
        );
        await refused('a standard topic with the suffix', invalidParameter, () =>
          world.sns.send(new CreateTopicCommand({ Name: `${Name}.fifo` })),
        );
      },
    },
    {
      name: 'kind-is-for-good',
      title: 'A topic does not become a FIFO topic later.',
      source: {
        page: pages.fifo,
        says: 'a topic’s kind is chosen when it is made and cannot be changed',
      },
      async run(world) {
        const TopicArn = await topic(world);
        await refused('FifoTopic set on a standard topic', invalidParameter, () =>
          world.sns.send(
            new SetTopicAttributesCommand({
              TopicArn,
              AttributeName: 'FifoTopic',
              AttributeValue: 'true',
            }),
          ),
        );
      },
    },
    {
      name: 'deduplication-is-of-fifo',
      title: 'Deduplication by content is an attribute of FIFO topics alone.',
      source: {
        page: pages.api('SetTopicAttributes'),
        says: 'ContentBasedDeduplication applies only to FIFO topics',
      },
      async run(world) {
        await refused('a standard topic with ContentBasedDeduplication', invalidParameter, () =>
          world.sns.send(
            new CreateTopicCommand({
              Name: world.name('topic'),
              Attributes: { ContentBasedDeduplication: 'true' },
            }),
          ),
        );
      },
    },
    {
      name: 'attributes-of-a-new-topic',
      title: 'A new topic says whose it is, that nobody has subscribed, and who may use it.',
      source: {
        page: pages.api('GetTopicAttributes'),
        says: 'the answer has TopicArn, Owner, Policy and the counts of confirmed, pending and deleted subscriptions',
      },
      async run(world) {
        const TopicArn = await topic(world);
        const { Attributes = {} } = await world.sns.send(new GetTopicAttributesCommand({ TopicArn }));
        equal(Attributes.TopicArn, TopicArn);
        equal(Attributes.Owner, accountOf(TopicArn));
        equal(Attributes.SubscriptionsConfirmed, '0');
        equal(Attributes.SubscriptionsPending, '0');
        equal(Attributes.SubscriptionsDeleted, '0');
        ok(
          Array.isArray(JSON.parse(Attributes.Policy ?? '{}').Statement),
          'The topic has no policy of its own.',
        );
        equal(Attributes.FifoTopic, undefined, 'A standard topic says FifoTopic.');
      },
    },
    {
      name: 'attributes-of-a-fifo-topic',
      title: 'A FIFO topic says so, and that it does not deduplicate by content.',
      source: {
        page: pages.api('CreateTopic'),
        says: 'ContentBasedDeduplication is false by default on a FIFO topic',
      },
      async run(world) {
        const TopicArn = await topic(world, { FifoTopic: 'true' });
        const { Attributes = {} } = await world.sns.send(new GetTopicAttributesCommand({ TopicArn }));
        equal(Attributes.FifoTopic, 'true', 'FifoTopic is not told.');
        equal(Attributes.ContentBasedDeduplication, 'false', 'ContentBasedDeduplication is not told.');
      },
    },
    {
      name: 'set-attribute',
      title: 'An attribute that is set is read back; one that SNS does not know is refused.',
      source: {
        page: pages.api('SetTopicAttributes'),
        says: 'lists the attributes that can be set',
      },
      async run(world) {
        const TopicArn = await topic(world);
        const set = (AttributeName: string, AttributeValue: string) =>
          world.sns.send(new SetTopicAttributesCommand({ TopicArn, AttributeName, AttributeValue }));
        await set('DisplayName', 'shop');
        const { Attributes } = await world.sns.send(new GetTopicAttributesCommand({ TopicArn }));
        equal(Attributes?.DisplayName, 'shop');
        await refused('an attribute named Colour', invalidParameter, () => set('Colour', 'red'));
      },
    },
    {
      name: 'counts-of-subscriptions',
      title: 'A topic counts its confirmed subscriptions.',
      source: {
        page: pages.api('GetTopicAttributes'),
        says: 'SubscriptionsConfirmed is the number of confirmed subscriptions',
      },
      needs: ['sqs'],
      async run(world) {
        const TopicArn = await topic(world);
        await subscribe(world, TopicArn, await openQueue(world));
        await world.eventually('the subscription to be counted as confirmed', 5, async () => {
          const { Attributes } = await world.sns.send(new GetTopicAttributesCommand({ TopicArn }));
          return Attributes?.SubscriptionsConfirmed === '1' ? true : undefined;
        });
      },
    },
    {
      name: 'delete-is-idempotent',
      title: 'Deleting a topic that is gone is no error.',
      source: {
        page: pages.api('DeleteTopic'),
        says: 'the action is idempotent: deleting what does not exist is no error',
      },
      async run(world) {
        const TopicArn = await topic(world);
        await world.sns.send(new DeleteTopicCommand({ TopicArn }));
        await world.sns.send(new DeleteTopicCommand({ TopicArn }));
        await refused('a message for a deleted topic', notFound, () =>
          world.sns.send(new PublishCommand({ TopicArn, Message: 'late' })),
        );
        await refused('attributes of a deleted topic', notFound, () =>
          world.sns.send(new GetTopicAttributesCommand({ TopicArn })),
        );
      },
    },
    {
      name: 'delete-ends-subscriptions',
      title: 'A topic takes its subscriptions with it when it is deleted.',
      source: {
        page: pages.api('DeleteTopic'),
        says: 'a topic is deleted with all its subscriptions',
      },
      needs: ['sqs'],
      async run(world) {
        const TopicArn = await topic(world);
        await subscribe(world, TopicArn, await openQueue(world));
        await world.sns.send(new DeleteTopicCommand({ TopicArn }));
        const Name = TopicArn.slice(TopicArn.lastIndexOf(':') + 1);
        const again = await world.sns.send(new CreateTopicCommand({ Name }));
        const { Subscriptions } = await world.sns.send(
          new ListSubscriptionsByTopicCommand({ TopicArn: again.TopicArn }),
        );
        deepEqual(Subscriptions ?? [], [], 'A new topic of the name has the old one’s subscription.');
      },
    },
    {
      name: 'tags',
      title: 'Tags are added, replaced and taken away by their key.',
      source: {
        page: pages.api('TagResource'),
        says: 'a tag whose key exists already replaces the old one; a topic has at most 50 tags',
      },
      async run(world) {
        const ResourceArn = await topic(world);
        const tag = (Tags: { Key: string; Value: string }[]) =>
          world.sns.send(new TagResourceCommand({ ResourceArn, Tags }));
        await tag([
          { Key: 'team', Value: 'a' },
          { Key: 'stage', Value: 'test' },
        ]);
        await tag([{ Key: 'team', Value: 'b' }]);
        await world.sns.send(new UntagResourceCommand({ ResourceArn, TagKeys: ['stage', 'never'] }));
        const { Tags } = await world.sns.send(new ListTagsForResourceCommand({ ResourceArn }));
        deepEqual(Tags, [{ Key: 'team', Value: 'b' }]);
        await refused('51 tags', { name: 'TagLimitExceededException' }, () =>
          tag(Array.from({ length: 50 }, (_, index) => ({ Key: `k${index}`, Value: '' }))),
        );
      },
    },
    {
      name: 'list-in-pages-of-100',
      title: 'Topics are listed in pages of 100.',
      source: {
        page: pages.api('ListTopics'),
        says: 'each call gives up to 100 topics, and a token where there are more',
      },
      async run(world) {
        const names = Array.from({ length: 101 }, () => world.name('many'));
        const made = await Promise.all(
          names.map(async (Name) => {
            const { TopicArn = '' } = await world.sns.send(new CreateTopicCommand({ Name }));
            world.after(() => world.sns.send(new DeleteTopicCommand({ TopicArn })));
            return TopicArn;
          }),
        );
        // Others may make and delete topics between two pages: one good look is enough.
        await world.eventually('all topics to be on the pages', 5, async () => {
          const found = new Set<string>();
          let NextToken: string | undefined;
          do {
            const page = await world.sns.send(new ListTopicsCommand({ ...(NextToken && { NextToken }) }));
            ok((page.Topics ?? []).length <= 100, `One page has ${page.Topics?.length} topics.`);
            for (const { TopicArn = '' } of page.Topics ?? []) found.add(TopicArn);
            notEqual(page.NextToken, NextToken ?? '', 'The same token was given again.');
            NextToken = page.NextToken;
          } while (NextToken !== undefined);
          return made.every((arn) => found.has(arn)) ? true : undefined;
        });
      },
    },
  ],
);
