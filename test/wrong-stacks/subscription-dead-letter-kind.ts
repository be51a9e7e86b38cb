import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Undelivered: { FifoQueue: undefined } }, true),
    mended: (stack) => plain(stack, {}, true),
  },
  declared: {
    wrong: { fifo: { fifo: false, subscriptionDeadLetterFifo: false } },
    mended: { fifo: { fifo: false, subscriptionDeadLetterFifo: true } },
  },
};
