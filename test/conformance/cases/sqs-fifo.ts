import { notEqual, ok } from 'node:assert/strict';
import { PurgeQueueCommand } from '@aws-sdk/client-sqs';
import { group } from '../case.ts';
import { equal } from './kit/equal.ts';
import { api, guide, recorded, sqsCase } from './kit/sources.ts';

export const sqsFifo = group(
  'sqs-fifo',
  'FIFO queues: sending, attempts, handles',
  ['sqs'],
  [
    sqsCase(
      'group-is-required',
      'A message to a FIFO queue needs a group.',
      api('SendMessage', 'MessageGroupId is required for FIFO queues; without it the action fails'),
      async ({ fifo, send, refused }) => {
        const call = send(await fifo(), 'm', { MessageDeduplicationId: 'd' });
        await refused('A message without a group', 'MissingParameter', call);
      },
    ),
    sqsCase(
      'group-ids',
      'A group id has 1 to 128 letters, digits and punctuation marks.',
      api('SendMessage', 'the length of MessageGroupId is 128; alphanumeric characters and punctuation'),
      async ({ fifo, sendTo, refused, receiveOne }) => {
        const url = await fifo();
        const longest = `!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~${'g'.repeat(96)}`;
        await sendTo(url, longest, 'm');
        equal((await receiveOne(url)).Attributes?.MessageGroupId, longest);
        for (const wrong of ['', 'g'.repeat(129), 'group 1', 'gruppe-ü'])
          await refused(
            `The group "${wrong.slice(0, 12)}"`,
            ['InvalidParameterValue', 'MissingParameter'],
            sendTo(url, wrong, 'n'),
          );
      },
    ),
    sqsCase(
      'sequence-numbers',
      'Sequence numbers of 20 digits grow from message to message, and come with the receive.',
      api(
        'SendMessage',
        'SequenceNumber is a large, non-consecutive number of 128 bits that increases in a group',
      ),
      async ({ fifo, sendTo, receive }) => {
        const url = await fifo();
        const sent: string[] = [];
        for (const body of ['a', 'b', 'c']) sent.push((await sendTo(url, 'g', body)).SequenceNumber ?? '');
        ok(sent[0]! < sent[1]! && sent[1]! < sent[2]!, `They are ${sent.join()}.`);
        for (const number of sent) equal(/^\d{20}$/.test(number), true, `${number} has not 20 digits.`);
        const got = await receive(url, { MessageSystemAttributeNames: ['SequenceNumber'] });
        equal(got.map(({ Attributes }) => Attributes?.SequenceNumber).join(), sent.join());
      },
    ),
    sqsCase(
      'system-attributes',
      'A message of a FIFO queue shows group, deduplication id and sequence number.',
      recorded('seven system attributes in all'),
      async ({ fifo, sendTo, receiveOne }) => {
        const url = await fifo();
        await sendTo(url, 'g', 'm', { MessageDeduplicationId: 'd' });
        const { Attributes = {} } = await receiveOne(url);
        equal(`${Attributes.MessageGroupId} ${Attributes.MessageDeduplicationId}`, 'g d');
        equal(Object.keys(Attributes).length, 7, `They are ${Object.keys(Attributes).join()}.`);
      },
    ),
    sqsCase(
      'no-delay-of-its-own',
      'A message to a FIFO queue has no delay of its own.',
      api('SendMessage', 'with a FIFO queue DelaySeconds cannot be set for a message'),
      async ({ fifo, sendTo, refused }) => {
        const call = sendTo(await fifo(), 'g', 'm', { DelaySeconds: 2 });
        await refused('A delay of its own', 'InvalidParameterValue', call);
      },
    ),
    sqsCase(
      'delay-of-zero-means-the-queue',
      'A delay of 0 is taken, and means the queue’s delay.',
      recorded('nothing after 1 s, the message after 3 s, on a queue with a delay of 2 s'),
      async ({ fifo, sendTo, nothing, bodies }, world) => {
        const url = await fifo({ DelaySeconds: '1' });
        await sendTo(url, 'g', 'm', { DelaySeconds: 0 });
        await nothing(url, 'The queue’s delay was not kept');
        await world.pass(1.2);
        equal((await bodies(url)).join(), 'm');
      },
    ),
    sqsCase(
      'delay-of-the-queue-keeps-order',
      'Messages come in order when the queue’s delay is over.',
      recorded('three messages in order after the delay'),
      async ({ fifo, sendTo, nothing, bodies }, world) => {
        const url = await fifo({ DelaySeconds: '1' });
        for (const body of ['a', 'b', 'c']) await sendTo(url, 'g', body);
        await nothing(url, 'A delayed message was received');
        await world.pass(1.2);
        equal((await bodies(url)).join(), 'a,b,c');
      },
    ),
    sqsCase(
      'changed-delay-is-retroactive',
      'A change of the queue’s delay holds for messages that are delayed already, on a FIFO queue.',
      guide(
        'Amazon SQS delay queues',
        'for FIFO queues the setting is retroactive: it affects messages already in the queue',
        'whether a message that was visible already is hidden again is not said; the model leaves it visible',
      ),
      async ({ fifo, sendTo, set, nothing, bodies }, world) => {
        const url = await fifo({ DelaySeconds: '60' });
        await sendTo(url, 'g', 'm');
        await set(url, { DelaySeconds: '1' });
        await nothing(url, 'The new delay was not kept');
        await world.pass(1.2);
        equal((await bodies(url)).join(), 'm');
      },
    ),
    sqsCase(
      'late-delete',
      'On a FIFO queue a handle is of no use after the visibility timeout.',
      recorded('InvalidParameterValue: The receipt handle has expired.'),
      async ({ fifo, sendTo, receiveOne, remove, refused, bodies }, world) => {
        const url = await fifo({ VisibilityTimeout: '1' });
        await sendTo(url, 'g', 'm');
        const message = await receiveOne(url);
        await world.pass(1.2);
        await refused('A late delete', 'InvalidParameterValue', remove(url, message));
        equal((await bodies(url)).join(), 'm');
      },
    ),
    sqsCase(
      'late-change',
      'On a FIFO queue the visibility cannot be changed after the timeout.',
      guide(
        'Amazon SQS visibility timeout',
        'a change needs a message that is in flight',
        'recorded on AWS is only the delete; the model treats both alike',
      ),
      async ({ fifo, sendTo, receiveOne, change, refused }, world) => {
        const url = await fifo({ VisibilityTimeout: '1' });
        await sendTo(url, 'g', 'm');
        const message = await receiveOne(url);
        await world.pass(1.2);
        await refused(
          'A late change',
          ['InvalidParameterValue', 'MessageNotInflight'],
          change(url, message, 5),
        );
      },
    ),
    sqsCase(
      'older-handle',
      'On a FIFO queue the handle of an earlier receive deletes nothing.',
      guide(
        'FIFO delivery logic',
        'while a message is in flight nobody else has it',
        'the answer to an older handle is not documented; the model refuses it as expired, as was recorded after a timeout',
      ),
      async ({ fifo, sendTo, receiveOne, remove, change, bodies }, world) => {
        const url = await fifo({ VisibilityTimeout: '1' });
        await sendTo(url, 'g', 'm');
        const older = await receiveOne(url);
        await world.pass(1.2);
        const newer = await receiveOne(url, { VisibilityTimeout: 20 });
        // Refused or not: the message stays.
        await remove(url, older).catch(() => {});
        await change(url, newer, 0);
        equal((await bodies(url)).join(), 'm');
      },
    ),
    sqsCase(
      'extended-then-deleted',
      'Within an extended timeout the handle deletes.',
      recorded('no error after the original timeout, and the queue is empty'),
      async ({ fifo, sendTo, receiveOne, change, remove, nothing }, world) => {
        const url = await fifo({ VisibilityTimeout: '1' });
        await sendTo(url, 'g', 'm');
        const message = await receiveOne(url);
        await change(url, message, 5);
        await world.pass(1.5);
        await remove(url, message);
        await nothing(url, 'The message was not deleted');
      },
    ),
    sqsCase(
      'attempt-repeated',
      'A receive repeated with its attempt id gives the same messages under the same handles.',
      api(
        'ReceiveMessage',
        'a retry with the same ReceiveRequestAttemptId gives the same messages and handles',
      ),
      async ({ fifo, sendTo, receive }) => {
        const url = await fifo();
        for (const body of ['a', 'b']) await sendTo(url, 'g', body);
        const handles = async () =>
          (await receive(url, { ReceiveRequestAttemptId: 'once' }))
            .map(({ Body, ReceiptHandle }) => `${Body} ${ReceiptHandle}`)
            .join();
        const first = await handles();
        notEqual(first, '');
        equal(await handles(), first);
      },
    ),
    sqsCase(
      'attempt-hides-anew',
      'A repeated attempt starts the visibility timeout again.',
      api('ReceiveMessage', 'a repeated attempt resets the visibility timeout'),
      async ({ fifo, sendTo, receive, nothing }, world) => {
        const url = await fifo({ VisibilityTimeout: '2' });
        await sendTo(url, 'g', 'a');
        const attempt = { ReceiveRequestAttemptId: 'once' };
        await receive(url, attempt);
        await world.pass(1.2);
        equal((await receive(url, attempt)).length, 1);
        await world.pass(1.2);
        await nothing(url, 'The timeout was not started again');
      },
    ),
    sqsCase(
      'other-attempt',
      'Another attempt id gets nothing of what is in flight.',
      api('ReceiveMessage', 'the same messages are given for the same id only'),
      async ({ fifo, sendTo, receive }) => {
        const url = await fifo();
        await sendTo(url, 'g', 'a');
        await receive(url, { ReceiveRequestAttemptId: 'one' });
        equal((await receive(url, { ReceiveRequestAttemptId: 'two' })).length, 0);
      },
    ),
    sqsCase(
      'attempt-after-a-delete',
      'An attempt is not repeated once one of its messages was deleted.',
      api(
        'ReceiveMessage',
        'as long as no message of the attempt was modified: deleted or its visibility changed',
      ),
      async ({ fifo, sendTo, receive, remove }) => {
        const url = await fifo();
        for (const body of ['a', 'b']) await sendTo(url, 'g', body);
        const attempt = { ReceiveRequestAttemptId: 'once' };
        const [first] = await receive(url, attempt);
        await remove(url, first);
        equal((await receive(url, attempt)).length, 0);
      },
    ),
    sqsCase(
      'attempt-after-a-change',
      'An attempt is not repeated once the visibility of one of its messages was changed.',
      api(
        'ReceiveMessage',
        'as long as no message of the attempt was modified: deleted or its visibility changed',
      ),
      async ({ fifo, sendTo, receive, change }) => {
        const url = await fifo();
        for (const body of ['a', 'b']) await sendTo(url, 'g', body);
        const attempt = { ReceiveRequestAttemptId: 'once' };
        const [first] = await receive(url, attempt);
        await change(url, first, 60);
        equal((await receive(url, attempt)).length, 0);
      },
    ),
    sqsCase(
      'attempt-for-five-minutes',
      'An attempt id is remembered for five minutes.',
      api('ReceiveMessage', 'the id can be used within 5 minutes'),
      async ({ fifo, sendTo, receive }, world) => {
        const url = await fifo({ VisibilityTimeout: '3600' });
        await sendTo(url, 'g', 'a');
        const attempt = { ReceiveRequestAttemptId: 'once', WaitTimeSeconds: 0 };
        await receive(url, attempt);
        await world.pass(299);
        equal((await receive(url, attempt)).length, 1, 'After 299 s.');
        await world.pass(301);
        equal((await receive(url, attempt)).length, 0, 'After ten minutes.');
      },
      { hours: true },
    ),
    sqsCase(
      'attempt-ids',
      'An attempt id has up to 128 letters, digits and punctuation marks.',
      api('ReceiveMessage', 'ReceiveRequestAttemptId: alphanumeric characters and punctuation, up to 128'),
      async ({ fifo, receive, refused }) => {
        const url = await fifo();
        await receive(url, { ReceiveRequestAttemptId: 'a'.repeat(128), WaitTimeSeconds: 0 });
        for (const ReceiveRequestAttemptId of ['a'.repeat(129), 'an id'])
          await refused(
            `The attempt id "${ReceiveRequestAttemptId.slice(0, 12)}"`,
            'InvalidParameterValue',
            receive(url, { ReceiveRequestAttemptId, WaitTimeSeconds: 0 }),
          );
      },
    ),
    sqsCase(
      'ten-over-several-groups',
      'A receive goes on to the next groups until it has ten messages.',
      guide('FIFO delivery logic', 'a receive can return messages of several groups'),
      async ({ fifo, sendBatch, bodies }) => {
        const url = await fifo({ ContentBasedDeduplication: 'true' });
        const all = Array.from({ length: 10 }, (_, index) => `g${index}`);
        await sendBatch(
          url,
          all.map((body) => ({ Id: body, MessageBody: body, MessageGroupId: body })),
        );
        equal((await bodies(url)).sort().join(), all.join());
      },
    ),
    sqsCase(
      'purge-frees-the-groups',
      'After a purge every group is free.',
      api('PurgeQueue', 'all messages are deleted, those in flight too'),
      async ({ fifo, sendTo, receiveOne, bodies }, world) => {
        const QueueUrl = await fifo();
        await sendTo(QueueUrl, 'g', 'a');
        await receiveOne(QueueUrl);
        await world.sqs.send(new PurgeQueueCommand({ QueueUrl }));
        await sendTo(QueueUrl, 'g', 'b');
        equal((await bodies(QueueUrl)).join(), 'b');
      },
    ),
  ],
);
