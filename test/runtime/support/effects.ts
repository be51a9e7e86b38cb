import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { payloadHash } from '../../../lambda/runtime/identity.ts';
import { milliseconds } from '../../../lib/topology/index.ts';
import { keyOf, type World } from './world.ts';

/** An effect that shows how often it happened. */
export const addOne: TransactWriteItem = {
  Update: {
    TableName: 'effects',
    Key: { pk: { S: 'total' } },
    UpdateExpression: 'SET n = n + :one',
    ExpressionAttributeValues: { ':one': { N: '1' } },
  },
};

/** How often {@link addOne} happened. */
export const total = (world: World) => Number(world.dynamodb.items('effects').get('total')?.n?.N ?? 0);

/** An effect with a condition of its own. */
export const take = (sku: string): TransactWriteItem => ({
  Update: {
    TableName: 'effects',
    Key: { pk: { S: sku } },
    UpdateExpression: 'SET taken = :one',
    ConditionExpression: 'free >= :one',
    ExpressionAttributeValues: { ':one': { N: '1' } },
  },
});

export const wait = (world: World, length: number) =>
  new Promise<void>((resolve) => void world.clock.after(milliseconds(length), resolve));

/** The record of an event that another owner has, or had until `leaseEnd`. */
export const inProgress = (leaseEnd: number, orderId = '1'): Record<string, AttributeValue> => ({
  pk: { S: keyOf(orderId) },
  state: { S: 'IN_PROGRESS' },
  owner: { S: 'another' },
  fence: { N: '1' },
  leaseEnd: { N: String(leaseEnd) },
  attempts: { N: '0' },
  payload: { S: payloadHash({ orderId }) },
  ttl: { N: '9999999999' },
});
