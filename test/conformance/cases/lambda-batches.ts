import { equal, ok } from 'node:assert/strict';
import { PurgeQueueCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { Difference, group } from '../case.ts';
import {
  bodiesOf,
  depthOf,
  emptied,
  firstRecord,
  give,
  giveOne,
  mostAtOnce,
  recorder,
  sinceFirstReceive,
  sourceQueue,
  subscribe,
} from './kit/lambda.ts';

const page = 'Lambda developer guide, "Using Lambda with Amazon SQS"';
const polling = 'Lambda developer guide, "Understanding polling and batching behavior for Amazon SQS"';
const errors = 'Lambda developer guide, "Handling errors for an SQS event source in Lambda"';
const scaling = 'Lambda developer guide, "Configuring scaling behavior for SQS event source mappings"';

export const lambdaBatches = group(
  'lambda-batches',
  'Event sources: batches, errors and concurrency',
  ['lambda', 'sqs'],
  [
    {
      name: 'batch-no-larger-than-batch-size',
      title: 'A batch holds at most BatchSize messages, and every message is handed over.',
      source: { page: polling, says: 'a batch is handed over when it has reached its size' },
      functions: 'recorder',
      async run(world) {
        const { name, begun, ended } = await recorder(world);
        const { url, arn } = await sourceQueue(world, { VisibilityTimeout: '10' });
        await give(world, url, ['1', '2', '3', '4', '5', '6', '7']);
        await subscribe(world, name, arn, { BatchSize: 3 });
        await emptied(world, url);
        const all = await begun(3);
        ok(
          all.every((each) => bodiesOf(each).length <= 3),
          `Batches of ${all.map((each) => bodiesOf(each).length).join(', ')} messages came with a size of 3.`,
        );
        equal(all.flatMap(bodiesOf).sort().join(), '1,2,3,4,5,6,7');
        await ended(all.length);
      },
    },
    {
      name: 'deleted-after-success',
      title: 'A message is deleted once its invocation has ended well.',
      source: { page, says: 'when a batch has been processed, Lambda deletes its messages from the queue' },
      functions: 'recorder',
      async run(world) {
        const { name, ended, quiet } = await recorder(world);
        const { url, arn } = await sourceQueue(world, { VisibilityTimeout: '10' });
        await subscribe(world, name, arn, { FunctionResponseTypes: [] });
        await give(world, url, ['done']);
        await ended(1);
        await emptied(world, url, 5);
        equal((await quiet(0)).length, 2, 'A message that was done came again.');
      },
    },
    {
      name: 'in-flight-while-running',
      title: 'During its invocation a message is in flight, not deleted.',
      source: { page, says: 'the message stays in the queue, hidden, while the function works on it' },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world);
        const { url, arn } = await sourceQueue(world, { VisibilityTimeout: '6' });
        await subscribe(world, name, arn);
        await give(world, url, [{ sleep: 1 }]);
        await begun(1);
        const { waiting, taken } = await depthOf(world, url);
        equal(`${waiting} waiting, ${taken} in flight`, '0 waiting, 1 in flight');
        await emptied(world, url);
      },
    },
    {
      name: 'thrown-error-brings-back-after-visibility',
      title: 'After an error of the function its messages come back when their visibility ends, not before.',
      source: {
        page: errors,
        says: 'messages of a failed batch become visible again after the visibility timeout; Lambda resets nothing',
      },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world, { Timeout: 2 });
        const { url, arn } = await sourceQueue(world, { VisibilityTimeout: '3' });
        await give(world, url, [{ throw: 'on purpose' }]);
        await subscribe(world, name, arn);
        const [, second] = await begun(2);
        const apart = sinceFirstReceive(second);
        ok(apart >= 2900, `It came again ${apart} ms after its receive, its visibility is 3 s.`);
        equal(firstRecord(second).attributes.ApproximateReceiveCount, '2');
        await world.sqs.send(new PurgeQueueCommand({ QueueUrl: url }));
      },
    },
    {
      name: 'thrown-error-brings-back-the-whole-batch',
      title: 'An error of the function brings the whole batch back, also with partial responses on.',
      source: {
        page: errors,
        says: 'when a function throws, the entire batch counts as a failure, with ReportBatchItemFailures too',
      },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world);
        const { url, arn } = await sourceQueue(world, { VisibilityTimeout: '5' });
        await give(world, url, ['innocent', { throw: 'on purpose' }]);
        await subscribe(world, name, arn, { MaximumBatchingWindowInSeconds: 1 });
        const [first] = await begun(1);
        if (bodiesOf(first).length !== 2) throw new Difference('Two waiting messages came in two batches.');
        const again = (await begun(2)).slice(1).flatMap(bodiesOf);
        ok(again.includes('innocent'), 'A message beside the one that failed was deleted.');
        await world.sqs.send(new PurgeQueueCommand({ QueueUrl: url }));
      },
    },
    {
      name: 'timeout-brings-back',
      title: 'An invocation that runs into the function’s timeout is an error: its messages come back.',
      source: { page: errors, says: 'a timed out invocation is retried as one that failed' },
      functions: 'recorder',
      async run(world) {
        const { name, begun, quiet } = await recorder(world, { Timeout: 1 });
        const { url, arn } = await sourceQueue(world);
        await give(world, url, [{ sleep: 8 }]);
        await subscribe(world, name, arn);
        await begun(2);
        const ends = (await quiet(0)).filter(({ kind }) => kind === 'end');
        equal(ends.length, 0, 'An invocation ran on after the timeout of its function.');
        await world.sqs.send(new PurgeQueueCommand({ QueueUrl: url }));
      },
    },
    {
      name: 'exit-brings-back',
      title: 'When the process of a function ends in mid-invocation its messages come back.',
      source: { page: errors, says: 'an invocation that does not end well is retried' },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world);
        const { url, arn } = await sourceQueue(world);
        await give(world, url, [{ exit: true }]);
        await subscribe(world, name, arn);
        const [, second] = await begun(2);
        equal(firstRecord(second).attributes.ApproximateReceiveCount, '2');
        await world.sqs.send(new PurgeQueueCommand({ QueueUrl: url }));
      },
    },
    {
      name: 'failing-message-is-dead-lettered',
      title:
        'A message that its function fails maxReceiveCount times goes to the dead-letter queue, unchanged.',
      source: {
        page: errors,
        says: 'use a dead-letter queue on the source queue: after maxReceiveCount receives SQS moves the message',
      },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world, { Timeout: 1 });
        const dead = await sourceQueue(world);
        const { url, arn } = await sourceQueue(world, {
          VisibilityTimeout: '1',
          RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 2 }),
        });
        await give(world, url, [{ throw: 'poison' }]);
        await subscribe(world, name, arn);
        const tries = await begun(2);
        const letter = await world.eventually('the dead letter', 10, async () => {
          const { Messages } = await world.sqs.send(
            new ReceiveMessageCommand({ QueueUrl: dead.url, MessageSystemAttributeNames: ['All'] }),
          );
          return Messages?.[0];
        });
        equal(letter.Body, '{"throw":"poison"}');
        equal(letter.MessageId, firstRecord(tries[0]).messageId, 'The dead letter has another message id.');
        equal((await begun(2)).length, 2, 'The function was invoked more often than maxReceiveCount.');
      },
    },
    {
      name: 'maximum-concurrency-is-kept',
      title: 'No more invocations run at once than MaximumConcurrency allows.',
      source: {
        page: scaling,
        says: 'maximum concurrency bounds the concurrent invocations of one event source',
      },
      functions: 'recorder',
      async run(world) {
        const { name, ended, quiet } = await recorder(world);
        const { url, arn } = await sourceQueue(world, { VisibilityTimeout: '10' });
        await give(
          world,
          url,
          [...'123456'].map(() => ({ sleep: 0.5 })),
        );
        await subscribe(world, name, arn, { BatchSize: 1, ScalingConfig: { MaximumConcurrency: 2 } });
        await ended(6);
        const most = mostAtOnce(await quiet(0));
        ok(most <= 2, `${most} invocations ran at once, 2 are allowed.`);
      },
    },
    {
      name: 'batches-run-in-parallel',
      title: 'Batches of a standard queue are handed over in parallel.',
      source: { page: scaling, says: 'Lambda starts with five concurrent batches' },
      functions: 'recorder',
      async run(world) {
        const { name, ended, quiet } = await recorder(world);
        const { url, arn } = await sourceQueue(world, { VisibilityTimeout: '10' });
        await subscribe(world, name, arn, { BatchSize: 1 });
        await give(world, url, [{ sleep: 1 }, { sleep: 1 }, { sleep: 1 }]);
        await ended(3);
        const most = mostAtOnce(await quiet(0));
        ok(most >= 2, 'One invocation waited for the other, five may run from the start.');
      },
    },
    {
      name: 'window-is-waited-for',
      title: 'With a batching window, a batch that is not full is handed over when the window ends.',
      source: {
        page: polling,
        says: 'a batch is handed over when its window ends, unless it is full before',
      },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world);
        const { url, arn } = await sourceQueue(world, { VisibilityTimeout: '20' });
        await give(world, url, ['lonely']);
        await subscribe(world, name, arn, { MaximumBatchingWindowInSeconds: 3 });
        const waited = sinceFirstReceive((await begun(1))[0]);
        ok(waited >= 2000, `It was handed over ${waited} ms after its receive, the window is 3 s.`);
      },
    },
    {
      name: 'full-batch-does-not-wait',
      title: 'A batch that is full is handed over before its window ends.',
      source: { page: polling, says: 'a batch is handed over when it has reached its size' },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world);
        const { url, arn } = await sourceQueue(world, { VisibilityTimeout: '60' });
        await give(world, url, ['full']);
        await subscribe(world, name, arn, { BatchSize: 1, MaximumBatchingWindowInSeconds: 30 });
        await begun(1, 12);
      },
    },
    {
      name: 'batch-larger-than-ten',
      title: 'With a window, a batch may hold more than the ten messages of one receive.',
      source: { page: polling, says: 'a batch of a standard queue can have up to 10,000 messages' },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world);
        const { url, arn } = await sourceQueue(world, { VisibilityTimeout: '20' });
        await give(
          world,
          url,
          Array.from({ length: 100 }, (_, index) => `${index}`),
        );
        await subscribe(world, name, arn, {
          BatchSize: 100,
          MaximumBatchingWindowInSeconds: 3,
          ScalingConfig: { MaximumConcurrency: 2 },
        });
        await emptied(world, url, 15);
        const sizes = (await begun(1)).map((each) => bodiesOf(each).length);
        ok(Math.max(...sizes) > 10, `The batches have ${sizes.join(', ')} messages.`);
      },
    },
    {
      name: 'shape-of-a-record',
      title: 'A record has the members and the spelling that the developer guide shows.',
      source: {
        page,
        says: 'the example event: camel case, eventSource aws:sqs, ARN and Region of the queue',
      },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world);
        const { url, arn } = await sourceQueue(world, { VisibilityTimeout: '10' });
        await subscribe(world, name, arn);
        const sent = await giveOne(world, { QueueUrl: url, MessageBody: 'ä body' });
        const record = firstRecord((await begun(1))[0]);
        equal(record.messageId, sent.MessageId);
        equal(record.body, 'ä body');
        equal(record.md5OfBody, sent.MD5OfMessageBody);
        equal(record.eventSource, 'aws:sqs');
        equal(record.eventSourceARN, arn);
        equal(record.awsRegion, world.region);
        equal(typeof record.receiptHandle, 'string');
        const { attributes } = record;
        equal(attributes.ApproximateReceiveCount, '1');
        ok(/^\d{13}$/.test(attributes.SentTimestamp ?? ''), `SentTimestamp is ${attributes.SentTimestamp}.`);
        ok(
          /^\d{13}$/.test(attributes.ApproximateFirstReceiveTimestamp ?? ''),
          `ApproximateFirstReceiveTimestamp is ${attributes.ApproximateFirstReceiveTimestamp}.`,
        );
        ok(typeof attributes.SenderId === 'string', 'SenderId is missing.');
      },
    },
    {
      name: 'shape-of-message-attributes',
      title: 'Message attributes come in lower camel case, with binary values as base64 and two empty lists.',
      source: {
        page,
        says: 'messageAttributes with stringValue, binaryValue, stringListValues, binaryListValues, dataType',
      },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world);
        const { url, arn } = await sourceQueue(world, { VisibilityTimeout: '10' });
        await subscribe(world, name, arn);
        await giveOne(world, {
          QueueUrl: url,
          MessageBody: 'attributes',
          MessageAttributes: {
            text: { DataType: 'String', StringValue: 'a' },
            number: { DataType: 'Number.cents', StringValue: '12' },
            bytes: { DataType: 'Binary', BinaryValue: Buffer.from([1, 2, 255]) },
          },
        });
        const found = firstRecord((await begun(1))[0]).messageAttributes as Record<
          string,
          Record<string, unknown>
        >;
        equal(Object.keys(found).sort().join(), 'bytes,number,text');
        equal(`${found.text?.dataType} ${found.text?.stringValue}`, 'String a');
        equal(`${found.number?.dataType} ${found.number?.stringValue}`, 'Number.cents 12');
        equal(`${found.bytes?.dataType} ${found.bytes?.binaryValue}`, 'Binary AQL/');
        equal(JSON.stringify(found.text?.stringListValues), '[]', 'stringListValues is no empty list.');
      },
    },
    {
      name: 'trace-header-is-an-attribute',
      title: 'The X-Ray header of a message comes with its attributes.',
      source: {
        page: 'SQS developer guide, "Amazon SQS and AWS X-Ray"',
        says: 'AWSTraceHeader is a system attribute',
      },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world);
        const { url, arn } = await sourceQueue(world, { VisibilityTimeout: '10' });
        await subscribe(world, name, arn);
        const header = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';
        await giveOne(world, {
          QueueUrl: url,
          MessageBody: 'traced',
          MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: header } },
        });
        equal(firstRecord((await begun(1))[0]).attributes.AWSTraceHeader, header);
      },
    },
    {
      name: 'delayed-messages-wait',
      title: 'A message with a delay is not handed over before it is over.',
      source: {
        page: 'SQS developer guide, "Amazon SQS message timers"',
        says: 'the message is hidden for its delay',
      },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world);
        const { url, arn } = await sourceQueue(world, { VisibilityTimeout: '10' });
        await subscribe(world, name, arn);
        const sentAt = world.now();
        await giveOne(world, { QueueUrl: url, MessageBody: 'late', DelaySeconds: 2 });
        const waited = (await begun(1))[0]!.at - sentAt;
        ok(waited >= 1800, `It was handed over after ${waited} ms, its delay is 2 s.`);
      },
    },
  ],
);
