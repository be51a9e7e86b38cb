import { DeleteItemCommand, type DeleteItemCommandOutput } from '@aws-sdk/client-dynamodb';
import { recordsTable } from '../../lib/topology/index.ts';
import type { TableClient } from './client.ts';
import { type GroupMarker, readMarker } from './marker.ts';

/**
 * There is no marker of that group: it was never set, or was lifted already.
 *
 * @example
 * ```ts
 * await liftGroup(client, table, 'payments', 'c-1').catch((error) => {
 *   if (!(error instanceof GroupNotMarked)) throw error;
 * });
 * ```
 */
export class GroupNotMarked extends Error {
  override readonly name = 'GroupNotMarked';
}

/**
 * Lifts the marker of a message group. Messages of a parked group run again, in their order, when their present wait
 * is over: within what the head waits, at most 12 hours. What lies in the dead-letter queue stays there.
 *
 * Needs `dynamodb:DeleteItem` on the table.
 *
 * @returns the marker as it was
 * @throws {GroupNotMarked} there is none
 * @throws the client's errors
 * @example
 * ```ts
 * const { letters, last } = await liftGroup(new DynamoDBClient(), table, 'payments', 'c-1');
 * ```
 */
export async function liftGroup(
  client: TableClient,
  table: string,
  subscriber: string,
  group: string,
): Promise<GroupMarker> {
  const { partitionKey, groupKey } = recordsTable;
  try {
    const { Attributes = {} } = (await client.send(
      new DeleteItemCommand({
        TableName: table,
        Key: { [partitionKey]: { S: groupKey(subscriber, group) } },
        ConditionExpression: 'attribute_exists(#key)',
        ExpressionAttributeNames: { '#key': partitionKey },
        ReturnValues: 'ALL_OLD',
      }),
    )) as DeleteItemCommandOutput;
    return readMarker(Attributes);
  } catch (error) {
    if ((error as Error).name !== 'ConditionalCheckFailedException') throw error;
    throw new GroupNotMarked(
      `The group "${group}" of "${subscriber}" has no marker in ${table}: it is not parked and has no gap. ` +
        'Names are told apart by case; list the groups to see which there are.',
      { cause: error },
    );
  }
}
