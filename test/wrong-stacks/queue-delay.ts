import { queueOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Queue: { DelaySeconds: 901 } }),
    mended: (stack) => plain(stack, { Queue: { DelaySeconds: 900 } }),
  },
  hatched: (stack) => queueOf(stack, 'payments').addPropertyOverride('DelaySeconds', -1),
};
