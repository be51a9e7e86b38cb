import { notEqual, ok } from 'node:assert/strict';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { group } from '../case.ts';
import { equal } from './kit/equal.ts';
import { api, guide, recorded, sqsCase } from './kit/sources.ts';

const mebibyte = 1_048_576;
const trace = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';
const header = { AWSTraceHeader: { DataType: 'String', StringValue: trace } };

export const sqsSend = group(
  'sqs-send',
  'Sending',
  ['sqs'],
  [
    sqsCase(
      'md5-of-the-body',
      'SendMessage answers with the MD5 of the body, ReceiveMessage too.',
      api('SendMessage', 'MD5OfMessageBody is a digest of the body of the message'),
      async ({ queue, send, receiveOne }) => {
        const url = await queue();
        const sent = await send(url, 'message');
        equal(sent.MD5OfMessageBody, '78e731027d8fd50ed642340b7c9a63b3');
        const got = await receiveOne(url);
        equal(got.MD5OfBody, sent.MD5OfMessageBody);
        equal(got.MessageId, sent.MessageId);
      },
    ),
    sqsCase(
      'no-sequence-number-on-standard',
      'A standard queue gives no sequence number.',
      api('SendMessage', 'SequenceNumber applies only to FIFO queues'),
      async ({ queue, send, receiveOne }) => {
        const url = await queue();
        equal((await send(url, 'message')).SequenceNumber, undefined);
        equal((await receiveOne(url)).Attributes?.SequenceNumber, undefined);
      },
    ),
    sqsCase(
      'empty-body',
      'An empty body is refused.',
      api('SendMessage', 'the minimum size of a message is one character; recorded: MissingParameter'),
      async ({ queue, send, refused }) =>
        void (await refused('An empty body', 'MissingParameter', send(await queue(), ''))),
    ),
    sqsCase(
      'one-mebibyte',
      'A message has up to 1 MiB, no byte more.',
      guide(
        'Quotas related to messages',
        'at most 1,048,576 bytes',
        'older pages and servers say 262,144; the quota was raised in August 2025',
      ),
      async ({ queue, send, refused }) => {
        const url = await queue();
        await send(url, 'a'.repeat(mebibyte));
        await refused('A byte more', 'InvalidParameterValue', send(url, 'a'.repeat(mebibyte + 1)));
      },
    ),
    sqsCase(
      'size-is-bytes-of-utf-8',
      'The size of a body is counted in bytes, not in characters.',
      guide('Quotas related to messages', 'the size of a message is counted in bytes'),
      async ({ queue, send, refused }) => {
        const url = await queue({ MaximumMessageSize: '1024' });
        await send(url, 'é'.repeat(512));
        await refused('513 letters of two bytes', 'InvalidParameterValue', send(url, 'é'.repeat(513)));
      },
    ),
    sqsCase(
      'attributes-count-towards-the-size',
      'Name, type and value of attributes count towards the size of a message.',
      guide('Amazon SQS message metadata', 'attributes are part of the message size quota'),
      async ({ queue, send, refused }) => {
        const url = await queue({ MaximumMessageSize: '1024' });
        const MessageAttributes = { k: { DataType: 'String', StringValue: 'x' } };
        await send(url, 'a'.repeat(1024 - 8), { MessageAttributes });
        const tooLarge = send(url, 'a'.repeat(1024 - 7), { MessageAttributes });
        await refused('1,025 bytes with the attribute', 'InvalidParameterValue', tooLarge);
      },
    ),
    sqsCase(
      'characters-that-xml-has-not',
      'A body with a character that XML 1.0 does not have is refused.',
      api('SendMessage', 'allowed are #x9, #xA, #xD, #x20 to #xD7FF, #xE000 to #xFFFD, #x10000 to #x10FFFF'),
      async ({ queue, send, refused }) => {
        const url = await queue();
        for (const wrong of ['\u0000', '\u0008', '\u000b', '\u001f', '\uffff'])
          await refused(
            `U+${wrong.charCodeAt(0).toString(16).padStart(4, '0')}`,
            'InvalidMessageContents',
            send(url, `Invalid-${wrong}`),
          );
      },
    ),
    sqsCase(
      'characters-survive',
      'Tabs, line ends, quotes, signs of XML and emoji come back as they were sent.',
      api('SendMessage', 'any of the allowed characters can be in a body'),
      async ({ queue, send, receiveOne }) => {
        const url = await queue();
        const body = '\t{\r\n"a" : "&quot;<b>&amp;" }\r \u007f\u0085\ufffd é 漢 🦀';
        await send(url, body);
        equal((await receiveOne(url)).Body, body);
      },
    ),
    sqsCase(
      'delay-of-a-message',
      'A message with a delay is not received before it is over.',
      guide('Amazon SQS message timers', 'the message stays invisible for its delay'),
      async ({ queue, send, nothing, bodies }, world) => {
        const url = await queue();
        await send(url, 'later', { DelaySeconds: 1 });
        await nothing(url, 'A delayed message was received at once');
        await world.pass(1.1);
        equal((await bodies(url)).join(), 'later');
      },
    ),
    sqsCase(
      'delay-of-the-queue',
      'The delay of the queue holds for messages without one of their own.',
      guide('Amazon SQS delay queues', 'new messages stay invisible for the queue’s delay'),
      async ({ queue, send, nothing, bodies }, world) => {
        const url = await queue({ DelaySeconds: '1' });
        await send(url, 'later');
        await nothing(url, 'The queue’s delay was not kept');
        await world.pass(1.1);
        equal((await bodies(url)).join(), 'later');
      },
    ),
    sqsCase(
      'own-delay-goes-first',
      'A message’s own delay, zero too, goes before the queue’s.',
      guide('Amazon SQS message timers', 'a message timer’s value overrides the delay of the queue'),
      async ({ queue, send, bodies }) => {
        const url = await queue({ DelaySeconds: '60' });
        await send(url, 'now', { DelaySeconds: 0 });
        equal((await bodies(url)).join(), 'now', 'A delay of 0 did not override the queue’s delay');
      },
    ),
    sqsCase(
      'changed-delay-is-not-retroactive',
      'A change of the queue’s delay does not touch the messages that are there, on a standard queue.',
      guide('Amazon SQS delay queues', 'for standard queues the setting is not retroactive'),
      async ({ queue, send, set, bodies, nothing }, world) => {
        const url = await queue({ DelaySeconds: '1' });
        await send(url, 'old');
        await set(url, { DelaySeconds: '60' });
        await send(url, 'new');
        await nothing(url, 'A delayed message was received at once');
        await world.pass(1.1);
        equal((await bodies(url)).join(), 'old');
      },
    ),
    sqsCase(
      'range-of-a-delay',
      'A message’s delay is 0 to 900 seconds.',
      api('SendMessage', 'valid values of DelaySeconds: 0 to 900'),
      async ({ queue, send, refused }) => {
        const url = await queue();
        await send(url, 'longest', { DelaySeconds: 900 });
        for (const DelaySeconds of [-1, 901])
          await refused(
            `A delay of ${DelaySeconds}`,
            'InvalidParameterValue',
            send(url, 'wrong', { DelaySeconds }),
          );
      },
    ),
    sqsCase(
      'long-delay',
      'A delay of 15 minutes ends after 15 minutes.',
      guide('Amazon SQS message timers', 'the maximum is 15 minutes'),
      async ({ queue, send, nothing, bodies }, world) => {
        const url = await queue();
        await send(url, 'later', { DelaySeconds: 900 });
        await world.pass(899);
        await nothing(url, 'It was received a second too early');
        await world.pass(1);
        equal((await bodies(url)).join(), 'later');
      },
      { hours: true },
    ),
    sqsCase(
      'fair-queue-group',
      'A standard queue takes a group id and gives it back; it locks nothing.',
      guide(
        'Amazon SQS fair queues',
        'a message group id on a standard queue names the tenant, without order',
      ),
      async ({ queue, send, receive }) => {
        const url = await queue();
        await send(url, 'one', { MessageGroupId: 'tenant' });
        await send(url, 'two', { MessageGroupId: 'tenant' });
        const more = { MaxNumberOfMessages: 1, MessageSystemAttributeNames: ['All' as const] };
        const [first] = await receive(url, more);
        equal(first?.Attributes?.MessageGroupId, 'tenant');
        equal((await receive(url, more)).length, 1, 'The second message of the group was held back.');
      },
    ),
    sqsCase(
      'group-id-on-standard',
      'A group id has 1 to 128 characters without blanks, on a standard queue too.',
      recorded('InvalidParameterValue for an empty one, for 129 characters and for a blank'),
      async ({ queue, send, refused }) => {
        const url = await queue();
        await send(url, 'longest', { MessageGroupId: 'g'.repeat(128) });
        for (const MessageGroupId of ['', 'g'.repeat(129), 'group 123'])
          await refused(
            `The group id "${MessageGroupId.slice(0, 12)}"`,
            'InvalidParameterValue',
            send(url, 'wrong', { MessageGroupId }),
          );
      },
    ),
    sqsCase(
      'deduplication-id-on-standard',
      'A standard queue refuses a deduplication id.',
      api('SendMessage', 'MessageDeduplicationId applies only to FIFO queues'),
      async ({ queue, send, refused }) => {
        const call = send(await queue(), 'once', { MessageDeduplicationId: 'id' });
        await refused('A deduplication id', 'InvalidParameterValue', call);
      },
    ),
    sqsCase(
      'trace-header',
      'The trace header of a message comes back as a system attribute, and has a digest of its own.',
      recorded(
        'MD5OfMessageSystemAttributes of the header; the digest of the other attributes stays the same',
      ),
      async ({ queue, send, receiveOne }) => {
        const url = await queue();
        const MessageAttributes = { timestamp: { DataType: 'Number', StringValue: '1493147359900' } };
        const sent = await send(url, 'traced', { MessageAttributes, MessageSystemAttributes: header });
        equal(sent.MD5OfMessageAttributes, '235c5c510d26fb653d073faed50ae77c');
        equal(sent.MD5OfMessageSystemAttributes, '5ae4d5d7636402d80f4eb6d213245a88');
        equal((await receiveOne(url)).Attributes?.AWSTraceHeader, trace);
      },
    ),
    sqsCase(
      'trace-header-of-the-request',
      'The request’s X-Amzn-Trace-Id becomes the message’s trace header.',
      recorded('a SendMessage with the HTTP header gave AWSTraceHeader on the receive'),
      async ({ queue, receiveOne }, world) => {
        const QueueUrl = await queue();
        const command = new SendMessageCommand({ QueueUrl, MessageBody: 'traced' });
        command.middlewareStack.add(
          (next) => (given) => {
            (given.request as { headers: Record<string, string> }).headers['x-amzn-trace-id'] = trace;
            return next(given);
          },
          { step: 'build' },
        );
        await world.sqs.send(command);
        equal((await receiveOne(QueueUrl)).Attributes?.AWSTraceHeader, trace);
      },
    ),
    sqsCase(
      'trace-header-has-no-size',
      'The trace header does not count towards the size of a message.',
      api('SendMessage', 'the size of a message system attribute doesn’t count towards the total size'),
      async ({ queue, send }) => {
        const url = await queue({ MaximumMessageSize: '1024' });
        await send(url, 'a'.repeat(1024), { MessageSystemAttributes: header });
      },
    ),
    sqsCase(
      'other-system-attributes',
      'The trace header is the only system attribute that a sender can set.',
      api('SendMessage', 'the only supported message system attribute is AWSTraceHeader, of type String'),
      async ({ queue, send, refused }) => {
        const url = await queue();
        const wrong = { SenderId: { DataType: 'String', StringValue: 'me' } } as unknown as typeof header;
        await refused(
          'A SenderId',
          'InvalidParameterValue',
          send(url, 'forged', { MessageSystemAttributes: wrong }),
        );
        await refused(
          'A trace header of type Number',
          'InvalidParameterValue',
          send(url, 'wrong', {
            MessageSystemAttributes: { AWSTraceHeader: { DataType: 'Number', StringValue: '1' } },
          }),
        );
      },
    ),
    sqsCase(
      'ids-differ',
      'The same body sent twice is two messages, on a standard queue.',
      api('SendMessage', 'each message has an id of its own'),
      async ({ queue, send, receive }) => {
        const url = await queue();
        const [first, second] = [await send(url, 'same'), await send(url, 'same')];
        notEqual(first.MessageId, second.MessageId);
        ok(first.MessageId && first.MessageId.length <= 100);
        equal((await receive(url)).length, 2);
      },
    ),
  ],
);
