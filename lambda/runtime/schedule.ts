import { mapBounded } from './parallel.ts';
import type { Task } from './task.ts';
import type { Work } from './work.ts';

/*
 * Who runs when. The crowd runs first: standard messages side by side, FIFO groups side by side and one group's
 * messages one after another. What was taken over from a dead owner may be what killed it: it runs afterwards,
 * when the crowd's work is written down, alone, the least suspicious first, so that a killer takes nobody along.
 */

/** Standard queue: no order. */
export async function runUnordered(tasks: readonly Task[], limit: number, work: Work): Promise<void> {
  const crowd = tasks.filter((task) => !runsAlone(task));
  await mapBounded(crowd, limit, (task) => work.execute(task));
  for (const task of leastSuspiciousFirst(tasks.filter(runsAlone), attemptsOf)) await work.execute(task);
}

/** FIFO queue: order within each group. */
export async function runGroups(tasks: readonly Task[], limit: number, work: Work): Promise<void> {
  const groups = [...groupsOf(tasks).values()];
  const crowd = groups.filter((group) => !group.some(runsAlone));
  await mapBounded(crowd, limit, (group) => runGroup(group, work));
  const alone = groups.filter((group) => group.some(runsAlone));
  for (const group of leastSuspiciousFirst(alone, (members) => Math.max(...members.map(attemptsOf))))
    await runGroup(group, work);
}

/** The messages of each group, in their order. A message without a group is one of its own. */
export function groupsOf(tasks: readonly Task[]): Map<string, Task[]> {
  const groups = new Map<string, Task[]>();
  for (const task of tasks) {
    const group = task.record.attributes?.MessageGroupId;
    const name = group === undefined ? `message ${task.record.messageId}` : `group ${group}`;
    const members = groups.get(name);
    if (members === undefined) groups.set(name, [task]);
    else members.push(task);
  }
  return groups;
}

/** After the first failure the rest goes back untouched: it must not overtake. */
async function runGroup(group: readonly Task[], work: Work): Promise<void> {
  let goesOn = true;
  for (const task of group) {
    if (goesOn) goesOn = await work.execute(task);
    else work.giveBack(task);
  }
}

const runsAlone = (task: Task): boolean => task.plan?.kind === 'run' && task.plan.claim.alone;
const attemptsOf = (task: Task): number => task.claim?.attempts ?? 0;
const leastSuspiciousFirst = <Item>(items: readonly Item[], suspicion: (item: Item) => number): Item[] =>
  [...items].sort((a, b) => suspicion(a) - suspicion(b));
