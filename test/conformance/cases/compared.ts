import { equal } from 'node:assert/strict';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { Difference, group } from '../case.ts';
import type { World } from '../world.ts';
import { refused } from './kit/refusal.ts';
import { queue } from './kit/sqs.ts';

/** A table with the key `pk`. */
async function table({ dynamodb, name, after, eventually }: World): Promise<string> {
  const TableName = name('table');
  await dynamodb.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    }),
  );
  after(() => dynamodb.send(new DeleteTableCommand({ TableName })));
  await eventually('the table to be active', 60, async () => {
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }));
    return Table?.TableStatus === 'ACTIVE' ? true : undefined;
  });
  return TableName;
}

const validation = { name: 'ValidationException' } as const;
const Key = { pk: { S: 'a' } };

export const compared = group(
  'compared',
  'Found by random sequences',
  [],
  [
    {
      name: 'two-actions-on-one-item-are-refused-first',
      title:
        'A transaction with two actions on one item is refused as a whole, whatever else is wrong with its actions.',
      needs: ['dynamodb'],
      source: {
        page: 'DynamoDB API reference, TransactWriteItems',
        says: 'there is a validation error when multiple operations target the same item',
        conflict:
          'The page does not order the checks. The model refuses what can be seen in the request alone before it looks into the table; DynamoDB Local evaluates the conditions first.',
      },
      async run(world) {
        const TableName = await table(world);
        const { dynamodb } = world;
        await refused('two actions on one item, the second with a condition that fails', validation, () =>
          dynamodb.send(
            new TransactWriteItemsCommand({
              TransactItems: [
                { Put: { TableName, Item: Key } },
                { Put: { TableName, Item: Key, ConditionExpression: 'attribute_exists(pk)' } },
              ],
            }),
          ),
        );
        await refused('two actions on one item, the first of which cannot be computed', validation, () =>
          dynamodb.send(
            new TransactWriteItemsCommand({
              TransactItems: [
                {
                  Update: {
                    TableName,
                    Key,
                    UpdateExpression: 'SET n = n + :one',
                    ExpressionAttributeValues: { ':one': { N: '1' } },
                  },
                },
                { Put: { TableName, Item: Key } },
              ],
            }),
          ),
        );
      },
    },
    {
      name: 'update-of-the-key-is-refused-before-its-condition',
      title: 'An update of the key is refused as invalid, also when its condition would fail.',
      needs: ['dynamodb'],
      source: {
        page: 'DynamoDB developer guide, "Update expressions"',
        says: 'the attributes of the primary key cannot be updated',
        conflict:
          'The page does not order the checks. The model refuses what can be seen in the request alone before it looks into the table; DynamoDB Local evaluates the condition first.',
      },
      async run(world) {
        const TableName = await table(world);
        await refused('an update of the key', validation, () =>
          world.dynamodb.send(
            new UpdateItemCommand({
              TableName,
              Key,
              UpdateExpression: 'SET pk = :new',
              ConditionExpression: 'attribute_exists(pk)',
              ExpressionAttributeValues: { ':new': { S: 'b' } },
            }),
          ),
        );
      },
    },
    {
      name: 'one-path-twice-in-an-update-is-refused',
      title: 'An update that changes one attribute twice is refused.',
      needs: ['dynamodb'],
      source: {
        page: 'DynamoDB developer guide, "Update expressions"',
        says: 'two document paths of an expression must not overlap',
      },
      async run(world) {
        const TableName = await table(world);
        await world.dynamodb.send(new PutItemCommand({ TableName, Item: Key }));
        await refused('SET n = :n, n = :n', { ...validation, message: /overlap/ }, () =>
          world.dynamodb.send(
            new UpdateItemCommand({
              TableName,
              Key,
              UpdateExpression: 'SET n = :n, n = :n',
              ExpressionAttributeValues: { ':n': { N: '1' } },
            }),
          ),
        );
      },
    },
    {
      name: 'repeated-delete-is-no-error',
      title:
        'A message is deleted a second time under the same handle without an error, also on a FIFO queue.',
      needs: ['sqs'],
      source: {
        page: 'SQS API reference, DeleteMessage',
        says: 'deleting is idempotent: a message that is gone is no error',
      },
      async run(world) {
        for (const fifo of [false, true]) {
          const url = await queue(world, fifo ? { FifoQueue: 'true' } : {});
          const inGroup = fifo ? { MessageGroupId: 'g', MessageDeduplicationId: '1' } : {};
          await world.sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x', ...inGroup }));
          const { Messages = [] } = await world.sqs.send(
            new ReceiveMessageCommand({ QueueUrl: url, WaitTimeSeconds: 1 }),
          );
          const { ReceiptHandle } = Messages[0] ?? {};
          equal(typeof ReceiptHandle, 'string', 'No message came.');
          for (const time of ['first', 'second'])
            try {
              await world.sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }));
            } catch (error) {
              throw new Difference(
                `The ${time} delete on a ${fifo ? 'FIFO' : 'standard'} queue failed: ${error}`,
              );
            }
        }
      },
    },
    {
      name: 'fifo-handle-expires-with-its-visibility',
      title:
        'On a FIFO queue a handle deletes nothing once its visibility has ended, also when the message was received again.',
      needs: ['sqs'],
      source: {
        page: 'SQS developer guide, "FIFO queue delivery logic"',
        says: 'a receipt handle of a FIFO queue is valid for the visibility timeout',
        conflict:
          'A test that LocalStack recorded on AWS shows InvalidParameterValue, "The receipt handle has expired", for a message that was not received again; the model answers so in both cases.',
      },
      async run(world) {
        const { sqs } = world;
        const url = await queue(world, { FifoQueue: 'true' });
        const group = { MessageGroupId: 'g', MessageDeduplicationId: '1' };
        await sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x', ...group }));
        const first = await sqs.send(
          new ReceiveMessageCommand({ QueueUrl: url, VisibilityTimeout: 0, WaitTimeSeconds: 1 }),
        );
        const second = await sqs.send(new ReceiveMessageCommand({ QueueUrl: url, WaitTimeSeconds: 1 }));
        equal(second.Messages?.[0]?.Body, 'x', 'The message did not come again.');
        await refused(
          'a delete under the handle of the first receive',
          { name: ['InvalidParameterValue', 'InvalidParameterValueException'], message: /expired/ },
          () =>
            sqs.send(
              new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: first.Messages?.[0]?.ReceiptHandle }),
            ),
        );
      },
    },
  ],
);
