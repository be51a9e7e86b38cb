import { type Clock, type Milliseconds, milliseconds, type Random, sleep } from '../lib/base/index.ts';
import { type Call, type Service, ServiceError, type ServiceId } from './service.ts';

/** What goes wrong with a call. */
export type FaultEffect =
  /** The service answers with this error; nothing was done. */
  | { readonly error: { readonly name: string; readonly message?: string; readonly statusCode?: number } }
  /** The call is held back this long before it is done. */
  | { readonly delay: Milliseconds }
  /** The call is done, but its answer never arrives: the connection breaks. */
  | { readonly lostReply: true };

/**
 * One fault of a plan: which calls it meets, and what it does to them.
 *
 * A plan reaches every call over HTTP and of the model's clients, what event sources do with their queues
 * (`ReceiveMessage`, `DeleteMessageBatch`, `GetQueueAttributes` of `sqs`), and, as action `Deliver` of `sns`, each
 * delivery of a topic to a queue. It does not reach what the model does by itself inside a service (redrive, move
 * tasks, expiry), invocations by event sources, actions of alarms, and the making of a stack's resources.
 *
 * @example
 * ```ts
 * const slow: Fault = { service: 'sqs', action: 'ReceiveMessage', at: { chance: 0.1 }, effect: { delay: milliseconds(500) } };
 * ```
 */
export interface Fault {
  /** The service whose calls are met; left out, every service that has the action. */
  readonly service?: ServiceId;
  /**
   * The action that is met, for example `DeleteMessageBatch`; `Deliver` of `sns` is what a topic does for each of
   * its subscriptions, with the input `{ QueueArn, MessageBody, MessageGroupId, MessageDeduplicationId,
   * MessageAttributes }`. A delivery cannot be delayed: an error of status 500 is tried again, a lost reply too.
   */
  readonly action: string;
  /** Narrows the calls further: only those whose input satisfies this are met, and counted. */
  readonly where?: (input: Readonly<Record<string, unknown>>) => boolean;
  /**
   * Which of the calls met, counted from 1: one, several, or by chance.
   *
   * @default - every call
   */
  readonly at?: number | readonly number[] | { readonly chance: number };
  /** What happens. */
  readonly effect: FaultEffect;
}

/** A fault that happened. */
export interface FaultEvent {
  readonly at: Milliseconds;
  readonly service: ServiceId;
  readonly action: string;
  /** Which call it was among those that the fault met, from 1. */
  readonly call: number;
  readonly effect: FaultEffect;
}

/**
 * The faults that are planned for a model, and those that have happened.
 *
 * @example
 * ```ts
 * const end = harness.aws.faults.add({ action: 'TransactWriteItems', at: [1, 2], effect: { lostReply: true } });
 * await harness.drain();
 * end();
 * console.log(harness.aws.faults.happened.length);
 * ```
 */
export interface FaultPlan {
  /**
   * Adds a fault; the returned call takes it out again.
   *
   * @throws {RangeError} for the delay of a delivery, which has none
   */
  add(fault: Fault): () => void;
  /** What has happened so far, in order. */
  readonly happened: readonly FaultEvent[];
  /** Carries out one call under the plan. */
  apply(
    service: Service,
    action: string,
    input: Readonly<Record<string, unknown>>,
    call: Call,
    run: () => object | Promise<object>,
  ): object | Promise<object>;
  /** Carries out one delivery of a topic to a queue; `input` is asked for only when something is planned. */
  deliver<Output>(input: () => Readonly<Record<string, unknown>>, run: () => Output): Output;
}

/**
 * The answer to a call was lost on its way: the call may have been done. Over HTTP the connection breaks instead;
 * in process this error is what a client sees, with the code of a broken connection.
 *
 * @example
 * ```ts
 * aws.faults.add({ action: 'SendMessage', at: 1, effect: { lostReply: true } });
 * await sqs.send(command).catch((error) => error instanceof LostReply); // sent all the same
 * ```
 */
