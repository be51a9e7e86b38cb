import { standardParts } from '../../../lambda/runtime/assembly.ts';
import { type Break, broken } from './break.ts';

/*
 * What becomes of an event that cannot be done.
 */

export const brokenLetters: readonly Break[] = [
  {
    name: 'letterFailureIgnored',
    what: 'A dead letter that could not be sent passes for sent, and its message is acknowledged.',
    hazards: [13],
    expected: ['lost'],
    within: 60,
    build: broken(() => ({
      createSendLetter: (context) => {
        const send = standardParts.createSendLetter(context);
        return (...values) => send(...values).catch(() => undefined);
      },
    })),
  },
  {
    name: 'haltIgnored',
    what: 'A group that halts at a dead letter is marked as parked, and goes on all the same.',
    hazards: [16],
    expected: ['reordered'],
    within: 60,
    build: broken(() => ({
      createGroups: (context) => {
        const groups = standardParts.createGroups(context);
        return {
          ...groups,
          keepParkedBack: async (tasks) => tasks,
          mark: async (...values) => {
            await groups.mark(...values);
            return true;
          },
        };
      },
    })),
  },
  {
    name: 'groupNotMarked',
    what: 'A dead letter does not mark its group as parked.',
    hazards: [16],
    expected: ['reordered'],
    within: 60,
    build: broken(() => ({
      createGroups: (context) => ({ ...standardParts.createGroups(context), mark: async () => true }),
    })),
  },
  {
    name: 'letterWithoutOriginals',
    what: 'A dead letter carries what went wrong, and not the attributes that its message had.',
    hazards: [13],
    expected: ['letter'],
    within: 20,
    build: broken(() => ({
      createSendLetter: (context) => {
        const send = standardParts.createSendLetter(context);
        return (record, facts) => send({ ...record, messageAttributes: {} }, facts);
      },
    })),
  },
];
