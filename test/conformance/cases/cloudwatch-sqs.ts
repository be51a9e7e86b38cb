import { equal, ok } from 'node:assert/strict';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { type ConformanceCase, group } from '../case.ts';
import type { World } from '../world.ts';
import { metric, minuteAt, nextMinute, read } from './kit/cloudwatch.ts';
import { arnOf } from './kit/lambda.ts';
import { queue } from './kit/sqs.ts';

const page = 'SQS developer guide, "Available CloudWatch metrics for Amazon SQS"';

const nameOf = (url: string) => url.split('/').at(-1) ?? '';

/** A metric of a queue over the last `minutes`, oldest first: what is missing is left out. */
async function points(
  world: World,
  url: string,
  MetricName: string,
  stat = 'Maximum',
  minutes = 15,
): Promise<readonly number[]> {
  const Dimensions = { QueueName: nameOf(url) };
  const [found] = await read(world, [metric('a', 'AWS/SQS', stat, { MetricName, Dimensions })], minutes);
  return found?.Values ?? [];
}

const send = ({ sqs }: World, QueueUrl: string, bodies: readonly string[], more: object = {}) =>
  sqs.send(
    new SendMessageBatchCommand({
      QueueUrl,
      Entries: bodies.map((MessageBody, index) => ({ Id: `${index}`, MessageBody, ...more })),
    }),
  );
const receive = async ({ sqs }: World, QueueUrl: string, most = 10) =>
  (await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: most }))).Messages ?? [];

/** A case whose minutes pass. */
const minutes = (
  name: string,
  title: string,
  says: string,
  run: ConformanceCase['run'],
  conflict?: string,
): ConformanceCase => ({
  name,
  title,
  hours: true,
  source: { page, says, ...(conflict === undefined ? {} : { conflict }) },
  run,
});

