import { queueOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Queue: { VisibilityTimeout: 179 } }),
    mended: (stack) => plain(stack, { Queue: { VisibilityTimeout: 180 } }),
  },
  hatched: (stack) => queueOf(stack, 'payments').addPropertyOverride('VisibilityTimeout', 20),
};
