import { type } from 'arktype';
import {
  type CloudEvent,
  defineMessaging,
  type EffectsOf,
  type EventData,
  type EventFor,
  type EventInput,
  type EventName,
  event,
  type Messaging,
  type SubscriberName,
  seconds,
} from 'sluice';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

const shop = defineMessaging({
  name: 'shop',
  topics: { orders: { fifo: true }, news: {} },
  events: {
    'order.placed': event({
      topic: 'orders',
      schema: z.object({ orderId: z.number(), at: z.string().transform((text) => text.length) }),
      key: (order) => order.orderId,
      group: (order) => order.at,
    }),
    'order.cancelled': event({
      topic: 'orders',
      schema: v.object({ orderId: v.number(), reason: v.optional(v.string(), 'none') }),
      key: (order) => order.reason,
    }),
    'news.told': event({ topic: 'news', schema: type({ text: 'string' }), group: (news) => news.text }),
  },
  subscribers: {
    payments: {
      on: ['order.placed', 'order.cancelled'],
      fifo: true,
      handler: 'payments.ts',
      lag: seconds(60),
    },
    readers: { on: ['news.told'], handler: 'readers.ts', lag: seconds(60) },
    totals: { on: ['news.told'], handler: 'totals.ts', lag: seconds(60), effects: 'transactional' },
  },
});
type Shop = typeof shop;

/** Stands for what takes a handler of a subscriber. */
const handle = <S extends SubscriberName<Shop>>(_: S, handler: (event: EventFor<Shop, S>) => void) => handler;
/** Stands for what takes an event to publish. */
const publish = <N extends EventName<Shop>>(_: N, data: EventInput<Shop, N>) => data;

describe('A declaration types those who publish and those who handle', () => {
  it('names are known', () => {
    expectTypeOf<EventName<Shop>>().toEqualTypeOf<'order.placed' | 'order.cancelled' | 'news.told'>();
    expectTypeOf<SubscriberName<Shop>>().toEqualTypeOf<'payments' | 'readers' | 'totals'>();
    expectTypeOf(shop).toExtend<Messaging>();
  });

  it('a posture is the one that was declared, or the default', () => {
    expectTypeOf<EffectsOf<Shop, 'totals'>>().toEqualTypeOf<'transactional'>();
    expectTypeOf<EffectsOf<Shop, 'payments'>>().toEqualTypeOf<'exactlyOnceEffect'>();
  });

  it('data is the schema’s input for publishers and its output for handlers: zod, valibot, arktype', () => {
    expectTypeOf<EventInput<Shop, 'order.placed'>>().toEqualTypeOf<{ orderId: number; at: string }>();
    expectTypeOf<EventData<Shop, 'order.placed'>>().toEqualTypeOf<{ orderId: number; at: number }>();
    expectTypeOf<EventInput<Shop, 'order.cancelled'>>().toEqualTypeOf<{
      orderId: number;
      reason?: string | undefined;
    }>();
    expectTypeOf<EventData<Shop, 'order.cancelled'>>().toEqualTypeOf<{ orderId: number; reason: string }>();
    expectTypeOf<EventData<Shop, 'news.told'>>().toEqualTypeOf<{ text: string }>();
  });

  it('a handler gets the events of its subscriber, told apart by their type', () => {
    expectTypeOf<EventFor<Shop, 'payments'>>().toEqualTypeOf<
      | CloudEvent<'order.placed', { orderId: number; at: number }>
      | CloudEvent<'order.cancelled', { orderId: number; reason: string }>
    >();
    handle('payments', (event) => {
      if (event.type === 'order.placed') expectTypeOf(event.data.at).toEqualTypeOf<number>();
      else expectTypeOf(event.data.reason).toEqualTypeOf<string>();
    });
  });

  it('all three libraries check at run time through one interface', async () => {
    const verdicts = await Promise.all(
      Object.values(shop.events).map(
        async ({ schema }) => 'issues' in (await schema['~standard'].validate(42)),
      ),
    );
    expect(verdicts).toEqual([true, true, true]);
  });
});

// Checked by the compiler: what must not compile is marked, and a mark without an error is an error.
describe('What does not fit does not compile', () => {
  it('an event on a topic that is not declared', () => {
    expect(() =>
      defineMessaging({
        name: 'shop',
        topics: { orders: {} },
        // @ts-expect-error: no topic carries it
        events: { placed: event({ topic: 'order', schema: z.object({}) }) },
        subscribers: {},
      }),
    ).toThrow('events.placed.topic');
  });

  it('a subscriber of an event that no topic carries', () => {
    expect(() =>
      defineMessaging({
        name: 'shop',
        topics: { orders: {} },
        events: { placed: event({ topic: 'orders', schema: z.object({}) }) },
        // @ts-expect-error: the event is not declared
        subscribers: { it: { on: ['plced'], handler: 'it.ts', lag: seconds(1) } },
      }),
    ).toThrow('subscribers.it.on');
  });

  it('a length of time without its unit', () => {
    defineMessaging({
      name: 'shop',
      topics: { orders: {} },
      events: { placed: event({ topic: 'orders', schema: z.object({}) }) },
      // @ts-expect-error: sixty what?
      subscribers: { it: { on: ['placed'], handler: 'it.ts', lag: 60 } },
    });
  });

  it('a key that the data does not have', () => {
    // @ts-expect-error: there is no such property
    event({ topic: 'orders', schema: z.object({ orderId: z.number() }), key: (order) => order.id });
  });

  it('a handler for the wrong event, or of nobody', () => {
    // @ts-expect-error: readers get news, not orders
    handle('readers', (event: CloudEvent<'order.placed', { orderId: number }>) => event.data.orderId);
    // @ts-expect-error: one of the two events has no `at`
    handle('payments', (event) => event.data.at);
    // @ts-expect-error: no such subscriber
    handle('payment', () => undefined);
  });

  it('data that the schema does not take', () => {
    // @ts-expect-error: a number is not a string
    publish('order.placed', { orderId: 1, at: 2 });
    // @ts-expect-error: no such event
    publish('order.place', { orderId: 1 });
    // @ts-expect-error: the text is missing
    publish('news.told', {});
  });
});
