import { type RuntimeParts, standardParts } from '../../../lambda/runtime/assembly.ts';
import { type Break, broken } from './break.ts';

/*
 * What the event source is told of a batch.
 */

/** A runner of groups to which every message went well. */
const goingOn =
  (runGroups: RuntimeParts['runGroups']): RuntimeParts['runGroups'] =>
  (tasks, limit, work) =>
    runGroups(tasks, limit, {
      ...work,
      execute: async (task) => {
        await work.execute(task);
        return true;
      },
    });

export const brokenAnswers: readonly Break[] = [
  {
    name: 'responseWithNull',
    what: 'The batch is answered with null instead of the list of what failed.',
    hazards: [18],
    expected: ['lost'],
    within: 20,
    build: broken(() => ({ batchResponse: () => null as never })),
  },
  {
    name: 'groupFailuresNotPropagated',
    what: 'A message that failed is returned alone: its group goes on behind it.',
    hazards: [15],
    expected: ['reordered'],
    within: 30,
    build: broken(() => ({
      runGroups: goingOn(standardParts.runGroups),
      concludeOutcomes: (tasks) => standardParts.concludeOutcomes(tasks, false),
    })),
  },
];
