import { type AttributeValue, QueryCommand, type QueryCommandOutput } from '@aws-sdk/client-dynamodb';
import { recordsTable } from '../../lib/topology/index.ts';
import type { TableClient } from './client.ts';
import { type GroupMarker, readMarker } from './marker.ts';

/**
 * The message groups of a subscriber that have dead letters, those with the oldest first: the parked ones, whose
 * messages wait, and those that went on with a gap. What was marked within the last second may be missing: the index
 * follows its table.
 *
 * Needs `dynamodb:Query` on the index `groups` of the table.
 *
 * @param table - name of the table of records: output `RecordsTable` of the stack
 * @throws the client's errors
 * @example
 * ```ts
 * const parked = (await listGroups(new DynamoDBClient(), table, 'payments')).filter(({ state }) => state === 'PARKED');
 * ```
 */
export async function listGroups(
  client: TableClient,
  table: string,
  subscriber: string,
): Promise<GroupMarker[]> {
  const { indexName, partitionKey } = recordsTable.groups;
  const markers: GroupMarker[] = [];
  let start: Record<string, AttributeValue> | undefined;
  do {
    const output = (await client.send(
      new QueryCommand({
        TableName: table,
        IndexName: indexName,
        KeyConditionExpression: '#by = :subscriber',
        ExpressionAttributeNames: { '#by': partitionKey },
        ExpressionAttributeValues: { ':subscriber': { S: subscriber } },
        ExclusiveStartKey: start,
      }),
    )) as QueryCommandOutput;
    markers.push(...(output.Items ?? []).map(readMarker));
    start = output.LastEvaluatedKey;
  } while (start !== undefined);
  return markers;
}
