import { consume } from 'sluice/lambda';
import { dayKey } from '../tables.ts';
import { orders } from '../topology.ts';
import { required } from './outside.ts';

const revenue = required('REVENUE_TABLE');

/** Adds an order to the revenue of its day, counted once: the sum and the event's record commit together. */
export const handler = consume(orders, 'analytics', ({ data, time }) => [
  {
    Update: {
      TableName: revenue,
      Key: { pk: { S: dayKey(data.date, data.orderId) } },
      UpdateExpression: 'ADD orders :one, pieces :pieces, cents :cents, waitedMs :waited',
      ExpressionAttributeValues: {
        ':one': { N: '1' },
        ':pieces': { N: String(data.quantity) },
        ':cents': { N: String(data.amountCents) },
        // How fresh the figures are: the time from order to sum, added up.
        ':waited': { N: String(Date.now() - Date.parse(time)) },
      },
    },
  },
]);
