import type { Milliseconds, Seconds } from '../../lib/base/index.ts';
import type { EventFor, Messaging, SubscriberName } from '../../lib/topology/index.ts';
import type { Fault, FaultEvent } from '../faults.ts';
import type { HarnessTools, LogLine, Mishap, MishapEvent } from '../harness/index.ts';
import type { ServiceId } from '../service.ts';
import type { QueueView } from '../sqs/index.ts';
import type { PlainItem } from './items.ts';
import type { Lag } from './lag.ts';
import type { ReadLetter } from './letters.ts';

/**
 * A stack that runs for a scenario, on a clock that only the scenario moves.
 *
 * @example
 * ```ts
 * const scenario = async (simulation: Simulation<typeof shop, 'charges'>) => {
 *   await publisher(shop, simulation.tools).publish('order.placed', order);
 *   await simulation.advance(seconds(5));
 *   simulation.kill('payments');
 *   await simulation.drain();
 *   expect(simulation.effects('charges')).toHaveLength(1);
 * };
 * ```
 */
export interface Simulation<M extends Messaging, Table extends string = string> {
  /** Clients, clock, logger and variables, for `publisher` and for commands of the SDK. */
  readonly tools: HarnessTools;
  /** The virtual moment, in milliseconds since the Unix epoch. */
  now(): Milliseconds;
  /**
   * Moves time forward; everything that falls due on the way happens.
   *
   * @throws {HandlerStuck} a handler waits for something that nobody will advance
   */
  advance(length: Seconds): Promise<void>;
  /**
   * Moves time forward until no queue of a subscriber with a handler holds a message, those of dead letters apart.
   *
   * @param within - how long at most; default 1 hour
   * @returns how long it took
   * @throws {Error} when messages are left, naming them
   * @throws {HandlerStuck} a handler waits for something that nobody will advance
   */
  drain(within?: Seconds): Promise<Seconds>;

  /** Plans a fault of calls; the returned call takes it out again. */
  fail(fault: Fault): () => void;
  /** Lets every call of a service fail from now on, for so long; the returned call ends it earlier. */
  outage(service: ServiceId, length: Seconds): () => void;
  /** Plans what befalls workers at their calls: they die or stand still, before or after it. */
  befall(mishap: Mishap): () => void;
  /** Kills one worker of a subscriber in the middle of its work; false when none is at work. */
  kill(subscriber: SubscriberName<M>): boolean;
  /**
   * Lets one worker of a subscriber stand still in the middle of its work, for so long, while the world goes on;
   * false when none is at work.
   */
  freeze(subscriber: SubscriberName<M>, length: Seconds): boolean;
  /** Deploys a subscriber's function anew: workers end after their invocation, new ones take over. */
  deploy(subscriber: SubscriberName<M>): Promise<void>;

  /** The items of one of the scenario's own tables, as plain values. */
  effects(table: Table): readonly PlainItem[];
  /** What lies in a subscriber's dead-letter queue; it stays there. */
  deadLetters<Name extends SubscriberName<M>>(subscriber: Name): readonly ReadLetter<EventFor<M, Name>>[];
  /** How long the oldest message of a subscriber has waited, now and at worst. */
  lag(subscriber: SubscriberName<M>): Lag;
  /** A look at a subscriber's queue. */
  queue(subscriber: SubscriberName<M>): QueueView;
  /** The table of records, as plain values: which events were done, for which subscriber. */
  records(): readonly PlainItem[];
  /** What handlers and the runtime logged so far. */
  readonly logs: readonly LogLine[];
  /** Faults that happened so far. */
  readonly faults: readonly FaultEvent[];
  /** What befell workers so far, in order: mishaps, and freezes by the scenario. */
  readonly mishaps: readonly MishapEvent[];
}
