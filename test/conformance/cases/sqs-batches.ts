import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type DeleteMessageBatchRequestEntry,
} from '@aws-sdk/client-sqs';
import { type ConformanceCase, group } from '../case.ts';
import type { World } from '../world.ts';
import { equal } from './kit/equal.ts';
import { plain } from './kit/refused.ts';
import { api, guide, recorded, sqsCase } from './kit/sources.ts';
import type { Sqs } from './kit/sqs.ts';

type Entry = { readonly Id: string };

/** The three batch actions: what is true of the entries of one is true of the others. */
const actions: readonly (readonly [
  name: string,
  action: string,
  call: (sqs: Sqs, world: World, url: string, entries: readonly Entry[]) => Promise<unknown>,
])[] = [
  [
    'send',
    'SendMessageBatch',
    ({ sendBatch }, _, url, entries) =>
      sendBatch(
        url,
        entries.map(({ Id }) => ({ Id, MessageBody: 'm' })),
      ),
  ],
  [
    'delete',
    'DeleteMessageBatch',
    (_, { sqs }, QueueUrl, entries) =>
      sqs.send(
        new DeleteMessageBatchCommand({
          QueueUrl,
          Entries: entries.map(({ Id }) => ({ Id, ReceiptHandle: 'some-handle' })),
        }),
      ),
  ],
  [
    'change',
    'ChangeMessageVisibilityBatch',
    (_, { sqs }, QueueUrl, entries) =>
      sqs.send(
        new ChangeMessageVisibilityBatchCommand({
          QueueUrl,
          Entries: entries.map(({ Id }) => ({ Id, ReceiptHandle: 'some-handle', VisibilityTimeout: 5 })),
        }),
      ),
  ],
];

const numbered = (count: number): readonly Entry[] =>
  Array.from({ length: count }, (_, index) => ({ Id: `entry-${index}` }));

const rules: readonly ConformanceCase[] = actions.flatMap(([name, action, call]) => [
  sqsCase(
    `${name}-without-entries`,
    `${action} without entries is refused.`,
    api(action, 'EmptyBatchRequest: the batch request doesn’t contain any entries'),
    async (sqs, world) =>
      void (await sqs.refused('No entries', 'EmptyBatchRequest', call(sqs, world, await sqs.queue(), []))),
  ),
  sqsCase(
    `${name}-with-eleven-entries`,
    `${action} takes up to ten entries.`,
    api(action, 'TooManyEntriesInBatchRequest: the batch has more entries than permissible'),
    async (sqs, world) => {
      const url = await sqs.queue();
      await call(sqs, world, url, numbered(10));
      await sqs.refused(
        'An eleventh entry',
        'TooManyEntriesInBatchRequest',
        call(sqs, world, url, numbered(11)),
      );
    },
  ),
  sqsCase(
    `${name}-with-one-id-twice`,
    `The ids of the entries of ${action} differ.`,
    api(action, 'BatchEntryIdsNotDistinct: two or more entries have the same id'),
    async (sqs, world) => {
      const twice = call(sqs, world, await sqs.queue(), [{ Id: 'a' }, { Id: 'a' }]);
      await sqs.refused('The same id twice', 'BatchEntryIdsNotDistinct', twice);
    },
  ),
  sqsCase(
    `${name}-ids`,
    `An id of ${action} has up to 80 letters, digits, hyphens and underscores.`,
    api(action, 'InvalidBatchEntryId: alphanumeric characters, hyphens and underscores, up to 80'),
    async (sqs, world) => {
      const url = await sqs.queue();
      await call(sqs, world, url, [{ Id: `_-${'i'.repeat(78)}` }]);
      for (const Id of ['', 'i'.repeat(81), 'invalid:id'])
        await sqs.refused(
          `The id "${Id.slice(0, 12)}"`,
          'InvalidBatchEntryId',
          call(sqs, world, url, [{ Id }]),
        );
    },
  ),
]);

