import { equal } from 'node:assert/strict';
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { group } from '../case.ts';
import { queue } from './kit/sqs.ts';

export const sqsReceive = group(
  'sqs-receive',
  'Receiving',
  ['sqs'],
  [
    {
      name: 'long-poll-returns-at-once',
      title: 'A long poll answers as soon as a message arrives.',
      source: {
        page: 'SQS developer guide, "Amazon SQS short and long polling"',
        says: 'a long poll sends a response when a message is available, or when its wait is over',
      },
      async run(world) {
        const url = await queue(world, {});
        const waiting = world.sqs.send(new ReceiveMessageCommand({ QueueUrl: url, WaitTimeSeconds: 10 }));
        await world.sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'here' }));
        const before = world.now();
        const { Messages = [] } = await waiting;
        equal(Messages[0]?.Body, 'here');
        equal(world.now() - before < 5000, true, 'It waited on although there was a message.');
      },
    },
  ],
);
