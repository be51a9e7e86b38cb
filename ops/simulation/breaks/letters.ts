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
    within: 40,
    build: broken(() => ({
      createSendLetter: (context) => {
        const send = standardParts.createSendLetter(context);
        return (...values) => send(...values).catch(() => undefined);
      },
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
