import { defineMessaging, event, minutes } from 'sluice';

interface Order {
  readonly orderId: string;
}

/** No schema library: it is the user's choice, and the user's bytes. */
const OrderPlaced = {
  '~standard': {
    version: 1,
    vendor: 'bench',
    validate: (value: unknown) => ({ value: value as Order }),
    types: undefined as unknown as { readonly input: Order; readonly output: Order },
  },
} as const;

export const shop = defineMessaging({
  name: 'shop',
  topics: { orders: {} },
  events: { 'order.placed': event({ topic: 'orders', schema: OrderPlaced, key: (order) => order.orderId }) },
  subscribers: { payments: { on: ['order.placed'], handler: 'payments.ts', lag: minutes(1) } },
});
