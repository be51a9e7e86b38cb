import { PurgeQueueCommand } from '@aws-sdk/client-sqs';
import { type ConformanceCase, group } from '../case.ts';
import { equal } from './kit/equal.ts';
import { api, guide, recorded, sqsCase } from './kit/sources.ts';
import type { QueueAttributes } from './kit/sqs.ts';

const page = 'Using the Amazon SQS message deduplication ID';

/** Deduplication by content and by the sender's id: what is true of one is true of the other. */
const ways: readonly (readonly [name: string, what: string, QueueAttributes, id: string | undefined])[] = [
  ['content', 'by content', { ContentBasedDeduplication: 'true' }, undefined],
  ['id', 'by id', {}, 'same'],
];

const both: readonly ConformanceCase[] = ways.flatMap(([name, what, attributes, MessageDeduplicationId]) => {
  const again = { MessageDeduplicationId };
  return [
    sqsCase(
      `${name}-arrives-once`,
      `A message sent twice arrives once, deduplicated ${what}.`,
      guide(page, 'messages sent with the same id within 5 minutes are accepted but not delivered'),
      async ({ fifo, sendTo, bodies, receiveOne, remove }) => {
        const url = await fifo(attributes);
        for (let time = 1; time <= 2; time++) await sendTo(url, 'g', 'm', again);
        await remove(url, await receiveOne(url));
        equal((await bodies(url)).join(), '');
      },
    ),
    sqsCase(
      `${name}-holds-after-the-delete`,
      `A deleted message that is sent again does not arrive again, deduplicated ${what}.`,
      api(
        'SendMessage',
        'SQS continues to keep track of the id even after the message is received and deleted',
      ),
      async ({ fifo, sendTo, receiveOne, remove, bodies }) => {
        const url = await fifo(attributes);
        await sendTo(url, 'g', 'm', again);
        await remove(url, await receiveOne(url));
        await sendTo(url, 'g', 'm', again);
        equal((await bodies(url)).join(), '');
      },
    ),
    sqsCase(
      `${name}-counts-over-groups`,
      `By default a message sent to two groups arrives in the first alone, deduplicated ${what}.`,
      recorded('the default scope is the queue, not the group'),
      async ({ fifo, sendTo, receive }) => {
        const url = await fifo(attributes);
        await sendTo(url, 'one', 'm', again);
        await sendTo(url, 'two', 'm', again);
        const got = await receive(url, { MessageSystemAttributeNames: ['MessageGroupId'] });
        equal(got.map(({ Attributes }) => Attributes?.MessageGroupId).join(), 'one');
      },
    ),
    sqsCase(
      `${name}-in-its-group`,
      `With the scope messageGroup a message sent to two groups arrives in both, deduplicated ${what}.`,
      recorded('also without the throughput limit perMessageGroupId'),
      async ({ fifo, sendTo, receive }) => {
        const url = await fifo({ ...attributes, DeduplicationScope: 'messageGroup' });
        for (const to of ['one', 'two', 'two']) await sendTo(url, to, 'm', again);
        const got = await receive(url, { MessageSystemAttributeNames: ['MessageGroupId'] });
        equal(
          got
            .map(({ Attributes }) => Attributes?.MessageGroupId)
            .sort()
            .join(),
          'one,two',
        );
      },
    ),
    sqsCase(
      `${name}-for-five-minutes`,
      `After five minutes the same message is a new one, before it is not, deduplicated ${what}.`,
      guide(page, 'the deduplication interval is 5 minutes'),
      async ({ fifo, sendTo, receiveOne, remove, nothing, bodies }, world) => {
        const url = await fifo(attributes);
        await sendTo(url, 'g', 'm', again);
        await remove(url, await receiveOne(url));
        await world.pass(299);
        await sendTo(url, 'g', 'm', again);
        await nothing(url, 'After 299 s it was taken for a new message');
        await world.pass(1);
        await sendTo(url, 'g', 'm', again);
        equal((await bodies(url)).join(), 'm');
      },
      { hours: true },
    ),
  ];
});

