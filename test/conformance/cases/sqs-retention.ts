import { group } from '../case.ts';
import { equal } from './kit/equal.ts';
import { api, guide, recorded, sqsCase } from './kit/sources.ts';

const page = 'Quotas related to messages';
const hours = { hours: true } as const;
const minute = { MessageRetentionPeriod: '60' };

export const sqsRetention = group(
  'sqs-retention',
  'Retention',
  ['sqs'],
  [
    sqsCase(
      'gone-after-its-time',
      'A message is gone when the retention period is over, and not before.',
      guide(page, 'a message is kept for the retention period, then it is deleted'),
      async ({ queue, send, counts, nothing }, world) => {
        const url = await queue(minute);
        await send(url, 'm');
        await world.pass(59);
        equal(`${await counts(url)}`, '1,0,0', 'It went too early.');
        await world.pass(1);
        await nothing(url, 'It was received after its retention');
        equal(`${await counts(url)}`, '0,0,0');
      },
      hours,
    ),
    sqsCase(
      'four-days-by-default',
      'Without another period a message is kept for four days.',
      guide(page, 'by default a message is retained for 4 days'),
      async ({ queue, send, counts }, world) => {
        const url = await queue();
        await send(url, 'm');
        await world.pass(4 * 86_400 - 1);
        equal(`${await counts(url)}`, '1,0,0', 'It went too early.');
        await world.pass(1);
        equal(`${await counts(url)}`, '0,0,0', 'It did not go after four days.');
      },
      hours,
    ),
    sqsCase(
      'fourteen-days-at-most',
      'A message can be kept for 14 days.',
      guide(page, 'the maximum is 1,209,600 seconds (14 days)'),
      async ({ queue, send, bodies, counts }, world) => {
        const url = await queue({ MessageRetentionPeriod: '1209600' });
        await send(url, 'm');
        await world.pass(14 * 86_400 - 31);
        equal((await bodies(url)).join(), 'm');
        await world.pass(31);
        equal(`${await counts(url)}`, '0,0,0');
      },
      hours,
    ),
    sqsCase(
      'in-flight-too',
      'A message in flight is gone too when its retention is over; deleting it then is no error.',
      recorded('nothing came back after the visibility timeout, and the delete succeeded'),
      async ({ queue, send, receiveOne, remove, nothing }, world) => {
        const url = await queue({ ...minute, VisibilityTimeout: '60' });
        await send(url, 'm');
        await world.pass(10);
        const message = await receiveOne(url);
        await world.pass(61);
        await nothing(url, 'It came back after its retention');
        await remove(url, message);
      },
      hours,
    ),
    sqsCase(
      'receives-do-not-prolong',
      'Receiving a message does not prolong its retention.',
      guide(page, 'the period counts from when the message was sent'),
      async ({ queue, send, receiveOne, counts }, world) => {
        const url = await queue({ ...minute, VisibilityTimeout: '0' });
        await send(url, 'm');
        for (let time = 1; time <= 5; time++) {
          await world.pass(11);
          await receiveOne(url);
        }
        await world.pass(5);
        equal(`${await counts(url)}`, '0,0,0');
      },
      hours,
    ),
    sqsCase(
      'delay-is-part-of-it',
      'The delay of a message is part of its retention.',
      guide(page, 'the period counts from when the message was sent'),
      async ({ queue, send, bodies, counts }, world) => {
        const url = await queue(minute);
        await send(url, 'm', { DelaySeconds: 50 });
        await world.pass(50);
        equal((await bodies(url, { VisibilityTimeout: 0 })).join(), 'm');
        await world.pass(10);
        equal(`${await counts(url)}`, '0,0,0', 'The retention began after the delay.');
      },
      hours,
    ),
    sqsCase(
      'fifo-too',
      'On a FIFO queue too, and a group whose first message went that way goes on.',
      recorded('both messages of a FIFO queue are gone after the period'),
      async ({ fifo, sendTo, receiveOne, bodies }, world) => {
        const url = await fifo({ ...minute, VisibilityTimeout: '3600' });
        await sendTo(url, 'g', 'old');
        await receiveOne(url);
        await world.pass(30);
        await sendTo(url, 'g', 'new');
        await world.pass(30);
        equal((await bodies(url)).join(), 'new');
      },
      hours,
    ),
    sqsCase(
      'shortened-for-messages-that-are-there',
      'A shorter period holds for messages that are there.',
      api(
        'SetQueueAttributes',
        'a change affects existing messages: those older than a shorter period are deleted',
      ),
      async ({ queue, send, set, counts }, world) => {
        const url = await queue();
        await send(url, 'm');
        await world.pass(120);
        await set(url, minute);
        // SQS promises it within 15 minutes.
        await world.pass(900);
        equal(`${await counts(url)}`, '0,0,0');
      },
      hours,
    ),
    sqsCase(
      'prolonged-for-messages-that-are-there',
      'A longer period holds for messages that are there too.',
      api('SetQueueAttributes', 'a change of the period affects existing messages'),
      async ({ queue, send, set, counts }, world) => {
        const url = await queue(minute);
        await send(url, 'm');
        await set(url, { MessageRetentionPeriod: '3600' });
        await world.pass(3599);
        equal(`${await counts(url)}`, '1,0,0', 'It went after the old period.');
        await world.pass(1);
        equal(`${await counts(url)}`, '0,0,0');
      },
      hours,
    ),
  ],
);
