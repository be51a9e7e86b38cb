import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) =>
      plain(stack, { Topic: { FifoTopic: undefined }, Undelivered: { FifoQueue: undefined } }, true),
    mended: (stack) => plain(stack, {}, true),
  },
  declared: {
    wrong: { subscriber: { fifo: true } },
    mended: { subscriber: { fifo: false } },
  },
};
