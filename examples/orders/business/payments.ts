import { seconds } from 'sluice';
import { type HandlerFor, RetryLater } from 'sluice/lambda';
import type { orders } from '../topology.ts';
import type { Answer, Outside } from './outside.ts';

/** What must be left before the deadline to wait for the provider once more, in milliseconds. */
const reserve = 500;

/**
 * Charges an order. The event's id is the idempotency key: after a crash in the middle of the call the same
 * charge is asked for again, and the provider answers with the outcome of the first. A declined order is
 * an outcome, not a failure: the provider's ledger holds it, and the message is done.
 */
export const charge =
  (provider: string, { send, now, pause, random }: Outside): HandlerFor<typeof orders, 'payments'> =>
  async (event, context) => {
    const { orderId, customerId, amountCents } = event.data;
    for (;;) {
      const answer = await send(
        'POST',
        `${provider}/charges`,
        { orderId, customerId, amountCents },
        { signal: context.signal, headers: { 'idempotency-key': event.id } },
      );
      // 201: charged or declined, now or, under this key, before.
      if (answer.status === 201) return;
      if (answer.status !== 429)
        throw new Error(`The payment provider answered ${answer.status} to order ${orderId}: ${answer.body}`);
      // Too many requests: the provider says when to come again. To wait here keeps the order's place in its
      // group; only when the function's time runs out, the message goes back.
      const wait = whenToRetry(answer.headers) * (1 + random() / 2);
      if (now() + wait + reserve > context.deadline) throw new RetryLater({ after: seconds(1) });
      await pause(wait, context.signal);
    }
  };

/** Milliseconds; `retry-after-ms` is exact where `retry-after`, in whole seconds, is coarse. */
function whenToRetry(headers: Answer['headers']): number {
  const exact = Number(headers['retry-after-ms']);
  if (exact > 0) return exact;
  const coarse = Number(headers['retry-after']);
  return coarse > 0 ? coarse * 1000 : 100;
}
