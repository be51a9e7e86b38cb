import type { CloudEvent } from '../../lib/topology/index.ts';
import { type FirstDeliveriesContext, firstDeliveries, handleFirst } from './first-deliveries.ts';
import type { PlainHandler } from './handler.ts';
import type { Wanted } from './prepare.ts';
import type { Task } from './task.ts';
import type { ClaimedHandler } from './work.ts';

/**
 * The posture `atLeastOnce`: first deliveries run without a claim, and of those that go well nothing is kept. A failure
 * is counted in a record, as everywhere, and a message that comes again is claimed, so that attempts, backoff and
 * killers are handled as for all others.
 */
export async function runUnclaimed(
  context: FirstDeliveriesContext,
  handler: PlainHandler<CloudEvent>,
  tasks: readonly Task[],
  wanted: readonly Wanted[],
): Promise<void> {
  const handled = await handleFirst(context, firstDeliveries(context.fifo, tasks, wanted), handler);
  for (const { wanted: one } of handled) {
    context.measures.processed++;
    one.task.outcome = { kind: 'done' };
  }
}

/** A plain handler under a claim. */
export const plain =
  (handler: PlainHandler<CloudEvent>): ClaimedHandler =>
  (event, { signal, attempt, deadline, logger, gap }, firstRun) =>
    firstRun === undefined ? handler(event, { signal, attempt, deadline, logger, gap }) : firstRun();
