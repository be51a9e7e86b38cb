import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { PublishCommand } from '@aws-sdk/client-sns';
import { DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { group } from '../case.ts';
import { arrivals, arrive, attributes, bodies, openQueue, pages, pair, subscribe, topic } from './kit/sns.ts';

const raw = { RawMessageDelivery: 'true' };
const fifoOrder = 'SNS developer guide, "Message ordering details for FIFO topics"';

export const snsDelivery = group(
  'sns-delivery',
  'Delivery to queues',
  ['sns', 'sqs'],
  [
    {
      name: 'envelope',
      title: 'Without raw delivery a queue gets a JSON document about the message.',
      source: {
        page: 'SNS developer guide, "Parsing message formats", notification JSON',
        says: 'it has Type, MessageId, TopicArn, Subject where there is one, Message, Timestamp, SignatureVersion, Signature, SigningCertURL, UnsubscribeURL',
      },
      async run(world) {
        const { topicArn, subscriptionArn, queue, publish } = await pair(world, { subscription: {} });
        const { MessageId } = await publish('hello', { Subject: 'greeting' });
        const [found] = await arrivals(world, queue, 1);
        const envelope = JSON.parse(found?.Body ?? 'null');
        equal(envelope.Type, 'Notification');
        equal(envelope.MessageId, MessageId, 'It names another message than Publish answered.');
        equal(envelope.TopicArn, topicArn);
        equal(envelope.Subject, 'greeting');
        equal(envelope.Message, 'hello');
        match(
          envelope.Timestamp,
          /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
          `Timestamp is ${envelope.Timestamp}.`,
        );
        equal(envelope.SignatureVersion, '1');
        for (const member of ['Signature', 'SigningCertURL', 'UnsubscribeURL'])
          equal(typeof envelope[member], 'string', `${member} is missing.`);
        ok(
          decodeURIComponent(envelope.UnsubscribeURL).includes(subscriptionArn),
          'UnsubscribeURL names another subscription.',
        );
        ok(!('MessageAttributes' in envelope), 'MessageAttributes is there, although there are none.');
        equal(found?.MessageAttributes, undefined, 'The queue’s message has attributes.');
      },
    },
    {
      name: 'envelope-without-subject',
      title: 'An envelope has no Subject when there is none.',
      source: {
        page: 'SNS developer guide, "Parsing message formats", notification JSON',
        says: 'Subject is optional: the pair is not there when no subject was given',
      },
      async run(world) {
        const { queue, publish } = await pair(world, { subscription: {} });
        await publish('hello');
        const [body = 'null'] = await bodies(world, queue, 1);
        ok(!('Subject' in JSON.parse(body)), 'Subject is there.');
      },
    },
    {
      name: 'envelope-holds-attributes',
      title: 'The attributes of a message are in its envelope, with Type and Value.',
      source: {
        page: 'SNS developer guide, "Amazon SNS message attributes"',
        says: 'without raw delivery the attributes are part of the JSON body; binary values are base64',
      },
      async run(world) {
        const { queue, publish } = await pair(world, { subscription: {} });
        await publish('hello', {
          MessageAttributes: attributes({
            text: 'a',
            number: 1.5,
            list: ['x', 1],
            bytes: new Uint8Array([1, 2, 255]),
          }),
        });
        const [body = 'null'] = await bodies(world, queue, 1);
        deepEqual(JSON.parse(body).MessageAttributes, {
          text: { Type: 'String', Value: 'a' },
          number: { Type: 'Number', Value: '1.5' },
          list: { Type: 'String.Array', Value: '["x",1]' },
          bytes: { Type: 'Binary', Value: 'AQL/' },
        });
      },
    },
    {
      name: 'raw',
      title: 'With raw delivery a queue gets the message itself, with its attributes.',
      source: {
        page: pages.raw,
        says: 'no metadata is added; the attributes become those of the queue’s message',
      },
      async run(world) {
        const { queue, publish } = await pair(world);
        await publish('plain', { Subject: 'lost', MessageAttributes: attributes({ text: 'a', number: 7 }) });
        const [found] = await arrivals(world, queue, 1);
        equal(found?.Body, 'plain');
        deepEqual(found?.MessageAttributes, {
          text: { DataType: 'String', StringValue: 'a' },
          number: { DataType: 'Number', StringValue: '7' },
        });
      },
    },
    {
      name: 'raw-carries-bytes',
      title: 'A binary attribute arrives as the bytes that were sent.',
      source: { page: pages.raw, says: 'the attributes become those of the queue’s message' },
      async run(world) {
        const { queue, publish } = await pair(world);
        const bytes = new Uint8Array([0, 1, 127, 128, 255]);
        await publish('bytes', { MessageAttributes: attributes({ bytes }) });
        const [found] = await arrivals(world, queue, 1);
        deepEqual([...(found?.MessageAttributes?.bytes?.BinaryValue ?? [])], [...bytes]);
      },
    },
    {
      name: 'raw-with-eleven-attributes',
      title: 'A raw message with more than ten attributes is not delivered.',
      source: {
        page: pages.raw,
        says: 'a message with more than ten attributes is discarded as a client-side error',
      },
      async run(world) {
        const { queue, publish } = await pair(world);
        const many = (count: number) =>
          attributes(Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 'x'])));
        await publish('ten', { MessageAttributes: many(10) });
        await publish('eleven', { MessageAttributes: many(11) });
        await arrive(world, queue, ['ten'], 'at the queue');
      },
    },
    {
      name: 'envelope-with-eleven-attributes',
      title: 'In an envelope more than ten attributes are delivered.',
      source: { page: pages.raw, says: 'the limit of ten attributes is of raw delivery' },
      async run(world) {
        const { queue, publish } = await pair(world, { subscription: {} });
        const names = Array.from({ length: 11 }, (_, index) => `a${index}`);
        await publish('eleven', {
          MessageAttributes: attributes(Object.fromEntries(names.map((name) => [name, 'x']))),
        });
        const [body = '{}'] = await bodies(world, queue, 1);
        deepEqual(Object.keys(JSON.parse(body).MessageAttributes ?? {}).toSorted(), names.toSorted());
      },
    },
    {
      name: 'every-subscription-gets-it',
      title: 'Every subscription gets a message, each in its own form.',
      source: {
        page: 'SNS developer guide, "Common Amazon SNS scenarios", fanout',
        says: 'a message is replicated to all endpoints',
      },
      async run(world) {
        const { topicArn, queue, publish } = await pair(world);
        const wrapped = await openQueue(world);
        await subscribe(world, topicArn, wrapped);
        await publish('to all');
        await arrive(world, queue, ['to all'], 'the raw subscription');
        const [body = '{}'] = await bodies(world, wrapped, 1);
        equal(JSON.parse(body).Message, 'to all');
      },
    },
    {
      name: 'one-broken-subscription',
      title: 'A subscription whose queue is gone does not keep messages from the others.',
      source: {
        page: 'SNS developer guide, "Amazon SNS message delivery retries"',
        says: 'a client-side error, such as a deleted endpoint, is not retried; each delivery is its own',
      },
      async run(world) {
        const { topicArn, queue, publish } = await pair(world);
        const gone = await openQueue(world);
        await subscribe(world, topicArn, gone, raw);
        await world.sqs.send(new DeleteQueueCommand({ QueueUrl: gone.url }));
        await publish('still here');
        await arrive(world, queue, ['still here']);
      },
    },
    {
      name: 'queue-gone-means-dead-letter',
      title: 'A message for a queue that is gone goes to the subscription’s dead-letter queue.',
      source: {
        page: pages.deadLetters,
        says: 'client-side errors are not retried: such messages go to the dead-letter queue at once',
      },
      async run(world) {
        const deadLetters = await openQueue(world);
        const { queue, publish } = await pair(world, {
          subscription: { ...raw, RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetters.arn }) },
        });
        await world.sqs.send(new DeleteQueueCommand({ QueueUrl: queue.url }));
        await publish('homeless', { MessageAttributes: attributes({ kept: 'yes' }) });
        const [found] = await arrivals(world, deadLetters, 1);
        equal(found?.Body, 'homeless', 'Nothing came to the dead-letter queue.');
        equal(found?.MessageAttributes?.kept?.StringValue, 'yes', 'The attributes are lost.');
      },
    },
    {
      name: 'policy-missing-means-dead-letter',
      title: 'A message that the queue’s policy does not let in goes to the dead-letter queue.',
      source: {
        page: pages.deadLetters,
        says: 'a policy that keeps SNS out is a client-side error: the message goes to the dead-letter queue',
      },
      async run(world) {
        const topicArn = await topic(world);
        const closed = await openQueue(world, { closed: true });
        const deadLetters = await openQueue(world);
        await subscribe(world, topicArn, closed, {
          ...raw,
          RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetters.arn }),
        });
        await world.sns.send(new PublishCommand({ TopicArn: topicArn, Message: 'locked out' }));
        await arrive(world, closed, [], 'at the queue without a policy');
        await arrive(world, deadLetters, ['locked out'], 'at the dead-letter queue');
      },
    },
    {
      name: 'dead-letter-keeps-the-envelope',
      title: 'A dead letter of a subscription without raw delivery is the envelope.',
      source: {
        page: pages.deadLetters,
        says: 'the dead-letter queue gets the message as it was to be delivered',
        conflict:
          'The page does not show the body. The model hands on what the queue would have got, as recorded on AWS.',
      },
      async run(world) {
        const deadLetters = await openQueue(world);
        const { queue, publish } = await pair(world, {
          subscription: { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetters.arn }) },
        });
        await world.sqs.send(new DeleteQueueCommand({ QueueUrl: queue.url }));
        await publish('homeless');
        const [body = '{}'] = await bodies(world, deadLetters, 1);
        const envelope = JSON.parse(body);
        equal(envelope.Type, 'Notification');
        equal(envelope.Message, 'homeless');
      },
    },
    {
      name: 'filtered-is-no-dead-letter',
      title: 'A message that a filter keeps back is no dead letter.',
      source: {
        page: 'SNS developer guide, "Amazon SNS message filtering"',
        says: 'a message that does not match is not delivered: that is no failure',
      },
      async run(world) {
        const deadLetters = await openQueue(world);
        const { queue, publish } = await pair(world, {
          subscription: {
            ...raw,
            FilterPolicy: JSON.stringify({ kind: ['a'] }),
            RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetters.arn }),
          },
        });
        await publish('not wanted', { MessageAttributes: attributes({ kind: 'b' }) });
        await publish('wanted', { MessageAttributes: attributes({ kind: 'a' }) });
        await arrive(world, queue, ['wanted'], 'at the queue');
        await arrive(world, deadLetters, [], 'at the dead-letter queue');
      },
    },
    {
      name: 'fifo-order',
      title: 'A FIFO queue gets the messages of a group in the order in which they were published.',
      source: {
        page: fifoOrder,
        says: 'messages of a group are delivered in the order in which they were published',
      },
      async run(world) {
        const { queue, publish } = await pair(world, { fifo: true });
        const sent = Array.from({ length: 10 }, (_, index) => String(index));
        for (const id of sent) await publish(id, { MessageGroupId: 'g', MessageDeduplicationId: id });
        deepEqual(await bodies(world, queue, 10), sent);
      },
    },
    {
      name: 'fifo-hands-on-group-and-deduplication',
      title: 'A FIFO queue gets the group and the deduplication id of the message.',
      source: {
        page: fifoOrder,
        says: 'the group id and the deduplication id are passed on to the subscribed FIFO queues',
      },
      async run(world) {
        const { queue, publish } = await pair(world, { fifo: true });
        await publish('x', { MessageGroupId: 'group', MessageDeduplicationId: 'id' });
        const [found] = await arrivals(world, queue, 1);
        equal(found?.Attributes?.MessageGroupId, 'group');
        equal(found?.Attributes?.MessageDeduplicationId, 'id');
      },
    },
    {
      name: 'fifo-envelope-has-the-sequence-number',
      title: 'The envelope of a FIFO topic holds the sequence number that Publish answered.',
      source: {
        page: 'SNS developer guide, "Message delivery for FIFO topics"',
        says: 'the sequence number is part of the body where raw delivery is off',
      },
      async run(world) {
        const { queue, publish } = await pair(world, { fifo: true, subscription: {} });
        const { SequenceNumber } = await publish('x', { MessageGroupId: 'g', MessageDeduplicationId: 'd' });
        const [body = '{}'] = await bodies(world, queue, 1);
        equal(JSON.parse(body).SequenceNumber, SequenceNumber);
      },
    },
    {
      name: 'fifo-queue-deduplicates-itself',
      title: 'What comes twice to a FIFO queue by way of SNS is there once.',
      source: {
        page: 'SNS developer guide, "Message deduplication for FIFO topics"',
        says: 'the queue deduplicates by the id that the topic hands on',
      },
      async run(world) {
        const first = await pair(world, { fifo: true });
        const other = await topic(world, { FifoTopic: 'true' });
        await subscribe(world, other, first.queue, raw);
        const ids = { MessageGroupId: 'g', MessageDeduplicationId: 'same' };
        await first.publish('by the first topic', ids);
        await world.sns.send(new PublishCommand({ TopicArn: other, Message: 'by the second', ...ids }));
        await arrive(world, first.queue, ['by the first topic']);
      },
    },
    {
      name: 'nothing-from-before-the-subscription',
      title: 'A subscription gets what is published after it was made, and nothing from before.',
      source: {
        page: 'SNS developer guide, "What is Amazon SNS?"',
        says: 'a message goes to those who are subscribed when it is published',
      },
      async run(world) {
        const topicArn = await topic(world);
        await world.sns.send(new PublishCommand({ TopicArn: topicArn, Message: 'before' }));
        const queue = await openQueue(world);
        await subscribe(world, topicArn, queue, raw);
        await world.sns.send(new PublishCommand({ TopicArn: topicArn, Message: 'after' }));
        await arrive(world, queue, ['after']);
      },
    },
  ],
);
