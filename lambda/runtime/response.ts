import { seconds } from '../../lib/base/index.ts';
import type { SqsBatchResponse } from './lambda.ts';
import { groupsOf } from './schedule.ts';
import type { Task } from './task.ts';
import type { VisibilityChange } from './visibility.ts';

/**
 * Gives every task an outcome. A copy shares its first's; what has none is returned. On FIFO whatever comes
 * after a returned message of its group is returned too, visible at once: the head, still in flight, holds it
 * back, and a longer wait of its own would hold up the group after the head.
 */
export function concludeOutcomes(tasks: readonly Task[], fifo: boolean): void {
  for (const task of tasks) {
    if (task.plan?.kind === 'follow' && task.outcome === undefined) task.outcome = task.plan.first.outcome;
    task.outcome ??= { kind: 'returned', visibility: seconds(0) };
  }
  if (!fifo) return;
  for (const group of groupsOf(tasks).values()) {
    const head = group.findIndex((task) => task.outcome?.kind === 'returned');
    if (head < 0) continue;
    for (const task of group.slice(head + 1)) task.outcome = { kind: 'returned', visibility: seconds(0) };
  }
}

/** How many copies of events of the same batch are acknowledged with their first. */
export const copiesDone = (tasks: readonly Task[]): number =>
  tasks.filter((task) => task.plan?.kind === 'follow' && task.outcome?.kind === 'done').length;

/** Visibilities of what is returned. On FIFO the rest of each group comes before its head, so that it is free first. */
export function visibilityChanges(tasks: readonly Task[], fifo: boolean): VisibilityChange[] {
  const changes = (members: readonly Task[]) =>
    members.flatMap((task) =>
      task.outcome?.kind === 'returned' && task.outcome.visibility !== undefined
        ? [{ receiptHandle: task.receiptHandle, visibility: task.outcome.visibility }]
        : [],
    );
  if (!fifo) return changes(tasks);
  return [...groupsOf(tasks).values()].flatMap((group) => changes(group).reverse());
}

/**
 * The batch response: each message that is not known to be done, once, under the id that it came with. An id
 * that the batch does not have, or an empty one, would make the event source return the whole batch (Lambda
 * developer guide, "Using SQS with partial batch responses").
 */
export function batchResponse(tasks: readonly Task[]): SqsBatchResponse {
  const failures = new Set<string>();
  for (const task of tasks) if (task.outcome?.kind !== 'done') failures.add(task.record.messageId);
  return { batchItemFailures: [...failures].map((itemIdentifier) => ({ itemIdentifier })) };
}
