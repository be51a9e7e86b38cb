import { consume, publisher } from 'sluice/lambda';
import { describe, expectTypeOf, it } from 'vitest';
import { defineMessaging, event, seconds } from '../../lib/topology/index.ts';
import { type Order, OrderPlaced } from './support/world.ts';

const market = defineMessaging({
  name: 'market',
  topics: { orders: { fifo: true } },
  events: {
    'order.placed': event({ topic: 'orders', schema: OrderPlaced }),
    'order.paid': event({ topic: 'orders', schema: OrderPlaced }),
  },
  subscribers: {
    payments: { on: ['order.placed'], handler: 'payments.ts', lag: seconds(60) },
    audit: { on: ['order.placed', 'order.paid'], handler: 'audit.ts', lag: seconds(60) },
  },
});

describe('publishers and handlers are typed by the declaration', () => {
  it('a handler gets the events of its subscriber, and no others', () => {
    consume(market, 'payments', (placed) => {
      expectTypeOf(placed.type).toEqualTypeOf<'order.placed'>();
      expectTypeOf(placed.data).toEqualTypeOf<Order>();
    });
    consume(market, 'audit', (heard) => {
      expectTypeOf(heard.type).toEqualTypeOf<'order.placed' | 'order.paid'>();
    });
  });

  it('what is not declared does not compile', () => {
    const events = publisher(market);
    const never = () => {
      // @ts-expect-error no topic carries this event
      void events.publish('order.lost', { orderId: '1' });
      // @ts-expect-error an order has an id
      void events.publish('order.placed', {});
      // @ts-expect-error there is no such subscriber
      consume(market, 'stock', () => undefined);
      // @ts-expect-error payments never hears of order.paid
      consume(market, 'payments', (paid: { type: 'order.paid' }) => void paid);
    };
    expectTypeOf(never).toBeFunction();
  });
});
