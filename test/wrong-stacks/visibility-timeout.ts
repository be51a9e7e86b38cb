import { queueOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Queue: { VisibilityTimeout: 43_201 } }),
    mended: (stack) => plain(stack, { Queue: { VisibilityTimeout: 43_200 } }),
  },
  hatched: (stack) => queueOf(stack, 'payments').addPropertyOverride('VisibilityTimeout', 43_201),
  declared: {
    wrong: { subscriber: { visibilityTimeout: 43_201 } },
    mended: { subscriber: { visibilityTimeout: 43_200 } },
  },
};
