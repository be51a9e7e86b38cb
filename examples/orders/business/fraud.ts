import type { HandlerFor } from 'sluice/lambda';
import type { orders } from '../topology.ts';
import type { Outside } from './outside.ts';

/**
 * Has an order assessed. To assess twice changes nothing, so no key is needed; while the service is down every attempt
 * fails, the messages wait in their queue, and nobody else notices.
 */
export const assess =
  (fraudService: string, { send }: Pick<Outside, 'send'>): HandlerFor<typeof orders, 'fraud'> =>
  async (event, context) => {
    const { orderId, ...order } = event.data;
    const answer = await send('PUT', `${fraudService}/assessments/${orderId}`, order, {
      signal: context.signal,
    });
    if (answer.status !== 200)
      throw new Error(`The fraud service answered ${answer.status} to order ${orderId}: ${answer.body}`);
  };
