import { defineMessaging, event, minutes } from 'sluice';
import { OrderPlaced } from '../../examples/orders/topology.ts';

export { OrderPlaced };

/** What is measured: one event and a subscriber for each posture, everything else as it is by default. */
export const shop = defineMessaging({
  name: 'bench',
  topics: { orders: {} },
  events: {
    'order.placed': event({ topic: 'orders', schema: OrderPlaced, key: (order) => order.orderId }),
  },
  subscribers: {
    exactlyOnceEffect: { on: ['order.placed'], handler: 'candidates.ts', lag: minutes(1) },
    transactional: {
      on: ['order.placed'],
      handler: 'candidates.ts',
      lag: minutes(1),
      effects: 'transactional',
    },
  },
});
