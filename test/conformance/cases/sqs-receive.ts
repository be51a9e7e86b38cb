import { notEqual, ok } from 'node:assert/strict';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { group } from '../case.ts';
import { equal } from './kit/equal.ts';
import { api, guide, recorded, sqsCase } from './kit/sources.ts';
import { begun } from './kit/sqs.ts';

const polling = 'Amazon SQS short and long polling';

export const sqsReceive = group(
  'sqs-receive',
  'Receiving and deleting',
  ['sqs'],
  [
    sqsCase(
      'long-poll-returns-at-once',
      'A long poll answers as soon as a message arrives.',
      guide(polling, 'a long poll sends a response when a message is available, or when its wait is over'),
      async ({ queue, bodies, send }, world) => {
        const url = await queue();
        const waiting = bodies(url, { WaitTimeSeconds: 10 });
        await send(url, 'here');
        const before = world.now();
        equal((await waiting).join(), 'here');
        ok(world.now() - before < 5000, 'It waited on although there was a message.');
      },
    ),
    sqsCase(
      'long-poll-ends-empty',
      'A long poll without messages answers empty when its time is over.',
      guide(polling, 'an empty response is sent only when the polling wait time expires'),
      async ({ queue }, world) => {
        const QueueUrl = await queue();
        const before = world.now();
        const call = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 });
        equal((await world.sqs.send(call)).Messages?.length ?? 0, 0);
        const waited = world.now() - before;
        ok(waited >= 900 && waited < 3000, `It waited ${waited} ms instead of 1,000.`);
      },
    ),
    sqsCase(
      'queue-makes-polls-long',
      'The queue’s wait time holds for a receive without one.',
      guide(polling, 'long polling is on when the queue’s wait time is above 0'),
      async ({ queue, send }, world) => {
        const QueueUrl = await queue({ ReceiveMessageWaitTimeSeconds: '10' });
        const waiting = begun(world.sqs.send(new ReceiveMessageCommand({ QueueUrl })));
        await send(QueueUrl, 'here');
        equal((await waiting).Messages?.[0]?.Body, 'here');
      },
    ),
    sqsCase(
      'wait-of-zero-is-short',
      'A wait of 0 goes before the queue’s wait time.',
      guide(polling, 'the wait time of the call is given preference over the queue’s'),
      async ({ queue, nothing }, world) => {
        const url = await queue({ ReceiveMessageWaitTimeSeconds: '10' });
        const before = world.now();
        await nothing(url, 'An empty queue gave something');
        ok(world.now() - before < 5000, 'It waited although the call said 0.');
      },
    ),
    sqsCase(
      'long-poll-does-not-wait-to-fill-up',
      'A long poll for ten messages does not wait for the tenth.',
      recorded('two messages were given at once to a poll for three'),
      async ({ queue, send, receive }, world) => {
        const url = await queue();
        await send(url, 'one');
        const before = world.now();
        equal((await receive(url, { WaitTimeSeconds: 10 })).length, 1);
        ok(world.now() - before < 5000, 'It waited for more messages.');
      },
    ),
    sqsCase(
      'long-poll-sees-the-end-of-a-delay',
      'A waiting poll gets a message when its delay is over.',
      recorded('a poll of 2 s got a message that was sent with a delay of 1 s'),
      async ({ queue, send, bodies }) => {
        const url = await queue();
        await send(url, 'later', { DelaySeconds: 1 });
        equal((await bodies(url, { WaitTimeSeconds: 5 })).join(), 'later');
      },
    ),
    sqsCase(
      'two-wait-one-gets-it',
      'Of two that wait one gets the message.',
      guide('Amazon SQS visibility timeout', 'a received message is not given to other consumers meanwhile'),
      async ({ queue, bodies, send }) => {
        const url = await queue();
        const both = begun(
          Promise.all([bodies(url, { WaitTimeSeconds: 2 }), bodies(url, { WaitTimeSeconds: 2 })]),
        );
        await send(url, 'one');
        equal((await both).flat().join(), 'one');
      },
    ),
    sqsCase(
      'range-of-the-wait',
      'A wait is 0 to 20 seconds.',
      api('ReceiveMessage', 'recorded on AWS: InvalidParameterValue for -1 and 21'),
      async ({ queue, receive, refused }) => {
        const url = await queue();
        for (const WaitTimeSeconds of [-1, 21])
          await refused(
            `A wait of ${WaitTimeSeconds}`,
            'InvalidParameterValue',
            receive(url, { WaitTimeSeconds }),
          );
      },
    ),
    sqsCase(
      'range-of-the-number',
      'A receive asks for 1 to 10 messages; one is the default.',
      api('ReceiveMessage', 'valid values of MaxNumberOfMessages: 1 to 10; default: 1'),
      async ({ queue, send, receive, refused }, world) => {
        const QueueUrl = await queue();
        for (const body of ['a', 'b']) await send(QueueUrl, body);
        equal((await world.sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages?.length, 1);
        for (const MaxNumberOfMessages of [0, 11])
          await refused(
            `${MaxNumberOfMessages} messages`,
            'InvalidParameterValue',
            receive(QueueUrl, { MaxNumberOfMessages }),
          );
      },
    ),
    sqsCase(
      'up-to-ten-at-once',
      'A receive gives up to as many messages as it asked for.',
      api('ReceiveMessage', 'SQS never returns more messages than this value'),
      async ({ queue, sendBatch, receive }) => {
        const url = await queue();
        await sendBatch(
          url,
          Array.from({ length: 10 }, (_, index) => ({ Id: `m${index}`, MessageBody: `m${index}` })),
        );
        const seen: (string | undefined)[] = [];
        for (let tries = 0; seen.length < 10 && tries < 10; tries++) {
          const got = await receive(url, { MaxNumberOfMessages: 4 });
          ok(got.length <= 4, `${got.length} messages were given to a receive for 4.`);
          seen.push(...got.map(({ Body }) => Body));
        }
        equal(new Set(seen).size, 10);
      },
    ),
    sqsCase(
      'system-attributes-by-name',
      'System attributes are given by name, or all of them.',
      api(
        'ReceiveMessage',
        'MessageSystemAttributeNames: a list of attributes to return along with each message',
      ),
      async ({ queue, send, receive }) => {
        const url = await queue({ VisibilityTimeout: '0' });
        await send(url, 'm');
        const shown = async (...names: ('All' | 'SenderId' | 'SequenceNumber' | 'SentTimestamp')[]) => {
          const [got] = await receive(url, { MessageSystemAttributeNames: names });
          return Object.keys(got?.Attributes ?? {})
            .sort()
            .join();
        };
        equal(
          await shown('All'),
          'ApproximateFirstReceiveTimestamp,ApproximateReceiveCount,SenderId,SentTimestamp',
        );
        equal(await shown('SenderId', 'SentTimestamp'), 'SenderId,SentTimestamp');
        equal(await shown('SenderId', 'SequenceNumber'), 'SenderId', 'A standard queue has no sequence.');
      },
    ),
    sqsCase(
      'old-name-of-system-attributes',
      'AttributeNames, the older parameter, does the same; both together add up.',
      recorded('All in the newer one gives all, whatever the older one says'),
      async ({ queue, send, receive }) => {
        const url = await queue({ VisibilityTimeout: '0' });
        await send(url, 'm');
        const [old] = await receive(url, { AttributeNames: ['All'] });
        equal(Object.keys(old?.Attributes ?? {}).length, 4);
        const [both] = await receive(url, {
          AttributeNames: ['SenderId' as 'All'],
          MessageSystemAttributeNames: ['All'],
        });
        equal(Object.keys(both?.Attributes ?? {}).length, 4);
      },
    ),
    sqsCase(
      'count-and-times',
      'The receive count grows; the time of the first receive and of sending stay.',
      api('ReceiveMessage', 'counts receives without a delete; times in milliseconds since 1970'),
      async ({ queue, send, receiveOne }, world) => {
        const url = await queue({ VisibilityTimeout: '0' });
        await send(url, 'm');
        await world.pass(0.1);
        const { Attributes: first = {} } = await receiveOne(url);
        await world.pass(0.1);
        const { Attributes: second = {} } = await receiveOne(url);
        equal(`${first.ApproximateReceiveCount} ${second.ApproximateReceiveCount}`, '1 2');
        equal(second.ApproximateFirstReceiveTimestamp, first.ApproximateFirstReceiveTimestamp);
        equal(second.SentTimestamp, first.SentTimestamp);
        ok(Number(first.SentTimestamp) <= Number(first.ApproximateFirstReceiveTimestamp));
        equal(/^\d{13}$/.test(first.SentTimestamp ?? ''), true, `Sent at ${first.SentTimestamp}.`);
      },
    ),
    sqsCase(
      'handle-of-each-receive',
      'Each receive of a message has a receipt handle of its own.',
      guide(
        'Queue and message identifiers',
        'every time you receive a message you get a different receipt handle',
      ),
      async ({ queue, send, receiveOne }) => {
        const url = await queue({ VisibilityTimeout: '0' });
        await send(url, 'm');
        notEqual((await receiveOne(url)).ReceiptHandle, (await receiveOne(url)).ReceiptHandle);
      },
    ),
    sqsCase(
      'attempt-id-on-standard',
      'A standard queue refuses a receive request attempt id.',
      api('ReceiveMessage', 'ReceiveRequestAttemptId applies only to FIFO queues'),
      async ({ queue, receive, refused }) => {
        const call = receive(await queue(), { ReceiveRequestAttemptId: 'attempt' });
        await refused('An attempt id', 'InvalidParameterValue', call);
      },
    ),
    sqsCase(
      'deleted-message-does-not-come-back',
      'A deleted message is not received again.',
      api('DeleteMessage', 'deletes the specified message from the queue'),
      async ({ queue, send, receiveOne, remove, nothing }, world) => {
        const url = await queue({ VisibilityTimeout: '1' });
        await send(url, 'm');
        await remove(url, await receiveOne(url));
        await world.pass(1.1);
        await nothing(url, 'A deleted message came back');
      },
    ),
    sqsCase(
      'deleted-again-and-again',
      'Deleting a message again is no error.',
      recorded('three deletes with one handle succeed'),
      async ({ queue, send, receiveOne, remove }) => {
        const url = await queue();
        await send(url, 'm');
        const message = await receiveOne(url);
        for (let time = 1; time <= 3; time++) await remove(url, message);
      },
    ),
    sqsCase(
      'handle-that-is-none',
      'A text that is no receipt handle is refused by delete and change.',
      recorded('ReceiptHandleIsInvalid'),
      async ({ queue, remove, change, refused }) => {
        const url = await queue();
        const garbage = { ReceiptHandle: 'garbage' };
        await refused('A delete with garbage', 'ReceiptHandleIsInvalid', remove(url, garbage));
        await refused('A change with garbage', 'ReceiptHandleIsInvalid', change(url, garbage, 5));
      },
    ),
    sqsCase(
      'late-delete-of-standard',
      'On a standard queue a handle deletes after the visibility timeout too, if nobody else has the message.',
      recorded('the queue is empty after a late delete'),
      async ({ queue, send, receiveOne, remove, nothing }, world) => {
        const url = await queue({ VisibilityTimeout: '1' });
        await send(url, 'm');
        const message = await receiveOne(url);
        await world.pass(1.1);
        await remove(url, message);
        await nothing(url, 'The late delete deleted nothing');
      },
    ),
    sqsCase(
      'delete-with-an-older-handle',
      'A delete with an older handle succeeds, but need not delete: the receiver of today keeps its message.',
      api(
        'DeleteMessage',
        'with an older handle the request succeeds, but the message might not be deleted',
        '“might not”: the model never deletes, which is what a consumer has to be ready for',
      ),
      async ({ queue, send, receiveOne, remove }) => {
        const url = await queue({ VisibilityTimeout: '0' });
        await send(url, 'm');
        const older = await receiveOne(url);
        const newer = await receiveOne(url);
        await remove(url, older);
        await remove(url, newer);
      },
    ),
    sqsCase(
      'several-queues',
      'A message is in the queue to which it was sent, and in no other.',
      recorded('the other queue gives nothing'),
      async ({ queue, send, nothing, bodies }) => {
        const [mine, other] = [await queue(), await queue()];
        await send(mine, 'm');
        await nothing(other, 'It came from another queue');
        equal((await bodies(mine)).join(), 'm');
      },
    ),
  ],
);
