import { type Clock, milliseconds } from '../../lib/base/index.ts';
import type { CloudEvent } from '../../lib/topology/index.ts';
import type { Deadline } from './deadline.ts';
import { asError, HandlerTimeout } from './errors.ts';
import type { Groups } from './groups.ts';
import type { BasicContext } from './handler.ts';
import { withLazy } from './lazy.ts';
import { type Logger, withFields } from './logger.ts';
import type { Measures } from './metrics.ts';
import { mapBounded } from './parallel.ts';
import type { Wanted } from './prepare.ts';
import { groupsOf } from './schedule.ts';
import type { Stop } from './stop.ts';
import type { Task } from './task.ts';

/*
 * What `transactional` and `atLeastOnce` subscribers handle without a claim: messages that the queue hands out for the
 * first time. Nearly all are, and nearly all go well; for them a claim protects nothing that the posture promises.
 * Whatever does not go well takes the way of all others afterwards: it is claimed, its attempt is counted, and what
 * its handler did already is taken for its first run.
 */

export interface FirstDeliveriesContext {
  readonly fifo: boolean;
  /** How many messages, or FIFO groups, are handled at once. */
  readonly limit: number;
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly stop: Stop;
  readonly groups: Groups;
  readonly logger: Logger;
  readonly measures: Measures;
}

/** One first delivery, handled. */
export interface Handled<Value> {
  readonly wanted: Wanted;
  readonly value: Value;
}

/**
 * Which events may be handled without a claim: first deliveries, and on FIFO only those behind which nothing of
 * their group has to wait for a claim.
 *
 * @returns them by group; on standard queues each is a group of its own
 */
export function firstDeliveries(
  fifo: boolean,
  tasks: readonly Task[],
  wanted: readonly Wanted[],
): Wanted[][] {
  const isFirst = ({ claimable }: Wanted) => claimable.receives === 1;
  if (!fifo) return wanted.filter(isFirst).map((one) => [one]);
  const byTask = new Map(wanted.map((one) => [one.task, one]));
  const groups: Wanted[][] = [];
  for (const members of groupsOf(tasks).values()) {
    const front: Wanted[] = [];
    for (const task of members) {
      // A further copy shares the outcome of its first, wherever that is.
      if (task.plan?.kind === 'follow') continue;
      const one = byTask.get(task);
      if (one === undefined || !isFirst(one)) break;
      front.push(one);
    }
    if (front.length > 0) groups.push(front);
  }
  return groups;
}

/**
 * Runs the handler on first deliveries: groups side by side, a group's events one after another and none after one
 * that failed. A failure is kept with its task, for the run under a claim.
 */
export async function handleFirst<Value>(
  context: FirstDeliveriesContext,
  groups: readonly (readonly Wanted[])[],
  handle: (event: CloudEvent, basic: BasicContext) => Value | Promise<Value>,
): Promise<Handled<Value>[]> {
  const { clock, deadline, measures } = context;
  const handled = await mapBounded(groups, context.limit, async (group) => {
    const done: Handled<Value>[] = [];
    for (const wanted of group) {
      if (deadline.reached()) break;
      const startedAt = clock.now();
      const run = await underDeadline(deadline, () =>
        // A copy: what the handler does to its event is not what is logged of it.
        handle({ ...wanted.event }, basicContext(context, wanted)),
      );
      measures.handlerTimes.push(milliseconds(clock.now() - startedAt));
      if ('error' in run) {
        wanted.task.firstRun = () => {
          throw run.error;
        };
        break;
      }
      done.push({ wanted, value: run.value });
    }
    return done;
  });
  return handled.flat();
}

/** What came of a run: its value, or why there is none, and that is so too when the function's time ends before it. */
export async function underDeadline<Value>(
  deadline: Pick<Deadline, 'cut'>,
  run: () => Value | Promise<Value>,
): Promise<{ readonly value: Value } | { readonly error: Error }> {
  try {
    const result = run();
    if (!isThenable(result)) return { value: result };
    const value = await Promise.race([result, deadline.cut.then(() => cutOff)]);
    if (value !== cutOff) return { value: value as Value };
  } catch (thrown) {
    return { error: asError(thrown) };
  }
  return {
    error: new HandlerTimeout(
      'The handler was still running when the function’s time was over. Raise the timeout, or heed the signal.',
    ),
  };
}

const cutOff = Symbol('cut off');

const isThenable = <Value>(result: Value | Promise<Value>): result is Promise<Value> =>
  typeof (result as { then?: unknown } | null | undefined)?.then === 'function';

function basicContext(
  { stop, groups, deadline, logger }: FirstDeliveriesContext,
  { event, task }: Wanted,
): BasicContext {
  let eventLogger: Logger | undefined;
  return withLazy(
    { attempt: 1, deadline: deadline.stopAt, gap: () => groups.gap(task.record) },
    {
      signal: () => stop.signal,
      logger: () => {
        const { source, id, type } = event;
        eventLogger ??= withFields(logger, { source, id, type, attempt: 1 });
        return eventLogger;
      },
    },
  );
}
