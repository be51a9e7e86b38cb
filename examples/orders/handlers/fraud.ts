import { consume } from 'sluice/lambda';
import { orders } from '../topology.ts';
import { required, send } from './outside.ts';

const fraudService = required('FRAUD_SERVICE_URL');

/**
 * Has an order assessed. To assess twice changes nothing, so no key is needed; while the service is down every attempt
 * fails, the messages wait in their queue, and nobody else notices.
 */
export const handler = consume(
  orders,
  'fraud',
  async (event, context) => {
    const { orderId, ...order } = event.data;
    const answer = await send('PUT', `${fraudService}/assessments/${orderId}`, order, {
      signal: context.signal,
    });
    if (answer.status !== 200)
      throw new Error(`The fraud service answered ${answer.status} to order ${orderId}: ${answer.body}`);
  },
  { concurrency: 20 },
);
