import { ListDeadLetterSourceQueuesCommand } from '@aws-sdk/client-sqs';
import { group } from '../case.ts';
import { equal } from './kit/equal.ts';
import { api, guide, recorded, sqsCase } from './kit/sources.ts';
import { redrivePolicy } from './kit/sqs.ts';

const page = 'Using dead-letter queues in Amazon SQS';
const now = { VisibilityTimeout: '0' };

export const sqsRedrive = group(
  'sqs-redrive',
  'Dead letters',
  ['sqs'],
  [
    sqsCase(
      'moves-when-used-up',
      'A message received as often as allowed is moved by the receive that would give it once more.',
      guide(page, 'when the receive count exceeds maxReceiveCount the message is moved'),
      async ({ pair, send, bodies, nothing }) => {
        const { url, dead } = await pair(2, now);
        await send(url, 'm');
        equal((await bodies(url)).join(), 'm');
        equal((await bodies(url)).join(), 'm');
        await nothing(url, 'A third receive was given it');
        equal((await bodies(dead)).join(), 'm');
      },
    ),
    sqsCase(
      'stays-while-nobody-asks',
      'A used-up message stays where it is while nobody receives from its queue.',
      recorded('localstack issue 8234: nothing had moved 60 s after the timeout'),
      async ({ pair, send, receiveOne, nothing, counts }, world) => {
        const { url, dead } = await pair(1, { VisibilityTimeout: '1' });
        await send(url, 'm');
        await receiveOne(url);
        await world.pass(1.5);
        await nothing(dead, 'It moved without being asked for');
        equal(`${await counts(url)}`, '1,0,0');
      },
    ),
    sqsCase(
      'waiting-poll-of-dead-letters',
      'Who waits at the dead-letter queue gets the message when it comes.',
      recorded('a poll at the dead-letter queue gets it after the receive from the source'),
      async ({ pair, send, receiveOne, nothing, bodies }) => {
        const { url, dead } = await pair(1, now);
        await send(url, 'm');
        await receiveOne(url);
        const waiting = bodies(dead, { WaitTimeSeconds: 10 });
        await nothing(url, 'It was given once too often');
        equal((await waiting).join(), 'm');
      },
    ),
    sqsCase(
      'id-and-attributes-stay',
      'A dead letter keeps its id, its attributes, its trace header, and knows its source.',
      recorded('and shows DeadLetterQueueSourceArn'),
      async ({ pair, send, receiveOne, nothing, arn }) => {
        const { url, dead } = await pair(1, now);
        const header = { DataType: 'String', StringValue: 'Root=1-5759e988-bd862e3fe1be46a994272793' };
        const sent = await send(url, 'm', {
          MessageAttributes: { a: { DataType: 'String', StringValue: 'x' } },
          MessageSystemAttributes: { AWSTraceHeader: header },
        });
        await receiveOne(url);
        await nothing(url, 'It was given once too often');
        const letter = await receiveOne(dead);
        equal(letter.MessageId, sent.MessageId, 'The id changed.');
        equal(letter.MessageAttributes?.a?.StringValue, 'x', 'The attribute is lost.');
        equal(letter.Attributes?.AWSTraceHeader, header.StringValue, 'The trace header is lost.');
        equal(letter.Attributes?.DeadLetterQueueSourceArn, await arn(url), 'The source is not named.');
      },
    ),
    sqsCase(
      'count-goes-on',
      'The receive count goes on in the dead-letter queue.',
      recorded(
        'with maxReceiveCount 1 the first receive from the dead-letter queue shows 2',
        'the API reference counts receives “across all queues” without a word on dead letters; the model follows the record',
      ),
      async ({ pair, send, receiveOne, nothing }) => {
        const { url, dead } = await pair(1, now);
        await send(url, 'm');
        await receiveOne(url);
        await nothing(url, 'It was given once too often');
        equal((await receiveOne(dead)).Attributes?.ApproximateReceiveCount, '2');
      },
    ),
    sqsCase(
      'every-receive-counts',
      'A message that was given back by a change to 0 counts as received.',
      guide(page, 'the receive count grows with each receive without a delete'),
      async ({ pair, send, receiveOne, change, nothing, bodies }) => {
        const { url, dead } = await pair(2);
        await send(url, 'm');
        for (let time = 1; time <= 2; time++) await change(url, await receiveOne(url), 0);
        await nothing(url, 'A third receive was given it');
        equal((await bodies(dead)).join(), 'm');
      },
    ),
    sqsCase(
      'deleted-in-time',
      'A message that is deleted at its last receive is no dead letter.',
      guide(page, 'messages that cannot be processed are moved'),
      async ({ pair, send, receiveOne, remove, nothing }) => {
        const { url, dead } = await pair(1);
        await send(url, 'm');
        await remove(url, await receiveOne(url));
        await nothing(url, 'A deleted message came back');
        await nothing(dead, 'A deleted message became a dead letter');
      },
    ),
    sqsCase(
      'receive-goes-on-to-others',
      'The receive that moves a used-up message gives the others.',
      guide(page, 'the message is moved; the queue goes on'),
      async ({ pair, send, receiveOne, bodies }) => {
        const { url, dead } = await pair(1, now);
        await send(url, 'used up');
        await receiveOne(url);
        await send(url, 'fresh');
        equal((await bodies(url)).join(), 'fresh');
        equal((await bodies(dead)).join(), 'used up');
      },
    ),
    sqsCase(
      'lowered-limit',
      'A lower limit holds for messages that are there already.',
      api(
        'SetQueueAttributes',
        'RedrivePolicy is an attribute of the queue',
        'not said for messages that are there; the model compares with the limit of the moment',
      ),
      async ({ pair, send, receiveOne, set, nothing, bodies }) => {
        const { url, dead, deadArn } = await pair(5, now);
        await send(url, 'm');
        await receiveOne(url);
        await set(url, { RedrivePolicy: redrivePolicy(deadArn, 1) });
        await nothing(url, 'The lower limit was not kept');
        equal((await bodies(dead)).join(), 'm');
      },
    ),
    sqsCase(
      'policy-removed',
      'Without a policy nothing is moved, however often it is received.',
      recorded('an empty text removes RedrivePolicy'),
      async ({ pair, send, set, receiveOne, attributes, nothing }) => {
        const { url, dead } = await pair(1, now);
        await send(url, 'm');
        await set(url, { RedrivePolicy: '' });
        equal((await attributes(url)).RedrivePolicy, undefined);
        for (let time = 1; time <= 3; time++) await receiveOne(url);
        await nothing(dead, 'It moved without a policy');
      },
    ),
    sqsCase(
      'chain',
      'A dead-letter queue can have one of its own, and its limit counts from there.',
      guide(
        page,
        'a dead-letter queue is a queue like others',
        'whether receives in the first queue count for the limit of the second is not said; the model counts those of the queue itself, or a dead letter could not be looked at once',
      ),
      async ({ queue, arn, send, bodies, nothing }) => {
        const third = await queue(now);
        const second = await queue({ ...now, RedrivePolicy: redrivePolicy(await arn(third), 1) });
        const first = await queue({ ...now, RedrivePolicy: redrivePolicy(await arn(second), 1) });
        await send(first, 'm');
        for (const url of [first, second]) {
          equal((await bodies(url)).join(), 'm');
          await nothing(url, 'It was given once too often');
        }
        equal((await bodies(third)).join(), 'm');
      },
    ),
    sqsCase(
      'own-dead-letter-queue',
      'A queue may name itself.',
      recorded('SetQueueAttributes takes the queue’s own ARN', 'the developer guide does not speak of it'),
      async ({ queue, arn, set, attributes }) => {
        const url = await queue();
        await set(url, { RedrivePolicy: redrivePolicy(await arn(url), 42) });
        equal(JSON.parse((await attributes(url)).RedrivePolicy ?? '{}').deadLetterTargetArn, await arn(url));
      },
    ),
    sqsCase(
      'fifo-letters-keep-order',
      'Dead letters of a FIFO queue keep group and order.',
      guide(page, 'the dead-letter queue of a FIFO queue must be a FIFO queue'),
      async ({ pair, sendTo, bodies, nothing, receive }) => {
        const { url, dead } = await pair(1, { FifoQueue: 'true', ...now });
        for (const body of ['a', 'b', 'c']) await sendTo(url, 'g', body);
        await bodies(url);
        await nothing(url, 'They were given once too often');
        const got = await receive(dead, { MessageSystemAttributeNames: ['MessageGroupId'] });
        equal(
          got.map(({ Body, Attributes }) => `${Attributes?.MessageGroupId}-${Body}`).join(),
          'g-a,g-b,g-c',
        );
      },
    ),
    sqsCase(
      'fifo-goes-on-after-a-letter',
      'When the first of a group becomes a dead letter, the next one is given.',
      recorded('the queue stays operational: another message of the same group is received'),
      async ({ pair, sendTo, receiveOne, bodies }) => {
        const { url, dead } = await pair(1, { FifoQueue: 'true', ...now });
        await sendTo(url, 'g', 'bad');
        await receiveOne(url);
        await sendTo(url, 'g', 'good');
        equal((await bodies(url)).join(), 'good');
        equal((await bodies(dead)).join(), 'bad');
      },
    ),
    sqsCase(
      'letter-is-not-deduplicated',
      'Two dead letters of the same content are two in the dead-letter queue.',
      guide(
        'Exactly-once processing in Amazon SQS',
        'a message moved to a dead-letter queue has its message id as deduplication id, so that distinct ones stay',
      ),
      async ({ pair, send, bodies, nothing }) => {
        const fifo = { FifoQueue: 'true', ContentBasedDeduplication: 'true' };
        const { url, dead } = await pair(1, { ...fifo, DeduplicationScope: 'messageGroup', ...now }, fifo);
        for (const MessageGroupId of ['one', 'two']) await send(url, 'same', { MessageGroupId });
        await bodies(url);
        await nothing(url, 'They were given once too often');
        equal((await bodies(dead)).length, 2);
      },
    ),
    sqsCase(
      'clock-of-a-standard-letter-goes-on',
      'The retention of a standard queue’s dead letter counts from when it was first sent.',
      guide(page, 'the enqueue timestamp is unchanged when a message is moved to a dead-letter queue'),
      async ({ pair, send, receiveOne, nothing, counts }, world) => {
        const { url, dead } = await pair(1, now, { MessageRetentionPeriod: '3600' });
        await send(url, 'm');
        await world.pass(3000);
        await receiveOne(url);
        await nothing(url, 'It was given once too often');
        equal(`${await counts(dead)}`, '1,0,0');
        await world.pass(599);
        equal(`${await counts(dead)}`, '1,0,0', 'It went too early.');
        await world.pass(1);
        equal(`${await counts(dead)}`, '0,0,0', 'It did not go an hour after it was sent.');
      },
      { hours: true },
    ),
    sqsCase(
      'clock-of-a-fifo-letter-starts-anew',
      'The retention of a FIFO queue’s dead letter counts from its move.',
      guide(page, 'for FIFO queues the enqueue timestamp is reset when the message is moved'),
      async ({ pair, sendTo, receiveOne, nothing, counts }, world) => {
        const { url, dead } = await pair(
          1,
          { FifoQueue: 'true', ...now },
          { MessageRetentionPeriod: '3600' },
        );
        await sendTo(url, 'g', 'm');
        await world.pass(3000);
        await receiveOne(url);
        await nothing(url, 'It was given once too often');
        await world.pass(3599);
        equal(`${await counts(dead)}`, '1,0,0', 'The clock was not started anew.');
        await world.pass(1);
        equal(`${await counts(dead)}`, '0,0,0');
      },
      { hours: true },
    ),
    sqsCase(
      'sources-are-listed',
      'ListDeadLetterSourceQueues names the queues that send their dead letters here.',
      api('ListDeadLetterSourceQueues', 'queues whose RedrivePolicy has this dead-letter queue'),
      async ({ queue, arn, pair }, world) => {
        const { url, dead, deadArn } = await pair(5);
        const other = await queue({ RedrivePolicy: redrivePolicy(deadArn, 3) });
        await queue({ RedrivePolicy: redrivePolicy(await arn(other), 3) });
        const { queueUrls = [] } = await world.sqs.send(
          new ListDeadLetterSourceQueuesCommand({ QueueUrl: dead }),
        );
        equal([...queueUrls].sort().join(), [url, other].sort().join());
      },
    ),
  ],
);
