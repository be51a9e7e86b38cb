import { ok } from 'node:assert/strict';
import { DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { type ConformanceCase, Difference, group } from '../case.ts';
import type { World } from '../world.ts';
import { equal } from './kit/equal.ts';
import { bury, deadLetters, movesOf } from './kit/moves.ts';
import { api, guide, recorded, sqsCase } from './kit/sources.ts';
import { redrivePolicy, sqsOf } from './kit/sqs.ts';

const page = 'Learn how to configure a dead-letter queue redrive';
const ten = Array.from({ length: 10 }, (_, index) => `m${index}`);

/** All messages of a queue; a task moves them one after the other. */
async function collect(world: World, url: string, count: number): Promise<string> {
  const { bodies } = sqsOf(world);
  const found: (string | undefined)[] = [];
  return world.eventually(`${count} messages to arrive`, 15, async () => {
    found.push(...(await bodies(url, { WaitTimeSeconds: 0 })));
    return found.length < count ? undefined : found.sort().join();
  });
}

const moveCase = (
  name: string,
  title: string,
  source: ConformanceCase['source'],
  play: (moves: ReturnType<typeof movesOf>, world: World) => Promise<void>,
  extra: Pick<ConformanceCase, 'hours'> = {},
): ConformanceCase => sqsCase(name, title, source, (_, world) => play(movesOf(world), world), extra);

export const sqsMoves = group(
  'sqs-moves',
  'Move tasks',
  ['sqs'],
  [
    moveCase(
      'to-a-destination',
      'A task moves dead letters to the queue that it names, and then is complete.',
      api('StartMessageMoveTask', 'moves messages from a source queue to a destination queue'),
      async ({ start, ended }, world) => {
        const { queue, arn, deadArn, dead, nothing } = await deadLetters(world, ['a', 'b']);
        const destination = await queue();
        await start(deadArn, { DestinationArn: await arn(destination) });
        equal(await collect(world, destination, 2), 'a,b');
        const task = await ended(deadArn);
        equal(task.Status, 'COMPLETED');
        equal(Number(task.ApproximateNumberOfMessagesMoved), 2);
        await nothing(dead, 'A dead letter was left behind');
      },
    ),
    moveCase(
      'back-to-the-source',
      'Without a destination dead letters go back to where they came from.',
      api('StartMessageMoveTask', 'left blank, messages are moved back to their original source queues'),
      async ({ start, ended }, world) => {
        const { url, deadArn } = await deadLetters(world, ['a', 'b']);
        await start(deadArn);
        equal(await collect(world, url, 2), 'a,b');
        equal((await ended(deadArn)).Status, 'COMPLETED');
      },
    ),
    moveCase(
      'back-to-several-sources',
      'Each dead letter goes back to its own source.',
      recorded('two queues with one dead-letter queue got theirs back'),
      async ({ start }, world) => {
        const { url, deadArn, queue } = await deadLetters(world, ['a1', 'a2']);
        const other = await queue({ RedrivePolicy: redrivePolicy(deadArn, 1) });
        await bury(world, other, ['b1', 'b2']);
        await start(deadArn);
        equal(await collect(world, url, 2), 'a1,a2');
        equal(await collect(world, other, 2), 'b1,b2');
      },
    ),
    moveCase(
      'moved-message-is-new',
      'A moved message has a new id, a receive count from the start, and keeps body and attributes.',
      guide(page, 'redriven messages are new messages with a new message id and enqueue time'),
      async ({ start }, world) => {
        const { url, dead, deadArn, receiveOne, send, receive } = await deadLetters(world, []);
        await send(url, 'm', { MessageAttributes: { a: { DataType: 'String', StringValue: 'x' } } });
        await receive(url, { VisibilityTimeout: 0 });
        await receive(url, { VisibilityTimeout: 0, WaitTimeSeconds: 0 });
        const letter = await receiveOne(dead, { VisibilityTimeout: 0 });
        await start(deadArn);
        const moved = await receiveOne(url, { WaitTimeSeconds: 5 });
        ok(moved.MessageId !== letter.MessageId, 'The moved message has the id of the dead letter.');
        equal(moved.Attributes?.ApproximateReceiveCount, '1', 'The receive count went on.');
        equal(moved.MessageAttributes?.a?.StringValue, 'x', 'The attribute is lost.');
        equal(moved.Attributes?.DeadLetterQueueSourceArn, undefined, 'It still names a source.');
      },
    ),
    moveCase(
      'no-faster-than-asked',
      'A task with one message a second takes at least three seconds for four.',
      recorded('four messages took at least 3 s; the first moves at once'),
      async ({ start }, world) => {
        const { url, deadArn } = await deadLetters(world, ['a', 'b', 'c', 'd']);
        const before = world.now();
        await start(deadArn, { MaxNumberOfMessagesPerSecond: 1 });
        await collect(world, url, 4);
        const took = world.now() - before;
        ok(took >= 2900, `It took ${took} ms.`);
      },
    ),
    moveCase(
      'fast-without-a-rate',
      'Without a rate ten messages are moved within seconds.',
      api(
        'StartMessageMoveTask',
        'left blank, the system optimizes the rate by the backlog; up to 500 a second',
      ),
      async ({ start }, world) => {
        const { url, deadArn } = await deadLetters(world, ten);
        const before = world.now();
        await start(deadArn);
        await collect(world, url, 10);
        ok(world.now() - before < 5000, `It took ${world.now() - before} ms.`);
      },
    ),
    moveCase(
      'cancelled',
      'A cancelled task says how many it has moved; the others stay.',
      api('CancelMessageMoveTask', 'only running tasks can be cancelled; moved messages are not reverted'),
      async ({ start, cancel, ended }, world) => {
        const { url, dead, deadArn, bodies } = await deadLetters(world, ten);
        const handle = await start(deadArn, { MaxNumberOfMessagesPerSecond: 1 });
        await collect(world, url, 2);
        const { ApproximateNumberOfMessagesMoved: moved } = await cancel(handle);
        ok(Number(moved) >= 2 && Number(moved) < 10, `It says that it moved ${moved}.`);
        equal((await ended(deadArn)).Status, 'CANCELLED');
        ok((await bodies(dead)).length > 0, 'No dead letter was left.');
      },
    ),
    moveCase(
      'handle-of-a-running-task-only',
      'A task shows its handle while it runs, not afterwards.',
      api('ListMessageMoveTasks', 'TaskHandle is returned only if the status is RUNNING'),
      async ({ start, list, cancel, ended }, world) => {
        const { deadArn } = await deadLetters(world, ten);
        const handle = await start(deadArn, { MaxNumberOfMessagesPerSecond: 1 });
        equal((await list(deadArn))[0]?.TaskHandle, handle);
        await cancel(handle);
        equal((await ended(deadArn)).TaskHandle, undefined);
      },
    ),
    moveCase(
      'cancelled-twice',
      'A task that is over cannot be cancelled.',
      api('CancelMessageMoveTask', 'only tasks in status RUNNING can be cancelled'),
      async ({ start, cancel, ended }, world) => {
        const { deadArn, refused } = await deadLetters(world, ten);
        const handle = await start(deadArn, { MaxNumberOfMessagesPerSecond: 1 });
        await cancel(handle);
        await ended(deadArn);
        await refused(
          'A second cancellation',
          ['InvalidParameterValue', 'ResourceNotFound', 'UnsupportedOperation'],
          cancel(handle),
        );
      },
    ),
    moveCase(
      'destination-deleted',
      'A task whose destination is deleted fails and says why; the others stay.',
      recorded('Status FAILED with a FailureReason'),
      async ({ start, ended }, world) => {
        const { queue, arn, dead, deadArn, bodies } = await deadLetters(world, ten);
        const QueueUrl = await queue();
        await start(deadArn, { DestinationArn: await arn(QueueUrl), MaxNumberOfMessagesPerSecond: 1 });
        await world.sqs.send(new DeleteQueueCommand({ QueueUrl }));
        const task = await ended(deadArn);
        equal(task.Status, 'FAILED');
        ok(task.FailureReason, 'It does not say why.');
        ok((await bodies(dead)).length > 0, 'No dead letter was left.');
      },
    ),
    moveCase(
      'one-task-for-a-source',
      'A second task for a source is refused while the first runs.',
      api('StartMessageMoveTask', 'only one active message movement task per queue at any time'),
      async ({ start }, world) => {
        const { deadArn, refused } = await deadLetters(world, ten);
        await start(deadArn, { MaxNumberOfMessagesPerSecond: 1 });
        await refused('A second task', ['InvalidParameterValue', 'UnsupportedOperation'], start(deadArn));
      },
    ),
    moveCase(
      'next-task-afterwards',
      'After a task the next one can be started; the newest is listed first.',
      api('ListMessageMoveTasks', 'gets the most recent message movement tasks, up to 10'),
      async ({ start, list, ended }, world) => {
        const { url, deadArn } = await deadLetters(world, ['a']);
        await start(deadArn);
        await ended(deadArn);
        await world.pass(0.1);
        await bury(world, url, []);
        await bury(world, url, ['b', 'c']);
        await start(deadArn);
        await ended(deadArn);
        const tasks = await list(deadArn);
        equal(tasks.length, 2);
        ok(Number(tasks[0]?.StartedTimestamp) > Number(tasks[1]?.StartedTimestamp), 'The oldest is first.');
        equal((await list(deadArn, 1)).length, 1);
      },
    ),
    moveCase(
      'source-must-be-a-dead-letter-queue',
      'A source that is nobody’s dead-letter queue is refused.',
      recorded('InvalidParameterValue: must be configured as a dead-letter queue'),
      async ({ start }, world) => {
        const { queue, arn, refused } = await deadLetters(world, []);
        const SourceArn = await arn(await queue());
        await refused(
          'A source without sources',
          ['InvalidParameterValue', 'UnsupportedOperation'],
          start(SourceArn, { DestinationArn: await arn(await queue()) }),
        );
      },
    ),
    moveCase(
      'queues-that-are-not-there',
      'A source or destination that does not exist is refused.',
      recorded('ResourceNotFoundException'),
      async ({ start, list }, world) => {
        const { deadArn, refused } = await deadLetters(world, []);
        const missing = `${deadArn}-missing`;
        const codes = ['ResourceNotFoundException', 'QueueDoesNotExist'];
        await refused('A missing destination', codes, start(deadArn, { DestinationArn: missing }));
        await refused('A missing source', codes, start(missing));
        await refused('A list of a missing source', codes, list(missing));
      },
    ),
    moveCase(
      'handles-that-are-none',
      'A text that is no handle is refused, and so is the handle of a task that is not known.',
      recorded('InvalidParameterValue for a text, ResourceNotFoundException for an unknown task'),
      async ({ cancel }, world) => {
        const { deadArn, refused } = await deadLetters(world, []);
        await refused('A text', ['InvalidParameterValue', 'InvalidAddress'], cancel('foobared'));
        const unknown = { taskId: '10f57157-fc38-4da9-a113-4de7e12d05aa', sourceArn: deadArn };
        const handle = Buffer.from(JSON.stringify(unknown)).toString('base64');
        await refused('An unknown task', 'ResourceNotFoundException', cancel(handle));
      },
    ),
    moveCase(
      'range-of-the-rate',
      'A rate is 1 to 500 messages a second.',
      api('StartMessageMoveTask', 'the maximum of MaxNumberOfMessagesPerSecond is 500'),
      async ({ start }, world) => {
        const { deadArn, refused } = await deadLetters(world, []);
        for (const MaxNumberOfMessagesPerSecond of [0, 501])
          await refused(
            `A rate of ${MaxNumberOfMessagesPerSecond}`,
            'InvalidParameterValue',
            start(deadArn, { MaxNumberOfMessagesPerSecond }),
          );
      },
    ),
    moveCase(
      'message-without-a-source',
      'A message that was sent to the dead-letter queue itself has no source to go back to: the task fails.',
      guide(
        page,
        'messages sent to a dead-letter queue directly have no source queue',
        'the status is not documented; the model says FAILED with a reason, and leaves the message',
      ),
      async ({ start, ended }, world) => {
        const { dead, deadArn, send, bodies } = await deadLetters(world, []);
        await send(dead, 'direct');
        await start(deadArn);
        const task = await ended(deadArn);
        equal(task.Status, 'FAILED');
        equal((await bodies(dead)).join(), 'direct');
      },
    ),
    moveCase(
      'fifo-letters-move-in-order',
      'Dead letters of a FIFO queue go back in order, in their group.',
      guide(page, 'redrive is there for FIFO queues too'),
      async ({ start, ended }, world) => {
        const { url, deadArn, receive } = await deadLetters(world, ['a', 'b', 'c'], { FifoQueue: 'true' });
        await start(deadArn);
        await ended(deadArn);
        const got = await receive(url, { MessageSystemAttributeNames: ['MessageGroupId'] });
        equal(got.map(({ Body }) => Body).join(), 'a,b,c');
        if (got.some(({ Attributes }) => Attributes?.MessageGroupId !== 'g'))
          throw new Difference('The group was lost.');
      },
    ),
    moveCase(
      'kinds-must-be-alike',
      'Dead letters of a standard queue cannot be moved to a FIFO queue.',
      api('StartMessageMoveTask', 'source and destination are of the same type'),
      async ({ start }, world) => {
        const { deadArn, fifo, arn, refused } = await deadLetters(world, ['a']);
        const call = start(deadArn, { DestinationArn: await arn(await fifo()) });
        await refused('A FIFO destination', ['InvalidParameterValue', 'UnsupportedOperation'], call);
      },
    ),
    moveCase(
      'numbers-of-a-task',
      'A task says what it moves, how fast, since when and how much there was.',
      api('ListMessageMoveTasks', 'each task shows source, destination, rate, start and numbers'),
      async ({ start, list, cancel }, world) => {
        const { queue, arn, deadArn } = await deadLetters(world, ten);
        const DestinationArn = await arn(await queue());
        const handle = await start(deadArn, { DestinationArn, MaxNumberOfMessagesPerSecond: 1 });
        const [task] = await list(deadArn);
        equal(task?.SourceArn, deadArn);
        equal(task?.DestinationArn, DestinationArn);
        equal(task?.MaxNumberOfMessagesPerSecond, 1);
        equal(Number(task?.ApproximateNumberOfMessagesToMove), 10);
        ok(Math.abs(Number(task?.StartedTimestamp) - world.now()) < 60_000, 'It did not start now.');
        await cancel(handle);
      },
    ),
  ],
);
