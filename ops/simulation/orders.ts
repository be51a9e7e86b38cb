import { milliseconds, type Random } from '../../lib/base/index.ts';
import type { Messaging } from '../../lib/topology/index.ts';
import type { Dice } from './dice.ts';
import { drawPoison } from './events.ts';
import type { Plan, Publish } from './plan.ts';
import type { World } from './scenario.ts';
import { drawTroubles, type TroubleName } from './troubles.ts';
import type { SimulatedHandler } from './types.ts';

const type = 'order.placed';
type Order = ReturnType<typeof import('../../examples/orders/simulation.ts').orderOf>;

const idOf = (orderId: number): string => `${type}:${orderId}`;

/** The history of a seed in the orders example: its topology, its handlers, its world outside. */
export async function drawOrdersPlan(
  seed: number,
  draw: (part: number) => Dice,
  randomOf: (part: number) => Random,
  span: number,
  scale: number,
  may: (name: TroubleName) => boolean,
): Promise<Plan> {
  const example = await import('../../examples/orders/simulation.ts');
  const messaging: Messaging = example.orders;
  const { between, chance, pick } = draw(2);
  const customers = Array.from({ length: between(2, 5) }, () => between(1, 9_999));
  const moments = Array.from({ length: between(16, 28) * scale }, () => between(0, span)).sort(
    (a, b) => a - b,
  );
  const publishes: Publish[] = [];
  const broken: number[] = [];
  for (const [index, at] of moments.entries()) {
    const customer = pick(customers);
    const group = String(customer);
    const base = { at, line: group, topic: 'orders', group, time: at };
    const poison = chance(0.05) ? drawPoison(draw(2), `${group}-${index + 1}`, type) : undefined;
    if (poison !== undefined) {
      publishes.push({ ...base, ...poison, id: `${group}-${index + 1}` });
      continue;
    }
    const orderId = index + 1;
    const isBroken = chance(0.04);
    if (isBroken) broken.push(orderId);
    const publish: Publish = {
      ...base,
      id: idOf(orderId),
      what: isBroken ? 'an order that the provider never takes' : 'an order',
      message: { type, data: example.orderOf(orderId, customer, randomOf(10 + orderId).next) },
      fate: { fate: 'effect' },
      ...(isBroken ? { fateFor: { payments: { fate: 'letter', reasons: ['attempts', 'crash'] } } } : {}),
    };
    publishes.push(publish);
    const later = at + between(100, 20_000);
    if (chance(0.08))
      publishes.push({ ...publish, at: later, time: later, line: `${group} again`, what: 'an order, again' });
  }
  const ways = Object.fromEntries(Object.entries(example.ways).map(([name, effect]) => [name, { effect }]));
  const world = (): World => {
    const made = example.createWorld(broken, {
      chance: randomOf(4).next,
      lostReplies: may('lost-reply'),
      refusals: may('throttling'),
      slowness: may('slow-downstream'),
    });
    // Each once, however often it was published.
    const sent = [
      ...new Set(publishes.flatMap(({ message }) => ('data' in message ? [message.data as Order] : []))),
    ];
    const groups = new Map(sent.map(({ orderId, customerId }) => [orderId, String(customerId)]));
    let handlerRuns = 0;
    return {
      get handlerRuns() {
        return handlerRuns;
      },
      open: made.open,
      effectOf: (subscriber) => example.ways[subscriber as keyof typeof example.ways],
      handlerFor(subscriber, tools, tell) {
        const handle = made.handlers[subscriber.name as keyof typeof made.handlers](
          tools,
        ) as unknown as SimulatedHandler;
        return (event, context) => {
          handlerRuns += 1;
          tell(
            `${subscriber.name} runs ${event.id}, attempt ${context.attempt}, in environment ${tools.process.number}`,
          );
          return handle(event, context);
        };
      },
      happened: ({ name }, aws) =>
        made.happened(name as keyof typeof example.ways, sent, aws).map(({ orderId, at }) => ({
          id: idOf(orderId),
          at,
          group: groups.get(orderId) ?? 'nobody',
        })),
    };
  };
  return {
    seed,
    messaging,
    ways,
    publishes,
    troubles: drawTroubles(draw(3), messaging, span, scale),
    span: milliseconds(span),
    lifts: false,
    world,
  };
}
