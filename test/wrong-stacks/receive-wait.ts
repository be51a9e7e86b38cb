import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Queue: { ReceiveMessageWaitTimeSeconds: 21 } }),
    mended: (stack) => plain(stack, { Queue: { ReceiveMessageWaitTimeSeconds: '20' } }),
  },
};
