import { queueOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Queue: { RedrivePolicy: undefined }, DeadLetters: undefined }),
    mended: (stack) => plain(stack),
  },
  hatched: (stack) => queueOf(stack, 'payments').addPropertyDeletionOverride('RedrivePolicy'),
};
