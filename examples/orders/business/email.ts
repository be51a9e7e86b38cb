import { type HandlerFor, PermanentError } from 'sluice/lambda';
import { mailAddress } from '../tables.ts';
import type { orders } from '../topology.ts';
import type { Outside } from './outside.ts';

/**
 * Confirms an order by mail. A mail server knows no idempotency key: when a worker dies between the server's
 * answer and the record, the mail goes out again. That is declared, and counted in the run as `repeated`.
 */
export const confirm =
  (mailServer: string, { send }: Pick<Outside, 'send'>): HandlerFor<typeof orders, 'email'> =>
  async (event, context) => {
    const { orderId, customerId, amountCents } = event.data;
    const answer = await send(
      'POST',
      `${mailServer}/mails`,
      {
        orderId,
        to: mailAddress(customerId),
        subject: `Your order ${orderId}`,
        text: `Thank you. We charge ${(amountCents / 100).toFixed(2)} USD.`,
      },
      { signal: context.signal },
    );
    if (answer.status === 202) return;
    const problem = `The mail server answered ${answer.status} to order ${orderId}: ${answer.body}`;
    // 4xx is about this mail: the same mail will be refused again.
    if (answer.status >= 400 && answer.status < 500) throw new PermanentError(problem);
    throw new Error(problem);
  };
