import type { HandlerFor } from 'sluice/lambda';
import { dayKey } from '../tables.ts';
import type { orders } from '../topology.ts';
import type { Outside } from './outside.ts';

/**
 * Adds an order to the revenue of its day, counted once: the sum and the event's record commit together.
 *
 * @param revenue - name of the table of revenue
 */
export const addToRevenue =
  (revenue: string, { now }: Pick<Outside, 'now'>): HandlerFor<typeof orders, 'analytics'> =>
  ({ data, time }) => [
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
          ':waited': { N: String(now() - Date.parse(time)) },
        },
      },
    },
  ];
