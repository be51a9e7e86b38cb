import { anything, type Input, type Place, type Rows, rememberedArns, rowsFor, text } from './row.ts';

/** `http://127.0.0.1:4566/000000000000/orders`; a bare name is taken too. */
const arnOf = rememberedArns((url, { account, region }) => {
  const slash = url.lastIndexOf('/');
  if (slash < 0) return `arn:aws:sqs:${region}:${account}:${url}`;
  const owner = url.slice(url.lastIndexOf('/', slash - 1) + 1, slash);
  return `arn:aws:sqs:${region}:${owner}:${url.slice(slash + 1)}`;
});
const queueOf = ({ QueueUrl }: Input, place: Place): string => arnOf(text(QueueUrl), place);

const named = ({ QueueName, QueueOwnerAWSAccountId }: Input, { account, region }: Place): string =>
  `arn:aws:sqs:${region}:${text(QueueOwnerAWSAccountId) || account}:${text(QueueName)}`;

/** `{"taskId":"…","sourceArn":"arn:…"}` in base64: the queue that a handle of a move task names. */
function taskOf({ TaskHandle }: Input): string {
  const found = /"sourceArn"\s*:\s*"([^"]+)"/.exec(Buffer.from(text(TaskHandle), 'base64').toString('utf8'));
  return found?.[1] ?? '*';
}

const batchOf = (action: string) => (input: Input, place: Place) => ({
  action: `sqs:${action}`,
  resource: queueOf(input, place),
});

/** Service Authorization Reference, "Actions, resources, and condition keys for Amazon SQS". */
export const sqs: Rows = {
  ...rowsFor(
    'sqs',
    [
      ...['AddPermission', 'ChangeMessageVisibility', 'DeleteMessage', 'DeleteQueue', 'GetQueueAttributes'],
      ...['ListDeadLetterSourceQueues', 'ListQueueTags', 'PurgeQueue', 'ReceiveMessage', 'RemovePermission'],
      ...['SendMessage', 'SetQueueAttributes', 'TagQueue', 'UntagQueue'],
    ],
    queueOf,
  ),
  // A batch needs what each of its entries needs.
  ChangeMessageVisibilityBatch: batchOf('ChangeMessageVisibility'),
  DeleteMessageBatch: batchOf('DeleteMessage'),
  SendMessageBatch: batchOf('SendMessage'),
  ...rowsFor('sqs', ['CreateQueue', 'GetQueueUrl'], named),
  ...rowsFor('sqs', ['ListQueues'], anything),
  ...rowsFor('sqs', ['CancelMessageMoveTask'], taskOf),
  ...rowsFor('sqs', ['ListMessageMoveTasks'], ({ SourceArn }) => text(SourceArn)),
  // It takes messages out of one queue and puts them into another (SQS developer guide, "Dead-letter queue redrive").
  StartMessageMoveTask: ({ SourceArn, DestinationArn }) => {
    const source = text(SourceArn);
    const from = ['StartMessageMoveTask', 'ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map(
      (action) => ({ action: `sqs:${action}`, resource: source }),
    );
    return DestinationArn === undefined
      ? from
      : [...from, { action: 'sqs:SendMessage', resource: text(DestinationArn) }];
  },
};
