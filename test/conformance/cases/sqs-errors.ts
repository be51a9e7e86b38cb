import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ListDeadLetterSourceQueuesCommand,
  ListQueueTagsCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  TagQueueCommand,
} from '@aws-sdk/client-sqs';
import { type ConformanceCase, group } from '../case.ts';
import type { World } from '../world.ts';
import { equal } from './kit/equal.ts';
import { api, recorded, sqsCase } from './kit/sources.ts';

/** Every action on a queue, at one that is not there. */
const actions: Readonly<Record<string, (sqs: World['sqs'], QueueUrl: string) => Promise<unknown>>> = {
  SendMessage: (sqs, QueueUrl) => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'm' })),
  SendMessageBatch: (sqs, QueueUrl) =>
    sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries: [{ Id: 'a', MessageBody: 'm' }] })),
  ReceiveMessage: (sqs, QueueUrl) => sqs.send(new ReceiveMessageCommand({ QueueUrl })),
  DeleteMessage: (sqs, QueueUrl) => sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: 'some' })),
  ChangeMessageVisibility: (sqs, QueueUrl) =>
    sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: 'some', VisibilityTimeout: 1 })),
  GetQueueAttributes: (sqs, QueueUrl) =>
    sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] })),
  SetQueueAttributes: (sqs, QueueUrl) =>
    sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { DelaySeconds: '1' } })),
  PurgeQueue: (sqs, QueueUrl) => sqs.send(new PurgeQueueCommand({ QueueUrl })),
  DeleteQueue: (sqs, QueueUrl) => sqs.send(new DeleteQueueCommand({ QueueUrl })),
  TagQueue: (sqs, QueueUrl) => sqs.send(new TagQueueCommand({ QueueUrl, Tags: { a: 'b' } })),
  ListQueueTags: (sqs, QueueUrl) => sqs.send(new ListQueueTagsCommand({ QueueUrl })),
  ListDeadLetterSourceQueues: (sqs, QueueUrl) =>
    sqs.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl })),
};

const nowhere: readonly ConformanceCase[] = Object.entries(actions).map(([action, call]) =>
  sqsCase(
    `${action.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}-nowhere`,
    `${action} at a queue that does not exist is refused.`,
    api(action, 'QueueDoesNotExist: the specified queue doesn’t exist'),
    async ({ queue, refused }, world) => {
      const missing = (await queue()).replace(/[^/]+$/, world.name('nowhere'));
      await refused('A queue that is not there', 'QueueDoesNotExist', call(world.sqs, missing));
    },
  ),
);

/** What an SDK shows of an error: its name, its status, whose fault it is. */
const seen = (error: Error) => {
  const { $metadata, $fault } = error as { $metadata?: { httpStatusCode?: number }; $fault?: string };
  return `${error.name} ${$metadata?.httpStatusCode} ${$fault}`;
};

export const sqsErrors = group(
  'sqs-errors',
  'Errors as an SDK shows them',
  ['sqs'],
  [
    ...nowhere,
    sqsCase(
      'names-of-declared-errors',
      'A declared error has the name that the SDK declares, status 400, and is the client’s fault.',
      recorded('AWS.SimpleQueueService.NonExistentQueue in the header, QueueDoesNotExist in the body'),
      async ({ queue, send, refused }, world) => {
        const missing = (await queue()).replace(/[^/]+$/, world.name('nowhere'));
        const error = await refused('A queue that is not there', 'QueueDoesNotExist', send(missing, 'm'));
        equal(seen(error), 'QueueDoesNotExist 400 client');
      },
    ),
    sqsCase(
      'names-of-other-errors',
      'Other errors have the name of the query protocol, and status 400.',
      recorded('InvalidParameterValue in the header, InvalidParameterValueException in the body'),
      async ({ queue, send, receive, refused }) => {
        const url = await queue();
        const eleven = receive(url, { MaxNumberOfMessages: 11 });
        const value = await refused('Eleven messages', 'InvalidParameterValue', eleven);
        equal(seen(value), 'InvalidParameterValue 400 client');
        const missing = await refused('An empty body', 'MissingParameter', send(url, ''));
        equal(seen(missing), 'MissingParameter 400 client');
      },
    ),
  ],
);