export const sqsBatches = group(
  'sqs-batches',
  'Batches',
  ['sqs'],
  [
    ...rules,
    sqsCase(
      'send-answers-by-id',
      'Each entry of a batch is answered under its id, with the id of its message.',
      api('SendMessageBatch', 'the result of the action on each message is reported individually'),
      async ({ queue, sendBatch, receive }) => {
        const url = await queue();
        const { Successful = [], Failed } = await sendBatch(url, [
          { Id: 'first', MessageBody: 'one' },
          { Id: 'second', MessageBody: 'two' },
        ]);
        equal(Failed?.length ?? 0, 0);
        equal(Successful.map(({ Id }) => Id).join(), 'first,second');
        const got = (await receive(url)).map(({ MessageId }) => MessageId).sort();
        equal(
          got.join(),
          Successful.map(({ MessageId }) => MessageId)
            .sort()
            .join(),
        );
      },
    ),
    sqsCase(
      'one-bad-entry-fails-alone',
      'An entry that is refused fails by itself, as the sender’s fault; the others are sent.',
      api(
        'SendMessageBatch',
        'a call can have successful and failed entries; check for errors despite status 200',
      ),
      async ({ queue, sendBatch, bodies }) => {
        const url = await queue();
        const { Successful = [], Failed = [] } = await sendBatch(url, [
          { Id: 'good', MessageBody: 'good' },
          { Id: 'bad', MessageBody: '\u0001' },
        ]);
        equal(Successful.map(({ Id }) => Id).join(), 'good');
        equal(
          Failed.map(({ Id, Code, SenderFault }) => `${Id} ${plain(Code)} ${SenderFault}`).join(),
          'bad InvalidMessageContents true',
        );
        equal((await bodies(url)).join(), 'good');
      },
    ),
    sqsCase(
      'one-too-large-entry-fails-alone',
      'An entry larger than the queue’s largest message fails by itself.',
      recorded('InvalidParameterValue for the entry, the other one is sent'),
      async ({ queue, sendBatch }) => {
        const url = await queue({ MaximumMessageSize: '1024' });
        const { Successful = [], Failed = [] } = await sendBatch(url, [
          { Id: 'fits', MessageBody: 'a'.repeat(1024) },
          { Id: 'larger', MessageBody: 'a'.repeat(1025) },
        ]);
        equal(Successful.map(({ Id }) => Id).join(), 'fits');
        equal(Failed.map(({ Id, Code }) => `${Id} ${plain(Code)}`).join(), 'larger InvalidParameterValue');
      },
    ),
    sqsCase(
      'batch-larger-than-the-queue-allows',
      'The queue’s largest message is no bound for a whole batch.',
      recorded('2,048 bytes and one more in two entries were taken by a queue with a limit of 2,048'),
      async ({ queue, sendBatch }) => {
        const url = await queue({ MaximumMessageSize: '1024' });
        const { Successful = [] } = await sendBatch(url, [
          { Id: 'a', MessageBody: 'a'.repeat(1024) },
          { Id: 'b', MessageBody: 'b'.repeat(1024) },
        ]);
        equal(Successful.length, 2);
      },
    ),
    sqsCase(
      'batch-of-one-mebibyte',
      'The entries of a batch have up to 1 MiB together.',
      api('SendMessageBatch', 'the total size of all messages is at most 1 MiB; BatchRequestTooLong beyond'),
      async ({ queue, sendBatch, refused }) => {
        const url = await queue();
        const entries = (length: number) => [
          { Id: 'a', MessageBody: 'a'.repeat(1_048_575) },
          { Id: 'b', MessageBody: 'b'.repeat(length) },
        ];
        equal((await sendBatch(url, entries(1))).Successful?.length, 2);
        await refused('A byte more', 'BatchRequestTooLong', sendBatch(url, entries(2)));
      },
    ),
    sqsCase(
      'delays-of-entries',
      'Each entry has its own delay.',
      api('SendMessageBatch', 'DelaySeconds of an entry: how long that message is delayed'),
      async ({ queue, sendBatch, bodies }, world) => {
        const url = await queue();
        await sendBatch(url, [
          { Id: 'a', MessageBody: 'now' },
          { Id: 'b', MessageBody: 'later', DelaySeconds: 2 },
        ]);
        equal((await bodies(url)).join(), 'now');
        await world.pass(2.1);
        equal((await bodies(url)).join(), 'later');
      },
    ),
    sqsCase(
      'delete-some',
      'A batch of deletes deletes what it can, and names the handles that are none.',
      api('DeleteMessageBatch', 'the result of each entry is reported individually'),
      async ({ queue, send, receive, nothing }, world) => {
        const QueueUrl = await queue({ VisibilityTimeout: '1' });
        await send(QueueUrl, 'one');
        const [message] = await receive(QueueUrl);
        const { Successful = [], Failed = [] } = await world.sqs.send(
          new DeleteMessageBatchCommand({
            QueueUrl,
            Entries: [
              { Id: 'known', ReceiptHandle: message?.ReceiptHandle },
              { Id: 'wrong', ReceiptHandle: 'garbage' },
            ] as DeleteMessageBatchRequestEntry[],
          }),
        );
        equal(Successful.map(({ Id }) => Id).join(), 'known');
        equal(
          Failed.map(({ Id, Code, SenderFault }) => `${Id} ${plain(Code)} ${SenderFault}`).join(),
          'wrong ReceiptHandleIsInvalid true',
        );
        await world.pass(1.1);
        await nothing(QueueUrl, 'A deleted message came back');
      },
    ),
    sqsCase(
      'change-some',
      'A batch of changes changes what it can; a message that is gone fails by itself.',
      api('ChangeMessageVisibilityBatch', 'the result of each entry is reported individually'),
      async ({ queue, send, receive, remove, bodies }, world) => {
        const QueueUrl = await queue();
        for (const body of ['stays', 'goes']) await send(QueueUrl, body);
        const messages = await receive(QueueUrl);
        const goes = messages.find(({ Body }) => Body === 'goes');
        await remove(QueueUrl, goes);
        const { Successful = [], Failed = [] } = await world.sqs.send(
          new ChangeMessageVisibilityBatchCommand({
            QueueUrl,
            Entries: messages.map(({ Body = '', ReceiptHandle = '' }) => ({
              Id: Body,
              ReceiptHandle,
              VisibilityTimeout: 0,
            })),
          }),
        );
        equal(Successful.map(({ Id }) => Id).join(), 'stays');
        equal(Failed.map(({ Id, Code }) => `${Id} ${plain(Code)}`).join(), 'goes InvalidParameterValue');
        equal((await bodies(QueueUrl)).join(), 'stays');
      },
    ),
    sqsCase(
      'fifo-batch-without-a-group',
      'When an entry for a FIFO queue has no group, the whole batch is refused.',
      recorded('InvalidParameterValue of the request, not of the entry'),
      async ({ fifo, sendBatch, refused, nothing }) => {
        const url = await fifo({ ContentBasedDeduplication: 'true' });
        const call = sendBatch(url, [
          { Id: 'a', MessageBody: 'a', MessageGroupId: 'g' },
          { Id: 'b', MessageBody: 'b' },
        ]);
        await refused('An entry without a group', ['InvalidParameterValue', 'MissingParameter'], call);
        await nothing(url, 'The other entry was sent');
      },
    ),
    sqsCase(
      'fifo-batch-without-a-deduplication-id',
      'When an entry lacks the deduplication id that its queue needs, the whole batch is refused.',
      recorded('InvalidParameterValue of the request, not of the entry'),
      async ({ fifo, sendBatch, refused, nothing }) => {
        const url = await fifo();
        const call = sendBatch(url, [
          { Id: 'a', MessageBody: 'a', MessageGroupId: 'g', MessageDeduplicationId: 'a' },
          { Id: 'b', MessageBody: 'b', MessageGroupId: 'g' },
        ]);
        await refused('An entry without a deduplication id', 'InvalidParameterValue', call);
        await nothing(url, 'The other entry was sent');
      },
    ),
    sqsCase(
      'fifo-batch-keeps-order',
      'The entries of a batch are received in their order.',
      guide('FIFO delivery logic', 'messages are stored in the order of being sent, in a group'),
      async ({ fifo, sendBatch, bodies }) => {
        const url = await fifo({ ContentBasedDeduplication: 'true' });
        const all = Array.from({ length: 10 }, (_, index) => `m${index}`);
        await sendBatch(
          url,
          all.map((body) => ({ Id: body, MessageBody: body, MessageGroupId: 'g' })),
        );
        equal((await bodies(url)).join(), all.join());
      },
    ),
  ],
);