export const sqsDeduplication = group(
  'sqs-deduplication',
  'Deduplication on FIFO queues',
  ['sqs'],
  [
    ...both,
    sqsCase(
      'duplicate-does-not-prolong',
      'A duplicate does not start the five minutes again.',
      guide(
        page,
        '5 minutes',
        'whether a duplicate starts them again is not said; the model counts from the first, as “within the 5-minute interval” reads',
      ),
      async ({ fifo, sendTo, receiveOne, remove, bodies }, world) => {
        const url = await fifo();
        await sendTo(url, 'g', 'm');
        await remove(url, await receiveOne(url));
        await world.pass(200);
        await sendTo(url, 'g', 'm');
        await world.pass(100);
        await sendTo(url, 'g', 'm');
        equal((await bodies(url)).join(), 'm');
      },
      { hours: true },
    ),
    sqsCase(
      'attributes-are-no-content',
      'The content of a message is its body, not its attributes.',
      api('SendMessage', 'a SHA-256 hash of the body, but not the attributes, is the deduplication id'),
      async ({ fifo, send, receive }) => {
        const url = await fifo({ ContentBasedDeduplication: 'true' });
        for (const StringValue of ['a', 'b'])
          await send(url, 'm', {
            MessageGroupId: 'g',
            MessageAttributes: { x: { DataType: 'String', StringValue } },
          });
        equal((await receive(url)).length, 1);
      },
    ),
    sqsCase(
      'hash-of-the-body-is-the-id',
      'The deduplication id of content is the SHA-256 of the body, in hexadecimal digits.',
      api('SendMessage', 'the id is generated with a SHA-256 hash of the body'),
      async ({ fifo, send, receiveOne }) => {
        const url = await fifo({ ContentBasedDeduplication: 'true' });
        await send(url, 'message', { MessageGroupId: 'g' });
        equal(
          (await receiveOne(url)).Attributes?.MessageDeduplicationId,
          'ab530a13e45914982b79f9b7e3fba994cfd1f3fb22f71cea1afbf02b460c6d1d',
        );
      },
    ),
    sqsCase(
      'id-goes-before-content',
      'An id of the sender goes before the content.',
      api('SendMessage', 'an explicit MessageDeduplicationId overrides the generated one'),
      async ({ fifo, sendTo, receive }) => {
        const url = await fifo({ ContentBasedDeduplication: 'true' });
        for (const MessageDeduplicationId of ['one', 'two'])
          await sendTo(url, 'g', 'same', { MessageDeduplicationId });
        equal((await receive(url)).length, 2);
      },
    ),
    sqsCase(
      'first-content-wins',
      'Of two messages with one id the first is delivered.',
      guide(page, 'the second is accepted but not delivered'),
      async ({ fifo, sendTo, bodies }) => {
        const url = await fifo();
        for (const body of ['first', 'second'])
          await sendTo(url, 'g', body, { MessageDeduplicationId: 'id' });
        equal((await bodies(url)).join(), 'first');
      },
    ),
    sqsCase(
      'duplicate-is-answered-like-the-first',
      'A duplicate is answered with the id of the first message.',
      guide(
        page,
        'a duplicate is accepted successfully',
        'what the answer holds is not written; the model gives the first message’s, so that a retry learns it',
      ),
      async ({ fifo, sendTo }) => {
        const url = await fifo();
        const [first, second] = [await sendTo(url, 'g', 'm'), await sendTo(url, 'g', 'm')];
        equal(second.MessageId, first.MessageId);
      },
    ),
    sqsCase(
      'id-is-required',
      'A message without an id is refused by a queue that does not go by content.',
      recorded('InvalidParameterValue: either ContentBasedDeduplication or a MessageDeduplicationId'),
      async ({ fifo, send, refused }) => {
        const call = send(await fifo(), 'm', { MessageGroupId: 'g' });
        await refused('A message without an id', 'InvalidParameterValue', call);
      },
    ),
    sqsCase(
      'ids',
      'A deduplication id has 1 to 128 letters, digits and punctuation marks.',
      recorded('128 characters are taken; an empty id, 129 characters and a blank are refused'),
      async ({ fifo, sendTo, refused }) => {
        const url = await fifo();
        await sendTo(url, 'g', 'm', { MessageDeduplicationId: 'a'.repeat(128) });
        for (const MessageDeduplicationId of ['', 'a'.repeat(129), 'group 123'])
          await refused(
            `The id "${MessageDeduplicationId.slice(0, 12)}"`,
            'InvalidParameterValue',
            sendTo(url, 'g', 'm', { MessageDeduplicationId }),
          );
      },
    ),
    sqsCase(
      'duplicates-in-a-batch',
      'Of two entries with one id both succeed and one is delivered.',
      guide(page, 'duplicates are accepted and not delivered'),
      async ({ fifo, sendBatch, bodies }) => {
        const url = await fifo();
        const entry = { MessageGroupId: 'g', MessageDeduplicationId: 'id' };
        const { Successful = [] } = await sendBatch(url, [
          { Id: 'a', MessageBody: 'first', ...entry },
          { Id: 'b', MessageBody: 'second', ...entry },
        ]);
        equal(Successful.length, 2);
        equal((await bodies(url)).join(), 'first');
      },
    ),
    sqsCase(
      'purge-forgets',
      'A purge forgets the ids.',
      recorded('the same id is delivered after a purge'),
      async ({ fifo, sendTo, bodies }, world) => {
        const QueueUrl = await fifo();
        await sendTo(QueueUrl, 'g', 'first', { MessageDeduplicationId: 'id' });
        await world.sqs.send(new PurgeQueueCommand({ QueueUrl }));
        await sendTo(QueueUrl, 'g', 'second', { MessageDeduplicationId: 'id' });
        equal((await bodies(QueueUrl)).join(), 'second');
      },
    ),
    sqsCase(
      'content-switched-off',
      'When deduplication by content is switched off, messages need an id again.',
      api('SetQueueAttributes', 'ContentBasedDeduplication enables it'),
      async ({ fifo, send, set, refused }, world) => {
        const url = await fifo({ ContentBasedDeduplication: 'true' });
        await send(url, 'one', { MessageGroupId: 'g' });
        await set(url, { ContentBasedDeduplication: 'false' });
        if (world.server === 'aws') await world.pass(60);
        await refused(
          'A message without an id',
          'InvalidParameterValue',
          send(url, 'two', { MessageGroupId: 'g' }),
        );
      },
    ),
    sqsCase(
      'changed-scope-does-not-hold-at-once',
      'A changed scope does not hold at once.',
      recorded(
        'after the change to messageGroup ids still counted over groups',
        'the API reference promises changes within 60 seconds; the model changes the scope after 60 seconds, which is true to both',
      ),
      async ({ fifo, sendTo, set, receive }) => {
        const url = await fifo({ DeduplicationScope: 'queue' });
        await sendTo(url, 'one', 'm');
        await set(url, { DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' });
        await sendTo(url, 'two', 'm');
        equal((await receive(url)).length, 1);
      },
    ),
    sqsCase(
      'changed-scope-holds-after-a-minute',
      'A changed scope holds after a minute.',
      api('SetQueueAttributes', 'a change of attributes can take up to 60 seconds to propagate'),
      async ({ fifo, sendTo, set, receive }, world) => {
        const url = await fifo({ DeduplicationScope: 'queue' });
        await set(url, { DeduplicationScope: 'messageGroup' });
        await world.pass(60);
        for (const to of ['one', 'two', 'two']) await sendTo(url, to, 'm');
        equal((await receive(url)).length, 2);
      },
      { hours: true },
    ),
  ],
);
