import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { PublishBatchCommand, type PublishBatchRequestEntry, PublishCommand } from '@aws-sdk/client-sns';
import { group } from '../case.ts';
import type { World } from '../world.ts';
import { refused } from './kit/refusal.ts';
import {
  arrivals,
  arrive,
  attributes,
  bodies,
  invalidParameter,
  notFound,
  pages,
  pair,
  topic,
  wrongAttribute,
} from './kit/sns.ts';

const publishBatch = ({ sns }: World, TopicArn: string, entries: PublishBatchRequestEntry[]) =>
  sns.send(new PublishBatchCommand({ TopicArn, PublishBatchRequestEntries: entries }));

const largest = 262_144;

export const snsPublish = group(
  'sns-publish',
  'Publishing',
  ['sns', 'sqs'],
  [
    {
      name: 'topic-has-to-be-there',
      title: 'A message for a topic that is not there is refused.',
      source: { page: pages.api('Publish'), says: 'NotFound: the resource does not exist' },
      async run(world) {
        const TopicArn = `${await topic(world)}-never`;
        await refused('a message for no topic', notFound, () =>
          world.sns.send(new PublishCommand({ TopicArn, Message: 'x' })),
        );
      },
    },
    {
      name: 'empty-message',
      title: 'An empty message is refused.',
      source: { page: pages.api('Publish'), says: 'a message has at least one byte' },
      async run(world) {
        const TopicArn = await topic(world);
        await refused('an empty message', invalidParameter, () =>
          world.sns.send(new PublishCommand({ TopicArn, Message: '' })),
        );
      },
    },
    {
      name: 'size-of-256-kib',
      title: 'A message may have 262,144 bytes, and not one more.',
      source: { page: pages.api('Publish'), says: 'messages are UTF-8 of at most 256 KB, 262,144 bytes' },
      async run(world) {
        const TopicArn = await topic(world);
        const publish = (Message: string) => world.sns.send(new PublishCommand({ TopicArn, Message }));
        await publish('a'.repeat(largest));
        await refused('one byte more than 256 KiB', invalidParameter, () => publish('a'.repeat(largest + 1)));
        await refused('fewer characters, but more bytes', invalidParameter, () =>
          publish('ä'.repeat(largest / 2 + 1)),
        );
      },
    },
    {
      name: 'attributes-count-as-size',
      title: 'Names, types and values of attributes count as bytes of the message.',
      source: {
        page: 'SNS developer guide, "Amazon SNS message attributes"',
        says: 'the attributes’ names, types and values are part of the message’s size limit',
      },
      async run(world) {
        const TopicArn = await topic(world);
        const publish = (value: string) =>
          world.sns.send(
            new PublishCommand({
              TopicArn,
              Message: 'a'.repeat(largest - 100),
              MessageAttributes: attributes({ name: value }),
            }),
          );
        await publish('b'.repeat(90));
        await refused('an attribute that makes the message too long', invalidParameter, () =>
          publish('b'.repeat(91)),
        );
      },
    },
    {
      name: 'larger-messages',
      title: 'A topic’s MaximumMessageSize raises the limit to 1 MiB.',
      source: {
        page: 'AWS What’s New, September 2026, larger SNS messages',
        says: 'the attribute MaximumMessageSize allows up to 1 MiB for queues, functions and Firehose',
        conflict:
          'The page of quotas and the reference of Publish still say 256 KB: that is the default, which the model keeps.',
      },
      async run(world) {
        const { topicArn, publish } = await pair(world, {
          topicAttributes: { MaximumMessageSize: '1048576' },
        });
        await publish('a'.repeat(1_048_576));
        await refused('one byte more than 1 MiB', invalidParameter, () => publish('a'.repeat(1_048_577)));
        notEqual(topicArn, '');
      },
    },
    {
      name: 'subject',
      title: 'A subject is a line of less than 100 characters.',
      source: {
        page: pages.api('Publish'),
        says: 'a subject has no line breaks or control characters, and less than 100 characters',
        conflict: 'Other pages say "up to 100": the model takes exactly 100, the case asks for 99 and 101.',
      },
      async run(world) {
        const TopicArn = await topic(world);
        const publish = (Subject: string) =>
          world.sns.send(new PublishCommand({ TopicArn, Message: 'x', Subject }));
        await publish('s'.repeat(99));
        for (const wrong of ['s'.repeat(101), 'two\nlines', '\u0007bell'])
          await refused(`the subject ${JSON.stringify(wrong.slice(0, 10))}`, invalidParameter, () =>
            publish(wrong),
          );
      },
    },
    {
      name: 'attribute-types',
      title: 'An attribute is of type String, String.Array, Number or Binary.',
      source: {
        page: 'SNS developer guide, "Amazon SNS message attributes"',
        says: 'the data types are String, String.Array, Number and Binary',
      },
      async run(world) {
        const TopicArn = await topic(world);
        await refused('an attribute of type Colour', wrongAttribute, () =>
          world.sns.send(
            new PublishCommand({
              TopicArn,
              Message: 'x',
              MessageAttributes: { a: { DataType: 'Colour', StringValue: 'red' } },
            }),
          ),
        );
      },
    },
    {
      name: 'number-attribute-is-a-number',
      title: 'An attribute of type Number holds a number.',
      source: {
        page: 'SNS developer guide, "Amazon SNS message attributes"',
        says: 'numbers are integers or decimals, positive or negative',
      },
      async run(world) {
        const TopicArn = await topic(world);
        const publish = (StringValue: string) =>
          world.sns.send(
            new PublishCommand({
              TopicArn,
              Message: 'x',
              MessageAttributes: { a: { DataType: 'Number', StringValue } },
            }),
          );
        await publish('-12.5');
        await refused('the Number "twelve"', wrongAttribute, () => publish('twelve'));
      },
    },
    {
      name: 'attribute-without-value',
      title: 'An attribute has a value that is not empty.',
      source: {
        page: 'SNS developer guide, "Amazon SNS message attributes"',
        says: 'name, type and value must not be empty',
      },
      async run(world) {
        const TopicArn = await topic(world);
        for (const one of [{ DataType: 'String', StringValue: '' }, { DataType: 'String' }])
          await refused('an attribute without a value', wrongAttribute, () =>
            world.sns.send(new PublishCommand({ TopicArn, Message: 'x', MessageAttributes: { a: one } })),
          );
      },
    },
    {
      name: 'structure-json-takes-the-queue-part',
      title: 'With MessageStructure json a queue gets its own part.',
      source: {
        page: pages.api('Publish'),
        says: 'each protocol gets the value under its key; "default" is for those without one',
      },
      async run(world) {
        const { queue, publish } = await pair(world);
        const json = { MessageStructure: 'json' };
        await publish(JSON.stringify({ default: 'for all', sqs: 'for queues' }), json);
        await publish(JSON.stringify({ default: 'for others', email: 'for people' }), json);
        await arrive(world, queue, ['for queues', 'for others']);
      },
    },
    {
      name: 'structure-json-needs-a-default',
      title: 'With MessageStructure json the message is JSON with a text under "default".',
      source: {
        page: pages.api('Publish'),
        says: 'it must be a valid JSON object with at least a top-level key "default" whose value is a string',
      },
      async run(world) {
        const { publish } = await pair(world);
        for (const wrong of ['no json', '{"sqs":"only queues"}', '{"default":{"a":1}}'])
          await refused(`the message ${wrong}`, invalidParameter, () =>
            publish(wrong, { MessageStructure: 'json' }),
          );
      },
    },
    {
      name: 'batch-of-ten',
      title: 'A batch of ten is published, each with its own answer.',
      source: {
        page: pages.api('PublishBatch'),
        says: 'up to ten messages in one request; results come for each id',
      },
      async run(world) {
        const { topicArn, queue } = await pair(world);
        const ids = Array.from({ length: 10 }, (_, index) => `m-${index}`);
        const { Successful = [], Failed = [] } = await publishBatch(
          world,
          topicArn,
          ids.map((Id) => ({ Id, Message: Id })),
        );
        deepEqual(Failed, []);
        deepEqual(Successful.map(({ Id }) => Id).toSorted(), ids);
        equal(new Set(Successful.map(({ MessageId }) => MessageId)).size, 10, 'Message ids are repeated.');
        await arrive(world, queue, ids);
      },
    },
    {
      name: 'batch-that-is-wrong-as-a-whole',
      title: 'An empty batch, one of eleven, and one with an id twice are refused.',
      source: {
        page: pages.api('PublishBatch'),
        says: 'EmptyBatchRequest, TooManyEntriesInBatchRequest, BatchEntryIdsNotDistinct',
      },
      async run(world) {
        const TopicArn = await topic(world);
        const entries = (ids: readonly string[]) => ids.map((Id) => ({ Id, Message: 'x' }));
        await refused('an empty batch', { name: 'EmptyBatchRequestException' }, () =>
          publishBatch(world, TopicArn, []),
        );
        await refused('a batch of eleven', { name: 'TooManyEntriesInBatchRequestException' }, () =>
          publishBatch(world, TopicArn, entries([...'abcdefghijk'])),
        );
        await refused('an id twice', { name: 'BatchEntryIdsNotDistinctException' }, () =>
          publishBatch(world, TopicArn, entries(['a', 'a'])),
        );
        await refused('an id with a space', { name: 'InvalidBatchEntryIdException' }, () =>
          publishBatch(world, TopicArn, entries(['a b'])),
        );
      },
    },
    {
      name: 'batch-size-is-of-all-together',
      title: 'The messages of a batch have at most 256 KiB together.',
      source: {
        page: pages.api('PublishBatch'),
        says: 'the sum of the messages’ lengths is limited to 256 KB, BatchRequestTooLong otherwise',
      },
      async run(world) {
        const TopicArn = await topic(world);
        const halves = (more: number) => [
          { Id: 'a', Message: 'a'.repeat(largest / 2) },
          { Id: 'b', Message: 'b'.repeat(largest / 2 + more) },
        ];
        await publishBatch(world, TopicArn, halves(0));
        await refused('two halves and one byte', { name: 'BatchRequestTooLongException' }, () =>
          publishBatch(world, TopicArn, halves(1)),
        );
      },
    },
    {
      name: 'batch-entry-fails-alone',
      title: 'A wrong entry of a batch fails alone; the others are published.',
      source: {
        page: pages.api('PublishBatch'),
        says: 'a request can succeed for some entries and fail for others, so the answer is to be looked at',
        conflict:
          'The page does not say which faults are of the entry and which of the batch. Recorded on AWS: wrong attributes and missing ids refuse the batch. The model lets other faults of the content fail alone.',
      },
      async run(world) {
        const { topicArn, queue } = await pair(world);
        const { Successful = [], Failed = [] } = await publishBatch(world, topicArn, [
          { Id: 'good', Message: 'good' },
          { Id: 'bad', Message: 'bad', Subject: 'two\nlines' },
        ]);
        deepEqual(
          Successful.map(({ Id }) => Id),
          ['good'],
          'The good entry did not succeed alone.',
        );
        deepEqual(
          Failed.map(({ Id, SenderFault }) => ({ Id, SenderFault })),
          [{ Id: 'bad', SenderFault: true }],
        );
        await arrive(world, queue, ['good']);
      },
    },
    {
      name: 'batch-with-a-wrong-attribute',
      title: 'A batch with a wrong attribute in one entry is refused as a whole.',
      source: {
        page: pages.api('PublishBatch'),
        says: 'InvalidParameterValue: a parameter does not comply with its constraints',
        conflict:
          'The page does not say whether the entry or the batch fails. Recorded on AWS: the batch; the model does that.',
      },
      async run(world) {
        const { topicArn, queue } = await pair(world);
        await refused('a batch with an attribute of type Colour', wrongAttribute, () =>
          publishBatch(world, topicArn, [
            { Id: 'good', Message: 'good' },
            {
              Id: 'bad',
              Message: 'bad',
              MessageAttributes: { a: { DataType: 'Colour', StringValue: 'red' } },
            },
          ]),
        );
        await arrive(world, queue, [], 'of the refused batch');
      },
    },
    {
      name: 'fifo-needs-a-group',
      title: 'A message for a FIFO topic has a group.',
      source: { page: pages.api('Publish'), says: 'MessageGroupId is required for FIFO topics' },
      async run(world) {
        const { publish } = await pair(world, { fifo: true });
        await refused('a message without a group', invalidParameter, () =>
          publish('x', { MessageDeduplicationId: 'd' }),
        );
      },
    },
    {
      name: 'fifo-needs-a-deduplication-id',
      title: 'A message for a FIFO topic has a deduplication id, or its content stands for it.',
      source: {
        page: pages.api('Publish'),
        says: 'each message has a unique MessageDeduplicationId, or the topic has ContentBasedDeduplication',
      },
      async run(world) {
        const explicit = await pair(world, { fifo: true });
        await refused('a message without a deduplication id', invalidParameter, () =>
          explicit.publish('x', { MessageGroupId: 'g' }),
        );
        const byContent = await pair(world, {
          fifo: true,
          topicAttributes: { ContentBasedDeduplication: 'true' },
        });
        await byContent.publish('x', { MessageGroupId: 'g' });
        await arrive(world, byContent.queue, ['x']);
      },
    },
    {
      name: 'standard-refuses-a-deduplication-id',
      title: 'A standard topic takes no deduplication id.',
      source: { page: pages.api('Publish'), says: 'MessageDeduplicationId applies only to FIFO topics' },
      async run(world) {
        const { publish } = await pair(world);
        await refused('a deduplication id on a standard topic', invalidParameter, () =>
          publish('x', { MessageDeduplicationId: 'd' }),
        );
      },
    },
    {
      name: 'standard-takes-a-group',
      title: 'A standard topic takes a group id and hands it to its queues, for fair queues.',
      source: {
        page: pages.api('Publish'),
        says: 'on standard topics MessageGroupId is optional and is passed on to SQS standard queues, for fair queues',
        conflict: 'Pages from before July 2025 say that it is refused; the model follows the present one.',
      },
      async run(world) {
        const { queue, publish } = await pair(world);
        await publish('fair', { MessageGroupId: 'tenant-1' });
        const [found] = await arrivals(world, queue, 1);
        equal(found?.Attributes?.MessageGroupId, 'tenant-1', 'The queue’s message has no group.');
      },
    },
    {
      name: 'sequence-numbers-rise',
      title: 'Messages of a FIFO topic have sequence numbers that rise.',
      source: {
        page: pages.api('Publish'),
        says: 'SequenceNumber: 20 digits, rising, for FIFO topics only',
      },
      async run(world) {
        const { publish } = await pair(world, { fifo: true });
        const numbers: bigint[] = [];
        for (const id of ['1', '2', '3']) {
          const { SequenceNumber = '' } = await publish(id, {
            MessageGroupId: 'g',
            MessageDeduplicationId: id,
          });
          match(SequenceNumber, /^\d{20}$/, `The sequence number is "${SequenceNumber}", not 20 digits.`);
          numbers.push(BigInt(SequenceNumber));
        }
        ok(numbers[0]! < numbers[1]! && numbers[1]! < numbers[2]!, 'They do not rise.');
      },
    },
    {
      name: 'fifo-deduplication',
      title: 'A second message of a deduplication id is answered, and not delivered.',
      source: {
        page: 'SNS developer guide, "Message deduplication for FIFO topics"',
        says: 'within five minutes a message of the same id is accepted and not delivered',
      },
      async run(world) {
        const { queue, publish } = await pair(world, { fifo: true, queueFifo: false });
        const ids = { MessageGroupId: 'g', MessageDeduplicationId: 'd' };
        await publish('first', ids);
        const second = await publish('second', ids);
        ok(second.MessageId, 'The repetition got no answer.');

        await arrive(world, queue, ['first']);
      },
    },
    {
      name: 'content-deduplication-is-of-the-body',
      title: 'Deduplication by content looks at the body, and not at the attributes.',
      source: {
        page: 'SNS developer guide, "Message deduplication for FIFO topics"',
        says: 'the id is a SHA-256 of the body, not of the attributes',
      },
      async run(world) {
        const { queue, publish } = await pair(world, {
          fifo: true,
          // A standard queue does not deduplicate: what is missing, the topic kept back.
          queueFifo: false,
          topicAttributes: { ContentBasedDeduplication: 'true' },
        });
        await publish('same', { MessageGroupId: 'g', MessageAttributes: attributes({ a: '1' }) });
        await publish('same', { MessageGroupId: 'g', MessageAttributes: attributes({ a: '2' }) });
        await publish('other', { MessageGroupId: 'g' });
        await arrive(world, queue, ['same', 'other']);
      },
    },
    {
      name: 'deduplication-lasts-five-minutes',
      title: 'After five minutes a deduplication id is free again.',
      source: {
        page: 'SNS developer guide, "Message deduplication for FIFO topics"',
        says: 'the interval is five minutes',
      },
      hours: true,
      async run(world) {
        const { queue, publish } = await pair(world, { fifo: true, queueFifo: false });
        const ids = { MessageGroupId: 'g', MessageDeduplicationId: 'd' };
        await publish('first', ids);
        await world.pass(299);
        await publish('within', ids);
        await world.pass(2);
        await publish('after', ids);
        await arrive(world, queue, ['first', 'after']);
      },
    },
    {
      name: 'deduplication-in-the-group',
      title: 'With FifoThroughputScope MessageGroup, an id is deduplicated inside its group only.',
      source: {
        page: 'SNS developer guide, "High throughput FIFO topics"',
        says: 'with the scope MessageGroup deduplication is checked within a group',
      },
      async run(world) {
        const { queue, publish } = await pair(world, {
          fifo: true,
          queueFifo: false,
          topicAttributes: { FifoThroughputScope: 'MessageGroup' },
        });
        await publish('g1', { MessageGroupId: 'g1', MessageDeduplicationId: 'd' });
        await publish('g2', { MessageGroupId: 'g2', MessageDeduplicationId: 'd' });
        await publish('g1 again', { MessageGroupId: 'g1', MessageDeduplicationId: 'd' });
        await arrive(world, queue, ['g1', 'g2']);
      },
    },
    {
      name: 'fifo-batch-without-a-group',
      title: 'A batch for a FIFO topic with an entry without group is refused as a whole.',
      source: {
        page: pages.api('PublishBatch'),
        says: 'MessageGroupId is required for each message of a FIFO topic',
        conflict:
          'The page does not say whether the entry or the batch fails. Recorded on AWS: the batch; the model does that.',
      },
      async run(world) {
        const { topicArn } = await pair(world, { fifo: true });
        await refused('a batch with an entry without group', invalidParameter, () =>
          publishBatch(world, topicArn, [
            { Id: 'a', Message: 'a', MessageGroupId: 'g', MessageDeduplicationId: 'a' },
            { Id: 'b', Message: 'b', MessageDeduplicationId: 'b' },
          ]),
        );
      },
    },
    {
      name: 'fifo-batch-keeps-its-order',
      title: 'A batch is delivered in its order, without repetitions.',
      source: {
        page: 'SNS developer guide, "Message ordering details for FIFO topics"',
        says: 'messages of a group are delivered in the order in which they were published',
      },
      async run(world) {
        const { topicArn, queue } = await pair(world, { fifo: true });
        const entry = (Id: string, MessageDeduplicationId = Id) => ({
          Id,
          Message: Id,
          MessageGroupId: 'g',
          MessageDeduplicationId,
        });
        const { Successful = [] } = await publishBatch(world, topicArn, [
          entry('1'),
          entry('2'),
          entry('2-again', '2'),
          entry('3'),
        ]);
        equal(Successful.length, 4, 'The repetition failed instead of being accepted.');
        deepEqual(await bodies(world, queue, 3), ['1', '2', '3']);
      },
    },
  ],
);
