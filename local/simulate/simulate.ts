import { type Milliseconds, milliseconds, seededRandom } from '../../lib/base/index.ts';
import type { Messaging, SubscriberName } from '../../lib/topology/index.ts';
import { createHarness, type HandlerFactory, type HarnessOptions } from '../harness/index.ts';
import { createDriver, type Driver } from './driver.ts';
import { simulated, type World } from './functions.ts';
import { shareClock } from './global-clock.ts';
import { createTable, type TableDeclaration } from './items.ts';
import { watchLag } from './lag.ts';
import type { Place } from './place.ts';
import { watchRealWork } from './real-work.ts';
import type { Simulation } from './simulation.ts';
import { stageOf } from './stage.ts';

/**
 * The functions of the subscribers, by name. The messages of a subscriber without one wait in its queue.
 *
 * @example
 * ```ts
 * const handlers: SimulatedHandlers<typeof shop> = {
 *   payments: (tools) => consume(shop, 'payments', charge, tools),
 * };
 * ```
 */
export type SimulatedHandlers<M extends Messaging> = {
  readonly [Name in SubscriberName<M>]?: HandlerFactory;
};

/**
 * What {@link simulate} takes besides the declaration, the handlers and the scenario.
 *
 * @example
 * ```ts
 * const options: SimulateOptions<typeof shop, 'charges'> = { tables: { charges: 'orderId' }, seed: 7 };
 * ```
 */
export interface SimulateOptions<M extends Messaging, Table extends string = string>
  extends Omit<HarnessOptions<M>, 'handlers'> {
  /**
   * Tables for the handlers' own effects, with the name of each one's partition key.
   *
   * @default - none
   */
  readonly tables?: Readonly<Record<Table, TableDeclaration>>;
  /**
   * How long the virtual clock stands still for work that the machine does for a handler (a file, a request to a
   * server of the test), in real time. Then the simulation fails.
   *
   * @default 2,000 milliseconds
   */
  readonly patience?: Milliseconds;
}

/** What waits longer than this is hardly meant to end within a test. */
const defaultPatience = milliseconds(2_000);

/** Keeps the chance of handlers apart from the model's: one more roll of theirs does not change what the world does. */
const handlersSeed = 0x5a17;

/**
 * Runs a declared stack with its handlers for a scenario, in this process and on a virtual clock: hours pass in
 * milliseconds, and the same seed always goes the same way. Code of handlers sees the virtual clock wherever it
 * reads time or sets timers; the test around it keeps the machine's. At the end everything is stopped and restored,
 * whatever happens; simulations one after another and side by side do not disturb each other.
 *
 * @param handlers - makes the functions of the subscribers, anew for each worker
 * @param scenario - what happens, and what is expected of it
 * @returns what the scenario returns
 * @throws what the scenario throws
 * @throws {HandlerStuck} a handler waits for something that nobody will advance
 * @example
 * ```ts
 * test('a worker that dies in the middle of its work charges once', () =>
 *   simulate(
 *     shop,
 *     { payments: (tools) => consume(shop, 'payments', charge, tools) },
 *     async (simulation) => {
 *       await publisher(shop, simulation.tools).publish('order.placed', order);
 *       await simulation.advance(seconds(5));
 *       expect(simulation.kill('payments')).toBe(true);
 *       await simulation.drain();
 *       expect(simulation.effects('charges')).toEqual([{ orderId: 'o-1', cents: 1200 }]);
 *       expect(simulation.deadLetters('payments')).toEqual([]);
 *     },
 *     { tables: { charges: 'orderId' } },
 *   ));
 * ```
 */
export async function simulate<M extends Messaging, Result = void, Table extends string = never>(
  messaging: M,
  handlers: SimulatedHandlers<M>,
  scenario: (simulation: Simulation<M, Table>) => Promise<Result> | Result,
  options: SimulateOptions<M, Table> = {},
): Promise<Result> {
  const { tables, patience = defaultPatience, ...rest } = options;
  const places = new Set<Place>();
  let driver: Driver | undefined;
  const world: World = {
    random: seededRandom((options.seed ?? 1) ^ handlersSeed),
    places,
    fail: (error) => driver?.fail(error),
  };
  const harness = await createHarness(messaging, { ...rest, handlers: inWorld(world, messaging, handlers) });
  const endings: (() => void)[] = [harness.stop];
  try {
    for (const [name, declared] of Object.entries<TableDeclaration>(tables ?? {}))
      await createTable(harness.aws, name, declared);
    const subscribers = Object.keys(messaging.subscribers) as SubscriberName<M>[];
    const lags = watchLag(subscribers, (name) => harness.queue(name as SubscriberName<M>));
    const moves = createDriver({ clock: harness.clock, places, patience, watch: lags.watch });
    driver = moves;
    endings.unshift(moves.end);
    endings.push(shareClock(), watchRealWork());
    const consumed = subscribers.filter((name) => handlers[name] !== undefined);
    const play = async () => scenario(stageOf<M, Table>(harness, moves, lags, consumed));
    return await Promise.race([play(), moves.failed]);
  } finally {
    for (const end of endings) end();
  }
}

function inWorld<M extends Messaging>(
  world: World,
  messaging: M,
  handlers: SimulatedHandlers<M>,
): SimulatedHandlers<M> {
  const known = Object.keys(messaging.subscribers);
  const wrapped = Object.entries<HandlerFactory | undefined>(handlers).flatMap(([name, factory]) => {
    if (!known.includes(name))
      throw new RangeError(`No subscriber is named "${name}"; there are ${known.join(', ')}.`);
    return factory === undefined ? [] : [[name, simulated(world, name, factory)]];
  });
  return Object.fromEntries(wrapped) as SimulatedHandlers<M>;
}
