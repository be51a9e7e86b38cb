import { eventSourceOf, queueOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { EventSource: { BatchSize: 11 } }),
    mended: (stack) =>
      plain(stack, {
        EventSource: { BatchSize: 11, MaximumBatchingWindowInSeconds: 1 },
        Queue: { VisibilityTimeout: 181 },
      }),
  },
  hatched: (stack) => {
    eventSourceOf(stack, 'payments').addPropertyOverride('MaximumBatchingWindowInSeconds', 1);
    queueOf(stack, 'payments').addPropertyOverride('VisibilityTimeout', 121);
  },
  declared: {
    wrong: { fifo: { batchWindow: 1 } },
    mended: { fifo: { batchWindow: 0 } },
  },
};