export const cloudwatchSqs = group(
  'cloudwatch-sqs',
  'Metrics: what SQS publishes',
  ['cloudwatch', 'sqs'],
  [
    minutes(
      'visible-not-visible-and-delayed',
      'Visible, hidden and delayed messages are counted each minute.',
      'ApproximateNumberOfMessagesVisible, ...NotVisible and ...Delayed',
      async (world) => {
        const url = await queue(world, { VisibilityTimeout: '600' });
        await send(world, url, ['1', '2', '3']);
        await send(world, url, ['4', '5'], { DelaySeconds: 600 });
        await receive(world, url, 1);
        await nextMinute(world, 1);
        const read = async (name: string) =>
          (await points(world, url, `ApproximateNumberOfMessages${name}`)).at(-1);
        const found = [await read('Visible'), await read('NotVisible'), await read('Delayed')];
        equal(found.join(), '2,1,2');
      },
    ),
    minutes(
      'sent-received-and-deleted',
      'Messages that are sent, received and deleted are counted in the minute in which it happens.',
      'NumberOfMessagesSent, ...Received and ...Deleted',
      async (world) => {
        const url = await queue(world, { VisibilityTimeout: '600' });
        await nextMinute(world, 5);
        await send(world, url, ['1', '2', '3']);
        const taken = await receive(world, url, 10);
        for (const { ReceiptHandle } of taken.slice(0, 2))
          await world.sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }));
        await nextMinute(world, 1);
        const sum = async (name: string) =>
          (await points(world, url, `NumberOfMessages${name}`, 'Sum')).reduce((all, each) => all + each, 0);
        const found = [await sum('Sent'), await sum('Received'), await sum('Deleted')];
        equal(found.join(), `3,${taken.length},2`);
      },
    ),
    minutes(
      'size-of-sent-messages',
      'SentMessageSize has the bytes of each message that was sent.',
      'SentMessageSize: the size of messages added to a queue',
      async (world) => {
        const url = await queue(world, {});
        await send(world, url, ['x'.repeat(100), 'x'.repeat(300)]);
        await nextMinute(world, 1);
        equal((await points(world, url, 'SentMessageSize', 'Sum')).join(), '400');
        equal((await points(world, url, 'SentMessageSize', 'SampleCount')).join(), '2');
      },
    ),
    minutes(
      'empty-receives',
      'A receive that finds nothing is counted as empty.',
      'NumberOfEmptyReceives',
      async (world) => {
        const url = await queue(world, {});
        await receive(world, url);
        await receive(world, url);
        await nextMinute(world, 1);
        equal((await points(world, url, 'NumberOfEmptyReceives', 'Sum')).join(), '2');
      },
    ),
    minutes(
      'age-of-the-oldest',
      'The age of the oldest message grows by 60 s a minute, and is told in seconds.',
      'ApproximateAgeOfOldestMessage, in seconds',
      async (world) => {
        const url = await queue(world, {});
        await nextMinute(world);
        await send(world, url, ['old']);
        for (let passed = 0; passed < 4; passed++) await nextMinute(world, 0.5);
        const ages = (await points(world, url, 'ApproximateAgeOfOldestMessage')).slice(-3);
        ok(
          ages.length === 3 && ages.every((age, index) => Math.abs(age - (index + 2) * 60) <= 2),
          `The ages are ${ages.join(', ')}, after 2, 3 and 4 minutes.`,
        );
      },
    ),
    minutes(
      'age-leaves-out-what-was-received-three-times',
      'On a standard queue a message that was received three times leaves the age.',
      'after three receives a message goes to the end, and the next oldest one that was not is told',
      async (world) => {
        const url = await queue(world, {});
        await send(world, url, ['poison']);
        for (let times = 0; times < 3; times++) {
          await nextMinute(world, 1);
          const [message] = await receive(world, url, 1);
          await world.sqs.send(
            new ChangeMessageVisibilityCommand({
              QueueUrl: url,
              ReceiptHandle: message?.ReceiptHandle,
              VisibilityTimeout: 0,
            }),
          );
        }
        await nextMinute(world, 1);
        equal((await points(world, url, 'ApproximateAgeOfOldestMessage')).at(-1), 0);
      },
    ),
    minutes(
      'age-on-fifo-keeps-a-failing-head',
      'On a FIFO queue a message keeps counting however often it was received.',
      'the order of a FIFO queue is not broken: the age shows a failing head',
      async (world) => {
        const url = await queue(world, { FifoQueue: 'true', VisibilityTimeout: '1' });
        await world.sqs.send(
          new SendMessageCommand({
            QueueUrl: url,
            MessageBody: 'head',
            MessageGroupId: 'g',
            MessageDeduplicationId: '1',
          }),
        );
        for (let times = 0; times < 4; times++) {
          await nextMinute(world, 1);
          await receive(world, url, 1);
        }
        await nextMinute(world, 1);
        const age = (await points(world, url, 'ApproximateAgeOfOldestMessage')).at(-1) ?? 0;
        ok(age >= 230, `The age is ${age} s after more than four minutes.`);
      },
    ),
    minutes(
      'age-in-a-dead-letter-queue',
      'In a dead-letter queue the age counts from the move.',
      'for a dead-letter queue the value is the time since the message was moved there',
      async (world) => {
        const dead = await queue(world, {});
        const url = await queue(world, {
          VisibilityTimeout: '0',
          RedrivePolicy: JSON.stringify({
            deadLetterTargetArn: await arnOf(world, dead),
            maxReceiveCount: 1,
          }),
        });
        await send(world, url, ['poison']);
        await world.pass(1800);
        await receive(world, url, 1);
        await receive(world, url, 1);
        await nextMinute(world, 1);
        await nextMinute(world, 1);
        const age = (await points(world, dead, 'ApproximateAgeOfOldestMessage')).at(-1);
        ok(
          age !== undefined && age < 130,
          `The age in the dead-letter queue is ${age} s, two minutes after the move.`,
        );
      },
    ),
    minutes(
      'dead-lettering-is-no-sending',
      'A message that is dead-lettered does not count as sent to the dead-letter queue.',
      'NumberOfMessagesSent does not count messages that are moved by a failed processing attempt',
      async (world) => {
        const dead = await queue(world, {});
        const url = await queue(world, {
          VisibilityTimeout: '0',
          RedrivePolicy: JSON.stringify({
            deadLetterTargetArn: await arnOf(world, dead),
            maxReceiveCount: 1,
          }),
        });
        await send(world, url, ['poison']);
        await receive(world, url, 1);
        await receive(world, url, 1);
        await nextMinute(world, 1);
        equal((await points(world, dead, 'ApproximateNumberOfMessagesVisible')).at(-1), 1);
        equal((await points(world, dead, 'NumberOfMessagesSent', 'Sum')).join(), '', 'It counts as sent.');
      },
    ),
    minutes(
      'redrive-is-no-receiving-by-a-consumer',
      'A move task empties the dead-letter queue, and its gauge follows.',
      'ApproximateNumberOfMessagesVisible of a dead-letter queue falls when messages are redriven',
      async (world) => {
        const dead = await queue(world, {});
        const url = await queue(world, {
          VisibilityTimeout: '0',
          RedrivePolicy: JSON.stringify({
            deadLetterTargetArn: await arnOf(world, dead),
            maxReceiveCount: 1,
          }),
        });
        await send(world, url, ['poison']);
        await receive(world, url, 1);
        await receive(world, url, 1);
        await nextMinute(world, 1);
        await world.sqs.send(new StartMessageMoveTaskCommand({ SourceArn: await arnOf(world, dead) }));
        await nextMinute(world, 1);
        const [before, after] = (await points(world, dead, 'ApproximateNumberOfMessagesVisible')).slice(-2);
        equal(`${before} ${after}`, '1 0');
        equal((await points(world, url, 'ApproximateNumberOfMessagesVisible')).at(-1), 1);
      },
    ),
    minutes(
      'groups-in-flight',
      'The groups of a FIFO queue with messages in flight are counted.',
      'ApproximateNumberOfGroupsWithInflightMessages',
      async (world) => {
        const url = await queue(world, { FifoQueue: 'true', VisibilityTimeout: '600' });
        for (const [index, name] of ['a', 'a', 'b', 'c'].entries())
          await world.sqs.send(
            new SendMessageCommand({
              QueueUrl: url,
              MessageBody: 'x',
              MessageGroupId: name,
              MessageDeduplicationId: `${index}`,
            }),
          );
        await receive(world, url, 3);
        await nextMinute(world, 1);
        equal((await points(world, url, 'ApproximateNumberOfGroupsWithInflightMessages')).at(-1), 2);
      },
    ),
    minutes(
      'one-dimension',
      'Metrics of a queue have the dimension QueueName, and none has more.',
      'the only dimension that SQS sends is QueueName',
      async (world) => {
        const url = await queue(world, {});
        await send(world, url, ['1']);
        await nextMinute(world, 1);
        const name = 'ApproximateNumberOfMessagesVisible';
        const [without] = await read(world, [metric('a', 'AWS/SQS', 'Maximum', { MetricName: name })]);
        equal(without?.Values?.length ?? 0, 0, 'There are points without a dimension.');
        equal((await points(world, url, name)).at(-1), 1);
      },
    ),
    minutes(
      'inactive-after-six-hours',
      'A queue that is empty and unused for six hours publishes no more.',
      'CloudWatch considers a queue active for up to six hours after messages or actions',
      async (world) => {
        const url = await queue(world, {});
        await world.pass(5 * 3600);
        const name = 'ApproximateNumberOfMessagesVisible';
        ok(
          (await points(world, url, name)).length > 10,
          'It does not publish although it was used five hours ago.',
        );
        await world.pass(2 * 3600);
        equal((await points(world, url, name)).length, 0, 'It still publishes after seven hours.');
      },
    ),
    minutes(
      'active-while-it-holds-messages',
      'A queue that holds a message stays active.',
      'a queue is active while it contains messages',
      async (world) => {
        const url = await queue(world, {});
        await send(world, url, ['1']);
        await world.pass(9 * 3600);
        ok(
          (await points(world, url, 'ApproximateNumberOfMessagesVisible')).length > 10,
          'It does not publish although it holds a message.',
        );
      },
    ),
    minutes(
      'late-after-inactivity',
      'Points of a queue that was inactive are seen within 15 minutes of its first use.',
      'a delay of up to 15 minutes when a queue becomes active again',
      async (world) => {
        const url = await queue(world, {});
        await world.pass(8 * 3600);
        await send(world, url, ['1']);
        await world.pass(16 * 60);
        equal((await points(world, url, 'ApproximateNumberOfMessagesVisible')).at(-1), 1);
      },
    ),
    minutes(
      'counters-only-when-something-happened',
      'In a minute in which nothing is sent there is no point of NumberOfMessagesSent.',
      'newer text of the page: counters are published when there is something to count',
      async (world) => {
        const url = await queue(world, {});
        await nextMinute(world, 1);
        await send(world, url, ['1']);
        for (let passed = 0; passed < 3; passed++) await nextMinute(world, 1);
        equal((await points(world, url, 'NumberOfMessagesSent', 'Sum')).length, 1);
      },
      'The older text has them published for every minute of an active queue. The model publishes sparsely by default, because an alarm that is right then is right with zeros too; createCloudWatch takes queueCounters for the other.',
    ),
    minutes(
      'one-minute-points-for-fifteen-days',
      'Points of one minute can be read for fifteen days.',
      'CloudWatch user guide, "Metrics retention": 60 s for 15 days',
      async (world) => {
        const url = await queue(world, {});
        await send(world, url, ['1']);
        await nextMinute(world, 1);
        await world.pass(2 * 86_400);
        const start = minuteAt(world, -2 * 24 * 60 - 5);
        const found = await points(world, url, 'NumberOfMessagesSent', 'Sum', 2 * 24 * 60 + 5);
        equal(found.join(), '1', `Nothing is known since ${start.toISOString()}.`);
      },
    ),
  ],
);
