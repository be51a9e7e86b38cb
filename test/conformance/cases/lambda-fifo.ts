import { equal, ok } from 'node:assert/strict';
import { PurgeQueueCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { Difference, group } from '../case.ts';
import {
  bodiesOf,
  emptied,
  firstRecord,
  give,
  giveOne,
  mostAtOnce,
  recorder,
  sourceQueue,
  subscribe,
} from './kit/lambda.ts';

const scaling = 'Lambda developer guide, "Configuring scaling behavior for SQS event source mappings"';
const errors = 'Lambda developer guide, "Handling errors for an SQS event source in Lambda"';
const fifo = { FifoQueue: 'true', VisibilityTimeout: '4' } as const;

export const lambdaFifo = group(
  'lambda-fifo',
  'Event sources: FIFO queues',
  ['lambda', 'sqs'],
  [
    {
      name: 'one-group-in-order-and-never-in-parallel',
      title: 'The messages of one group are handed over in order, and never in two invocations at once.',
      source: {
        page: scaling,
        says: 'Lambda hands over the messages of a group in order, one batch at a time',
      },
      functions: 'recorder',
      async run(world) {
        const { name, ended, quiet } = await recorder(world);
        const { url, arn } = await sourceQueue(world, fifo);
        await give(
          world,
          url,
          [{ sleep: 0.3 }, { sleep: 0.31 }, { sleep: 0.32 }, { sleep: 0.33 }],
          () => 'g',
        );
        await subscribe(world, name, arn, { BatchSize: 1 });
        const ends = await ended(4);
        equal(ends.flatMap(bodiesOf).join(), '{"sleep":0.3},{"sleep":0.31},{"sleep":0.32},{"sleep":0.33}');
        ok(mostAtOnce(await quiet(0)) === 1, 'Two invocations of one group ran at once.');
      },
    },
    {
      name: 'groups-in-parallel',
      title: 'Invocations of different groups run in parallel.',
      source: {
        page: scaling,
        says: 'the concurrency of a FIFO source is bounded by its number of message groups',
      },
      functions: 'recorder',
      async run(world) {
        const { name, ended, quiet } = await recorder(world);
        const { url, arn } = await sourceQueue(world, fifo);
        await subscribe(world, name, arn, { BatchSize: 1 });
        await give(world, url, [{ sleep: 1 }, { sleep: 1 }, { sleep: 1 }], (index) => `g${index}`);
        await ended(3);
        ok(mostAtOnce(await quiet(0)) > 1, 'The invocation of one group waited for that of another.');
      },
    },
    {
      name: 'a-batch-of-one-group-keeps-its-order',
      title: 'Within a batch the messages of a group stand in the order in which they were sent.',
      source: { page: scaling, says: 'messages of a group reach the function in order' },
      functions: 'recorder',
      async run(world) {
        const { name, ended } = await recorder(world);
        const { url, arn } = await sourceQueue(world, fifo);
        await give(world, url, ['1', '2', '3', '4', '5'], () => 'g');
        await subscribe(world, name, arn);
        await emptied(world, url);
        equal((await ended(1)).flatMap(bodiesOf).join(), '1,2,3,4,5');
      },
    },
    {
      name: 'a-batch-may-hold-several-groups',
      title: 'A batch may hold messages of several groups.',
      source: {
        page: 'SQS developer guide, "FIFO queue delivery logic"',
        says: 'a receive gives as many messages of one group as it can, then of the next',
      },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world);
        const { url, arn } = await sourceQueue(world, fifo);
        await give(world, url, ['a1', 'b1', 'a2', 'b2'], (index) => (index % 2 === 0 ? 'a' : 'b'));
        await subscribe(world, name, arn);
        const [first] = await begun(1);
        equal(bodiesOf(first).length, 4, `The first batch has ${bodiesOf(first).join()} alone.`);
      },
    },
    {
      name: 'failed-message-holds-its-group',
      title:
        'While a failed message waits for its visibility to end, nothing later of its group is handed over.',
      source: { page: errors, says: 'a group waits for its earlier messages' },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world);
        const { url, arn } = await sourceQueue(world, { ...fifo, VisibilityTimeout: '2' });
        await give(world, url, [{ fail: true }, 'later'], () => 'g');
        await subscribe(world, name, arn, { BatchSize: 1 });
        const all = await begun(2);
        equal(
          bodiesOf(all[1]).join(),
          '{"fail":true}',
          'A later message of the group overtook the failed one.',
        );
        await world.sqs.send(new PurgeQueueCommand({ QueueUrl: url }));
      },
    },
    {
      name: 'failed-message-does-not-hold-other-groups',
      title: 'A failing message holds back its own group alone.',
      source: { page: scaling, says: 'groups are independent of each other' },
      functions: 'recorder',
      async run(world) {
        const { name, ended } = await recorder(world);
        const { url, arn } = await sourceQueue(world, { ...fifo, VisibilityTimeout: '20' });
        await give(world, url, [{ fail: true }, 'other'], (index) => `g${index}`);
        await subscribe(world, name, arn, { BatchSize: 1 });
        const bodies = (await ended(2, 8)).flatMap(bodiesOf);
        ok(bodies.includes('other'), 'The other group waited for the failed message.');
        await world.sqs.send(new PurgeQueueCommand({ QueueUrl: url }));
      },
    },
    {
      name: 'poison-message-frees-its-group',
      title: 'When the failing head of a group is dead-lettered, the rest of the group goes on.',
      source: { page: errors, says: 'after maxReceiveCount the message moves to the dead-letter queue' },
      functions: 'recorder',
      async run(world) {
        const { name, ended, begun } = await recorder(world, { Timeout: 1 });
        const dead = await sourceQueue(world, fifo);
        const { url, arn } = await sourceQueue(world, {
          ...fifo,
          VisibilityTimeout: '1',
          RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 1 }),
        });
        await give(world, url, [{ throw: 'poison' }, 'later'], () => 'g');
        await subscribe(world, name, arn, { BatchSize: 1 });
        const [end] = await ended(1);
        equal(bodiesOf(end).join(), 'later');
        equal((await begun(2)).length, 2, 'The function saw the poison again.');
        const { Messages = [] } = await world.sqs.send(
          new ReceiveMessageCommand({ QueueUrl: dead.url, WaitTimeSeconds: 2 }),
        );
        equal(Messages[0]?.Body, '{"throw":"poison"}', 'The dead-letter queue has another message, or none.');
      },
    },
    {
      name: 'shape-of-a-fifo-record',
      title: 'A record of a FIFO queue has its group, its deduplication id and its sequence number.',
      source: {
        page: 'Lambda developer guide, "Using Lambda with Amazon SQS"',
        says: 'the example event of a FIFO queue',
      },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world);
        const { url, arn } = await sourceQueue(world, fifo);
        await subscribe(world, name, arn);
        const sent = await giveOne(world, {
          QueueUrl: url,
          MessageBody: 'x',
          MessageGroupId: 'the-group',
          MessageDeduplicationId: 'the-id',
        });
        const { attributes } = firstRecord((await begun(1))[0]);
        equal(attributes.MessageGroupId, 'the-group');
        equal(attributes.MessageDeduplicationId, 'the-id');
        equal(attributes.SequenceNumber, sent.SequenceNumber);
      },
    },
    {
      name: 'batch-size-of-fifo-at-most-ten',
      title: 'The batch of a FIFO queue has ten messages at most, however many wait.',
      source: {
        page: 'Lambda developer guide, "Lambda parameters for Amazon SQS event source mappings"',
        says: 'BatchSize of a FIFO queue: 10 at most',
      },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world);
        const { url, arn } = await sourceQueue(world, fifo);
        await give(
          world,
          url,
          Array.from({ length: 12 }, (_, index) => `${index}`),
          () => 'g',
        );
        await subscribe(world, name, arn, { BatchSize: 10 });
        await emptied(world, url);
        const [first, second] = await begun(2);
        if (bodiesOf(first).length > 10)
          throw new Difference(`The first batch has ${bodiesOf(first).length} messages.`);
        equal([first, second].flatMap(bodiesOf).join(), '0,1,2,3,4,5,6,7,8,9,10,11');
      },
    },
  ],
);
