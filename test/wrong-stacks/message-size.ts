import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Queue: { MaximumMessageSize: 1_048_577 } }),
    mended: (stack) => plain(stack, { Queue: { MaximumMessageSize: 1_048_576 } }),
  },
};
