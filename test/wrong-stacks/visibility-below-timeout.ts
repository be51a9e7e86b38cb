import { queueOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Queue: { VisibilityTimeout: 29 } }),
    mended: (stack) => plain(stack, { Queue: { VisibilityTimeout: 180 } }),
  },
  hatched: (stack) => queueOf(stack, 'payments').addPropertyOverride('VisibilityTimeout', 19),
  declared: {
    wrong: { subscriber: { timeout: 60, visibilityTimeout: 59 } },
    mended: { subscriber: { timeout: 60, visibilityTimeout: 60 } },
  },
};
