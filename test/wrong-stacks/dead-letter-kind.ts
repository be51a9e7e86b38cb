import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { DeadLetters: { FifoQueue: true } }),
    mended: (stack) => plain(stack),
  },
  declared: {
    wrong: { fifo: { deadLetterFifo: false } },
    mended: { fifo: { deadLetterFifo: true } },
  },
};
