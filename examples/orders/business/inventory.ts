import type { HandlerFor } from 'sluice/lambda';
import { customerKey, shelfKey } from '../tables.ts';
import type { orders } from '../topology.ts';
import type { Outside } from './outside.ts';

/**
 * Takes an order's pieces from the shelf and puts the order on its customer's list. Both writes and the record
 * of the event commit in one transaction: there is no moment at which the stock is taken and the
 * event is not done. When the shelf is empty, the order is put on the same list as a back order.
 *
 * @param stock - name of the table of stock
 */
export const takeFromStock =
  (stock: string, { now }: Pick<Outside, 'now'>): HandlerFor<typeof orders, 'inventory'> =>
  ({ data, time }, { refused }) => {
    const { orderId, customerId, quantity } = data;
    const entry = (from: 'shelf' | 'backOrder') => ({
      Update: {
        TableName: stock,
        Key: { pk: { S: customerKey(customerId) } },
        UpdateExpression:
          'SET orders = list_append(if_not_exists(orders, :none), :order) ADD waitedMs :waited',
        ExpressionAttributeValues: {
          ':none': { L: [] },
          ':order': { L: [{ M: { id: { N: String(orderId) }, from: { S: from } } }] },
          // How long the customer's orders had to wait, in all: what the warehouse is measured by.
          ':waited': { N: String(now() - Date.parse(time)) },
        },
      },
    });
    if (refused !== undefined) return [entry('backOrder')];
    const take = {
      Update: {
        TableName: stock,
        Key: { pk: { S: shelfKey(orderId) } },
        UpdateExpression: 'SET available = available - :pieces',
        ConditionExpression: 'available >= :pieces',
        ExpressionAttributeValues: { ':pieces': { N: String(quantity) } },
      },
    };
    return [take, entry('shelf')];
  };
