import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { environment } from '../../lib/topology/index.ts';
import type { BuildOrder } from '../../ops/simulation/index.ts';
import { readEvent, type Work } from './work.ts';

/** What happens to the item when the work fails. */
export type OnFailure = 'stays' | 'is deleted';

/**
 * The pattern of ten lines: put an item under the event's id unless it is there, then do the work. Expired items go by
 * TTL, a queue's longest retention later.
 */
export function putIfAbsent(order: BuildOrder, work: Work, onFailure: OnFailure): Work {
  const { messaging, subscriber, tools } = order;
  const TableName = tools.environment[environment.recordsTable];
  const kept = 14 * 24 * 3_600;
  return async (body, attempt, remaining) => {
    const { id, source } = readEvent(body, messaging);
    const pk = { S: `${subscriber}#${source}#${id}` };
    const ttl = { N: String(Math.ceil(Date.now() / 1_000) + kept) };
    try {
      await tools.dynamodb.send(
        new PutItemCommand({
          TableName,
          Item: { pk, ttl },
          ConditionExpression: 'attribute_not_exists(pk)',
        }),
      );
    } catch (error) {
      if ((error as Error).name === 'ConditionalCheckFailedException') return;
      throw error;
    }
    try {
      await work(body, attempt, remaining);
    } catch (error) {
      if (onFailure === 'is deleted')
        await tools.dynamodb.send(new DeleteItemCommand({ TableName, Key: { pk } }));
      throw error;
    }
  };
}