export class LostReply extends Error {
  override readonly name = 'LostReply';
  /** As Node names a connection that the other side broke. */
  readonly code = 'ECONNRESET';

  constructor(service: ServiceId, action: string) {
    super(`The answer to ${service} ${action} was lost (a planned fault); the call itself was carried out.`);
  }
}

/**
 * A plan of faults, replayable: the same seed and the same order of calls meet the same faults.
 *
 * @example
 * ```ts
 * const aws = createAws({ clock, random: seededRandom(7) });
 * aws.faults.add({ service: 'sqs', action: 'DeleteMessageBatch', at: 3, effect: { lostReply: true } });
 * aws.faults.add({
 *   action: 'BatchExecuteStatement',
 *   at: { chance: 0.01 },
 *   effect: { error: { name: 'ThrottlingException' } },
 * });
 * ```
 */
export function createFaultPlan(clock: Clock, random: Random): FaultPlan {
  const planned: { readonly fault: Fault; met: number }[] = [];
  const happened: FaultEvent[] = [];

  const hits = (at: Fault['at'], met: number): boolean => {
    if (at === undefined) return true;
    if (typeof at === 'number') return at === met;
    return 'chance' in at ? random.next() < at.chance : at.includes(met);
  };
  const due = (
    service: ServiceId,
    action: string,
    input: Readonly<Record<string, unknown>>,
  ): FaultEffect[] => {
    const effects: FaultEffect[] = [];
    for (const entry of planned) {
      const { fault } = entry;
      if (fault.action !== action || (fault.service !== undefined && fault.service !== service)) continue;
      if (fault.where !== undefined && !fault.where(input)) continue;
      entry.met += 1;
      if (!hits(fault.at, entry.met)) continue;
      effects.push(fault.effect);
      happened.push({ at: clock.now(), service, action, call: entry.met, effect: fault.effect });
    }
    return effects;
  };

  return {
    happened,
    add(fault) {
      if (fault.action === delivery && 'delay' in fault.effect)
        throw new RangeError(
          'A delivery of SNS cannot be delayed: plan an error with statusCode 500, after which SNS tries again.',
        );
      const entry = { fault, met: 0 };
      planned.push(entry);
      return () => {
        const index = planned.indexOf(entry);
        if (index >= 0) planned.splice(index, 1);
      };
    },
    apply(service, action, input, call, run) {
      if (planned.length === 0) return run();
      const effects = due(service.id, action, input);
      return effects.length === 0 ? run() : suffer(clock, service.id, action, effects, call, run);
    },
    deliver(input, run) {
      if (planned.length === 0) return run();
      const effects = due('sns', delivery, input());
      for (const effect of effects) if ('error' in effect) throw plannedError(effect.error);
      const output = run();
      if (effects.length === 0) return output;
      // What SNS sees of a broken connection: a failure that it tries again.
      const cause = new LostReply('sns', delivery);
      throw new ServiceError('InternalFailure', cause.message, { statusCode: 500, cause });
    },
  };
}

/** What a topic does for each of its subscriptions: no action of the API, so named here. */
const delivery = 'Deliver';

function plannedError({
  name,
  message,
  statusCode,
}: Extract<FaultEffect, { readonly error: unknown }>['error']): ServiceError {
  return new ServiceError(name, message ?? `${name} (a planned fault)`, {
    statusCode: statusCode ?? (/^(Internal|ServiceUnavailable|ServiceFailure)/.test(name) ? 500 : 400),
  });
}

async function suffer(
  clock: Clock,
  service: ServiceId,
  action: string,
  effects: readonly FaultEffect[],
  call: Call,
  run: () => object | Promise<object>,
): Promise<object> {
  for (const effect of effects)
    if ('delay' in effect) await sleep(clock, milliseconds(effect.delay), call.signal);
  for (const effect of effects) if ('error' in effect) throw plannedError(effect.error);
  const output = await run();
  if (effects.some((effect) => 'lostReply' in effect)) throw new LostReply(service, action);
  return output;
}
